import { z } from "zod";
import { ServiceError } from "./errors.ts";
import { fieldIssues, quotedText } from "./issues.ts";
import { hasMoreValues } from "./json-shape.ts";
import type { Problems } from "./problems.ts";
import { MAX_ASSET_DETAILS, MAX_COPIES, MAX_SUBTITLE_LENGTH } from "./quota.ts";
import { textProblem } from "./texts.ts";

/** A part of a multipart form while its body streams in. */
export interface FormPart {
  readonly name: string;
  /** The file's name, or null if the part is a plain field. */
  readonly filename: string | null;
  /** The part's next bytes, valid until the next call; null at its end. The next part skips what is unread of this one. */
  read(): Promise<Uint8Array | null>;
}

const WHOLE = `Give a whole number from 1 to ${MAX_COPIES}.`;

/** An element of `assets_detail`. Unknown fields are errors, so that a typo is reported. */
const assetDetailSchema = z.strictObject({
  asset_filename: z.string().min(1),
  copies: z.int(WHOLE).min(1, WHOLE).max(MAX_COPIES, WHOLE),
  reference_filename: z.string().min(1).nullish(),
  asset_subtitle: z
    .string()
    .superRefine((text, context) => {
      const problem = textProblem(text, MAX_SUBTITLE_LENGTH);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    })
    .nullish(),
});

export type AssetDetail = z.infer<typeof assetDetailSchema>;

export type FileKind = "asset_file" | "reference_file" | "asset_placeholder";

export interface AssetsDetail {
  /** Its elements in order; null for an invalid one. */
  readonly details: readonly (AssetDetail | null)[];
  /** Every file name in it, those of faulty elements included; null if it can't be read at all. */
  readonly mentioned: ReadonlySet<string> | null;
}

/** Fields of an asset detail, its own brace and the comma before the next. */
const VALUES_A_DETAIL = 5;

/** The details of a form that brings the placeholder alone. */
export const NO_DETAILS: AssetsDetail = { details: [], mentioned: null };

/** Reads `assets_detail`; null: the form has no such part. @throws ServiceError payload_too_large */
export function readAssetsDetail(text: string | null, problems: Problems): AssetsDetail {
  const value = text === null ? null : elementsOf(text);
  if (value === null || typeof value === "string") {
    problems.invalid(["assets_detail"], value ?? "Missing: the form needs exactly one part assets_detail.");
    return NO_DETAILS;
  }
  const mentioned = new Set<string>();
  // Each element takes the place of what it was parsed from, so that 20,000 of them are in memory once.
  for (const [index, element] of value.entries()) {
    for (const name of namesIn(element)) mentioned.add(name);
    const result = assetDetailSchema.safeParse(element);
    value[index] = result.success ? result.data : null;
    for (const issue of fieldIssues(result.error?.issues ?? [])) addProblems(problems, issue, index);
  }
  return { details: value as (AssetDetail | null)[], mentioned };
}

/** The elements of the array, or what is wrong with the text. Too many are refused before they are parsed. */
function elementsOf(text: string): unknown[] | string {
  if (hasMoreValues(text, MAX_ASSET_DETAILS * VALUES_A_DETAIL)) throw tooManyDetails();
  const value = parseJson(text);
  if (value === undefined) return "Not JSON: send a JSON array of asset details.";
  if (!Array.isArray(value)) return "Not an array: send a JSON array of asset details.";
  if (value.length === 0) return "Empty: name at least one asset file.";
  if (value.length > MAX_ASSET_DETAILS) throw tooManyDetails();
  return value;
}

const tooManyDetails = (): ServiceError =>
  new ServiceError(
    "payload_too_large",
    `assets_detail has more than ${MAX_ASSET_DETAILS} asset details. Send them in several requests; they add up in the draft.`,
    { issues: [{ path: ["assets_detail"], message: `Send at most ${MAX_ASSET_DETAILS} asset details.` }] },
  );

function namesIn(element: unknown): string[] {
  if (typeof element !== "object" || element === null) return [];
  const { asset_filename, reference_filename } = element as Record<string, unknown>;
  return [asset_filename, reference_filename].filter((name) => typeof name === "string");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text; that it isn't JSON is all that the caller needs.
    return undefined;
  }
}

function addProblems(problems: Problems, issue: z.core.$ZodIssue, index: number): void {
  const keys = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  const path = ["assets_detail", index, ...keys];
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys) problems.invalid([...path, key], "Remove this field: its name is unknown.");
  } else problems.invalid(path, issue.message);
}

/** Whether details and files belong together: every name has its file, of the right kind, and every file its detail. */
export function checkFiles(
  { details, mentioned }: AssetsDetail,
  files: ReadonlyMap<string, { readonly kind: FileKind }>,
  problems: Problems,
): void {
  const check = (
    index: number,
    field: "asset_filename" | "reference_filename",
    name: string,
    kind: FileKind,
  ) => {
    const found = files.get(name)?.kind;
    if (found === kind) return;
    const shown = JSON.stringify(quotedText(name));
    const message =
      found === undefined
        ? `The form has no ${kind} part with the file name ${shown}.`
        : `${shown} is a part ${found}, and has to be a part ${kind}.`;
    problems.invalid(["assets_detail", index, field], message);
  };
  for (const [index, detail] of details.entries()) {
    if (detail === null) continue;
    check(index, "asset_filename", detail.asset_filename, "asset_file");
    if (detail.reference_filename != null) {
      check(index, "reference_filename", detail.reference_filename, "reference_file");
    }
  }
  for (const [name, { kind }] of files) {
    if (kind !== "asset_placeholder" && mentioned?.has(name) === false)
      problems.invalid([kind, name], "No asset detail mentions this file.");
  }
}

/** Sum of copies; a collection can have at most MAX_COPIES. */
export const copiesOf = (details: readonly (AssetDetail | null)[]): number =>
  details.reduce((sum, detail) => sum + (detail?.copies ?? 0), 0);

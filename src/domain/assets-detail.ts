import { z } from "zod";
import type { Issue } from "./errors.ts";
import { MAX_COPIES, MAX_SUBTITLE_LENGTH } from "./limits.ts";
import { textProblem } from "./texts.ts";

const WHOLE = `Give a whole number from 1 to ${MAX_COPIES}.`;

/** An element of `assets_detail`, as the interface has it. Unknown fields are errors, so that no typo passes. */
export const assetDetailSchema = z.strictObject({
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

/** One asset detail of a request. */
export type AssetDetail = z.infer<typeof assetDetailSchema>;

/** The form's two kinds of files. */
export type FileKind = "asset_file" | "reference_file";

/** Something wrong with an upload. Its kind decides the status of the answer. */
export interface Problem extends Issue {
  readonly kind: "invalid" | "size" | "media";
}

const invalid = (path: Issue["path"], message: string): Problem => ({ kind: "invalid", path, message });

/** What `assets_detail` says. */
export interface AssetsDetail {
  /** Its elements in their places; null for one that is not as it should be. */
  readonly details: readonly (AssetDetail | null)[];
  /** Every file name in it, those of faulty elements included; null where it can't be read at all. */
  readonly mentioned: ReadonlySet<string> | null;
  readonly problems: readonly Problem[];
}

/**
 * Reads `assets_detail`.
 * @param text the part's JSON; null where the form has no such part
 */
export function readAssetsDetail(text: string | null): AssetsDetail {
  const none = (message: string): AssetsDetail => ({
    details: [],
    mentioned: null,
    problems: [invalid(["assets_detail"], message)],
  });
  if (text === null) return none("Missing: the form needs exactly one part assets_detail.");
  const value = parseJson(text);
  if (value === undefined) return none("Not JSON: send a JSON array of asset details.");
  if (!Array.isArray(value)) return none("Not an array: send a JSON array of asset details.");
  if (value.length === 0) return none("Empty: name at least one asset file.");
  const mentioned = new Set<string>();
  const problems: Problem[] = [];
  // Each element takes the place of what it was parsed from, so that 20,000 of them are in memory once.
  const details: unknown[] = value;
  for (const [index, element] of details.entries()) {
    for (const name of namesIn(element)) mentioned.add(name);
    const result = assetDetailSchema.safeParse(element);
    details[index] = result.success ? result.data : null;
    for (const issue of result.error?.issues ?? []) problems.push(...problemsOf(issue, index));
  }
  return { details: details as (AssetDetail | null)[], mentioned, problems };
}

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

function problemsOf(issue: z.core.$ZodIssue, index: number): Problem[] {
  const path = [
    "assets_detail",
    index,
    ...issue.path.map((key) => (typeof key === "symbol" ? String(key) : key)),
  ];
  if (issue.code !== "unrecognized_keys") return [invalid(path, issue.message)];
  return issue.keys.map((key) => invalid([...path, key], "Remove this field; there is none of this name."));
}

/** Whether details and files belong together: every name has its file, of the right kind, and every file its detail. */
export function checkFiles(
  { details, mentioned }: AssetsDetail,
  files: ReadonlyMap<string, { readonly kind: FileKind }>,
): Problem[] {
  const problems: Problem[] = [];
  const check = (
    index: number,
    field: "asset_filename" | "reference_filename",
    name: string,
    kind: FileKind,
  ) => {
    const found = files.get(name)?.kind;
    if (found === kind) return;
    const message =
      found === undefined
        ? `The form has no ${kind} part with the file name ${JSON.stringify(name)}.`
        : `${JSON.stringify(name)} is a part ${found}, and has to be a part ${kind}.`;
    problems.push(invalid(["assets_detail", index, field], message));
  };
  for (const [index, detail] of details.entries()) {
    if (detail === null) continue;
    check(index, "asset_filename", detail.asset_filename, "asset_file");
    if (detail.reference_filename != null) {
      check(index, "reference_filename", detail.reference_filename, "reference_file");
    }
  }
  for (const [name, { kind }] of files) {
    if (mentioned?.has(name) === false)
      problems.push(invalid([kind, name], "No asset detail mentions this file."));
  }
  return problems;
}

/** Sum of copies; above MAX_COPIES a collection can't be made of it. */
export const copiesOf = (details: readonly (AssetDetail | null)[]): number =>
  details.reduce((sum, detail) => sum + (detail?.copies ?? 0), 0);

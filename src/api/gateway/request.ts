import { z } from "zod";
import { ServiceError } from "../../domain/errors.ts";
import { parametrisedList } from "../../http/header-parameters.ts";

/** What a gateway's answer is: the content itself, one block of it, or a CAR. */
export type Format = "content" | "raw" | "car";

/** What a request asks of the gateway beyond its path. */
export interface GatewayRequest {
  readonly format: Format;
  /** Whether only the Accept header named the format. */
  readonly negotiated: boolean;
  readonly scope: "block" | "entity" | "all";
  readonly range: { readonly from: number; readonly to: number | null } | null;
  /** `?filename=`, for Content-Disposition. */
  readonly filename: string | null;
  readonly download: boolean;
}

type Scope = GatewayRequest["scope"];
const isScope = (text: string): text is Scope => text === "block" || text === "entity" || text === "all";

/** `from:to`, offsets from the start or, where negative, from the end; `*` is the end. */
const ENTITY_BYTES = /^(-?\d{1,15}):(\*|-?\d{1,15})$/;

function entityBytes(text: string): NonNullable<GatewayRequest["range"]> {
  const [, from, to] = ENTITY_BYTES.exec(text) ?? [];
  return { from: Number(from), to: to === "*" ? null : Number(to) };
}

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ["application/vnd.ipld.raw", "raw"],
  ["application/vnd.ipld.car", "car"],
]);

/** A parameter of the query; of one that is there several times the first counts. */
const parameter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (Array.isArray(value) ? value[0] : value), schema.optional());

/** The query of the trustless gateway specification. Other parameters are ignored. */
export const gatewayQuery = z
  .object({
    format: parameter(
      z.enum(
        ["raw", "car"],
        "This gateway has the formats raw and car; without one it sends the content itself.",
      ),
    ),
    "car-version": parameter(z.literal("1", "This gateway makes CARs of version 1.")),
    "entity-bytes": parameter(
      z.string().regex(ENTITY_BYTES, "Give two offsets such as 0:1023 or -1024:*.").transform(entityBytes),
    ),
    "dag-scope": parameter(z.string()),
    filename: parameter(z.string()),
    download: parameter(z.string()),
  })
  .transform(({ "dag-scope": scope = "all", "entity-bytes": range = null, ...query }, context) => {
    // A range is of an entity, whatever the scope.
    if (range !== null) return { ...query, range, scope: "entity" as const };
    if (isScope(scope)) return { ...query, range, scope };
    context.addIssue({ code: "custom", path: ["dag-scope"], message: "Give block, entity or all." });
    return z.NEVER;
  });

/**
 * What a request asks for; the query's `format` goes before the Accept header.
 * @throws ServiceError not_acceptable
 */
export function readGatewayRequest(
  { format, scope, range, filename, download }: z.infer<typeof gatewayQuery>,
  accept: string | undefined,
): GatewayRequest {
  const accepted = format === undefined ? acceptedFormat(accept) : null;
  return {
    format: format ?? accepted ?? "content",
    negotiated: accepted !== null,
    scope,
    range,
    filename: filename ?? null,
    download: download === "true",
  };
}

function acceptedFormat(accept: string | undefined): Format | null {
  for (const { value, parameters } of parametrisedList(accept ?? "")) {
    const format = FORMATS.get(value.toLowerCase());
    if (format === undefined) continue;
    if ((parameters.get("version") ?? "1") !== "1") {
      throw new ServiceError("not_acceptable", "This gateway makes CARs of version 1.");
    }
    return format;
  }
  return null;
}

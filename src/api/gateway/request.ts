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

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ["application/vnd.ipld.raw", "raw"],
  ["application/vnd.ipld.car", "car"],
]);

/**
 * Reads the query and Accept header as the trustless gateway specification has them; `format` goes before Accept.
 * @throws ServiceError invalid_request, not_acceptable
 */
export function readGatewayRequest(query: URLSearchParams, accept: string | undefined): GatewayRequest {
  const asked = query.get("format");
  if (asked !== null && asked !== "raw" && asked !== "car") {
    throw refuse(
      "format",
      "This gateway has the formats raw and car; without one it sends the content itself.",
    );
  }
  const accepted = asked === null ? acceptedFormat(accept) : null;
  const version = query.get("car-version");
  if (version !== null && version !== "1")
    throw refuse("car-version", "This gateway makes CARs of version 1.");
  const range = entityBytes(query.get("entity-bytes"));
  return {
    format: asked ?? accepted ?? "content",
    negotiated: accepted !== null,
    scope: range === null ? dagScope(query.get("dag-scope")) : "entity",
    range,
    filename: query.get("filename"),
    download: query.get("download") === "true",
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

function dagScope(text: string | null): GatewayRequest["scope"] {
  if (text === null) return "all";
  if (text === "block" || text === "entity" || text === "all") return text;
  throw refuse("dag-scope", "Give block, entity or all.");
}

function entityBytes(text: string | null): GatewayRequest["range"] {
  if (text === null) return null;
  const match = /^(-?\d{1,15}):(\*|-?\d{1,15})$/.exec(text);
  if (!match) throw refuse("entity-bytes", "Give two offsets such as 0:1023 or -1024:*.");
  return { from: Number(match[1]), to: match[2] === "*" ? null : Number(match[2]) };
}

const refuse = (parameter: string, message: string): ServiceError =>
  new ServiceError("invalid_request", `The query parameter ${parameter} is wrong. ${message}`, {
    issues: [{ path: [parameter], message }],
  });

export const JSON_TYPE = "application/json";

/** Media type of errors that name their problem (RFC 9457). */
export const PROBLEM_TYPE = "application/problem+json";

/** Media type of lines of JSON (https://jsonlines.org). */
export const JSON_LINES_TYPE = "application/jsonl";

/** Media type of a block of a directory (registered with IANA). */
export const DAG_PB_TYPE = "application/vnd.ipld.dag-pb";

export const UNKNOWN_TYPE = "application/octet-stream";

/** Why bytes are not a reference file, as a sentence's end; null if they are a JSON object in UTF-8. */
export function referenceFault(bytes: Uint8Array): string | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch (error) {
    return error instanceof SyntaxError ? "is not JSON" : "is not UTF-8 text";
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? null : "is not a JSON object";
}

import { ERROR_CODES, ERRORS } from "../../src/domain/errors.ts";
import { type JsonSchema, type OpenApi, type Operation, operationsOf } from "./openapi.ts";

/** The reference pages of docs/, made from what the service itself says. */

const GENERAL = `# API reference

Made from the service's OpenAPI document (\`/openapi.json\`; \`/docs\` shows it and sends requests,
[like this](images/reference.png)).

## What holds everywhere

- \`Authorization: Api-Key <API_KEY>\` on everything under \`/api/v1\`. A key of role \`read\` may read. A revoked key is
  refused everywhere within five seconds; the last use of a key is written at most once a minute.
- Bodies are JSON in UTF-8 of at most 1,048,576 bytes and 5,000 fields and list entries, except for asset-bulk. A field
  that is not known is an error.
  Lengths count Unicode code points, amounts are decimal strings of yoctoNEAR, times are RFC 3339 and are answered in
  UTC, royalties are \`{account id: percent}\` with at most two decimals. Lists of accounts in a
  collection's settings have at most 1,000 entries, those of allowlist-add and allowlist-remove 500.
  Texts have no control characters (U+0000 to U+001F, U+007F to U+009F); a description may have line breaks.
- In a PUT an absent field stays and \`null\` clears it. In a POST \`null\` means the same as leaving the field out.
- Lists are newest first, except a draft's assets and a collection's tokens, which have their own order. Without
  \`limit\` they answer everything, streamed; with \`limit\` (1 to 1000) a page, whose \`Link\` header leads to the next. A
  page has fewer entries than that where they are large: drafts, collections or transactions of 1 MiB together.
  A list that breaks off while it streams is cut short of its closing bracket, so that it is never taken for the whole.
- Writes take an \`Idempotency-Key\` of 1 to 255 characters. A write that reaches the chain waits for finality; where that
  takes longer, or with \`Prefer: respond-async\`, it answers 202 and \`Location\` leads to the operation. What was answered
  202 is carried out, or fails for a reason of its own; it never ends as 429 or 503.
- The same request again under its key is answered with what became of the first: with its answer, or, while the operation
  goes on, as a first request is. After 400, 401, 402, 403, 413, 415, 429 and 503 nothing was done and the key is free: the
  same request may be sent again under it. 409 \`idempotency_key_in_flight\` says that the first isn't accepted yet. A 500
  with \`operation_uuid\` may have been accepted: read the operation, or send the same request again under its key, and
  never as a new one.
- \`extra\` is JSON as a string of at most 16,384 characters; addresses have at most 2,048.
- A key may send 1,000 requests in any 10 seconds (or as many as the operator has set), counted exactly wherever they arrive; one more is answered 429 with
  \`Retry-After\`. Every answer to a key has \`RateLimit-Policy: "key";q=1000;w=10\` and \`RateLimit: "key";r=998;t=10\`: the
  requests that are left, and the seconds until there are more (draft-ietf-httpapi-ratelimit-headers).
- An integration has limits, which GET /me shows with what it uses of them. A request beyond one is answered 403
  \`quota_exceeded\`, or 429 \`too_many_operations\`, with \`quota: {limit, used, max}\`; the operator sets them.
- An address that tries 200 keys in 10 seconds that nobody has is answered 429, but for keys that were seen before.
- Every answer has \`X-Request-Id\`. Every error is \`{message, code, request_id, issues?}\`; errors.md lists the codes.
  \`issues\` has the first 100 problems, and \`message\` says how many more there are.
`;

/** A type in one line. */
const typeOf = (schema: JsonSchema | undefined): string => {
  if (schema === undefined) return "any";
  if (schema.$ref) return schema.$ref.split("/").at(-1)!;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  const types = [schema.type ?? "any"].flat();
  return types.map((type) => (type === "array" ? `${typeOf(schema.items)}[]` : type)).join(" or ");
};

const row = (...cells: string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;

const fieldTable = (schema: JsonSchema & { description?: string }): string => {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    row(
      `\`${name}\``,
      typeOf(field),
      schema.required?.includes(name) ? "yes" : "",
      (field as { description?: string }).description ?? "",
    ),
  );
  return rows.length === 0
    ? ""
    : [row("field", "type", "always", "meaning"), "| --- | --- | --- | --- |", ...rows].join("\n");
};

interface Described extends Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
}

const bodyOf = ({ requestBody }: Operation): string => {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return "";
  const example =
    media?.example === undefined ? "" : `\n\n\`\`\`json\n${JSON.stringify(media.example, null, 2)}\n\`\`\``;
  return `Body (${type}): ${typeOf(media?.schema)}${example}`;
};

const answersOf = ({ responses }: Operation): string => {
  const all = Object.entries(responses).map(([status, { content }]) => {
    const schema = Object.values(content ?? {})[0]?.schema;
    return Number(status) < 300 ? `${status} ${schema ? typeOf(schema) : "without a body"}` : status;
  });
  return `Answers: ${all.join(", ")}.`;
};

const parametersOf = ({ parameters = [] }: Operation): string => {
  const shown = parameters.filter(({ in: place }) => place !== "path").map(({ name }) => `\`${name}\``);
  return shown.length === 0 ? "" : `Parameters: ${shown.join(", ")}.`;
};

const section = (operation: Described): string =>
  [
    `### ${operation.method} ${operation.path}`,
    `${operation.summary}.`,
    operation.description ?? "",
    parametersOf(operation),
    bodyOf(operation),
    answersOf(operation),
  ]
    .filter(Boolean)
    .join("\n\n");

/** docs/api.md. */
export const apiReference = (document: OpenApi): string => {
  const operations = operationsOf(document) as Described[];
  const tags = Map.groupBy(operations, ({ tags: [tag] }) => tag!);
  const parts = [...tags].map(([tag, list]) => [`## ${tag}`, ...list.map(section)].join("\n\n"));
  const schemas = Object.entries(document.components.schemas)
    .map(([name, schema]) => [name, fieldTable(schema)] as const)
    .filter(([, table]) => table !== "")
    .map(([name, table]) => `### ${name}\n\n${table}`);
  return `${[GENERAL.trimEnd(), ...parts, "## Types", ...schemas].join("\n\n")}\n`;
};

const ERRORS_INTRODUCTION = `# Errors

Every error is JSON: \`message\` (a sentence that says what to do), \`code\` (one of the list below), \`request_id\`, and
where there are bad fields \`issues\`, one entry each with its path. Errors of the chain carry \`outcome\`
(\`not_submitted\`, \`failed_on_chain\`, \`unknown\`, \`final\`) and \`retryable\`. This page is made from
src/domain/errors.ts, as are the statuses and the OpenAPI responses.
`;

/** docs/errors.md. */
export const errorReference = (): string => {
  const rows = ERROR_CODES.map((code) => {
    const { status, cause, remedy } = ERRORS[code];
    return row(`\`${code}\``, String(status), cause, remedy);
  });
  const table = [row("code", "status", "cause", "remedy"), "| --- | --- | --- | --- |", ...rows].join("\n");
  return `${ERRORS_INTRODUCTION}\n${table}\n`;
};

import { ERROR_CODES, ERRORS } from "../../src/domain/errors.ts";
import {
  DEFAULT_LIMITS,
  MAX_FILE_BYTES,
  MAX_JSON_VALUES,
  MAX_MEDIA_URL_BYTES,
  MAX_UPLOAD_BYTES,
  MAX_UPLOAD_FILES,
  REQUEST_PERIOD_S,
} from "../../src/domain/quota.ts";
import { type JsonSchema, type OpenApi, type Operation, operationsOf } from "./openapi.ts";

/** Makes the reference pages of docs/ from the service's own document and error table. */

const GENERAL = `# API reference

This page is made from the service's OpenAPI document (\`/openapi.json\`). The running service shows the document at \`/docs\`
([picture](images/reference.png)), where you can also send requests.

## A first request

\`\`\`sh
curl "$URL/api/v1/me" -H "Authorization: Api-Key $KEY"
\`\`\`

The answer shows the integration that the key belongs to, its wallet, its contracts and its limits. \`npm start\` prints a URL
and a key.

## Requests and answers

- Send \`Authorization: Api-Key <API_KEY>\` with every request under \`/api/v1\`; \`Authorization: Bearer <API_KEY>\` is the
  same. Each endpoint names the scope that a key needs for it ([keys.md](keys.md)). A deleted key is refused everywhere within
  five seconds while the database answers. \`last_used_at\` of a key is written at most once a minute.
- Bodies are JSON in UTF-8 of at most 1,048,576 bytes and ${MAX_JSON_VALUES.toLocaleString("en")} fields and list entries, except for asset-bulk. An unknown
  field is an error. A body of which nothing comes for a minute, or which takes longer than two minutes, is answered 400.
- Lengths count Unicode code points. Amounts are decimal strings of yoctoNEAR. Times are RFC 3339; answers use UTC. Royalties
  are \`{account id: percent}\` with at most two decimals.
- Lists of accounts have at most 1,000 entries in a collection's settings, and 500 in allowlist-add and allowlist-remove.
- Texts have no control characters (U+0000 to U+001F, U+007F to U+009F), except for line breaks in a description. URLs have
  at most 2,048 characters. \`extra\` is JSON as a string of at most 16,384.
- In a PUT an absent field stays and \`null\` clears it. In a POST \`null\` means the same as an absent field. Where a body may be
  absent, \`null\` and \`{}\` are none.
- Lists are newest first, except a draft's assets and a collection's tokens, which have their own order. Without \`limit\` a
  list is complete, and streamed. With \`limit\` (1 to 1000) it is a page, whose \`Link\` header leads to the next. A page of
  drafts, collections, transactions or events ends at 1 MiB, so it may have fewer entries. If streaming fails midway, or nothing
  of a long list is taken for 30 seconds, the closing bracket is missing, so that a part can't be taken for the whole.
- Writes take an \`Idempotency-Key\` of 1 to 255 characters; \`"key"\` in quotes (draft-ietf-httpapi-idempotency-key-header) is the
  same as \`key\`.
- A write to the chain waits until it is final. If that takes too long, or with \`Prefer: respond-async\`, the answer is 202 and
  \`Location\` leads to the operation. After a 202 the operation is carried out or fails for a reason of its own; it never ends
  as 429 or 503. A request about it may be answered 503 while its ledger doesn't answer or is being restored.
- A write to the chain takes a \`reference\` in its body, your own name for it such as an order's number: 1 to 64 letters,
  digits, punctuation marks and spaces of ASCII. Its operation shows it, \`GET /operation?reference=\` finds it, and so does whoever
  reads its events: \`operation.*\`, \`nft.*\` and \`collection.*\` have \`operation_uuid\` and \`reference\`. It has no meaning
  to the service: several writes may have the same one, and only an \`Idempotency-Key\` keeps a write from being carried out
  twice. Like any field it is part of what a key and a quote stand for.
- \`POST /quote\` tells what a write to the chain would cost, with its method, path and body:

      POST /api/v1/quote
      {"method": "POST", "path": "/collection/{collection_uuid}/mint", "body": {"receiver_addresses": ["alice.near"]}}

      201 {"quote_uuid": "0198…", "transactions": 1, "gas": {"expected": "1981100000000", "at_most": "17304100000000"},
        "storage_bytes": 220, "cost": {"expected": "198110000000000000000", "at_most": "3806902000000000000000"},
        "top_up": "0", "wallet": {"available": "9731200000000000000000000", "missing": "0"}, "valid_until": "…",
        "body_digest": "…"}

  The same write with \`Mintage-Quote: <quote_uuid>\`, or any with \`Mintage-Max-Cost: <yoctoNEAR>\`, costs no more. One that
  could is answered 402 \`cost_exceeds_maximum\` with \`cost: {needed, at_most}\` before anything is sent; only where another write
  has used up the contract's storage meanwhile, its transaction fails on the chain first, and its gas is paid. A quote holds for
  ten minutes, for any number of writes like the one that it was asked for. With \`"keep": true\` it also keeps the write for the
  tool \`execute\` of \`POST /mcp\` ([agents.md](agents.md)).
  The operation shows \`cost: {quoted, at_most, actual}\`. The headers are not part of what an Idempotency-Key stands for: a
  repetition gets the first outcome whatever quote it names, and 402, \`quote_expired\` and \`quote_mismatch\` leave the key free.
- The same request under the same key gets the outcome of the first. While the operation is pending it waits in the same way.
  A refusal without an effect is not kept: send the request again under its key, and it is carried out if it can be. Of two
  requests at once, one is carried out and both get its answer; 409 \`idempotency_key_in_flight\` asks for one more try. 503
  \`database_unavailable\` has the \`outcome\` \`unknown\`: the request may still be carried out. Wait for \`Retry-After\` and
  send it again under its key. After a 500 or 503 with \`operation_uuid\` the
  request may have been accepted: read the operation, or repeat the request under its key. Don't send it as a new one.
- Every answer has \`X-Request-Id\`. Every error is \`{message, code, request_id, limit?, issues?}\`; errors.md lists the codes.
  \`issues\` has the first 100 problems, and \`message\` says how many more there are. With \`Accept: application/problem+json\` an
  error has the form of RFC 9457: the same fields, and \`type\`, \`title\`, \`status\`, \`detail\` and \`instance\`. Successes are JSON
  in any case.

## Changes

Within \`/api/v1\` answers gain fields, requests gain optional ones, and lists of codes, kinds and event types gain entries: ignore what
you don't know. Nothing is removed or given another meaning without notice. What will be removed is named in CHANGELOG.md at least
twelve months before; from then on its answers have \`Deprecation: @<Unix time>\` (RFC 9745), \`Sunset: <date>\` (RFC 8594), after which it
may be gone, and a \`Link\` with \`rel="deprecation"\` to what replaces it. Nothing is deprecated now.
`;

const number = (value: number): string => value.toLocaleString("en");

const LIMITS = `## Limits

Four controls limit what a caller may do. The field \`limit\` of an error names the one that refused the request.

| \`limit\` | status | what it bounds | what to do |
| --- | --- | --- | --- |
| \`rate\` | 429 | requests of a key, or of an address without a known key, in ${REQUEST_PERIOD_S} seconds; requests that are open at once; operations that are waiting | Wait for \`Retry-After\` seconds and send the same request again. |
| \`spending\` | 402 | NEAR that the wallet spends in a day (UTC), where the operator has set \`spending_per_day\` | Wait until the next day, or ask the operator to raise the limit. |
| \`size\` | 413 | bytes of a body or a file | Send less in one request. |
| \`storage\` | 403 | drafts, stored bytes, the integration's part of the database, keys | Delete what you don't need, or ask the operator to raise the limit. |

GET /me shows the limits that the operator sets, and how much of each is used. \`quota: {limit, used, max}\` of an error names one of them.

- A key sends at most ${number(DEFAULT_LIMITS.requests)} requests in any ${REQUEST_PERIOD_S} seconds, unless the operator has set another number. They are counted
  exactly, wherever they arrive. Every answer to a key has \`RateLimit-Policy: "key";q=1000;w=10\` and
  \`RateLimit: "key";r=998;t=10\`: the requests left, and the seconds until there are more
  (draft-ietf-httpapi-ratelimit-headers).
- A request that reads much from the chain counts as several: each call of a node beyond two counts as another request. A page
  of 100 NFTs, or of 100 holders' tokens, is one call. Such a call waits up to 12 seconds for its turn. If a list is already
  being streamed by then, it breaks off without its closing bracket.
- The service has memory for a number of open requests. A body, form, file at a URL or stream of events beyond it waits for 10
  seconds, unread, and is then answered 429. Send at most three forms with files at a time.
- An address that sends too many unknown keys is answered 429; keys that were seen before still work.
- A form has at most ${number(MAX_UPLOAD_BYTES)} bytes and ${number(MAX_UPLOAD_FILES)} files of ${number(MAX_FILE_BYTES)} bytes. A media file at a URL has at most ${number(MAX_MEDIA_URL_BYTES)} bytes.
`;

/** A type in one line. */
const typeOf = (schema: JsonSchema | undefined): string => {
  if (schema === undefined) return "any";
  if (schema.$ref) return schema.$ref.split("/").at(-1)!;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (schema.format === "binary") return "file";
  const types = [schema.type ?? "any"].flat();
  return types.map((type) => (type === "array" ? `${typeOf(schema.items)}[]` : type)).join(" or ");
};

const row = (...cells: string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;

const meaningOf = ({ description = "", default: otherwise }: JsonSchema): string =>
  otherwise === undefined ? description : `${description} Default: \`${JSON.stringify(otherwise)}\`.`.trim();

const fieldTable = (schema: JsonSchema, required = "always"): string => {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    row(`\`${name}\``, typeOf(field), schema.required?.includes(name) ? "yes" : "", meaningOf(field)),
  );
  return rows.length === 0
    ? ""
    : [row("field", "type", required, "meaning"), "| --- | --- | --- | --- |", ...rows].join("\n");
};

interface Described extends Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
}

const exampleOf = (example: unknown): string =>
  example === undefined ? "" : `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;

/** Tried with the files of cli/pictures. */
const FORM_EXAMPLE = `\`\`\`sh
curl "$URL/api/v1/collection-draft/$DRAFT/asset-bulk" \\
  -H "Authorization: Api-Key $KEY" \\
  -H 'Idempotency-Key: herons-1' \\
  -F asset_file=@0.png \\
  -F asset_file=@1.jpg \\
  -F reference_file=@0.json \\
  -F 'assets_detail=[
    {"asset_filename":"0.png","reference_filename":"0.json","copies":5,"asset_subtitle":"No. $TOKEN_NUM of $TOTAL_NUM"},
    {"asset_filename":"1.jpg","copies":5}]'
\`\`\``;

/** The parts of a form, and the fields of a part that is JSON. */
const formOf = (schema: JsonSchema): string => {
  const parts = Object.entries(schema.properties ?? {});
  const details = parts.flatMap(([name, { contentSchema }]) =>
    contentSchema?.items === undefined
      ? []
      : [`Each entry of \`${name}\`:`, fieldTable(contentSchema.items, "required")],
  );
  return ["Form parts:", fieldTable(schema, "required"), ...details, FORM_EXAMPLE].join("\n\n");
};

const bodyOf = ({ requestBody }: Operation): string => {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return "";
  if (type === "multipart/form-data") return `Body (${type}).\n\n${formOf(media?.schema ?? {})}`;
  const optional = requestBody?.required === false ? ", optional" : "";
  return [`Body (${type}${optional}): ${typeOf(media?.schema)}`, exampleOf(media?.example)]
    .filter(Boolean)
    .join("\n\n");
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
  return `${[GENERAL.trimEnd(), ...parts, "## Types", ...schemas, LIMITS.trimEnd()].join("\n\n")}\n`;
};

const ERRORS_INTRODUCTION = `# Errors

Every error is JSON: \`message\` (a sentence that says what to do), \`code\` (one of the list below), \`request_id\`, for a refusal
by a limit \`limit\` ([limits](api.md#limits)), and for
bad fields \`issues\`, one entry each with its path. Errors of the chain carry \`outcome\`
(\`not_submitted\`, \`failed_on_chain\`, \`unknown\`, \`final\`) and \`retryable\`. This page, the statuses
and the OpenAPI responses are made from src/domain/errors.ts.
`;

/** docs/errors.md. */
export const errorReference = (): string => {
  const rows = ERROR_CODES.map((code) => {
    const { status, cause, remedy } = ERRORS[code];
    return row(`<a id="${code}"></a>\`${code}\``, String(status), cause, remedy);
  });
  const table = [row("code", "status", "cause", "remedy"), "| --- | --- | --- | --- |", ...rows].join("\n");
  return `${ERRORS_INTRODUCTION}\n${table}\n`;
};

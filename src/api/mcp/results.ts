import type { CallToolResult } from "@modelcontextprotocol/server";
import { ERRORS, type ErrorCode, errorBody, type ServiceError } from "../../domain/errors.ts";
import type { Issue } from "../../domain/issues.ts";
import { markedError, untrusted } from "./marking.ts";

/** Most bytes of a result, and of one that was asked for in full. */
export const MOST_BYTES = 4_096;
export const MOST_FULL_BYTES = 65_536;

/** Some fields of a resource, for lists. */
export const brief = (resource: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, resource[name]]));

/** Fields of a result that say what it is about, what became of it and what comes next: they are never cut. */
const KEPT = ["summary", "next", "code", "operation_uuid", "cursor"];

/** The bytes of a value as JSON. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Lengths of texts, entries of lists, and bytes of lists of ids and numbers, tried one after the other until a result fits. */
const SIZES = [
  { text: 1_000, entries: Number.POSITIVE_INFINITY, ids: Number.POSITIVE_INFINITY },
  { text: 1_000, entries: 50, ids: 2_000 },
  { text: 300, entries: 10, ids: 1_000 },
  { text: 120, entries: 5, ids: 1_000 },
  { text: 60, entries: 3, ids: 600 },
] as const;

const shortenedList = (list: readonly unknown[], size: (typeof SIZES)[number]): unknown[] => {
  let [room, count] = [size.ids, 0];
  const isOfIds = list.every((entry) => typeof entry !== "object");
  while (count < list.length && room >= 0 && (isOfIds || count < size.entries)) {
    if (isOfIds) room -= bytesOf(list[count]) + 1;
    count += 1;
  }
  const shown = list.slice(0, count).map((entry) => shortened(entry, size));
  return list.length > shown.length ? [...shown, `… and ${list.length - shown.length} more`] : shown;
};

const shortened = (value: unknown, size: (typeof SIZES)[number]): unknown => {
  if (typeof value === "string") return value.length <= size.text ? value : `${value.slice(0, size.text)}…`;
  if (Array.isArray(value)) return shortenedList(value, size);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shortened(field, size)]));
};

const MORE_NOTE = "Call this tool with full: true for all of it.";
const CUT_NOTE = "It is longer than a result can be.";

/**
 * A value that takes at most so many bytes as JSON: long texts and lists are cut, and in the end its JSON.
 * @param hasMore whether the tool returns more with full: true
 */
export const fitted = (value: object, most: number, hasMore: boolean): object => {
  const note = { shortened: hasMore ? MORE_NOTE : CUT_NOTE };
  const kept = Object.fromEntries(Object.entries(value).filter(([name]) => KEPT.includes(name)));
  const tries = SIZES.map((size) => ({ ...(shortened(value, size) as object), ...kept, ...note }));
  const found = [value, ...tries].find((each) => bytesOf(each) <= most);
  return found ?? { ...kept, beginning: untrusted(JSON.stringify(value).slice(0, most / 8)), ...note };
};

/** A tool's result. @param most its bytes @param hasMore whether the tool returns more with full: true */
export const resultOf = (value: object, most = MOST_BYTES, hasMore = false): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(fitted(value, most, hasMore)) }],
});

/** An error of the API as a tool meets it: its body, and Retry-After in seconds. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly issues?: readonly Issue[];
  readonly operation_uuid?: string;
  readonly retry_after_s?: number;
}

/** Thrown where the API refuses what a tool needs. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** The error in a response of the API. */
export const refusalOf = async (response: Response): Promise<Refusal> => {
  const retryAfter = response.headers.get("Retry-After");
  return {
    ...(await response.json<Refusal>()),
    ...(retryAfter !== null && { retry_after_s: Number(retryAfter) }),
  };
};

/** An error of the service that no request of a tool was answered with. */
export const refusalBy = (error: ServiceError, requestId: string): Refusal => {
  const { retryAfter } = error.details;
  return { ...errorBody(error, requestId), ...(retryAfter !== undefined && { retry_after_s: retryAfter }) };
};

const FUND =
  "Stop and tell your owner: `me` shows the wallet and the contracts, and which account needs the NEAR.";
const NO_KEY = "Stop and tell your owner, who needs another key for you.";
const OPERATOR = "Stop and tell your owner, whose operator settles it.";
const AGAIN = "call the same tool with the same arguments";
const FILES = "Call `upload_assets` with other files than those that `issues` names.";

/** What to do after an error, where it isn't the same for all that can be repeated. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  invalid_request:
    "Correct what `issues` names and call the same tool again; `describe` explains a write's fields.",
  invalid_assets: "Correct what `issues` names, then call `upload_assets` again.",
  not_found: "Call `list_collections` or `list_drafts` for ids that exist.",
  conflict: "`message` says what is in the way; `read_draft` and `read_collection` show the state.",
  unknown_account: "Correct the accounts that `issues` names, then call `quote` again.",
  mint_limit_exceeded: "Call `quote` for at most 25 NFTs at a time.",
  asset_url_failed: "Correct the URL, then call the same tool again.",
  file_too_large: FILES,
  unsupported_media: FILES,
  payload_too_large: "Call the same tool with less: fewer files, or files at https URLs.",
  quota_exceeded:
    "Stop and tell your owner: `me` shows the limit that `quota` names, which the operator can raise.",
  draft_empty: "Call `upload_assets`, then `quote` again.",
  draft_locked: "Call `read_draft`: a draft whose finalization has begun can't change.",
  draft_finalized: "Call `read_draft`: it names the collection that the draft became.",
  sold_out: "Call `read_collection` for what is left.",
  quote_expired: "Call `quote` for the same write, then `execute` with the new quote and the same key.",
  quote_mismatch:
    "Call `quote` for what is there now, then decide by the new quote, and `execute` it with the same key.",
  cost_exceeds_maximum: "Call `quote` again and decide by its new cost.",
  idempotency_key_reused:
    "This key stands for another write. Call `quote` again, then `execute` with the new quote and a new key.",
  spending_limit_reached:
    "Stop: the budget of today is spent. Tell your owner; other quotes and keys don't help.",
  insufficient_funds: FUND,
  contract_storage_unpaid: FUND,
  payout_account_missing: OPERATOR,
  api_key_missing: NO_KEY,
  api_key_invalid: NO_KEY,
  api_key_expired: NO_KEY,
  api_key_revoked: NO_KEY,
  admin_token_invalid: NO_KEY,
  scope_missing: NO_KEY,
  collection_not_allowed: NO_KEY,
  key_rights_exceeded: NO_KEY,
  integration_suspended: NO_KEY,
  confirmation_required:
    "Stop and tell your owner that a person has to confirm this write; other quotes and keys don't help.",
  outcome_unknown: "Stop: don't repeat it. Tell your owner, whose operator settles it.",
  not_configured: OPERATOR,
};

const OTHER_CHANGE = "This key stands for another change: call the same tool with a new key.";
const OTHER_DRAFT = "Call `list_drafts` for ids that exist, and `me` for contracts.";

/** What to do after an error of a tool, where it isn't what other tools need. */
const NEXT_OF: Readonly<Record<string, Partial<Record<ErrorCode, string>>>> = {
  save_draft: { idempotency_key_reused: OTHER_CHANGE, not_found: OTHER_DRAFT },
  upload_assets: { idempotency_key_reused: OTHER_CHANGE, not_found: OTHER_DRAFT },
  execute: {
    invalid_request:
      "Correct what `issues` names: the arguments of this call, or those of `quote`, which then makes a new quote.",
    not_found: "Call `quote`: its quote_uuid is what this tool takes.",
    asset_url_failed: "Call `quote` with a corrected URL: this quote keeps the one that failed.",
    conflict:
      "`message` says what is in the way. If it names an idempotency key, call `execute` with that one for the outcome; otherwise call `quote` again.",
  },
  follow: {
    not_found: "Give the operation_uuid that `execute` returned, or an error after it.",
  },
};

/** What to call after an error. @param tool that had it; absent: any */
export const nextAfter = (
  { code, operation_uuid: operation, retry_after_s: seconds }: Omit<Refusal, "message">,
  tool = "",
): string => {
  const known = NEXT_OF[tool]?.[code] ?? NEXT[code];
  if (known !== undefined) return known;
  if (operation !== undefined) return "Call `follow` with this operation_uuid before anything else.";
  if (seconds !== undefined) return `Wait ${seconds} s, then ${AGAIN}.`;
  if (ERRORS[code].status === 500) return `Once more ${AGAIN}. After that tell your owner the request_id.`;
  if ([429, 503].includes(ERRORS[code].status) || code === "idempotency_key_in_flight")
    return `Wait as long as retry_after_s of the error says, then ${AGAIN}.`;
  return ERRORS[code].remedy;
};

/** An API error with what to call next, marked like an answer. @param known names of fields of the tool */
export const explained = (
  refusal: Omit<Refusal, "message">,
  tool = "",
  known: readonly string[] = [],
): object => {
  const { retry_after_s: seconds, ...body } = refusal;
  return {
    ...markedError(body, known),
    ...(seconds !== undefined && { retry_after_s: seconds }),
    next: nextAfter(refusal, tool),
  };
};

/** An API error as a tool's result. */
export const failed = (refusal: Refusal, tool: string, known: readonly string[]): CallToolResult => ({
  ...resultOf(explained(refusal, tool, known)),
  isError: true,
});

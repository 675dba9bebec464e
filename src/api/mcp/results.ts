import type { CallToolResult } from "@modelcontextprotocol/server";
import { ERRORS, type ErrorCode, errorBody, type ServiceError } from "../../domain/errors.ts";

/** Most bytes of a result, and of one that was asked for in full. */
export const MOST_BYTES = 4_096;
export const MOST_FULL_BYTES = 65_536;

/** Fields with texts that people wrote, whatever they look like. */
const WRITTEN_BY_PEOPLE = new Set(
  "title description subtitle asset_subtitle name symbol extra reference asset_filename reference_filename".split(
    " ",
  ),
);

/** Ids, numbers, times, names of states and addresses: no sentence has this form. */
const MACHINE_TEXT = /^[\w.:/?&=%+@#~$-]{0,300}$/;

/** A text that somebody else wrote, as results show it. */
const untrusted = (text: string) => ({ untrusted_text: text });

/** A REST answer in which each text that people wrote is marked. Anything that could be a sentence counts as one. */
export const marked = (value: unknown, byPeople = false): unknown => {
  if (typeof value === "string") return byPeople || !MACHINE_TEXT.test(value) ? untrusted(value) : value;
  if (Array.isArray(value)) return value.map((entry) => marked(entry, byPeople));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, marked(field, byPeople || WRITTEN_BY_PEOPLE.has(name))]),
  );
};

/** Some fields of a resource, for lists. */
export const brief = (resource: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, resource[name]]));

/** Lengths of texts and lists that are tried one after the other until a result fits. */
const SIZES = [
  { text: 1_000, entries: Number.POSITIVE_INFINITY },
  { text: 1_000, entries: 50 },
  { text: 300, entries: 10 },
  { text: 120, entries: 5 },
  { text: 60, entries: 3 },
] as const;

const shortened = (value: unknown, size: (typeof SIZES)[number]): unknown => {
  if (typeof value === "string") {
    return MACHINE_TEXT.test(value) || value.length <= size.text ? value : `${value.slice(0, size.text)}…`;
  }
  if (Array.isArray(value)) {
    const shown = value.slice(0, size.entries).map((entry) => shortened(entry, size));
    return value.length > shown.length ? [...shown, `… and ${value.length - shown.length} more`] : shown;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shortened(field, size)]));
};

/** Whether a value fits with all entries of its lists. @param most bytes */
export const keepsEntries = (value: object, most: number): boolean =>
  Buffer.byteLength(JSON.stringify(shortened(value, SIZES[0]))) <= most - NOTE_BYTES;

/** The longest note. */
const NOTE_BYTES = 100;
const MORE_NOTE = "Call this tool with full: true for all of it.";
const CUT_NOTE = "It is longer than a result can be.";

/** A value as JSON of limited size: long texts and lists are cut, and in the end its JSON. */
export const fitting = (value: object, most: number, hasMore: boolean): string => {
  const whole = JSON.stringify(value);
  const isShort = (text: string) => Buffer.byteLength(text) <= most;
  if (isShort(whole)) return whole;
  const note = { shortened: hasMore ? MORE_NOTE : CUT_NOTE };
  for (const size of SIZES) {
    const text = JSON.stringify({ ...(shortened(value, size) as object), ...note });
    if (isShort(text)) return text;
  }
  return JSON.stringify({ beginning: untrusted(whole.slice(0, most / 4)), ...note });
};

/** A tool's result. @param most its bytes @param hasMore whether the tool returns more with full: true */
export const resultOf = (value: object, most = MOST_BYTES, hasMore = false): CallToolResult => ({
  content: [{ type: "text", text: fitting(value, most, hasMore) }],
});

/** An error of the API as a tool meets it: its body, and Retry-After in seconds. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly issues?: readonly { readonly message: string }[];
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
  conflict: "Do what the message says; `read_draft` and `read_collection` show the state.",
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

/** Errors whose message may quote what somebody wrote: the chain's, and where a URL redirects to. */
const QUOTING: readonly ErrorCode[] = ["transaction_failed", "asset_url_failed"];

/** An API error as a tool's result, with what to call next. */
export const failed = (refusal: Refusal, tool: string): CallToolResult => {
  const message = QUOTING.includes(refusal.code) ? untrusted(refusal.message) : refusal.message;
  const issues = refusal.issues?.map((issue) => ({ ...issue, message: untrusted(issue.message) }));
  const body = { ...refusal, message, ...(issues && { issues }), next: nextAfter(refusal, tool) };
  return { ...resultOf(body), isError: true };
};

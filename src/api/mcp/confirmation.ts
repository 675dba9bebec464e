import { ledgerOf } from "../../db/ledger.ts";
import { findCollection } from "../../db/queries/collections.ts";
import { findDraft } from "../../db/queries/drafts.ts";
import { findKey } from "../../db/queries/idempotency.ts";
import { exactNear } from "../../domain/amounts.ts";
import { counted } from "../../domain/counted.ts";
import type { Uuid } from "../../domain/ids.ts";
import { boundTo, findQuote, type QuotedWrite, quoteExpired } from "../../operations/quotes.ts";
import { planWrite, requireRightsFor, requireWrite } from "../chain-write.ts";
import type { ToolCall } from "./tool.ts";

/** Most characters of a write's body in a question: 25 receivers fit. */
const MOST_OF_BODY = 4_000;

/** Characters that can't be seen, or that move or break a line: a text with them could look like the question's own lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A value as JSON on one line, as it is seen. */
const quoted = (value: unknown): string =>
  JSON.stringify(value).replaceAll(UNSEEN, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`);

/** The title of the collection or draft that a write is about; undefined: it is about none. */
const titleOf = async ({ context, caller: { integrationId } }: ToolCall, write: QuotedWrite) => {
  const { collection_uuid: id, collection_draft_uuid: draft } = requireWrite(write).found;
  if (id !== undefined)
    return (await findCollection(ledgerOf(context, integrationId), id.toLowerCase() as Uuid))?.collection
      .settings.title;
  if (draft === undefined) return undefined;
  return (await findDraft(context.db, integrationId, draft.toLowerCase() as Uuid))?.draft.settings.title;
};

/** What a person is asked: what the write does and to what, what it changes for ever, and what it costs at most. */
const questionOf = async (call: ToolCall, write: QuotedWrite, most: string, permanent: readonly string[]) => {
  const { operationId, summary } = requireWrite(write).definition;
  const title = await titleOf(call, write);
  const body = quoted(write.body);
  const left = body.length - MOST_OF_BODY;
  return [
    `Carry out ${operationId} (${summary})?`,
    ...(title === undefined ? [] : [`Title, which others may have written: ${quoted(title)}`]),
    `${write.path}: ${body.slice(0, MOST_OF_BODY).toWellFormed()}`,
    ...(left > 0 ? [`The body goes on for ${counted(left, "character")}, which aren't shown.`] : []),
    ...permanent.map((sentence) => `Nobody can undo it: ${sentence}`),
    `It costs at most ${exactNear(most)} NEAR.`,
  ].join("\n");
};

/** Names a question after itself and the key, so that an answer counts for what was asked alone. */
const nameOf = async (question: string, id: Uuid, keyId: Uuid): Promise<string> => {
  const bytes = new TextEncoder().encode(JSON.stringify([question, id, keyId]));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return `confirm-${Buffer.from(digest).toString("hex")}`;
};

/**
 * Refuses a quote whose write the key may not send. For a key with a `confirm_above` it has a person confirm a write that may
 * cost more, or changes something for ever, before the quote is bound to its execution. The quote's own
 * execution isn't asked about again: its repetition sends nothing.
 * @throws ServiceError quote_expired; conflict if it was executed under another key; and what the write would be refused with
 */
export const requireConfirmed = async (call: ToolCall, id: Uuid, key: string): Promise<void> => {
  const { context, caller, confirm } = call;
  const { integrationId, keyId, rights } = caller;
  const quote = await findQuote(ledgerOf(context, integrationId), integrationId, id);
  if (!quote) return;
  const { method, path, most } = quote;
  requireRightsFor(caller, { method, path, body: undefined });
  const now = context.now();
  if (rights.confirmAbove === null || quote.body === null) return;
  const bound = quote.executedBy;
  if (
    bound !== null &&
    (await findKey(ledgerOf(context, integrationId), { integrationId, key: bound, now }))
  ) {
    if (bound !== key) throw boundTo(bound);
    return;
  }
  if (quote.expiresAt <= now) throw quoteExpired();
  const write = { method, path, body: JSON.parse(quote.body) as unknown };
  const planned = await planWrite(context, { ...caller, requestKey: null }, write);
  const permanent = planned?.permanent ?? [];
  if (BigInt(most) <= BigInt(rights.confirmAbove) && permanent.length === 0) return;
  const question = await questionOf(call, write, most, permanent);
  confirm(await nameOf(question, id, keyId), question);
};

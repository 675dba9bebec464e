import { findCollection } from "../../db/queries/collections.ts";
import { findDraft } from "../../db/queries/drafts.ts";
import { findKey } from "../../db/queries/idempotency.ts";
import { exactNear } from "../../domain/amounts.ts";
import type { Uuid } from "../../domain/ids.ts";
import { findQuote, type QuotedWrite } from "../../operations/quotes.ts";
import { planWrite, requireRightsFor, requireWrite } from "../chain-write.ts";
import { fitted } from "./results.ts";
import type { ToolCall } from "./tool.ts";

/** Most bytes of a write's body in a question: 25 receivers fit. */
const MOST_BODY_BYTES = 2_048;

/** The title of the collection or draft that a write is about; undefined: it is about none. */
const titleOf = async ({ context: { db }, caller: { integrationId } }: ToolCall, write: QuotedWrite) => {
  const { collection_uuid: id, collection_draft_uuid: draft } = requireWrite(write).found;
  if (id !== undefined)
    return (await findCollection(db, integrationId, id.toLowerCase() as Uuid))?.collection.settings.title;
  if (draft === undefined) return undefined;
  return (await findDraft(db, integrationId, draft.toLowerCase() as Uuid))?.draft.settings.title;
};

/** What a person is asked: what the write does and to what, what it changes for ever, and what it costs at most. */
const questionOf = async (call: ToolCall, write: QuotedWrite, most: string, permanent: readonly string[]) => {
  const { operationId, summary } = requireWrite(write).definition;
  const title = await titleOf(call, write);
  return [
    `Carry out ${operationId} (${summary})?`,
    ...(title === undefined ? [] : [`Title, which others may have written: ${JSON.stringify(title)}`]),
    `${write.path}: ${JSON.stringify(fitted(write.body as object, MOST_BODY_BYTES, false))}`,
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
 * cost more, or changes something for ever, before the quote is bound to its execution. A write that was accepted under the
 * Idempotency-Key isn't asked about again: its repetition sends nothing.
 * @throws ServiceError also what the write would be refused with
 */
export const requireConfirmed = async (call: ToolCall, id: Uuid, key: string): Promise<void> => {
  const { context, caller, confirm } = call;
  const { integrationId, keyId, rights } = caller;
  const quote = await findQuote(context.db, integrationId, id);
  if (!quote) return;
  const { method, path, most } = quote;
  requireRightsFor(caller, { method, path, body: undefined });
  const now = context.now();
  if (rights.confirmAbove === null || quote.body === null || quote.expiresAt <= now) return;
  if ((await findKey(context.db, { integrationId, key, now })).row) return;
  const write = { method, path, body: JSON.parse(quote.body) as unknown };
  const planned = await planWrite(context, { ...caller, requestKey: null }, write);
  const permanent = planned?.permanent ?? [];
  if (BigInt(most) <= BigInt(rights.confirmAbove) && permanent.length === 0) return;
  const question = await questionOf(call, write, most, permanent);
  confirm(await nameOf(question, id, keyId), question);
};

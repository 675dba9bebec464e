import type { NftUpdateResult } from "../../api/resources/token.ts";
import {
  BULK_GAS,
  BULK_UPDATES,
  mediaReference,
  type Override,
  updateGas,
  updateTokens,
} from "../../chain/contract/calls.ts";
import type { ContractToken } from "../../chain/contract/views.ts";
import { type CollectionTarget, placeOf, readableOf } from "../../collections/collection-target.ts";
import { requireCollection } from "../../collections/collections.ts";
import { isHidden } from "../../collections/public-collection.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { shownOf } from "../../db/queries/assets.ts";
import { codeIn, errorCodeOf, inFieldsOfApi } from "../../domain/contract-failures.ts";
import { invalidField, ServiceError, unsentConflict } from "../../domain/errors.ts";
import type { Failure } from "../../domain/failures.ts";
import type { Uuid } from "../../domain/ids.ts";
import { jsonBytes } from "../../domain/json-text.ts";
import { FORBIDDEN } from "../../domain/locks.ts";
import { packed, TRANSACTION_LIMITS } from "../../domain/packing.ts";
import type { TokenMetadata } from "../../domain/requests.ts";
import { stepName, topUpOf } from "../../domain/steps.ts";
import { parseTokenId } from "../../domain/token-ids.ts";
import { resolveEach } from "../../files/uploads/asset-url.ts";
import type { TransactionRecord } from "../../wallet/interface.ts";
import { type Effects, type KindResults, kindOf, type Operation, type Proposal } from "../kind.ts";
import { hasSucceeded, returned } from "../records.ts";
import { filesOf, pinning, releasing } from "./brought-files.ts";
import { OVERRIDE_BYTES } from "./nft-update.ts";

/** A change of one token. */
interface BulkUpdate {
  readonly token_id: string;
  readonly metadata?: TokenMetadata | null | undefined;
  readonly asset_uuid?: Uuid | null | undefined;
}

/** One token's change as the contract takes it. */
interface TokenChange {
  readonly tokenId: string;
  readonly changes: Override;
}

/** Changes of many tokens, as stored with their operation. */
interface NftUpdateBulkOperation extends CollectionTarget {
  readonly updates: readonly (TokenChange & { readonly gas: string })[];
  /** Number of updates of each transaction. */
  readonly groups: readonly number[];
  /** Results of tokens that are not sent, because the contract would refuse them, ascending by their place in the request. */
  readonly refused: readonly { readonly place: number; readonly result: NftUpdateResult }[];
}

/** Most different files by URL of one call: each is fetched before anything is sent. */
const MOST_URLS = 25;

/** What one call takes: its updates stand in the place of a transaction's actions. */
const CALL_LIMITS = {
  ...TRANSACTION_LIMITS,
  actions: BULK_UPDATES,
  gas: TRANSACTION_LIMITS.gas - BULK_GAS,
};

const failedResult = (tokenId: string, code: NftUpdateResult["code"], message: string): NftUpdateResult => ({
  token_id: tokenId,
  status: "failed",
  code,
  message,
});

/** Reads the tokens, at a node that shows the last mint, lock and reveal. */
const readAll = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  updates: readonly BulkUpdate[],
) => {
  const collection = await readableOf(context, caller, collectionUuid);
  const { collectionId, views } = collection;
  const own = updates.flatMap(({ token_id: id }) =>
    parseTokenId(id)?.collectionId === collectionId ? [id] : [],
  );
  const [tokens, shown] = await Promise.all([views.tokens(own), views.collection(collectionId)]);
  const known = new Map(tokens.flatMap((token) => (token ? [[token.token_id, token] as const] : [])));
  return { collection, known, hides: shown !== null && isHidden(shown) };
};

/** What tokens show that are to show an asset. @throws ServiceError not_found, conflict while the assets are hidden */
const assetOverrides = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  { updates, hides }: { readonly updates: readonly BulkUpdate[]; readonly hides: boolean },
): Promise<ReadonlyMap<Uuid, Override>> => {
  const wanted = new Set(updates.flatMap(({ asset_uuid: id }) => id ?? []));
  if (wanted.size === 0) return new Map();
  if (hides) {
    const message = "Reveal the collection first: while its assets are hidden, no NFT shows one of them.";
    throw unsentConflict(message);
  }
  const { collection } = await requireCollection(context, caller, collectionUuid);
  const shown = await shownOf(context.db, collection.draftId, [...wanted]);
  const found = new Map(
    shown.map(({ id, reference, subtitle, ...file }): [Uuid, Override] => [
      id,
      {
        media: mediaReference(file),
        reference: reference && mediaReference({ sha256: reference, rootSha256: null }),
        subtitle,
      },
    ]),
  );
  const missing = updates.flatMap(({ asset_uuid: id }, at) => (id && !found.has(id) ? [at] : []));
  if (missing.length === 0) return found;
  const issues = missing.map((at) => ({
    path: ["updates", at, "asset_uuid"],
    message: "The collection has no such asset.",
  }));
  throw new ServiceError("not_found", "The collection lacks assets that issues names.", {
    issues,
    outcome: "not_submitted",
  });
};

/** @throws ServiceError invalid_request */
const requireUsable = (updates: readonly BulkUpdate[]): void => {
  const urls = updates.flatMap(({ metadata }) =>
    [metadata?.asset_file_url ?? [], metadata?.reference_file_url ?? []].flat(),
  );
  if (new Set(urls).size > MOST_URLS)
    throw invalidField(
      ["updates"],
      `Name at most ${MOST_URLS} different files by URL in a call; asset_uuid names files that are here.`,
    );
  const empty = updates.findIndex(
    ({ metadata, asset_uuid: asset }) =>
      !asset && Object.values(metadata ?? {}).every((value) => value === undefined),
  );
  if (empty !== -1)
    throw invalidField(["updates", empty], "Send at least one field to change in addition to token_id.");
};

/** Why the contract would refuse a token's change; null: it wouldn't. */
const refusalOf = (tokenId: string, token: ContractToken | undefined): NftUpdateResult | null => {
  if (!token) return failedResult(tokenId, "not_found", "This collection has no such token.");
  if (!token.locks?.includes("metadata")) return null;
  return failedResult(tokenId, "conflict", FORBIDDEN.token);
};

/**
 * Proposes changes of many tokens. Tokens that the contract would refuse are found by its views, and get their result
 * without being sent.
 * @throws ServiceError not_found (assets), conflict (no token can be changed, hidden assets), invalid_request, asset_url_failed
 */
export const proposeNftUpdateBulk = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  updates: readonly BulkUpdate[],
): Promise<Proposal<"nft_update_bulk">> => {
  requireUsable(updates);
  const { collection, known, hides } = await readAll(context, caller, collectionUuid, updates);
  const assets = await assetOverrides(context, caller, collectionUuid, { updates, hides });
  const sent: { place: number; update: BulkUpdate }[] = [];
  const refused: { place: number; result: NftUpdateResult }[] = [];
  for (const [place, update] of updates.entries()) {
    const result = refusalOf(update.token_id, known.get(update.token_id));
    if (result) refused.push({ place, result });
    else sent.push({ place, update });
  }
  if (sent.length === 0) {
    const issues = refused.map(({ place, result }) => ({
      path: ["updates", place, "token_id"],
      message: result.message!,
    }));
    throw new ServiceError("conflict", "None of these tokens can be changed.", {
      issues,
      outcome: "not_submitted",
    });
  }
  const own = await resolveEach(
    context,
    caller,
    sent.map(({ place, update: { metadata } }) => [metadata ?? {}, ["updates", place, "metadata"]]),
  );
  const resolved = sent.map(({ update: { token_id: tokenId, asset_uuid: asset } }, at): TokenChange => {
    const changes = { ...(asset && assets.get(asset)), ...own[at]!.override };
    return { tokenId, changes };
  });
  const items = resolved.map((change) => sizeOf(change, known.get(change.tokenId)!));
  const request: NftUpdateBulkOperation = {
    ...placeOf(collection),
    updates: resolved.map((change, at) => ({ ...change, gas: items[at]!.gas.toString() })),
    groups: packed(items, CALL_LIMITS),
    refused,
  };
  const files = new Set(own.flatMap(({ files: some }) => some));
  return { kind: "nft_update_bulk", subjectId: collectionUuid, request, files: [...files] };
};

/** What a change takes of a transaction; the token's record is read and written again. */
const sizeOf = (change: TokenChange, { metadata }: ContractToken) => {
  const bytes = jsonBytes(change);
  return { gas: updateGas(bytes + jsonBytes(metadata)), bytes };
};

/** The steps, each one call: names that say which updates it has. */
const stepsOf = ({ groups }: NftUpdateBulkOperation): string[] => {
  let from = 0;
  return groups.map((count) => {
    from += count;
    return `update:${from - count}-${from}`;
  });
};

/** The updates of a step, by its name. */
const updatesOf = ({ updates }: NftUpdateBulkOperation, step: string) => {
  const [from, to] = step.slice("update:".length).split("-");
  return updates.slice(Number(from), Number(to));
};

/** Why tokens stay unchanged that no transaction was sent for. */
const UNSENT = { code: "conflict", message: "Nothing was sent for this NFT." } as const;

type Reason = Pick<Failure, "code" | "message">;

/**
 * The result of each token, in the sequence of the request: as the contract returned it, or why its transaction had no effect.
 * @param isTaken whether a step without a record of success took effect all the same
 */
const resultsOf = (
  request: NftUpdateBulkOperation,
  records: readonly TransactionRecord[],
  reason: Reason = UNSENT,
  isTaken: (step: string) => boolean = () => false,
): NftUpdateResult[] => {
  const results = stepsOf(request).flatMap((step) => {
    const record = records.filter(hasSucceeded).find(({ step: name }) => stepName(name) === step);
    const reasons = record && returned<(string | null)[]>(record);
    return updatesOf(request, step).map(({ tokenId }, at): NftUpdateResult => {
      if (!reasons && !isTaken(step)) return failedResult(tokenId, reason.code, reason.message);
      const refusal = reasons?.[at] ?? null;
      if (refusal === null) return { token_id: tokenId, status: "updated", code: null, message: null };
      return failedResult(tokenId, errorCodeOf(codeIn(refusal)), inFieldsOfApi(refusal));
    });
  });
  for (const { place, result } of request.refused) results.splice(place, 0, result);
  return results;
};

/** Whether one of the updates' own transactions succeeded, and not only a top-up. */
const hasBegun = (records: readonly TransactionRecord[]): boolean =>
  records.some((record) => hasSucceeded(record) && record.step.startsWith("update:"));

const digestsOf = (updates: readonly TokenChange[]): string[] => [
  ...new Set(updates.flatMap(({ changes }) => filesOf(changes))),
];

/** What was changed, with a result for each token. Files of tokens that stay as they are are dropped. */
const effectsOf = (
  context: ServiceContext,
  operation: Operation<NftUpdateBulkOperation>,
  records: readonly TransactionRecord[],
  results: readonly NftUpdateResult[],
): Effects<KindResults["nft_update_bulk"]> => {
  const { request } = operation;
  const done = new Set(results.flatMap(({ token_id: id, status }) => (status === "updated" ? [id] : [])));
  const updated = request.updates.filter(({ tokenId }) => done.has(tokenId));
  const kept = digestsOf(updated);
  // What couldn't be proven may have taken effect: tokens may show those files.
  const unproven = records
    .filter(({ state, step }) => state === "unknown" && topUpOf(step) === null)
    .flatMap(({ step }) => updatesOf(request, stepName(step)));
  const shown = digestsOf([...updated, ...unproven]);
  const dropped = digestsOf(request.updates).filter((digest) => !shown.includes(digest));
  const { statements, indexed } = pinning(context, operation, kept);
  return {
    status: 200,
    body: {
      message: "success",
      updated: updated.length,
      failed: results.length - updated.length,
      results: [...results],
      tx_results: records.filter(hasSucceeded).map(({ result }) => result),
    },
    statements,
    indexed: [...indexed, ...releasing(context, operation, dropped).indexed],
  };
};

/**
 * Calls of `nft_update_batch`, each as full as a transaction allows. A token that can't be changed keeps no other from being
 * changed: the contract's answer says what became of each. What is done stays done, and the rest is completed; where that is
 * impossible, the tokens of the other calls have its reason as their result.
 */
export const nftUpdateBulkKind = kindOf<NftUpdateBulkOperation, null, KindResults["nft_update_bulk"]>({
  facts: () => null,

  steps: stepsOf,

  storage: (request, step) => ({
    contract: request.contract,
    bytes: updatesOf(request, step).reduce(
      (sum, { changes }) => sum + OVERRIDE_BYTES + jsonBytes(changes),
      0,
    ),
  }),

  transaction: async (_context, { request }, step) => ({
    receiverId: request.contract,
    actions: [updateTokens(request.collectionId, updatesOf(request, step))],
  }),

  isCommitted: hasBegun,

  effects: async (context, operation, { records }) =>
    effectsOf(context, operation, records, resultsOf(operation.request, records)),

  partial: (context, operation, records, failure) => {
    // The operator knows that what couldn't be proven took effect.
    const isSettled = failure.outcome === "final";
    if (!isSettled && !hasBegun(records)) return null;
    const isTaken = (step: string) =>
      isSettled && records.some((one) => one.state === "unknown" && stepName(one.step) === step);
    const reason = isSettled ? UNSENT : failure;
    return effectsOf(context, operation, records, resultsOf(operation.request, records, reason, isTaken));
  },

  onFailure: (context, operation) => releasing(context, operation, digestsOf(operation.request.updates)),
});

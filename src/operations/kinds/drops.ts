import type { Drop } from "../../api/resources/drop.ts";
import { closeDrop, createDrop, type DropTerms, updateDrop } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import {
  type CollectionTarget,
  lookAt,
  placeOf,
  type ReadableCollection,
} from "../../collections/collection-target.ts";
import { copiesLeft, dropOf, noDrop, toDrop } from "../../collections/drops.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { MOST_LINKS } from "../../domain/claim-proofs.ts";
import { invalidField } from "../../domain/errors.ts";
import type { Failure } from "../../domain/failures.ts";
import type { Uuid } from "../../domain/ids.ts";
import { FORBIDDEN } from "../../domain/locks.ts";
import { BYTE_PRICE, promisedBytes } from "../../domain/promised-bytes.ts";
import { type KindResults, kindOf, type Proposal } from "../kind.ts";
import { unlessLocked } from "../locked.ts";
import { heightOf, returned, succeeded } from "../records.ts";

/** Changes of a drop. Absent fields are unchanged. */
export interface DropChanges {
  readonly links?: number;
  /** RFC 3339. */
  readonly expires_at?: string;
  /** yoctoNEAR that are added. */
  readonly reserve?: string;
  readonly issuer_public_key?: string;
  /** Numbers of links, from 0. */
  readonly revoke?: readonly number[];
}

/** A drop requested by a caller. */
export interface DropInput extends Omit<DropChanges, "revoke"> {
  readonly issuer_public_key: string;
  readonly links: number;
  readonly expires_at: string;
  readonly quantity: number;
}

interface DropCreation extends CollectionTarget {
  readonly drop: DropInput;
  /** Maximum bytes of its reserve. */
  readonly reserved: number;
}

interface DropUpdate extends CollectionTarget {
  readonly dropId: number;
  readonly changes: DropChanges;
  /** Maximum bytes added to its reserve. */
  readonly reserved: number;
}

interface DropClosing extends CollectionTarget {
  readonly dropId: number;
}

/** How far ahead a drop may end according to the contract: five years. Milliseconds. */
const FURTHEST_END_MS = 5 * 366 * 86_400_000;

/** The contract rejects an earlier end, because it would be one in seconds. */
const EARLIEST_END_MS = 1_000_000_000_000;

/**
 * How far ahead an end lies, milliseconds; negative if it is past.
 * @throws ServiceError invalid_request for an end that the contract would reject
 */
const requireEnd = ({ now }: ServiceContext, end: string): number => {
  const ahead = Date.parse(end) - now().getTime();
  if (ahead <= FURTHEST_END_MS && Date.parse(end) >= EARLIEST_END_MS) return ahead;
  throw invalidField(["expires_at"], "Send a time at most five years ahead, and not before September 2001.");
};

/**
 * Checks that the drop has the links that stay or are revoked. A lagging node shows fewer links: it never refuses a right
 * number of links, but it refuses to revoke a link that another isolate added seconds ago.
 * @throws ServiceError invalid_request
 */
const requireLinks = (drop: Drop, { links, revoke = [] }: DropChanges): void => {
  if (links !== undefined && links < drop.links)
    throw invalidField(
      ["links"],
      `Send at least ${drop.links}: the drop has that many. revoke ends single links.`,
    );
  const missing = links === undefined ? revoke.findIndex((link) => link >= drop.links) : -1;
  if (missing >= 0)
    throw invalidField(["revoke", missing], `Send numbers below ${drop.links}: the drop's links begin at 0.`);
};

/**
 * Proposes a drop.
 * @throws ServiceError invalid_request (expires_at), not_found, conflict (a lock)
 */
export const proposeDrop = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  drop: DropInput,
): Promise<Proposal<"drop_create">> => {
  if (requireEnd(context, drop.expires_at) <= 0)
    throw invalidField(["expires_at"], "Send a time in the future, at most five years ahead.");
  const { collection, found } = await lookAt(context, caller, collectionUuid, shownCollection);
  const tokens = Math.min(drop.links * drop.quantity, copiesLeft(found));
  const request: DropCreation = {
    ...placeOf(collection),
    drop,
    reserved: reservedFor(tokens * bytesOfToken(found), drop.reserve),
  };
  return {
    ...{ kind: "drop_create", subjectId: collectionUuid, request },
    ...unlessLocked(context, { id: collectionUuid, integrationId: caller.integrationId }, ["supply"], {
      message: FORBIDDEN.supply,
    }),
  };
};

/**
 * Proposes a change of a drop.
 * @throws ServiceError invalid_request (expires_at, links, revoke), conflict (a lock), and as `dropToChange`
 */
export const proposeDropUpdate = async (
  context: ServiceContext,
  caller: Caller,
  { collectionUuid, dropId }: { readonly collectionUuid: Uuid; readonly dropId: number },
  changes: DropChanges,
): Promise<Proposal<"drop_update">> => {
  if (changes.expires_at !== undefined) requireEnd(context, changes.expires_at);
  const { collection, drop } = await dropToChange(context, caller, collectionUuid, dropId);
  requireLinks(drop, changes);
  const { quantity, claimed, revoked, reserve } = drop;
  const { links, reserve: added = links === undefined ? "0" : undefined } = changes;
  const shown = await shownCollection(collection);
  const tokens = Math.min(((links ?? MOST_LINKS) - claimed - revoked) * quantity, copiesLeft(shown));
  const needed = Math.max(tokens * bytesOfToken(shown) - bytesFor(reserve), 0);
  const reserved = reservedFor(needed, added);
  const request: DropUpdate = { ...placeOf(collection), dropId, changes, reserved };
  const ended = changes.revoke?.length ?? 0;
  const permanent = ended === 0 ? [] : [`Ends ${ended} of the links of drop ${dropId} for ever.`];
  const names = (["links", "reserve"] as const).filter((name) => changes[name] !== undefined);
  const issues = names.map((name) => ({ path: [name], message: FORBIDDEN.supply }));
  return {
    ...{ kind: "drop_update", subjectId: collectionUuid, request, permanent },
    ...(names.length > 0 &&
      unlessLocked(context, { id: collectionUuid, integrationId: caller.integrationId }, ["supply"], {
        message: FORBIDDEN.supply,
        issues,
      })),
  };
};

/** Proposes to close a drop. @throws ServiceError as `dropToChange` */
export const proposeDropClosing = async (
  context: ServiceContext,
  caller: Caller,
  { collectionUuid, dropId }: { readonly collectionUuid: Uuid; readonly dropId: number },
): Promise<Proposal<"drop_close">> => {
  const { collection } = await dropToChange(context, caller, collectionUuid, dropId);
  const request: DropClosing = { ...placeOf(collection), dropId };
  const permanent = [`Closes drop ${dropId} for ever: none of its links gives NFTs any more.`];
  return { kind: "drop_close", subjectId: collectionUuid, request, permanent };
};

/** Reads a drop from a node. @throws ServiceError not_found, conflict, chain_unavailable */
const dropToChange = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  dropId: number,
): Promise<{ readonly collection: ReadableCollection; readonly drop: Drop }> => {
  const { collection, found: drop } = await lookAt(context, caller, collectionUuid, (at) =>
    dropOf(at, collectionUuid, dropId),
  );
  if (drop === null) throw noDrop();
  return { collection, drop };
};

const termsOf = ({ expires_at: end, links, reserve, issuer_public_key, revoke }: DropChanges): DropTerms => ({
  ...(end !== undefined && { expires_at_ms: Date.parse(end) }),
  ...(links !== undefined && { links }),
  ...(reserve !== undefined && { reserve }),
  ...(issuer_public_key !== undefined && { issuer_public_key }),
  ...(revoke !== undefined && { revoke }),
});

/** Maximum bytes of a drop's record, and of what revoked links add to it. */
const DROP_BYTES = 1_500;
const REVOKED_BYTES = 1_250;

const shownCollection = ({ views, collectionId }: ReadableCollection) => views.collection(collectionId);

/** Bytes that an amount of yoctoNEAR pays for. */
const bytesFor = (amount: string): number => Number(BigInt(amount) / BYTE_PRICE);

/** Maximum bytes to reserve for tokens. @param given yoctoNEAR, if set by the caller */
const reservedFor = (needed: number, given: string | undefined): number =>
  Math.min(needed, given === undefined ? Number.POSITIVE_INFINITY : bytesFor(given));

/** Bytes reserved per token; 0 if a lagging node doesn't have the collection yet. */
const bytesOfToken = (shown: Awaited<ReturnType<typeof shownCollection>>): number =>
  shown === null ? 0 : promisedBytes(shown);

/** The drop on the chain after a step; null if it was closed since. */
const shownDrop = async (
  context: ServiceContext,
  { contract, collectionId, subjectId, height }: CollectionTarget & { subjectId: Uuid; height: number },
  dropId: number,
) => {
  const views = contractViews(connectFor(context), contract, height);
  const [drop, shown] = await Promise.all([views.drop(dropId), views.collection(collectionId)]);
  return drop && toDrop(drop, { collectionUuid: subjectId, contract, shown });
};

const CLOSED: Failure = {
  code: "not_found",
  message: "The drop was created or changed, but has been closed since: there is nothing left to show.",
  outcome: "final",
  retryable: false,
};

/** One call of `drop_create`; a contract that can't pay for the reserve is topped up before the next attempt. */
export const dropCreateKind = kindOf<DropCreation, null, KindResults["drop_create"]>({
  facts: () => null,

  steps: () => ["create"],

  storage: ({ contract, reserved }) => ({ contract, bytes: DROP_BYTES, reserved }),

  transaction: async (_context, { request: { contract, collectionId, drop } }) => {
    const { issuer_public_key, quantity } = drop;
    const action = createDrop(collectionId, { ...termsOf(drop), issuer_public_key, quantity });
    return { receiverId: contract, actions: [action] };
  },

  effects: async (context, { request: { contract, collectionId }, subjectId }, { records }) => {
    const created = succeeded(records, "create");
    const place = { contract, collectionId, subjectId, height: heightOf(records) };
    const drop = await shownDrop(context, place, returned<number>(created));
    if (!drop) return { failure: CLOSED };
    return { status: 201, body: { message: "success", drop, tx_results: [created.result] }, statements: [] };
  },
});

/** More than any links can need: the contract takes what is needed. yoctoNEAR. */
const ALL = (2n ** 128n - 1n).toString();

/** One call of `drop_update`. */
export const dropUpdateKind = kindOf<DropUpdate, null, KindResults["drop_update"]>({
  facts: () => null,

  steps: () => ["update"],

  storage: ({ contract, reserved, changes }) => ({
    contract,
    bytes: DROP_BYTES + (changes.revoke ? REVOKED_BYTES : 0),
    reserved,
  }),

  transaction: async (_context, { request: { contract, dropId, changes } }) => ({
    receiverId: contract,
    // Like a new drop: additional links reserve what they can need.
    actions: [updateDrop(dropId, { ...(changes.links && { reserve: ALL }), ...termsOf(changes) })],
  }),

  effects: async (context, { request: { contract, collectionId, dropId }, subjectId }, { records }) => {
    const { result } = succeeded(records, "update");
    const place = { contract, collectionId, subjectId, height: heightOf(records) };
    const drop = await shownDrop(context, place, dropId);
    if (!drop) return { failure: CLOSED };
    return { status: 200, body: { message: "success", drop, tx_results: [result] }, statements: [] };
  },
});

/** One call of `drop_close`. */
export const dropCloseKind = kindOf<DropClosing, null, KindResults["drop_close"]>({
  facts: () => null,

  steps: () => ["close"],
  storage: null,

  transaction: async (_context, { request: { contract, dropId } }) => ({
    receiverId: contract,
    actions: [closeDrop(dropId)],
  }),

  effects: async (_context, { request: { dropId } }, { records }) => {
    const closed = succeeded(records, "close");
    const amount = returned<string>(closed);
    return {
      status: 200,
      body: { message: "success", drop_id: dropId, returned: amount, tx_results: [closed.result] },
      statements: [],
    };
  },
});

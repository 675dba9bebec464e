import { type Uuid, uuidFromBytes, uuidToBytes } from "./ids.ts";
import { jsonBytes } from "./json-text.ts";
import { KINDS, type OperationKind } from "./operations.ts";
import { tokenNumber } from "./token-ids.ts";

/** Types of events, as in docs/webhooks.md. */
export const EVENT_TYPES = [
  "operation.succeeded",
  "operation.failed",
  "operation.unknown",
  "collection.finalized",
  "collection.updated",
  "collection.locked",
  "collection.revealed",
  "collection.sold_out",
  "nft.minted",
  "nft.updated",
  "nft.transferred",
  "nft.burned",
  "claim.redeemed",
  "wallet.low",
  "wallet.topped_up",
  "database.filling",
  "webhook.disabled",
  "key.created",
  "key.rotated",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export type EventRun = readonly [type: EventType, count: number];

export type NumberRun = readonly [first: number, last: number];

/** The events of one batch of statements. */
export interface EventReport {
  readonly runs: readonly EventRun[];
  /** Numbers of the reported tokens, ascending. */
  readonly numbers?: readonly number[];
  /** The resource that the first run shows, where the operation's answer is too large to be read for it. */
  readonly data?: unknown;
}

/** The events of an operation that ended: its effects first, then `operation.*`. */
export const eventsOfOutcome = (
  kind: OperationKind,
  state: "succeeded" | "failed" | "unknown",
  body: unknown,
): EventReport => {
  if (state !== "succeeded") return { runs: [[`operation.${state}`, 1]] };
  const effects = effectsOf(kind, body);
  return { ...effects, runs: [...effects.runs, ["operation.succeeded", 1]] };
};

const effectsOf = (kind: OperationKind, body: unknown): EventReport => {
  const { event } = KINDS[kind];
  switch (event) {
    case null:
      return { runs: [] };
    case "nft.minted": {
      const { tokens } = body as { readonly tokens: readonly { readonly token_id: string }[] };
      const numbers = tokens.map(({ token_id: id }) => tokenNumber(id)).sort((a, b) => a - b);
      return { runs: tokens.length > 0 ? [[event, tokens.length]] : [], numbers };
    }
    case "nft.updated": {
      const { updated = 1 } = body as { readonly updated?: number };
      return { runs: updated > 0 ? [[event, updated]] : [] };
    }
    case "nft.transferred":
    case "nft.burned": {
      const { tokens } = body as { readonly tokens: readonly unknown[] };
      return { runs: tokens.length > 0 ? [[event, tokens.length]] : [] };
    }
    case "collection.finalized": {
      const { near_collection: data } = body as { readonly near_collection: unknown };
      return { runs: [[event, 1]], data };
    }
    default:
      return { runs: [[event, 1]] };
  }
};

export const numberRuns = (numbers: readonly number[]): NumberRun[] => {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs;
};

/** Numbers from one to another that are in none of some runs, at most `most` of them, ascending. */
export const numbersLeft = (from: number, to: number, runs: readonly NumberRun[], most: number): number[] => {
  const left: number[] = [];
  let next = from;
  for (const [first, last] of [...runs].sort((a, b) => a[0] - b[0])) {
    while (next < first && next <= to && left.length < most) left.push(next++);
    next = Math.max(next, last + 1);
  }
  while (next <= to && left.length < most) left.push(next++);
  return left;
};

export const countOf = (runs: readonly EventRun[]): number => runs.reduce((sum, [, count]) => sum + count, 0);

/** The uuid of an event: that of its row, with the event's index in the last two bytes, which are random in the row's. */
export const eventUuid = (row: Uuid, place: number): Uuid => {
  const bytes = Uint8Array.from(uuidToBytes(row));
  new DataView(bytes.buffer).setUint16(14, place);
  return uuidFromBytes(bytes);
};

/** Largest data of an event, bytes of JSON. */
export const MOST_DATA_BYTES = 20_000;

/** Largest field, in bytes, that is kept of data which is too large. */
const SMALL_FIELD_BYTES = 200;

/** An event's data: the resource or, if that is too large, its small fields with the path of the resource in `see`. */
export const fitting = (data: object, see: string): object => {
  if (jsonBytes(data) <= MOST_DATA_BYTES) return data;
  const small = Object.entries(data).filter(([, value]) => jsonBytes(value) <= SMALL_FIELD_BYTES);
  return { ...Object.fromEntries(small), see };
};

import { admin, bodyOf } from "./api.ts";

/** Sums over the recovery's calls. */
export interface Recovered {
  readonly operations: number;
  readonly idempotency_keys: number;
  readonly integrations: number;
  readonly contracts: number;
  readonly collections: number;
  readonly unrestored: readonly { readonly kind: string; readonly reason: string }[];
}

/** A recovery that found nothing to do. */
export const NOTHING: Recovered = {
  operations: 0,
  idempotency_keys: 0,
  integrations: 0,
  contracts: 0,
  collections: 0,
  unrestored: [],
};

interface Call extends Recovered {
  readonly next: string | null;
}

/** Recovers the database as the operator's terminal does: repeats until nothing is left. */
export const recoverDatabase = async (): Promise<Recovered> => {
  const calls: Call[] = [];
  for (let cursor: string | null = null; ; ) {
    const call: Call = await bodyOf(await admin("/database/recover", { json: { cursor } }), 200);
    calls.push(call);
    cursor = call.next;
    if (cursor === null) break;
  }
  const sum = (count: (call: Call) => number) => calls.reduce((total, call) => total + count(call), 0);
  return {
    operations: sum((call) => call.operations),
    idempotency_keys: sum((call) => call.idempotency_keys),
    integrations: sum((call) => call.integrations),
    contracts: sum((call) => call.contracts),
    collections: sum((call) => call.collections),
    unrestored: calls.flatMap(({ unrestored }) => unrestored),
  };
};

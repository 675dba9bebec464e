import type { ServiceContext } from "../../context.ts";
import { setBounded } from "../../domain/bounded-map.ts";
import type { Uuid } from "../../domain/ids.ts";
import { pause } from "../../waiting.ts";
import type { Acknowledgement, Wallet } from "../../wallet/interface.ts";

/**
 * How long the acknowledgements of one wallet are collected. Short compared to the three seconds after which its alarm
 * resumes an unacknowledged operation. Milliseconds.
 */
const GATHERED_MS = 50;

/** The collecting request may have been cancelled: after this time the next one replaces it. Milliseconds. */
const CUT_OFF_MS = 1_000;

/** Acknowledgements per call. Each has up to 64 kB of a response, and a call accepts 32 MiB (Workers RPC, "Limits"). */
const MOST_AT_ONCE = 100;

interface Gathering {
  readonly since: number;
  readonly acknowledgements: Acknowledgement[];
}

/**
 * Per isolate, by the wallet's name. The entry of a cancelled request stays until its wallet's next one, or is evicted
 * as the oldest.
 */
const gatherings = new Map<string, Gathering>();
const MOST_GATHERINGS = 1_000;

/**
 * Acknowledges to a wallet, after the response, that an operation's effects are written, batched with others that end
 * at the same time. A failed call is logged, and the wallet's alarm resumes the operation.
 */
export const acknowledgeSoon = (
  { log, waitUntil }: Pick<ServiceContext, "log" | "waitUntil">,
  wallet: Pick<Wallet, "acknowledgeAll">,
  name: Uuid | "platform",
  acknowledgement: Acknowledgement,
): void => {
  const now = Date.now();
  const others = gatherings.get(name);
  if (others && now - others.since < CUT_OFF_MS) {
    others.acknowledgements.push(acknowledgement);
    return;
  }
  const gathering = { since: now, acknowledgements: [...(others?.acknowledgements ?? []), acknowledgement] };
  setBounded(gatherings, MOST_GATHERINGS, name, gathering);
  const deliver = async (): Promise<void> => {
    await pause(GATHERED_MS);
    if (gatherings.get(name) === gathering) gatherings.delete(name);
    const { acknowledgements } = gathering;
    for (let from = 0; from < acknowledgements.length; from += MOST_AT_ONCE) {
      const some = acknowledgements.slice(from, from + MOST_AT_ONCE);
      await wallet.acknowledgeAll(some).catch((error: unknown) => {
        for (const { operationUuid } of some)
          log("operation.unacknowledged", { operation_uuid: operationUuid, error });
      });
    }
  };
  waitUntil(deliver());
};

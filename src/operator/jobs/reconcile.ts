import { workOutPages } from "../../collections/traits.ts";
import type { ServiceContext } from "../../context.ts";
import { HAS_WALLET, integrationIds, staleLedgers } from "../../db/queries/integrations.ts";
import { readSweep, writeSweep } from "../../db/queries/sweeps.ts";
import { isUnanswered } from "../../db/statements.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import type { Uuid } from "../../domain/ids.ts";
import { inTime, within } from "../../waiting.ts";
import { walletOf } from "../../wallet/client.ts";
import { archiveOldOperations } from "./archiving.ts";
import { compareWithChain } from "./chain-comparison.ts";
import { cleanUp, forgetDeleted, forgetExpiredKeys, forgetOldAudit, tidyLedgers } from "./clean-up.ts";
import { watchForOperator, watchWallets } from "./operator-watch.ts";
import { continuePinning } from "./pinning.ts";
import { revealDue } from "./reveals.ts";
import { keepStatistics } from "./statistics.ts";
import { releaseUnaccepted } from "./unaccepted.ts";
import { tellUntold, wakeForgotten } from "./webhooks.ts";

export const SCHEDULE = "schedule";

/** Ledgers with operations that have been open for this long are woken: their requests and alarms had their time. Milliseconds. */
const STALE_MS = 45_000;

/** Ledgers of one run: such ones, and of all; how many at once, and how long each is waited for. Milliseconds. */
const MOST_STALE = 600;
const SOME = 50;
const AT_ONCE = 10;
const WAKE_MS = 15_000;
const WOKEN = "woken_ledgers";

/** How long a run waits for them; slower ones continue. Milliseconds. */
const LOOK_MS = 20_000;

/** A run starts nothing new after this time, so that it ends before the next. Milliseconds. */
const RUN_MS = 40_000;

/** The job of every minute. Parts are bounded, continue where they stopped, and do no harm if two run or one fails. */
export const reconcile = async (context: ServiceContext): Promise<void> => {
  const until = context.now().getTime() + RUN_MS;
  const parts: readonly [string, () => Promise<unknown>][] = [
    ["ledgers", () => wakeLedgers(context, until)],
    ["unaccepted", () => releaseUnaccepted(context)],
    ["chain", () => compareWithChain(context, until)],
    ["idempotency_keys", () => forgetExpiredKeys(context)],
    ["blobs", () => cleanUp(context)],
    ["wallets", () => watchWallets(context)],
    ["operator", () => watchForOperator(context)],
    ["archive", () => archiveOldOperations(context)],
    ["tidying", () => tidyLedgers(context)],
    ["audit", () => forgetOldAudit(context)],
    ["deleted", () => forgetDeleted(context)],
    ["events", () => tellUntold(context)],
    ["webhooks", () => wakeForgotten(context)],
    ["pinning", () => continuePinning(context)],
    ["reveals", () => revealDue(context)],
    ["traits", () => workOutPages(context)],
    ["statistics", () => keepStatistics(context)],
    ["schedule", () => writeSweep(context.db, SCHEDULE, null, context.now())],
  ];
  for (const [part, work] of parts) {
    try {
      await work();
    } catch (error) {
      context.log("reconcile.failed", { part, error });
      // A database that doesn't answer would hold each part up to its deadline, beyond the next run.
      if (isUnanswered(error) && context.now().getTime() > until) return;
    }
    checkpoint(`reconcile.${part}`);
  }
};

/** The ledgers that were woken last. */
let lastWoken: readonly Uuid[] = [];

const ledgersToWake = async ({ db, now }: ServiceContext): Promise<Uuid[]> => {
  const after = (await readSweep(db, WOKEN)) as Uuid | null;
  const [stale, some] = await Promise.all([
    staleLedgers(db, new Date(now().getTime() - STALE_MS), MOST_STALE),
    integrationIds(db, { which: HAS_WALLET, after }, SOME),
  ]);
  await writeSweep(db, WOKEN, some.length < SOME ? null : some.at(-1)!, now());
  return [...stale, ...some];
};

/**
 * Wakes ledgers whose operations have been open for a while, and a few of all: the platform may never run an object's alarm.
 * Each does what is overdue, checks what couldn't be proven, and brings D1 up to date.
 */
const wakeLedgers = async (context: ServiceContext, until: number): Promise<void> => {
  const { env, now, log } = context;
  try {
    lastWoken = await ledgersToWake(context);
  } catch (error) {
    // While D1 is unavailable ledgers continue, and their alarms may still be lost.
    log("reconcile.failed", { part: "ledgers", error });
  }
  const names = new Set<Uuid | "platform">(["platform", ...lastWoken]).values();
  const worker = async () => {
    for (const name of names) {
      if (now().getTime() > until) return;
      try {
        await within(WAKE_MS, walletOf(env, name).reconcile());
      } catch (error) {
        log("reconcile.ledger_failed", { ledger: name, error });
      }
    }
  };
  await inTime(context, Promise.all(Array.from({ length: AT_ONCE }, worker)), LOOK_MS);
};

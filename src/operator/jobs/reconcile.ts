import { workOutPages } from "../../collections/traits.ts";
import type { ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { type StaleOperation, staleOperations, touchOperation } from "../../db/queries/operations.ts";
import { writeSweep } from "../../db/queries/sweeps.ts";
import { nextStaleInTurn } from "../../db/queries/turns.ts";
import { isUnanswered } from "../../db/statements.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { walletFor, walletName } from "../../operations/registry.ts";
import { inTime } from "../../waiting.ts";
import { archiveOldOperations } from "./archiving.ts";
import { compareWithChain } from "./chain-comparison.ts";
import {
  cleanUp,
  forgetDeleted,
  forgetExpiredKeys,
  forgetExpiredQuotes,
  forgetOldAudit,
  forgetOldEvents,
} from "./clean-up.ts";
import { isSoundLately, watchDatabase } from "./database-age.ts";
import { watchForOperator, watchWallets } from "./operator-watch.ts";
import { continuePinning } from "./pinning.ts";
import { revealDue } from "./reveals.ts";
import { keepStatistics } from "./statistics.ts";
import { wakeForgotten } from "./webhooks.ts";

export const SCHEDULE = "schedule";

/** Operations untouched for this long are continued here: their requests and alarms had their time. Milliseconds. */
const STALE_MS = 45_000;

/** Operations of one run, and how many of them at once: each asks its wallet, which is another machine. */
const MAX_OPERATIONS = 600;
const AT_ONCE = 4;

/** How long a run waits for one operation. Milliseconds. */
const RESUME_MS = 15_000;

/** How long a run submits steps to wallets before it waits for any of them. Milliseconds. */
const HAND_OVER_MS = 20_000;

/** How long a run waits at its end for the wallets' checks of unknown rows; slower ones continue. Milliseconds. */
const LOOK_MS = 10_000;

/** A run starts nothing new after this time, so that it ends before the next. Milliseconds. */
const RUN_MS = 40_000;

/** The job of every minute. Parts are bounded, continue where they stopped, and do no harm if two run or one fails. */
export const reconcile = async (context: ServiceContext): Promise<void> => {
  const until = context.now().getTime() + RUN_MS;
  const parts: readonly [string, () => Promise<unknown>][] = [
    ["database", () => watchDatabase(context)],
    ["operations", () => finishOperations(context, until)],
    ["chain", () => compareWithChain(context, until)],
    ["idempotency_keys", () => forgetExpiredKeys(context)],
    ["quotes", () => forgetExpiredQuotes(context)],
    ["blobs", () => collectUnlessOlder(context)],
    ["wallets", () => watchWallets(context)],
    ["operator", () => watchForOperator(context)],
    ["archive", () => archiveOldOperations(context)],
    ["events", () => forgetOldEvents(context)],
    ["audit", () => forgetOldAudit(context)],
    ["deleted", () => forgetDeleted(context)],
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

/** A rolled-back database has lost references to files: none is deleted until it is recovered. */
const collectUnlessOlder = async (context: ServiceContext): Promise<void> => {
  if (await isSoundLately(context)) await cleanUp(context);
};

/**
 * Continues stale operations, the oldest first, while their wallets check what can't be proven, which takes long if nodes are
 * down. Each is first handed to its wallet, whose alarm resumes what this run doesn't wait for: hundreds may be stale after a
 * failure of the runtime. Then as many as time allows are awaited, each followed by the next in its turn.
 */
const finishOperations = async (context: ServiceContext, until: number): Promise<void> => {
  const before = new Date(context.now().getTime() - STALE_MS);
  const stale = await staleOperations(context.db, before, MAX_OPERATIONS);
  const wallets = new Map(stale.map((operation) => [walletName(operation), operation]));
  const looks = eachOf(wallets.values(), until, context, async (operation) => {
    await walletFor(context, operation).reconcile();
  });
  const handedOver: StaleOperation[] = [];
  const handOverUntil = Math.min(context.now().getTime() + HAND_OVER_MS, until);
  await eachOf(stale.values(), handOverUntil, context, async (operation) => {
    handedOver.push(operation);
    // Mark it as checked first, so that one that can't be finished doesn't block the others.
    await touchOperation(ledgerOf(context, operation.integrationId), operation.id, context.now());
    await walletFor(context, operation).resume(operation.id, 0);
  });
  await eachOf(handedOver.values(), until, context, async (first) => {
    await walletFor(context, first).resume(first.id, RESUME_MS);
    let operation = await nextStaleInTurn(ledgerOf(context, first.integrationId), first, before);
    while (operation && context.now().getTime() <= until) {
      await touchOperation(ledgerOf(context, operation.integrationId), operation.id, context.now());
      await walletFor(context, operation).resume(operation.id, RESUME_MS);
      operation = await nextStaleInTurn(ledgerOf(context, operation.integrationId), operation, before);
    }
  });
  await inTime(context, looks, LOOK_MS);
};

/** Does a piece of work for each operation, a few at once, while there is time; a failure is that operation's alone. */
const eachOf = async (
  operations: Iterator<StaleOperation> & Iterable<StaleOperation>,
  until: number,
  context: ServiceContext,
  work: (operation: StaleOperation) => Promise<void>,
): Promise<void> => {
  const worker = async () => {
    for (const operation of operations) {
      if (context.now().getTime() > until) return;
      try {
        await work(operation);
      } catch (error) {
        context.log("reconcile.operation_failed", {
          operation_uuid: operation.id,
          error,
        });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
};

import type { AdminClient } from "../../client/src/admin.ts";
import type { Rotation } from "../../client/src/index.ts";

/**
 * Each call does a bounded part of the wallets, webhooks and hidden collections: repeated until nothing remains, or all that remains
 * has failed. A failing wallet doesn't end it, since others wait behind it.
 */
export async function rotateAll(admin: AdminClient): Promise<Rotation> {
  const resealed: string[] = [];
  const failed = new Map<string, Rotation["failed"][number]>();
  let webhooks: PartRotated = { resealed: 0, failed: [], remaining: 0 };
  let reveals: PartRotated = webhooks;
  for (;;) {
    const step = await admin.secrets.rotate();
    webhooks = withStep(webhooks, step.webhooks);
    reveals = withStep(reveals, step.reveals);
    const isNew = step.failed.some(({ integration_uuid: uuid }) => !failed.has(uuid));
    for (const failure of step.failed) failed.set(failure.integration_uuid, failure);
    for (const uuid of step.resealed) failed.delete(uuid);
    resealed.push(...step.resealed);
    const moved = step.resealed.length > 0 || isNew;
    const isDone = failed.size >= step.remaining || !moved;
    const areOthersDone = [step.webhooks, step.reveals].every(
      (part) => part.resealed === 0 || part.remaining === 0,
    );
    if (isDone && areOthersDone)
      return { ...step, resealed, failed: [...failed.values()], webhooks, reveals };
  }
}

type PartRotated = Rotation["webhooks"];

/** What all calls did to webhooks' secrets, or to orders of hidden assets: those that fail are tried again by later calls. */
const withStep = (before: PartRotated, step: PartRotated): PartRotated => ({
  resealed: before.resealed + step.resealed,
  failed: [...new Set([...before.failed, ...step.failed])],
  remaining: step.remaining,
});

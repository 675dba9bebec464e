import type { ServiceContext } from "../context.ts";
import { insertEvents } from "../db/queries/events.ts";
import { readyWallets, sawWallet, wasSeen } from "../db/queries/integrations.ts";
import { insertOperatorEvent } from "../db/queries/operator-events.ts";
import { readSweep, writeSweep } from "../db/queries/sweeps.ts";
import type { Statement } from "../db/statements.ts";
import type { Uuid } from "../domain/ids.ts";
import { LOW, toldByLook, type WalletSeen } from "../domain/wallet-watch.ts";
import { walletOf } from "../wallet/client.ts";

const SWEEP = "wallets";

/** Wallets that one run looks at: each is an object to be asked, which asks the chain. */
const WALLETS = 20;

/** Looks at some wallets a run, and tells which run low and which were topped up. One that can't be read is left for later. */
export const watchWallets = async (context: ServiceContext): Promise<void> => {
  const { db, now } = context;
  const after = (await readSweep(db, SWEEP)) as Uuid | null;
  const found = await readyWallets(db, after, WALLETS);
  await Promise.all(found.map((row) => look(context, row)));
  await writeSweep(db, SWEEP, found.length < WALLETS ? null : (found.at(-1)?.id ?? null), now());
};

const look = async (
  context: ServiceContext,
  { id, seen }: { readonly id: Uuid; readonly seen: WalletSeen | null },
): Promise<void> => {
  const { db, env, settings, now } = context;
  const { accountId, state, balance, available, spentPerDay, queued, open } = await walletOf(
    env,
    id,
  ).status();
  // Gas that comes back from what is on its way isn't money that somebody sent.
  if (balance === null || available === null || available === undefined || queued + open > 0) return;
  const low = BigInt(available) < LOW;
  const current: WalletSeen = {
    balance,
    low,
    available,
    ...(spentPerDay !== undefined && { perDay: spentPerDay }),
  };
  if (JSON.stringify(seen) === JSON.stringify(current)) return;
  const data = { account_id: accountId, state, balance, available, queued };
  const toldOperator = (about: object) => {
    const event = { type: "wallet.low", data: about, at: now() } as const;
    return insertOperatorEvent(db, settings.OPERATOR_INTEGRATION, event, wasSeen(id, seen));
  };
  const told = toldByLook(seen, current).flatMap((type) => [
    insertEvents(db, { integrationId: id, runs: [[type, 1]], data, at: now() }, wasSeen(id, seen)),
    ...(type === "wallet.low" ? toldOperator({ integration_uuid: id, ...data }) : []),
  ]);
  // Two runs may look at once: the second finds that the first has told.
  await db.batch([...told, sawWallet(db, id, seen, current)] as unknown as [Statement, ...Statement[]]);
};

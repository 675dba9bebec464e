import type { ServiceContext } from "../context.ts";
import { integrationsAfter, type WalletName } from "../db/queries/recovery.ts";
import { unknownCursor } from "../domain/cursors.ts";
import { isUuid } from "../domain/ids.ts";
import { OPERATION_KINDS } from "../domain/operations.ts";
import type { Recovery } from "../resources/recovery.ts";
import { type Account, recoverWallet, type Unrestored } from "./wallet-recovery.ts";

/** A call starts nothing new after this time; the caller continues with the next. Milliseconds. */
const CALL_MS = 15_000;
/** Wallets that are looked at between two looks at the clock. */
const PAGE = 50;

/**
 * Restores what a rolled-back database has lost, as far as the wallets' journals, the chain and R2 know it
 * (docs/running.md, "Rolling the database back"). The platform's wallet comes first, because integrations and
 * contracts are put back from its journal. Safe to repeat; with nothing lost it changes nothing.
 * @param cursor `next` of the call before; null begins
 * @throws ServiceError invalid_request (cursor); ChainUnavailableError
 */
export const recoverDatabase = async (context: ServiceContext, cursor: string | null): Promise<Recovery> => {
  const account: Account = {
    putBack: Object.fromEntries(OPERATION_KINDS.map((kind) => [kind, 0])) as Account["putBack"],
    keys: 0,
    unrestored: [],
  };
  const until = context.now().getTime() + CALL_MS;
  let wallets = 0;
  for await (const name of walletsFrom(context, nameOf(cursor))) {
    const isLate = context.now().getTime() >= until;
    if (isLate || !(await recoverWallet(context, name, account, until))) {
      return viewOf(account, wallets, name);
    }
    wallets++;
  }
  return viewOf(account, wallets, null);
};

/** The wallets from one on: the platform's, then the integrations' by their ids. */
async function* walletsFrom(context: ServiceContext, first: WalletName): AsyncGenerator<WalletName> {
  yield first;
  let after = first === "platform" ? null : first;
  for (;;) {
    const page = await integrationsAfter(context.db, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return;
    after = last;
  }
}

const nameOf = (cursor: string | null): WalletName => {
  if (cursor === null || cursor === "platform") return "platform";
  if (!isUuid(cursor)) throw unknownCursor();
  return cursor;
};

const viewOf = ({ putBack, keys, unrestored }: Account, wallets: number, next: string | null): Recovery => ({
  next,
  wallets,
  operations: Object.values(putBack).reduce((sum, count) => sum + count, 0),
  idempotency_keys: keys,
  integrations: putBack.wallet_create,
  contracts: putBack.contract_deploy,
  collections: putBack.finalize,
  unrestored: unrestored.map(unrestoredView),
});

const unrestoredView = ({ operation, reason }: Unrestored): Recovery["unrestored"][number] => ({
  operation_uuid: operation.operationUuid,
  integration_uuid: operation.integrationUuid,
  kind: operation.kind,
  subject_uuid: operation.subjectUuid,
  reason,
});

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { MintageClient, PayoutAnswer, Quote } from "../../client/src/index.ts";
import { beginFile } from "../begun-file.ts";
import { readJson, stateOf, UsageError } from "../command.ts";
import { nearText } from "../launch/prices.ts";
import { hadNoEffect, isRefusal } from "../no-effect.ts";

/** A payout that was agreed to, kept until it is known what became of it. */
interface SentPayout {
  /** Its Idempotency-Key and its `reference`. */
  readonly payout: string;
  /** As the API takes it. */
  readonly amount: string;
  /** Account of the token that it is in; absent: NEAR. */
  readonly currency?: string;
  /** yoctoNEAR that it may cost. */
  readonly at_most: string;
}

/** Where payouts are asked for. */
export interface PayingWallet {
  readonly client: MintageClient;
  readonly baseUrl: string;
  readonly walletId: string;
}

const folder = (): string => join(stateOf(), "payouts");

/** The file of a wallet's payout, one for each service. */
const fileOf = ({ baseUrl, walletId }: PayingWallet): string =>
  join(folder(), `${new URL(baseUrl).host.replaceAll(/[^a-z0-9.-]/gi, "_")}.${walletId}.json`);

const readSent = (file: string): SentPayout | null => (existsSync(file) ? readJson<SentPayout>(file) : null);

/** What is to be paid. */
interface Wanted {
  readonly amount: string;
  readonly currency?: string | undefined;
}

/** What a payout is called in a command. */
const nameOf = ({ amount, currency }: Wanted): string => {
  if (currency !== undefined) return `${amount} --currency ${currency}`;
  return /^\d/.test(amount) ? nearText(amount).replace(" NEAR", "") : amount;
};

const confirmed = ({ amount, currency }: Wanted) =>
  currency === undefined ? (amount === "all" ? { confirm: true } : {}) : { currency };

/**
 * What became of the payout that an earlier run sent without learning it; null if there is none. The service knows it by
 * its reference, for as long as it keeps operations. One that it doesn't know is sent under the same Idempotency-Key.
 * @throws UsageError if another amount was sent then
 */
export async function earlierPayout(wallet: PayingWallet, wanted: Wanted): Promise<PayoutAnswer | null> {
  const file = fileOf(wallet);
  const sent = readSent(file);
  if (sent === null) return null;
  if (sent.amount !== wanted.amount || sent.currency !== wanted.currency) {
    throw new UsageError(
      `An earlier run sent a payout of ${nameOf(sent)} and didn't learn what became of it. Run npm run payout -- ${nameOf(sent)} first: it is paid once.`,
    );
  }
  const { operations } = wallet.client;
  return untilKnown(file, async () => {
    for await (const { operation_uuid: uuid } of operations.list({ reference: sent.payout }))
      return operations.wait<PayoutAnswer>(uuid);
    return send(wallet, sent, { maxCost: sent.at_most });
  });
}

/** A payout to be: what its quote and its request have in common. */
export const newPayout = (wanted: Wanted) => ({
  amount: wanted.amount,
  ...confirmed(wanted),
  reference: `payout-${randomUUID()}`,
});

/** Sends a payout that was agreed to. @throws UsageError if another run has begun one meanwhile */
export async function payOut(
  wallet: PayingWallet,
  { reference, ...wanted }: Wanted & { readonly reference: string },
  { quote_uuid: quote, cost }: Quote,
): Promise<PayoutAnswer> {
  const file = fileOf(wallet);
  const { amount, currency } = wanted;
  const sent = { payout: reference, amount, ...(currency && { currency }), at_most: cost.at_most };
  mkdirSync(folder(), { recursive: true });
  if (!beginFile(file, `${JSON.stringify(sent)}\n`))
    throw new UsageError("Another run pays out. Run it again once that has ended.");
  return untilKnown(file, () => send(wallet, sent, { quote }));
}

const send = (
  { client }: PayingWallet,
  { payout, ...sent }: SentPayout,
  limit: { readonly quote: string } | { readonly maxCost: string },
): Promise<PayoutAnswer> =>
  client.wallet.payOut(sent.amount, {
    ...confirmed(sent),
    ...limit,
    idempotencyKey: payout,
    reference: payout,
  });

/** Forgets a payout once its answer says what became of it. */
async function untilKnown(file: string, ask: () => Promise<PayoutAnswer>): Promise<PayoutAnswer> {
  try {
    const paid = await ask();
    rmSync(file, { force: true });
    return paid;
  } catch (error) {
    if (hadNoEffect(error) || isRefusal(error)) rmSync(file, { force: true });
    throw error;
  }
}

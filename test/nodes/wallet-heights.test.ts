import { afterEach, expect, test } from "vitest";
import { chainCall, setFaults } from "../support/chain-control.ts";
import { carriedOut, createReceiver, createWallet, payment } from "../support/own-wallets.ts";

/** The height from which a transaction's effects show, if nodes don't show its blocks. */

afterEach(() => setFaults());

interface Outcome {
  readonly block_hash: string;
}

/** Height of the last block in which a part of a transaction was executed, by a node without faults. */
const executedBy = async (tx_hash: string, sender_account_id: string): Promise<number> => {
  const { receipts_outcome } = await chainCall<{ receipts_outcome: Outcome[] }>(
    "tx",
    { tx_hash, sender_account_id, wait_until: "FINAL" },
    "/other",
  );
  const heights = receipts_outcome.map(async ({ block_hash }) => {
    const { header } = await chainCall<{ header: { height: number } }>(
      "block",
      { block_id: block_hash },
      "/other",
    );
    return header.height;
  });
  return Math.max(...(await Promise.all(heights)));
};

test.each([2, 4, 9])(
  "a node that reports FINAL but shows only blocks up to %i below doesn't lower the height",
  async (blocks) => {
    const receiver = await createReceiver();
    await setFaults({ kind: "lag", methods: ["block"], blocks, node: "/" });
    const { wallet, accountId } = await createWallet();
    const { height, result } = await carriedOut(wallet, payment(receiver));
    await setFaults();
    expect(height).toBeGreaterThanOrEqual(await executedBy(result!.transaction_hash, accountId));
  },
);

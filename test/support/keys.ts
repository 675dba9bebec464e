import { keyFromSeed, publicKeyText, signTransaction } from "../../src/chain/transaction.ts";
import type { Action } from "../../src/wallet/interface.ts";
import { chainCall } from "./chain-control.ts";

/** A key that a test signs with, as a person or another program would. */
export interface TestKey {
  readonly publicKey: Uint8Array;
  /** The public key as NEAR writes it. */
  readonly text: string;
  /**
   * Sends a transaction of an account that has the key, by another node than the service's, and waits until it is final.
   * @param nonce by default the key's next @returns its status
   */
  send(signerId: string, receiverId: string, actions: readonly Action[], nonce?: bigint): Promise<object>;
}

/** A key by its seed of 32 bytes; by default a new one. */
export const keyOf = (seed: Uint8Array = crypto.getRandomValues(new Uint8Array(32))): TestKey => {
  const key = keyFromSeed(seed);
  const text = publicKeyText(key.publicKey);
  const nextNonce = async (account_id: string): Promise<bigint> => {
    const asked = { request_type: "view_access_key", finality: "optimistic", account_id, public_key: text };
    return BigInt((await chainCall<{ nonce: number }>("query", asked, "/other")).nonce) + 1n;
  };
  return {
    publicKey: key.publicKey,
    text,
    async send(signerId, receiverId, actions, nonce) {
      const { header } = await chainCall<{ header: { hash: string } }>(
        "block",
        { finality: "final" },
        "/other",
      );
      const { bytes } = signTransaction({
        ...{ signerId, key, receiverId, actions, blockHash: header.hash },
        nonce: nonce ?? (await nextNonce(signerId)),
      });
      const signed_tx_base64 = Buffer.from(bytes).toString("base64");
      const sent = { signed_tx_base64, wait_until: "FINAL" };
      return (await chainCall<{ status: object }>("send_tx", sent, "/other")).status;
    },
  };
};

import { env } from "cloudflare:workers";
import { type Action, carriedOut, intent, walletOf } from "./own-wallets.ts";

/** Sends a transaction from one of the service's wallets and waits until it succeeds. Returns the last call's result. */
export async function sendFrom(
  from: string,
  receiverId: string,
  actions: readonly Action[],
): Promise<string> {
  const wallet = walletOf(from);
  const record = await carriedOut(wallet, intent(actions, receiverId));
  if (record.state !== "succeeded") throw new Error(`it ended as ${record.state}`);
  await wallet.acknowledge(record.operationUuid);
  return new TextDecoder().decode(record.value ?? undefined);
}

/** Sends NEAR from a wallet. yoctoNEAR. */
export const pay = async (from: string, receiverId: string, amount: bigint): Promise<void> => {
  await sendFrom(from, receiverId, [{ kind: "transfer", deposit: amount.toString() }]);
};

/** Spends a wallet's money until little more is left than its storage needs. */
export async function drain(from: string, left = 10n ** 22n): Promise<void> {
  const { balance } = await walletOf(from).status();
  await pay(from, env.PLATFORM_ACCOUNT_ID, BigInt(balance ?? "0") - left);
}

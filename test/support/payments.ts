import { env } from "cloudflare:workers";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import { walletOf } from "../../src/wallet/client.ts";

/** Sends NEAR from a wallet that the service holds, and waits for finality. yoctoNEAR. */
export async function pay(from: string, receiverId: string, amount: bigint): Promise<void> {
  const wallet = walletOf(env, from as Uuid | "platform");
  const operationUuid = newUuid();
  const answer = await wallet.submit({
    operationUuid,
    step: "pay",
    fairnessKey: "test",
    receiverId,
    actions: [{ kind: "transfer", deposit: amount.toString() }],
  });
  if (answer.status !== "accepted") throw new Error(`the payment was refused: ${JSON.stringify(answer)}`);
  const [record] = await wallet.settled(operationUuid, 60_000);
  if (record?.state !== "succeeded") throw new Error(`the payment ended as ${record?.state}`);
  await wallet.acknowledge(operationUuid);
}

/** Leaves a wallet with little more than its own storage needs. */
export async function drain(from: string, left = 10n ** 22n): Promise<void> {
  const { balance } = await walletOf(env, from as Uuid).status();
  await pay(from, env.PLATFORM_ACCOUNT_ID, BigInt(balance ?? "0") - left);
}

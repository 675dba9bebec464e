import { env } from "cloudflare:workers";
import { rpc } from "./chain.ts";

/** The node that the service asks. Tests ask other nodes of the network, which have no faults. */
export const SERVICES_NODE = "/";

/** Calls the embedded chain of this test file. Paths stand for different nodes of it. */
export const chainCall = <T>(method: string, params: unknown, node = "/"): Promise<T> =>
  rpc<T>(new URL(node, env.NEAR_RPC_URL).href, method, params);

/** Sets the faults of the embedded chain (docs/devchain.md); none by default. */
export const setFaults = (...rules: readonly Readonly<Record<string, unknown>>[]): Promise<unknown> =>
  chainCall("devchain_faults", { set: rules, seed: 1 });

/** Sets the gas price, in multiples of the usual one. It falls by 0.5 % with each block. */
export const setGasPrice = (times: bigint): Promise<unknown> =>
  chainCall("devchain_gas_price", { price: `${100_000_000n * times}` });

/** Does something while the gas price stays at a multiple of the usual one. */
export const atGasPrice = async <T>(times: bigint, work: () => Promise<T>): Promise<T> => {
  let isOver = false;
  const keep = async () => {
    while (!isOver) {
      await setGasPrice(times);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await setGasPrice(times);
  const kept = keep();
  try {
    return await work();
  } finally {
    isOver = true;
    await kept;
  }
};

/** Total balance of an account at the head, yoctoNEAR. */
export const balanceOf = async (accountId: string): Promise<bigint> => {
  const params = { request_type: "view_account", finality: "optimistic", account_id: accountId };
  return BigInt((await chainCall<{ amount: string }>("query", params)).amount);
};

/** Height of the head. */
export const headHeight = async (): Promise<number> =>
  (await chainCall<{ header: { height: number } }>("block", { finality: "optimistic" })).header.height;

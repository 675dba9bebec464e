/** The probe contract on the network under test: what the tests of contracts share. */
import type { Account, KeyPair } from "near-api-js";
import {
  actions,
  attempt,
  type Json,
  NEAR,
  type Network,
  newAccount,
  type Result,
  rpc,
  TGAS,
} from "./network.ts";
import { probeWasm } from "./probe.ts";

export const bytes = (text: string) => new TextEncoder().encode(text);

export const call = (method: string, args: Uint8Array = new Uint8Array(), gas = 100n * TGAS, deposit = 0n) =>
  actions.functionCall(method, args, gas, deposit);

/** Why the call of a failed transaction failed. */
export const callError = ({ failure }: Result) =>
  (failure as { ActionError: { kind: { FunctionCallError: unknown } } }).ActionError.kind.FunctionCallError;

export interface ProbeScene {
  /** An account that has the probe contract, and signs. */
  probe: Account;
  pair: KeyPair;
  run(method: string, args?: Uint8Array, gas?: bigint): Promise<Result>;
  /** A query at the head, about the probe unless it names another account: the whole answer. */
  query(request: object): Promise<Json>;
  view(method: string): Promise<Json>;
  /** Balance of an account, yoctoNEAR. */
  balance(accountId: string): Promise<bigint>;
}

export async function probeScene(network: Network): Promise<ProbeScene> {
  const { account: probe, pair } = await newAccount(network, 2n * NEAR, [actions.deployContract(probeWasm)]);
  const query = async (request: object): Promise<Json> => {
    const params = { finality: "optimistic", account_id: probe.accountId, ...request };
    return (await rpc(network.url, "query", params)).body;
  };
  return {
    probe,
    pair,
    run: (method, args, gas) => attempt(probe, probe.accountId, [call(method, args, gas)]),
    query,
    view: (method) => query({ request_type: "call_function", method_name: method, args_base64: "" }),
    async balance(accountId) {
      const { result } = await query({ request_type: "view_account", account_id: accountId });
      return BigInt(result.amount);
    },
  };
}

/** Public client libraries drive the network as they are: near-api-js in every other test and here, near-kit here. */
import { randomBytes } from "node:crypto";
import { KeyPair } from "near-api-js";
import { AccessKeyDoesNotExistError, AccountDoesNotExistError } from "near-api-js/rpc-errors";
import { Near } from "near-kit";
import { beforeAll, describe, expect, test } from "vitest";
import { actions, connect, NEAR, type Network, newAccount, transact } from "./network.ts";
import { probeWasm } from "./probe.ts";

let network: Network;
beforeAll(async () => {
  network = await connect();
});

describe("near-kit", () => {
  test("makes an account, deploys to it, calls and views it, and deletes it", async () => {
    const { account, pair } = await newAccount(network, 4n * NEAR);
    const client = (defaultSignerId: string) =>
      new Near({
        network: { rpcUrl: network.url, networkId: "localnet" },
        privateKey: pair.toString() as `ed25519:${string}`,
        defaultSignerId,
      });
    const near = client(account.accountId);
    expect(await near.accountExists(account.accountId)).toBe(true);
    expect(await near.accountExists(`no.${account.accountId}`)).toBe(false);

    const contractId = `${randomBytes(4).toString("hex")}.${account.accountId}`;
    const publicKey = pair.getPublicKey().toString();
    const made = await near
      .transaction(account.accountId)
      .createAccount(contractId)
      .transfer(contractId, "2 NEAR")
      .addKey(publicKey, { type: "fullAccess" })
      .send({ waitUntil: "FINAL" });
    expect(made.transaction.signer_id).toBe(account.accountId);
    const contract = client(contractId);
    await contract.transaction(contractId).deployContract(contractId, probeWasm).send({ waitUntil: "FINAL" });
    await near
      .transaction(account.accountId)
      .functionCall(contractId, "write", new TextEncoder().encode('"kit"'), { gas: "30 Tgas" })
      .send({ waitUntil: "FINAL" });
    expect(await near.view(contractId, "read", {})).toBe("kit");
    await expect(near.call(contractId, "fail", {}, { gas: "30 Tgas" })).rejects.toThrow("E_PROBE: it failed");
    await contract
      .transaction(contractId)
      .deleteAccount({ beneficiary: account.accountId })
      .send({ waitUntil: "FINAL" });
    expect(await near.accountExists(contractId)).toBe(false);
  });
});

describe("near-api-js", () => {
  test("recognises by their errors what doesn't exist", async () => {
    const { provider, funder } = network;
    await expect(provider.viewAccount({ accountId: "nobody.test.near" })).rejects.toThrow(
      AccountDoesNotExistError,
    );
    const publicKey = KeyPair.fromRandom("ed25519").getPublicKey().toString();
    const key = provider.viewAccessKey({ accountId: funder.accountId, publicKey });
    await expect(key).rejects.toThrow(AccessKeyDoesNotExistError);
  });

  test("reads accounts, keys, blocks, prices, validators, code and state", async () => {
    const { provider, funder } = network;
    const { account } = await newAccount(network, 2n * NEAR, [actions.deployContract(probeWasm)]);
    await transact(account, account.accountId, [
      actions.functionCall("write", { a: 1 }, 30n * 10n ** 12n, 0n),
    ]);
    expect((await funder.getState()).balance.total).toBeGreaterThan(NEAR);
    expect((await funder.getAccessKeyList()).keys.length).toBeGreaterThan(0);
    expect((await provider.viewBlock({ finality: "final" })).header.height).toBeGreaterThan(0);
    expect(BigInt((await provider.viewGasPrice()).gas_price)).toBeGreaterThan(0n);
    expect((await provider.viewValidators()).current_validators.length).toBeGreaterThan(0);
    expect(await provider.getNetworkId()).toEqual(expect.any(String));
    const code = await provider.viewContractCode({ contractId: account.accountId });
    expect(code.code.length).toBe(probeWasm.length);
    const state = await provider.viewContractState({ contractId: account.accountId });
    expect(state.values).toHaveLength(1);
    expect(await provider.callFunction({ contractId: account.accountId, method: "read", args: {} })).toEqual({
      a: 1,
    });
  });
});

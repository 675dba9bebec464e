import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isImplicit } from "../../devchain/protocol/accounts.ts";
import { protocolConfig, SUPPORTED_PROTOCOL_VERSIONS } from "../../devchain/protocol/config.ts";
import { transactionCost } from "../../devchain/protocol/fees.ts";
import type { Action as ChainAction } from "../../devchain/protocol/types.ts";
import type { Action } from "../../src/chain/actions.ts";
import { costOf, maxSpent, requiredBalance } from "../../src/chain/cost.ts";

const SIGNER = "wallet.near";
const KEY = "ed25519:11111111111111111111111111111111";

/** An action as the chain has it. */
const onChain = (action: Action): ChainAction => {
  switch (action.kind) {
    case "create_account":
      return { type: "CreateAccount" };
    case "transfer":
      return { type: "Transfer", deposit: BigInt(action.deposit) };
    case "function_call":
      return {
        type: "FunctionCall",
        methodName: action.method,
        args: action.args,
        gas: Number(action.gas),
        deposit: BigInt(action.deposit),
      };
    case "add_full_access_key":
      return { type: "AddKey", publicKey: KEY, accessKey: { nonce: 0, permission: "FullAccess" } };
    case "add_function_call_key": {
      const permission = { allowance: null, receiverId: action.receiverId, methodNames: action.methods };
      return { type: "AddKey", publicKey: KEY, accessKey: { nonce: 0, permission } };
    }
    case "delete_key":
      return { type: "DeleteKey", publicKey: KEY };
    case "deploy_contract":
      return { type: "DeployContract", code: action.code };
    case "deploy_global_contract":
      return { type: "DeployGlobalContract", code: action.code, mode: "CodeHash" };
    case "use_global_contract":
      return { type: "UseGlobalContract", id: { codeHash: "1".repeat(32) } };
  }
};

const bytes = (most: number) => fc.nat(most).map((length) => new Uint8Array(length));
const amount = fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String);
const publicKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.constant<Action>({ kind: "create_account" }),
  fc.record({ kind: fc.constant("transfer" as const), deposit: amount }),
  fc.record({
    kind: fc.constant("function_call" as const),
    method: fc.stringMatching(/^[a-z_]{1,60}$/),
    args: bytes(1_400_000),
    gas: fc.bigInt({ min: 1n, max: 300n * 10n ** 12n }).map(String),
    deposit: amount,
  }),
  fc.record({ kind: fc.constant("add_full_access_key" as const), publicKey }),
  fc.record({
    kind: fc.constant("add_function_call_key" as const),
    publicKey,
    receiverId: fc.constant(`c.${"x".repeat(60)}`),
    methods: fc.array(fc.stringMatching(/^[a-z_]{4,20}$/), { maxLength: 10 }),
  }),
  fc.record({ kind: fc.constant("delete_key" as const), publicKey }),
  fc.record({ kind: fc.constant("deploy_contract" as const), code: bytes(1_400_000) }),
  fc.record({ kind: fc.constant("deploy_global_contract" as const), code: bytes(1_400_000) }),
  fc.record({ kind: fc.constant("use_global_contract" as const), codeHash: publicKey }),
);
const receiver = fc.constantFrom(
  SIGNER,
  "contract.near",
  "ab".repeat(32),
  `0x${"ab".repeat(20)}`,
  `0s${"ab".repeat(20)}`,
  `0u${"a".repeat(51)}g`,
);
const scene = fc.record({
  receiverId: receiver,
  actions: fc.array(action, { minLength: 1, maxLength: 6 }),
  version: fc.constantFrom(...SUPPORTED_PROTOCOL_VERSIONS),
  /** yoctoNEAR per unit when the wallet reads it, from the lowest price to the highest. */
  price: fc.bigInt({ min: 10n ** 8n, max: 20n * 10n ** 8n }),
  /** Percent by which the price rises until the transaction is in a block. */
  dearer: fc.bigInt({ min: 0n, max: 10n }),
});

describe("the maximum cost of a transaction", () => {
  test("is never less than the chain's price, in any protocol version", () => {
    fc.assert(
      fc.property(scene, ({ receiverId, actions, version, price, dearer }) => {
        const config = protocolConfig(version);
        const later = (price * (100n + dearer)) / 100n;
        const charged = transactionCost(config, SIGNER, receiverId, actions.map(onChain), later);
        const cost = costOf(
          { receiverId, actions },
          { burnt: price, leastBought: config.minGasPurchasePrice },
        );
        expect(requiredBalance(cost)).toBeGreaterThanOrEqual(charged.totalCost);
        // At most all of its gas is burnt, at the block's price; the rest is returned.
        const { gasBurnt, gasRemaining, receiptGasPrice, totalCost } = charged;
        const comesBack =
          BigInt(gasRemaining) * (receiptGasPrice - (receiptGasPrice < later ? receiptGasPrice : later));
        // A new account costs at least a fixed amount, taken from what comes back.
        const createsAccount = isImplicit(receiverId) && actions.some(({ kind }) => kind === "transfer");
        const burnPrice = receiptGasPrice < later ? receiptGasPrice : later;
        const creation =
          config.accountCreationCharge - burnPrice * BigInt(config.fees.create_account_cost.execution);
        const charge = createsAccount && creation > 0n ? creation : 0n;
        expect(maxSpent(cost)).toBeGreaterThanOrEqual(totalCost - comesBack + charge);
        expect(gasBurnt).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is close to it: at most a fifth more for a mint", () => {
    const config = protocolConfig(88);
    const mint: Action = {
      kind: "function_call",
      method: "nft_batch_mint",
      args: new Uint8Array(200),
      gas: `${16n * 10n ** 12n}`,
      deposit: "0",
    };
    const prices = { burnt: 10n ** 8n, leastBought: config.minGasPurchasePrice };
    const { totalCost } = transactionCost(config, SIGNER, "contract.near", [onChain(mint)], prices.burnt);
    const total = requiredBalance(costOf({ receiverId: "contract.near", actions: [mint] }, prices));
    expect(total * 5n).toBeLessThanOrEqual(totalCost * 6n);
  });
});

/**
 * What the contract says when it refuses, as tests of the service take it from `test/support/refusals.json`. Each text is
 * provoked here; `UPDATE=1 npm run test:chain -- refusals` writes the file again.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Account, KeyPair } from "near-api-js";
import { beforeAll, expect, test } from "vitest";
import { parsePanic } from "../../src/chain/errors.ts";
import { makeLink } from "../support/claim-links.ts";
import known from "../support/refusals.json" with { type: "json" };
import { createArgs } from "./mintage-calls.ts";
import { actions, attempt, connect, isRemote, NEAR, type Network, newAccount, TGAS } from "./network.ts";
import { mintageWasm } from "./probe.ts";

let network: Network;
let contract: Account;
let owner: Account;
let stranger: Account;

interface Call {
  readonly by?: Account;
  readonly deposit?: bigint;
}

/** The failure of a call, as a node shows it; undefined where it succeeded. */
async function call(method: string, args: object, { by = owner, deposit = 0n }: Call = {}) {
  const bytes = args instanceof Uint8Array ? args : new TextEncoder().encode(JSON.stringify(args));
  const batch = [actions.functionCall(method, bytes, 200n * TGAS, deposit)];
  const { failure } = await attempt(by, contract.accountId, batch);
  return failure as
    | { ActionError?: { kind?: { FunctionCallError?: { ExecutionError?: string } } } }
    | undefined;
}

async function succeed(...given: Parameters<typeof call>): Promise<void> {
  expect(await call(...given)).toBeUndefined();
}

/** The contract's code and sentence. */
async function refused(...given: Parameters<typeof call>): Promise<[string, string]> {
  const failure = await call(...given);
  const text = failure?.ActionError?.kind?.FunctionCallError?.ExecutionError ?? "";
  const { code, message } = parsePanic(text);
  if (code === null) throw new Error(`${given[0]} failed with no code: ${JSON.stringify(failure)}`);
  return [code, message];
}

/** The network's name that the contract was told. */
const NETWORK = "testnet";

beforeAll(async () => {
  network = await connect();
  ({ account: contract } = await newAccount(network, 6n * NEAR, [actions.deployContract(mintageWasm)]));
  ({ account: owner } = await newAccount(network, 3n * NEAR));
  ({ account: stranger } = await newAccount(network, NEAR));
  const metadata = { spec: "nft-1.0.0", name: "Refusals", symbol: "NO" };
  const roles = { network_id: NETWORK, owner_id: owner.accountId, platform_id: network.funder.accountId };
  await succeed("new", { ...roles, metadata }, { by: contract });
});

/** Amounts and counts differ from run to run. */
const withoutNumbers = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([code, text]) => [code, text.replace(/\d+/g, "N")]));

test("the contract refuses with the messages that the service's tests use", async () => {
  const collection_id = 1;
  const mint = { collection_id, receiver_ids: [stranger.accountId], quantities: [1] };
  const update = { token_id: "1:999", title: "x" };
  const settings = { title: "Refusals" };
  const found: [string, string][] = [];
  const provoke = async (...given: Parameters<typeof call>) => found.push(await refused(...given));

  const create = createArgs(settings, false, { count: 30, copies: 1 });
  await provoke("collection_create", create, { by: stranger });
  await succeed("collection_create", create);
  await provoke("nft_batch_mint", mint);
  await succeed("collection_publish", { collection_id });
  await provoke("collection_publish", { collection_id });
  await provoke("collection_publish", { collection_id: 9 });
  await provoke("nft_batch_mint", { ...mint, quantities: [0] });
  await provoke("nft_batch_mint", { ...mint, quantities: [31] });
  const accounts = Array.from({ length: 2_000 }, (_, index) => `a${index}.test`);
  await provoke("allowlist_add", { collection_id, account_ids: accounts }, { deposit: 1n });
  await provoke("nft_update", update);
  await provoke("nft_update", update, { deposit: 1n });
  await provoke("nft_mint", { collection_id }, { by: stranger, deposit: NEAR / 100n });
  const sign = { deposit: 1n };
  await succeed("collection_lock", { collection_id, locks: ["royalties"] }, sign);
  const royalties = { [stranger.accountId]: 1 };
  await provoke("collection_update", { collection_id, ongoing_royalties: royalties }, sign);
  // Collection 1, 32 bytes, and an empty batch of five lists.
  await provoke("collection_reveal", Uint8Array.of(1, 0, 0, 0, ...new Uint8Array(32 + 20)), sign);

  const issuer = KeyPair.fromRandom("ed25519");
  const drop = { collection_id, issuer_public_key: issuer.getPublicKey().toString(), links: 9 };
  // One link's reserve is there, of nine.
  const terms = { expires_at_ms: Date.now() + 86_400_000, reserve: String(NEAR / 400n) };
  await succeed("drop_create", { ...drop, ...terms }, { deposit: 1n });
  const claim = (link: number, from = issuer, drop_id = 1) =>
    makeLink(from, { network: NETWORK, contract: contract.accountId, drop: drop_id, link }).proofFor(
      stranger.accountId,
    );
  await provoke("nft_claim", claim(0, issuer, 9));
  await provoke("nft_claim", claim(0, KeyPair.fromRandom("ed25519")));
  await succeed("nft_claim", claim(0));
  await provoke("nft_claim", claim(0));
  await provoke("nft_claim", claim(1));
  await provoke("drop_close", { drop_id: 1 });
  await succeed("withdraw", {}, { deposit: 1n });
  const extra = JSON.stringify({ story: "heron ".repeat(2_000) });
  await provoke("nft_batch_mint", { ...mint, quantities: [25], metadata: { extra } }, sign);

  const texts = Object.fromEntries(found.toSorted(([a], [b]) => a.localeCompare(b)));
  if (process.env.UPDATE && !isRemote) {
    const file = join(import.meta.dirname, "..", "support", "refusals.json");
    writeFileSync(file, `${JSON.stringify(texts, null, 2)}\n`);
  }
  expect(Object.keys(texts)).toHaveLength(found.length);
  expect(withoutNumbers(texts)).toEqual(withoutNumbers(process.env.UPDATE ? texts : known));
});

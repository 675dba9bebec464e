import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Account, JsonRpcProvider, KeyPair } from "near-api-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AdminClient } from "../../client/src/admin.ts";
import {
  type ContractUpgraded,
  MintageClient,
  type OwnedContract,
  type UpgradePlan,
} from "../../client/src/index.ts";
import { picture } from "../../testing/pictures.ts";
import { type BenchService, startService } from "../../testing/service.ts";
import { createAccount } from "../support/chain.ts";
import { ROOT } from "../support/imports.ts";
import { startCommand } from "../support/killed-command.ts";

const adminToken = randomBytes(32).toString("hex");
let service: BenchService;

beforeAll(async () => {
  service = await startService({
    entry: "src/index.ts",
    blockMs: 100,
    quiet: true,
    settings: { ADMIN_TOKEN: adminToken },
  });
});
afterAll(() => service?.stop());

/** What a command of the operator's answers in JSON. */
async function admin<Answer>(...words: readonly string[]): Promise<Answer> {
  const env = { MINTAGE_URL: service.url, MINTAGE_ADMIN_TOKEN: adminToken };
  const { code, stdout, stderr } = await startCommand("admin.ts", [...words, "--json"], env).ended;
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Answer;
}

/** An account that runs the release before, with the code on the account itself. */
async function formerContract(accountId: string, owner: string): Promise<void> {
  const key = KeyPair.fromRandom("ed25519");
  await createAccount(service.rpcUrl, accountId, key.getPublicKey().toString());
  const account = new Account(accountId, new JsonRpcProvider({ url: service.rpcUrl }), key.toString());
  await account.deployContract(readFileSync(`${ROOT}/contract/harness/fixtures/previous.wasm`));
  const metadata = {
    spec: "nft-1.0.0",
    name: "Former",
    symbol: "OLD",
    base_uri: "https://mint.example/ipfs",
  };
  await account.callFunction({
    contractId: accountId,
    methodName: "new",
    args: {
      network_id: "devchain",
      owner_id: owner,
      platform_id: "platform.bench",
      upgrade_delay_blocks: 50,
      metadata,
    },
    gas: 50_000_000_000_000n,
    waitUntil: "FINAL",
  });
}

test("the operator adopts a contract of the previous release and upgrades it, from the terminal", async () => {
  const operator = new AdminClient({ baseUrl: service.url, adminToken });
  const { integration_uuid: integration, wallet_account_id: owner } =
    await operator.integrations.create("Old shop");
  await formerContract("old.bench", owner);
  const { contract_uuid: contract } = await admin<OwnedContract>(
    "contract",
    "adopt",
    integration,
    "old.bench",
  );
  const { api_key: apiKey } = await operator.keys.issue(integration, { name: "shop", role: "full" });
  const client = new MintageClient({ baseUrl: service.url, apiKey });
  const draft = await client.drafts.create({ contract_uuid: contract, title: "Herons" });
  await client.drafts.attachAssets(draft.collection_draft_uuid, [
    { filename: "0.png", data: picture("png", 0), copies: 9 },
  ]);
  const { collection_uuid: collection } = await client.drafts.finalize(draft.collection_draft_uuid);
  await client.collections.mint(collection, {
    receiver_addresses: ["platform.bench"],
    quantity_per_receiver: 3,
  });

  const plan = async () =>
    (await admin<{ plans: UpgradePlan[] }>("contract", "upgrade", "old.bench", "--dry-run")).plans[0];
  expect(await plan()).toMatchObject({ state: "ready", layout: 6, collections: 1 });
  const upgrade = async () =>
    (await admin<{ upgraded: ContractUpgraded[] }>("contract", "upgrade", "--all")).upgraded;
  expect(await upgrade()).toMatchObject([
    { contract_uuid: contract, account_id: "old.bench", earliest_height: expect.any(Number) },
  ]);
  await expect.poll(async () => (await plan())?.state).toBe("ready");
  expect(await upgrade()).toMatchObject([{ contract_uuid: contract, earliest_height: null }]);
  expect(await plan()).toMatchObject({ state: "current", layout: 6, top_up: "0" });

  await client.collections.mint(collection, {
    receiver_addresses: ["platform.bench"],
    quantity_per_receiver: 2,
  });
  expect(await client.collections.update(collection, { title: "Cranes" })).toMatchObject({ title: "Cranes" });
  const owners: (string | null)[] = [];
  for await (const { owner_id } of client.collections.tokens(collection)) owners.push(owner_id);
  expect(owners).toEqual(Array(5).fill("platform.bench"));
});

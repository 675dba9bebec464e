import { env } from "cloudflare:workers";
import { Validator } from "@cfworker/json-schema";
import { beforeAll, expect, test } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { admin, api, bodyOf, createIntegration, type TestIntegration } from "../support/api.ts";
import { createAccount } from "../support/chain.ts";
import { makeLink, newIssuer } from "../support/claim-links.ts";
import { createCollection, createDraft } from "../support/collections.ts";
import { forgetContract } from "../support/database.ts";
import { createHidden } from "../support/hidden-collections.ts";
import {
  type OpenApi,
  type Operation,
  operationsOf,
  readDocument,
  undocumented,
} from "../support/openapi.ts";
import { background } from "../support/operations.ts";
import { sendFrom } from "../support/payments.ts";
import { formOf } from "../support/uploads.ts";
import { unprovableMint } from "../support/wallets.ts";

/**
 * Sends every example of the OpenAPI document as it is. Each has to succeed with an answer that the document
 * describes. Only ids and account ids are replaced by ones that exist here.
 */

let document: OpenApi;
let shop: TestIntegration;
let ids: Record<string, string>;
let tokenId: string;
let dropId: number;
const issuer = newIssuer();
const accounts: Record<string, string> = {};

beforeAll(async () => {
  document = await readDocument();
  shop = await createIntegration("Examples");
  for (const name of ["alice", "bob", "treasury", "artist"]) {
    const id = `${name}-${crypto.randomUUID().slice(0, 8)}.test`;
    await createAccount(env.NEAR_RPC_URL, id);
    accounts[`${name}.near`] = id;
  }
  accounts["alice.example"] = accounts["alice.near"]!;
  const collection = await createCollection(shop, { copies: [20, 20] });
  const mint = { receiver_addresses: [shop.walletAccountId] };
  const path = `/collection/${collection.collection_uuid}/mint`;
  const minted = await bodyOf<{ tokens: { token_id: string }[] }>(
    await api(path, { key: shop.key, json: mint }),
    201,
  );
  tokenId = minted.tokens[0]!.token_id;
  const webhook = await api("/webhook", { key: shop.key, json: { url: "http://localhost:9/" } });
  dropId = await openDrop(collection.collection_uuid);
  await sellOne();
  ids = {
    drop_id: String(dropId),
    webhook_uuid: (await bodyOf<{ webhook_uuid: string }>(webhook, 201)).webhook_uuid,
    collection_draft_uuid: await createDraft(shop),
    collection_uuid: collection.collection_uuid,
    contract_uuid: shop.contractUuid,
    integration_uuid: shop.integrationUuid,
  };
});

async function openDrop(collection: string): Promise<number> {
  const json = {
    issuer_public_key: issuer.getPublicKey().toString(),
    links: 10,
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  };
  const opened = await api(`/collection/${collection}/drop`, { key: shop.key, json });
  return (await bodyOf<{ drop: { drop_id: number } }>(opened, 201)).drop.drop_id;
}

/** A drop may be closed where nothing is left for its links. */
async function soldOutDrop(): Promise<Record<string, string>> {
  const { collection_uuid } = await createCollection(shop, { copies: [1] });
  const drop_id = String(await openDrop(collection_uuid));
  const json = { receiver_addresses: [shop.walletAccountId] };
  await bodyOf(await api(`/collection/${collection_uuid}/mint`, { key: shop.key, json }), 201);
  return { collection_uuid, drop_id };
}

/** NFTs of the collection that the wallet owns. */
async function mintedHere(quantity: number): Promise<string[]> {
  const json = { receiver_addresses: [shop.walletAccountId], quantity_per_receiver: quantity };
  const answer = await api(`/collection/${ids.collection_uuid}/mint`, { key: shop.key, json });
  const { tokens } = await bodyOf<{ tokens: { token_id: string }[] }>(answer, 201);
  return tokens.map(({ token_id: id }) => id);
}

/** What operations need that the others don't leave. */
const OWN_SCENES: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  closeDrop: soldOutDrop,
  revealCollection: async () => ({
    collection_uuid: (await createHidden(shop, { copies: [1, 1] })).collection.collection_uuid,
  }),
};

/** A collector pays for an NFT, so that there are sales to pay out. */
async function sellOne(): Promise<void> {
  const fee = `${10n ** 24n}`;
  const sold = await createCollection(shop, { settings: { public_mint_config: { mint_fee: fee } } });
  const args = JSON.stringify({ collection_id: sold.near_collection.collection_id });
  const collector = await createIntegration("Collector");
  await sendFrom(collector.integrationUuid, shop.contractAccountId, [
    {
      kind: "function_call",
      method: "nft_mint",
      args: Buffer.from(args),
      gas: `${10n ** 14n}`,
      deposit: fee,
    },
  ]);
  await background.reconcile();
}

/** The example with ids and accounts that exist here. */
function here(example: unknown): unknown {
  const text = Object.entries(accounts).reduce(
    (json, [name, id]) => json.replaceAll(`"${name}"`, `"${id}"`),
    JSON.stringify(example),
  );
  const value = JSON.parse(text) as Record<string, unknown>;
  if ("contract_uuid" in value) value.contract_uuid = ids.contract_uuid;
  if ("token_id" in value) value.token_id = tokenId;
  // A quote names the write that it is for.
  if ("path" in value) {
    value.path = String(value.path).replace(/(?<=\/collection\/)[^/]+/, ids.collection_uuid!);
    value.body = here(value.body);
  }
  return value;
}

/**
 * Adoption needs a contract on the chain that the service doesn't know: the integration's own, deleted from the
 * database.
 */
async function lostContract(): Promise<string> {
  const made = await admin(`/integration/${ids.integration_uuid}/contract`, {
    json: { name: "N", symbol: "S" },
  });
  const { account_id: accountId } = await bodyOf<{ account_id: string }>(made, 201);
  await forgetContract(accountId);
  return accountId;
}

async function send({ path, method, requestBody, operationId }: Operation): Promise<Response> {
  if (operationId === "adminSettleOperation") ids.operation_uuid = (await unprovableMint()).operationUuid;
  const named = { ...ids, ...(await OWN_SCENES[operationId]?.()) };
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? name);
  const json = here(requestBody?.content["application/json"]?.example) as Record<string, unknown>;
  if ("token_ids" in (json ?? {})) json.token_ids = await mintedHere(2);
  if (operationId === "updateNfts") {
    const tokens = await mintedHere((json.updates as unknown[]).length);
    json.updates = (json.updates as object[]).map((update, at) => ({ ...update, token_id: tokens[at] }));
  }
  if (operationId === "adminAdoptContract") json.account_id = await lostContract();
  if (operationId.startsWith("publicClaim")) {
    const place = { network: env.NEAR_NETWORK, contract: shop.contractAccountId, drop: dropId, link: 1 };
    const { proofFor, ...link } = makeLink(issuer, place);
    const { receiver_id: receiver = accounts["alice.near"]! } = json as { receiver_id?: string };
    Object.assign(json, operationId === "publicClaim" ? proofFor(receiver) : link);
  }
  // The integration's wallet owns it already.
  if (operationId === "adminAcceptContract") json.account_id = shop.contractAccountId;
  const headers: Record<string, string> = path.startsWith("/admin")
    ? { authorization: `Bearer ${env.ADMIN_TOKEN}` }
    : {};
  return api(address, { method, key: path.startsWith("/admin") ? null : shop.key, headers, json });
}

test("the example of a form's details fits their schema, and the form is accepted with the files that it names", async () => {
  const attach = operationsOf(document).find(({ operationId }) => operationId === "attachAssets")!;
  const { schema } = attach.requestBody!.content["multipart/form-data"]!;
  const { example, contentSchema } = schema!.properties!.assets_detail!;
  const details = JSON.parse(example as string) as { asset_filename: string; copies: number }[];
  const { valid, errors } = new Validator(contentSchema as object, "2020-12").validate(details);
  expect({ valid, errors }).toEqual({ valid: true, errors: [] });
  const files = details.map(({ asset_filename: name }, index) => ({
    name,
    bytes: picture("png", 930 + index),
  }));
  const draftId = await createDraft(shop);
  const answer = await api(`/collection-draft/${draftId}/asset-bulk`, {
    ...{ key: shop.key, form: formOf(example, files) },
  });
  const assets = await bodyOf<{ asset_filename: string; copies: number }[]>(answer.clone(), 201);
  expect(assets.map(({ asset_filename, copies }) => ({ asset_filename, copies }))).toEqual(
    details.map(({ asset_filename, copies }) => ({ asset_filename, copies })),
  );
  expect(await undocumented(document, attach, answer)).toEqual([]);
});

test("every example of the OpenAPI document is accepted by the service", async () => {
  await bodyOf(
    await admin(`/integration/${ids.integration_uuid}/payout-account`, {
      method: "PUT",
      json: { account_id: accounts["treasury.near"] },
    }),
    200,
  );
  // The one that suspends the integration comes last: no claim of a suspended one is sent.
  const isLast = ({ operationId }: Operation) => Number(operationId === "adminChangeIntegration");
  const withExample = operationsOf(document)
    .filter(({ requestBody }) => requestBody?.content["application/json"]?.example !== undefined)
    .toSorted((one, other) => isLast(one) - isLast(other));
  expect(withExample.length).toBeGreaterThanOrEqual(12);
  for (const operation of withExample) {
    const response = await send(operation);
    const copy = response.clone();
    expect(await undocumented(document, operation, copy), operation.operationId).toEqual([]);
    expect(response.status, `${operation.operationId}: ${await response.text()}`).toBeLessThan(300);
  }
  await bodyOf(
    await admin(`/integration/${ids.integration_uuid}`, { method: "PUT", json: { suspended: false } }),
    200,
  );
});

/**
 * Prepares the service that `npm start` runs here for Schemathesis, and writes schemathesis.toml to the output: the keys, and
 * resources that exist, because generated identifiers reach nothing but 404.
 * A collection with a token and a page is put on the chain, drafts with and without assets and webhooks are created, and the
 * demo integration's limits are raised so that none of them ends the run. What may be broken belongs to another integration.
 */
import { join } from "node:path";
import { localService } from "../../cli/command.ts";
import { uploadFolder } from "../../client/src/folder/index.ts";
import { MintageClient } from "../../client/src/index.ts";

const PICTURES = join(import.meta.dirname, "../../cli/pictures");
/** Copies of each picture: more than a run mints. */
const COPIES = 10_000;
/** The fuzzer deletes and finalizes them. */
const DRAFTS = 40;
const DRAFTS_WITH_ASSETS = 8;
const WEBHOOKS = 10;
const ACCOUNTS = ["alice.near", "bob.near", "00".repeat(32), `0x${"ab".repeat(20)}`];
/** How often a known identifier stands where the fuzzer would make one up. */
const OFTEN = 0.8;

const service = localService();
if (service === null) throw new Error("Run npm start first, with the same MINTAGE_DATA.");
const { baseUrl, apiKey, contractUuid, adminToken } = service;
const client = new MintageClient({ baseUrl, apiKey });

/** A request to the operator's surface. */
async function admin<Answer>(method: string, path: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${baseUrl}/admin/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function draftWithAssets(title: string): Promise<string> {
  const draft = await client.drafts.create({ contract_uuid: contractUuid, title });
  await uploadFolder(client, draft.collection_draft_uuid, PICTURES, { copies: COPIES });
  return draft.collection_draft_uuid;
}

interface MintAnswer {
  readonly tokens: readonly { readonly token_id: string }[];
  readonly tx_results: readonly { readonly transaction_hash: string }[];
}

const me = await client.me();
await admin("PUT", `/integration/${me.integration_uuid}/limits`, {
  requests: 1_000_000,
  drafts: 1_000_000,
  keys: 10_000,
  database_bytes: 10_000_000_000,
});
const other = await admin<{ integration_uuid: string }>("POST", "/integration", { name: "Fuzz" });
const { collection_uuid: collection } = await client.drafts.finalize(await draftWithAssets("Fuzz"));
const mint = await fetch(`${baseUrl}/api/v1/collection/${collection}/mint`, {
  method: "POST",
  headers: { Authorization: `Api-Key ${apiKey}`, "Content-Type": "application/json" },
  body: JSON.stringify({ receiver_addresses: ["alice.near"] }),
});
const operation = mint.headers.get("X-Operation-Uuid");
if (!mint.ok || operation === null) throw new Error(`mint: ${mint.status} ${await mint.text()}`);
const minted = (await mint.json()) as MintAnswer;
const slug = `fuzz-${crypto.randomUUID().slice(0, 8)}`;
await client.collections.setPage(collection, { slug, enabled: true });
const { key_uuid: key } = await admin<{ key_uuid: string }>(
  "POST",
  `/integration/${other.integration_uuid}/key`,
  { name: "Fuzz", role: "read" },
);
/** Nobody listens there, so that attempts fail and are tried again; the fuzzer deletes some. */
const webhooks: string[] = [];
while (webhooks.length < WEBHOOKS) {
  const { webhook_uuid: webhook } = await client.webhooks.create({ url: "http://localhost:9/" });
  webhooks.push(webhook);
}
const drafts: string[] = [];
while (drafts.length < DRAFTS_WITH_ASSETS) drafts.push(await draftWithAssets("Fuzz, with assets"));
while (drafts.length < DRAFTS) {
  const draft = await client.drafts.create({ contract_uuid: contractUuid, title: "Fuzz" });
  drafts.push(draft.collection_draft_uuid);
}

/** Identifiers that exist, and where they may stand. */
const known: Readonly<Record<string, { values: readonly (string | number)[]; places: readonly string[] }>> = {
  contract: { values: [contractUuid], places: ["path.contract_uuid", "body.contract_uuid"] },
  collection: { values: [collection], places: ["path.collection_uuid"] },
  draft: { values: drafts, places: ["path.collection_draft_uuid"] },
  integration: { values: [other.integration_uuid], places: ["path.integration_uuid"] },
  operation: { values: [operation], places: ["path.operation_uuid"] },
  token: { values: minted.tokens.map(({ token_id }) => token_id), places: ["body.token_id"] },
  webhook: { values: webhooks, places: ["path.webhook_uuid"] },
  key: { values: [key], places: ["path.key_uuid"] },
  slug: { values: [slug], places: ["path.slug"] },
  number: { values: [1], places: ["path.number"] },
  hash: {
    values: minted.tx_results.map(({ transaction_hash: hash }) => hash),
    places: ["path.hash"],
  },
  account: {
    values: ACCOUNTS,
    places: [
      "path.account_id",
      "query.account_id",
      "query.owner",
      "body.account",
      "body.accounts[*]",
      "body.receiver_addresses[*]",
    ],
  },
};

const quoted = (value: string | number) => JSON.stringify(value);
const lines = [
  "[auth.openapi.ApiKey]",
  `api_key = ${quoted(`Api-Key ${apiKey}`)}`,
  "[auth.openapi.OperatorToken]",
  `bearer = ${quoted(adminToken)}`,
  ...Object.entries(known).flatMap(([name, { values }]) => [
    `[dictionaries.${name}]`,
    `values = [${values.map(quoted).join(", ")}]`,
  ]),
  "[parameters]",
  ...Object.entries(known).flatMap(([name, { places }]) =>
    places.map((place) => `${quoted(place)} = { dictionary = ${quoted(name)}, probability = ${OFTEN} }`),
  ),
];
process.stdout.write(`${lines.join("\n")}\n`);

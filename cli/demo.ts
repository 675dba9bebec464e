/**
 * `npm run demo`: takes a collection through the public API of the running service: draft, upload of 12 pictures,
 * finalize, 25 mints to 3 receivers, an update. Then it reads every token back from the chain, fetches its picture and
 * compares that with the hash on the chain.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { readFolder, uploadFolder } from "../client/src/folder/index.ts";
import type { FinalizeAnswer, MintageClient, Token } from "../client/src/index.ts";
import { commandClient, keyAccess, localService, run, UsageError } from "./command.ts";
import { size } from "./progress.ts";
import { table } from "./table.ts";

const PICTURES = join(import.meta.dirname, "pictures");
const COPIES = 3;
/** Implicit accounts need no creation, so minting to them works on every network. */
const RECEIVERS = [1, 2, 3].map((number) =>
  createHash("sha256").update(`demo receiver ${number}`).digest("hex"),
);
/** Mints of each request; 25 in all. */
const QUANTITIES = [8, 8, 9];
/** yoctoNEAR that collectors pay: a tenth of a NEAR. */
const PRICE = `${10n ** 23n}`;
const NEW_TITLE = "Paper Shapes, the first one";

async function step<T>(what: string, work: () => Promise<T>, result: (value: T) => string): Promise<T> {
  process.stdout.write(`${what} … `);
  const started = performance.now();
  const value = await work();
  process.stdout.write(`${result(value)} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
  return value;
}

async function demo(): Promise<void> {
  const { contractUuid } = keyAccess();
  if (!contractUuid) throw new UsageError("Set MINTAGE_CONTRACT to the uuid of the contract to mint on.");
  const client = commandClient();

  const draft = await step(
    "Drafting the collection",
    () =>
      client.drafts.create({
        contract_uuid: contractUuid,
        title: "Paper Shapes",
        description: "Twelve studies in paper colours.",
        ongoing_royalties: { [RECEIVERS[0] ?? ""]: 5 },
        public_mint_config: { mint_fee: PRICE },
      }),
    (made) => made.collection_draft_uuid,
  );
  const uuid = draft.collection_draft_uuid;
  const { assets } = await readFolder(PICTURES);
  await step(
    `Uploading ${assets.length} pictures with their metadata`,
    () => uploadFolder(client, uuid, PICTURES, { copies: COPIES, subtitle: "$TOKEN_NUM of $TOTAL_NUM" }),
    (done) => `${done.assets} assets, ${size(done.totalBytes)}`,
  );
  const finalized = await step(
    "Putting the collection on-chain",
    () => client.drafts.finalize(uuid),
    (done) => `collection ${done.near_collection.collection_id} on ${done.contract_address}`,
  );
  // Before the mints: the pages of their NFTs name the transactions from then on.
  const { mint_url, gallery_url } = await client.collections.setPage(finalized.collection_uuid, {
    // Each run of the demo has pages of its own.
    slug: `paper-shapes-${finalized.collection_uuid.slice(-6)}`,
    theme: { accent: "#1f4f8f" },
    enabled: true,
  });
  const minted = await mintAll(client, finalized);
  const updated = minted[0] ?? fail("nothing was minted");
  const { token: renamed } = await step(
    `Renaming token ${updated.token_id}`,
    () =>
      client.collections.updateNft(finalized.collection_uuid, {
        token_id: updated.token_id,
        title: NEW_TITLE,
        extra: JSON.stringify({ renamed: true }),
      }),
    (done) => `"${done.token.metadata?.title}"`,
  );
  await readBack(client, finalized, renamed);
  process.stdout.write(`\nMint one yourself: ${mint_url}\nThe gallery:       ${gallery_url}\n`);
}

async function mintAll(client: MintageClient, { collection_uuid }: FinalizeAnswer): Promise<Token[]> {
  const minted: Token[] = [];
  for (const [index, quantity] of QUANTITIES.entries()) {
    const receiver = RECEIVERS[index] ?? "";
    const { tokens } = await step(
      `Minting ${quantity} to ${receiver.slice(0, 12)}…`,
      () =>
        client.collections.mint(collection_uuid, {
          receiver_addresses: [receiver],
          quantity_per_receiver: quantity,
        }),
      (done) => `transaction ${done.tx_results[0]?.transaction_hash}`,
    );
    minted.push(...tokens);
  }
  return minted;
}

/** Reads the tokens from the chain, fetches each picture and holds it against media_hash. */
async function readBack(
  client: MintageClient,
  { collection_uuid, near_collection, contract_address }: FinalizeAnswer,
  renamed: Token,
): Promise<void> {
  const rpcUrl = process.env.NEAR_RPC_URL || localService()?.rpcUrl;
  const rows = await step(
    "Reading the tokens back from the chain, and their pictures from their addresses",
    async () => {
      const tokens = new Map<string, Token>();
      for await (const token of client.collections.tokens(collection_uuid)) tokens.set(token.token_id, token);
      // Asks the node directly if its address is known, so that the check doesn't rely on the service.
      const onChain = rpcUrl
        ? await collectionTokens(rpcUrl, contract_address, near_collection.collection_id)
        : [...tokens.values()];
      return Promise.all(
        onChain.map((token) => checked(token, tokens.get(token.token_id)?.media_url ?? null)),
      );
    },
    (found) => `${found.length} tokens, every picture as its hash says`,
  );
  const expected = QUANTITIES.reduce((sum, quantity) => sum + quantity, 0);
  if (rows.length !== expected) fail(`the chain has ${rows.length} tokens; ${expected} were minted`);
  const shown = rows.find((row) => row.token === renamed.token_id)?.title;
  if (!shown?.startsWith(NEW_TITLE))
    fail(`the chain shows token ${renamed.token_id} as "${shown}"; it was renamed`);
  process.stdout.write(`\n${table(rows)}\n`);
}

/** What a wallet or marketplace reads of a token (NEP-171, NEP-177). */
type ChainToken = Pick<Token, "token_id" | "owner_id" | "metadata">;

/** The tokens of a collection as a node tells them (https://docs.near.org/api/rpc/contracts#call-a-contract-function). */
async function collectionTokens(
  rpcUrl: string,
  contract: string,
  collectionId: number,
): Promise<ChainToken[]> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "demo",
      method: "query",
      params: {
        request_type: "call_function",
        finality: "final",
        account_id: contract,
        method_name: "collection_tokens",
        args_base64: Buffer.from(JSON.stringify({ collection_id: collectionId, limit: 100 })).toString(
          "base64",
        ),
      },
    }),
  });
  const body = (await response.json()) as { result?: { result?: number[]; error?: string } };
  if (!body.result?.result) return fail(`${rpcUrl} answered ${JSON.stringify(body)}`);
  return JSON.parse(Buffer.from(body.result.result).toString()) as ChainToken[];
}

async function checked({ token_id, owner_id, metadata }: ChainToken, picture: string | null) {
  if (!metadata || !picture) return fail(`token ${token_id} has no picture`);
  const response = await fetch(picture);
  if (!response.ok) return fail(`${picture} answered ${response.status}`);
  const hash = createHash("sha256")
    .update(new Uint8Array(await response.arrayBuffer()))
    .digest("base64");
  if (hash !== metadata.media_hash)
    return fail(`${picture} hashes to ${hash}; the chain says ${metadata.media_hash}`);
  return { token: token_id, title: metadata.title, owner: `${owner_id.slice(0, 12)}…`, picture };
}

function fail(sentence: string): never {
  throw new Error(sentence);
}

await run(demo);

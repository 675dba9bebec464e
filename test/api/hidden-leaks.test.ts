import { env } from "cloudflare:workers";
import { CID } from "multiformats/cid";
import { beforeAll, expect, test, vi } from "vitest";
import { ClaimIssuer } from "../../client/src/index.ts";
// Inside: the document lacks pages, documents and the gateway, which the table of routes has.
import { app } from "../../src/app.ts";
import { picture } from "../../testing/pictures.ts";
import {
  admin,
  api,
  BASE,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { chainCall } from "../support/chain-control.ts";
import { makeLink, newIssuer } from "../support/claim-links.ts";
import { createCollector, putPage } from "../support/collectors.ts";
import { createHidden, type SecretAsset } from "../support/hidden-collections.ts";
import { operationsOf, readDocument } from "../support/openapi.ts";
import { background } from "../support/operations.ts";
import { until } from "../support/waiting.ts";

/**
 * Reads all that a stranger can read of a hidden collection whose assets have unequal copies, before its reveal and after a
 * part of it, and compares it with what its NFTs show in the end. Paths are those of the route table, views those of the
 * contract's methods: a new one is read or fails here until its values are named.
 */

const SLUG = "hidden-herons";
/** Copies of the assets: 26, of which all but two are minted, so that each half of the assets has NFTs. */
const COPIES = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 5];
const BY_API = 22;
const MINTED = BY_API + 2;
const SHOWN = 6;
const NUMBERS = Array.from({ length: MINTED }, (_, index) => index + 1);

/** What tells one asset from others, as a stranger could look for it. */
const secretsOf = (asset: SecretAsset): string[] => {
  const { asset_uuid, asset_filename, asset_cid, reference_cid } = asset;
  // Its trait, too, and its names are of this text.
  const name = asset_filename.replace(".png", "");
  const texts = [asset_uuid, name, asset_cid, reference_cid];
  return [...texts, ...[asset_cid, reference_cid].flatMap(digestsOf)];
};

const digestsOf = (cid: string): string[] => {
  const bytes = Buffer.from(CID.parse(cid).multihash.digest);
  return [bytes.toString("hex"), bytes.toString("base64"), bytes.toString("latin1")];
};

const methods = Object.values(
  import.meta.glob<string>("../../contract/mintage/src/entry.rs", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
).flatMap((source) => [...source.matchAll(/^ {4}(?:\w+::)+(\w+),$/gm)].map(([, name]) => name!));

/** An answer to a stranger. */
interface Seen {
  /** Where it comes from. */
  readonly at: string;
  readonly status: number;
  /** Its headers and its body, a byte each character. */
  readonly text: string;
}

let shop: TestIntegration;
let stranger: TestIntegration;
let hidden: Awaited<ReturnType<typeof createHidden>>;
let alice: string;
/** Values of the parameters of paths, and what is behind them, by the path as its route has it. */
let asked: Readonly<Record<string, readonly string[]>>;
/** Values of the path parameters of /api/v1. */
let ids: Readonly<Record<string, string>>;
/** Answers to what collectors sent before the reveal. */
const sent: Seen[] = [];
const printed: string[] = [];

const seenOf = async (at: string, answer: Response): Promise<Seen> => {
  const body = Buffer.from(await answer.arrayBuffer());
  // A body's size is told where it is no header.
  const head = JSON.stringify([...answer.headers, ["size", body.length]]);
  return { at, status: answer.status, text: `${head}\n${body.toString("latin1")}\n${body.toString()}` };
};

let address = 0;

/** A request from an address of its own, so that none is refused for being one of many. */
const ask = async (path: string, request: Parameters<typeof api>[1] = {}): Promise<Seen> => {
  address += 1;
  const headers = { "CF-Connecting-IP": `10.0.${address >> 8}.${address & 255}` };
  return seenOf(`${request.method ?? "GET"} ${path}`, await api(path, { ...request, headers }));
};

const queryOf = (values: object): string =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString();

beforeAll(async () => {
  for (const name of ["log", "error", "warn", "info", "debug"] as const)
    vi.spyOn(console, name).mockImplementation(
      (...texts) => void printed.push(texts.map((text) => JSON.stringify(text)).join(" ")),
    );
  [shop, stranger] = [await createIntegration("Secrets"), await createIntegration("Stranger")];
  [alice = ""] = await createReceivers(1);
  const collector = await createCollector();
  const settings = { public_mint_config: { mint_fee: "0" } };
  hidden = await createHidden(shop, { copies: COPIES, settings });
  const { collection_uuid: uuid, near_collection } = hidden.collection;
  const { picture_url } = await showPage(uuid);
  const path = `/collection/${uuid}`;
  const json = { receiver_addresses: [alice], quantity_per_receiver: BY_API };
  const mint = await api(`${path}/mint`, { key: shop.key, json, headers: { prefer: "respond-async" } });
  const { operation_uuid } = await bodyOf<{ operation_uuid: string }>(mint, 202);
  await background.resume(operation_uuid);

  const { collection_id } = near_collection;
  const hash = await collector.call(
    shop.contractAccountId,
    "nft_mint",
    { collection_id },
    `1${"0".repeat(23)}`,
  );
  const claims = await openDrops(path);
  sent.push(await ask("/public/v1/claim", { json: { slug: SLUG, ...claims.proof } }));
  expect(sent.map(({ status }) => status)).toEqual([200]);
  await until(async () => (await shownNow()).size === MINTED);
  await background.reconcile();

  const page = `/public/v1/page/${SLUG}`;
  const slugs = { m: `/m/${SLUG}`, c: `/c/${SLUG}`, g: `/g/${SLUG}` };
  const lists = ["", "sort=latest", "sort=rarity", "limit=1", `owner=${alice}`, "trait=a=b", "cursor=5"];
  asked = {
    "/public/v1/page/:slug": [page],
    "/public/v1/page/:slug/trait": [`${page}/trait`],
    "/public/v1/page/:slug/token": lists.map((query) => `${page}/token?${query}`),
    "/public/v1/page/:slug/token/:number": NUMBERS.map((number) => `${page}/token/${number}`),
    "/public/v1/page/:slug/eligibility/:account_id": [alice, "nobody.test"].map(
      (account) => `${page}/eligibility/${account}?quantity=2`,
    ),
    "/public/v1/page/:slug/mint/:hash": [`${page}/mint/${hash}?account_id=${collector.accountId}`],
    "/public/v1/page/:slug/claim": [`${page}/claim?${queryOf(claims.open)}`],
    "/public/v1/page/:slug/voucher": [`${page}/voucher?${queryOf(claims.voucher)}`],
    "/public/v1/page/:slug/claimed": [`${page}/claimed?${queryOf(claims.used)}`],
    "/public/v1/oembed": Object.values(slugs)
      .filter((shown) => shown !== slugs.c)
      .map((shown) => `/public/v1/oembed?${queryOf({ url: BASE + shown })}`),
    "/public/v1/card/:slug/:name": ["collection", ...NUMBERS].map(
      (name) => `/public/v1/card/${SLUG}/${name}`,
    ),
    "/public/v1/creator/:slug/:digest": [new URL(picture_url).pathname],
    "/m/:slug": [slugs.m],
    "/c/:slug": [slugs.c],
    "/g/:slug": ["", "?sort=latest", "?sort=rarity", `?owner=${alice}`].map((query) => slugs.g + query),
    "/g/:slug/:number": NUMBERS.map((number) => `${slugs.g}/${number}`),
    "/docs/:file{.+}": ["/docs/pages.md", "/docs/api.md"],
    "/ipfs/:path{.+}": ["", "?format=raw", "?img-width=320", "?download=true"].map(
      (query) => `/ipfs/${hidden.placeholder}${query}`,
    ),
  };
  ids = {
    collection_uuid: uuid,
    collection_draft_uuid: hidden.draft,
    operation_uuid,
    account_id: alice,
    drop_id: String(claims.used.drop_id),
    contract_id: "usdc.test",
    webhook_uuid: crypto.randomUUID(),
  };
});

/** Shows the collection to collectors, with all that a page can have. */
const showPage = async (uuid: string, cover = hidden.assets[4]!.asset_uuid) => {
  const { creator } = await bodyOf<{ creator: { picture_url: string } }>(
    await putPage(shop.key, uuid, {
      slug: SLUG,
      enabled: true,
      cover_asset_uuid: cover,
      creator: { name: "Ada", picture: Buffer.from(picture("png", 5)).toString("base64") },
      about: "Herons.",
    }),
    200,
  );
  return creator;
};

/** Drops with a link that is redeemed, one that isn't, and a voucher. */
const openDrops = async (path: string) => {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const open = async (issuer_public_key: string) => {
    const json = { issuer_public_key, links: 4, quantity: 1, expires_at };
    const answer = await api(`${path}/drop`, { key: shop.key, json });
    return (await bodyOf<{ drop: { drop_id: number } }>(answer, 201)).drop.drop_id;
  };
  const [issuer, seller] = [newIssuer(), await ClaimIssuer.create()];
  const drop = await open(issuer.getPublicKey().toString());
  const on = { network: env.NEAR_NETWORK, contract: shop.contractAccountId };
  const linkOf = (link: number) => makeLink(issuer, { ...on, drop, link });
  const [{ proofFor, certificate: _, ...used }, { proofFor: __, ...unused }] = [linkOf(0), linkOf(1)];
  const { args } = await seller.voucher({
    ...on,
    dropId: await open(seller.publicKey),
    nonce: 1,
    receiver: alice,
    price: 0n,
    expiresAt: new Date(expires_at),
  });
  return { used, open: unused, voucher: args, proof: proofFor(alice) };
};

/** Public routes that aren't read, each with the reason. */
const UNREAD: Readonly<Record<string, string>> = {
  "POST /public/v1/claim": "it is sent before the reveal; the link that it has redeemed is read by /claimed",
  "POST /mcp": "its tools send requests to the paths of /api/v1, by the caller's key",
  "POST /public/v1/development/account": "it makes an account, of a trial's chain alone",
  "POST /public/v1/development/key": "it reads the chain's access keys, of a trial's chain alone",
  "POST /public/v1/development/transaction": "it sends to the chain, of a trial's chain alone",
};

const isOfKeys = (path: string): boolean => path.startsWith("/api/v1") || path.startsWith("/admin/v1");

/** Answers of all routes but those for keys and the operator. */
const publicAnswers = async (): Promise<Seen[]> => {
  const routes = new Set(
    app.routes
      .filter(({ method, path }) => method !== "ALL" && !isOfKeys(path))
      .map(({ method, path }) => `${method} ${path}`),
  );
  const seen: Seen[] = [];
  const left = new Set(Object.keys(asked));
  for (const route of routes) {
    if (Object.hasOwn(UNREAD, route)) continue;
    const [method, path] = route.split(" ") as [string, string];
    expect(method, `${route} is read, or named with the reason why not`).toBe("GET");
    left.delete(path);
    const paths = asked[path] ?? [path];
    expect(paths.join(), `${route} needs values`).not.toMatch(/[:{]\w/);
    for (const each of paths) {
      const answer = await ask(each);
      expect(answer.status, each).toBe(path === "/operator/view" ? 401 : 200);
      seen.push(answer);
    }
    seen.push(await ask(paths[0]!, { method: "HEAD" }));
  }
  expect([...left]).toEqual([]);
  expect(Object.keys(UNREAD).filter((route) => !routes.has(route))).toEqual([]);
  return seen;
};

/** What the gateway answers to every address of it that other answers name. */
const filesNamedBy = async (answers: readonly Seen[]): Promise<Seen[]> => {
  const named = new Set(
    answers
      .flatMap(({ text }) => text.match(/\/ipfs\/[a-z2-7]{50,}(?:\?img-width=\w+)?/g) ?? [])
      .map((path) => path.toString()),
  );
  expect(named.size).toBeGreaterThan(0);
  return Promise.all(Array.from(named, (path) => ask(path)));
};

/** What the API answers to the collection's own ids without a key, and with another integration's. */
const answersToKeys = async (): Promise<Seen[]> => {
  const reads = operationsOf(await readDocument()).filter(
    ({ method, path }) => method === "GET" && isOfKeys(path),
  );
  expect(reads.length).toBeGreaterThan(30);
  const seen: Seen[] = [];
  for (const { path } of reads) {
    const own = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? crypto.randomUUID());
    const without = await ask(own);
    expect(without.status, own).toBe(401);
    seen.push(without);
    if (own.startsWith("/api/v1")) seen.push(await ask(own, { key: stranger.key }));
  }
  return seen;
};

/** What the contract's views answer, and the chain to questions about its state and the service's transactions. */
const chainAnswers = async (): Promise<Seen[]> => {
  const { near_collection, tx_results } = hidden.collection;
  const { collection_id } = near_collection;
  const seen: Seen[] = [];
  const args = {
    ...{ collection_id, account_id: alice, owner_id: alice, drop_id: 1, approved_account_id: alice },
    ...{ token_ids: NUMBERS.map((number) => `${collection_id}:${number}`), balance: "1000", limit: 100 },
  };
  const contract = shop.contractAccountId;
  const query = async (at: string, question: object): Promise<void> => {
    const params = { finality: "final", account_id: contract, ...question };
    const answer = await chainCall<{ result?: number[]; values?: { key: string; value: string }[] }>(
      "query",
      params,
    );
    const bytes =
      answer.result ?? answer.values?.flatMap(({ value }) => [...Buffer.from(value, "base64")]) ?? [];
    seen.push({ at, status: 200, text: Buffer.from(bytes).toString("latin1") });
  };
  expect(methods.length).toBeGreaterThan(50);
  for (const method_name of methods)
    for (const token_id of method_name === "nft_token" ? args.token_ids : args.token_ids.slice(0, 1)) {
      const args_base64 = btoa(JSON.stringify({ ...args, token_id }));
      const call = { request_type: "call_function", method_name, args_base64 };
      // A method that signs or changes something is no view.
      await query(method_name, call).catch(() => undefined);
    }
  const views = ["nft_token", "nft_tokens", "nft_tokens_by_ids", "nft_tokens_for_owner", "collection_tokens"];
  const more = ["nft_metadata", "collection", "collections", "collection_assets", "mint_eligibility", "drop"];
  expect(seen.map(({ at }) => at)).toEqual(expect.arrayContaining([...views, ...more]));
  await query("view_state", { request_type: "view_state", prefix_base64: "" });
  for (const { transaction_hash: tx_hash } of tx_results) {
    const params = { tx_hash, sender_account_id: shop.walletAccountId, wait_until: "FINAL" };
    const found = await chainCall<{ transaction: { actions: { FunctionCall: { args: string } }[] } }>(
      "tx",
      params,
    );
    const calls = found.transaction.actions.map(({ FunctionCall: { args: given } }) =>
      Buffer.from(given, "base64").toString("latin1"),
    );
    seen.push({ at: `tx ${tx_hash}`, status: 200, text: [JSON.stringify(found), ...calls].join("\n") });
  }
  return seen;
};

const strangersAnswers = async (): Promise<Seen[]> => {
  const answers = [...(await publicAnswers()), ...(await chainAnswers())];
  return [...answers, ...(await answersToKeys()), ...(await filesNamedBy(answers))];
};

/** What the owner reads of NFTs and their mints: its keys know the assets, but not which NFT has which. */
const ownersAnswers = async (): Promise<Seen[]> => {
  const uuid = hidden.collection.collection_uuid;
  const paths = ["/event?type=nft.minted", `/collection/${uuid}/token`, `/operation?subject_uuid=${uuid}`];
  const answers = await Promise.all(paths.map((path) => ask(path, { key: shop.key })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  return answers;
};

/** Secrets that answers have. */
const toldBy = (answers: readonly Seen[], secrets: readonly string[]): string[] =>
  answers.flatMap(({ at, text }) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${at}: ${secret}`),
  );

/** What an answer says of an NFT, but for whose it is, which it is and when it was minted. */
type Face = string;

const WHOSE_AND_WHEN = new Set([
  ...["token_id", "number", "owner_id", "issued_at", "history", "transaction_hash", "explorer_url"],
]);

/** The faces of the NFTs that an answer in JSON shows, by their numbers. */
const facesIn = ({ at, text }: Seen): [number, Face][] => {
  const faces: [number, Face][] = [];
  // Its NFTs are examples, and events of mints from wallets have other fields.
  if (at === "GET /openapi.json" || at.startsWith("GET /event?")) return faces;
  const body = text.slice(text.lastIndexOf("\n") + 1);
  // Bytes of a picture may begin like JSON.
  if (!/^(?:\{"|\[[[{"\]])/.test(body) || body.includes("\0")) return faces;
  JSON.parse(body, (_, value: unknown) => {
    const { token_id: id, metadata } = (value ?? {}) as { token_id?: string; metadata?: object };
    if (!id?.startsWith?.(`${hidden.collection.near_collection.collection_id}:`)) return value;
    const known = Object.entries({ ...(value as object), ...metadata, metadata: null });
    const face = JSON.stringify(known.filter(([name]) => !WHOSE_AND_WHEN.has(name)));
    faces.push([Number(id.split(":")[1]), face]);
    return value;
  });
  return faces;
};

/**
 * Fails if answers tell NFTs apart that show the placeholder.
 * @param numbers those NFTs @returns how many answers have shown them
 */
const expectAlike = (answers: readonly Seen[], numbers: ReadonlySet<number>): number => {
  const bySource = Map.groupBy(
    answers.flatMap((answer) => {
      const at = answer.at.replace(/\/token\/\d+$/, "/token/:number").replace(/\?.*/, "");
      return facesIn(answer).map(([number, face]) => ({ at, number, face }));
    }),
    ({ at }) => at,
  );
  for (const [at, faces] of bySource)
    expect(
      new Set(faces.filter(({ number }) => numbers.has(number)).map(({ face }) => face)).size,
      at,
    ).toBeLessThan(2);
  // Pages of NFTs of one mint, and those beside them, differ by numbers of two digits, and so have one size; cards draw them.
  const sizes = answers.flatMap(({ at, text }) => {
    const [, kind, number] = /^GET (?!\/public\/v1\/card)(.+)\/(1[1-9]|2\d)$/.exec(at) ?? [];
    const isOfMint = number !== undefined && Number(number) <= BY_API && numbers.has(Number(number));
    return isOfMint ? `${kind} ${/\["size",(\d+)\]/.exec(text)?.[1]}` : [];
  });
  if (numbers.size === MINTED) expect(sizes.length).toBeGreaterThan(20);
  expect(new Set(sizes).size).toBeLessThanOrEqual(2);
  return bySource.size;
};

/** What each NFT shows. */
const shownNow = async (): Promise<Map<number, string>> => {
  const path = `/collection/${hidden.collection.collection_uuid}/token`;
  const tokens = await bodyOf<{ token_id: string; metadata: { media: string } }[]>(
    await api(path, { key: shop.key }),
    200,
  );
  return new Map(tokens.map(({ token_id: id, metadata }) => [Number(id.split(":")[1]), metadata.media]));
};

const reveal = async (json: object) =>
  bodyOf(await api(`/collection/${hidden.collection.collection_uuid}/reveal`, { key: shop.key, json }), 200);

/** What the service has logged, which is something. */
const logOf = (lines: readonly string[]): Seen => {
  expect(lines.length).toBeGreaterThan(50);
  return { at: "the log", status: 0, text: lines.join("\n") };
};

/** Waits until public answers, which are kept for two seconds, are of now. */
const untilFresh = () => new Promise((resolve) => setTimeout(resolve, 2_500));

test("before the reveal and after a part of it no answer to a stranger tells which asset an NFT has", async () => {
  const before = [...sent, ...(await strangersAnswers()), ...(await ownersAnswers())];
  before.push(logOf(printed.splice(0)));
  await reveal({ assets: SHOWN });
  const { batches } = await bodyOf<{ batches: { asset_uuids: string[] }[] }>(
    await admin(`/collection/${hidden.collection.collection_uuid}/hidden-order`),
    200,
  );
  const order = batches.flatMap(({ asset_uuids: uuids }) => uuids);
  // A cover that isn't shown yet.
  await showPage(hidden.collection.collection_uuid, order.at(-1));
  await untilFresh();
  const partly = [...(await strangersAnswers()), ...(await ownersAnswers())];
  partly.push(logOf(printed.splice(0)));
  await reveal({});
  const truth = await shownNow();
  expect(truth.size).toBe(MINTED);
  const { assets, placeholder, collection } = hidden;
  const { root_cid: root } = collection.ipfs_result;
  const folder = [root, ...digestsOf(root)];
  const isShown = ({ asset_uuid: uuid }: SecretAsset) => order.indexOf(uuid) < SHOWN;
  const all = assets.flatMap(secretsOf);
  const left = assets.filter((asset) => !isShown(asset)).flatMap(secretsOf);

  expect(toldBy(before, [...all, ...folder])).toEqual([]);
  expect(toldBy(partly, [...left, ...folder])).toEqual([]);
  // The same look finds what is shown, and the NFTs that have it.
  const shown = assets.filter(isShown).map(({ asset_cid: cid }) => cid);
  for (const cid of shown) expect(toldBy(partly, [cid]).length).toBeGreaterThan(0);

  const every = new Set(truth.keys());
  const hiddenStill = new Set(
    [...truth].filter(([, media]) => !shown.includes(media)).map(([number]) => number),
  );
  expect(hiddenStill.size).toBeGreaterThan(0);
  expect(hiddenStill.size).toBeLessThan(truth.size);
  expect(expectAlike(before, every)).toBeGreaterThanOrEqual(9);
  expectAlike(partly, hiddenStill);
  for (const answer of partly)
    for (const [number, face] of facesIn(answer)) {
      expect(face, answer.at).toContain(hiddenStill.has(number) ? placeholder : truth.get(number)!);
      // Ranks would compare what is shown with what isn't.
      if (face.includes('"traits"')) expect(face).toContain('["traits",[]],["rarity_rank",null]');
    }
});

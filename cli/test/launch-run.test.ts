import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Collection, MintageClient } from "../../client/src/index.ts";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { picture } from "../../testing/pictures.ts";
import { changedSettings } from "../launch/changed-settings.ts";
import { checkFolder } from "../launch/folder.ts";
import { draftRequest, requireOpenPhases } from "../launch/phases.ts";
import { launchFolder } from "../launch/run.ts";
import { stateFile } from "../launch/state.ts";

const DRAFT = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mintage-launch-run-"));
  writeFileSync(join(folder, "collection.yaml"), "title: Herons\ncopies: 2\n");
  for (const number of [0, 1]) writeFileSync(join(folder, `${number}.png`), picture("png", number));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("mistakes in settings, allowlist and pictures are all reported together", async () => {
  const settings = "title: Herons\ncopies: none\nphases:\n  allowlist: { price: 1 }\nallowlist: list.csv\n";
  writeFileSync(join(folder, "collection.yaml"), settings);
  writeFileSync(join(folder, "list.csv"), "account;note\nBob;x\n");
  writeFileSync(join(folder, "2.png"), "");
  const problems = [/collection\.yaml:2 copies/, /list\.csv:2 "Bob"/, /2\.png/];
  for (const problem of problems) await expect(checkFolder(folder)).rejects.toThrow(problem);
});

test("a hidden collection needs its placeholder, a placeholder a reveal, and a reveal a time to come", async () => {
  const settings = (reveal: string) =>
    writeFileSync(join(folder, "collection.yaml"), `title: Herons\n${reveal}\n`);
  settings("reveal: true");
  await expect(checkFolder(folder)).rejects.toThrow("collection.yaml reveal: add placeholder.png");
  settings("reveal: soon");
  await expect(checkFolder(folder)).rejects.toThrow("collection.yaml:2 reveal: give yes or no");
  writeFileSync(join(folder, "placeholder.png"), picture("png", 7));
  settings("");
  await expect(checkFolder(folder)).rejects.toThrow("placeholder.png is what NFTs show until a reveal");
  settings("reveal: 2026-01-01 00:00 UTC");
  const over = await checkFolder(folder);
  expect(() => requireOpenPhases(over, Date.now())).toThrow("collection.yaml reveal: 2026-01-01");
  settings("reveal: 2040-01-01 00:00 Europe/Berlin");
  const { file, plan } = await checkFolder(folder);
  expect(file.draft.reveal).toBe("2039-12-31T23:00:00.000Z");
  expect(plan.placeholder?.path).toBe("placeholder.png");
  expect(plan.assets.map(({ media }) => media.path)).toEqual(["0.png", "1.png"]);
  settings("reveal: true");
  expect((await checkFolder(folder)).file.draft.reveal).toBe(true);
});

/** The output of a launch that resumes from the state of an earlier run. */
async function resumed(reply: (request: Seen) => Reply, state?: string): Promise<string> {
  await using service = await scriptedService(reply);
  const checked = await checkFolder(folder);
  const request = draftRequest(DRAFT, checked.file, new Map());
  const left = { launch: "l", draft_request: request, collection_draft_uuid: DRAFT, allowlisted: [] };
  writeFileSync(stateFile(folder, service.url), state ?? JSON.stringify({ ...left, base_url: service.url }));
  const told = () => {};
  return await launchFolder({
    client: new MintageClient({ baseUrl: service.url, apiKey: "mk_live_test", retry: { retries: 0 } }),
    baseUrl: service.url,
    folder,
    checked,
    currencies: new Map(),
    request,
    onUpload: told,
    onAllowlist: told,
    onStep: told,
    onQuote: async () => false,
  }).then(
    () => "",
    (error: Error) => error.message,
  );
}

const onChain =
  (...assets: readonly (readonly [name: string, copies: number])[]) =>
  ({ path }: Seen): Reply => ({
    status: 200,
    body: path.includes("/asset")
      ? assets.map(([asset_filename, copies]) => ({ asset_filename, asset_uuid: "u", copies }))
      : { collection_draft_uuid: DRAFT, state: "finalized", operation_uuid: DRAFT },
  });

test.each([
  ["a picture that came later", [["0.png", 2]], "The collection doesn't have 1.png."],
  [
    "a picture that was taken away",
    [
      ["0.png", 2],
      ["1.png", 2],
      ["2.png", 2],
    ],
    "has 2.png (asset u), which isn't",
  ],
  [
    "other copies",
    [
      ["0.png", 2],
      ["1.png", 5],
    ],
    "has 1.png (asset u) with copies: 5, not 2.",
  ],
] as const)("%s in the folder is reported if the collection is already on-chain", async (_, assets, told) => {
  const said = await resumed(onChain(...assets));
  expect(said).toContain(told);
  expect(said).toContain("change the folder back");
});

const PRICED = (price: string, rest = "") =>
  `title: Herons\ncopies: 2\nphases:\n  public: { price: ${price}, starts: 2040-01-01 00:00 UTC }\n${rest}`;

/** What a launch says whose folder has changed since, of a collection at 2 NEAR. */
async function changedTo(settings: string): Promise<string> {
  writeFileSync(join(folder, "collection.yaml"), PRICED("1 NEAR"));
  const request = draftRequest(DRAFT, (await checkFolder(folder)).file, new Map());
  writeFileSync(join(folder, "collection.yaml"), settings);
  const state = { launch: "l", draft_request: request, collection_draft_uuid: DRAFT, allowlisted: [] };
  const draft = { ...request, state: "finalized", operation_uuid: DRAFT, collection_uuid: DRAFT };
  const assets = onChain(["0.png", 2]);
  const reply = (seen: Seen): Reply => {
    if (seen.path.includes("/asset")) return assets(seen);
    const isCollection = seen.path.startsWith("/api/v1/collection/");
    const sold = { ...request.public_mint_config, mint_fee: `2${"0".repeat(24)}` };
    const phases = [{ ...sold, phase: 2, kind: "public", currency: null, supply: null }];
    return { status: 200, body: isCollection ? { ...draft, public_mint_config: sold, phases } : draft };
  };
  return resumed(reply, JSON.stringify(state));
}

test("a setting that differs from the on-chain collection is reported with both values", async () => {
  const said = await changedTo(PRICED("3 NEAR", "royalties:\n  resales: { a.near: 5% }\ntransfers: no\n"));
  expect(said).toContain("collection.yaml was changed");
  expect(said).toContain("phases.public.price: 3 NEAR in the folder, 2 NEAR in the collection\n");
  expect(said).toContain("royalties.resales: a.near: 5% in the folder, none in the collection\n");
  expect(said).toContain("transfers: no in the folder, yes in the collection\n");
  expect(said).toContain(`npm run launch -- set ${folder} `);
  expect(said).toContain(`PUT /collection/${DRAFT}`);
  expect(said.match(/ in the folder, /g)).toHaveLength(3);
});

test.each(["1 NEAR", "2 NEAR"])(
  "a collection whose price was changed later continues with %s in the folder",
  async (price) => {
    // The next check is reached: the collection has one picture.
    expect(await changedTo(PRICED(price))).toContain("The collection doesn't have 1.png.");
  },
);

const OVER =
  "title: Herons\ncopies: 2\nphases:\n  public:\n    price: free\n    ends: 2026-01-01 00:00 UTC\n";

test("a phase that has ended is refused before anything is uploaded", async () => {
  writeFileSync(join(folder, "collection.yaml"), OVER);
  const asked: string[] = [];
  const said = await resumed(({ method, path }) => {
    asked.push(`${method} ${path}`);
    return { status: 200, body: { collection_draft_uuid: DRAFT, state: "draft" } };
  });
  expect(said).toContain("collection.yaml phases.public: it ended at 2026-01-01T00:00:00.000Z");
  expect(asked).toEqual([`GET /api/v1/collection-draft/${DRAFT}`]);
});

test("a phase that has ended after the collection was published is accepted", async () => {
  writeFileSync(join(folder, "collection.yaml"), OVER);
  expect(await resumed(onChain(["0.png", 2]))).toContain("The collection doesn't have 1.png.");
});

test("a draft that the service doesn't have is reported with the file that names it", async () => {
  const said = await resumed(() => ({ status: 404, body: { code: "not_found", message: "No such draft." } }));
  expect(said).toContain(join(folder, ".mintage-launch."));
  expect(said).toContain(`names draft ${DRAFT}`);
});

test("a damaged state file is reported by its name", async () => {
  expect(await resumed(() => "drop", '{"base_url": "htt')).toMatch(/\.mintage-launch\..*is damaged/);
});

const USDC = { contract_id: "usdc.near", symbol: "USDC", decimals: 6 };
const LISTED = `title: Herons
copies: 2
page: no
phases:
  allowlist: { price: free }
  3: { price: 5 USDC, currency: usdc.near, allowlist: early.csv }
allowlist: friends.csv
`;

/** A collection that the folder became, as a launch finds it, and what the launch asks for. */
async function listed(state: object, refuse = false) {
  writeFileSync(join(folder, "collection.yaml"), LISTED);
  writeFileSync(join(folder, "friends.csv"), "a.near\nb.near\n");
  writeFileSync(join(folder, "early.csv"), "a.near\nb.near\n");
  const checked = await checkFolder(folder);
  const currencies = new Map([[USDC.contract_id, USDC]]);
  const request = draftRequest(DRAFT, checked.file, currencies);
  const draft = { ...request, collection_draft_uuid: DRAFT, state: "finalized", operation_uuid: DRAFT };
  const answer = { collection_uuid: DRAFT, near_collection: {}, tx_results: [] };
  await using service = await scriptedService(({ path }) => {
    if (path.includes("/asset")) return onChain(["0.png", 2], ["1.png", 2])({ path } as Seen);
    if (path.includes("/operation/"))
      return { status: 200, body: { state: "succeeded", answer: { status: 201, body: answer } } };
    if (path.endsWith("/allowlist-add"))
      return refuse
        ? { status: 503, body: { code: "chain_unavailable", message: "No node answers." } }
        : { status: 200, body: { message: "success", tx_results: {} } };
    return { status: 200, body: draft };
  });
  const file = stateFile(folder, service.url);
  const left = { launch: "l", draft_request: request, collection_draft_uuid: DRAFT, allowlisted: [] };
  writeFileSync(file, JSON.stringify({ ...left, allowlist_tries: 0, base_url: service.url, ...state }));
  const told = () => {};
  const shown: string[] = [];
  const launched = await launchFolder({
    client: new MintageClient({ baseUrl: service.url, apiKey: "mk_live_test", retry: { retries: 0 } }),
    baseUrl: service.url,
    folder,
    checked,
    currencies,
    request,
    onUpload: told,
    onAllowlist: (accounts, total) => shown.push(`${accounts} of ${total}`),
    onStep: told,
    onQuote: async () => false,
  }).catch((error: Error) => error.message);
  const added = service.seen.filter(({ path }) => path.endsWith("/allowlist-add"));
  return { launched, shown, added, state: JSON.parse(readFileSync(file, "utf8")) };
}

test("each phase gets its own list, and a list that was filled isn't filled again", async () => {
  const whole = await listed({});
  expect(whole.added.map(({ body }) => JSON.parse(body))).toEqual([
    { accounts: ["a.near", "b.near"] },
    { accounts: ["a.near", "b.near"], phase: 3 },
  ]);
  expect(whole.launched).toMatchObject({ allowlisted: 4 });
  expect(whole.shown).toEqual(["2 of 4", "4 of 4"]);
  // The same accounts of two phases are two requests.
  expect(new Set(whole.added.map(({ headers }) => headers["idempotency-key"])).size).toBe(2);
  const [first, second] = whole.state.allowlisted;
  const rest = await listed({ allowlisted: [first] });
  expect(rest.added.map(({ body }) => JSON.parse(body))).toEqual([
    { accounts: ["a.near", "b.near"], phase: 3 },
  ]);
  expect(rest.added[0]?.headers["idempotency-key"]).toBe(whole.added[1]?.headers["idempotency-key"]);
  expect((await listed({ allowlisted: [first, second] })).added).toEqual([]);
  expect(await listed({}, true)).toMatchObject({ launched: "No node answers.", state: { allowlisted: [] } });
});

test("the file of a phase's accounts that is missing is named by line and field", async () => {
  writeFileSync(join(folder, "collection.yaml"), LISTED);
  writeFileSync(join(folder, "friends.csv"), "a.near\n");
  await expect(checkFolder(folder)).rejects.toThrow(
    "collection.yaml:6 phases.3.allowlist: there is no file early.csv in the folder.",
  );
});

test("phases that a folder has changed before its collection is on-chain are the draft's, and only those", async () => {
  writeFileSync(
    join(folder, "collection.yaml"),
    "title: Herons\ncopies: 2\nphases: { 3: { price: free } }\n",
  );
  const begun = draftRequest(DRAFT, (await checkFolder(folder)).file, new Map());
  writeFileSync(join(folder, "collection.yaml"), PRICED("1 NEAR"));
  let sent: unknown;
  await resumed(
    ({ method, path, body }) => {
      if (method === "PUT") sent = JSON.parse(body);
      const draft = { collection_draft_uuid: DRAFT, state: path.includes("/asset") ? "" : "draft" };
      return path.includes("/asset") ? { status: 500 } : { status: 200, body: draft };
    },
    JSON.stringify({ launch: "l", draft_request: begun, collection_draft_uuid: DRAFT, allowlisted: [] }),
  );
  expect(sent).toMatchObject({ phases: [], public_mint_config: { mint_fee: `1${"0".repeat(24)}` } });
});

test("a phase that differs from the on-chain collection is reported with both prices", () => {
  const settings = (price: string) => ({
    ...{ contract_uuid: DRAFT, title: "Herons" },
    phases: [{ phase: 3, mint_fee: price, currency: "usdc.near", supply: 10 }],
  });
  const shown = {
    ...{ phase: 3, kind: "allowlist", mint_fee: "5000000", currency: USDC, supply: null },
    ...{ starts_at: null, ends_at: null, limit_per_account: null, minted: 0, allowlisted: 0 },
  };
  const collection = { ...settings("1"), collection_uuid: DRAFT, phases: [shown] } as unknown as Collection;
  const currencies = new Map([[USDC.contract_id, USDC]]);
  expect(changedSettings(settings("7000000"), settings("1"), collection, currencies)).toEqual([
    "phases.3.price: 7 USDC (usdc.near) in the folder, 5 USDC (usdc.near) in the collection",
  ]);
  expect(changedSettings(settings("5000000"), settings("1"), collection, currencies)).toEqual([]);
});

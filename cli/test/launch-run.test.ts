import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MintageClient } from "../../client/src/index.ts";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { picture } from "../../testing/pictures.ts";
import { checkFolder } from "../launch/folder.ts";
import { requireOpenPhases } from "../launch/phases.ts";
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

/** What a launch says that goes on from a state which an earlier run left. */
async function goesOn(reply: (request: Seen) => Reply, state?: string): Promise<string> {
  await using service = await scriptedService(reply);
  const checked = await checkFolder(folder);
  const request = { contract_uuid: DRAFT, ...checked.file.draft };
  const left = { launch: "l", draft_request: request, collection_draft_uuid: DRAFT, allowlisted: [] };
  writeFileSync(stateFile(folder, service.url), state ?? JSON.stringify({ ...left, base_url: service.url }));
  const told = () => {};
  return await launchFolder({
    client: new MintageClient({ baseUrl: service.url, apiKey: "mk_live_test", retry: { retries: 0 } }),
    baseUrl: service.url,
    folder,
    checked,
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
  const said = await goesOn(onChain(...assets));
  expect(said).toContain(told);
  expect(said).toContain("change the folder back");
});

const PRICED = (price: string, rest = "") =>
  `title: Herons\ncopies: 2\nphases:\n  public: { price: ${price}, starts: 2040-01-01 00:00 UTC }\n${rest}`;

/** What a launch says whose folder has changed since, of a collection at 2 NEAR. */
async function changedTo(settings: string): Promise<string> {
  writeFileSync(join(folder, "collection.yaml"), PRICED("1 NEAR"));
  const begun = (await checkFolder(folder)).file.draft;
  writeFileSync(join(folder, "collection.yaml"), settings);
  const request = { contract_uuid: DRAFT, ...begun };
  const state = { launch: "l", draft_request: request, collection_draft_uuid: DRAFT, allowlisted: [] };
  const draft = { ...request, state: "finalized", operation_uuid: DRAFT, collection_uuid: DRAFT };
  const assets = onChain(["0.png", 2]);
  const reply = (seen: Seen): Reply => {
    if (seen.path.includes("/asset")) return assets(seen);
    const isCollection = seen.path.startsWith("/api/v1/collection/");
    const sold = { ...begun.public_mint_config, mint_fee: `2${"0".repeat(24)}` };
    return { status: 200, body: isCollection ? { ...draft, public_mint_config: sold } : draft };
  };
  return goesOn(reply, JSON.stringify(state));
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
  const said = await goesOn(({ method, path }) => {
    asked.push(`${method} ${path}`);
    return { status: 200, body: { collection_draft_uuid: DRAFT, state: "draft" } };
  });
  expect(said).toContain("collection.yaml phases.public: it ended at 2026-01-01T00:00:00.000Z");
  expect(asked).toEqual([`GET /api/v1/collection-draft/${DRAFT}`]);
});

test("a phase that has ended after the collection was published is accepted", async () => {
  writeFileSync(join(folder, "collection.yaml"), OVER);
  expect(await goesOn(onChain(["0.png", 2]))).toContain("The collection doesn't have 1.png.");
});

test("a draft that the service doesn't have is reported with the file that names it", async () => {
  const said = await goesOn(() => ({ status: 404, body: { code: "not_found", message: "No such draft." } }));
  expect(said).toContain(join(folder, ".mintage-launch."));
  expect(said).toContain(`names draft ${DRAFT}`);
});

test("a damaged state file is reported by its name", async () => {
  expect(await goesOn(() => "drop", '{"base_url": "htt')).toMatch(/\.mintage-launch\..*is damaged/);
});

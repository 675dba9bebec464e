import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Reply, type Seen, scriptedService } from "../../client/test/scripted-service.ts";
import { type Ended, startCommand } from "../../test/support/killed-command.ts";
import { planUpdates, readUpdates } from "../collection/updates.ts";

const COLLECTION = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11";
const QUOTE = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c12";
const ASSET = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c13";
const OPERATION = "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c14";
const NEAR = 10n ** 24n;
const PERMANENT = "Nothing of this ever comes back.";

/** Answers reads, quotes and, by `write`, writes, of a collection that shows 2 of its 10 hidden assets. */
const scripted =
  (write: (seen: Seen) => Reply, missing = 0n) =>
  (seen: Seen): Reply => {
    const { method, path } = seen;
    if (path.endsWith("/quote")) {
      const cost = { expected: `${NEAR / 4n}`, at_most: `${NEAR / 2n}` };
      const wallet = { available: `${3n * NEAR}`, missing: `${missing * NEAR}` };
      const quote = { quote_uuid: QUOTE, transactions: 1, storage_bytes: 0, cost, top_up: "0", wallet };
      return { status: 201, body: { ...quote, permanent: [PERMANENT] } };
    }
    if (method !== "GET") return write(seen);
    if (path.endsWith("/me")) {
      const wallet = { account_id: "w.near", available: `${3n * NEAR}` };
      return { status: 200, body: { network: "testnet", wallet, contracts: [] } };
    }
    if (path.includes("/asset"))
      return { status: 200, body: [{ asset_uuid: ASSET, asset_filename: "1.png" }] };
    if (path.includes("/operation")) return { status: 200, body: [] };
    const collection = { collection_uuid: COLLECTION, collection_draft_uuid: COLLECTION, collection_id: 3 };
    const reveal = { state: "partly", shown: 2, commitment: "", at: null };
    return { status: 200, body: { ...collection, title: "Herons", total_assets: 10, reveal } };
  };

const done: Reply = { status: 200, body: { message: "success", revealed: { reveal: { shown: 5 } } } };

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "mintage-collection-"));
});
afterEach(() => rmSync(data, { recursive: true }));

const start = (url: string, ...args: string[]) =>
  startCommand("collection.ts", args, {
    MINTAGE_URL: url,
    MINTAGE_API_KEY: `mk_live_${"a".repeat(43)}`,
    MINTAGE_DATA: data,
  });
const command = (url: string, ...args: string[]): Promise<Ended> => start(url, ...args).ended;

const writes = (seen: readonly Seen[]) => seen.filter(({ method }) => method !== "GET");
const bodyOf = ({ body }: Seen) => JSON.parse(body) as Record<string, unknown>;

describe("a write", () => {
  const cases: [string, string[], string, object][] = [
    ["reveal", [], "POST reveal", {}],
    ["reveal", ["--shown", "5"], "POST reveal", { assets: 3 }],
    ["lock", ["royalties", "supply"], "PUT lock", { locks: ["royalties", "supply"], asset_uuids: [] }],
    ["lock", ["--asset", "1.png"], "PUT lock", { locks: [], asset_uuids: [ASSET] }],
    ["lock", ["--nft", "3:1"], "PUT nft-lock", { token_id: "3:1" }],
    [
      "transfer",
      ["3:1", "3:2", "--to", "bob.near", "--memo", "m"],
      "POST nft-transfer",
      { token_ids: ["3:1", "3:2"], receiver_address: "bob.near", memo: "m" },
    ],
    ["burn", ["3:1"], "POST nft-burn", { token_ids: ["3:1"] }],
  ];
  test.each(cases)(
    "%s %j is quoted, shown with what can't be undone, and sent",
    async (name, args, call, body) => {
      await using service = await scriptedService(scripted(() => done));
      const asked = await command(service.url, name, COLLECTION, ...args);
      // Nobody can be asked here.
      expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("give --yes to agree") });
      expect(asked.stderr).toContain(PERMANENT);
      expect(asked.stderr).toMatch(/about 0\.2500 NEAR, at most 0\.5000 NEAR/);
      expect(writes(service.seen).map(({ path }) => path)).toEqual(["/api/v1/quote"]);

      const sent = await command(service.url, name, COLLECTION, ...args, "--yes", "--json");
      expect(sent.code, sent.stderr).toBe(0);
      expect(JSON.parse(sent.stdout)).toMatchObject({ message: "success" });
      const [, quoted, write] = writes(service.seen);
      const [method, path] = call.split(" ");
      expect(`${write?.method} ${write?.path}`).toBe(`${method} /api/v1/collection/${COLLECTION}/${path}`);
      const moved = ["transfer", "burn"].includes(name) ? { reference: expect.stringMatching(/^move-/) } : {};
      expect(write && bodyOf(write)).toEqual({ ...body, ...moved });
      expect(quoted && bodyOf(quoted)).toEqual({
        method,
        path: `/collection/${COLLECTION}/${path}`,
        body: write && bodyOf(write),
      });
      expect(write?.headers["mintage-quote"]).toBe(QUOTE);
    },
  );

  test("reveals nothing that is shown already, so that a reveal up to a number can be run again", async () => {
    await using service = await scriptedService(scripted(() => done));
    const again = await command(service.url, "reveal", COLLECTION, "--shown", "2", "--yes");
    expect(again).toMatchObject({ code: 0, stdout: "2 of 10 assets are shown already.\n" });
    expect(writes(service.seen)).toEqual([]);
  });

  test("a reveal that another run has sent is sent again under its key, so that no more is shown", async () => {
    await using service = await scriptedService(scripted(() => done));
    for (let run = 0; run < 2; run += 1)
      expect(await command(service.url, "reveal", COLLECTION, "--shown", "7", "--yes")).toMatchObject({
        code: 0,
      });
    const [first, second] = writes(service.seen).filter((one) => one.path.endsWith("/reveal"));
    expect(bodyOf(first!)).toEqual({ assets: 5 });
    expect(bodyOf(second!)).toEqual({ assets: 5 });
    expect(second!.headers["idempotency-key"]).toBe(first!.headers["idempotency-key"]);
  });

  test("that the wallet can't pay for isn't sent, and neither is one with a mistake", async () => {
    await using poor = await scriptedService(scripted(() => done, 2n));
    const refused = await command(poor.url, "burn", COLLECTION, "3:1", "--yes");
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Send at least 2.0000 NEAR") });
    for (const args of [
      ["lock", COLLECTION, "everything"],
      ["lock", COLLECTION, "--asset", "2.png"],
      ["lock", COLLECTION, "royalties", "--nft", "3:1"],
      ["lock", COLLECTION],
      ["transfer", COLLECTION, "3:1"],
      ["transfer", COLLECTION, "3:1", "--to", "Bob"],
      ["burn", COLLECTION],
      ["reveal", COLLECTION, "--shown", "0"],
      ["melt", COLLECTION],
    ])
      expect((await command(poor.url, ...args, "--yes")).code, args.join(" ")).toBe(2);
    expect(writes(poor.seen).every(({ path }) => path.endsWith("/quote"))).toBe(true);
    expect(writes(poor.seen)).toHaveLength(1);
  });
});

describe.each([
  ["transfer", "nft-transfer", ["3:1", "--to", "bob.near"]],
  ["burn", "nft-burn", ["3:1"]],
] as const)("a %s whose answer is lost", (name, path, args) => {
  /** A service that knows of nothing until it is told to. */
  const losing = () => {
    const known: { answer: Reply | null; isKnown: boolean } = { answer: null, isKnown: false };
    const reply = scripted(() => known.answer ?? "drop");
    const operation = { operation_uuid: OPERATION, state: "succeeded" };
    const answer = { status: 200, body: { message: "success", tokens: [] } };
    return {
      known,
      script: (seen: Seen): Reply => {
        if (known.isKnown && seen.path.includes(`/operation/${OPERATION}`))
          return { status: 200, body: { ...operation, answer } };
        return known.isKnown && seen.path.includes("/operation?")
          ? { status: 200, body: [operation] }
          : reply(seen);
      },
    };
  };
  const sent = (seen: readonly Seen[]) => writes(seen).filter((one) => one.path.endsWith(`/${path}`));
  /** A run that is killed once it has sent its write. */
  const kill = async (service: { readonly url: string; readonly seen: readonly Seen[] }) => {
    const killed = start(service.url, name, COLLECTION, ...args, "--yes");
    while (sent(service.seen).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    killed.child.kill("SIGKILL");
    await killed.ended;
  };

  test("is found by its reference and isn't sent again, and another one waits for it", async () => {
    const { known, script } = losing();
    await using service = await scriptedService(script);
    await kill(service);
    const count = writes(service.seen).length;
    const other = await command(service.url, "burn", COLLECTION, "3:9", "--yes");
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(`An earlier run sent ${path}`) });
    known.isKnown = true;
    const found = await command(service.url, name, COLLECTION, ...args, "--json");
    expect(found.code, found.stderr).toBe(0);
    expect(JSON.parse(found.stdout)).toEqual({ message: "success", tokens: [] });
    expect(writes(service.seen)).toHaveLength(count);
    const asked = service.seen.find((one) => one.path.includes("/operation?"));
    const [first] = sent(service.seen);
    expect(asked?.path).toContain(`reference=${bodyOf(first!).reference}`);
    // It is over: the same command is another one now, which is asked about first.
    expect(await command(service.url, name, COLLECTION, ...args)).toMatchObject({ code: 2 });
  });

  test("and that the service doesn't know is sent under the same key, at no more than was agreed to", async () => {
    const { known, script } = losing();
    await using service = await scriptedService(script);
    await kill(service);
    const before = sent(service.seen);
    known.answer = { status: 200, body: { message: "success", tokens: [] } };
    expect(await command(service.url, name, COLLECTION, ...args)).toMatchObject({ code: 0 });
    const last = sent(service.seen).at(-1)!;
    expect(bodyOf(last)).toEqual(bodyOf(before[0]!));
    expect(last.headers["idempotency-key"]).toBe(before[0]!.headers["idempotency-key"]);
    expect(last.headers["mintage-max-cost"]).toBe(`${NEAR / 2n}`);
  });

  test.each([
    ["it had no effect", "not_submitted"],
    ["the operator has settled it as done", "final"],
  ])("isn't kept once the answer says that %s", async (_, outcome) => {
    const { known, script } = losing();
    await using service = await scriptedService(script);
    known.answer = { status: 409, body: { message: "No.", code: "conflict", outcome } };
    expect((await command(service.url, name, COLLECTION, ...args, "--yes")).code).toBe(1);
    known.answer = { status: 200, body: { message: "success", tokens: [] } };
    expect((await command(service.url, name, COLLECTION, ...args, "--yes")).code).toBe(0);
    const keys = sent(service.seen).map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(2);
  });
});

describe("the file of updates", () => {
  test("is read whole, and all that is wrong with it is named by its lines", () => {
    const rows = [
      '3:1,Heron,"At the weir, at night",null,2',
      "4:1,Other,,,",
      "3:1,Twice,,,",
      "3:2,,,,none",
      "3:3,,,,",
      "3:4,a,b,c,1,d",
    ];
    const text = `token,title,description,subtitle,copies\n${rows.join("\n")}\n`;
    const read = readUpdates("u.csv", text, 3);
    expect(read.rows[0]).toEqual({
      line: 2,
      tokenId: "3:1",
      metadata: { title: "Heron", description: "At the weir, at night", subtitle: null, copies: 2 },
    });
    expect(read.problems.map(({ text: problem }) => problem.slice(0, 30))).toEqual([
      'u.csv:3 "4:1": give a token of',
      'u.csv:4 "3:1": name each token',
      'u.csv:5 "none": give a whole n',
      'u.csv:6 "3:3": say what the NF',
      "u.csv:7 has more than 5 column",
    ]);
    expect(readUpdates("u.csv", "token_id,titel\n3:1,a\n", 3).problems[0]?.text).toContain("titel");
    expect(readUpdates("u.csv", "3:1,a\n", 3).problems[0]?.text).toContain("column token_id");
  });

  test("is cut into requests that the service takes, alike each time", () => {
    const rows = (count: number, metadata: Record<string, string>) =>
      Array.from({ length: count }, (_, at) => ({ line: at + 2, tokenId: `3:${at + 1}`, metadata }));
    const sizes = (count: number, metadata: Record<string, string>) =>
      planUpdates(rows(count, metadata)).map(({ length }) => length);
    expect(sizes(2_500, { title: "a" })).toEqual([1_000, 1_000, 500]);
    expect(sizes(30, { asset_file_url: "https://a.example/1.png" })).toEqual([25, 5]);
    for (const part of planUpdates(rows(200, { extra: JSON.stringify("x".repeat(16_000)) }))) {
      const updates = part.map(({ tokenId, metadata }) => ({
        token_id: tokenId,
        asset_uuid: ASSET,
        metadata,
      }));
      expect(Buffer.byteLength(JSON.stringify({ updates }))).toBeLessThan(1_048_576);
    }
  });
});

describe("an update", () => {
  let file: string;
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), "mintage-update-")), "updates.csv");
  });
  afterEach(() => rmSync(join(file, ".."), { recursive: true }));

  const row = (token: number) => `3:${token},https://a.example/${token}.png,1.png`;
  const rows = (count: number) =>
    writeFileSync(
      file,
      `token_id,asset_file_url,asset\n${Array.from({ length: count }, (_, at) => row(at + 1)).join("\n")}\n`,
    );

  const result = (failed: readonly string[]) => (seen: Seen) => {
    const { updates } = bodyOf(seen) as { updates: { token_id: string }[] };
    const results = updates.map(({ token_id: id }) =>
      failed.includes(id)
        ? { token_id: id, status: "failed", code: "conflict", message: "metadata is locked." }
        : { token_id: id, status: "updated", code: null, message: null },
    );
    const tx_results = [{ transaction_hash: "t", tokens_burnt: "5" }];
    return { status: 200, body: { message: "success", results, tx_results } };
  };

  test("that fails at its second request resumes there under its first key, and names tokens that can't be changed", async () => {
    rows(30);
    const unknown: Reply = {
      status: 502,
      body: { message: "Who knows.", code: "outcome_unknown", outcome: "unknown" },
    };
    let count = 0;
    await using service = await scriptedService(
      scripted((seen) => (++count === 2 ? unknown : result(["3:26"])(seen))),
    );
    const first = await command(service.url, "update", COLLECTION, file, "--yes", "--json");
    expect(first.code).toBe(1);
    const second = await command(service.url, "update", COLLECTION, file, "--yes", "--json");
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("updates.csv:27 3:26: metadata is locked.");
    expect(JSON.parse(second.stdout)).toMatchObject({
      rows: 30,
      changed: 29,
      changed_before: 25,
      requests: 2,
    });
    const sent = writes(service.seen).filter(({ path }) => path.endsWith("/nft-update-bulk"));
    expect(sent.map((one) => (bodyOf(one).updates as unknown[]).length)).toEqual([25, 5, 5]);
    expect(bodyOf(sent[0]!).updates).toContainEqual({
      token_id: "3:1",
      asset_uuid: ASSET,
      metadata: { asset_file_url: "https://a.example/1.png" },
    });
    // Each costs no more than its quote says, also when it is sent again.
    expect(sent.map(({ headers }) => headers["mintage-max-cost"])).toEqual(Array(3).fill(`${NEAR / 2n}`));
    const keys = sent.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(2);
    expect(keys[2]).toBe(keys[1]);
    // What was sent before isn't quoted again.
    expect(writes(service.seen).filter(({ path }) => path.endsWith("/quote"))).toHaveLength(2);

    // The token that failed is tried again, alone and under another key.
    count = 2;
    const third = await command(service.url, "update", COLLECTION, file, "--yes");
    expect(third.code).toBe(1);
    const last = writes(service.seen).at(-1)!;
    expect((bodyOf(last).updates as { token_id: string }[]).map(({ token_id: id }) => id)).toEqual(["3:26"]);
    expect(keys).not.toContain(last.headers["idempotency-key"]);
    const receipts = readFileSync(file.replace(".csv", ".receipts.csv"), "utf8");
    expect(receipts).toContain("2,3:1,changed,\n");
    expect(receipts).toContain("27,3:26,,metadata is locked.\n");
  });

  test("whose request a former run sent is found by its reference, however long ago", async () => {
    rows(1);
    const operation = { operation_uuid: OPERATION, state: "succeeded" };
    const body = result([])({ body: JSON.stringify({ updates: [{ token_id: "3:1" }] }) } as Seen).body;
    let isFound = false;
    const reply = scripted(() => "drop");
    await using service = await scriptedService((seen) =>
      isFound && seen.path.includes(`/operation/${OPERATION}`)
        ? { status: 200, body: { ...operation, answer: { status: 200, body } } }
        : isFound && seen.path.includes("/operation?")
          ? { status: 200, body: [operation] }
          : reply(seen),
    );
    const killed = start(service.url, "update", COLLECTION, file, "--yes");
    while (!service.seen.some(({ path }) => path.endsWith("/nft-update-bulk")))
      await new Promise((resolve) => setTimeout(resolve, 50));
    killed.child.kill("SIGKILL");
    await killed.ended;
    isFound = true;
    const sent = writes(service.seen).length;
    const found = await command(service.url, "update", COLLECTION, file, "--yes", "--json");
    expect(found.code, found.stderr).toBe(0);
    expect(JSON.parse(found.stdout)).toMatchObject({ changed: 1, changed_before: 0 });
    expect(writes(service.seen)).toHaveLength(sent);
    const write = writes(service.seen).at(-1)!;
    const asked = service.seen.find(({ path }) => path.includes("/operation?"));
    expect(asked?.path).toContain(`reference=${bodyOf(write).reference}`);
  });

  test("of NFTs none of which can be changed names each, also those that the refusal doesn't", async () => {
    rows(3);
    const issues = [{ path: ["body", "updates", 1, "token_id"], message: "metadata is locked." }];
    const message = "None of these tokens can be changed.";
    const refusal: Reply = {
      status: 409,
      body: { message, code: "conflict", outcome: "not_submitted", issues },
    };
    const reply = scripted(() => done);
    await using service = await scriptedService((seen) =>
      seen.path.endsWith("/quote") ? refusal : reply(seen),
    );
    const refused = await command(service.url, "update", COLLECTION, file, "--yes", "--json");
    expect(refused.code, refused.stderr).toBe(1);
    expect(JSON.parse(refused.stdout).failed).toHaveLength(3);
    const receipts = readFileSync(file.replace(".csv", ".receipts.csv"), "utf8");
    expect(receipts.replaceAll('"', "")).toBe(
      `line,token_id,status,reason\n2,3:1,,${message}\n3,3:2,,metadata is locked.\n4,3:3,,${message}\n`,
    );
  });

  test.each(["invalid_request", "asset_url_failed"] as const)(
    "with a cell that the service refuses as %s sends nothing and names its line",
    async (code) => {
      rows(2);
      const issues = [
        { path: ["updates", 1, "metadata", "asset_file_url"], message: "Give an https address." },
      ];
      const refusal: Reply = { status: 400, body: { message: "No.", code, issues } };
      const reply = scripted(() => done);
      await using service = await scriptedService((seen) =>
        seen.path.endsWith("/quote") ? refusal : reply(seen),
      );
      const refused = await command(service.url, "update", COLLECTION, file, "--yes");
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('updates.csv:3 "https://a.example/2.png": Give an https address.');
      expect(writes(service.seen).filter(({ path }) => !path.endsWith("/quote"))).toEqual([]);
      expect(existsSync(file.replace(".csv", ".receipts.csv"))).toBe(false);
      // The corrected file isn't taken for another one.
      await using other = await scriptedService(scripted(result([])));
      writeFileSync(file, "token_id,title\n3:1,Heron\n");
      const corrected = await command(other.url, "update", COLLECTION, file, "--yes");
      expect(corrected.code, corrected.stderr).toBe(0);
      writeFileSync(file, "token_id,title\n3:1,Egret\n");
      const changed = await command(other.url, "update", COLLECTION, file, "--yes");
      expect(changed).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("was started with other rows in updates.csv"),
      });
    },
  );
});

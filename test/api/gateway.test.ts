import { MemoryBlockstore } from "blockstore-core";
import { importBytes } from "ipfs-unixfs-importer";
import { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { bodyOf } from "../support/api.ts";
import { storedDirectory } from "../support/directories.ts";
import { attach, formOf, newTenant, send, storeFromUrl, usage } from "../support/uploads.ts";
import { eventually } from "../support/waiting.ts";

const MIB = 1_048_576;
const LARGE = picture("gif", 99, 3 * MIB + 17);
const SMALL = picture("jpeg", 7, 5000);
const KEPT = picture("png", 4_711, 3000);

let small: string;
let reference: string;
let large: string;
let leaves: CID[];
let directory: Awaited<ReturnType<typeof storedDirectory>>;
let sharded: typeof directory;

/** Whether an address is answered without database and bucket. */
async function fromCache(path: string): Promise<boolean> {
  const before = usage.calls;
  await (await send(path)).arrayBuffer();
  return usage.calls === before;
}

const cut = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

beforeAll(async () => {
  const tenant = await newTenant();
  const details = [
    { asset_filename: "a picture #1.jpg", copies: 1, reference_filename: "1.json" },
    { asset_filename: "<b>&.png", copies: 1 },
  ];
  const files = [
    { name: "a picture #1.jpg", bytes: SMALL },
    { name: "<b>&.png", bytes: picture("png", 1) },
    { name: "1.json", bytes: '{"a":1}', part: "reference_file" },
  ];
  const [first] = await bodyOf<{ asset_cid: string; reference_cid: string }[]>(
    await attach(tenant, formOf(details, files)),
    201,
  );
  small = first?.asset_cid ?? "";
  reference = first?.reference_cid ?? "";
  directory = await storedDirectory(tenant);

  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(LARGE));
  await storeFromUrl("https://media.example/a.gif");
  vi.restoreAllMocks();
  const store = new MemoryBlockstore();
  large = (await importBytes(LARGE, store, { profile: "unixfs-v1-2025" })).cid.toString();
  leaves = [];
  for (let at = 0; at < LARGE.length; at += MIB) {
    leaves.push(CID.createV1(0x55, await sha256.digest(cut(LARGE.subarray(at, at + MIB)))));
  }

  const many = await newTenant();
  const count = 5000;
  const names = Array.from({ length: count }, (_, index) => `${index}`.padStart(12, "0"));
  const picked = [{ name: "one.png", bytes: picture("png", 2) }];
  const form = formOf(
    names.map((_, index) => ({ asset_filename: "one.png", copies: 1, asset_subtitle: `${index}` })),
    picked,
  );
  await bodyOf(await attach(many, form), 201);
  const manyFiles = formOf(
    names.map((asset_filename) => ({ asset_filename: `${asset_filename}.png`, copies: 1 })),
    names.map((name, index) => ({ name: `${name}.png`, bytes: picture("png", index % 7) })),
  );
  await bodyOf(await attach(many, manyFiles), 201);
  sharded = await storedDirectory(many);
  expect(sharded.blocks.length).toBeGreaterThan(1);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a file that is read by its CID", () => {
  test("is sent with its detected type, and with headers that prevent browsers from running it", async () => {
    const answer = await send(`/ipfs/${small}`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/jpeg",
      "content-length": "5000",
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=29030400, immutable",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*sandbox/),
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "x-ipfs-path": `/ipfs/${small}`,
      "x-ipfs-roots": small,
      etag: `"${small}"`,
    });
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(SMALL);
    expect((await send(`/ipfs/${reference}`)).headers.get("Content-Type")).toBe("application/json");
  });

  test("is the same with the CID's other encodings", async () => {
    const cid = CID.parse(small);
    const { base16 } = await import("multiformats/bases/base16");
    const { base58btc } = await import("multiformats/bases/base58");
    for (const text of [cid.toString(base16.encoder), cid.toString(base58btc.encoder)]) {
      expect((await send(`/ipfs/${text}`)).status).toBe(200);
    }
    const root = CID.parse(directory.rootCid);
    expect((await send(`/ipfs/${CID.createV0(root.multihash as never)}`)).status).toBe(200);
  });

  test("is described by HEAD with the same headers, without a body", async () => {
    for (const path of [
      small,
      large,
      `${directory.rootCid}/1.json`,
      `${small}?format=raw`,
      directory.rootCid,
    ]) {
      const [head, get] = [await send(`/ipfs/${path}`, { method: "HEAD" }), await send(`/ipfs/${path}`)];
      expect(head.status).toBe(200);
      expect(head.headers.get("ETag")).toBe(get.headers.get("ETag"));
      expect(head.headers.get("Content-Type")).toBe(get.headers.get("Content-Type"));
      expect((await head.arrayBuffer()).byteLength).toBe(0);
      expect((await get.arrayBuffer()).byteLength).toBeGreaterThan(0);
    }
  });

  test.each([
    ["bytes=0-0", 0, 1],
    ["bytes=10-19", 10, 20],
    ["bytes=4990-", 4990, 5000],
    ["bytes=4990-9999", 4990, 5000],
    ["bytes=-10", 4990, 5000],
    ["bytes=-9999", 0, 5000],
  ])("is sent in part for the range %s", async (range, from, to) => {
    const answer = await send(`/ipfs/${small}`, { headers: { Range: range } });
    expect(answer.status).toBe(206);
    expect(answer.headers.get("Content-Range")).toBe(`bytes ${from}-${to - 1}/5000`);
    expect(answer.headers.get("Content-Length")).toBe(String(to - from));
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(SMALL.subarray(from, to));
  });

  test("is sent whole for ranges that may be ignored, and with 416 for a range beyond its end", async () => {
    for (const range of ["bytes=0-1,3-4", "bytes=5-4", "lines=1-2", "bytes=-", "bytes=a-b"]) {
      expect((await send(`/ipfs/${small}`, { headers: { Range: range } })).status).toBe(200);
    }
    for (const range of ["bytes=5000-", "bytes=9999-10000", "bytes=-0"]) {
      const answer = await send(`/ipfs/${small}`, { headers: { Range: range } });
      expect(answer.status).toBe(416);
      expect(answer.headers.get("Content-Range")).toBe("bytes */5000");
    }
    const headers = { Range: "bytes=0-0" };
    expect((await send(`/ipfs/${small}`, { headers: { ...headers, "If-Range": `"${small}"` } })).status).toBe(
      206,
    );
    expect((await send(`/ipfs/${small}`, { headers: { ...headers, "If-Range": '"other"' } })).status).toBe(
      200,
    );
  });

  test("is sent in part from several blocks", async () => {
    const answer = await send(`/ipfs/${large}`, { headers: { Range: `bytes=${MIB - 5}-${2 * MIB + 5}` } });
    expect(answer.headers.get("Content-Type")).toBe("image/gif");
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.equals(LARGE.subarray(MIB - 5, 2 * MIB + 6))).toBe(true);
  });

  test("is read from R2 once, and then sent unchanged from the location's cache", async () => {
    const [asset] = await bodyOf<{ asset_cid: string }[]>(
      await attach(
        await newTenant(),
        formOf([{ asset_filename: "k.png", copies: 1 }], [{ name: "k.png", bytes: KEPT }]),
      ),
      201,
    );
    const path = `/ipfs/${asset?.asset_cid}`;
    const first = await send(path);
    expect(new Uint8Array(await first.arrayBuffer())).toEqual(KEPT);
    await eventually(async () => expect(await fromCache(path)).toBe(true));
    const requests: [string, Record<string, string>, number, Uint8Array][] = [
      [path, {}, 200, KEPT],
      [`${path}?nothing=1`, {}, 200, KEPT],
      [path, { Range: "bytes=10-19" }, 206, KEPT.subarray(10, 20)],
      [path, { Range: "bytes=-7" }, 206, KEPT.subarray(-7)],
      [path, { Range: "bytes=0-0", "If-Range": '"other"' }, 200, KEPT],
      [path, { Range: `bytes=${KEPT.length}-` }, 416, new Uint8Array()],
      [path, { "If-None-Match": first.headers.get("ETag") ?? "" }, 304, new Uint8Array()],
    ];
    for (const [address, headers, status, bytes] of requests) {
      const before = usage.calls;
      const answer = await send(address, { headers });
      expect(answer.status).toBe(status);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(bytes));
      expect(answer.headers.get("ETag")).toBe(first.headers.get("ETag"));
      expect(usage.calls).toBe(before);
    }
    const again = await send(path);
    await again.body?.cancel();
    const shown = ({ headers }: Response) =>
      Object.fromEntries([...headers].filter(([name]) => name !== "x-request-id"));
    expect(shown(again)).toEqual(shown(first));
    const raw = await send(path, { headers: { Accept: "application/vnd.ipld.raw" } });
    expect(raw.headers.get("Content-Type")).toBe("application/vnd.ipld.raw");
    await raw.body?.cancel();
  });

  test("is cached above one block too", async () => {
    const path = `/ipfs/${large}`;
    await (await send(path)).arrayBuffer();
    await eventually(async () => expect(await fromCache(path)).toBe(true));
    const part = await send(path, { headers: { Range: `bytes=${MIB - 5}-${2 * MIB + 5}` } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(LARGE.subarray(MIB - 5, 2 * MIB + 6))).toBe(true);
  });

  test("isn't cached under names that a client chooses, nor if it is missing", async () => {
    const path = `/ipfs/${small}?filename=a.jpg`;
    for (let times = 0; times < 2; times++) expect(await fromCache(path)).toBe(false);
    const unknown = `/ipfs/${CID.createV1(0x55, await sha256.digest(new Uint8Array([9])))}`;
    for (let times = 0; times < 2; times++) expect(await fromCache(unknown)).toBe(false);
  });

  test("is answered with 304 for a matching ETag", async () => {
    for (const tag of [`"${small}"`, `W/"${small}"`, `"x", "${small}"`, "*"]) {
      const answer = await send(`/ipfs/${small}`, { headers: { "If-None-Match": tag } });
      expect(answer.status).toBe(304);
      expect(answer.headers.get("ETag")).toBe(`"${small}"`);
    }
    expect((await send(`/ipfs/${small}`, { headers: { "If-None-Match": `"${large}"` } })).status).toBe(200);
    expect(
      (await send(`/ipfs/${small}?format=raw`, { headers: { "If-None-Match": `"${small}"` } })).status,
    ).toBe(200);
  });

  test("is sent under a given name, and for saving", async () => {
    const named = await send(`/ipfs/${small}?filename=${encodeURIComponent('ü"1.jpg')}`);
    expect(named.headers.get("Content-Disposition")).toBe(
      `inline; filename="__1.jpg"; filename*=UTF-8''%C3%BC%221.jpg`,
    );
    const saved = await send(`/ipfs/${directory.rootCid}/1.json?download=true`);
    expect(saved.headers.get("Content-Disposition")).toMatch(/^attachment; filename="1.json"/);
  });

  test("is answered with 404 if it is missing, and with 400 for an invalid CID", async () => {
    const unknown = CID.createV1(0x55, await sha256.digest(new Uint8Array([1, 2, 3]))).toString();
    for (const path of [unknown, `${unknown}?format=raw`, `${small}/a`, `${directory.rootCid}/b/c`]) {
      await bodyOf(await send(`/ipfs/${path}`), 404);
    }
    // A file above one block isn't a raw block, and a picture isn't a dag-pb node.
    const digest = await sha256.digest(cut(LARGE));
    await bodyOf(await send(`/ipfs/${CID.createV1(0x55, digest)}`), 404);
    await bodyOf(await send(`/ipfs/${CID.createV1(0x70, CID.parse(small).multihash)}`), 404);
    for (const path of ["x", "%E0%A4%A", "bafk", `${small}?format=car`]) {
      await bodyOf(await send(`/ipfs/${path}`), 400);
    }
    expect((await send(`/ipfs/${small}`, { method: "POST" })).status).toBe(405);
  });
});

describe("a path through a directory", () => {
  test("leads to files, with their names decoded", async () => {
    const answer = await send(`/ipfs/${directory.rootCid}/${encodeURIComponent("a picture #1.jpg")}`);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(SMALL);
    expect(answer.headers.get("X-Ipfs-Roots")).toBe(`${directory.rootCid},${small}`);
    expect(answer.headers.get("ETag")).toBe(`"${small}"`);
  });

  test("leads through shards", async () => {
    for (const index of [0, 1, 2500, 4999]) {
      const answer = await send(`/ipfs/${sharded.rootCid}/${`${index}`.padStart(12, "0")}.png`);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(picture("png", index % 7));
    }
    await bodyOf(await send(`/ipfs/${sharded.rootCid}/5000.png`), 404);
    await bodyOf(await send(`/ipfs/${sharded.rootCid}/00`), 404);
  });

  test("shows a directory as a page without scripts", async () => {
    const answer = await send(`/ipfs/${directory.rootCid}/`);
    expect(answer.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("ETag")).toContain(directory.rootCid);
    const page = await answer.text();
    expect(page).toContain("&lt;b&gt;&amp;.png");
    expect(page).toContain(`href="/ipfs/${directory.rootCid}/%3Cb%3E%26.png"`);
    expect(page).not.toContain("<b>");
    const rows = (await (await send(`/ipfs/${sharded.rootCid}`)).text()).match(/<tr><td>/g);
    expect(rows).toHaveLength(1000);
  });
});

describe("a single block", () => {
  test("is sent by its own CID, for all blocks of all files", async () => {
    const cids = [small, reference, large, directory.rootCid, sharded.rootCid, ...leaves.map(String)];
    for (const cid of cids) {
      const answers = [
        await send(`/ipfs/${cid}?format=raw`),
        await send(`/ipfs/${cid}`, { headers: { Accept: "application/vnd.ipld.raw" } }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        expect(answer.headers.get("Content-Type")).toBe("application/vnd.ipld.raw");
        expect(answer.headers.get("Content-Disposition")).toMatch(/^attachment; filename="\w+\.bin"/);
        const digest = await sha256.digest(new Uint8Array(await answer.arrayBuffer()));
        expect(digest.digest).toEqual(CID.parse(cid).multihash.digest);
      }
      expect(answers[1]?.headers.get("Content-Location")).toBe(`/ipfs/${cid}?format=raw`);
    }
    await bodyOf(await send(`/ipfs/${directory.rootCid}/1.json?format=raw`), 400);
  });
});

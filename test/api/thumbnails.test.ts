import { env as bindings } from "cloudflare:workers";
import { deflateSync } from "node:zlib";
import { MemoryBlockstore } from "blockstore-core";
import { imageSize } from "image-size";
import { importBytes } from "ipfs-unixfs-importer";
import { base16 } from "multiformats/bases/base16";
import { CID } from "multiformats/cid";
import { expect, test, vi } from "vitest";
import { plainPng, type WideFormat, widePicture } from "../../testing/pictures.ts";
import { api, apiWith, bodyOf } from "../support/api.ts";
import { attach, env, formOf, newTenant, send, storeFromUrl, type TestFile } from "../support/uploads.ts";
import { eventually } from "../support/waiting.ts";

/** Attaches files to a draft. @returns their CIDs */
async function stored(...files: TestFile[]): Promise<string[]> {
  const details = files.map(({ name }) => ({ asset_filename: name, copies: 1 }));
  const assets = await bodyOf<{ asset_cid: string }[]>(
    await attach(await newTenant(), formOf(details, files)),
    201,
  );
  return assets.map(({ asset_cid }) => asset_cid);
}

/** A WebP whose header says 400 × 400, with a frame of 12,000 × 12,000: decoding it takes 2 GB. */
const LARGE_FRAME = Uint8Array.from(
  Buffer.from("UklGRi4AAABXRUJQVlA4WAoAAAAAAAAAjwEAjwEAVlA4TA8AAAAv3+63CwcQ/Y/+ByKi/wEA", "base64"),
);

/** A GIF with a screen of 400 × 400, and a frame of 8,000 × 8,000: decoding it takes 320 MB. */
const LARGE_GIF_FRAME = Uint8Array.from([
  ...Buffer.from("GIF89a"),
  ...[0x90, 1, 0x90, 1, 0x80, 0, 0, 0, 0, 0, 255, 255, 255],
  ...[0x2c, 0, 0, 0, 0, 0x40, 0x1f, 0x40, 0x1f, 0, 2, 2, 0x4c, 1, 0, 0x3b],
]);

/** A JPEG whose second frame header says 9,000 × 9,000. */
const withSecondFrame = (jpeg: Uint8Array): Uint8Array<ArrayBuffer> => {
  const from = jpeg.findIndex(
    (byte, at) => byte === 0xff && (jpeg[at + 1] === 0xc0 || jpeg[at + 1] === 0xc2),
  );
  const end = from + 2 + jpeg[from + 2]! * 256 + jpeg[from + 3]!;
  const second = jpeg.slice(from, end);
  second.set([0x23, 0x28, 0x23, 0x28], 5);
  return Uint8Array.from([...jpeg.subarray(0, end), ...second, ...jpeg.subarray(end)]);
};

const at = (cid: string, width: number | string = 320): string => `/ipfs/${cid}?img-width=${width}`;
/** The same content under an address that no cache has. */
const otherwise = (cid: string): string => CID.parse(cid).toString(base16.encoder);
const keyOf = (cid: string, width: number): string =>
  `thumbnail/${Buffer.from(CID.parse(cid).multihash.digest).toString("hex")}-${width}`;

const bytesOf = async (answer: Response): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await answer.arrayBuffer());

test.each<[string, string, Uint8Array<ArrayBuffer>, number, number]>([
  ["PNG", "a.png", plainPng(900, 450, [200, 30, 30]), 640, 320],
  ["JPEG", "a.jpg", widePicture("jpeg"), 320, 160],
  ["animated GIF", "a.gif", widePicture("gif"), 320, 160],
  ["WebP", "a.webp", widePicture("webp"), 320, 160],
])(
  "a %s has a thumbnail, with headers that allow caching it for ever",
  async (_, name, bytes, width, height) => {
    const [cid = ""] = await stored({ name, bytes });
    const answer = await send(at(cid, width));
    expect(answer.status).toBe(200);
    const thumbnail = await bytesOf(answer);
    expect(imageSize(thumbnail)).toMatchObject({ type: "webp", width, height });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/webp",
      "content-length": String(thumbnail.length),
      "cache-control": "public, max-age=29030400, immutable",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*sandbox/),
      "x-content-type-options": "nosniff",
      etag: `"${cid}.${width}.webp"`,
    });
    const head = await send(at(otherwise(cid), width), { method: "HEAD" });
    expect([head.status, head.headers.get("Content-Length")]).toEqual([200, String(thumbnail.length)]);
    expect((await bytesOf(head)).length).toBe(0);
    const part = await send(at(cid, width), { headers: { Range: "bytes=0-9" } });
    expect([part.status, await bytesOf(part)]).toEqual([200, thumbnail]);
    const known = { "If-None-Match": answer.headers.get("ETag")! };
    expect((await send(at(cid, width), { headers: known })).status).toBe(304);
    expect(await bytesOf(await send(`/ipfs/${cid}`))).toEqual(bytes);
  },
);

test("a thumbnail is made once and kept in R2", async () => {
  const [cid = ""] = await stored({ name: "a.png", bytes: plainPng(700, 20, [1, 2, 3]) });
  const first = await bytesOf(await send(at(cid)));
  expect(new Uint8Array(await (await env.BUCKET.get(keyOf(cid, 320)))!.arrayBuffer())).toEqual(first);
  const sentinel = new TextEncoder().encode("what R2 has");
  await env.BUCKET.put(keyOf(cid, 320), sentinel);
  expect(await bytesOf(await send(at(otherwise(cid))))).toEqual(sentinel);
});

test("a request with another width, or two widths, is refused by the parameter's name", async () => {
  const [cid = ""] = await stored({ name: "a.webp", bytes: widePicture("webp") });
  for (const width of ["321", "0", "", "1e3", "-320", "320&img-width=640"]) {
    const answer = await send(at(cid, width));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ issues: [{ path: ["img-width"] }] });
  }
});

test.each<[string, string, Uint8Array<ArrayBuffer>]>([
  ["isn't wider", "small.png", plainPng(320, 100, [9, 9, 9])],
  [
    "is an SVG",
    "a.svg",
    new Uint8Array(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="900"/>')),
  ],
  ["has too many pixels", "many.png", plainPng(1500, 1401, [7, 7, 7])],
  ["is turned by EXIF data", "turned.jpg", widePicture("turned")],
  ["has a frame larger than its header says", "frame.webp", LARGE_FRAME],
  ["is a GIF with a frame beyond its screen", "frame.gif", LARGE_GIF_FRAME],
  ["is a JPEG with a second frame", "frames.jpg", withSecondFrame(widePicture("jpeg"))],
  ["can't be decoded", "broken.png", plainPng(800, 600, [0, 0, 0], new Uint8Array(40))],
])("a picture that %s is returned instead of its thumbnail", async (_, name, bytes) => {
  const [cid = ""] = await stored({ name, bytes });
  const whole = await send(`/ipfs/${cid}`);
  for (const address of [at(cid), at(otherwise(cid))]) {
    const answer = await send(address);
    expect([answer.status, await bytesOf(answer)]).toEqual([200, bytes]);
    for (const header of ["Content-Type", "ETag", "Cache-Control"])
      expect(answer.headers.get(header)).toBe(whole.headers.get(header));
  }
  const part = await send(at(cid), { headers: { Range: "bytes=0-9" } });
  expect([part.status, await bytesOf(part)]).toEqual([206, bytes.slice(0, 10)]);
  // From the cache, as its own address is.
  const reads = vi.spyOn(env.BUCKET, "get");
  expect(await bytesOf(await send(at(cid)))).toEqual(bytes);
  expect(reads).not.toHaveBeenCalled();
  reads.mockRestore();
});

test("a file above 4 MB is returned instead of its thumbnail", async () => {
  const bytes = plainPng(1400, 1000, [0, 0, 0], deflateSync(new Uint8Array(4_201_000), { level: 0 }));
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(bytes));
  await storeFromUrl("https://media.example/a.png");
  vi.restoreAllMocks();
  const { cid } = await importBytes(bytes, new MemoryBlockstore(), { profile: "unixfs-v1-2025" });
  expect(await bytesOf(await send(at(cid.toString())))).toEqual(bytes);
});

test("thirty first requests at once are answered, and decoders that fail don't affect the others", async () => {
  const files = Array.from({ length: 15 }, (_, index) => [
    { name: `${index}.png`, bytes: plainPng(1400, 1000, [index, 99, 40]) },
    { name: `${index}-broken.png`, bytes: plainPng(1400, 1000, [0, 0, 0], new Uint8Array(50 + index)) },
  ]).flat();
  const cids = await stored(...files);
  // Every picture is asked for twice, and the second request finds what the first has made.
  const answers = await Promise.all(
    [...cids, ...cids].map((cid) => api(at(cid), { headers: { "CF-Connecting-IP": cid } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const typeOf = ({ headers }: Response) => headers.get("Content-Type");
  const broken = answers.filter((_, index) => index % 2 === 1);
  expect(broken.map(typeOf)).toEqual(broken.map(() => "image/png"));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  // The original stands in for one that isn't made in time.
  for (const [index, cid] of cids.entries()) {
    const wanted = index % 2 === 0 ? "image/webp" : "image/png";
    await eventually(async () => {
      const answer = await api(at(cid));
      await answer.arrayBuffer();
      expect(typeOf(answer)).toBe(wanted);
    });
  }
});

test.each<WideFormat>(["jpeg", "gif"])(
  "a thumbnail is made by the platform's service if that is bound: %s",
  async (format) => {
    const [cid = ""] = await stored({
      name: `service.${format === "gif" ? "gif" : "jpg"}`,
      bytes: widePicture(format),
    });
    await env.BUCKET.delete(keyOf(cid, 320));
    const IMAGES = bindings.TEST_IMAGES;
    const { response: answer } = await apiWith({ IMAGES }, `${at(otherwise(cid))}&x=service`);
    expect(answer.status).toBe(200);
    expect(imageSize(await bytesOf(answer))).toMatchObject({ type: "webp", width: 320, height: 160 });
  },
);

test("the platform's service makes an AVIF for a browser that names it, which is sent where it is smaller", async () => {
  const [cid = ""] = await stored({ name: "service.png", bytes: widePicture("webp") });
  const IMAGES = bindings.TEST_IMAGES;
  const accept = { Accept: "image/avif,image/webp,*/*" };
  const [webp, avif] = [keyOf(cid, 320), `${keyOf(cid, 320)}.avif`];
  const ask = async (name: string, headers: Record<string, string> = accept) => {
    const { response } = await apiWith({ IMAGES }, `${at(otherwise(cid))}&x=${name}`, { headers });
    expect(response.headers.get("Vary")).toContain("Accept");
    return { type: response.headers.get("Content-Type"), bytes: await bytesOf(response) };
  };
  const first = await ask("first");
  const sizes = await Promise.all([webp, avif].map(async (key) => (await env.BUCKET.head(key))?.size ?? -1));
  expect(sizes[0]).toBeGreaterThan(0);
  expect(first.type).toBe(sizes[1] === 0 ? "image/webp" : "image/avif");
  expect(first.bytes.length).toBe(sizes[1] || sizes[0]);
  // What R2 has is sent; an empty one says that the WebP is the smaller.
  for (const [name, kept, type] of [
    ["smaller", new TextEncoder().encode("an AVIF"), "image/avif"],
    ["larger", new Uint8Array(), "image/webp"],
  ] as const) {
    const [own = ""] = await stored({ name: `${name}.png`, bytes: plainPng(700, 30, [name.length, 2, 3]) });
    await env.BUCKET.put(`${keyOf(own, 320)}.avif`, kept);
    const { response } = await apiWith({ IMAGES }, `${at(own)}`, { headers: accept });
    expect(response.headers.get("Content-Type")).toBe(type);
    expect(response.headers.get("ETag")).toBe(`"${own}.320.${type.slice(6)}"`);
    // Who doesn't name it gets none, also from the cache.
    const { response: plain } = await apiWith({ IMAGES }, `${at(own)}`);
    expect(plain.headers.get("Content-Type")).toBe("image/webp");
    await Promise.all([response.arrayBuffer(), plain.arrayBuffer()]);
  }
});

test("without that service a browser that takes AVIF gets a WebP", async () => {
  const [cid = ""] = await stored({ name: "a.png", bytes: plainPng(600, 30, [4, 2, 3]) });
  const answer = await send(at(cid), { headers: { Accept: "image/avif,image/webp" } });
  expect(answer.headers.get("Content-Type")).toBe("image/webp");
  await answer.arrayBuffer();
});

test.each(["library", "service"])(
  "with a thumbnail by the %s a picture's size and colour are noted",
  async (by) => {
    const colour = by === "library" ? ([27, 65, 115] as const) : ([115, 65, 27] as const);
    const [cid = ""] = await stored({ name: "a.png", bytes: plainPng(500, 250, [...colour]) });
    const given = by === "service" ? { IMAGES: bindings.TEST_IMAGES } : {};
    await (await apiWith(given, at(cid))).response.arrayBuffer();
    await eventually(async () => {
      // Inside: what is noted shows on pages of a collection alone.
      const row = await env.DB.prepare("SELECT ground FROM blobs WHERE sha256 = ?")
        .bind(CID.parse(cid).multihash.digest)
        .first<{ ground: string }>();
      expect(JSON.parse(row!.ground)).toEqual({
        width: 500,
        height: 250,
        colour: by === "library" ? "#1b4173" : "#73411b",
      });
    });
  },
);

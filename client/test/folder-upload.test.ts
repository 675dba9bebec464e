import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { sha256 } from "multiformats/hashes/sha2";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pictures } from "../../testing/pictures.ts";
import { FolderError, type Progress, uploadFolder } from "../src/folder/index.ts";
import { rawCid } from "../src/folder/upload.ts";
import { MintageClient } from "../src/index.ts";
import { type Reply, type Seen, scriptedService } from "./scripted-service.ts";

let folder: string;
const COUNT = 25;
const SMALL = { bytes: 1_048_576, assets: 4 };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mintage-folder-"));
  for (const [index, { name, bytes }] of pictures(COUNT).entries()) {
    writeFileSync(join(folder, name), bytes);
    writeFileSync(join(folder, `${index}.json`), JSON.stringify({ name: `Heron ${index}` }));
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Asset {
  asset_uuid: string;
  asset_filename: string;
  asset_cid: string;
}

/** A draft as the service keeps it: all of a request or nothing, once for each idempotency key, which names one form. */
class Draft {
  readonly assets: Asset[] = [];
  readonly #answered = new Map<string, { readonly form: string; readonly added: Asset[] }>();

  reply(request: Seen): Reply {
    if (request.method === "GET") return { status: 200, body: this.assets };
    const key = String(request.headers["idempotency-key"]);
    const known = this.#answered.get(key);
    const form = request.body.replaceAll(boundaryOf(request), "");
    if (known && known.form !== form)
      return { status: 422, body: { code: "idempotency_key_reused", message: "no" } };
    if (known) return { status: 201, body: known.added, headers: { "idempotency-replayed": "true" } };
    const added = partsOf(request)
      .filter(({ part }) => part === "asset_file")
      .map(({ name, bytes }) => ({
        asset_uuid: `u-${name}`,
        asset_filename: name,
        asset_cid: rawCid(bytes),
      }));
    this.assets.push(...added);
    this.#answered.set(key, { form, added });
    return { status: 201, body: added };
  }
}

const boundaryOf = ({ headers }: Seen): string =>
  /boundary=(\S+)/.exec(headers["content-type"] ?? "")?.[1] ?? "";

/** The files of a multipart body, by the boundary its header names. */
function partsOf(request: Seen): { part: string; name: string; bytes: Uint8Array }[] {
  return request.body.split(`--${boundaryOf(request)}`).flatMap((section) => {
    const found = /name="(\w+)"; filename="([^"]+)"[\s\S]*?\r\n\r\n([\s\S]*)\r\n$/.exec(section);
    return found
      ? [{ part: found[1] ?? "", name: found[2] ?? "", bytes: Buffer.from(found[3] ?? "", "latin1") }]
      : [];
  });
}

const clientOf = (baseUrl: string, retries = 3) =>
  new MintageClient({ baseUrl, apiKey: "mk_live_test", retry: { baseMs: 1, maxMs: 2, retries } });
const namesOf = (draft: Draft) => draft.assets.map((asset) => asset.asset_filename).toSorted();
const ALL = pictures(COUNT)
  .map(({ name }) => name)
  .toSorted();

test("every picture is uploaded once with its metadata, and progress is reported", async () => {
  const draft = new Draft();
  await using service = await scriptedService((request) => draft.reply(request));
  const seen: Progress[] = [];
  const result = await uploadFolder(clientOf(service.url), "d", folder, {
    limits: SMALL,
    copies: 2,
    onProgress: (progress) => seen.push(progress),
  });
  expect(namesOf(draft)).toEqual(ALL);
  expect(result).toMatchObject({ assets: COUNT, totalAssets: COUNT, alreadyThere: 0, requests: 7 });
  expect(seen.map(({ assets }) => assets)).toEqual(
    seen.map(({ assets }) => assets).toSorted((a, b) => a - b),
  );
  expect(seen.at(-1)).toMatchObject({ assets: COUNT, bytes: result.totalBytes });
  expect(
    service.seen.filter(({ body }) => body.includes('"copies":2,"reference_filename":"0.json"')),
  ).toHaveLength(1);
});

test("a folder goes into each of two drafts under keys of its own", async () => {
  const drafts = new Map([
    ["first", new Draft()],
    ["second", new Draft()],
  ]);
  const keys: string[] = [];
  await using service = await scriptedService((request) => {
    if (request.method === "POST") keys.push(String(request.headers["idempotency-key"]));
    return drafts.get(/collection-draft\/(\w+)\//.exec(request.path)?.[1] ?? "")!.reply(request);
  });
  for (const [uuid, draft] of drafts) {
    await uploadFolder(clientOf(service.url), uuid, folder, { limits: SMALL });
    expect(namesOf(draft)).toEqual(ALL);
  }
  expect(new Set(keys).size).toBe(keys.length);
});

test("a run that breaks off is completed by the next, and nothing is attached twice", async () => {
  const draft = new Draft();
  let down = false;
  await using service = await scriptedService((request, count) => {
    // The fifth request is carried out, but its answer is lost; after it the service is gone.
    if (down) return "drop";
    const answer = draft.reply(request);
    if (count < 5) return answer;
    down = true;
    return "drop";
  });
  const options = { limits: SMALL, parallel: 2 };
  await expect(uploadFolder(clientOf(service.url, 1), "d", folder, options)).rejects.toThrow(
    "can't be reached",
  );
  const before = draft.assets.length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(COUNT);

  down = false;
  const asked = service.seen.length;
  await using healthy = await scriptedService((request) => draft.reply(request));
  const result = await uploadFolder(clientOf(healthy.url), "d", folder, options);
  expect(namesOf(draft)).toEqual(ALL);
  expect(result.alreadyThere).toBe(before);
  expect(service.seen).toHaveLength(asked);
});

test("a batch that the service is still processing is not attached again by the next run", async () => {
  const draft = new Draft();
  await using service = await scriptedService((request) => draft.reply(request));
  await uploadFolder(clientOf(service.url), "d", folder, { limits: SMALL });
  // The listing of the next run comes before the rows of the run that was cut off.
  const late = { status: 200, body: [] };
  await using behind = await scriptedService((request, count) => (count === 1 ? late : draft.reply(request)));
  await uploadFolder(clientOf(behind.url), "d", folder, { limits: SMALL });
  expect(namesOf(draft)).toEqual(ALL);
});

test.each([{}, { copies: 2 }])(
  "a folder whose assets were all deleted is uploaded again with %j",
  async (options) => {
    const draft = new Draft();
    await using service = await scriptedService((request) => draft.reply(request));
    await uploadFolder(clientOf(service.url), "d", folder, { limits: SMALL });
    draft.assets.length = 0;
    await uploadFolder(clientOf(service.url), "d", folder, { limits: SMALL, ...options });
    expect(namesOf(draft)).toEqual(ALL);
    draft.assets.splice(3, 1);
    await uploadFolder(clientOf(service.url), "d", folder, { limits: SMALL, ...options });
    expect(namesOf(draft)).toEqual(ALL);
  },
);

test("a picture that was changed after its upload is refused by its name", async () => {
  const draft = new Draft();
  await using service = await scriptedService((request) => draft.reply(request));
  await uploadFolder(clientOf(service.url), "d", folder);
  writeFileSync(join(folder, "3.webp"), pictures(40)[39]?.bytes ?? "");
  const again = uploadFolder(clientOf(service.url), "d", folder);
  await expect(again).rejects.toBeInstanceOf(FolderError);
  await expect(again).rejects.toThrow(
    "3.webp differs from the file of that name in the draft. Delete asset u-3.webp",
  );
});

test("a file's CID is the same as an independent implementation computes", async () => {
  for (const { bytes } of pictures(8)) {
    const cid = CID.createV1(raw.code, await sha256.digest(bytes));
    expect(rawCid(bytes)).toBe(cid.toString());
  }
});

test("files that the service would refuse are reported together, and nothing is sent", async () => {
  await using service = await scriptedService(() => ({ status: 500, body: {} }));
  writeFileSync(join(folder, "90.png"), "<svg>");
  writeFileSync(join(folder, "90.json"), '{"name": ');
  writeFileSync(join(folder, "91.webp"), "RIFF....WEBPVP8 ");
  writeFileSync(join(folder, "91.json"), "[1]");
  writeFileSync(join(folder, "92.png"), pictures(1)[0]?.bytes ?? "");
  writeFileSync(join(folder, "92.json"), Buffer.from([0x7b, 0xff, 0x7d]));
  const failure = await uploadFolder(clientOf(service.url), "d", folder).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FolderError);
  expect((failure as FolderError).problems).toEqual([
    expect.stringMatching(/^90\.png can't be used: Its bytes are none of PNG, JPEG,/),
    expect.stringMatching(/^90\.json is not JSON: /),
    expect.stringMatching(/^91\.json is not a JSON object/),
    expect.stringMatching(/^92\.json is not UTF-8/),
  ]);
  expect(service.seen).toEqual([]);
});

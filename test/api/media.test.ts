import { afterEach, describe, expect, test, vi } from "vitest";
import { bodyOf } from "../support/api.ts";
import { MEDIA, OTHER_FILES } from "../support/media.ts";
import { attach, formOf, newTenant, send, storeFromUrl } from "../support/uploads.ts";

const FORMATS = Object.keys(MEDIA) as (keyof typeof MEDIA)[];

afterEach(() => {
  vi.restoreAllMocks();
});

/** Uploads one file of each format under the same kind of name, because the bytes decide. */
async function uploadAll(): Promise<Map<string, string>> {
  const files = FORMATS.map((format) => ({ name: `${format}.bin`, bytes: MEDIA[format].bytes }));
  const details = files.map(({ name }) => ({ asset_filename: name, copies: 1 }));
  const assets = await bodyOf<{ asset_filename: string; asset_cid: string; media_type: string }[]>(
    await attach(await newTenant(), formOf(details, files)),
    201,
  );
  return new Map(assets.map((asset) => [asset.asset_filename.replace(".bin", ""), asset.asset_cid]));
}

describe("media files of every type", () => {
  test("are accepted as uploads and served with their type", async () => {
    const cids = await uploadAll();
    for (const format of FORMATS) {
      const { type, bytes } = MEDIA[format];
      const answer = await send(`/ipfs/${cids.get(format)}`);
      expect(answer.status, format).toBe(200);
      expect(answer.headers.get("content-type")).toBe(type);
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(bytes));
      const part = await send(`/ipfs/${cids.get(format)}`, { headers: { Range: "bytes=4-9" } });
      expect(part.status).toBe(206);
      expect(new Uint8Array(await part.arrayBuffer())).toEqual(new Uint8Array(bytes.subarray(4, 10)));
    }
  });

  test("are served so that no script in them runs, such as an SVG's", async () => {
    const cids = await uploadAll();
    for (const format of FORMATS) {
      const { headers, body } = await send(`/ipfs/${cids.get(format)}`);
      await body?.cancel();
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      const policy = new Map(
        (headers.get("content-security-policy") ?? "").split(";").map((directive) => {
          const [name = "", ...values] = directive.trim().split(/\s+/);
          return [name, values] as const;
        }),
      );
      expect(policy.get("default-src")).toEqual(["'none'"]);
      // A sandbox without permissions: no scripts, forms or popups, and a separate origin.
      expect(policy.get("sandbox")).toEqual([]);
      for (const name of [
        "script-src",
        "script-src-elem",
        "object-src",
        "frame-src",
        "connect-src",
        "worker-src",
      ]) {
        expect(policy.get(name) ?? policy.get("default-src")).toEqual(["'none'"]);
      }
    }
  });

  test("are accepted by URL, however their bytes are chunked", async () => {
    for (const format of FORMATS) {
      const { type, bytes } = MEDIA[format];
      for (const size of [1, 100, bytes.length]) {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
            controller.close();
          },
        });
        vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(body));
        expect(await storeFromUrl("https://media.example/a")).toMatchObject({
          size: bytes.length,
          mediaType: type,
        });
        vi.restoreAllMocks();
      }
    }
  });

  test("keep their type above one block", async () => {
    for (const format of ["svg", "mp4", "mp3"] as const) {
      const { type, bytes } = MEDIA[format];
      const large = new Uint8Array(1_500_000).fill(0x20);
      large.set(bytes);
      vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(large));
      const stored = await storeFromUrl("https://media.example/a");
      expect(stored).toMatchObject({ size: large.length, mediaType: type });
      expect(stored.rootSha256).not.toBeNull();
      vi.restoreAllMocks();
    }
  });
});

describe("other files", () => {
  test("are rejected as uploads, naming each file and the accepted types", async () => {
    const files = Object.entries(OTHER_FILES).map(([name, bytes]) => ({ name: `${name}.mp4`, bytes }));
    files.push({ name: "page.svg", bytes: Uint8Array.from(new TextEncoder().encode("<html><svg/></html>")) });
    const details = files.map(({ name }) => ({ asset_filename: name, copies: 1 }));
    const error = await bodyOf<{ code: string; issues: { path: string[]; message: string }[] }>(
      await attach(await newTenant(), formOf(details, files)),
      415,
    );
    expect(error.code).toBe("unsupported_media");
    expect(error.issues.map(({ path }) => path[1])).toEqual(files.map(({ name }) => name));
    for (const { message } of error.issues) expect(message).toContain("AVIF, SVG, MP4");
    expect(error.issues.at(-1)?.message).toContain('xmlns="http://www.w3.org/2000/svg"');
  });

  test("are rejected by URL", async () => {
    for (const bytes of Object.values(OTHER_FILES)) {
      vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(bytes));
      await expect(storeFromUrl("https://media.example/a")).rejects.toMatchObject({
        code: "asset_url_failed",
        message: expect.stringContaining("none of PNG, JPEG"),
      });
      vi.restoreAllMocks();
    }
  });
});

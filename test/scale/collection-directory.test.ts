import { MemoryBlockstore } from "blockstore-core";
import { importer } from "ipfs-unixfs-importer";
import { describe, expect, test } from "vitest";
// Inside: directories of thousands of files, without a chain for their collections.
import { ipfsResult } from "../../src/collections/directory.ts";
import { picture } from "../../testing/pictures.ts";
import { bodyOf } from "../support/api.ts";
import { storedDirectory } from "../support/directories.ts";
import { attach, formOf, newTenant, send, type TestFile, usage } from "../support/uploads.ts";

/** The directory's CID from an independent implementation. */
async function importedCid(files: readonly TestFile[]): Promise<string> {
  const source = files.map(({ name, bytes }) => ({
    path: name,
    content: typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes,
  }));
  let cid = "";
  const options = { profile: "unixfs-v1-2025", wrapWithDirectory: true } as const;
  for await (const entry of importer(source, new MemoryBlockstore(), options)) cid = entry.cid.toString();
  return cid;
}

const collection = (count: number): { details: unknown[]; files: TestFile[] } => ({
  details: Array.from({ length: count }, (_, index) => ({
    asset_filename: `${index}.png`,
    reference_filename: `${index}.json`,
    copies: 1,
  })),
  files: Array.from({ length: count }).flatMap((_, index) => [
    { name: `${index}.png`, bytes: picture("png", index) },
    { name: `${index}.json`, bytes: `{"name":"#${index}"}`, part: "reference_file" },
  ]),
});

describe("a collection's directory", () => {
  test.each([1, 20, 2700])(
    "has the CID that IPFS gives it, and each of %i assets can be opened in it by name",
    async (count) => {
      const tenant = await newTenant();
      const { details, files } = collection(count);
      await bodyOf(await attach(tenant, formOf(details, files)), 201);
      usage.most = 0;
      const directory = await storedDirectory(tenant);
      expect(usage.most).toBeLessThanOrEqual(6);
      expect(directory.rootCid).toBe(await importedCid(files));
      expect(directory.blocks.length > 1).toBe(count === 2700);
      const result = ipfsResult(directory, "http://mintage.test");
      expect(result.files).toHaveLength(files.length);
      for (const index of [0, Math.floor(count / 2), count - 1]) {
        const served = await send(`/ipfs/${directory.rootCid}/${index}.png`);
        expect(new Uint8Array(await served.arrayBuffer())).toEqual(files[2 * index]?.bytes);
        expect(served.headers.get("Content-Type")).toBe("image/png");
      }
      expect((await send(`/ipfs/${directory.rootCid}/${count}.png`)).status).toBe(404);
      expect(await storedDirectory(tenant)).toEqual(directory);
    },
  );

  test("gives different files with the same name different names, in the order of the assets", async () => {
    const tenant = await newTenant();
    const upload = async (names: readonly string[], first: number) => {
      const files = names.map((name, index) => ({ name, bytes: picture("png", first + index) }));
      const details = names.map((asset_filename) => ({ asset_filename, copies: 1 }));
      await bodyOf(await attach(tenant, formOf(details, files)), 201);
    };
    await upload(["a.png", "b", "a-2.png"], 0);
    await upload(["a.png", "b"], 10);
    await upload(["a.png", "b"], 0);
    await upload(["a.png"], 20);
    const { files, rootCid } = await storedDirectory(tenant);
    expect(Array.from(files.keys()).sort()).toEqual(
      ["a-2.png", "a-3.png", "a-4.png", "a.png", "b", "b-2"].sort(),
    );
    for (const [name, seed] of [
      ["a.png", 0],
      ["a-2.png", 2],
      ["a-3.png", 10],
      ["a-4.png", 20],
      ["b-2", 11],
    ] as const) {
      const served = await send(`/ipfs/${rootCid}/${name}`);
      expect(new Uint8Array(await served.arrayBuffer())).toEqual(picture("png", seed));
    }
  });
});

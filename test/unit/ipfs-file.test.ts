import { createHash } from "node:crypto";
import { MemoryBlockstore } from "blockstore-core";
import { importBytes } from "ipfs-unixfs-importer";
import { describe, expect, test } from "vitest";
import { fileCid } from "../../src/files/ipfs/cid.ts";
import { BLOCK_SIZE, encodeFileRoot, fileLink, leafSizes } from "../../src/files/ipfs/file.ts";

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash("sha256").update(bytes).digest());

/** A file's link, made by this code from the digests of its leaves. */
function linkOf(content: Uint8Array) {
  const sizes = leafSizes(content.length);
  const leaves = sizes.map((size, index) =>
    sha256(content.subarray(index * BLOCK_SIZE, index * BLOCK_SIZE + size)),
  );
  const root = sizes.length > 1 ? sha256(encodeFileRoot(leaves, content.length)) : null;
  const file = { sha256: sha256(content), size: content.length, rootSha256: root };
  return { cid: fileCid(file.sha256, root), size: BigInt(fileLink(file).totalSize) };
}

describe("a file has the same CID and size as ipfs-unixfs-importer gives it", () => {
  const MIB = BLOCK_SIZE;
  test.each([
    0,
    1,
    127,
    128,
    262_143,
    262_144,
    262_145,
    MIB - 1,
    MIB,
    MIB + 1,
    2 * MIB - 1,
    2 * MIB,
    2 * MIB + 1,
    3 * MIB,
    16 * MIB,
    16 * MIB + 127,
    100 * MIB - 1,
    100 * MIB,
  ])("with %i bytes", async (length) => {
    const content = new Uint8Array(length);
    for (let at = 0; at < length; at += 4099) content[at] = at % 251;
    const { cid, size } = await importBytes(content, new MemoryBlockstore(), { profile: "unixfs-v1-2025" });
    expect(linkOf(content)).toEqual({ cid: cid.toString(), size });
  });

  test("and is refused if one root can't contain it", () => {
    expect(() => encodeFileRoot([sha256(new Uint8Array(1))], 1)).toThrow(RangeError);
    expect(() => encodeFileRoot([], 0)).toThrow(RangeError);
  });
});

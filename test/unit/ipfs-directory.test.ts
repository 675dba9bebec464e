import { MemoryBlockstore } from "blockstore-core";
import * as fc from "fast-check";
import { importer } from "ipfs-unixfs-importer";
import { describe, expect, test } from "vitest";
import { dagPbCid, parseCid, RAW, rawCid } from "../../src/files/ipfs/cid.ts";
import { buildDirectory, type DirectoryEntry, SHARD_ABOVE } from "../../src/files/ipfs/directory.ts";

/** The independent implementation's directory of files with the given names and contents. */
async function imported(files: readonly { name: string; content: Uint8Array }[]) {
  const source = files.map(({ name, content }) => ({ path: name, content }));
  const options = { profile: "unixfs-v1-2025", wrapWithDirectory: true } as const;
  const blocks = new MemoryBlockstore();
  let last: { cid: string; size: bigint } | undefined;
  for await (const entry of importer(source, blocks, options))
    last = { cid: entry.cid.toString(), size: entry.size };
  return last!;
}

async function entriesOf(files: readonly { name: string; content: Uint8Array }[]) {
  const entries: DirectoryEntry[] = [];
  for (const { name, content } of files) {
    const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", content as BufferSource));
    entries.push({ name, block: { codec: RAW, sha256 }, totalSize: content.length });
  }
  return entries;
}

async function built(entries: readonly DirectoryEntry[]) {
  let blocks = 0;
  let largest = 0;
  const root = await buildDirectory(entries, ({ bytes }) => {
    blocks++;
    largest = Math.max(largest, bytes.length);
  });
  return { cid: dagPbCid(root.sha256), size: BigInt(root.totalSize), blocks, largest };
}

const numbered = (count: number, suffix = ".png") =>
  Array.from({ length: count }, (_, index) => ({
    name: `${index}${suffix}`,
    content: new TextEncoder().encode(`picture ${index}`),
  }));

describe("a directory has the same CID and size as ipfs-unixfs-importer gives it", () => {
  test.each([1, 2, 3, 10, 255, 256, 257, 1000, 4000, 5000, 10_000, 20_000])(
    "with %i entries",
    async (count) => {
      const files = numbered(count);
      const { cid, size } = await built(await entriesOf(files));
      expect({ cid, size }).toEqual(await imported(files));
    },
  );

  test("with names beyond ASCII, sorted by their bytes", async () => {
    const names = [
      "é.png",
      "e.png",
      "z",
      "Z",
      "ß",
      "😀.png",
      "ｚ",
      "a b",
      "a-b",
      "a.b",
      "\u{10ffff}",
      "\uffee",
    ];
    const files = names.map((name, index) => ({ name, content: new Uint8Array([index]) }));
    const { cid, size } = await built(await entriesOf(files));
    expect({ cid, size }).toEqual(await imported(files));
  });

  test("as one block of up to 256 KiB, and in shards from the next byte on", async () => {
    const names = (extra: number) => [
      ...Array.from({ length: 4095 }, (_, index) => String(index).padStart(20, "0")),
      "x".repeat(extra),
    ];
    let seenFlat = false;
    let seenSharded = false;
    for (let extra = 10; extra <= 25; extra++) {
      const files = names(extra).map((name) => ({ name, content: new Uint8Array([1]) }));
      const entries = (await entriesOf(files.slice(0, 1))).flatMap((entry) =>
        files.map((file) => ({ ...entry, name: file.name })),
      );
      const { blocks, largest } = await built(entries);
      if (blocks === 1 && largest < SHARD_ABOVE - 1) continue;
      const ours = await built(entries);
      expect({ cid: ours.cid, size: ours.size }).toEqual(await imported(files));
      if (blocks === 1) {
        seenFlat ||= largest === SHARD_ABOVE;
      } else {
        seenSharded = true;
        break;
      }
    }
    expect({ seenFlat, seenSharded }).toEqual({ seenFlat: true, seenSharded: true });
  }, 60_000);

  test("with random names and sizes", async () => {
    const name = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
      .filter((text) => !/[/\\\0]/.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          name.filter((text) => text !== "." && text !== ".."),
          { minLength: 1, maxLength: 60 },
        ),
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        async (names, content) => {
          const files = names.map((each) => ({ name: each, content: new Uint8Array(content) }));
          const { cid, size } = await built(await entriesOf(files));
          expect({ cid, size }).toEqual(await imported(files));
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("a CID as text", () => {
  test("is read as written, in other bases and in version 0", () => {
    const sha256 = new Uint8Array(32).fill(7);
    expect(parseCid(rawCid(sha256))).toEqual({ codec: 0x55, sha256 });
    expect(parseCid(dagPbCid(sha256))).toEqual({ codec: 0x70, sha256 });
    expect(parseCid("QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn")?.codec).toBe(0x70);
    expect(parseCid(`f01551220${"07".repeat(32)}`)).toEqual({ codec: 0x55, sha256 });
  });

  test.each(["", "bafk", "favicon.ico", "bagaaierasords4njcts6vs7qvdjfcvgnume4hqohf65zsfguprqphs3icwea"])(
    "is refused if it is %j",
    (text) => expect(parseCid(text)).toBeNull(),
  );
});

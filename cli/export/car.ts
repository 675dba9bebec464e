import { CarWriter } from "@ipld/car";
import * as dagPb from "@ipld/dag-pb";
import { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";

/** Blocks asked for at once. */
const AT_ONCE = 8;
/** Tries of one block; the service answers 429 where an address reads too much. */
const TRIES = 10;

/**
 * All blocks below a root, as a CAR. It is put together here, block by block, because the gateway's own CARs are of
 * small collections only. Each block is held against its CID.
 * @param onBlock told how many blocks are read, and how many are known of
 */
export function carBelow(
  baseUrl: string,
  rootCid: string,
  onBlock: (read: number, known: number) => void,
): AsyncIterable<Uint8Array> {
  const root = CID.parse(rootCid);
  const { writer, out } = CarWriter.create([root]);
  const written = (async () => {
    const known = new Map([[root.toString(), root]]);
    const open = [root];
    let read = 0;
    while (open.length > 0) {
      const blocks = await Promise.all(open.splice(0, AT_ONCE).map((cid) => blockOf(baseUrl, cid)));
      for (const block of blocks) {
        for (const link of linksOf(block.cid, block.bytes)) {
          if (known.has(link.toString())) continue;
          known.set(link.toString(), link);
          open.push(link);
        }
        await writer.put(block);
        read += 1;
        onBlock(read, known.size);
      }
    }
    await writer.close();
  })();
  return (async function* () {
    // What goes wrong while blocks are read ends the writer's output only here.
    const pieces = out[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([pieces.next(), written.then(() => pieces.next())]);
      if (next.done) break;
      yield next.value;
    }
    await written;
  })();
}

const linksOf = (cid: CID, bytes: Uint8Array): CID[] =>
  cid.code === dagPb.code ? dagPb.decode(bytes).Links.map(({ Hash }) => Hash) : [];

async function blockOf(baseUrl: string, cid: CID): Promise<{ cid: CID; bytes: Uint8Array }> {
  const url = new URL(`/ipfs/${cid}?format=raw`, baseUrl);
  for (let tried = 1; ; tried += 1) {
    const response = await fetch(url);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.ok) {
      const { digest } = await sha256.digest(bytes);
      if (Buffer.from(digest).equals(Buffer.from(cid.multihash.digest))) return { cid, bytes };
      throw new Error(`${url} answered with other bytes than its CID names.`);
    }
    const mayRetry = response.status === 429 || response.status === 503;
    if (!mayRetry || tried === TRIES) throw new Error(`${url} answered with status ${response.status}.`);
    const seconds = Number(response.headers.get("retry-after")) || 1;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

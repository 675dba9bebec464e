import { CarWriter } from "@ipld/car";
import * as dagPb from "@ipld/dag-pb";
import { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";

/** Blocks asked for at once. */
const AT_ONCE = 8;
/** Tries of one block; the service answers 429 where an address reads too much. */
const TRIES = 10;

/** A collection's files, by their CIDs. */
export interface Files {
  /** Its directory, which has the files of its assets. */
  readonly directory: string;
  /** Files that its NFTs name, whether the directory has them or not. */
  readonly named: Iterable<string>;
}

/** Where the blocks of a CAR begin. */
export interface Roots {
  readonly directory: CID;
  /** Files that NFTs have of their own, and that the directory lacks. */
  readonly own: readonly CID[];
  /** Files that NFTs name and that the service doesn't have. */
  readonly missing: readonly string[];
}

interface Block {
  readonly cid: CID;
  readonly bytes: Uint8Array;
}

/** Finds out which files lie below a collection's directory and which beside it. */
export async function rootsOf(baseUrl: string, { directory, named }: Files): Promise<Roots> {
  const root = CID.parse(directory);
  const below = new Set([directory]);
  const folders = [root];
  while (folders.length > 0) {
    for (const block of await blocksOf(baseUrl, folders)) {
      for (const link of linksOf(block)) {
        if (below.has(link.toString())) continue;
        below.add(link.toString());
        if (link.code === dagPb.code) folders.push(link);
      }
    }
  }
  const others = [...new Set(named)].filter((cid) => !below.has(cid));
  const own: CID[] = [];
  const missing: string[] = [];
  for (let at = 0; at < others.length; at += AT_ONCE) {
    const part = others.slice(at, at + AT_ONCE);
    const found = await Promise.all(part.map((cid) => hasBlock(baseUrl, cid)));
    for (const [index, cid] of part.entries()) {
      if (found[index]) own.push(CID.parse(cid));
      else missing.push(cid);
    }
  }
  return { directory: root, own, missing };
}

/**
 * All blocks below some roots, as a CAR. It is put together here, block by block, because the gateway's own CARs are of
 * small collections only. Each block is held against its CID.
 * @param onBlock told how many blocks are read, and how many are known of
 */
export function carBelow(
  baseUrl: string,
  { directory, own }: Roots,
  onBlock: (read: number, known: number) => void,
): AsyncIterable<Uint8Array> {
  const roots = [directory, ...own];
  const { writer, out } = CarWriter.create(roots);
  const written = (async () => {
    const known = new Set(roots.map(String));
    const open = [...roots];
    let read = 0;
    while (open.length > 0) {
      for (const block of await blocksOf(baseUrl, open)) {
        for (const link of linksOf(block)) {
          if (known.has(link.toString())) continue;
          known.add(link.toString());
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

/** Takes some CIDs off a list, and reads their blocks. */
const blocksOf = (baseUrl: string, open: CID[]): Promise<Block[]> =>
  Promise.all(open.splice(0, AT_ONCE).map((cid) => blockOf(baseUrl, cid)));

const linksOf = ({ cid, bytes }: Block): CID[] =>
  cid.code === dagPb.code ? dagPb.decode(bytes).Links.map(({ Hash }) => Hash) : [];

async function blockOf(baseUrl: string, cid: CID): Promise<Block> {
  const url = blockUrl(baseUrl, String(cid));
  const response = await answered(url);
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { digest } = await sha256.digest(bytes);
  if (Buffer.from(digest).equals(Buffer.from(cid.multihash.digest))) return { cid, bytes };
  throw new Error(`${url} returned bytes that don't match its CID.`);
}

async function hasBlock(baseUrl: string, cid: string): Promise<boolean> {
  const url = blockUrl(baseUrl, cid);
  const { ok, status } = await answered(url, "HEAD");
  if (ok || status === 404) return ok;
  throw new Error(`${url} answered with status ${status}.`);
}

const blockUrl = (baseUrl: string, cid: string): URL => new URL(`/ipfs/${cid}?format=raw`, baseUrl);

/** The gateway's answer, asked for again while it is busy. */
async function answered(url: URL, method = "GET"): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    const response = await fetch(url, { method });
    const isBusy = response.status === 429 || response.status === 503;
    if (!isBusy || tried === TRIES) return response;
    await response.body?.cancel();
    const seconds = Number(response.headers.get("retry-after")) || 1;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

import { createHash, type Hash } from "node:crypto";
import { BLOCK_SIZE, encodeFileRoot } from "./file.ts";

export interface FileDigests {
  readonly sha256: Uint8Array;
  /** SHA-256 of the dag-pb root; null for a file that is one raw block. */
  readonly rootSha256: Uint8Array | null;
  /** SHA-256 of each 1 MiB leaf; empty for a file that is one raw block. */
  readonly leaves: readonly Uint8Array[];
  /** Bytes. */
  readonly size: number;
}

const sha256 = (): Hash => createHash("sha256");
const digestOf = (hash: Hash): Uint8Array => new Uint8Array(hash.digest());

/** Computes a file's SHA-256 and CID from its stream. */
export class FileHasher {
  readonly #whole = sha256();
  readonly #leaves: Uint8Array[] = [];
  #leaf = sha256();
  #leafSize = 0;
  #size = 0;

  /** Bytes seen. */
  get size(): number {
    return this.#size;
  }

  /** The file's next bytes. */
  update(bytes: Uint8Array): void {
    this.#whole.update(bytes);
    this.#size += bytes.length;
    for (let rest = bytes; rest.length > 0; ) {
      const part = rest.subarray(0, BLOCK_SIZE - this.#leafSize);
      this.#leaf.update(part);
      this.#leafSize += part.length;
      rest = rest.subarray(part.length);
      if (this.#leafSize === BLOCK_SIZE) this.#endLeaf();
    }
  }

  #endLeaf(): void {
    this.#leaves.push(digestOf(this.#leaf));
    this.#leaf = sha256();
    this.#leafSize = 0;
  }

  /** The digests of all bytes so far. Call it once. */
  finish(): FileDigests {
    if (this.#leafSize > 0) this.#endLeaf();
    const whole = digestOf(this.#whole);
    if (this.#leaves.length < 2) return { sha256: whole, rootSha256: null, leaves: [], size: this.#size };
    const root = encodeFileRoot(this.#leaves, this.#size);
    const rootSha256 = digestOf(sha256().update(root));
    return { sha256: whole, rootSha256, leaves: this.#leaves, size: this.#size };
  }
}

import { varint } from "multiformats";
import { type BlockId, CID_LENGTH, cidBytes, writeVarint } from "./cid.ts";

/** The header of a CAR of version 1 with one root, in DAG-CBOR (https://ipld.io/specs/transport/car/carv1/). */
export function carHeader(root: BlockId): Uint8Array {
  const text = (name: string): number[] => [0x60 + name.length, ...Buffer.from(name)];
  // A link is tag 42 over the binary CID behind a zero byte.
  const link = [0xd8, 0x2a, 0x58, CID_LENGTH + 1, 0, ...cidBytes(root)];
  const body = [0xa2, ...text("roots"), 0x81, ...link, ...text("version"), 1];
  return Uint8Array.of(body.length, ...body);
}

/** Bytes of a block's section in a CAR. */
export const carSectionLength = (blockLength: number): number =>
  varint.encodingLength(CID_LENGTH + blockLength) + CID_LENGTH + blockLength;

/** The bytes before a block in a CAR: the section's length and the CID. */
export function carSectionHead(block: BlockId, blockLength: number): Uint8Array {
  const head = new Uint8Array(carSectionLength(blockLength) - blockLength);
  head.set(cidBytes(block), writeVarint(head, 0, CID_LENGTH + blockLength));
  return head;
}

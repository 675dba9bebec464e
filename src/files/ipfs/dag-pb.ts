import { varint } from "multiformats";
import { CID_LENGTH, readVarint, writeVarint } from "./cid.ts";

/*
 * dag-pb by hand: @ipld/dag-pb needs a CID object and a text for each link, which makes encoding 40 times slower and a
 * directory of 20,000 files half again as expensive (docs/measurements.md). Tests compare the blocks with it.
 */

export interface Link {
  /** Binary CIDv1, 36 bytes. */
  readonly cid: Uint8Array;
  /** UTF-8. */
  readonly name: Uint8Array;
  /** Bytes of all blocks below, the linked one included. */
  readonly totalSize: number;
}

/** A dag-pb node: links and, here, UnixFS metadata as its data. */
export interface Node {
  readonly links: readonly Link[];
  readonly data: Uint8Array;
}

/** Tags of the dag-pb specification: field number × 8 + wire type. */
const NODE_DATA = 0x0a;
const NODE_LINK = 0x12;
const LINK_CID = 0x0a;
const LINK_NAME = 0x12;
const LINK_SIZE = 0x18;

/** Bytes of a field with its tag and length. */
const fieldLength = (length: number): number => 1 + varint.encodingLength(length) + length;

const linkBodyLength = (nameLength: number, totalSize: number): number =>
  fieldLength(CID_LENGTH) + fieldLength(nameLength) + 1 + varint.encodingLength(totalSize);

/** Bytes that a link adds to its node. */
export const linkLength = (nameLength: number, totalSize: number): number =>
  fieldLength(linkBodyLength(nameLength, totalSize));

/** Bytes that the data field adds to its node. */
export const dataLength = (data: Uint8Array): number => fieldLength(data.length);

/**
 * Encodes a node canonically: links in the order given, then the data (https://ipld.io/specs/codecs/dag-pb/spec/). A
 * directory's links have to be sorted by their names' bytes.
 */
export function encodeNode({ links, data }: Node): Uint8Array {
  let length = dataLength(data);
  for (const link of links) length += linkLength(link.name.length, link.totalSize);
  const target = new Uint8Array(length);
  let at = 0;
  const field = (tag: number, bytes: Uint8Array): void => {
    target[at++] = tag;
    at = writeVarint(target, at, bytes.length);
    target.set(bytes, at);
    at += bytes.length;
  };
  for (const link of links) {
    target[at++] = NODE_LINK;
    at = writeVarint(target, at, linkBodyLength(link.name.length, link.totalSize));
    field(LINK_CID, link.cid);
    field(LINK_NAME, link.name);
    target[at++] = LINK_SIZE;
    at = writeVarint(target, at, link.totalSize);
  }
  field(NODE_DATA, data);
  return target;
}

/** Reads a protobuf message's fields: varints as `value`, others as `bytes`. @throws RangeError if one is cut off */
export function* fieldsOf(
  source: Uint8Array,
): Generator<{ readonly tag: number; readonly value: number; readonly bytes: Uint8Array }, void, void> {
  for (let at = 0; at < source.length; ) {
    const tag = source[at]!;
    const { value, next } = readVarint(source, at + 1);
    const end = (tag & 7) === 0 ? next : next + value;
    if (end > source.length) throw new RangeError("a protobuf field is cut off");
    yield { tag, value, bytes: source.subarray(next, end) };
    at = end;
  }
}

/** Decodes a node that was encoded canonically. @throws RangeError if it wasn't */
export function decodeNode(source: Uint8Array): Node {
  const links: Link[] = [];
  let data = new Uint8Array(0);
  for (const { tag, bytes } of fieldsOf(source)) {
    if (tag === NODE_LINK) links.push(decodeLink(bytes));
    else if (tag === NODE_DATA) data = new Uint8Array(bytes);
    else throw new RangeError("a dag-pb node has an unknown field");
  }
  return { links, data };
}

function decodeLink(source: Uint8Array): Link {
  let cid = new Uint8Array(0);
  let name = new Uint8Array(0);
  let totalSize = 0;
  for (const { tag, value, bytes } of fieldsOf(source)) {
    if (tag === LINK_SIZE) totalSize = value;
    else if (tag === LINK_CID) cid = new Uint8Array(bytes);
    else if (tag === LINK_NAME) name = new Uint8Array(bytes);
    else throw new RangeError("a dag-pb link has an unknown field");
  }
  return { cid, name, totalSize };
}

/** Reads WebAssembly's binary format: sections, LEB128 numbers, and instructions with their immediates. */

export class WasmReader {
  readonly bytes: Uint8Array;
  offset: number;
  readonly end: number;

  constructor(bytes: Uint8Array, offset = 0, end = bytes.length) {
    this.bytes = bytes;
    this.offset = offset;
    this.end = end;
  }

  get done(): boolean {
    return this.offset >= this.end;
  }

  byte(): number {
    if (this.offset >= this.end) throw new Error("unexpected end of the module");
    return this.bytes[this.offset++]!;
  }

  u32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error("number too long");
  }

  /** Passes a signed or unsigned number of any width. */
  skipNumber(): void {
    while (this.byte() >= 0x80);
  }

  take(length: number): Uint8Array {
    if (this.offset + length > this.end) throw new Error("unexpected end of the module");
    const start = this.offset;
    this.offset += length;
    return this.bytes.subarray(start, this.offset);
  }

  name(): string {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.take(this.u32()));
  }

  /** The limits of a table or memory. */
  limits(): { minimum: number; maximum?: number } {
    const flag = this.byte();
    const minimum = this.u32();
    return flag & 1 ? { minimum, maximum: this.u32() } : { minimum };
  }
}

export interface Section {
  id: number;
  content: Uint8Array;
}

/** @throws if the bytes aren't a WebAssembly module of version 1. */
export function readSections(wasm: Uint8Array): Section[] {
  const reader = new WasmReader(wasm);
  if (Buffer.from(reader.take(8)).toString("hex") !== "0061736d01000000")
    throw new Error("not a wasm module");
  const sections: Section[] = [];
  while (!reader.done) {
    const id = reader.byte();
    sections.push({ id, content: reader.take(reader.u32()) });
  }
  return sections;
}

export function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) | 0x80);
  }
}

/** What metering needs to know of an instruction. */
export type InstructionKind =
  | "plain"
  /** Costs nothing. */
  | "block"
  | "else"
  | "end"
  /** Ends a run of instructions that are executed together. */
  | "branch"
  /** Costs by the number of bytes, elements or pages on top of the stack. */
  | "linear"
  /** Opens a frame that an `end` closes, and ends a run. */
  | "loop"
  | "if";

const LOADS_AND_STORES = [0x28, 0x3e] as const;
const LINEAR = new Set([8, 10, 11, 12, 14, 15, 17]); // memory.init/copy/fill, table.init/copy/grow/fill

/** Passes one instruction and says what kind it is. @throws for one that the protocol's wasm doesn't have. */
export function readInstruction(reader: WasmReader): InstructionKind {
  const opcode = reader.byte();
  if (opcode >= LOADS_AND_STORES[0] && opcode <= LOADS_AND_STORES[1]) {
    reader.skipNumber();
    reader.skipNumber();
    return "plain";
  }
  if (opcode >= 0x45 && opcode <= 0xc4) return "plain";
  switch (opcode) {
    case 0x00: // unreachable
    case 0x0f: // return
      return "branch";
    case 0x01: // nop
    case 0x1a: // drop
    case 0x1b: // select
    case 0xd1: // ref.is_null
      return "plain";
    case 0x02:
      reader.skipNumber();
      return "block";
    case 0x03:
      reader.skipNumber();
      return "loop";
    case 0x04:
      reader.skipNumber();
      return "if";
    case 0x05:
      return "else";
    case 0x0b:
      return "end";
    case 0x0c: // br
    case 0x0d: // br_if
    case 0x10: // call
      reader.skipNumber();
      return "branch";
    case 0x0e: // br_table
      for (let targets = reader.u32(); targets >= 0; targets--) reader.skipNumber();
      return "branch";
    case 0x11: // call_indirect
      reader.skipNumber();
      reader.skipNumber();
      return "branch";
    case 0x1c: // select with types
      reader.take(reader.u32());
      return "plain";
    case 0x20: // local.get … table.set
    case 0x21:
    case 0x22:
    case 0x23:
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x3f: // memory.size
    case 0x41: // i32.const
    case 0x42: // i64.const
    case 0xd0: // ref.null
    case 0xd2: // ref.func
      reader.skipNumber();
      return "plain";
    case 0x40: // memory.grow
      reader.skipNumber();
      return "linear";
    case 0x43: // f32.const
      reader.take(4);
      return "plain";
    case 0x44: // f64.const
      reader.take(8);
      return "plain";
    case 0xfc:
      return readPrefixed(reader);
    default:
      throw new Error(`unsupported instruction 0x${opcode.toString(16)}`);
  }
}

function readPrefixed(reader: WasmReader): InstructionKind {
  const opcode = reader.u32();
  if (opcode > 17) throw new Error(`unsupported instruction 0xfc ${opcode}`);
  const immediates = opcode < 8 ? 0 : [8, 10, 12, 14].includes(opcode) ? 2 : 1;
  for (let i = 0; i < immediates; i++) reader.skipNumber();
  return LINEAR.has(opcode) ? "linear" : "plain";
}

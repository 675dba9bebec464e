/**
 * Makes contract code pay for its instructions, as nearcore does (finite-wasm): a global holds the gas left, and every
 * run of instructions that are executed together is charged before it starts. An instruction costs 822,756 gas,
 * `block`, `else` and `end` nothing, bulk operations 26,328,192 and 822,756 a unit, and entering a function as many
 * instructions as its locals and return address fill 8-byte words.
 *
 * Gas is an f64 in the module: below 2^53 its arithmetic is exact, calls have at most 10^15, and JavaScript reads it
 * as a number. An exhausted global traps; the caller sees it below zero and knows why.
 */
import { leb, readInstruction, readSections, WasmReader } from "./wasm-reader.ts";

export const GAS_EXPORT = "\0gas";
export const MEMORY_EXPORT = "\0memory";
export const START_EXPORT = "\0start";

/** Prices of instructions and limits of the module, from the protocol's configuration. */
export interface MeteringRules {
  regular_op_cost: number;
  linear_op_base_cost: number;
  linear_op_unit_cost: number;
  limit_config: {
    initial_memory_pages: number;
    max_memory_pages: number;
    max_functions_number_per_contract: number;
  };
}

const TYPE = 1;
const IMPORT = 2;
const FUNCTION = 3;
const MEMORY = 5;
const GLOBAL = 6;
const EXPORT = 7;
const START = 8;
const ELEMENT = 9;
const DATA_COUNT = 12;
const CODE = 10;
const DATA = 11;
const ORDER = [TYPE, IMPORT, FUNCTION, 4, MEMORY, GLOBAL, EXPORT, ELEMENT, DATA_COUNT, CODE, DATA];

/** Bytes that the protocol counts for a call's return address and saved registers. */
const FRAME_BYTES = 64;
const VALUE_BYTES: Record<number, number> = { 127: 4, 126: 8, 125: 4, 124: 8, 112: 8, 111: 8 };

function f64Const(value: number): number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return [0x44, ...bytes];
}

/** A vector section's number of entries and the bytes of its entries. */
function entries(content: Uint8Array | undefined): { count: number; body: Uint8Array } {
  if (!content) return { count: 0, body: new Uint8Array() };
  const reader = new WasmReader(content);
  const count = reader.u32();
  return { count, body: content.subarray(reader.offset) };
}

function vector(count: number, ...bodies: Uint8Array[]): Uint8Array {
  return Buffer.concat([Uint8Array.from(leb(count)), ...bodies]);
}

interface Imports {
  functions: number;
  globals: number;
  memoryPages?: number;
  /** The section without an imported memory, which the chain provides itself. */
  content: Uint8Array;
}

function readImports(content: Uint8Array | undefined): Imports {
  if (!content) return { functions: 0, globals: 0, content: vector(0) };
  const reader = new WasmReader(content);
  const kept: Uint8Array[] = [];
  let functions = 0;
  let globals = 0;
  let memoryPages: number | undefined;
  for (let count = reader.u32(); count > 0; count--) {
    const start = reader.offset;
    reader.name();
    reader.name();
    const kind = reader.byte();
    if (kind === 0) {
      reader.u32();
      functions++;
    } else if (kind === 1) {
      reader.byte();
      reader.limits();
    } else if (kind === 2) {
      memoryPages = reader.limits().minimum;
      continue;
    } else {
      reader.take(2);
      globals++;
    }
    kept.push(content.subarray(start, reader.offset));
  }
  return { functions, globals, memoryPages, content: vector(kept.length, ...kept) };
}

function ownMemoryPages(content: Uint8Array | undefined): number {
  if (!content) return 0;
  const reader = new WasmReader(content);
  return reader.u32() === 0 ? 0 : reader.limits().minimum;
}

/**
 * The protocol gives every contract 1,024 pages and lets it grow by as many. Here it gets what it declares, and may
 * grow by as many: 64 MiB for each call would keep the garbage collector busy with nothing else.
 */
function memorySection(pages: number, rules: MeteringRules): Uint8Array {
  const { initial_memory_pages, max_memory_pages } = rules.limit_config;
  if (pages > initial_memory_pages) throw new Error("Error creating memory.");
  return Uint8Array.from([1, 1, ...leb(pages), ...leb(pages + max_memory_pages - initial_memory_pages)]);
}

/** The bytes of parameters of each function type: they are locals of the functions that have it. */
function parameterBytes(content: Uint8Array | undefined): number[] {
  if (!content) return [];
  const reader = new WasmReader(content);
  const sizes: number[] = [];
  for (let count = reader.u32(); count > 0; count--) {
    if (reader.byte() !== 0x60) throw new Error("unsupported type");
    const parameters = reader.take(reader.u32());
    reader.take(reader.u32());
    sizes.push(parameters.reduce((sum, type) => sum + (VALUE_BYTES[type] ?? 8), 0));
  }
  return sizes;
}

/** Indices of the functions that metering adds behind those of the module. */
interface Added {
  charge: number;
  chargeLinear: number;
}

function meterFunction(body: Uint8Array, parameters: number, added: Added, rules: MeteringRules): Uint8Array {
  const reader = new WasmReader(body);
  let frame = FRAME_BYTES + parameters;
  for (let groups = reader.u32(); groups > 0; groups--) {
    const count = reader.u32();
    frame += count * (VALUE_BYTES[reader.byte()] ?? 8);
  }
  const out: Uint8Array[] = [body.subarray(0, reader.offset)];
  let runStart = reader.offset;
  let runCost = Math.ceil(frame / 8);
  /** Ends the run at the reader's place: its charge, then its instructions. */
  const endRun = () => {
    if (runCost > 0)
      out.push(Uint8Array.from([...f64Const(runCost * rules.regular_op_cost), ...call(added.charge)]));
    out.push(body.subarray(runStart, reader.offset));
    runStart = reader.offset;
    runCost = 0;
  };
  while (!reader.done) {
    const start = reader.offset;
    const kind = readInstruction(reader);
    if (kind === "linear") {
      const after = reader.offset;
      reader.offset = start;
      endRun();
      out.push(Uint8Array.from(call(added.chargeLinear)));
      reader.offset = after;
    } else {
      const isFree = kind === "block" || kind === "else" || kind === "end";
      // A loop's own cost falls due with every turn, so it belongs to the run inside.
      if (!isFree && kind !== "loop") runCost++;
      if (kind !== "plain" && kind !== "block") endRun();
      if (kind === "loop") runCost++;
    }
  }
  const code = Buffer.concat(out);
  return Buffer.concat([Uint8Array.from(leb(code.length)), code]);
}

const call = (index: number) => [0x10, ...leb(index)];

/** Bodies of the two added functions: take gas and trap below zero; the second prices a count and hands it on. */
function chargeBodies(gasGlobal: number, added: Added, rules: MeteringRules): Uint8Array[] {
  const gas = leb(gasGlobal);
  const charge = [0, 0x23, ...gas, 0x20, 0, 0xa1, 0x24, ...gas];
  charge.push(0x23, ...gas, ...f64Const(0), 0x63, 0x04, 0x40, 0x00, 0x0b, 0x0b);
  const linear = [0, 0x20, 0, 0xb8, ...f64Const(rules.linear_op_unit_cost), 0xa2];
  linear.push(...f64Const(rules.linear_op_base_cost), 0xa0, ...call(added.charge), 0x20, 0, 0x0b);
  return [charge, linear].map((body) => Uint8Array.from([...leb(body.length), ...body]));
}

function meterCode(
  code: Uint8Array | undefined,
  functionTypes: number[],
  parameters: number[],
  gasGlobal: number,
  added: Added,
  rules: MeteringRules,
): Uint8Array {
  const bodies: Uint8Array[] = [];
  const reader = new WasmReader(code ?? vector(0));
  for (let count = reader.u32(); count > 0; count--) {
    const body = reader.take(reader.u32());
    const type = functionTypes[bodies.length];
    if (type === undefined || parameters[type] === undefined) throw new Error("a function without a type");
    bodies.push(meterFunction(body, parameters[type], added, rules));
  }
  return vector(bodies.length + 2, ...bodies, ...chargeBodies(gasGlobal, added, rules));
}

function readFunctionTypes(content: Uint8Array | undefined): number[] {
  if (!content) return [];
  const reader = new WasmReader(content);
  return Array.from({ length: reader.u32() }, () => reader.u32());
}

function exportEntry(name: string, kind: number, index: number): Uint8Array {
  const bytes = Buffer.from(name);
  return Uint8Array.from([...leb(bytes.length), ...bytes, kind, ...leb(index)]);
}

/** The module with metering, the protocol's memory and no start function. @throws if it isn't valid for the protocol. */
export function meter(wasm: Uint8Array, rules: MeteringRules): Uint8Array {
  const found = new Map<number, Uint8Array>();
  for (const section of readSections(wasm)) if (section.id !== 0) found.set(section.id, section.content);
  const imports = readImports(found.get(IMPORT));
  const types = entries(found.get(TYPE));
  const functionTypes = readFunctionTypes(found.get(FUNCTION));
  if (functionTypes.length > rules.limit_config.max_functions_number_per_contract)
    throw new Error("Too many functions in contract.");
  const globals = entries(found.get(GLOBAL));
  const functions = imports.functions + functionTypes.length;
  const added = { charge: functions, chargeLinear: functions + 1 };
  const gasGlobal = imports.globals + globals.count;
  const parameters = parameterBytes(found.get(TYPE));

  found.set(
    TYPE,
    vector(types.count + 2, types.body, Uint8Array.of(0x60, 1, 0x7c, 0, 0x60, 1, 0x7f, 1, 0x7f)),
  );
  found.set(IMPORT, imports.content);
  found.set(
    FUNCTION,
    vector(
      functionTypes.length + 2,
      Uint8Array.from([...functionTypes, types.count, types.count + 1].flatMap(leb)),
    ),
  );
  found.set(MEMORY, memorySection(imports.memoryPages ?? ownMemoryPages(found.get(MEMORY)), rules));
  found.set(
    GLOBAL,
    vector(globals.count + 1, globals.body, Uint8Array.from([0x7c, 1, ...f64Const(0), 0x0b])),
  );
  const exported = entries(found.get(EXPORT));
  const extra = [exportEntry(GAS_EXPORT, 3, gasGlobal), exportEntry(MEMORY_EXPORT, 2, 0)];
  const start = found.get(START);
  if (start) extra.push(exportEntry(START_EXPORT, 0, new WasmReader(start).u32()));
  found.set(EXPORT, vector(exported.count + extra.length, exported.body, ...extra));
  found.set(CODE, meterCode(found.get(CODE), functionTypes, parameters, gasGlobal, added, rules));

  const out: Uint8Array[] = [wasm.subarray(0, 8)];
  for (const id of ORDER) {
    const content = found.get(id);
    if (content) out.push(Uint8Array.from([id, ...leb(content.length)]), content);
  }
  return Buffer.concat(out);
}

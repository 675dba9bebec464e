/** Code for the conformance suite: the probe contract, assembled from its text. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import binaryen from "binaryen";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url).href);

function assemble(text: string): Uint8Array {
  const module = binaryen.parseText(text);
  try {
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}

export const probeWasm = assemble(readFileSync(file("./probe.wat"), "utf8").toString());

/** A contract that needs a function which no protocol has. */
export const unlinkableWasm = assemble(
  '(module (import "env" "no_such_function" (func $f)) (func (export "main") (call $f)))',
);

/** Mintage's own contract, as built. */
export const mintageWasm: Uint8Array = readFileSync(file("../../contract/wasm/mintage.wasm"));

/** Metered modules, compiled once for each code hash. */
import type { ProtocolConfig } from "../protocol/config.ts";
import { type CallError, linkError, prepareError } from "./errors.ts";
import { hostFunctions } from "./functions/index.ts";
import { meter } from "./metering.ts";

export interface PreparedModule {
  module: WebAssembly.Module;
  imports: WebAssembly.ModuleImportDescriptor[];
  exports: ReadonlyMap<string, string>;
}

/** The constructor that the types of the Workers runtime hide; Node has it. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

const prepared = new Map<string, PreparedModule | CallError>();

/** Host functions that came with a protocol version, by the flag that says whether a version has them. */
const LATER_FUNCTIONS: Record<string, keyof ProtocolConfig["view"]["wasm_config"]> = {
  chain_id: "chain_id_host_fn",
  sha3_256: "sha3_host_fns",
  sha3_384: "sha3_host_fns",
  sha3_512: "sha3_host_fns",
  p256_verify: "p256_verify_host_fn",
};

function prepare(code: Uint8Array, config: ProtocolConfig): PreparedModule | CallError {
  let module: WebAssembly.Module;
  try {
    module = new Module(Buffer.from(meter(code, config.view.wasm_config)));
  } catch {
    return prepareError(); // whatever is wrong with the bytes, the protocol's answer is one error
  }
  const imports = WebAssembly.Module.imports(module);
  for (const { module: from, name, kind } of imports) {
    const flag = LATER_FUNCTIONS[name];
    const known = from === "env" && kind === "function" && Object.hasOwn(hostFunctions, name);
    if (!known || (flag && !config.view.wasm_config[flag]))
      return linkError(`unknown or invalid import: ${from}.${name}`);
  }
  const exports = new Map(WebAssembly.Module.exports(module).map(({ name, kind }) => [name, kind]));
  return { module, imports, exports };
}

/** The compiled module of a code hash, or the error that every call of it ends with. */
export function prepareModule(
  codeHash: string,
  code: Uint8Array,
  config: ProtocolConfig,
): PreparedModule | CallError {
  const key = `${config.protocolVersion}:${codeHash}`;
  let module = prepared.get(key);
  if (!module) {
    module = prepare(code, config);
    if (prepared.size >= 200) prepared.clear();
    prepared.set(key, module);
  }
  return module;
}

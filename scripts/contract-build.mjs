// npm run contract:build — builds the contract and writes contract/wasm/mintage.wasm and its digest.
import { join } from "node:path";
import { build, contract, digest, store } from "./contract-wasm.mjs";

const bytes = build(join(contract, "target", "wasm"));
store(bytes);
console.log(`contract/wasm/mintage.wasm: ${bytes.length} bytes, sha256 ${digest(bytes)}`);

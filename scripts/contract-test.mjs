// npm run contract:test — the contract's rules, and the built module run natively with the protocol's own gas.
import { spawnSync } from "node:child_process";
import { contract } from "./contract-wasm.mjs";

const { status, error } = spawnSync("cargo", ["test", "--locked", "--workspace", ...process.argv.slice(2)], {
  cwd: contract,
  stdio: "inherit",
});
if (error) console.error(`cargo can't be run (${error.message}); install Rust from https://rustup.rs`);
process.exit(status ?? 1);

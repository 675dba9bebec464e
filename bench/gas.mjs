// `npm run bench:gas [-- --json]`: runs the gas bench of the contract's workspace, which prints the table or the line.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const workspace = fileURLToPath(new URL("../contract/", import.meta.url));
const bench = spawnSync(
  "cargo",
  ["run", "--quiet", "--locked", "--package", "harness", "--bin", "gas", "--", ...process.argv.slice(2)],
  { cwd: workspace, stdio: "inherit" },
);
if (bench.error) {
  console.error(`The bench needs Rust's cargo (https://rustup.rs): ${bench.error.message}`);
  process.exit(1);
}
process.exit(bench.status ?? 1);

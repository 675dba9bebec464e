// `npm run bench:gas [-- --json]`: runs the gas bench of the contract's workspace, which prints the table or the line.
// With `--write` it measures the mean gas of the service's calls and writes it to src/chain/mean-gas.ts.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const isWriting = process.argv.includes("--write");
const bench = spawnSync(
  "cargo",
  [
    ...["run", "--quiet", "--locked", "--package", "harness", "--bin", "gas", "--"],
    ...(isWriting ? ["--means"] : process.argv.slice(2)),
  ],
  { cwd: at("contract/"), stdio: ["inherit", isWriting ? "pipe" : "inherit", "inherit"], encoding: "utf8" },
);
if (bench.error) {
  console.error(`The bench needs Rust's cargo (https://rustup.rs): ${bench.error.message}`);
  process.exit(1);
}
if (isWriting && bench.status === 0) {
  const methods = Object.entries(JSON.parse(bench.stdout)).map(([method, terms]) => {
    const fields = Object.entries(terms).map(([unit, ggas]) => `${unit}: ${ggas}`);
    return `  ${method}: { ${fields.join(", ")} },\n`;
  });
  writeFileSync(
    at("src/chain/mean-gas.ts"),
    `/**
 * Mean gas of the service's calls in Ggas, written by \`npm run bench:gas -- --write\`: a constant (\`call\`), plus an
 * amount per \`byte\` of arguments, \`item\` (token of a mint or of many updates, account of a list), \`receiver\` of a mint,
 * token with its \`own\` metadata, and \`own_byte\` of that metadata. \`ft_transfer\`, \`shares_withdraw\` and
 * \`storage_deposit\` are those of the standards' token; another token's own may differ.
 */
export const MEAN_GAS = {
${methods.join("")}} as const satisfies Readonly<Record<string, MeanGas>>;

/** Mean gas of a method, Ggas. */
export interface MeanGas {
  readonly call: number;
  readonly byte?: number;
  readonly item?: number;
  readonly receiver?: number;
  readonly own?: number;
  readonly own_byte?: number;
}
`,
  );
}
process.exit(bench.status ?? 1);

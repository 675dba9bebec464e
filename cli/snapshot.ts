/** `npm run snapshot -- <contract|collection>`: who holds what, at one block. */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isAccountId } from "./account-ids.ts";
import { commandClient, localService, run, UsageError, UUID } from "./command.ts";
import { csvText } from "./csv.ts";
import { ProgressLine } from "./progress.ts";
import { contractHolders, type Snapshot } from "./snapshot/contract-holders.ts";
import { counted } from "./table.ts";

const USAGE = `npm run snapshot -- <contract|collection> [options]

Writes who holds how many tokens at one final block, with the block's height and
hash: of a collection by its uuid, or of all tokens of any contract on NEAR that
lists them (NEP-181).

  --out FILE   where to (<contract|collection>.<height>.json)
  --csv        as CSV with the columns account, quantity, block_height, block_hash;
               npm run airdrop takes the first two
A contract is read from NEAR_RPC_URL, or the node of npm start; a collection
through MINTAGE_URL with MINTAGE_API_KEY, or the service of npm start.`;

async function ofCollection(uuid: string): Promise<Snapshot> {
  const client = commandClient();
  const { contract_address } = await client.collections.get(uuid);
  const { block_height, block_hash, holders } = await client.collections.holders(uuid);
  return { contract_address, collection_uuid: uuid, block_height, block_hash, holders };
}

async function ofContract(contract: string): Promise<Snapshot> {
  const rpcUrl = process.env.NEAR_RPC_URL?.split(",")[0] || localService()?.rpcUrl;
  if (!rpcUrl) throw new UsageError("Set NEAR_RPC_URL to the address of a node of the contract's network.");
  const line = new ProgressLine();
  try {
    return await contractHolders(rpcUrl, contract, (read, total) =>
      line.show(read / Math.max(1, total), `${read} of ${counted(total, "token")}`),
    );
  } finally {
    line.end();
  }
}

const textOf = (snapshot: Snapshot, isCsv: boolean): string => {
  if (!isCsv) return `${JSON.stringify(snapshot, null, 2)}\n`;
  const { block_height, block_hash, holders } = snapshot;
  const rows = holders.map(({ account_id, tokens }) => [account_id, tokens, block_height, block_hash]);
  return csvText(["account", "quantity", "block_height", "block_hash"], rows);
};

await run(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: "string" },
      csv: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [name] = positionals;
  if (values.help || positionals.length !== 1 || !name) throw new UsageError(USAGE);
  if (!UUID.test(name) && !isAccountId(name))
    throw new UsageError(`"${name}" is neither a contract's account id nor a uuid.`);
  // A uuid may be an account id, too: what has its form is taken for a collection.
  const snapshot = UUID.test(name) ? await ofCollection(name.toLowerCase()) : await ofContract(name);
  const file = values.out ?? `${name}.${snapshot.block_height}.${values.csv ? "csv" : "json"}`;
  writeFileSync(file, textOf(snapshot, values.csv));
  const tokens = snapshot.holders.reduce((sum, { tokens: each }) => sum + each, 0);
  process.stdout.write(
    `${file}: ${counted(tokens, "token")} of ${counted(snapshot.holders.length, "account")} at block ${snapshot.block_height} (${snapshot.block_hash})\n`,
  );
});

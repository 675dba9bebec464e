/** `npm run backup -- <folder>`: copies all that `npm start` keeps on this machine. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { claimStill } from "./backup/claim.ts";
import { writeBackup } from "./backup/copy.ts";
import { localData, run, UsageError } from "./command.ts";
import { size } from "./progress.ts";
import { counted } from "./table.ts";

const USAGE = `npm run backup -- <folder> [--json]

Copies all that npm start keeps on this machine into a new folder: database,
files, secrets, and with the embedded chain the chain and its wallets. End
npm start first. Whoever has the folder has the wallets: keep it safe.
npm run restore -- <folder> puts it back.

MINTAGE_DATA and MINTAGE_NETWORK name other data than .mintage/ has. A service on
Cloudflare is copied by wrangler (docs/running.md, "Backup and restore").`;

await run(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  const [named, ...others] = positionals;
  if (values.help || named === undefined || others.length > 0) throw new UsageError(USAGE);
  const target = resolve(named);
  if (existsSync(target)) throw new UsageError(`${target} exists already; name a new folder.`);
  const { folder, network } = localData();
  if (target.startsWith(`${folder}/`)) throw new UsageError(`Name a folder outside of ${folder}.`);
  await claimStill(folder, "so that all parts of the copy are of one moment");
  const { files, has_chain: hasChain } = await writeBackup(folder, network, target);
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const wallets = hasChain
    ? ""
    : "\nThe wallets' objects aren't in it, their sealed keys are: npm run restore says how they come back.";
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ folder: target, network, files: files.length, bytes })}\n`
      : `${target} has all data of ${network}: ${counted(files.length, "file")}, ${size(bytes)}. Whoever has it has the wallets.${wallets}\n`,
  );
});

/** `npm run restore -- <folder | export.sql>`: puts a backup back, or makes an export of D1 ready for that. */

import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { claimStill } from "./backup/claim.ts";
import { putBack, readBackup } from "./backup/copy.ts";
import { writeImport } from "./backup/d1-import.ts";
import { run, stateOf, UsageError } from "./command.ts";
import { agreed } from "./questions.ts";
import { counted } from "./table.ts";

const USAGE = `npm run restore -- <folder> [--yes]
npm run restore -- <export.sql>

A folder is one of npm run backup. Its files are checked, and put in the place of
what npm start keeps on this machine, which is moved aside. End npm start first.

A file is an export of D1 (wrangler d1 export). D1 doesn't take it as it is; the
command writes <export>.import.sql, which D1 takes (docs/running.md, "Backup and
restore").

MINTAGE_DATA names another place than .mintage/.`;

async function restoreFolder(folder: string, yes: boolean): Promise<string> {
  const manifest = await readBackup(folder);
  const { network, created_at: at, files, has_chain: hasChain } = manifest;
  const stateDir = join(stateOf(), network);
  process.stderr.write(
    `A backup of ${network} from ${at}, ${counted(files.length, "file")}, all unchanged.\n`,
  );
  if (!yes && !(await agreed(`Replace ${stateDir} with it?`))) return "Nothing was restored.";
  await claimStill(stateDir, "so that its data can be moved aside");
  const kept = `${stateDir}.before-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  const hadData = putBack(folder, manifest, stateDir, kept);
  const before = hadData ? `\nThe previous data is in ${kept}.` : "";
  return `${stateDir} is restored.${before}\n${hasChain ? "Next: npm start" : WALLETS_BACK}`;
}

const WALLETS_BACK = `The chain has gone on since, so the wallets come back from their sealed keys:
  npm start
  npm run admin -- integrations                     lists them; for each:
  npm run admin -- wallet restore <integration>
  npm run admin -- wallet activate <integration>    a minute or two later
  npm run admin -- stuck                            lists what is to be settled
Make sure that no other copy of this data runs: two services with the same keys send twice.`;

async function prepareImport(file: string): Promise<string> {
  const target = `${file.replace(/\.sql$/i, "")}.import.sql`;
  if (existsSync(target)) throw new UsageError(`${target} exists already; remove it first.`);
  writeFileSync(target, "", { mode: 0o600 });
  try {
    const { statements, split } = await writeImport(file, target);
    return `${target} has ${statements} statements; ${split} rows are written in parts, because D1 takes 100,000 bytes a statement.
Next: npx wrangler d1 execute mintage --remote --file ${target}`;
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  }
}

await run(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { yes: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  const [named, ...others] = positionals;
  if (values.help || named === undefined || others.length > 0) throw new UsageError(USAGE);
  const source = resolve(named);
  if (!existsSync(source)) throw new UsageError(`There is no ${source}.`);
  const text = statSync(source).isDirectory()
    ? await restoreFolder(source, values.yes)
    : await prepareImport(source);
  process.stdout.write(`${text}\n`);
});

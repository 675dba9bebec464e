import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { putBack, readBackup, writeBackup } from "../backup/copy.ts";
import { UsageError } from "../command.ts";

let folder: string;
let backup: string;

const DATABASE = "worker/v3/d1/database.sqlite";
const data = () => join(backup, "data", DATABASE);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "mintage-copy-"));
  backup = join(folder, "backup");
  const state = join(folder, "state");
  mkdirSync(join(state, "worker/v3/d1"), { recursive: true });
  writeFileSync(join(state, DATABASE), "rows of the database");
  writeFileSync(join(state, "start.log"), "a line");
  await writeBackup(state, "devchain", backup);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a backup keeps the content that it had when it was made", async () => {
  const manifest = await readBackup(backup);
  expect(manifest.files.map(({ path }) => path)).toEqual([DATABASE]);
  const [target, kept] = [join(folder, "target"), join(folder, "kept")];
  expect(putBack(backup, manifest, target, kept)).toBe(false);
  expect(readFileSync(join(target, DATABASE), "utf8")).toBe("rows of the database");
});

test.each([
  ["has another byte", () => writeFileSync(data(), "rows of the dataBase"), `${DATABASE} was changed`],
  ["is shorter", () => writeFileSync(data(), "rows of"), `${DATABASE} was changed`],
  ["is gone", () => rmSync(data()), `${DATABASE} is missing`],
  ["is of another", () => writeFileSync(join(backup, "data/more"), ""), "more isn't the backup's"],
])("a backup with a file that %s later is not restored", async (_name, change, sentence) => {
  change();
  const refused = await readBackup(backup).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UsageError);
  expect((refused as UsageError).message).toContain(sentence);
});

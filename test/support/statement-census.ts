import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./imports.ts";

/** Sees to it that every statement of src is explained: statements.ts explains what it sees, this what it should see. */

/** What a test file has seen: functions of src/db/queries by file and name, all of them and those that were called. */
export interface Seen {
  readonly names: readonly string[];
  readonly called: readonly string[];
}

/** Folders of src whose objects hand literals to SQLite. */
const FOLDERS = ["src/events/webhooks", "src/http"];

/** A statement where it is handed over: `exec(` with a literal, perhaps behind a type, or the literal before it. */
const HANDED = /(?:\.exec(?:<(?:[^()<>]|<[^<>]*>)*>)?\(|\bconst sql =)\s*(`[^`]*`|"[^"]*")/g;

/** Where something is handed to SQLite; migrations hand over a list of what makes tables. */
const SITES = /\bsql\s*\.exec\b(?!\((?:statement|table)\))/gi;

const EXPLAINED = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH)\b/i;

/**
 * Statements of objects as the source has them. A place for a constant stands as `${…}`.
 * @throws Error where a file hands over what isn't a literal, since it would be missed
 */
export const statementsOfObjects = (): { readonly file: string; readonly literal: string }[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => literalsOf(`${folder}/${name}`)),
  );

const literalsOf = (file: string) => {
  const source = readFileSync(join(ROOT, file), "utf8");
  const literals = Array.from(source.matchAll(HANDED), ([, literal = ""]) => literal.slice(1, -1));
  const sites = source.match(SITES)?.length ?? 0;
  if (literals.length !== sites) {
    throw new Error(`${file} has ${sites} calls of exec and ${literals.length} literals for them`);
  }
  return literals.filter((literal) => EXPLAINED.test(literal)).map((literal) => ({ file, literal }));
};

/** What no test of the run has called. */
export const uncalled = (reports: readonly Seen[]): string[] => {
  const called = new Set(reports.flatMap((report) => report.called));
  const names = new Set(reports.flatMap((report) => report.names));
  return Array.from(names).filter((name) => !called.has(name));
};

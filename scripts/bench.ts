/** `npm run bench`: every measurement of bench/, one after the other, because they share the machine. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./local-settings.ts";
import { runStep } from "./steps.ts";

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
const names = Object.keys(scripts).filter((name) => name.startsWith("bench:"));
if (names.length === 0) throw new Error("package.json names no script that begins with bench:");
const failed = names.filter(
  (name) => !runStep({ name, command: ["npm", "run", "--silent", name, "--", ...process.argv.slice(2)] }),
);
process.exit(failed.length === 0 ? 0 : 1);

import type { Mutant } from "../mutant.ts";

const airdrop = ["cli/test/airdrop-rules.test.ts"];
const launch = ["cli/test/launch-rules.test.ts"];

/** What artists run in a terminal. */
export const TERMINAL: readonly Mutant[] = [
  {
    id: "airdrop: whatever is refused is sent again under another key",
    file: "cli/no-effect.ts",
    search: '(error.outcome === "not_submitted"',
    replacement: '(error.status < 500 || error.outcome === "not_submitted"',
    tests: ["cli/test/airdrop-run.test.ts"],
    named: "since the first may have been carried out",
  },
  {
    id: "launch: a collection is launched whose phases are over",
    file: "cli/launch/phases.ts",
    search: "Date.parse(end) <= now",
    replacement: "Date.parse(end) <= now - now",
    tests: ["cli/test/launch-run.test.ts"],
    named: "a phase that has ended meanwhile is refused before anything is uploaded",
  },
  {
    id: "admin: what upgrades take of a wallet is that of one contract",
    file: "cli/admin/contract-upgrade.ts",
    search: 'const [topUp, fees] = [sum(its, "top_up"), sum(its, "fees")];',
    replacement: 'const [topUp, fees] = [sum(its.slice(0, 1), "top_up"), sum(its.slice(0, 1), "fees")];',
    tests: ["cli/test/admin-commands.test.ts"],
    named: "say what all upgrades together take from each wallet",
  },
  {
    id: "airdrop: an account is twice in a request",
    file: "cli/airdrop/plan.ts",
    search: "if (open.get(name)?.accounts.has(account)) close(name);",
    replacement: "",
    tests: airdrop,
    named: "in requests that the service takes",
  },
  {
    id: "airdrop: a line that a kill cut off is joined to the next",
    file: "cli/airdrop/journal.ts",
    search: "if (whole < bytes.length) truncateSync(file, whole);",
    replacement: "if (whole > bytes.length) truncateSync(file, whole);",
    tests: airdrop,
    named: "up to a line that a kill cut off",
  },
  {
    id: "launch: a time that clocks show twice is taken",
    file: "cli/launch/times.ts",
    search: "if (other !== undefined) {",
    replacement: "if (other === null) {",
    tests: launch,
    named: "twice",
  },
  {
    id: "launch: a typo in collection.yaml passes",
    file: "cli/launch/settings-reader.ts",
    search: "if (!known.includes(field)) {",
    replacement: "if (known.length === 0) {",
    tests: launch,
    named: "names the line and the field of everything",
  },
  {
    id: "restore: rows stay before tables that they refer to",
    file: "cli/backup/d1-import.ts",
    search: "if (!isTable(statement)) continue;",
    replacement: "",
    tests: ["cli/test/d1-import.test.ts"],
    named: "tables come before rows",
  },
  {
    id: "restore: a cut falls between two quotes that are one",
    file: "cli/backup/d1-import.ts",
    search: "/''|\\\\[nr]|./gsu",
    replacement: "/./gsu",
    tests: ["cli/test/d1-import.test.ts"],
    named: "make the same row",
  },
];

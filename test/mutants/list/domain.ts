import type { Mutant } from "../mutant.ts";

const steps = ["test/unit/steps.test.ts"];
const royalties = ["test/unit/royalties.test.ts"];

/** Rules without I/O. */
export const DOMAIN: readonly Mutant[] = [
  {
    id: "texts: a direction character that closes nothing is kept",
    file: "src/domain/texts.ts",
    search: "if (open === 0) continue;",
    replacement: 'if (open === 0) kept += "";',
    tests: ["test/unit/texts.test.ts"],
  },
  {
    id: "royalties: one decimal is read as hundredths",
    file: "src/domain/royalties.ts",
    search: '.padEnd(2, "0")',
    replacement: '.padStart(2, "0")',
    tests: royalties,
  },
  {
    id: "royalties: the sum of the shares is not checked",
    file: "src/domain/royalties.ts",
    search: "if (total > limits.total) {",
    replacement: "if (total > limits.total * 2) {",
    tests: royalties,
  },
  {
    id: "royalties: one account more than the limit is accepted",
    file: "src/domain/royalties.ts",
    search: "if (entries.length > limits.accounts) {",
    replacement: "if (entries.length > limits.accounts + 1) {",
    tests: royalties,
  },
  {
    id: "private keys: the public half of another key is accepted",
    file: "src/domain/private-keys.ts",
    search: "equals(publicHalf(seed))",
    replacement: "equals(bytes.slice(SEED_BYTES))",
    tests: ["test/unit/private-keys.test.ts"],
    named: "a private key is refused with another public half or a wrong letter",
  },
  {
    id: "account ids: one character more than the limit is accepted",
    file: "src/domain/account-ids.ts",
    search: "const MAX_LENGTH = 64;",
    replacement: "const MAX_LENGTH = 65;",
    tests: ["test/unit/account-ids.test.ts"],
  },
  {
    id: "account ids: 64 characters that aren't lower-case hexadecimal count as implicit",
    file: "src/domain/account-ids.ts",
    search: "[\\da-f]{64}",
    replacement: "[\\da-zA-Z.]{64}",
    tests: ["test/unit/account-ids.test.ts"],
  },
  {
    id: "file names: a numbered name can equal another file's name",
    file: "src/domain/filenames.ts",
    search: "while (named.has(numberedName(file.name, number)));",
    replacement: "while (false);",
    tests: ["test/unit/filenames.test.ts"],
  },
  {
    id: "instants: an offset is added instead of subtracted",
    file: "src/api/schemas/fields.ts",
    search: "Number(minute) - offset",
    replacement: "Number(minute) + offset",
    tests: ["test/unit/instants.test.ts"],
  },
  {
    id: "instants: 30 February is read as 2 March",
    file: "src/api/schemas/fields.ts",
    search: "|| midnight.getUTCDate() !== Number(day)) return null;",
    replacement: ") return null;",
    tests: ["test/unit/instants.test.ts"],
  },
  {
    id: "token ids: a leading zero is accepted",
    file: "src/domain/token-ids.ts",
    search: "/^([1-9]\\d{0,9}):",
    replacement: "/^(\\d{1,10}):",
    tests: ["test/unit/token-ids.test.ts"],
  },
  {
    id: "steps: a refused step is tried again",
    file: "src/domain/steps.ts",
    search: 'outcome.state === "failed" ? remedyFor(name, outcome, attempt) : null;',
    replacement: "remedyFor(name, outcome, attempt);",
    tests: steps,
  },
  {
    id: "steps: a step is tried again before its top-up has succeeded",
    file: "src/domain/steps.ts",
    search: 'if (first.state === "succeeded") return { do: "submit", step: again, delay: 0 };',
    replacement: 'if (first.state !== "failed") return { do: "submit", step: again, delay: 0 };',
    tests: steps,
  },
  {
    id: "steps: an unknown step is treated as failed",
    file: "src/domain/steps.ts",
    search: 'return outcome.state === "unknown" ? { do: "unknown", step: outcome.step } : null;',
    replacement: "return null;",
    tests: steps,
  },
  {
    id: "steps: a batch that is only partly on the chain settles an unknown step",
    file: "src/domain/steps.ts",
    search: "shown.assets >= end",
    replacement: "shown.assets > 0",
    tests: steps,
  },
  {
    id: "steps: a collection is published before all of its assets are added",
    file: "src/domain/steps.ts",
    search: 'return [...(started ? [] : ["create"]), ...adds, "publish"];',
    replacement: 'return [...(started ? [] : ["create"]), "publish", ...adds];',
    tests: steps,
  },
];

/**
 * `npm run surface`: writes again what is generated from the endpoints and the pages' scripts. What can't be generated fails
 * it.
 */
import { runStep, type Step } from "./steps.ts";

const update = (project: string, ...files: string[]): Step["command"] => [
  "vitest",
  "run",
  "-u",
  "--project",
  project,
  ...files.map((file) => `test/${project}/${file}.test.ts`),
];

const STEPS: readonly Step[] = [
  { name: "scripts of the pages", command: ["node", "scripts/pages-build.ts"] },
  {
    name: "types and media rules of the client, tables of the wallet's journal",
    command: update("unit", "client-types", "client-media", "journal-tables"),
  },
  { name: "held surface, docs/api.md, docs/errors.md", command: update("api", "http-surface", "reference") },
  { name: "formatting", command: ["biome", "check", "--write", "--error-on-warnings", "."] },
];

process.exit(STEPS.every(runStep) ? 0 : 1);

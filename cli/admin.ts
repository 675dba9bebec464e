/** `npm run admin -- …`: what an operator does, from a terminal. */
import { parseArgs } from "node:util";
import { AdminClient } from "../client/src/admin.ts";
import { COMMANDS, type Command } from "./admin-commands.ts";
import { adminAccess, run, UsageError } from "./command.ts";
import { withIntegration } from "./integration-names.ts";

const CALLS = Object.entries(COMMANDS).map(([name, { takes, does }]) => [`${name} ${takes}`, does] as const);
const WIDEST = Math.max(...CALLS.map(([call]) => call.length));

const USAGE = [
  "npm run admin -- <command> [options] [--json]",
  "",
  ...CALLS.map(([call, does]) => `  ${call.padEnd(WIDEST)}  ${does}`),
  "",
  "<integration> is its uuid, or its name where only one has it.",
  "MINTAGE_URL and MINTAGE_ADMIN_TOKEN name another service than the one of npm start.",
].join("\n");

/** The command that the first words name, and the words after them. */
function chosen(words: readonly string[]): { command: Command; rest: readonly string[] } {
  for (const length of [2, 1]) {
    const command = COMMANDS[words.slice(0, length).join(" ")];
    if (command) return { command, rest: words.slice(length) };
  }
  throw new UsageError(words.length > 0 ? `There is no command "${words.join(" ")}".\n\n${USAGE}` : USAGE);
}

/** How many words a command takes: those in brackets may be left out. */
function wordsOf({ takes }: Command): { required: number; most: number } {
  const most = takes.match(/<[a-z-]+>/g)?.length ?? 0;
  return { required: most - (takes.match(/\[<[a-z-]+>\]/g)?.length ?? 0), most };
}

await run(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
      name: { type: "string" },
      symbol: { type: "string" },
      role: { type: "string" },
      expires: { type: "string" },
      admin: { type: "string" },
      effect: { type: "string" },
      "leave-funds": { type: "boolean", default: false },
      to: { type: "string" },
      withdraw: { type: "boolean", default: false },
      leave: { type: "boolean", default: false },
      deleted: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const { command, rest } = chosen(positionals);
  const { required, most } = wordsOf(command);
  if (rest.length < required || rest.length > most)
    throw new UsageError(`This command takes: ${command.takes || "no arguments"}\n\n${USAGE}`);
  const admin = new AdminClient(adminAccess());
  const result = await command.run(admin, await withIntegration(admin, command, rest), values);
  process.stdout.write(`${values.json ? JSON.stringify(result.data) : result.text}\n`);
});

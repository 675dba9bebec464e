import { parseArgs } from "node:util";
import { UsageError } from "../command.ts";
import type { Command, CommandOptions } from "./command.ts";
import { COMMANDS } from "./commands.ts";

const CALLS = Object.entries(COMMANDS).map(([name, { takes, does }]) => [`${name} ${takes}`, does] as const);
const WIDEST = Math.max(...CALLS.map(([call]) => call.length));

/** Every command, with what it takes and does. */
export const USAGE = [
  "npm run admin -- <command> [options] [--json]",
  "",
  ...CALLS.map(([call, does]) => `  ${call.padEnd(WIDEST)}  ${does}`),
  "",
  "<integration> is a uuid, or a name that only one integration has; <contract> is a uuid or an account.",
  "MINTAGE_URL and MINTAGE_ADMIN_TOKEN select a service other than that of npm start.",
].join("\n");

/** The options of all commands; each takes those that its line names. */
const OPTIONS = {
  name: { type: "string" },
  symbol: { type: "string" },
  role: { type: "string" },
  scopes: { type: "string" },
  expires: { type: "string" },
  admin: { type: "string" },
  effect: { type: "string" },
  transaction: { type: "string" },
  to: { type: "string" },
  "leave-funds": { type: "boolean" },
  withdraw: { type: "boolean" },
  leave: { type: "boolean" },
  deleted: { type: "boolean" },
  all: { type: "boolean" },
  "dry-run": { type: "boolean" },
} as const satisfies Record<keyof CommandOptions, { type: "string" | "boolean" }>;

/** What a call of `npm run admin` asks for. */
export interface AdminCall {
  readonly command: Command;
  readonly words: readonly string[];
  readonly options: CommandOptions;
  /** Data for scripts in place of text for people. */
  readonly isJson: boolean;
}

/**
 * Reads a call's arguments. An option that the command doesn't take is refused: `--dry-run` must never be passed over.
 * @returns null where the help is asked for
 * @throws UsageError, or what parseArgs throws
 */
export function readCall(args: readonly string[]): AdminCall | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...OPTIONS, json: { type: "boolean" }, help: { type: "boolean" } },
  });
  const { json = false, help = false, ...options } = values;
  if (help) return null;
  const { command, words } = chosen(positionals);
  const { required, most } = wordsOf(command);
  const taken = optionsOf(command);
  const foreign = Object.keys(options).filter((name) => !taken.includes(name));
  if (words.length < required || words.length > most || foreign.length > 0) {
    const not = foreign.map((name) => `, not --${name}`).join("");
    throw new UsageError(`This command takes: ${command.takes || "no arguments"}${not}\n\n${USAGE}`);
  }
  return { command, words, options, isJson: json };
}

/** The command that the first words name, and the words after them. */
function chosen(words: readonly string[]): { command: Command; words: readonly string[] } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command) return { command, words: words.slice(length) };
  }
  throw new UsageError(words.length > 0 ? `There is no command "${words.join(" ")}".\n\n${USAGE}` : USAGE);
}

/** How many words a command takes: those in brackets may be left out. */
function wordsOf({ takes }: Command): { required: number; most: number } {
  const most = takes.match(/<[a-z-]+>/g)?.length ?? 0;
  return { required: most - (takes.match(/\[<[a-z-]+>\]/g)?.length ?? 0), most };
}

/** The options that a command's line names. */
const optionsOf = ({ takes }: Command): string[] =>
  [...takes.matchAll(/--([a-z-]+)/g)].map(([, name]) => name ?? "");

import type { AdminClient } from "../../client/src/admin.ts";
import { UsageError } from "../command.ts";

/** Options that commands share; each takes those that its line names. */
export interface CommandOptions {
  readonly name?: string;
  readonly symbol?: string;
  readonly role?: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly admin?: string;
  readonly effect?: string;
  readonly transaction?: string;
  readonly all?: boolean;
  readonly deleted?: boolean;
  readonly "leave-funds"?: boolean;
  readonly to?: string;
  readonly withdraw?: boolean;
  readonly leave?: boolean;
  readonly "dry-run"?: boolean;
}

/** What a command found: as data for scripts, as text for people. */
export interface Result {
  readonly data: unknown;
  readonly text: string;
  /** What is left to do after a part of it failed; the command then ends with 1. */
  readonly failure?: string;
}

/** A command of the operator's. */
export interface Command {
  /** Its arguments and options, as the help shows them. */
  readonly takes: string;
  readonly does: string;
  readonly run: (admin: AdminClient, words: readonly string[], options: CommandOptions) => Promise<Result>;
}

/** A value that a command can't do without. @throws UsageError where it is missing */
export function needed(value: string | undefined, option: string): string {
  if (!value) throw new UsageError(`${option} is missing.`);
  return value;
}

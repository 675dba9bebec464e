import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CollectionDraftInput } from "../../client/src/index.ts";
import { beginFile } from "../begun-file.ts";
import { UsageError } from "../command.ts";

/** How far the launch of a folder has come, as its state file keeps it. */
export interface LaunchState {
  readonly base_url: string;
  /** Begins every Idempotency-Key of this launch. */
  readonly launch: string;
  /** The request that makes the draft, word for word: a run that was killed while it was sent sends it again. */
  readonly draft_request: CollectionDraftInput;
  readonly collection_draft_uuid: string | null;
  readonly collection_uuid: string | null;
  /** SHA-256 of each list of accounts that the allowlist has. */
  readonly allowlisted: readonly string[];
  /** Requests for the allowlist that had no effect; each later one has another Idempotency-Key. */
  readonly allowlist_tries: number;
}

/** The file that keeps it, one for each service; a dot keeps it out of the upload. */
export const stateFile = (folder: string, baseUrl: string): string =>
  join(folder, `.mintage-launch.${new URL(baseUrl).host.replaceAll(/[^a-z0-9.-]/gi, "_")}.json`);

/** What an earlier run left; null if this is the first. @throws UsageError if the file is damaged */
export function readState(file: string): LaunchState | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as LaunchState;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(
      `${file}, the state of this folder's launch, is damaged. If the folder has no collection yet, delete it.`,
    );
  }
}

/** Begins a launch before anything is sent. Of two runs that begin at once, one wins and both continue with its state. */
export function beginState(file: string, baseUrl: string, request: CollectionDraftInput): LaunchState {
  const begun: LaunchState = {
    base_url: baseUrl,
    launch: randomUUID(),
    draft_request: request,
    collection_draft_uuid: null,
    collection_uuid: null,
    allowlisted: [],
    allowlist_tries: 0,
  };
  return beginFile(file, textOf(begun)) ? begun : (readState(file) ?? begun);
}

/** Writes the state whole or not at all. */
export function writeState(file: string, state: LaunchState): LaunchState {
  // Two runs at once don't write into one file.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, textOf(state));
  renameSync(own, file);
  return state;
}

const textOf = (state: LaunchState): string => `${JSON.stringify(state, null, 2)}\n`;

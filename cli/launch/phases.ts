import { FolderError } from "../../client/src/folder/index.ts";
import type { CheckedFolder } from "./folder.ts";

/**
 * Refuses phases that are over: nobody could mint in them, and what is put on-chain for them is paid all the same. A time of
 * the reveal that is over would show what is to be hidden.
 * @param now milliseconds since 1970
 * @throws FolderError naming each
 */
export function requireOpenPhases(
  { file, settingsName }: Pick<CheckedFolder, "file" | "settingsName">,
  now: number,
): void {
  const phases = { public: file.draft.public_mint_config, allowlist: file.draft.private_mint_config };
  const problems = Object.entries(phases).flatMap(([name, phase]) => {
    const end = phase?.ends_at;
    return end && Date.parse(end) <= now
      ? [`${settingsName} phases.${name}: it ended at ${end}. Set a later time in ends, or remove the phase.`]
      : [];
  });
  const { reveal } = file.draft;
  if (typeof reveal === "string" && Date.parse(reveal) <= now)
    problems.push(
      `${settingsName} reveal: ${reveal} is over. Give a later time, or true to reveal it yourself.`,
    );
  if (problems.length > 0) throw new FolderError(problems);
}

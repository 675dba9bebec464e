import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FolderError, type FolderPlan, readFolder } from "../../client/src/folder/index.ts";
import { UsageError } from "../command.ts";
import { undecodable } from "../decode-pictures.ts";
import { readAllowlist } from "./allowlist-file.ts";
import { type CollectionFile, readCollectionFile } from "./collection-file.ts";
import { filesOfPage, type PageSettings, resolvePage } from "./page-settings.ts";
import type { ListFile } from "./phase-settings.ts";
import { largePictures, ORIGINALS } from "./shrink.ts";

/** What a folder asks for, all of it checked. */
export interface CheckedFolder {
  readonly file: CollectionFile;
  readonly plan: FolderPlan;
  /** Accounts of each phase that has a list, by its number. */
  readonly lists: ReadonlyMap<number, readonly string[]>;
  /** The settings' file, as problems name it. */
  readonly settingsName: string;
  readonly page: PageSettings;
  /** Files that nothing is done with, but for those that tools leave (names that begin with a dot or an underscore). */
  readonly leftOut: readonly string[];
}

/** Names of the settings file, in order of preference. */
const NAMES = ["collection.yaml", "collection.yml", "collection.json"];

/** The settings file of a folder; null if it has none. */
export const settingsFile = (folder: string): string | null =>
  NAMES.find((name) => existsSync(join(folder, name))) ?? null;

/**
 * Reads settings, pictures and allowlist.
 * @throws FolderError with all that is wrong with any of them
 */
export async function checkFolder(folder: string): Promise<CheckedFolder> {
  const name = settingsFile(folder);
  if (name === null) {
    throw new UsageError(`${folder} has no collection.yaml. Create it: npm run launch -- --init ${folder}`);
  }
  const problems: string[] = [];
  const collect = <T extends object>(found: T | { readonly problems: readonly string[] }): T | null => {
    if (!("problems" in found)) return found;
    problems.push(...found.problems);
    return null;
  };
  const read = readCollectionFile(name, readFileSync(join(folder, name), "utf8"));
  const settings = collect<{ readonly file: CollectionFile }>(read);
  const phases = settings?.file.phases ?? [];
  const lists = new Map(
    phases.flatMap(({ phase, list }) =>
      list ? [[phase, collect(allowlistOf(folder, list))?.accounts ?? []] as const] : [],
    ),
  );
  if ("problems" in read) for (const list of read.lists) collect(allowlistOf(folder, list));
  const plan = await readFolder(folder).catch((error: unknown) => {
    if (!(error instanceof FolderError)) throw error;
    problems.push(...error.problems);
    return null;
  });
  if (plan !== null) problems.push(...(await undecodable(folder, plan)));
  if (settings !== null && plan !== null) {
    const isHidden = Boolean(settings.file.draft.reveal);
    if (isHidden && plan.placeholder === null)
      problems.push(`${name} reveal: add placeholder.png, which NFTs show until the reveal.`);
    if (!isHidden && plan.placeholder !== null)
      problems.push(
        `${plan.placeholder.path} is what NFTs show until a reveal: add reveal to ${name}, or rename the file.`,
      );
  }
  if (largePictures(folder).length > 0) {
    problems.push(
      "Pictures that are too large can be re-encoded as WebP: give --shrink; originals/ keeps the originals.",
    );
  }
  const page = settings && collect(await resolvePage(folder, settings.file.pageFields, plan));
  if (settings === null || plan === null || page === null || problems.length > 0)
    throw new FolderError(problems);
  const own = [...NAMES, ...phases.map(({ list }) => list?.file), ...filesOfPage(settings.file.pageFields)];
  const leftOut = plan.ignored.filter(
    (path) => !own.includes(path) && !path.startsWith(`${ORIGINALS}/`) && !/(^|\/)[._]/.test(path),
  );
  return { file: settings.file, plan, lists, settingsName: name, page, leftOut };
}

function allowlistOf(folder: string, { file, at }: ListFile): ReturnType<typeof readAllowlist> {
  if (!existsSync(join(folder, file)))
    return { problems: [`${at}: there is no file ${file} in the folder.`] };
  return readAllowlist(file, readFileSync(join(folder, file), "utf8"));
}

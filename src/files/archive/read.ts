import type { ServiceContext } from "../../context.ts";
import { type ArchiveRow, filesAround } from "../../db/queries/archives.ts";
import type { Uuid } from "../../domain/ids.ts";
import { type ArchivedOperation, readFile } from "./file.ts";

type Reader = Pick<ServiceContext, "db"> & { readonly env: Pick<ServiceContext["env"], "BUCKET"> };

/** An operation of an integration that was archived; undefined: none such was. */
export const findArchived = async (
  context: Reader,
  integrationId: Uuid,
  id: Uuid,
): Promise<ArchivedOperation | undefined> => (await findAllArchived(context, integrationId, [id])).get(id);

/** Operations of an integration that were archived, among some. Each file is read once. */
export const findAllArchived = async (
  { db, env }: Reader,
  integrationId: Uuid,
  ids: readonly Uuid[],
): Promise<Map<Uuid, ArchivedOperation>> => {
  const found = new Map<Uuid, ArchivedOperation>();
  for (const id of ids) {
    if (found.has(id)) continue;
    for (const file of await filesAround(db, integrationId, id)) {
      const operations = await readFile(env.BUCKET, file);
      for (const operation of operations) {
        if (ids.includes(operation.row.id)) found.set(operation.row.id, operation);
      }
      if (found.has(id)) break;
    }
  }
  return found;
};

/** A part of a list, from its end on, of which everything down to `reached` is here; null: everything. */
export interface ListTail<Item> {
  readonly items: readonly Item[];
  readonly reached: string | null;
}

/** How a list is read from files. Places sort as texts. */
export interface ListOfFiles<Item> {
  /** Files by their last place, the greatest first, as many as are asked for. */
  readonly files: (most: number) => Promise<readonly ArchiveRow[]>;
  readonly lastOf: (file: ArchiveRow) => string;
  readonly itemsOf: (operations: readonly ArchivedOperation[]) => readonly Item[];
  readonly placeOf: (item: Item) => string;
  /** Items behind `before` and above `floor` are asked for; null: from the end, to the beginning. */
  readonly before: string | null;
  readonly floor: string | null;
  /** So many that pass the filter are enough. */
  readonly want: number;
  readonly passes: (item: Item) => boolean;
}

/** Files that are read for one part of a list, unless they overlap; and files that are asked for, to know what follows. */
const MOST_FILES = 3;
export const FILES_AT_ONCE = 8;

/**
 * Reads a list's next part from files, the greatest place first. Files may overlap: what is here is what lies above all
 * that wasn't read.
 */
export const readPart = async <Item>(
  bucket: R2Bucket,
  list: ListOfFiles<Item>,
  most = FILES_AT_ONCE,
): Promise<ListTail<Item>> => {
  const { before, floor, placeOf } = list;
  const files = await list.files(most);
  const isIn = (place: string) => (before === null || place < before) && (floor === null || place > floor);
  const found: Item[] = [];
  for (const [at, file] of files.entries()) {
    found.push(...list.itemsOf(await readFile(bucket, file)).filter((item) => isIn(placeOf(item))));
    const next = files[at + 1];
    if (!next) break;
    const above = found.filter((item) => placeOf(item) > list.lastOf(next));
    const isEnough = at + 1 >= MOST_FILES || above.filter(list.passes).length >= list.want;
    if (above.length > 0 && isEnough) return partOf(list, above, lowest(above.map(placeOf)));
  }
  // All of them overlap, and more may follow.
  if (files.length === most) return readPart(bucket, list, 4 * most);
  return partOf(list, found, null);
};

const lowest = (places: readonly string[]): string =>
  places.reduce((least, place) => (place < least ? place : least));

const partOf = <Item>(
  { passes }: ListOfFiles<Item>,
  items: readonly Item[],
  reached: string | null,
): ListTail<Item> => ({ items: items.filter(passes), reached });

/** Of two parts of one list, what is complete in both, the greatest place first, and how far it reaches. */
export const joined = <Item>(
  parts: readonly [ListTail<Item>, ListTail<Item>],
  placeOf: (item: Item) => string,
): ListTail<Item> => {
  const [one, other] = parts.map(({ reached }) => reached) as [string | null, string | null];
  const reached = one === null || (other !== null && other > one) ? other : one;
  const byPlace = new Map(parts.flatMap(({ items }) => items.map((item) => [placeOf(item), item] as const)));
  const items = Array.from(byPlace)
    .filter(([place]) => reached === null || place >= reached)
    .toSorted(([first], [second]) => (first < second ? 1 : -1))
    .map(([, item]) => item);
  return { items, reached };
};

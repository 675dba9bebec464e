import type { ServiceContext } from "../../context.ts";
import { ledgerOf } from "../../db/ledger.ts";
import { type ArchiveRow, filesAround } from "../../db/queries/archives.ts";
import type { Uuid } from "../../domain/ids.ts";
import { type ArchivedOperation, readFile } from "./file.ts";

type Reader = Pick<ServiceContext, "env" | "ledger">;

/** An archived operation of an integration; undefined if there is none. */
export const findArchived = async (
  context: Reader,
  integrationId: Uuid,
  id: Uuid,
): Promise<ArchivedOperation | undefined> => (await findAllArchived(context, integrationId, [id])).get(id);

/** Those of some operations of an integration that are archived. Each file is read once. */
export const findAllArchived = async (
  context: Reader,
  integrationId: Uuid,
  ids: readonly Uuid[],
): Promise<Map<Uuid, ArchivedOperation>> => {
  const found = new Map<Uuid, ArchivedOperation>();
  for (const id of ids) {
    if (found.has(id)) continue;
    for (const file of await filesAround(ledgerOf(context, integrationId), integrationId, id)) {
      const operations = await readFile(context.env.BUCKET, file);
      for (const operation of operations) {
        if (ids.includes(operation.row.id)) found.set(operation.row.id, operation);
      }
      if (found.has(id)) break;
    }
  }
  return found;
};

/** A part of a list, from its end, that is complete down to `reached`; null: down to the beginning. */
export interface ListTail<Item> {
  readonly items: readonly Item[];
  readonly reached: string | null;
}

/** How a list is read from files. Positions sort as texts. */
export interface ListOfFiles<Item> {
  /** The first `most` files by their last position, descending. */
  readonly files: (most: number) => Promise<readonly ArchiveRow[]>;
  readonly lastOf: (file: ArchiveRow) => string;
  readonly itemsOf: (operations: readonly ArchivedOperation[]) => readonly Item[];
  readonly positionOf: (item: Item) => string;
  /** Items below `before` and above `floor` are read; null: from the end, to the beginning. */
  readonly before: string | null;
  readonly floor: string | null;
  /** Reading stops once this many items pass the filter. */
  readonly want: number;
  readonly passes: (item: Item) => boolean;
}

/** Files read for one part unless they overlap, and files requested, to know which follow. */
const MOST_FILES = 3;
export const FILES_AT_ONCE = 8;

/** Reads a list's next part, the greatest position first. Files may overlap: it ends above the first unread one's last. */
export const readPart = async <Item>(
  bucket: R2Bucket,
  list: ListOfFiles<Item>,
  most = FILES_AT_ONCE,
): Promise<ListTail<Item>> => {
  const { before, floor, positionOf } = list;
  const files = await list.files(most);
  const isIn = (position: string) =>
    (before === null || position < before) && (floor === null || position > floor);
  const found: Item[] = [];
  for (const [at, file] of files.entries()) {
    found.push(...list.itemsOf(await readFile(bucket, file)).filter((item) => isIn(positionOf(item))));
    const next = files[at + 1];
    if (!next) break;
    const above = found.filter((item) => positionOf(item) > list.lastOf(next));
    const passing = above.filter(list.passes);
    const isEnough = at + 1 >= MOST_FILES || passing.length >= list.want;
    if (above.length > 0 && isEnough)
      return { items: passing, reached: above.map(positionOf).toSorted()[0]! };
  }
  // All of these files overlap, and more may follow.
  if (files.length === most) return readPart(bucket, list, 4 * most);
  return { items: found.filter(list.passes), reached: null };
};

/** Merges two parts of one list into what is complete in both, the greatest position first. */
export const mergeParts = <Item>(
  parts: readonly [ListTail<Item>, ListTail<Item>],
  positionOf: (item: Item) => string,
): ListTail<Item> => {
  const [one, other] = parts.map(({ reached }) => reached) as [string | null, string | null];
  const reached = one === null || (other !== null && other > one) ? other : one;
  const byPosition = new Map(
    parts.flatMap(({ items }) => items.map((item) => [positionOf(item), item] as const)),
  );
  const items = Array.from(byPosition)
    .filter(([position]) => reached === null || position >= reached)
    .toSorted(([first], [second]) => (first < second ? 1 : -1))
    .map(([, item]) => item);
  return { items, reached };
};

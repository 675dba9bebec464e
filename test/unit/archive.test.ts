import fc from "fast-check";
import { expect, test } from "vitest";
import type { ArchiveRow } from "../../src/db/queries/archives.ts";
import { type ArchivedOperation, linesOf, operationsOf } from "../../src/files/archive/file.ts";
import { type ListTail, mergeParts, readPart } from "../../src/files/archive/read.ts";

/** Lists go on from the database into files, which may overlap: each item comes once, and in order. */

/** A place as the list sorts it. */
const place = (number: number) => String(number).padStart(4, "0");

/** Items by where they are: 0 for the database, else a file. */
const spread = fc.array(fc.nat(6), { maxLength: 60 });

const filesOf = (where: readonly number[]) => {
  const byFile = Map.groupBy(
    where.map((file, number) => ({ file, number })),
    ({ file }) => file,
  );
  byFile.delete(0);
  return Array.from(byFile, ([file, items]) => ({
    key: `file ${file}`,
    numbers: items.map(({ number }) => number),
  })).toSorted((one, other) => other.numbers.at(-1)! - one.numbers.at(-1)!);
};

test("every item of a list is returned once, in order, even if files overlap", () =>
  fc.assert(
    fc.asyncProperty(
      spread,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      async (where, size, odd) => {
        const files = filesOf(where);
        const text = (key: string) =>
          files
            .find((file) => file.key === key)!
            .numbers.map((number) => `${JSON.stringify({ row: { id: place(number) }, transactions: [] })}\n`)
            .join("");
        const bucket = {
          get: (key: string) => Promise.resolve({ text: () => Promise.resolve(text(key)) }),
        } as unknown as R2Bucket;
        const passes = (number: number) => number % odd === 0;
        const live = where
          .flatMap((file, number) => (file === 0 && passes(number) ? [number] : []))
          .toReversed();
        const listed: string[] = [];
        let before: string | null = null;
        for (let pages = 0; pages < 500; pages += 1) {
          const rows = live
            .map(place)
            .filter((each) => before === null || each < before)
            .slice(0, size + 1);
          const floor = rows.length > size ? rows.at(-1)! : null;
          const behind = before;
          const part: ListTail<string> = await readPart<string>(bucket, {
            files: (most) =>
              Promise.resolve(
                files
                  .filter(({ numbers }) => behind === null || place(numbers[0]!) < behind)
                  .filter(({ numbers }) => floor === null || place(numbers.at(-1)!) > floor)
                  .slice(0, most)
                  .map(
                    ({ key, numbers }) =>
                      ({ objectKey: key, lastId: place(numbers.at(-1)!) }) as unknown as ArchiveRow,
                  ),
              ),
            lastOf: ({ lastId }) => lastId,
            itemsOf: (operations: readonly ArchivedOperation[]) => operations.map(({ row }) => row.id),
            positionOf: (item) => item,
            ...{ before, floor, want: size + 1 },
            passes: (item) => passes(Number(item)),
          });
          const { items, reached }: ListTail<string> = mergeParts<string>(
            [{ items: rows, reached: floor }, part],
            (item) => item,
          );
          const shown = items.slice(0, size);
          listed.push(...shown);
          before = items.length > size ? shown.at(-1)! : reached;
          if (before === null) break;
        }
        const all = where.flatMap((_, number) => (passes(number) ? [place(number)] : [])).toReversed();
        expect(listed).toEqual(all);
      },
    ),
  ));

/** Transactions of operations, of which several may share one: its number, and whether the result is another. */
const shares = fc.array(fc.array(fc.tuple(fc.nat(4), fc.boolean()), { maxLength: 3 }), { maxLength: 12 });

const archivedOf = (sharing: readonly (readonly [number, boolean])[][]): ArchivedOperation[] => {
  const time = new Date(1_700_000_000_000);
  return sharing.map(
    (own, number) =>
      ({
        row: { id: place(number), leasedUntil: null, createdAt: time, updatedAt: time, finishedAt: time },
        transactions: own.map(([shared, differs], at) => ({
          hash: String(shared).repeat(64) + (at % 2 === 0 ? "" : String(number).padStart(32, "0")),
          step: `step ${at}`,
          result: { transaction_hash: `shared ${shared}`, logs: differs ? [`${number}`] : ["long"] },
          at: number,
          rowNumber: number,
        })),
      }) as unknown as ArchivedOperation,
  );
};

test("the lines of a file restore operations unchanged, and contain a shared result once", () => {
  fc.assert(
    fc.property(shares, (sharing) => {
      const operations = archivedOf(sharing);
      expect(operationsOf(linesOf(operations))).toEqual(operations);
    }),
  );
  const shared = archivedOf(Array.from({ length: 25 }, () => [[1, false]]));
  expect(linesOf(shared).join("\n").match(/long/g)).toHaveLength(1);
});

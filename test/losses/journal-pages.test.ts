import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, test } from "vitest";
// Inside: the wallet's journal in pages, which only a recovery reads.
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import type { JournaledOperation, OperationSnapshot } from "../../src/wallet/interface.ts";
import { Journal } from "../../src/wallet/journal/journal.ts";
import { WholeJournal } from "../../src/wallet/whole-journal.ts";

/** A journal and its files are one: each operation comes once, in the order of acceptance, wherever it is. */

const SETTINGS = { JOURNAL_KEPT_DAYS: 1, JOURNAL_FILES_KEPT_DAYS: 31 };
const INTEGRATION = newUuid();
/** More than one look at the journal's list of files takes in. */
const FILES = 20;

/** Operations in the order of acceptance: how often a generation began before, and in which files each is; 0: the journal. */
const accepted = fc.array(
  fc.record({
    begins: fc.boolean(),
    where: fc.uniqueArray(fc.nat(FILES), { minLength: 1, maxLength: 2 }),
  }),
  { maxLength: 60 },
);

const snapshot = (rowNumber: number): OperationSnapshot => ({
  ...{ kind: "mint", integrationUuid: INTEGRATION, subjectUuid: INTEGRATION, request: "{}", keys: [] },
  ...{
    acceptedAt: rowNumber,
    rowNumber,
    recent: [],
    quotedCost: null,
    mostCost: null,
    reference: null,
    apiKey: null,
  },
});

/** Puts operations where they are. */
const spread = (journal: Journal, texts: Map<string, string>, given: readonly Given[]): Uuid[] => {
  const byFile = new Map<string, JournaledOperation[]>();
  const ids = given.map(({ generation, where, row }) => {
    const operation = newUuid();
    journal.snapshots.beginGeneration(generation);
    journal.snapshots.add(operation, snapshot(row));
    const [journaled] = journal.snapshots.of([operation]);
    for (const file of where.filter((number) => number > 0)) {
      // A file has operations of one generation.
      const key = `${generation}-${file}`;
      byFile.set(key, [...(byFile.get(key) ?? []), journaled!]);
    }
    if (!where.includes(0)) journal.snapshots.forget(operation);
    return operation;
  });
  for (const [key, operations] of byFile) {
    const rows = operations.map(({ place }) => place.rowNumber);
    const uuids = operations.map(({ operationUuid }) => operationUuid).toSorted();
    journal.files.add({
      ...{
        key,
        generation: operations[0]!.place.generation,
        firstRow: Math.min(...rows),
        lastRow: Math.max(...rows),
      },
      ...{ firstId: uuids[0]!, lastId: uuids.at(-1)!, writtenAt: Date.now() },
    });
    const lines = operations.map((operation) => `${JSON.stringify({ operation, records: [] })}\n`);
    texts.set(key, lines.join(""));
  }
  return ids;
};
type Given = { readonly generation: number; readonly where: readonly number[]; readonly row: number };

test("every operation is listed once, in order, however they are spread over the journal and its files", async () => {
  const check = (operations: readonly Given[], limit: number, anchors: readonly number[]) =>
    runInDurableObject(env.WALLET.getByName(newUuid()), async (_, { storage }) => {
      const journal = new Journal(storage);
      const texts = new Map<string, string>();
      const ids = spread(journal, texts, operations);
      const reads: string[] = [];
      const get = async (key: string) => {
        reads.push(key);
        return { text: async () => texts.get(key) };
      };
      const whole = new WholeJournal({
        ...{ journal, settings: SETTINGS, bucket: { get } as unknown as R2Bucket },
        ...{ now: () => Date.now(), log: () => undefined, at: () => undefined },
      });
      const known = anchors.filter((anchor) => anchor < ids.length);
      const listed: Uuid[] = [];
      for (
        let page = await whole.after(
          known.map((anchor) => ids[anchor]!),
          limit,
        );
        ;
      ) {
        listed.push(...page.map(({ operationUuid }) => operationUuid));
        if (page.length < limit) break;
        page = await whole.after(page.at(-1)!.place, limit);
      }
      expect(listed).toEqual(ids.slice(known.length === 0 ? 0 : Math.min(...known) + 1));
      expect((await whole.of(ids)).map(({ operationUuid }) => operationUuid)).toEqual(ids);
    });
  await fc.assert(
    fc.asyncProperty(
      accepted,
      fc.integer({ min: 1, max: 9 }),
      fc.uniqueArray(fc.nat(60), { maxLength: 3 }),
      async (list, limit, anchors) => {
        let generation = 0;
        const operations = list.map(({ begins, where }, index) => {
          if (begins && index % 7 === 0) generation += 1;
          return { generation, where, row: index + 1 };
        });
        await check(operations, limit, anchors);
      },
    ),
    { numRuns: 60 },
  );
});

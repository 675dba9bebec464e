import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { type ContractToken, type ContractViews, contractViews } from "../../chain/contract/views.ts";
import { connect } from "../../chain/rpc.ts";
import { toToken } from "../../collections/tokens.ts";
import type { ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { type Ledger, ledgerOf } from "../../db/ledger.ts";
import type { ContractRow } from "../../db/queries/contracts.ts";
import { insertEvents } from "../../db/queries/events.ts";
import { OPEN, type Subject } from "../../db/queries/operations.ts";
import { collections, events, operations } from "../../db/schema/ledger.ts";
import type { Statement } from "../../db/statements.ts";
import { type NumberRun, numbersLeft } from "../../domain/events.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { pause } from "../../waiting.ts";

/** Tokens of one collection that one run reports, of one batch, of one view, and of one row. */
const MOST = 2_000;
const BATCH = 100;
const VIEW = 50;
const ROW = 25;

/** After this many other events, a collection without new tokens is recorded as scanned, which bounds its next scan. */
const MOST_BEHIND = 1_000;

/** How long to wait for the service's own recent mints, which are recent, and the interval of polling. Milliseconds. */
const WAIT_MS = 4_000;
const LATELY_MS = 20_000;
const LOOK_MS = 500;

interface OpenMint {
  readonly id: Uuid;
  readonly receivers: readonly string[];
  readonly createdAt: Date;
}

/** Pending mints and claims of a collection. */
export const openMints = async (db: Ledger, { integrationId, subjectId }: Subject): Promise<OpenMint[]> => {
  const rows = await db
    .select({
      id: operations.id,
      receivers: sql<string>`json_extract(${operations.request}, '$.receivers')`,
      createdAt: operations.createdAt,
    })
    .from(operations)
    .where(
      and(
        OPEN,
        inArray(operations.kind, ["mint", "claim"]),
        eq(operations.subjectId, subjectId),
        eq(operations.integrationId, integrationId),
      ),
    );
  return rows.map(({ receivers, ...row }) => ({ ...row, receivers: JSON.parse(receivers) as string[] }));
};

/** Condition: exactly the tokens of a collection up to a number are reported. */
const isReportedTo = (id: Uuid, reported: number): SQL =>
  sql`EXISTS (SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)} AND events_reported_to = ${reported})`;

/**
 * Records that the tokens of a collection up to `upTo` are reported, unless its row has changed since it was read.
 * @param seq number of an event up to which none reports a token above `upTo`; undefined: not known
 */
const setReportedTo = (
  db: Ledger,
  { id, eventsReportedTo: reported }: Pick<typeof collections.$inferSelect, "id" | "eventsReportedTo">,
  upTo: number,
  seq: number | undefined,
): Statement =>
  db
    .update(collections)
    .set({ eventsReportedTo: upTo, ...(seq !== undefined && { scannedSeq: seq }) })
    .where(and(eq(collections.id, id), eq(collections.eventsReportedTo, reported)));

/** Numbers of a collection's tokens that events after `after` report, as runs. */
export const reportedNumbers = async (
  db: Ledger,
  integrationId: Uuid,
  collectionId: Uuid,
  after: number,
): Promise<NumberRun[]> => {
  const rows = await db
    .select({ minted: events.minted })
    .from(events)
    .where(
      and(
        eq(events.integrationId, integrationId),
        gt(events.seq, after),
        eq(events.collectionId, collectionId),
      ),
    );
  return rows.flatMap(({ minted }) => minted ?? []);
};

interface ReportedCollection {
  readonly id: Uuid;
  readonly onChainId: number;
  readonly eventsReportedTo: number;
  readonly scannedSeq: number;
}

interface ChainScan {
  readonly contract: ContractRow;
  readonly minted: number;
  /** The integration's last event before that read. No event up to it reports a token that isn't among `minted`. */
  readonly seq: number;
  /** Deadline of waiting for pending mints, milliseconds since the epoch. */
  readonly waitUntil: number;
}

/** Records the scan of collections whose tokens are all reported, in one trip. @param seq as in ChainScan */
export const noteQuiet = async (
  ledger: Ledger,
  quiet: readonly ReportedCollection[],
  seq: number,
): Promise<void> => {
  const statements = quiet
    .filter(({ scannedSeq }) => seq - scannedSeq > MOST_BEHIND)
    .map((collection) => setReportedTo(ledger, collection, collection.eventsReportedTo, seq));
  if (statements.length > 0) await runBatch(ledger, statements);
};

/** Reports tokens minted without the service; those of receivers of mints that stay pending aren't reported. */
export const reportWalletMints = async (
  context: ServiceContext,
  collection: ReportedCollection,
  scan: ChainScan,
): Promise<void> => {
  const { contract, minted, seq } = scan;
  const { integrationId } = contract;
  const db = ledgerOf(context, integrationId);
  const open = await stillOpen(context, { integrationId, subjectId: collection.id }, scan.waitUntil);
  const own = await reportedNumbers(db, integrationId, collection.id, collection.scannedSeq);
  const numbers = numbersLeft(collection.eventsReportedTo + 1, minted, own, MOST + 1);
  const end = numbers.length > MOST ? numbers[MOST]! - 1 : minted;
  const views = contractViews(connect(context.settings), contract.accountId);
  const receivers = new Set(open.flatMap((mint) => mint.receivers));
  let base = context.settings.PUBLIC_URL;
  let reported = collection.eventsReportedTo;
  for (let at = 0; at < Math.min(numbers.length, MOST); at += BATCH) {
    const part = numbers.slice(at, Math.min(at + BATCH, MOST));
    // Without the setting, the base URL that the contract was deployed with.
    base ??= new URL((await views.metadata()).base_uri ?? "").origin;
    const upTo = await reportTokens(
      context,
      { collection, contract, views, receivers, base },
      reported,
      part,
    );
    if (upTo === null) return;
    reported = upTo;
  }
  await runBatch(db, [
    setReportedTo(
      db,
      { id: collection.id, eventsReportedTo: reported },
      end,
      end === minted ? seq : undefined,
    ),
  ]);
};

/** The service's own mints that were pending at the scan and still are after a while. */
const stillOpen = async (
  context: ServiceContext,
  collection: Subject,
  waitUntil: number,
): Promise<OpenMint[]> => {
  const { now } = context;
  const db = ledgerOf(context, collection.integrationId);
  const first = await openMints(db, collection);
  const ids = new Set(first.map((mint) => mint.id));
  const began = now().getTime();
  const end = Math.min(waitUntil, began + WAIT_MS);
  const isLate = ({ createdAt }: OpenMint) => createdAt.getTime() > began - LATELY_MS;
  let open = first;
  while (open.some(isLate) && now().getTime() < end) {
    await pause(LOOK_MS);
    open = (await openMints(db, collection)).filter((mint) => ids.has(mint.id));
  }
  return open;
};

interface Reporting {
  readonly collection: ReportedCollection;
  readonly contract: ContractRow;
  readonly views: ContractViews;
  /** Receivers of pending mints, whose tokens aren't reported. */
  readonly receivers: ReadonlySet<string>;
  readonly base: string;
}

/**
 * Reports tokens with these numbers, unless another run has. @param reported the number up to which tokens are reported
 * @returns the number up to which they are now; null leaves the rest to the next run
 */
const reportTokens = async (
  context: ServiceContext,
  { collection, contract, views, receivers, base }: Reporting,
  reported: number,
  numbers: readonly number[],
): Promise<number | null> => {
  const { id, onChainId } = collection;
  const { accountId, integrationId } = contract;
  const db = ledgerOf(context, integrationId);
  const shown = await readTokens(
    views,
    numbers.map((number) => `${onChainId}:${number}`),
  );
  // In the block of its mint, a token has no asset yet.
  const unready = shown.findIndex((token) => token !== null && token.metadata.media === null);
  const ready = unready < 0 ? numbers.length : unready;
  const upTo = ready === 0 ? reported : numbers[ready - 1]!;
  const found = shown.flatMap((token, index) =>
    token !== null && index < ready && !receivers.has(token.owner_id)
      ? [{ number: numbers[index]!, token }]
      : [],
  );
  const home = { collectionUuid: id, collectionId: onChainId, contract: accountId, base };
  const statements: Statement[] = [];
  for (let at = 0; at < found.length; at += ROW) {
    const some = found.slice(at, at + ROW);
    const news = {
      integrationId,
      runs: [["nft.minted", some.length]],
      collectionId: id,
      numbers: some.map(({ number }) => number),
      data: some.map(({ token }) => toToken(token, home)),
      at: context.now(),
    } as const;
    statements.push(insertEvents(db, news, isReportedTo(id, reported)));
  }
  await runBatch(db, [...statements, setReportedTo(db, { id, eventsReportedTo: reported }, upTo, undefined)]);
  return unready < 0 ? upTo : null;
};

const readTokens = async (
  views: ContractViews,
  ids: readonly string[],
): Promise<(ContractToken | null)[]> => {
  const found: (ContractToken | null)[] = [];
  while (found.length < ids.length) {
    // The contract ends a page early if its tokens are large.
    const page = await views.tokens(ids.slice(found.length, found.length + VIEW));
    if (page.length === 0) throw new Error("the contract returns no page of tokens");
    found.push(...page);
  }
  return found;
};

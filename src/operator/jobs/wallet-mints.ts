import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { type ContractToken, type ContractViews, contractViews } from "../../chain/contract/views.ts";
import { connect } from "../../chain/rpc.ts";
import { toToken } from "../../collections/tokens.ts";
import type { ServiceContext } from "../../context.ts";
import { type Database, runBatch } from "../../db/client.ts";
import type { ContractRow } from "../../db/queries/contracts.ts";
import { insertEvents } from "../../db/queries/events.ts";
import { OPEN, type Subject } from "../../db/queries/operations.ts";
import { hasOperation } from "../../db/queries/rollback.ts";
import { collections, events, operations } from "../../db/schema/index.ts";
import type { Statement } from "../../db/statements.ts";
import { type NumberRun, numbersLeft } from "../../domain/events.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";
import { pause } from "../../waiting.ts";
import { walletOf } from "../../wallet/client.ts";

/** Tokens of one collection that one run reports, of one batch, of one view, and of one row. */
const MOST = 2_000;
const BATCH = 100;
const VIEW = 50;
const ROW = 25;

/**
 * Events of an integration behind which a collection that is quiet is noted to have been looked at: what a later mint of it
 * asks the database doesn't grow with all that happened elsewhere meanwhile.
 */
const MOST_BEHIND = 1_000;

/** How long mints of the service's own that began lately are waited for. Milliseconds. */
const WAIT_MS = 4_000;
const LATELY_MS = 20_000;
const LOOK_MS = 500;

/** A mint that is not over, and to whom it mints. */
interface OpenMint {
  readonly id: Uuid;
  readonly receivers: readonly string[];
  readonly createdAt: Date;
}

/** Mints and claims of a collection that are not over. */
export const openMints = async (db: Database, { integrationId, subjectId }: Subject): Promise<OpenMint[]> => {
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
    )
    .all();
  return rows.map(({ receivers, ...row }) => ({ ...row, receivers: JSON.parse(receivers) as string[] }));
};

/** Condition: exactly the tokens of a collection up to a number are reported. */
const isReportedTo = (id: Uuid, reported: number): SQL =>
  sql`EXISTS (SELECT 1 FROM collections WHERE id = ${uuidToBytes(id)} AND events_reported_to = ${reported})`;

/**
 * Records that the tokens of a collection up to `upTo` are reported.
 * @param collection as read; another number in the row changes nothing
 * @param seq number of an event up to which none reports a token above `upTo`; undefined: not known
 */
const setReportedTo = (
  db: Database,
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
  db: Database,
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
    )
    .all();
  return rows.flatMap(({ minted }) => minted ?? []);
};

/** A collection as the database had it before the chain was read. */
export interface ReportedCollection {
  readonly id: Uuid;
  readonly onChainId: number;
  readonly eventsReportedTo: number;
  readonly scannedSeq: number;
}

/** What a look at the chain showed. */
export interface ChainLook {
  readonly contract: ContractRow;
  /** Tokens that were minted. */
  readonly minted: number;
  /** The integration's last event before the look: no event up to it reports a token that the look doesn't show. */
  readonly seq: number;
  /** When mints that are under way aren't waited for any more, milliseconds since the epoch. */
  readonly waitUntil: number;
}

/** Records looks at collections all of whose tokens are reported, in one trip. @param seq as in the look */
export const noteQuiet = async (
  { db }: ServiceContext,
  quiet: readonly ReportedCollection[],
  seq: number,
): Promise<void> => {
  const statements = quiet
    .filter(({ scannedSeq }) => seq - scannedSeq > MOST_BEHIND)
    .map((collection) => setReportedTo(db, collection, collection.eventsReportedTo, seq));
  await runBatch(db, statements);
};

/**
 * Reports tokens that were minted without the service: all that the chain shows except those that the service's own mints
 * have reported or will report when they end. Waits a while for pending mints; tokens of receivers of mints that are
 * still pending then aren't reported.
 * @param look that shows tokens which aren't reported
 */
export const reportWalletMints = async (
  context: ServiceContext,
  collection: ReportedCollection,
  look: ChainLook,
): Promise<void> => {
  const { db } = context;
  const { contract, minted, seq } = look;
  const { integrationId } = contract;
  const open = await stillOpen(context, { integrationId, subjectId: collection.id }, look.waitUntil);
  const own = await reportedNumbers(db, integrationId, collection.id, collection.scannedSeq);
  const numbers = numbersLeft(collection.eventsReportedTo + 1, minted, own, MOST + 1);
  if (numbers.length > 0 && (await isDatabaseBehind(context, integrationId))) return;
  const end = numbers.length > MOST ? numbers[MOST]! - 1 : minted;
  const reporter = new MintReporter(context, collection, contract, open);
  let reported = collection.eventsReportedTo;
  for (let at = 0; at < Math.min(numbers.length, MOST); at += BATCH) {
    const part = numbers.slice(at, Math.min(at + BATCH, MOST));
    const upTo = await reporter.report(reported, part);
    if (upTo === null) return;
    reported = upTo;
  }
  await db.batch([
    setReportedTo(
      db,
      { id: collection.id, eventsReportedTo: reported },
      end,
      end === minted ? seq : undefined,
    ),
  ]);
};

/** Whether the database lacks operations of the integration: their tokens are reported when they are restored. */
export const isDatabaseBehind = async (
  { db, env }: ServiceContext,
  integrationId: Uuid,
): Promise<boolean> => {
  const { state, latest } = await walletOf(env, integrationId).rollbackCheck();
  return state === "behind" || (latest !== null && !(await hasOperation(db, latest)));
};

/** Mints of the service's own that were under way at the look and aren't over after a while. */
const stillOpen = async (
  context: ServiceContext,
  collection: Subject,
  waitUntil: number,
): Promise<OpenMint[]> => {
  const { db, now } = context;
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

class MintReporter {
  readonly #context: ServiceContext;
  readonly #collection: ReportedCollection;
  readonly #contract: ContractRow;
  readonly #views: ContractViews;
  readonly #receivers: ReadonlySet<string>;
  #base: string | null = null;

  constructor(
    context: ServiceContext,
    collection: ReportedCollection,
    contract: ContractRow,
    open: readonly OpenMint[],
  ) {
    this.#context = context;
    this.#collection = collection;
    this.#contract = contract;
    this.#views = contractViews(connect(context.settings), contract.accountId);
    this.#receivers = new Set(open.flatMap(({ receivers }) => receivers));
  }

  /**
   * Reports tokens with these numbers, unless another run has.
   * @param reported the number up to which tokens are reported
   * @returns the number up to which they are now; null: what follows is left to the next run
   */
  async report(reported: number, numbers: readonly number[]): Promise<number | null> {
    const { db } = this.#context;
    const shown = await this.#read(numbers);
    // In the block of its mint a token shows no asset: a later block does.
    const unready = shown.findIndex((token) => token !== null && token.metadata.media === null);
    const ready = unready < 0 ? numbers.length : unready;
    const upTo = ready === 0 ? reported : numbers[ready - 1]!;
    const found = shown.flatMap((token, index) =>
      token !== null && index < ready && !this.#receivers.has(token.owner_id)
        ? [{ number: numbers[index]!, token }]
        : [],
    );
    const base = await this.#gateway();
    const statements: Statement[] = [];
    for (let at = 0; at < found.length; at += ROW) {
      statements.push(this.#row(reported, base, found.slice(at, at + ROW)));
    }
    statements.push(
      setReportedTo(db, { id: this.#collection.id, eventsReportedTo: reported }, upTo, undefined),
    );
    await runBatch(db, statements);
    return unready < 0 ? upTo : null;
  }

  async #read(numbers: readonly number[]): Promise<(ContractToken | null)[]> {
    const ids = numbers.map((number) => `${this.#collection.onChainId}:${number}`);
    const pages: (ContractToken | null)[] = [];
    while (pages.length < ids.length) {
      // The contract ends a page early where its tokens are large.
      const page = await this.#views.tokens(ids.slice(pages.length, pages.length + VIEW));
      if (page.length === 0) throw new Error("the contract shows no page of tokens");
      pages.push(...page);
    }
    return pages;
  }

  #row(
    reported: number,
    base: string,
    found: readonly { readonly number: number; readonly token: ContractToken }[],
  ): Statement {
    const { db, now } = this.#context;
    const { id, onChainId } = this.#collection;
    const { accountId: contract, integrationId } = this.#contract;
    const home = { collectionUuid: id, collectionId: onChainId, contract, base };
    const news = {
      integrationId,
      runs: [["nft.minted", found.length]],
      collectionId: id,
      numbers: found.map(({ number }) => number),
      data: found.map(({ token }) => toToken(token, home)),
      at: now(),
    } as const;
    return insertEvents(db, news, isReportedTo(id, reported));
  }

  /** Base address of the gateway: where no setting says so, the one that the contract was deployed with. */
  async #gateway(): Promise<string> {
    const { PUBLIC_URL } = this.#context.settings;
    this.#base ??= PUBLIC_URL ?? new URL((await this.#views.metadata()).base_uri ?? "").origin;
    return this.#base;
  }
}

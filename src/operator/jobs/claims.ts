import { and, eq, type SQL, sql } from "drizzle-orm";
import { type ContractDrop, type ContractViews, mayHaveMore } from "../../chain/contract/views.ts";
import { ViewError } from "../../chain/errors.ts";
import type { ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { type Ledger, ledgerOf } from "../../db/ledger.ts";
import { LOST_DROPS } from "../../db/queries/claims.ts";
import { collectionsOnChain } from "../../db/queries/collections.ts";
import type { ContractRow } from "../../db/queries/contracts.ts";
import { insertEvents } from "../../db/queries/events.ts";
import { claimDrops } from "../../db/schema/ledger.ts";
import type { Statement } from "../../db/statements.ts";
import { claimedLinks } from "../../domain/claim-proofs.ts";
import { type Uuid, uuidToBytes } from "../../domain/ids.ts";

/** Numbers of the first `most` links that are claimed and not reported, ascending. */
export const unreportedLinks = (claimed: Uint8Array, reported: Uint8Array, most: number): number[] => {
  const known = new Set(claimedLinks(reported));
  return claimedLinks(claimed)
    .filter((link) => !known.has(link))
    .slice(0, most);
};

/** The reported links, one bit a link, with `links` added. */
export const withLinks = (reported: Uint8Array, links: readonly number[]): Uint8Array => {
  const last = links.at(-1) ?? 0;
  const next = new Uint8Array(Math.max(reported.length, (last >> 3) + 1));
  next.set(reported);
  for (const link of links) next[link >> 3] = next[link >> 3]! | (1 << (link & 7));
  return next;
};

type ReportedDrop = typeof claimDrops.$inferSelect;

export const reportedDrops = (db: Ledger, contractId: Uuid): Promise<ReportedDrop[]> =>
  db.select().from(claimDrops).where(eq(claimDrops.contractId, contractId)).all();

const isReportedCount = ({ contractId, dropId, reported }: ReportedDrop): SQL => sql`coalesce((
  SELECT reported FROM claim_drops WHERE contract_id = ${uuidToBytes(contractId)} AND drop_id = ${dropId}), 0) = ${reported}`;

/** Records more links of a drop as reported, unless another run has. */
const setReportedLinks = (
  db: Ledger,
  { contractId, dropId, reported }: ReportedDrop,
  next: Pick<ReportedDrop, "reported" | "links">,
): Statement =>
  db
    .insert(claimDrops)
    .values({ contractId, dropId, ...next })
    .onConflictDoUpdate({
      target: [claimDrops.contractId, claimDrops.dropId],
      set: next,
      setWhere: eq(claimDrops.reported, reported),
    });

/** Rows of no drop: how many of a contract's first drops are closed, and behind how many the next run continues. */
const CLOSED = 0;
const LOOKED = -2;

/** Drops of one view, and pages of one run. */
const PAGE = 100;
const MAX_PAGES = 20;
/** Links of one drop that one run reports, and of one row. */
const MOST = 2_000;
const ROW = 50;

/**
 * Reports redeemed claim links as `claim.redeemed`, but for those claimed within a minute of their drop's closing, and those claimed
 * before the first look after a loss of the ledger, most of which were reported. A run looks at a bounded number of drops, and the
 * next one continues; those before the first that is open are skipped, because numbers aren't given again.
 */
export const reportClaims = async (
  context: ServiceContext,
  contract: ContractRow,
  views: ContractViews,
): Promise<void> => {
  const db = ledgerOf(context, contract.integrationId);
  const known = new Map((await reportedDrops(db, contract.id)).map((drop) => [drop.dropId, drop]));
  const isLost = known.has(LOST_DROPS);
  const countOf = (dropId: number) => known.get(dropId)?.reported ?? 0;
  const [closed, looked] = [countOf(CLOSED), countOf(LOOKED)];
  const from = Math.max(closed, looked);
  const { drops, end, isLast } = await openDrops(views, from);
  for (const drop of drops) {
    const begun = { contractId: contract.id, dropId: drop.drop_id, reported: 0, links: new Uint8Array() };
    const row = known.get(drop.drop_id) ?? begun;
    const isUnknown = isLost && !known.has(drop.drop_id);
    if (drop.claimed > row.reported) await reportDrop(context, contract, views, { ...row, isUnknown });
  }
  const nowClosed = from > closed ? closed : drops[0] ? drops[0].drop_id - 1 : end;
  const moved = [
    { dropId: CLOSED, reported: closed, next: nowClosed },
    { dropId: LOOKED, reported: looked, next: isLast ? 0 : end },
  ].filter(({ reported, next }) => reported !== next);
  const links = new Uint8Array();
  const statements: Statement[] = moved.map(({ dropId, reported, next }) =>
    setReportedLinks(db, { contractId: contract.id, dropId, reported, links }, { reported: next, links }),
  );
  const lost = and(eq(claimDrops.contractId, contract.id), eq(claimDrops.dropId, LOST_DROPS));
  if (isLost && isLast) statements.push(db.delete(claimDrops).where(lost));
  if (statements.length > 0) await runBatch(db, statements);
};

/** The drops behind the first ones that aren't closed. Contracts of a former release have none. */
const openDrops = async (views: ContractViews, from: number) => {
  const drops: ContractDrop[] = [];
  let [end, isLast] = [from, false];
  try {
    for (let pages = 0; pages < MAX_PAGES && !isLast; pages++) {
      const page = await views.drops(end, PAGE);
      drops.push(...page.filter((drop) => drop !== null));
      end += page.length;
      isLast = !mayHaveMore(page, PAGE);
    }
  } catch (error) {
    if (!(error instanceof ViewError) || error.contractCode !== null) throw error;
    isLast = true;
  }
  return { drops, end, isLast };
};

const reportDrop = async (
  context: ServiceContext,
  { id, accountId, integrationId }: ContractRow,
  views: ContractViews,
  { isUnknown, ...row }: ReportedDrop & { readonly isUnknown: boolean },
): Promise<void> => {
  const { now } = context;
  const db = ledgerOf(context, integrationId);
  const drop = await views.drop(row.dropId);
  if (drop === null) return;
  const links = unreportedLinks(
    Buffer.from(drop.claimed_links, "base64"),
    row.links,
    isUnknown ? Number.POSITIVE_INFINITY : MOST,
  );
  const { drop_id, collection_id, quantity } = drop;
  const [collection] = await collectionsOnChain(db, id, collection_id - 1, collection_id);
  if (links.length === 0 || !collection) return;
  const claim = {
    collection_uuid: collection.id,
    collection_id,
    contract_address: accountId,
    drop_id,
    quantity,
  };
  const rows = Array.from({ length: isUnknown ? 0 : Math.ceil(links.length / ROW) }, (_, index) => {
    const some = links.slice(index * ROW, (index + 1) * ROW);
    const data = some.map((link) => ({ ...claim, link }));
    const news = { integrationId, runs: [["claim.redeemed", some.length]], data, at: now() } as const;
    return insertEvents(db, news, isReportedCount(row));
  });
  const next = { reported: row.reported + links.length, links: withLinks(row.links, links) };
  await runBatch(db, [...rows, setReportedLinks(db, row, next)]);
};

import type { ContractDrop, ContractViews } from "../chain/contract/views.ts";
import { mayGoOn } from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import type { ServiceContext } from "../context.ts";
import { collectionsOnChain } from "../db/queries/chain-comparison.ts";
import { enterDrop, isToldOf, raiseToldLinks, type ToldDrop, toldDrops } from "../db/queries/claim-drops.ts";
import type { ContractRow } from "../db/queries/contracts.ts";
import { insertEvents } from "../db/queries/events.ts";
import { linksToTell, withLinks } from "../domain/claim-links.ts";
import { isOlder } from "./wallet-mints.ts";

/** Drops of one view, and pages of one run. */
const PAGE = 100;
const MAX_PAGES = 20;
/** Links of one drop that one run tells of, and of one row. */
const MOST = 2_000;
const ROW = 50;

/**
 * Tells of claim links that were redeemed: the contract keeps one bit a link. Whoever got the tokens is told with them,
 * by `nft.minted`. A drop that is closed within a minute of a claim takes what wasn't told of it along.
 */
export const tellClaims = async (
  context: ServiceContext,
  contract: ContractRow,
  views: ContractViews,
): Promise<void> => {
  const drops = await openDrops(views);
  if (drops.length === 0) return;
  const known = new Map((await toldDrops(context.db, contract.id)).map((drop) => [drop.dropId, drop]));
  for (const drop of drops) {
    const begun = { contractId: contract.id, dropId: drop.drop_id, told: 0, links: new Uint8Array() };
    const told = known.get(drop.drop_id) ?? begun;
    if (drop.claimed > told.told) await tellDrop(context, contract, views, told);
  }
};

/** The drops that aren't closed. Contracts of a former release have none. */
const openDrops = async (views: ContractViews): Promise<ContractDrop[]> => {
  const drops: ContractDrop[] = [];
  try {
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = await views.drops(pages * PAGE, PAGE);
      drops.push(...page.filter((drop) => drop !== null));
      if (!mayGoOn(page, PAGE)) break;
    }
  } catch (error) {
    if (!(error instanceof ViewError) || error.contractCode !== null) throw error;
  }
  return drops;
};

const tellDrop = async (
  context: ServiceContext,
  { id, accountId, integrationId }: ContractRow,
  views: ContractViews,
  told: ToldDrop,
): Promise<void> => {
  const { db, now } = context;
  const drop = await views.drop(told.dropId);
  if (drop === null) return;
  const links = linksToTell(Buffer.from(drop.claimed_links, "base64"), told.links, MOST);
  const { drop_id, collection_id, quantity } = drop;
  const [collection] = await collectionsOnChain(db, id, collection_id - 1, collection_id);
  if (links.length === 0 || !collection || (await isOlder(context, integrationId))) return;
  const claim = {
    collection_uuid: collection.id,
    collection_id,
    contract_address: accountId,
    drop_id,
    quantity,
  };
  const rows = Array.from({ length: Math.ceil(links.length / ROW) }, (_, row) => {
    const some = links.slice(row * ROW, (row + 1) * ROW);
    const data = some.map((link) => ({ ...claim, link }));
    const news = { integrationId, runs: [["claim.redeemed", some.length]], data, at: now() } as const;
    return insertEvents(db, news, isToldOf(told));
  });
  const next = { told: told.told + links.length, links: withLinks(told.links, links) };
  await db.batch([enterDrop(db, told), ...rows, raiseToldLinks(db, told, next)]);
};

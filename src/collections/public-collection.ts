import { toCreator } from "../api/resources/creator.ts";
import type { PublicCollection, PublicPhase } from "../api/resources/public-collection.ts";
import { phaseCounts, settingsFromContract } from "../chain/contract/settings.ts";
import { type ContractCollection, type ContractViews, contractViews } from "../chain/contract/views.ts";
import type { ServiceContext } from "../context.ts";
import { coverOf, type EnabledPage, findEnabledPage } from "../db/queries/collection-pages.ts";
import { isSlug } from "../domain/collector-pages.ts";
import { ServiceError } from "../domain/errors.ts";
import { type CollectionSettings, phasesOf } from "../domain/settings.ts";
import { fileCid, gatewayUrl } from "../files/ipfs/cid.ts";
import { copiesLeft } from "./drops.ts";
import { connectPublic } from "./public-nodes.ts";

/** A page's collection, with the views of its contract at nodes that have all effects of the service's operations. */
export interface Showcase {
  readonly row: EnabledPage;
  readonly collectionId: number;
  readonly contract: string;
  readonly views: ContractViews;
}

/** The collection of an enabled page. @throws ServiceError not_found, also for a disabled page */
export const openShowcase = async (context: ServiceContext, slug: string): Promise<Showcase> => {
  const row = isSlug(slug) ? await findEnabledPage(context.db, slug) : undefined;
  if (!row) throw new ServiceError("not_found", "There is no such page. Check the address.");
  const { collection, contractAccountId: contract } = row;
  const views = contractViews(connectPublic(context), contract, collection.height);
  return { row, collectionId: collection.onChainId, contract, views };
};

/** A published collection as its contract shows it. @throws ServiceError not_found, chain_unavailable */
export const onChain = async ({ views, collectionId }: Showcase): Promise<ContractCollection> => {
  const found = await views.collection(collectionId);
  if (found?.published) return found;
  throw new ServiceError("not_found", "There is no such page. Check the address.");
};

/** Whether assets are hidden until a reveal. */
export const isHidden = ({ reveal }: Pick<ContractCollection, "reveal">): boolean =>
  reveal != null && reveal.state !== "revealed";

const shownPhases = (found: ContractCollection, settings: CollectionSettings): PublicPhase[] => {
  const counts = phaseCounts(found);
  return phasesOf(settings).map((phase) => ({ ...phase, minted: counts[phase.phase]?.minted ?? 0 }));
};

/** The collection's cover; before the reveal, the placeholder of all tokens. */
const coverFor = async (
  context: ServiceContext,
  { page, collection }: EnabledPage,
  found: ContractCollection,
  base: string,
): Promise<PublicCollection["cover"]> => {
  if (isHidden(found)) {
    const placeholder = found.reveal?.media;
    return placeholder ? { url: gatewayUrl(base, placeholder), media_type: null, ground: null } : null;
  }
  const file = await coverOf(context.db, collection.draftId, page.coverAssetId);
  if (!file) return null;
  const { sha256, rootSha256, mediaType: media_type, ground } = file;
  return { url: gatewayUrl(base, fileCid(sha256, rootSha256)), media_type, ground };
};

const revealOf = (
  { collection: { revealAt } }: EnabledPage,
  { reveal }: ContractCollection,
): PublicCollection["reveal"] => {
  if (!reveal) return null;
  const { state, shown, commitment } = reveal;
  return { state, shown, commitment, at: state === "revealed" ? null : (revealAt?.toISOString() ?? null) };
};

/** A collection as its page shows it. @throws ServiceError not_found, chain_unavailable */
export const showCollection = async (
  context: ServiceContext,
  slug: string,
  base: string,
): Promise<PublicCollection> => {
  const showcase = await openShowcase(context, slug);
  const [found, metadata] = await Promise.all([onChain(showcase), showcase.views.metadata()]);
  const { locks = [] } = found;
  const { codeState } = showcase.row;
  const settings = settingsFromContract(found, showcase.row.collection.settings);
  return {
    slug,
    title: found.title,
    description: found.description,
    cover: await coverFor(context, showcase.row, found, base),
    theme: showcase.row.page.theme,
    links: showcase.row.page.links,
    creator: toCreator(showcase.row.page, base),
    about: showcase.row.page.about,
    network: context.settings.NEAR_NETWORK,
    contract_address: showcase.contract,
    contract_name: metadata.name,
    collection_id: showcase.collectionId,
    phases: shownPhases(found, settings),
    total_copies: found.total,
    minted: found.minted,
    left: copiesLeft(found),
    ongoing_royalties: settings.ongoing_royalties,
    ongoing_royalties_can_change: !locks.includes("royalties"),
    contract_code: { ...codeState, locked: codeState.locked || locks.includes("code") },
    locks: [...locks],
    transfers: {
      allow_approvals: settings.allow_approvals,
      has_lists:
        [settings.transfers_denied_accounts, settings.approvals_denied_accounts].some(
          (list) => (list?.length ?? 0) > 0,
        ) || settings.approvals_allowed_accounts !== null,
    },
    hidden: isHidden(found),
    total_assets: found.assets,
    reveal: revealOf(showcase.row, found),
  };
};

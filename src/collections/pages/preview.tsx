import type { PublicCollection, PublicPhase, PublicToken } from "../../api/resources/public-collection.ts";
import { countTraits, ranksOf, type Trait, traitsOf } from "../../domain/traits.ts";
import { Gallery } from "./gallery.tsx";
import { Mint } from "./mint.tsx";
import { FONT } from "./scripts.ts";
import { FONT_PATH } from "./styles.ts";
import { TokenDetail } from "./token.tsx";

/** A media file that is to become NFTs. */
interface PreviewAsset {
  /** What follows the collection's title. */
  readonly subtitle: string | null;
  readonly url: string;
  readonly mediaType: string;
  /** What its JSON file has. */
  readonly metadata: unknown;
}

/** A collection that is on no chain yet. */
export interface Previewed {
  readonly title: string;
  readonly description: string | null;
  readonly contract: string;
  readonly copies: number;
  readonly assets: readonly PreviewAsset[];
  /** What NFTs show until the reveal; null: they hide nothing. */
  readonly placeholder: { readonly url: string; readonly at: string | null } | null;
  readonly phases: readonly Omit<PublicPhase, "minted">[];
  readonly royalties: Readonly<Record<string, number>>;
  readonly coverUrl: string | null;
  readonly accent: string | null;
  readonly creator: PublicCollection["creator"];
  readonly about: string | null;
  readonly links: PublicCollection["links"];
  /** The address that serves the preview. */
  readonly base: string;
  readonly now: Date;
}

const SLUG = "preview";
/** What the pages' banner says that it is. */
const NETWORK = "a preview";
/** NFTs that the pages show. */
const SHOWN = 48;

const collectionOf = (previewed: Previewed): PublicCollection => {
  const { assets, copies, placeholder, phases, accent } = previewed;
  const total = assets.length * copies;
  const coverUrl = placeholder?.url ?? previewed.coverUrl ?? assets[0]?.url ?? null;
  const cover = assets.find(({ url }) => url === coverUrl);
  return {
    slug: SLUG,
    title: previewed.title,
    description: previewed.description,
    cover: coverUrl === null ? null : { url: coverUrl, media_type: cover?.mediaType ?? null, ground: null },
    theme: accent === null ? null : { accent },
    links: previewed.links,
    creator: previewed.creator,
    about: previewed.about,
    network: NETWORK,
    contract_address: previewed.contract,
    contract_name: previewed.contract,
    collection_id: 1,
    phases: phases.map((phase) => ({ ...phase, minted: 0 })),
    total_copies: total,
    minted: Math.min(assets.length, SHOWN),
    left: total,
    ongoing_royalties: previewed.royalties,
    ongoing_royalties_can_change: true,
    contract_code: { locked: false, announced: null, has_full_access_key: false },
    locks: [],
    // Without locks, pages promise nothing of transfers.
    transfers: { allow_approvals: true, has_lists: false },
    hidden: placeholder !== null,
    total_assets: assets.length,
    reveal: placeholder && {
      state: "hidden",
      shown: 0,
      at: placeholder.at,
      commitment: "made at the launch",
    },
  };
};

/** One NFT of each file, in the folder's order; the contract draws them. */
const tokensOf = (previewed: Previewed, traits: readonly (readonly Trait[])[]): PublicToken[] => {
  const { title, assets, copies, placeholder } = previewed;
  const ranks = ranksOf(traits.map((each) => ({ traits: each, copies })));
  return assets.slice(0, SHOWN).map(({ subtitle, url, mediaType }, index) => {
    const number = index + 1;
    const named = subtitle
      ?.replaceAll("$TOKEN_NUM", String(number))
      .replaceAll("$TOTAL_NUM", String(assets.length * copies));
    const hides = placeholder !== null;
    return {
      token_id: `1:${number}`,
      number,
      title: hides || !named ? title : `${title} ${named}`,
      description: previewed.description,
      owner_id: "the collector",
      media_url: placeholder?.url ?? url,
      media_type: hides ? null : mediaType,
      media_ground: null,
      media_hash: null,
      media_cid: null,
      reference_url: null,
      reference_hash: null,
      traits: hides ? [] : [...(traits[index] ?? [])],
      rarity_rank: hides || !traits[index]?.length ? null : (ranks[index] ?? null),
    };
  });
};

const html = (page: { toString(): string | Promise<string> }): string => `<!doctype html>${page.toString()}`;

/**
 * The page of a collection that is on no chain yet, by its address; null: there is none. Nothing can be minted on it.
 * @param path such as /m/preview
 */
export function previewPage(previewed: Previewed, path: string): string | null {
  const { base, now } = previewed;
  const setting = { nonce: "preview", base, network: NETWORK, marketplaces: [] };
  const collection = collectionOf(previewed);
  const traits = previewed.assets.map(({ metadata }) => traitsOf(metadata));
  const tokens = tokensOf(previewed, traits);
  if (path === `/m/${SLUG}`) {
    const wallets = { chosen: null, connector: "" };
    const works = tokens.slice(0, 8);
    return html(Mint({ setting, collection, works, now, scripts: [], wallets }));
  }
  if (path === `/g/${SLUG}`) {
    const filter = { limit: SHOWN, cursor: null, sort: "number", traits: [] } as const;
    const page = { tokens, next: null };
    return html(Gallery({ setting, collection, traits: [], filter, page, isRanked: false, now }));
  }
  const token = tokens.find(({ number }) => path === `/g/${SLUG}/${number}`);
  if (!token) return null;
  const counted = countTraits(traits.map((each) => ({ traits: each, copies: previewed.copies })));
  const detail = { ...token, transaction_hash: null, explorer_url: null, locked: false, history: [] };
  return html(TokenDetail({ setting, collection, token: detail, traits: counted, now }));
}

/** The pages' font: its address and its bytes in base64. */
export const PREVIEW_FONT = { path: FONT_PATH, base64: FONT.base64 } as const;

import type { PublicCollection, PublicToken, PublicTrait } from "../../api/resources/public-collection.ts";
import { grouped, percent } from "../../domain/counted.ts";
import { isolated } from "../../domain/texts.ts";
import type { TokenFilter, TokenPage } from "../public-tokens.ts";
import { By } from "./by.tsx";
import { cardOfPage } from "./card.ts";
import { Frame, type Setting, Title } from "./frame.tsx";
import { Cover, Media } from "./media.tsx";
import { ownNameOf } from "./names.ts";
import { Secret } from "./promises.tsx";
import { isOffered } from "./stages.ts";

/** Values of a trait that can be chosen from; beyond it, a list is of no use. One that is chosen is there in any case. */
const MOST_VALUES = 100;

/** A trait as the query has it: type and value, each percent-encoded, so that `=` parts them. */
export const choice = (type: string, value: string): string =>
  `${encodeURIComponent(type)}=${encodeURIComponent(value)}`;

interface TileProps {
  readonly token: PublicToken;
  readonly collection: PublicCollection;
  readonly base: string;
  /** Whether it is in a gallery's first row on a phone. */
  readonly eager?: boolean;
}

/** An NFT in a grid: its picture, and what tells it from the others before what all have. */
export const Tile = ({ token, collection, base, eager }: TileProps) => {
  const own = ownNameOf(token, collection);
  const number = `No. ${grouped(token.number)}`;
  const line = [
    ...(own === number ? [] : [number]),
    ...(token.rarity_rank === null ? [] : [`rank ${grouped(token.rarity_rank)}`]),
  ];
  return (
    <li>
      <a href={`/g/${collection.slug}/${token.number}`}>
        <Media
          base={base}
          url={token.media_url}
          type={token.media_type}
          ground={token.media_ground}
          alt=""
          eager={eager}
          isLink
        />
        <bdi class="name">{own}</bdi>
        {line.length > 0 && <span class="soft">{line.join(" · ")}</span>}
      </a>
    </li>
  );
};

interface FiltersProps {
  readonly traits: readonly PublicTrait[];
  readonly filter: TokenFilter;
  /** Whether its NFTs have ranks, and can be sorted by them now. */
  readonly isRanked: boolean;
  /** NFTs of the collection. */
  readonly total: number;
}

const Trait = ({
  trait: { type, values },
  id,
  chosen,
  total,
}: {
  trait: PublicTrait;
  id: string;
  total: number;
  chosen: Set<string>;
}) => (
  <div>
    <label for={id}>
      <bdi>{type}</bdi>
    </label>
    <select id={id} name="trait">
      <option value="">Any</option>
      {values
        .map(({ value, copies }) => ({ value, copies, selected: chosen.has(choice(type, value)) }))
        .filter(({ selected }, place) => selected || place < MOST_VALUES)
        .map(({ value, copies, selected }) => (
          <option value={choice(type, value)} selected={selected}>
            {isolated(value)} · {percent(copies, total)}
          </option>
        ))}
    </select>
  </div>
);

const SORTS = { "": "Number", latest: "Latest first", rarity: "Rarest first" } as const;

/** The address of the gallery by a filter. @param cursor where it begins; null: at its beginning */
const addressOf = ({ owner, sort, traits }: Omit<TokenFilter, "limit" | "cursor">, cursor: string | null) => {
  const query = new URLSearchParams(cursor === null ? {} : { cursor });
  if (owner !== undefined) query.set("owner", owner);
  if (sort !== "number") query.set("sort", sort);
  for (const { type, value } of traits) query.append("trait", choice(type, value));
  return `?${query}`;
};

/** What is chosen, each as a link that drops it, and one for all of them. */
const Chosen = ({ filter }: { filter: TokenFilter }) => {
  const { owner, traits, sort } = filter;
  const dropped = [
    ...traits.map((one) => ({
      text: one.value,
      href: addressOf({ ...filter, traits: traits.filter((other) => other !== one) }, null),
    })),
    ...(owner === undefined ? [] : [{ text: owner, href: addressOf({ sort, traits }, null) }]),
  ];
  return (
    <>
      {dropped.map(({ text, href }) => (
        <a class="chosen" href={href} title="Drop this filter">
          <bdi>{text}</bdi> ×
        </a>
      ))}
      {dropped.length > 0 && <a href={addressOf({ sort, traits: [] }, null)}>Show all</a>}
    </>
  );
};

/** A row on wide screens; on phones a sheet, which the button opens. What is chosen applies at once with the script. */
const Filters = ({ traits, filter, isRanked, total }: FiltersProps) => {
  const chosen = new Set(filter.traits.map(({ type, value }) => choice(type, value)));
  const count = chosen.size + (filter.owner === undefined ? 0 : 1);
  return (
    <>
      <div class="row tools">
        <button type="button" class="plain" id="filter" popovertarget="filters">
          Filter and sort{count > 0 && ` (${count})`}
        </button>
        <Chosen filter={filter} />
      </div>
      <form id="filters" class="filters" method="get" popover="auto" aria-labelledby="filters-heading">
        <div class="row sheet">
          <h2 id="filters-heading">Filter and sort</h2>
          <button type="button" class="mini" popovertarget="filters" popovertargetaction="hide">
            Done
          </button>
        </div>
        <div>
          <label for="sort">Sort by</label>
          <select id="sort" name="sort">
            {Object.entries(SORTS)
              .filter(([order]) => order !== "rarity" || isRanked)
              .map(([order, name]) => (
                <option value={order} selected={order === filter.sort}>
                  {name}
                </option>
              ))}
          </select>
        </div>
        {traits.map((trait, index) => (
          <Trait trait={trait} id={`trait-${index}`} chosen={chosen} total={total} />
        ))}
        <div>
          <label for="owner">Owner's account</label>
          <input
            id="owner"
            name="owner"
            value={filter.owner ?? ""}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        </div>
        <button type="submit" class="plain">
          Show
        </button>
      </form>
    </>
  );
};

interface GalleryProps {
  readonly setting: Setting;
  readonly collection: PublicCollection;
  readonly traits: readonly PublicTrait[];
  readonly filter: TokenFilter;
  readonly page: TokenPage;
  readonly isRanked: boolean;
  readonly now: Date;
  /** Absent: a preview, which has none. */
  readonly script?: string;
}

export const Gallery = ({
  setting,
  collection,
  traits,
  filter,
  page,
  isRanked,
  now,
  script,
}: GalleryProps) => {
  const { slug, title, minted, total_copies: total, description, hidden } = collection;
  const filtered = filter.owner !== undefined || filter.traits.length > 0;
  const isOpen = collection.left > 0 && isOffered(collection.phases, now);
  const empty =
    minted > 0 && (filtered || filter.cursor !== null)
      ? filter.traits.length > 0
        ? "No NFT that was minted has these traits."
        : `${filter.owner ?? "This account"} owns none of these.`
      : `Nothing has been minted${isOpen ? " yet" : ""}.`;
  return (
    <Frame
      setting={setting}
      title={`${isolated(title)}: gallery`}
      collection={collection}
      section="gallery"
      head={{ description, card: cardOfPage(collection, null), path: `/g/${slug}` }}
      scripts={script === undefined ? [] : [script]}
    >
      <Title text={title} />
      <By {...collection} />
      <p class="soft">
        {grouped(minted)} of {grouped(total)} minted.
      </p>
      {minted === 0 && (
        <div id="cover">
          <Cover base={setting.base} collection={collection} />
        </div>
      )}
      {hidden && <Secret collection={collection} now={now} />}
      {minted > 0 && <Filters traits={traits} filter={filter} isRanked={isRanked} total={total} />}
      {page.tokens.length === 0 && <p class="onward">{empty}</p>}
      {minted === 0 && isOpen && (
        <p class="onward">
          <a class="button" href={`/m/${slug}`}>
            See the mint
          </a>
        </p>
      )}
      <div id="tokens">
        <ul class="grid">
          {page.tokens.map((token, index) => (
            <Tile token={token} collection={collection} base={setting.base} eager={index < 2} />
          ))}
        </ul>
      </div>
      <p aria-live="polite">
        {page.next !== null && (
          <a class="button" rel="next" href={addressOf(filter, page.next)}>
            {page.tokens.length === 0 ? "Look further" : "More"}
          </a>
        )}
      </p>
    </Frame>
  );
};

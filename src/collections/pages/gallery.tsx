import type { PublicCollection, PublicToken, PublicTrait } from "../../api/resources/public-collection.ts";
import { isolated } from "../../domain/texts.ts";
import type { TokenFilter, TokenPage } from "../public-tokens.ts";
import { Frame, type Setting } from "./frame.tsx";
import { Media } from "./media.tsx";

/** Values of a trait that can be chosen from; beyond it, a list is of no use. One that is chosen is there in any case. */
const MOST_VALUES = 100;

/** A trait as the query has it: type and value, each percent-encoded, so that `=` parts them. */
export const choice = (type: string, value: string): string =>
  `${encodeURIComponent(type)}=${encodeURIComponent(value)}`;

export const nameOf = ({ title, number }: PublicToken): string => title || `No. ${number}`;

const Tile = ({ token, slug, base }: { token: PublicToken; slug: string; base: string }) => (
  <li>
    <a href={`/g/${slug}/${token.number}`}>
      <Media base={base} url={token.media_url} type={token.media_type} alt="" isLink />
      <span class="name">{nameOf(token)}</span>
      <span class="soft">
        No. {token.number}
        {token.rarity_rank !== null && ` · rarity rank ${token.rarity_rank}`}
      </span>
    </a>
  </li>
);

const Filters = ({ traits, filter }: { traits: readonly PublicTrait[]; filter: TokenFilter }) => {
  const chosen = new Set(filter.traits.map(({ type, value }) => choice(type, value)));
  return (
    <form class="filters" method="get" aria-label="Filters">
      {traits.map(({ type, values }, index) => (
        <div>
          <label for={`trait-${index}`}>{type}</label>
          <select id={`trait-${index}`} name="trait">
            <option value="">Any</option>
            {values
              .map(({ value, copies }) => ({ value, copies, selected: chosen.has(choice(type, value)) }))
              .filter(({ selected }, place) => selected || place < MOST_VALUES)
              .map(({ value, copies, selected }) => (
                <option value={choice(type, value)} selected={selected}>
                  {isolated(value)} ({copies})
                </option>
              ))}
          </select>
        </div>
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
      <button type="submit">Show</button>
    </form>
  );
};

const nextOf = (filter: TokenFilter, cursor: string): string => {
  const query = new URLSearchParams({ cursor });
  if (filter.owner !== undefined) query.set("owner", filter.owner);
  for (const { type, value } of filter.traits) query.append("trait", choice(type, value));
  return `?${query}`;
};

interface GalleryProps {
  readonly setting: Setting;
  readonly collection: PublicCollection;
  readonly traits: readonly PublicTrait[];
  readonly filter: TokenFilter;
  readonly page: TokenPage;
  readonly script: string;
}

export const Gallery = ({ setting, collection, traits, filter, page, script }: GalleryProps) => {
  const { slug, title, minted, total_copies: total, description, cover, hidden } = collection;
  const filtered = filter.owner !== undefined || filter.traits.length > 0;
  const empty = filtered || filter.cursor !== null ? "Nothing here fits." : "Nothing has been minted yet.";
  return (
    <Frame
      setting={setting}
      title={`${isolated(title)}: gallery`}
      collection={collection}
      head={{ description, image: cover?.url, path: `/g/${slug}` }}
      scripts={[script]}
    >
      <h1>Gallery</h1>
      <p class="soft">
        {minted} of {total} minted.{hidden && " Their pictures and traits are revealed later."}
      </p>
      <Filters traits={traits} filter={filter} />
      {page.tokens.length === 0 && <p>{empty}</p>}
      <div id="tokens">
        <ul class="grid">
          {page.tokens.map((token) => (
            <Tile token={token} slug={slug} base={setting.base} />
          ))}
        </ul>
      </div>
      <p aria-live="polite">
        {page.next !== null && (
          <a class="button" rel="next" href={nextOf(filter, page.next)}>
            {page.tokens.length === 0 ? "Look further" : "More"}
          </a>
        )}
      </p>
    </Frame>
  );
};

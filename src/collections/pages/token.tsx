import type {
  PublicCollection,
  PublicTokenDetail,
  PublicTrait,
} from "../../api/resources/public-collection.ts";
import { explorerOf } from "../../domain/collector-pages.ts";
import { grouped, percent } from "../../domain/counted.ts";
import { isolated } from "../../domain/texts.ts";
import { By } from "./by.tsx";
import { cardOfPage } from "./card.ts";
import { Frame, type Setting, Title } from "./frame.tsx";
import { choice } from "./gallery.tsx";
import { Media } from "./media.tsx";
import { Moment } from "./moment.tsx";
import { isNumber, ownNameOf } from "./names.ts";
import { Changeable, Promises, Secret } from "./promises.tsx";
import { Trades } from "./trades.tsx";

interface TokenProps {
  readonly setting: Setting;
  readonly collection: PublicCollection;
  readonly token: PublicTokenDetail;
  /** Those of the collection, with the number of NFTs that have each. */
  readonly traits: readonly PublicTrait[];
  readonly now: Date;
  /** Absent: a preview, which has none. */
  readonly script?: string;
}

const Transaction = ({ hash, explorer }: { hash: string; explorer: string | null }) =>
  explorer === null ? (
    <code>{hash}</code>
  ) : (
    <a href={explorer} rel="noopener">
      <code>{hash}</code>
    </a>
  );

/** The chain's data of an NFT, with which anyone can verify its picture. */
const Proof = ({
  collection: { contract_address: contract, network },
  token,
}: Pick<TokenProps, "collection" | "token">) => (
  <dl class="proof">
    <dt>Contract and token, on {network}</dt>
    <dd>
      <code>{contract}</code>, <code>{token.token_id}</code>
    </dd>
    {token.media_hash && (
      <>
        <dt>SHA-256 of the file, as the contract keeps it</dt>
        <dd>
          <code>{token.media_hash}</code>
        </dd>
      </>
    )}
    {token.media_cid && (
      <>
        <dt>The file on IPFS</dt>
        <dd>
          <a href={token.media_url ?? ""}>
            <code>{token.media_cid}</code>
          </a>
        </dd>
      </>
    )}
    {token.reference_url && (
      <>
        <dt>Its metadata on IPFS</dt>
        <dd>
          <a href={token.reference_url}>
            <code>{token.reference_url.split("/").at(-1)}</code>
          </a>
        </dd>
      </>
    )}
    {token.transaction_hash && (
      <>
        <dt>Transaction that minted it</dt>
        <dd>
          <Transaction hash={token.transaction_hash} explorer={token.explorer_url} />
        </dd>
      </>
    )}
  </dl>
);

const EVENTS = { minted: "Minted", transferred: "Given to" } as const;

/** What has happened to it, as far as it is known; the explorer knows all of it. */
const History = ({ token, all }: { token: PublicTokenDetail; all: string | null }) => (
  <section data-fresh="history">
    <h2>History</h2>
    <ol class="history">
      {token.history.map(
        ({ event, at, receiver_id: receiver, transaction_hash: hash, explorer_url: url }) => (
          <li>
            <span>
              {EVENTS[event]} {receiver !== null && <bdi>{receiver}</bdi>}
            </span>
            <span class="soft small">
              <Moment at={at} />
              {url !== null ? (
                <>
                  {" · "}
                  <a href={url} rel="noopener">
                    Transaction
                  </a>
                </>
              ) : (
                hash !== null && (
                  <>
                    {" · "}
                    <code>{hash}</code>
                  </>
                )
              )}
            </span>
          </li>
        ),
      )}
    </ol>
    <p class="small soft">
      Sales and gifts between wallets are on the chain{all === null ? " alone." : ": "}
      {all !== null && (
        <a href={all} rel="noopener">
          all of its transfers
        </a>
      )}
    </p>
  </section>
);

const Traits = ({ collection, token, traits }: Pick<TokenProps, "collection" | "token" | "traits">) => (
  <section>
    <h2>Traits</h2>
    <ul class="chips">
      {token.traits.map(({ type, value }) => {
        const found = traits.find((one) => one.type === type)?.values.find((one) => one.value === value);
        return (
          <li>
            <a href={`/g/${collection.slug}?${new URLSearchParams({ trait: choice(type, value) })}`}>
              <span>
                <bdi>{type}</bdi>
              </span>
              <b>
                <bdi>{value}</bdi>
              </b>
              {found && <span>{percent(found.copies, collection.total_copies)}</span>}
            </a>
          </li>
        );
      })}
    </ul>
  </section>
);

const Neighbours = ({
  collection: { slug, minted },
  number,
}: {
  collection: PublicCollection;
  number: number;
}) => (
  <nav class="neighbours" aria-label="Neighbours">
    {number > 1 ? (
      <a rel="prev" href={`/g/${slug}/${number - 1}`}>
        ← No. {grouped(number - 1)}
      </a>
    ) : (
      <span />
    )}
    {number < minted && (
      <a rel="next" href={`/g/${slug}/${number + 1}`}>
        No. {grouped(number + 1)} →
      </a>
    )}
  </nav>
);

/** The work's title, its artist and its collection. */
const Head = ({ collection, token }: Pick<TokenProps, "collection" | "token">) => {
  const { slug, title, total_copies: total } = collection;
  const { number, rarity_rank: rank } = token;
  const own = ownNameOf(token, collection);
  const home = `/m/${slug}`;
  // A number says nothing without the collection's title, and says already which one it is.
  const isNumbered = isNumber(own);
  const ranked = rank === null ? null : `Rarity rank ${grouped(rank)}`;
  return (
    <div class="head" data-fresh="head">
      <Title
        text={isNumbered ? `${own} of ${grouped(total)}` : own}
        of={isNumbered ? { text: title, href: home } : undefined}
      />
      <By {...collection} />
      {isNumbered ? (
        ranked && <p class="soft">{ranked}</p>
      ) : (
        <p class="soft">
          <a href={home}>
            <bdi>{title}</bdi>
          </a>{" "}
          · No. {grouped(number)} of {grouped(total)}
          {ranked && ` · ${ranked}`}
        </p>
      )}
    </div>
  );
};

/** Where an NFT is in the network's explorer; null: it has none. */
const explored = ({ collection, token }: Pick<TokenProps, "collection" | "token">): string | null => {
  const explorer = explorerOf(collection.network);
  const path = `${collection.contract_address}/${encodeURIComponent(token.token_id)}`;
  return explorer && `${explorer}/nft-token/${path}`;
};

export const TokenDetail = ({ setting, collection, token, traits, now, script }: TokenProps) => {
  const { slug, title } = collection;
  const path = `/g/${slug}/${token.number}`;
  const locked = token.locked ? "This NFT never changes what it shows." : undefined;
  const explorer = explored({ collection, token });
  const own = ownNameOf(token, collection);
  const name = isNumber(own) ? `${isolated(title)} ${own}` : isolated(own);
  return (
    <Frame
      setting={setting}
      title={isNumber(own) ? name : `${name} · ${isolated(title)}`}
      collection={collection}
      section="token"
      head={{ description: token.description, card: cardOfPage(collection, token), path }}
      scripts={script === undefined ? [] : [script]}
      hasScripted
    >
      <div class="two">
        <div>
          <div data-fresh="cover">
            <Media
              base={setting.base}
              url={token.media_url}
              type={token.media_type}
              ground={token.media_ground}
              alt={`Picture of ${name}`}
              eager
            />
          </div>
          <Neighbours collection={collection} number={token.number} />
        </div>
        <div class="panel">
          <Head collection={collection} token={token} />
          {collection.hidden && <Secret collection={collection} now={now} />}
          {token.description && (
            <p class="text" dir="auto">
              {token.description}
            </p>
          )}
          <p>
            <span class="soft">Owned by</span>{" "}
            <a href={`/g/${slug}?owner=${encodeURIComponent(token.owner_id)}`}>{token.owner_id}</a>
          </p>
          <div class="row">
            <button type="button" id="share" class="scripted">
              Share
            </button>
            {explorer !== null && (
              <a class="button plain" href={explorer} rel="noopener">
                View in the explorer
              </a>
            )}
          </div>
          <Trades marketplaces={setting.marketplaces} collection={collection} token={token.token_id} />
          <div data-fresh="traits">
            {token.traits.length > 0 && <Traits collection={collection} token={token} traits={traits} />}
          </div>
          {token.history.length > 0 && <History token={token} all={explorer} />}
          <dl>
            <Promises collection={collection} own={locked} />
          </dl>
          <Changeable collection={collection} own={locked} />
          <details class="fold" data-fresh="proof">
            <summary>Proof</summary>
            <Proof collection={collection} token={token} />
          </details>
        </div>
      </div>
    </Frame>
  );
};

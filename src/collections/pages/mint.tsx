import { raw } from "hono/html";
import type { PublicCollection, PublicPhase, PublicToken } from "../../api/resources/public-collection.ts";
import { exactNear } from "../../domain/amounts.ts";
import { explorerOf } from "../../domain/collector-pages.ts";
import { grouped, supplyMinted } from "../../domain/counted.ts";
import { MOST_AT_ONCE, mintArguments, purchaseArguments, setAside } from "../../domain/mint-call.ts";
import { shownPrice } from "../../domain/prices.ts";
import type { Currency } from "../../domain/settings.ts";
import { isolated } from "../../domain/texts.ts";
import { By, makerOf } from "./by.tsx";
import { cardOfPage } from "./card.ts";
import { Frame, type Setting, Title } from "./frame.tsx";
import { Tile } from "./gallery.tsx";
import { markdownHtml } from "./markdown.ts";
import { Cover } from "./media.tsx";
import { Moment } from "./moment.tsx";
import { Changeable, Promises, Secret } from "./promises.tsx";
import { isSoldOut, momentOf, phaseOf, type Stage, stageOf } from "./stages.ts";
import { Trades } from "./trades.tsx";
import { Account, type WalletSetting, Wallets } from "./wallets.tsx";

interface MintProps {
  readonly setting: Setting;
  readonly collection: PublicCollection;
  /** Some of the collection's NFTs. */
  readonly works: readonly PublicToken[];
  readonly now: Date;
  readonly scripts: readonly string[];
  readonly wallets: WalletSetting;
}

const priceOf = ({ mint_fee: fee, currency }: PublicPhase): string => shownPrice(fee, currency);

/** The currencies of phases, NEAR first; null is NEAR. */
const currenciesOf = (phases: readonly PublicPhase[]): (Currency | null)[] => {
  const byName = new Map(phases.map(({ currency }) => [currency?.contract_id ?? "", currency]));
  return [...byName.values()].sort((a, b) => Number(a !== null) - Number(b !== null));
};

const STAGES = { live: "Live", soon: "Upcoming", over: "Ended" } as const;

interface NextProps {
  readonly phase: PublicPhase;
  readonly stage: Stage;
}

/** The moment that a phase comes to next, or has come to last, and its countdown. */
const Next = ({ phase, stage }: NextProps) => {
  const at = momentOf(phase, stage);
  if (at === null) return null;
  return (
    <>
      {{ soon: "Opens", live: "Ends", over: "Ended" }[stage]} <Moment at={at} />{" "}
      {stage !== "over" && <span class="countdown" data-until={at} />}
    </>
  );
};

const Phase = ({ phase, now }: { phase: PublicPhase; now: Date }) => {
  const { kind, limit_per_account: limit, supply, minted, currency } = phase;
  const stage = stageOf(phase, now);
  return (
    <li class={stage}>
      <span class="state">{isSoldOut(phase) ? "Sold out" : STAGES[stage]}</span>
      <p class="price">{priceOf(phase)}</p>
      <p>
        {kind === "public" ? "For everybody" : "For accounts on the allowlist"}
        {limit !== null && ` · at most ${limit} for an account`}
        {supply !== null && (
          <>
            {" · "}
            <span data-left={String(phase.phase)}>{grouped(Math.max(supply - minted, 0))}</span> of{" "}
            {grouped(supply)} left
          </>
        )}
        {currency !== null && (
          <>
            {" · "}paid in the token <bdi>{currency.contract_id}</bdi>
          </>
        )}
      </p>
      {momentOf(phase, stage) !== null && (
        <p>
          <Next phase={phase} stage={stage} />
        </p>
      )}
    </li>
  );
};

/** Whether the offer beside the button says all of them: there is one, or none. */
const isSaid = (phases: readonly PublicPhase[]): boolean =>
  phases.length === 0 ||
  (phases.length === 1 && phases.every(({ supply, currency }) => supply === null && currency === null));

const Offer = ({ phase, now }: { phase: PublicPhase; now: Date }) => {
  const stage = stageOf(phase, now);
  const { kind, limit_per_account: limit } = phase;
  const said = [
    ...(kind === "allowlist" ? ["Allowlist"] : []),
    ...(limit === null ? [] : [`At most ${limit} for an account`]),
  ].join(" · ");
  return (
    <div class="offer" id="offer">
      <p class="price">{priceOf(phase)}</p>
      <p class="small soft">
        {said}
        {said && momentOf(phase, stage) !== null && " · "}
        <Next phase={phase} stage={stage} />
      </p>
    </div>
  );
};

/** Which currency is paid in, where there is a choice. */
const Currencies = ({ currencies }: { currencies: readonly (Currency | null)[] }) => (
  <div hidden={currencies.length < 2}>
    <label for="currency">Pay in</label>
    <select id="currency">
      {currencies.map((currency) => (
        <option value={currency?.contract_id ?? ""}>
          {currency === null
            ? "NEAR"
            : currency.symbol === null
              ? currency.contract_id
              : `${currency.symbol} (${currency.contract_id})`}
        </option>
      ))}
    </select>
  </div>
);

/** The number and the button, once a wallet is connected. */
const Wish = ({ currencies }: { currencies: readonly (Currency | null)[] }) => (
  <form id="wish" hidden>
    <Currencies currencies={currencies} />
    <div class="steps">
      <button type="button" id="less" aria-label="One less">
        −
      </button>
      <input
        id="quantity"
        type="number"
        inputmode="numeric"
        aria-label="How many"
        min="1"
        max={String(MOST_AT_ONCE)}
        value="1"
        required
      />
      <button type="button" id="more" aria-label="One more">
        +
      </button>
    </div>
    <button type="submit" id="go" disabled>
      Mint
    </button>
  </form>
);

interface ClosedProps {
  readonly setting: Setting;
  readonly collection: PublicCollection;
  /** While something can be minted. */
  readonly isHidden: boolean;
}

/** Why nothing can be minted, and where there is something to see: an empty gallery is no such place. */
const Closed = ({ setting, collection, isHidden }: ClosedProps) => {
  const { slug, phases, left, minted, total_copies: total, creator } = collection;
  return (
    <div id="closed" hidden={isHidden}>
      <p class="small">
        {left === 0
          ? minted < total
            ? "The supply is locked: no more NFTs are ever minted."
            : "All NFTs have been minted."
          : phases.length === 0
            ? "Nobody mints this collection from a wallet."
            : minted === 0
              ? "The mint has ended, and nobody has minted."
              : "The mint has ended."}
      </p>
      {minted > 0 || left === 0 || isHidden ? (
        <a class="button" href={`/g/${slug}`}>
          See the gallery
        </a>
      ) : (
        creator?.url && (
          <a class="button" href={creator.url} rel="noopener nofollow">
            Visit <bdi>{creator.name}</bdi>
          </a>
        )
      )}
      {minted > 0 && <Trades marketplaces={setting.marketplaces} collection={collection} token={null} />}
    </div>
  );
};

/** What a collector can do; most of it is the script's, since it needs a wallet. */
const Controls = ({
  setting,
  collection,
  now,
  wallets,
}: Pick<MintProps, "setting" | "collection" | "now" | "wallets">) => {
  const { slug, phases, left } = collection;
  const phase = phaseOf(phases, now);
  const isOpen = left > 0;
  return (
    <section id="mint" aria-label="Mint">
      <div class="bar">
        <div id="outcome" class="small" aria-live="polite" />
        {isOpen && (
          <>
            {phase && <Offer phase={phase} now={now} />}
            <div id="voucher" class="small" aria-live="polite" />
            <div id="terms" class="small" aria-live="polite" />
            <button type="button" id="connect" class="scripted" popovertarget="wallets" hidden={!phase}>
              Connect a wallet
            </button>
            <Wish currencies={currenciesOf(phases.filter((one) => stageOf(one, now) !== "over"))} />
          </>
        )}
        <Closed setting={setting} collection={collection} isHidden={isOpen && phase !== undefined} />
      </div>
      {isOpen && (
        <div class="under">
          <Account slug={slug} />
          <details id="gift" hidden>
            <summary>Give it to somebody else</summary>
            <label for="receiver">Account that receives it</label>
            <input id="receiver" autocomplete="off" autocapitalize="none" spellcheck={false} />
          </details>
        </div>
      )}
      {isOpen && <Wallets collection={collection} setting={wallets} />}
    </section>
  );
};

/** The call of a token that buys one NFT. */
const SignsInToken = ({ collection, phase }: { collection: PublicCollection; phase: PublicPhase }) => {
  const wish = { collectionId: collection.collection_id, quantity: 1, receiver: null };
  const paid = { each: phase.mint_fee, total: phase.mint_fee };
  return (
    <p class="call">
      One transaction: a call of <code>ft_transfer_call</code> on <code>{phase.currency?.contract_id}</code>{" "}
      with <code>{JSON.stringify(purchaseArguments(collection.contract_address, wish, paid))}</code>, which
      are {priceOf(phase)}, times the number. What isn't needed for the price returns, and if the mint is
      refused, all of it.
    </p>
  );
};

/** @param isOffered otherwise only a voucher can be redeemed, for which the script shows it */
const Signs = ({
  collection,
  isOffered,
}: {
  readonly collection: PublicCollection;
  readonly isOffered: boolean;
}) => (
  <details id="signs" class="fold" hidden={!isOffered}>
    <summary>What it costs and what you sign</summary>
    {collection.phases.some(({ currency }) => currency === null) && (
      <p class="call">
        One transaction: a call of <code>nft_mint</code> on <code>{collection.contract_address}</code> with{" "}
        <code>
          {JSON.stringify(
            mintArguments({ collectionId: collection.collection_id, quantity: 1, receiver: null }),
          )}
        </code>{" "}
        and the price, times the number, attached. It can move nothing else from your account.
      </p>
    )}
    {currenciesOf(collection.phases).map((currency) => {
      const phase =
        currency && collection.phases.find((one) => one.currency?.contract_id === currency.contract_id);
      return phase && <SignsInToken collection={collection} phase={phase} />;
    })}
    <p>
      The network takes a fee, usually below 0.001 NEAR. Up to{" "}
      {exactNear(setAside(collection.phases.some(({ currency }) => currency !== null)).toString())} NEAR is
      set aside for it, and what isn't used comes back. If the mint is refused, you get the whole price back.
    </p>
    <p>Which NFT it becomes is drawn by the contract at random, after you have signed.</p>
  </details>
);

const Facts = ({ collection }: { collection: PublicCollection }) => {
  const { contract_address: contract, network, ongoing_royalties: royalties } = collection;
  const { announced, has_full_access_key: hasKey } = collection.contract_code;
  const explorer = explorerOf(network);
  const shares = Object.entries(royalties);
  return (
    <dl>
      <dt>Contract</dt>
      <dd class="id">
        {explorer === null ? (
          contract
        ) : (
          <a href={`${explorer}/address/${contract}`} rel="noopener">
            {contract}
          </a>
        )}
      </dd>
      <dt>Royalties</dt>
      <dd>
        {shares.length === 0
          ? "None"
          : shares.map(([account, percent]) => (
              <div>
                {percent} % to {account}
              </div>
            ))}
        <div class="small soft">
          {collection.ongoing_royalties_can_change
            ? "They can change at any time, up to 100 %."
            : "They never change."}
        </div>
      </dd>
      {(announced || hasKey) && (
        <>
          <dt>Code</dt>
          <dd>
            {announced && (
              <div>New code is announced, from block {grouped(announced.earliest_height)} on.</div>
            )}
            {hasKey && <div>Whoever has the key of the contract's account can replace it at any time.</div>}
          </dd>
        </>
      )}
      <Promises collection={collection} />
    </dl>
  );
};

const Links = ({ links }: Pick<PublicCollection, "links">) =>
  links.length > 0 && (
    <ul class="links small">
      {links.map(({ label, url }) => (
        <li>
          <a href={url} rel="noopener nofollow">
            {label}
          </a>
        </li>
      ))}
    </ul>
  );

const Head = ({ collection, isOffered }: { collection: PublicCollection; isOffered: boolean }) => {
  const { title, left, minted, total_copies: total } = collection;
  return (
    <>
      <div class="head">
        <Title text={title} />
        <By {...collection} />
        <Links links={collection.links} />
      </div>
      <div class="supply">
        <progress
          class="track"
          id="minted"
          max={String(total)}
          value={String(left === 0 ? minted : Math.min(minted, total - left))}
          aria-label="Minted"
        />
        <div class="row small">
          <p id="left">{supplyMinted(collection, isOffered)}.</p>
          <button type="button" class="mini scripted" id="share">
            Share
          </button>
        </div>
      </div>
    </>
  );
};

export const Mint = ({ setting, collection, works, now, scripts, wallets }: MintProps) => {
  const { slug, title, description, left, phases } = collection;
  const offered = phases.filter((phase) => stageOf(phase, now) !== "over");
  const isOffered = offered.length > 0;
  return (
    <Frame
      setting={setting}
      title={isolated(title)}
      collection={collection}
      section="mint"
      head={{ description, card: cardOfPage(collection, null), path: `/m/${slug}` }}
      scripts={scripts}
      hasScripted
    >
      <div id="owned" aria-live="polite" />
      <div
        class="two"
        id="page"
        data-slug={slug}
        data-title={title}
        data-by={makerOf(collection)}
        data-now={String(now.getTime())}
        data-minted={String(collection.minted)}
        data-network={collection.network}
        data-contract={collection.contract_address}
        data-collection={String(collection.collection_id)}
        data-currencies={JSON.stringify(currenciesOf(offered))}
      >
        <div id="cover" data-fresh="cover">
          <Cover base={setting.base} collection={collection} />
        </div>
        <div class="panel">
          <Head collection={collection} isOffered={isOffered} />
          <Controls setting={setting} collection={collection} now={now} wallets={wallets} />
          <Secret collection={collection} now={now} />
          {description && (
            <p class="text" dir="auto">
              {description}
            </p>
          )}
          {left > 0 && !isSaid(phases) && (
            <ul class="phases" id="phases">
              {phases.map((phase) => (
                <Phase phase={phase} now={now} />
              ))}
            </ul>
          )}
          <noscript>
            <p>
              Minting needs JavaScript and a wallet. The <a href={`/g/${slug}`}>gallery</a> needs neither.
            </p>
          </noscript>
          <Facts collection={collection} />
          <Changeable collection={collection} />
          {left > 0 && <Signs collection={collection} isOffered={isOffered} />}
        </div>
        {collection.about && (
          <section class="about" aria-labelledby="about-heading">
            <h2 id="about-heading">About</h2>
            {raw(markdownHtml(collection.about))}
          </section>
        )}
        {works.length > 0 && (
          <section class="works" aria-labelledby="works-heading">
            <div class="row">
              <h2 id="works-heading">Works</h2>
              <a href={`/g/${slug}`}>See all {grouped(collection.minted)}</a>
            </div>
            <ul class="grid" id="works" data-fresh="works">
              {works.map((token) => (
                <Tile token={token} collection={collection} base={setting.base} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </Frame>
  );
};

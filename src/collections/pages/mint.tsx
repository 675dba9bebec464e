import type { PublicCollection, PublicPhase } from "../../api/resources/public-collection.ts";
import { exactNear } from "../../domain/amounts.ts";
import { GAS_SET_ASIDE, MOST_AT_ONCE, mintArguments } from "../../domain/mint-call.ts";
import { isolated } from "../../domain/texts.ts";
import { Frame, type Setting } from "./frame.tsx";
import { Cover } from "./media.tsx";
import { type WalletSetting, Wallets } from "./wallets.tsx";

interface MintProps {
  readonly setting: Setting;
  readonly collection: PublicCollection;
  readonly now: Date;
  readonly scripts: readonly string[];
  readonly wallets: WalletSetting;
}

const priceOf = ({ mint_fee: fee }: PublicPhase): string => (fee === "0" ? "Free" : `${exactNear(fee)} NEAR`);

/** A time that is read as UTC, and in the collector's own zone once the script runs. */
const Moment = ({ at }: { at: string }) => (
  <time datetime={at}>{`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}</time>
);

const Phase = ({ phase, now }: { phase: PublicPhase; now: Date }) => {
  const { kind, starts_at: starts, ends_at: ends, limit_per_account: limit } = phase;
  const begins = starts !== null && Date.parse(starts) > now.getTime();
  const over = ends !== null && Date.parse(ends) <= now.getTime();
  return (
    <li>
      <p class="price">{priceOf(phase)}</p>
      <p>
        {kind === "public" ? "For everybody" : "For accounts on the allowlist"}
        {limit !== null && `, at most ${limit} for an account`}
        {begins && (
          <>
            , from <Moment at={starts} /> <span class="countdown" data-until={starts} />
          </>
        )}
        {over && (
          <>
            , ended <Moment at={ends} />
          </>
        )}
        {ends !== null && !over && (
          <>
            , until <Moment at={ends} /> {!begins && <span class="countdown" data-until={ends} />}
          </>
        )}
      </p>
    </li>
  );
};

/** What a collector can do; the script shows it once it runs, since it needs a wallet. */
const Controls = ({ collection, wallets }: { collection: PublicCollection; wallets: WalletSetting }) => (
  <section id="mint" class="scripted" aria-labelledby="mint-heading">
    <h2 id="mint-heading">Mint</h2>
    <Wallets collection={collection} setting={wallets} />
    <form id="wish" hidden>
      <div class="row">
        <div class="narrow">
          <label for="quantity">How many</label>
          <input
            id="quantity"
            type="number"
            inputmode="numeric"
            min="1"
            max={String(MOST_AT_ONCE)}
            value="1"
            required
          />
        </div>
        <div class="wide">
          <label for="receiver">As a gift to the account (may stay empty)</label>
          <input id="receiver" autocomplete="off" autocapitalize="none" spellcheck={false} />
        </div>
      </div>
      <div class="says" id="terms" aria-live="polite" />
      <button type="submit" id="go" disabled>
        Mint
      </button>
    </form>
    <div id="outcome" aria-live="polite" />
    <ul id="minted" class="grid" aria-label="Minted just now" />
    {collection.phases.length === 0 && <p>Nobody mints this collection from a wallet.</p>}
  </section>
);

const Signs = ({ collection }: { collection: PublicCollection }) => (
  <details>
    <summary>What it costs and what you sign</summary>
    <p>
      One transaction: a call of <code>nft_mint</code> on <code>{collection.contract_address}</code> with{" "}
      <code>
        {JSON.stringify(
          mintArguments({ collectionId: collection.collection_id, quantity: 1, receiver: null }),
        )}
      </code>{" "}
      and the price, times the number, attached. It can move nothing else from your account.
    </p>
    <p>
      The network takes a fee, usually below 0.001 NEAR. Up to {exactNear(GAS_SET_ASIDE.toString())} NEAR is
      set aside for it, and what isn't used comes back. If the mint is refused, you get the whole price back.
    </p>
    <p>Which NFT it becomes is drawn by the contract at random, after you have signed.</p>
  </details>
);

export const Mint = ({ setting, collection, now, scripts, wallets }: MintProps) => {
  const { slug, title, description, cover, left, total_copies: total, phases, links } = collection;
  return (
    <Frame
      setting={setting}
      title={isolated(title)}
      collection={collection}
      head={{ description, image: cover?.url, path: `/m/${slug}` }}
      scripts={scripts}
      hasScripted
    >
      <div
        class="two"
        id="page"
        data-slug={slug}
        data-now={String(now.getTime())}
        data-network={collection.network}
        data-contract={collection.contract_address}
        data-collection={String(collection.collection_id)}
      >
        <Cover base={setting.base} collection={collection} />
        <div>
          <h1>{title}</h1>
          {description && <p class="text">{description}</p>}
          <p id="left">{left === 0 ? "Sold out." : `${left} of ${total} left.`}</p>
          <ul class="phases">
            {phases.map((phase) => (
              <Phase phase={phase} now={now} />
            ))}
          </ul>
          <noscript>
            <p>
              Minting needs JavaScript and a wallet. The <a href={`/g/${slug}`}>gallery</a> needs neither.
            </p>
          </noscript>
          <Controls collection={collection} wallets={wallets} />
          <Signs collection={collection} />
          {links.length > 0 && (
            <ul class="links">
              {links.map(({ label, url }) => (
                <li>
                  <a href={url} rel="noopener nofollow">
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    </Frame>
  );
};

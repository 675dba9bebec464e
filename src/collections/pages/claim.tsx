import type { Child } from "hono/jsx";
import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { isolated } from "../../domain/texts.ts";
import { By, makerOf } from "./by.tsx";
import { cardOfPage } from "./card.ts";
import { Frame, type Setting } from "./frame.tsx";
import { Cover } from "./media.tsx";
import { Account, type WalletSetting, Wallets } from "./wallets.tsx";

interface ClaimProps {
  readonly setting: Setting;
  readonly collection: PublicCollection;
  readonly scripts: readonly string[];
  readonly wallets: WalletSetting;
}

const Way = ({ name, label, checked }: { name: string; label: string; checked?: boolean }) => (
  <label class="way">
    <input type="radio" name="way" value={name} checked={checked} /> {label}
  </label>
);

const Part = ({ name, children }: { name: string; children: Child }) => (
  <div id={`way-${name}`} class="panel" hidden={name !== "key"}>
    {children}
  </div>
);

/** A key once there is one. The script moves it to where it was asked for. */
const Key = () => (
  <div id="key" class="panel" hidden>
    <dl class="proof">
      <dt>Your new account</dt>
      <dd>
        <code id="key-account" />
      </dd>
    </dl>
    <p id="kept-by-passkey" class="small" hidden>
      Your passkey keeps its key, and can restore it only on this service's claim pages. Save it as a file too
      if you want to use the account anywhere else.
    </p>
    <a class="button plain" id="key-file" href="#key">
      Save the key as a file
    </a>
    <details class="fold">
      <summary>Show the private key</summary>
      <p class="small">For you alone: whoever has it owns what the account holds.</p>
      <p>
        <code id="key-private" />
      </p>
    </details>
    <label class="way" id="keep">
      <input type="checkbox" id="kept" /> I have kept the key
    </label>
    <p class="small soft">
      You can import it into a NEAR wallet. To send the NFT on, the account first needs a little NEAR for the
      network's fee.
    </p>
  </div>
);

const NewKey = () => (
  <>
    <p class="small soft">
      This page makes a key, and with it an account. Nobody else knows the key, and nobody can give it to you
      again.
    </p>
    <button type="button" class="plain" id="make-key">
      Make a key
    </button>
  </>
);

/** One press, for who has nothing of NEAR. The script shows it in browsers whose passkeys can keep a key. */
const ByPasskey = () => (
  <div id="by-passkey" class="panel" hidden>
    <button type="button" id="claim-passkey">
      Claim with a passkey
    </button>
    <p class="small soft">
      Your device makes an account for you and keeps its key, as it keeps passwords. You need no wallet and no
      NEAR.{" "}
      <button type="button" class="mini" id="claim-known">
        I have a passkey from here
      </button>
    </p>
  </div>
);

/** For who has made a key with a passkey on one of these pages. */
const Passkeys = () => (
  <details id="passkeys" class="fold" hidden>
    <summary>My passkey keeps a key</summary>
    <p>A passkey that was made on a claim page of this service gives its key and account again.</p>
    <p>
      <button type="button" class="plain" id="show-passkey">
        Show the key of my passkey
      </button>
    </p>
  </details>
);

/** Who receives, by whatever way. */
const OtherWays = ({ slug }: { slug: string }) => (
  <details id="others" class="fold">
    <summary>Other ways</summary>
    <fieldset>
      <legend>Who receives it?</legend>
      <Way name="wallet" label="A wallet that I connect" />
      <Way name="account" label="An account by its name" />
      <Way name="key" label="A new account, whose key I keep myself" checked />
    </fieldset>
    <Part name="wallet">
      <button type="button" id="connect" class="plain" popovertarget="wallets">
        Connect a wallet
      </button>
      <Account slug={slug} />
    </Part>
    <Part name="account">
      <div>
        <label for="receiver">Account</label>
        <input id="receiver" autocomplete="off" autocapitalize="none" spellcheck={false} />
      </div>
      <div id="receiver-says" aria-live="polite" />
    </Part>
    <Part name="key">
      <NewKey />
    </Part>
    <button type="submit" id="go" disabled>
      Claim
    </button>
  </details>
);

/** Who receives, whoever has no wallet first. The script shows it once the link is known to be good. */
const Receiver = ({ slug, contract }: { slug: string; contract: string }) => (
  <form id="claim" class="scripted panel" hidden>
    <ByPasskey />
    <OtherWays slug={slug} />
    <details class="fold">
      <summary>What it costs and what is signed</summary>
      <p>
        It costs you nothing: the collection's issuer pays. Your wallet signs nothing; it only says which
        account is yours.
      </p>
      <p>
        The link's own key signs for your account, here in this browser, and the contract{" "}
        <code>{contract}</code> accepts no other receiver from then on. A link works once: whoever has it can
        redeem it, so keep it to yourself until you have.
      </p>
    </details>
  </form>
);

/** The page of a collection's claim links. What a link is stands behind `#` and never comes here. */
export const Claim = ({ setting, collection, scripts, wallets }: ClaimProps) => {
  const { slug, title, description, contract_address: contract } = collection;
  return (
    <Frame
      setting={setting}
      title={`${isolated(title)}: claim`}
      collection={collection}
      section="claim"
      head={{ description, card: cardOfPage(collection, null), path: `/c/${slug}` }}
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
        data-network={collection.network}
        data-contract={contract}
      >
        <div id="cover" class="gift">
          <Cover base={setting.base} collection={collection} />
        </div>
        <div class="panel">
          <div class="head">
            <h1>Claim your NFT</h1>
            <p id="of">
              <a href={`/m/${slug}`}>
                <bdi>{title}</bdi>
              </a>
            </p>
            <By {...collection} />
          </div>
          <div id="gift" class="scripted says" aria-live="polite">
            <p>Looking at your link …</p>
          </div>
          <noscript>
            <p>
              Claiming needs JavaScript: your link's key stays in this browser and signs here. The{" "}
              <a href={`/g/${slug}`}>gallery</a> needs none.
            </p>
          </noscript>
          <div id="outcome" aria-live="polite" />
          <Receiver slug={slug} contract={contract} />
          <Wallets collection={collection} setting={wallets} />
          <Key />
          <Passkeys />
        </div>
      </div>
    </Frame>
  );
};

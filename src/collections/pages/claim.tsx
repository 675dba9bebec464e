import type { Child } from "hono/jsx";
import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { isolated } from "../../domain/texts.ts";
import { Frame, type Setting } from "./frame.tsx";
import { Cover } from "./media.tsx";
import { type WalletSetting, Wallets } from "./wallets.tsx";

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
  <div id={`way-${name}`} hidden={name !== "wallet"}>
    {children}
  </div>
);

/** A key once there is one. The script moves it to where it was asked for. */
const Key = () => (
  <div id="key" hidden>
    <dl class="proof">
      <dt>Your account</dt>
      <dd>
        <code id="key-account" />
      </dd>
      <dt>Your private key, for you alone</dt>
      <dd>
        <code id="key-private" />
      </dd>
    </dl>
    <p>
      <a class="button" id="key-file" href="#key">
        Save the key as a file
      </a>
    </p>
    <label class="way" id="keep">
      <input type="checkbox" id="kept" /> I have kept the key
    </label>
    <p id="kept-by-passkey" hidden>
      Your passkey keeps the key, and can restore it only on this service's claim pages. Save it as a file too
      if you want to use it anywhere else.
    </p>
    <p class="soft">
      You can import it into a NEAR wallet. To send the NFT on, the account first needs a little NEAR for the
      network's fee.
    </p>
  </div>
);

const NewKey = () => (
  <>
    <p>
      This page makes a key, and with it an account. Nobody else knows the key, and nobody can give it to you
      again: whoever has it owns what the account holds.
    </p>
    <div class="row" id="makers">
      <button type="button" class="plain" id="make-key">
        Make a key
      </button>
      <button type="button" class="plain" id="make-passkey" hidden>
        Make a key that a passkey keeps
      </button>
    </div>
    <Key />
  </>
);

/** For who has made a key with a passkey on one of these pages. */
const Passkeys = () => (
  <details id="passkeys" hidden>
    <summary>My passkey keeps a key</summary>
    <p>A passkey that was made on a claim page of this service gives its key and account again.</p>
    <p>
      <button type="button" class="plain" id="show-passkey">
        Show the key of my passkey
      </button>
    </p>
  </details>
);

/** Who receives. The script shows it once the link is known to be good. */
const Receiver = ({ collection, wallets }: { collection: PublicCollection; wallets: WalletSetting }) => (
  <form id="claim" class="scripted" hidden>
    <fieldset>
      <legend>Who receives it?</legend>
      <Way name="wallet" label="A wallet that I connect" checked />
      <Way name="account" label="An account on NEAR that exists" />
      <Way name="key" label="I have none: make me a key" />
    </fieldset>
    <Part name="wallet">
      <Wallets collection={collection} setting={wallets} />
    </Part>
    <Part name="account">
      <label for="receiver">Account</label>
      <input id="receiver" autocomplete="off" autocapitalize="none" spellcheck={false} />
      <div id="receiver-says" aria-live="polite" />
    </Part>
    <Part name="key">
      <NewKey />
    </Part>
    <p>
      <button type="submit" id="go" disabled>
        Claim
      </button>
    </p>
  </form>
);

/** The page of a collection's claim links. What a link is stands behind `#` and never comes here. */
export const Claim = ({ setting, collection, scripts, wallets }: ClaimProps) => {
  const { slug, title, description, cover, contract_address: contract } = collection;
  return (
    <Frame
      setting={setting}
      title={`${isolated(title)}: claim`}
      collection={collection}
      head={{ description, image: cover?.url, path: `/c/${slug}` }}
      scripts={scripts}
      hasScripted
    >
      <div class="two" id="page" data-slug={slug} data-network={collection.network} data-contract={contract}>
        <Cover base={setting.base} collection={collection} />
        <div>
          <h1>Claim from {title}</h1>
          <div id="gift" class="scripted says" aria-live="polite">
            <p>Looking at your link …</p>
          </div>
          <noscript>
            <p>
              Claiming needs JavaScript: your link's key stays in this browser and signs here. The{" "}
              <a href={`/g/${slug}`}>gallery</a> needs none.
            </p>
          </noscript>
          <details>
            <summary>What it costs and what is signed</summary>
            <p>
              It costs you nothing: the collection's issuer pays. Your wallet signs nothing; it only says
              which account is yours.
            </p>
            <p>
              The link's own key signs for your account, here in this browser, and the contract{" "}
              <code>{contract}</code> accepts no other receiver from then on. A link works once: whoever has
              it can redeem it, so keep it to yourself until you have.
            </p>
          </details>
          <Receiver collection={collection} wallets={wallets} />
          <div id="outcome" aria-live="polite" />
          <ul id="minted" class="grid" aria-label="Claimed just now" />
          <Passkeys />
        </div>
      </div>
    </Frame>
  );
};

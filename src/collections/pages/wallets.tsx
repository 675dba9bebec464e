import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { type OfferedWallet, walletsFor } from "../../domain/wallets.ts";

/** What a page knows of wallets of near-connect. */
export interface WalletSetting {
  /** The one that the collector has chosen, whose addresses this answer allows. */
  readonly chosen: OfferedWallet | null;
  readonly connector: string;
}

/** Where a wallet is chosen; browser/connecting.ts fills it. */
export const Wallets = ({
  collection: { network },
  setting: { chosen, connector },
}: {
  collection: PublicCollection;
  setting: WalletSetting;
}) => {
  const offered = walletsFor(network);
  const wallets = offered.map(({ id, name }) => ({ id, name }));
  return (
    <div
      id="wallets"
      popover="auto"
      role="dialog"
      aria-labelledby="wallets-heading"
      data-offered={JSON.stringify({ wallets, chosen: chosen?.id ?? null, connector })}
    >
      <h2 id="wallets-heading">Connect a wallet</h2>
      <div id="offers">{offered.length === 0 && <p>No wallet of this browser knows this chain.</p>}</div>
      {offered[0] && (
        <p class="small soft">
          No wallet yet?{" "}
          <a href={offered[0].website} rel="noopener" target="_blank">
            {offered[0].name}
          </a>{" "}
          makes a NEAR account in a few minutes. Then come back here.
        </p>
      )}
    </div>
  );
};

/** Which account is connected. */
export const Account = ({ slug }: { slug: string }) => (
  <p id="account" hidden>
    <span />{" "}
    <a id="mine" href={`/g/${slug}`}>
      My NFTs
    </a>{" "}
    <button type="button" class="mini" id="leave">
      Disconnect
    </button>
  </p>
);

/** Where a wallet is chosen, and which one is connected; browser/connecting.ts fills it. */
export const Wallets = () => (
  <>
    <div id="wallets" class="row">
      <p>Looking for wallets …</p>
    </div>
    <p id="account" hidden>
      <span />{" "}
      <button type="button" class="plain" id="leave">
        Disconnect
      </button>
    </p>
  </>
);

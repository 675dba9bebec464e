import { find, say } from "./shown.ts";
import { onWallet, type Wallet } from "./wallets.ts";

/** A wallet with the account that it signs for. */
export interface Connection {
  readonly wallet: Wallet;
  readonly account: string;
}

const WALLET_KEPT = "mintage:wallet";

/**
 * Offers the wallets that are there in `#wallets`, connects one of them, and says in `#account` which. The wallet of the
 * last visit is connected again.
 * @param changed is told of each connection and of its end
 * @param failed is told why none came about
 */
export function offerWallets(
  network: string,
  changed: (connection: Connection | null) => void,
  failed: (sentence: string) => void,
): void {
  const wallets = find("wallets");
  const shown = find("account");
  let current: Connection | null = null;

  const show = (connection: Connection | null): void => {
    current = connection;
    shown.hidden = connection === null;
    wallets.hidden = connection !== null;
    if (connection) {
      const { wallet, account } = connection;
      (shown.firstElementChild as HTMLElement).textContent = `${account}, by ${wallet.manifest.name}`;
      localStorage.setItem(WALLET_KEPT, wallet.manifest.id);
    } else localStorage.removeItem(WALLET_KEPT);
    changed(connection);
  };

  const connect = async (
    wallet: Wallet,
    accounts: Promise<readonly { readonly accountId: string }[]>,
  ): Promise<void> => {
    try {
      const [first] = await accounts;
      if (first) show({ wallet, account: first.accountId });
    } catch (error) {
      failed(`${wallet.manifest.name}: ${(error as Error).message}`);
    }
  };

  find("leave").addEventListener("click", async () => {
    await current?.wallet.signOut({ network });
    show(null);
  });

  say(wallets, "No wallet has announced itself in this browser.");
  onWallet((wallet) => {
    if (!wallets.querySelector("button")) wallets.replaceChildren();
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Connect ${wallet.manifest.name}`;
    button.addEventListener("click", () => void connect(wallet, wallet.signIn({ network })));
    wallets.append(button);
    if (localStorage.getItem(WALLET_KEPT) === wallet.manifest.id) {
      void connect(wallet, wallet.getAccounts({ network }));
    }
  });
}

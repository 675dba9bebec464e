import { isAccountId } from "../src/domain/account-ids.ts";
import { keptForGood } from "./kept.ts";
import { clearProblem, find, say } from "./shown.ts";
import { onWallet, reasonOf, type Wallet } from "./wallets.ts";

/** A wallet with the account that it signs for. */
export interface Connection {
  readonly wallet: Wallet;
  readonly account: string;
}

const WALLET_KEPT = "mintage:wallet";

/** What the page's answer says of wallets: those of near-connect, which one was chosen, and where near-connect is. */
interface Offered {
  readonly wallets: readonly { readonly id: string; readonly name: string }[];
  readonly chosen: string | null;
  readonly connector: string;
}

const offered = (): Offered => JSON.parse(find("wallets").dataset.offered ?? "{}") as Offered;

/** Whether this answer allows the addresses of a wallet that the collector has chosen. A page that sold out offers none. */
export const isWalletChosen = (): boolean =>
  document.getElementById("wallets") !== null && offered().chosen !== null;

/** What a wallet gives as its reason. */
const saidBy = (name: string, error: unknown): string => `${name}: ${reasonOf(error)}`;

interface Connector {
  openWallet(id: string, network: string, nonce: string): Promise<Wallet>;
}

/**
 * Offers the wallets that are there in `#wallets`, which `#connect` opens, connects one, and says in `#account` which. Wallets that have
 * announced themselves are connected at once; for one of near-connect the page is loaded again with what that wallet
 * needs, since nothing of it is allowed before. The wallet of the last visit is connected again if it announces itself.
 * @param changed is told of each connection and of its end
 * @param next gets the keyboard's focus once a wallet is connected
 */
export function offerWallets(
  network: string,
  changed: (connection: Connection | null) => void,
  next: HTMLElement,
): void {
  const wallets = find("wallets");
  const offers = find("offers");
  const opener = find("connect");
  const outcome = find("outcome");
  const failed = (sentence: string) => say(outcome, sentence, "bad");
  const shown = find("account");
  const { wallets: others, chosen, connector } = offered();
  let current: Connection | null = null;
  /** Whether keys asked for the change: only then the focus moves on. A finger's would open a phone's keyboard. */
  let byKeys = false;
  const noteKeys = (button: HTMLElement) => {
    byKeys = button.matches(":focus-visible");
  };

  const show = (connection: Connection | null): void => {
    current = connection;
    shown.hidden = connection === null;
    opener.hidden = connection !== null;
    if (wallets.matches(":popover-open")) wallets.hidePopover();
    if (connection) {
      const { wallet, account } = connection;
      (shown.firstElementChild as HTMLElement).textContent = `${account}, by ${wallet.manifest.name}`;
      find<HTMLAnchorElement>("mine").search = String(new URLSearchParams({ owner: account }));
      keptForGood.set(WALLET_KEPT, wallet.manifest.id);
    } else keptForGood.set(WALLET_KEPT, null);
    changed(connection);
    if (byKeys) (connection ? next : opener).focus();
    byKeys = false;
  };

  type Asked = () => Promise<readonly [Wallet, readonly { readonly accountId: string }[]]>;

  /** Connects the first account that a wallet names, or says why it failed. @returns false where it has named none */
  const connectFirst = async (name: string, ask: Asked): Promise<boolean> => {
    try {
      const [wallet, accounts] = await ask();
      const account = accounts?.[0]?.accountId;
      if (account === undefined || !isAccountId(account)) return false;
      show({ wallet, account });
    } catch (error) {
      failed(saidBy(name, error));
    }
    return true;
  };

  /** A wallet of the last visit need not have an account any more. */
  const connectAgain = (name: string, ask: Asked) => void connectFirst(name, ask);

  const connect = async (name: string, ask: Asked): Promise<void> => {
    clearProblem(outcome);
    // What went wrong is said on the page itself.
    wallets.hidePopover();
    if (!(await connectFirst(name, ask))) failed(`${name} has named no account.`);
    byKeys = false;
  };

  const offer = (name: string, click: () => void): HTMLButtonElement => {
    if (!offers.querySelector("button")) offers.replaceChildren();
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = `Connect ${name}`;
    button.addEventListener("click", () => {
      noteKeys(button);
      click();
    });
    offers.append(button);
    return button;
  };

  const openChosen = async (id: string): Promise<Wallet> => {
    const { openWallet } = (await import(connector)) as Connector;
    return openWallet(id, network, document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "");
  };

  find("leave").addEventListener("click", () => {
    noteKeys(find("leave"));
    const wallet = current?.wallet;
    clearProblem(outcome);
    show(null);
    wallet?.signOut({ network }).catch((error: unknown) => failed(saidBy(wallet.manifest.name, error)));
  });

  onWallet((wallet) => {
    const { name, id } = wallet.manifest;
    offer(name, () => void connect(name, async () => [wallet, await wallet.signIn({ network })]));
    if (keptForGood.get(WALLET_KEPT) === id) {
      connectAgain(name, async () => [wallet, await wallet.getAccounts({ network })]);
    }
  });
  for (const { id, name } of others) {
    if (id !== chosen) {
      offer(name, () => location.assign(`?${new URLSearchParams({ wallet: id })}`));
      continue;
    }
    const ready = openChosen(id);
    // Said once it is asked for; nobody waits for it before.
    ready.catch(() => undefined);
    const button = offer(name, () => {
      void connect(name, async () => {
        const wallet = await ready;
        return [wallet, await wallet.signIn({ network })];
      });
    });
    if (keptForGood.get(WALLET_KEPT) === id) {
      connectAgain(name, async () => {
        const wallet = await ready;
        return [wallet, await wallet.getAccounts({ network })];
      });
    } else {
      // The page was loaded again since it was chosen, and a browser opens a wallet's window at a click alone.
      wallets.showPopover();
      button.focus();
    }
  }
}

import { Account, JsonRpcProvider, KeyPair, type KeyPairString } from "near-api-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OFFERED_WALLETS } from "../../src/domain/wallets.ts";
import { CHROMIUM } from "../support/browser.ts";
import { createAccount } from "../support/chain.ts";
import { type Browser, newCollector, openBrowser, type Page, textOf } from "./collector.ts";
import { openShop, type Shop, type Shown, showCollection } from "./shop.ts";

/**
 * Wallets of near-connect, as testnet has them. The network is the embedded chain by another name, and the wallet's code
 * is the test's: it comes from the wallet's own address, runs in near-connect's frame under the page's policy, and asks
 * its node to sign.
 */

const WALLET = OFFERED_WALLETS.find(({ id }) => id === "intear-wallet")!;
const NODE = "https://test.rpc.fastnear.com/";
const FILES = "http://files.test";
const BUYER = "buyer.near";

const EXECUTOR = `
  const accounts = [{ accountId: ${JSON.stringify(BUYER)} }];
  window.selector.ready({
    async signIn() {
      if (window.selector.location.includes("#")) throw new Error("The wallet was told what is behind the #.");
      await window.selector.storage.set("in", "yes");
      return accounts;
    },
    async getAccounts() { return (await window.selector.storage.get("in")) === "yes" ? accounts : []; },
    async signOut() { await window.selector.storage.remove("in"); },
    async signAndSendTransaction(wanted) {
      const answer = await fetch(${JSON.stringify(NODE)}, { method: "POST", body: JSON.stringify(wanted) });
      return answer.json();
    },
  });`;

describe.skipIf(!CHROMIUM)("wallets of near-connect, in Chromium", () => {
  let shop: Shop;
  let browser: Browser;
  let open: Shown;
  let buyer: Account;

  beforeAll(async () => {
    [shop, browser] = await Promise.all([
      openShop({ NEAR_NETWORK: "testnet", PUBLIC_URL: FILES }),
      openBrowser(),
    ]);
    open = await showCollection(shop, { public_mint_config: { mint_fee: `${10n ** 23n}` } }, 2);
    const key = KeyPair.fromRandom("ed25519");
    await createAccount(shop.service.rpcUrl, BUYER, key.getPublicKey().toString());
    const provider = new JsonRpcProvider({ url: shop.service.rpcUrl });
    buyer = new Account(BUYER, provider, key.toString() as KeyPairString);
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.service.stop();
  });

  interface Wanted {
    readonly receiverId: string;
    readonly actions: readonly [
      { readonly params: { methodName: string; args: object; gas: string; deposit: string } },
    ];
  }

  const signed = async ({ receiverId, actions: [{ params }] }: Wanted): Promise<string> => {
    const outcome = await buyer.callFunctionRaw({
      contractId: receiverId,
      methodName: params.methodName,
      args: params.args as Record<string, unknown>,
      gas: BigInt(params.gas),
      deposit: BigInt(params.deposit),
    });
    return JSON.stringify(outcome, (_, value) => (typeof value === "bigint" ? String(value) : value));
  };

  /** Opens a page whose foreign requests are answered here. @returns what it asked elsewhere, in order */
  const visit = async (path: string): Promise<{ page: Page; asked: string[]; faults: readonly string[] }> => {
    const { page, faults } = await newCollector(browser);
    const asked: string[] = [];
    await page.setRequestInterception(true);
    page.on("request", async (request) => {
      const { origin, href, protocol } = new URL(request.url());
      if (origin === shop.service.url || protocol === "data:" || origin === "null") return request.continue();
      const headers = { "access-control-allow-origin": "*" };
      if (origin === FILES) {
        const file = await fetch(href.replace(FILES, shop.service.url));
        const type = file.headers.get("content-type") ?? "";
        return request.respond({ body: new Uint8Array(await file.arrayBuffer()), contentType: type });
      }
      asked.push(origin);
      if (href.startsWith(WALLET.executor)) {
        return request.respond({ headers, contentType: "text/javascript", body: EXECUTOR });
      }
      if (href === NODE) {
        const body = await signed(JSON.parse(request.postData() ?? "{}") as Wanted);
        return request.respond({ headers, contentType: "application/json", body });
      }
      return request.abort();
    });
    await page.goto(shop.service.url + path, { waitUntil: "networkidle0" });
    return { page, asked, faults };
  };

  const press = (page: Page, name: string) =>
    page.evaluate(`[...document.querySelectorAll("#wallets button")]
      .find(({ textContent }) => textContent === ${JSON.stringify(`Connect ${name}`)}).click()`);

  const choose = async (page: Page): Promise<void> => {
    await page.waitForSelector("#wallets button");
    await Promise.all([page.waitForNavigation({ waitUntil: "networkidle0" }), press(page, WALLET.name)]);
    await page.waitForSelector("#wallets button");
    await press(page, WALLET.name);
    await textOf(page, "#account", /buyer\.near, by Intear Wallet/);
  };

  test("nothing of them is asked before one is chosen; it connects, signs, and is known on the next visit", async () => {
    const { page, asked, faults } = await visit(`/m/${open.slug}`);
    const names = await page.$$eval("#wallets button", (buttons) => buttons.length);
    expect(names).toBe(OFFERED_WALLETS.filter(({ networks }) => networks.includes("testnet")).length);
    expect(asked).toEqual([]);
    await choose(page);
    expect(new Set(asked)).toEqual(new Set([new URL(WALLET.executor).origin]));
    await page.waitForSelector("#go:not(:disabled)");
    await page.click("#go");
    await textOf(page, "#outcome", /^Yours: one NFT, final on the chain\.Transaction: \w{43,44}$/);
    expect(new Set(asked)).toEqual(new Set([new URL(WALLET.executor).origin, new URL(NODE).origin]));
    await page.reload({ waitUntil: "networkidle0" });
    await textOf(page, "#account", /buyer\.near, by Intear Wallet/);
    expect(faults.filter((fault) => !fault.startsWith("style-src"))).toEqual([]);
  });

  test("the policy allows a wallet's addresses to who has chosen it, and to nobody else", async () => {
    const policyOf = async (query: string) =>
      (await fetch(`${shop.service.url}/m/${open.slug}${query}`)).headers.get("content-security-policy") ??
      "";
    for (const query of ["", "?wallet=nobody", "?wallet=hot-wallet"]) {
      const policy = await policyOf(query);
      expect(policy).toContain("connect-src 'self';");
      expect(policy).not.toMatch(/unsafe|https:/);
    }
    const chosen = await policyOf(`?wallet=${WALLET.id}`);
    expect(chosen).toContain(`connect-src 'self' ${WALLET.executor} `);
    expect(chosen).not.toContain("githubusercontent");
    expect(chosen).toMatch(/script-src 'nonce-\w+' 'wasm-unsafe-eval';/);
  });

  test("a claim link keeps its key from the wallet that it is redeemed into", async () => {
    const [link] = await shop.claimLinks(open, 1);
    const { page, asked } = await visit(link!);
    await page.waitForSelector("#claim:not([hidden])");
    expect(asked).toEqual([]);
    await choose(page);
    expect(new URL(page.url()).hash).toBe("");
    await page.click("#go");
    await textOf(page, "#outcome", /^one NFT for buyer\.near, final/);
  });
});

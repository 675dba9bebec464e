import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Account, actions, JsonRpcProvider, KeyPair, type KeyPairString } from "near-api-js";
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
    const { methodName, args, gas, deposit } = params;
    const outcome = await buyer.signAndSendTransaction({
      receiverId,
      actions: [actions.functionCall(methodName, args, BigInt(gas), BigInt(deposit))],
      throwOnFailure: false,
    });
    return JSON.stringify(outcome, (_, value) => (typeof value === "bigint" ? String(value) : value));
  };

  /**
   * Opens a page whose foreign requests are answered here.
   * @param wallet of another kind, on a site of its own: the script by which it announces itself, and the site's origin
   * @returns what it asked elsewhere, in order
   */
  const visit = async (
    path: string,
    wallet?: { readonly script: string; readonly site: string },
  ): Promise<{ page: Page; asked: string[]; faults: readonly string[] }> => {
    const { page, faults } = await newCollector(browser);
    const asked: string[] = [];
    if (wallet) await page.evaluateOnNewDocument(wallet.script);
    await page.setRequestInterception(true);
    page.on("request", async (request) => {
      const { origin, href, protocol } = new URL(request.url());
      if (origin === shop.service.url || origin === wallet?.site || protocol === "data:" || origin === "null")
        return request.continue();
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

  test("no wallet is called before it is chosen; it then connects, signs and is remembered", async () => {
    const { page, asked, faults } = await visit(`/m/${open.slug}`);
    const names = await page.$$eval("#wallets button", (buttons) => buttons.length);
    expect(names).toBe(OFFERED_WALLETS.filter(({ networks }) => networks.includes("testnet")).length);
    expect(asked).toEqual([]);
    await choose(page);
    expect(new Set(asked)).toEqual(new Set([new URL(WALLET.executor).origin]));
    await page.waitForSelector("#go:not(:disabled)");
    await page.click("#go");
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain.*Transaction\w{43,44}$/);
    expect(new Set(asked)).toEqual(new Set([new URL(WALLET.executor).origin, new URL(NODE).origin]));
    await page.reload({ waitUntil: "networkidle0" });
    await textOf(page, "#account", /buyer\.near, by Intear Wallet/);
    expect(faults.filter((fault) => !fault.startsWith("style-src"))).toEqual([]);
  });

  test("the policy allows a wallet's hosts only after it is chosen", async () => {
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

  /** A wallet that leaves the page to sign on its own site, which then leads to an address that `sign` has chosen. */
  const leavingWallet = async (sign: (wanted: Wanted, back: URL) => Promise<void>) => {
    const server = createServer(async (request, answer) => {
      const asked = new URL(request.url ?? "", "http://localhost").searchParams;
      const back = new URL(asked.get("back") ?? "");
      await sign(JSON.parse(asked.get("wanted") ?? "") as Wanted, back);
      answer.writeHead(302, { Location: back.href }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    const site = `http://localhost:${(server.address() as AddressInfo).port}`;
    const script = `{
      const accounts = async () => [{ accountId: ${JSON.stringify(BUYER)} }];
      const wallet = {
        manifest: { id: "leaving", name: "Leaving Wallet" },
        signIn: accounts,
        getAccounts: accounts,
        signOut: async () => undefined,
        signAndSendTransaction(wanted) {
          const asked = { back: location.href, wanted: JSON.stringify(wanted) };
          location.assign("${site}/?" + new URLSearchParams(asked));
          return new Promise(() => undefined);
        },
      };
      addEventListener("near-selector-ready", () =>
        dispatchEvent(new CustomEvent("near-wallet-injected", { detail: wallet })));
    }`;
    return { script, site, close: () => server.close() };
  };

  const hashOf = (outcome: string): string =>
    (JSON.parse(outcome) as { transaction: { hash: string } }).transaction.hash;

  test.each<[string, (wanted: Wanted, back: URL) => Promise<void>, RegExp]>([
    [
      "names its transaction",
      async (wanted, back) => back.searchParams.set("transactionHashes", hashOf(await signed(wanted))),
      /^You own No\. \d+\D.*Final on the chain.*Transaction\w{43,44}$/,
    ],
    [
      "names what is no transaction",
      async (wanted, back) => {
        await signed(wanted);
        back.searchParams.set("transactionHashes", "undefined");
      },
      /^You own No\. \d+\D.*View.*Final on the chain, for \S+$/,
    ],
    [
      "has signed nothing, and names somebody else's mint",
      async (_, back) => {
        const to = { receiver_addresses: ["somebody.near"], receivers_must_exist: false };
        const { tx_results: results } = await shop.client.collections.mint(open.uuid, to);
        back.searchParams.set("transactionHashes", results[0]!.transaction_hash);
      },
      /^The chain shows no mint so far/,
    ],
    [
      "pays less than the price",
      async ({ receiverId, actions: [{ params }] }, back) => {
        const cheap = { receiverId, actions: [{ params: { ...params, deposit: "1" } }] } as const;
        back.searchParams.set("transactionHashes", hashOf(await signed(cheap)));
      },
      /^Nothing was minted\. [A-Z][a-z]/,
    ],
  ])("a wallet that leaves the page and %s", async (_, sign, wanted) => {
    const wallet = await leavingWallet(sign);
    try {
      const { page, faults } = await visit(`/m/${open.slug}`, wallet);
      await page.waitForSelector("#wallets button");
      await press(page, "Leaving Wallet");
      await page.waitForSelector("#go:not(:disabled)");
      const back = page.waitForNavigation();
      await page.click("#go");
      await back;
      await textOf(page, wanted.source.startsWith("^You own") ? "#owned" : "#outcome", wanted);
      expect(page.url()).toBe(`${shop.service.url}/m/${open.slug}`);
      expect(await page.evaluate(`localStorage.getItem("mintage:${open.slug}:intent")`)).toBeNull();
      expect(faults).toEqual([]);
    } finally {
      wallet.close();
    }
  });

  test("a claim link's key isn't disclosed to the wallet that receives the NFT", async () => {
    const [link] = await shop.claimLinks(open, 1);
    const { page, asked } = await visit(link!);
    await page.waitForSelector("#claim:not([hidden])");
    expect(asked).toEqual([]);
    await choose(page);
    expect(new URL(page.url()).hash).toBe("");
    await page.click("#go");
    await textOf(page, "#owned", /^You own No.*, for buyer\.near\./);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { picture } from "../../testing/pictures.ts";
import { CHROMIUM } from "../support/browser.ts";
import {
  type Browser,
  chooseWay,
  claim,
  connectWallet,
  mint,
  newCollector,
  openBrowser,
  type Page,
  textOf,
} from "./collector.ts";
import { openShop, type Shop, type Shown, showCollection } from "./shop.ts";

/** What goes wrong for collectors: mistyped names, browsers that keep nothing, endless words, wallets that misbehave. */
describe.skipIf(!CHROMIUM)("mishaps of collectors, in Chromium", () => {
  let shop: Shop;
  let browser: Browser;
  let open: Shown;

  beforeAll(async () => {
    [shop, browser] = await Promise.all([openShop(), openBrowser()]);
    open = await showCollection(shop, { public_mint_config: { mint_fee: "0" } }, 3);
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.service.stop();
  });

  const visit = async (path: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> => {
    const { page } = await newCollector(browser);
    await prepare?.(page);
    await page.goto(shop.service.url + path, { waitUntil: "networkidle0" });
    return page;
  };

  const typeReceiver = async (page: Page, account: string): Promise<void> => {
    await page.$eval("#receiver", (field) => {
      (field as unknown as { value: string }).value = "";
    });
    await page.type("#receiver", account);
  };

  test("a gift to a name as phones write it", async () => {
    const page = await visit(`/m/${open.slug}`);
    await connectWallet(page);
    await typeReceiver(page, " Platform.bench ");
    await mint(page);
    await textOf(page, "#outcome", /^Given to platform\.bench: one NFT/);
  });

  test("an invalid account name is reported", async () => {
    const [link] = await shop.claimLinks(open, 1);
    const page = await visit(link!);
    await chooseWay(page, "account");
    await page.type("#receiver", "Alice & Bob");
    await page.keyboard.press("Tab");
    await textOf(page, "#receiver-says", /^alice & bob is no account of NEAR\.$/);
    await typeReceiver(page, "platform.bench");
    await textOf(page, "#receiver-says", /^$/);
    await page.waitForSelector("#go:not(:disabled)");
  });

  test("minting and claiming work without browser storage", async () => {
    const refuse = (page: Page) =>
      page.evaluateOnNewDocument(`for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, { get() { throw new DOMException("refused", "SecurityError"); } });`);
    const page = await visit(`/m/${open.slug}`, refuse);
    await connectWallet(page);
    await mint(page);
    await textOf(page, "#outcome", /^Yours: one NFT, final/);
    const [link] = await shop.claimLinks(open, 1);
    const claiming = await visit(link!, refuse);
    await connectWallet(claiming);
    await claim(claiming);
    await textOf(claiming, "#outcome", /^one NFT for .*, final/);
  });

  test("long words don't make a page wider than a small phone", async () => {
    const traits = { attributes: [{ trait_type: "T".repeat(64), value: "V".repeat(128) }] };
    const reference = { filename: "0.json", data: new TextEncoder().encode(JSON.stringify(traits)) };
    const draft = await shop.client.drafts.create({ contract_uuid: shop.contract, title: "W".repeat(256) });
    await shop.client.drafts.attachAssets(draft.collection_draft_uuid, [
      { filename: "0.png", data: picture("png", 0), reference },
    ]);
    const { collection_uuid: uuid } = await shop.client.drafts.finalize(draft.collection_draft_uuid);
    const slug = `long-${uuid.slice(-12)}`;
    const links = [{ label: "L".repeat(60), url: "https://example.com/" }];
    await shop.client.collections.setPage(uuid, { slug, links, enabled: true });
    const receiver = { receiver_addresses: ["f".repeat(64)], receivers_must_exist: false };
    await shop.client.collections.mint(uuid, receiver);
    for (const path of [`/m/${slug}`, `/g/${slug}`, `/g/${slug}/1`, `/c/${slug}`]) {
      const page = await visit(path, (fresh) => fresh.setViewport({ width: 320, height: 640 }));
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBe(320);
    }
  });

  describe("a wallet that misbehaves", () => {
    /** A wallet of the test's own, beside the development wallet. @param parts of it, as source */
    const withWallet = async (parts: string): Promise<Page> => {
      const page = await visit(`/m/${open.slug}`, (fresh) =>
        fresh.evaluateOnNewDocument(`{
          const detail = {
            manifest: { id: "odd", name: "Odd Wallet" },
            signIn: async () => [{ accountId: "platform.bench" }],
            getAccounts: async () => [],
            signOut: async () => {},
            signAndSendTransaction: async () => null,
            ${parts}
          };
          addEventListener("near-selector-ready", () =>
            dispatchEvent(new CustomEvent("near-wallet-injected", { detail })));
        }`),
      );
      await page.evaluate(`[...document.querySelectorAll("#wallets button")]
        .find(({ textContent }) => textContent === "Connect Odd Wallet").click()`);
      return page;
    };

    test.each([
      ["throws nothing", "throw undefined", /^Odd Wallet says: it gave no reason\. Look into your wallet/],
      ["throws an object", "throw { message: { a: 1 } }", /^Odd Wallet says: it gave no reason\. Look into/],
      ["throws a text", "throw 'Closed.'", /^Odd Wallet says: Closed\. Look into your wallet/],
      ["names no hash", "return '../../x'", /^Looking for it on the chain/],
    ])("%s", async (_, act, said) => {
      const page = await withWallet(`signAndSendTransaction: async () => { ${act}; },`);
      await page.waitForSelector("#go:not(:disabled)");
      await page.click("#go");
      await textOf(page, "#outcome", said);
    });

    test.each(["[]", "undefined", "[{ accountId: 'Not An Account' }]", "[{}]"])(
      "names no account but %s",
      async (accounts) => {
        const page = await withWallet(`signIn: async () => (${accounts}),`);
        await textOf(page, "#outcome", /^Odd Wallet has named no account\.$/);
        expect(await page.$("#wish:not([hidden])")).toBeNull();
      },
    );

    test("can be disconnected even if it doesn't respond", async () => {
      const page = await withWallet(`signOut: async () => { throw new Error("No."); },`);
      await page.waitForSelector("#leave");
      await page.click("#leave");
      await textOf(page, "#outcome", /^Odd Wallet: No\.$/);
      expect(await page.$("#wish:not([hidden])")).toBeNull();
    });
  });
});

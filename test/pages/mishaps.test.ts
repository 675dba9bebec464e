import type { HTTPRequest } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClaimIssuer } from "../../client/src/index.ts";
import { picture } from "../../testing/pictures.ts";
import { CHROMIUM } from "../support/browser.ts";
import { createAccount } from "../support/chain.ts";
import { eventually } from "../support/waiting.ts";
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
  wantQuantity,
} from "./collector.ts";
import { openShop, type Shop, type Shown, showCollection } from "./shop.ts";

/** What goes wrong for collectors: mistyped names, browsers that keep nothing, endless words, wallets that misbehave. */
describe.skipIf(!CHROMIUM)("unusual situations of collectors, in Chromium", () => {
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

  test("a gift to a name that a phone's keyboard changed is minted", async () => {
    const page = await visit(`/m/${open.slug}`);
    await connectWallet(page);
    // What the account may mint moves what is below it.
    await page.waitForSelector("#go:not(:disabled)");
    await page.click("#gift summary");
    await page.waitForSelector("#gift[open]");
    await typeReceiver(page, " Platform.bench ");
    await mint(page);
    await textOf(page, "#owned h2", /^No\. \d+ is now owned by platform\.bench$/);
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
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
    const [link] = await shop.claimLinks(open, 1);
    const claiming = await visit(link!, refuse);
    await chooseWay(claiming, "wallet");
    await connectWallet(claiming);
    await claim(claiming);
    await textOf(claiming, "#owned", /^You own No\. \d+\D.*Final on the chain/);
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

  /** A wallet of the test's own, beside the development wallet. @param parts of it, as source */
  const announce = (page: Page, parts: string, name = "Odd Wallet", account = "platform.bench") =>
    page.evaluateOnNewDocument(`{
      const detail = {
        manifest: { id: ${JSON.stringify(name)}, name: ${JSON.stringify(name)} },
        signIn: async () => [{ accountId: ${JSON.stringify(account)} }],
        getAccounts: async () => [],
        signOut: async () => {},
        signAndSendTransaction: async () => null,
        ${parts}
      };
      addEventListener("near-selector-ready", () =>
        dispatchEvent(new CustomEvent("near-wallet-injected", { detail })));
    }`);
  const connect = (page: Page, name = "Odd Wallet") =>
    page.evaluate(`[...document.querySelectorAll("#wallets button")]
      .find(({ textContent }) => textContent === ${JSON.stringify(`Connect ${name}`)}).click()`);

  describe("what a wallet is asked to sign", () => {
    const FEE = 10n ** 23n;
    /** Keeps what it is asked for, and declines. */
    const KEEPS = `signAndSendTransaction: async (asked) => {
      (window.asked ??= []).push(asked);
      throw "Closed.";
    },`;
    let priced: Shown;
    let contract: string;
    let collection: number;

    beforeAll(async () => {
      priced = await showCollection(shop, { public_mint_config: { mint_fee: String(FEE) } }, 3);
      const found = await shop.client.collections.get(priced.uuid);
      contract = found.contract_address;
      collection = found.collection_id;
      await createAccount(shop.service.rpcUrl, "second.near");
    });

    const isEligibility = (request: HTTPRequest, part = "") =>
      request.url().includes("/eligibility/") && request.url().includes(part);
    const openPriced = (prepare?: (page: Page) => Promise<unknown>, fragment = "") =>
      visit(`/m/${priced.slug}${fragment}`, async (fresh) => {
        await announce(fresh, KEEPS);
        await announce(fresh, KEEPS, "Even Wallet", "second.near");
        await prepare?.(fresh);
      });
    const press = async (page: Page) => {
      await page.waitForSelector("#go:not(:disabled)");
      await page.click("#go");
      await textOf(page, "#outcome", /Wallet says: Closed\.|nothing was signed/);
    };
    /** A mint of so many by an account, with a price attached. */
    const call = (quantity: number, deposit: bigint, signerId = "platform.bench") =>
      expect.objectContaining({
        signerId,
        receiverId: contract,
        actions: [
          {
            type: "FunctionCall",
            params: expect.objectContaining({
              methodName: "nft_mint",
              args: expect.objectContaining({ collection_id: collection, quantity }),
              deposit: String(deposit),
            }),
          },
        ],
      });
    const asked = (page: Page) => page.evaluate("window.asked ?? []");
    /** What the page says of the terms once it has dealt with an answer that has just come. */
    const termsAfter = (page: Page) =>
      page.evaluate(
        "new Promise((resolve) => setTimeout(resolve)).then(() => document.querySelector('#terms').textContent)",
      );

    test("is the shown mint at the shown price", async () => {
      const page = await openPriced();
      await connect(page);
      await wantQuantity(page, 2);
      expect(await textOf(page, "#terms", /^0\.2 NEAR/)).toContain("0.1 NEAR each");
      await press(page);
      expect(await asked(page)).toEqual([call(2, 2n * FEE)]);
    });

    test("is nothing if the price has changed since it was shown: the new price is shown first", async () => {
      let isDearer = false;
      const page = await openPriced(async (fresh) => {
        await fresh.setRequestInterception(true);
        fresh.on("request", async (request) => {
          if (!isDearer || !isEligibility(request, "platform.bench")) return request.continue();
          const answer = (await (await fetch(request.url())).json()) as object;
          const dearer = { mint_fee: String(3n * FEE), total_fee: String(3n * FEE) };
          await request.respond({
            contentType: "application/json",
            body: JSON.stringify({ ...answer, ...dearer }),
          });
        });
      });
      await connect(page);
      await textOf(page, "#terms", /^0\.1 NEAR/);
      isDearer = true;
      await press(page);
      await textOf(page, "#outcome", /^That has just changed, and nothing was signed: 0\.3 NEAR/);
      expect(await asked(page)).toEqual([]);
      await textOf(page, "#terms", /^0\.3 NEAR/);
      await press(page);
      expect(await asked(page)).toEqual([call(1, 3n * FEE)]);
    });

    test("is a token's ft_transfer_call where the price is in the token, for the units that are shown", async () => {
      const usdc = { contract_id: "usdc.near", symbol: "USDC", decimals: 6 };
      const page = await openPriced(async (fresh) => {
        await fresh.setRequestInterception(true);
        fresh.on("request", async (request) => {
          const isPage = request.resourceType() === "document";
          if (!isPage && !isEligibility(request)) return request.continue();
          const answer = await fetch(request.url());
          if (isPage) {
            const escaped = JSON.stringify([usdc]).replaceAll('"', "&quot;");
            const html = (await answer.text())
              .replace('data-currencies="[null]"', `data-currencies="${escaped}"`)
              .replace('<option value="">', '<option value="usdc.near">');
            const headers = Object.fromEntries(answer.headers);
            delete headers["content-encoding"];
            return request.respond({ headers, body: html });
          }
          const inToken = request.url().includes("currency=usdc.near");
          const quantity = Number(new URL(request.url()).searchParams.get("quantity"));
          const terms = {
            mint_fee: "5000000",
            total_fee: String(5_000_000 * quantity),
            currency_available: inToken ? "12500000" : null,
          };
          const body = JSON.stringify({
            ...((await answer.json()) as object),
            allowed: true,
            code: null,
            ...terms,
          });
          return request.respond({ contentType: "application/json", body });
        });
      });
      await connect(page);
      await textOf(page, "#terms", /^5 USDC, and a network fee.*Your account has 12\.5 USDC\.$/);
      await wantQuantity(page, 3);
      await textOf(page, "#terms", /^15 USDC, 5 USDC each\. Your account has 12\.5 USDC\.$/);
      await wantQuantity(page, 2);
      await textOf(page, "#terms", /^10 USDC, 5 USDC each/);
      await press(page);
      const msg = JSON.stringify({ collection_id: collection, quantity: 2, max_price: "5000000" });
      expect(await asked(page)).toEqual([
        expect.objectContaining({
          receiverId: "usdc.near",
          actions: [
            {
              type: "FunctionCall",
              params: expect.objectContaining({
                methodName: "ft_transfer_call",
                args: { receiver_id: contract, amount: "10000000", msg },
                deposit: "1",
              }),
            },
          ],
        }),
      ]);
    });

    test("is a token's ft_transfer_call with a voucher in the token, for the price that its issuer signed", async () => {
      const issuer = await ClaimIssuer.create();
      const { args, fragment } = await issuer.voucher({
        ...{ network: "devchain", contract, dropId: 1, nonce: 0, receiver: "second.near", quantity: 2 },
        ...{ price: 2_500_000n, currency: "usdc.near", expiresAt: new Date("2030-01-01T00:00:00Z") },
      });
      const page = await openPriced(async (fresh) => {
        await fresh.setRequestInterception(true);
        fresh.on("request", async (request) => {
          const isVoucher = request.url().includes("/voucher?");
          if (!isVoucher && !isEligibility(request)) return request.continue();
          const { receiver_id, quantity, price } = args;
          const currency = { contract_id: "usdc.near", symbol: "USDC", decimals: 6 };
          const shown = { receiver_id, quantity, price, currency, total_fee: "5000000" };
          const eligible = isVoucher ? {} : ((await (await fetch(request.url())).json()) as object);
          const more = isVoucher
            ? { ...shown, drop_id: 1, nonce: 0, expires_at: "2030-01-01T00:00:00Z" }
            : { currency_available: request.url().includes("currency=usdc.near") ? "6000000" : null };
          return request.respond({
            contentType: "application/json",
            body: JSON.stringify({ ...eligible, ...more }),
          });
        });
      }, `#${fragment}`);
      await textOf(page, "#voucher", /^This voucher gives second\.near 2 NFTs for 2\.5 USDC each\./);
      await connect(page);
      await textOf(page, "#terms", /^5 USDC, 2\.5 USDC each, and a network fee.*Your account has 6 USDC\.$/);
      expect(await textOf(page, "#go", /USDC/)).toBe("Mint 2 for 5 USDC");
      await press(page);
      const msg = JSON.stringify({ voucher: args });
      const params = {
        methodName: "ft_transfer_call",
        args: { receiver_id: contract, amount: "5000000", msg },
        deposit: "1",
      };
      expect(await asked(page)).toEqual([
        expect.objectContaining({
          receiverId: "usdc.near",
          actions: [{ type: "FunctionCall", params: expect.objectContaining(params) }],
        }),
      ]);
    });

    test("is the number in the field, even if the answer for an earlier number comes last", async () => {
      const held: HTTPRequest[] = [];
      const page = await openPriced(async (fresh) => {
        await fresh.setRequestInterception(true);
        fresh.on("request", (request) => {
          if (isEligibility(request, "quantity=2")) held.push(request);
          else void request.continue();
        });
      });
      await connect(page);
      await textOf(page, "#terms", /^0\.1 NEAR/);
      await wantQuantity(page, 2);
      await eventually(() => expect(held).toHaveLength(1));
      await wantQuantity(page, 3);
      const terms = await textOf(page, "#terms", /^0\.3 NEAR/);
      const late = page.waitForResponse((response) => response.url().includes("quantity=2"));
      await held[0]!.continue();
      await (await late).text();
      expect(await termsAfter(page)).toBe(terms);
      await press(page);
      expect(await asked(page)).toEqual([call(3, 3n * FEE)]);
    });

    test("is for the connected account, even if the answer for the previous account comes last", async () => {
      const held: HTTPRequest[] = [];
      let isHeld = false;
      const page = await openPriced(async (fresh) => {
        await fresh.setRequestInterception(true);
        fresh.on("request", (request) => {
          if (isHeld && isEligibility(request, "platform.bench")) held.push(request);
          else void request.continue();
        });
      });
      await connect(page);
      await textOf(page, "#terms", /^0\.1 NEAR/);
      isHeld = true;
      await wantQuantity(page, 2);
      await eventually(() => expect(held).toHaveLength(1));
      await page.click("#leave");
      await connect(page, "Even Wallet");
      await textOf(page, "#account", /^second\.near, by Even Wallet/);
      const terms = await textOf(page, "#terms", /^0\.2 NEAR/);
      const late = page.waitForResponse((response) => response.url().includes("platform.bench"));
      const dear = JSON.stringify({ account_id: "platform.bench", allowed: false, message: "Not you." });
      await held[0]!.respond({ contentType: "application/json", body: dear });
      await (await late).text();
      expect(await termsAfter(page)).toBe(terms);
      await press(page);
      expect(await asked(page)).toEqual([call(2, 2n * FEE, "second.near")]);
    });
  });

  test("a link is redeemed in the chosen way, and another link in the same browser asks again", async () => {
    const links = await shop.claimLinks(open, 2);
    const page = await visit(links[0]!);
    await chooseWay(page, "account");
    await page.type("#receiver", "platform.bench");
    await page.waitForSelector("#go:not(:disabled)");
    // Neither has a wallet been connected nor a key been made: what was typed is for the other way.
    for (const way of ["wallet", "key"] as const) {
      await chooseWay(page, way);
      expect(await page.$("#go:disabled"), way).not.toBeNull();
    }
    await chooseWay(page, "account");
    await claim(page);
    await textOf(page, "#owned", /^No\. \d+ is now owned by platform\.bench.*Final on the chain/);
    await page.goto(shop.service.url + links[1]!, { waitUntil: "networkidle0" });
    await textOf(page, "#gift", /^This link gives one NFT/);
    await page.waitForSelector("#claim:not([hidden])");
    expect(await page.evaluate("document.querySelector('#outcome').textContent")).toBe("");
    await page.goto(shop.service.url + links[0]!, { waitUntil: "networkidle0" });
    await textOf(page, "#owned", /Final on the chain, for platform\.bench\./);
  });

  describe("a faulty wallet", () => {
    const withWallet = async (parts: string): Promise<Page> => {
      const page = await visit(`/m/${open.slug}`, (fresh) => announce(fresh, parts));
      await connect(page);
      return page;
    };

    test.each([
      ["throws nothing", "throw undefined", /^Odd Wallet says: it gave no reason\. Look into your wallet/],
      ["throws an object", "throw { message: { a: 1 } }", /^Odd Wallet says: it gave no reason\. Look into/],
      ["throws a text", "throw 'Closed.'", /^Odd Wallet says: Closed\. Look into your wallet/],
      ["returns no hash", "return '../../x'", /^Looking for it on the chain/],
    ])("that %s is reported", async (_, act, said) => {
      const page = await withWallet(`signAndSendTransaction: async () => { ${act}; },`);
      await page.waitForSelector("#go:not(:disabled)");
      await page.click("#go");
      await textOf(page, "#outcome", said);
    });

    test.each(["[]", "undefined", "[{ accountId: 'Not An Account' }]", "[{}]"])(
      "that names no account but %s is refused",
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

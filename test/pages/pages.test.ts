import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { KeyPair } from "near-api-js";
import type { HTTPRequest } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/browser.ts";
import { createAccount } from "../support/chain.ts";
import { ROOT } from "../support/imports.ts";
import { eventually } from "../support/waiting.ts";
import {
  accessibilityFaults,
  addPasskeys,
  askForAccount,
  type Browser,
  chooseWay,
  claim,
  connectWallet,
  downloaded,
  enterAt,
  mint,
  newCollector,
  openBrowser,
  type Page,
  shownKey,
  textOf,
  type Visited,
  wantQuantity,
  writeInto,
} from "./collector.ts";
import { openShop, type Shop, type Shown, showCollection, showHiddenCollection } from "./shop.ts";

/**
 * The pages for collectors in a real Chromium, against the service as `npm start` runs it. `npm run test:pages` runs
 * this alone; with PAGES_PICTURES=1 it writes docs/images anew.
 */

const FEE = `${10n ** 23n}`;
const YEAR_MS = 366 * 24 * 3_600_000;

if (!CHROMIUM) {
  process.stderr.write(
    "There is no Chromium on this machine, so the pages' tests in a browser are left out.\n",
  );
}

describe.skipIf(!CHROMIUM)("pages for collectors, in Chromium", () => {
  let shop: Shop;
  let browser: Browser;
  let open: Shown;
  const visits: Visited[] = [];

  const visit = async (path: string, prepare?: (page: Page) => Promise<void>): Promise<Page> => {
    const visited = await newCollector(browser);
    visits.push(visited);
    await prepare?.(visited.page);
    await visited.page.goto(shop.service.url + path, { waitUntil: "networkidle0" });
    return visited.page;
  };

  const ownedBy = async (account: string): Promise<number> => {
    let owned = 0;
    for await (const { owner_id: owner } of shop.client.collections.tokens(open.uuid)) {
      if (owner === account) owned += 1;
    }
    return owned;
  };

  beforeAll(async () => {
    [shop, browser] = await Promise.all([openShop(), openBrowser()]);
    open = await showCollection(
      shop,
      {
        description: "Twelve studies in paper colours.",
        public_mint_config: { mint_fee: FEE, limit_per_account: 5 },
      },
      3,
    );
  });

  afterAll(async () => {
    await browser?.close();
    await shop?.service.stop();
  });

  test("a newcomer mints an NFT with the development wallet, and sees it in the gallery", async () => {
    const page = await visit(`/m/${open.slug}`);
    const account = await connectWallet(page);
    expect(await textOf(page, "#terms", /NEAR/)).toMatch(/^0\.1 NEAR, and a network fee/);
    await mint(page);
    const said = await textOf(
      page,
      "#owned",
      /^You own No\. \d+.*ShareView.*Final on the chain, for .*Transaction\w{43,44}$/,
    );
    await page.waitForSelector("#owned img");
    expect(await ownedBy(account)).toBe(1);
    await Promise.all([page.waitForNavigation({ waitUntil: "networkidle0" }), page.click("#mine")]);
    expect(new URL(page.url()).search).toBe(`?owner=${account}`);
    expect(
      await page.$$eval("#tokens img", (images) => images.map((image) => image.naturalWidth > 0)),
    ).toEqual([true]);
    await page.click("#tokens a");
    const proof = await textOf(page, "dl.proof", /Transaction that minted it/);
    expect(proof).toContain(said.split("Transaction")[1]);
  });

  test("three NFTs are minted at once, one is given away, and a refusal shows the contract's reason", async () => {
    await createAccount(shop.service.rpcUrl, "friend.near");
    const page = await visit(`/m/${open.slug}`);
    const account = await connectWallet(page);
    await wantQuantity(page, 3);
    expect(await textOf(page, "#terms", /0\.3 NEAR/)).toContain("0.1 NEAR each");
    await mint(page);
    await textOf(page, "#owned h2", /^You own No\. \d+ to \d+$/);
    expect(await ownedBy(account)).toBe(3);
    await wantQuantity(page, 1);
    for (const [typed, why] of [
      ["Friend, my friend", /^friend, my friend is no account of NEAR\. Nothing was signed/],
      ["freind.near", /^There is no account freind\.near on this network\. Nothing was signed/],
    ] as const) {
      await writeInto(page, "#receiver", typed);
      await page.waitForSelector("#go:not(:disabled)");
      await page.click("#go");
      await textOf(page, "#outcome", why);
      expect(await page.$("dialog")).toBeNull();
    }
    await writeInto(page, "#receiver", "friend.near");
    expect(await page.evaluate("document.querySelector('#outcome').textContent")).toBe("");
    await mint(page);
    await textOf(page, "#owned h2", /^No\. \d+ is now owned by friend\.near$/);
    expect([await ownedBy("friend.near"), await ownedBy(account)]).toEqual([1, 3]);
    await wantQuantity(page, 2);
    await textOf(page, "#terms", /^You can mint 1 more\.$/);
    expect(await page.$("#go:disabled")).not.toBeNull();
  });

  test("a final result stays visible if later reads fail", async () => {
    const page = await visit(`/m/${open.slug}`);
    await connectWallet(page);
    await page.setRequestInterception(true);
    let lost = 0;
    page.on("request", async (request) => {
      const { pathname } = new URL(request.url());
      if (/\/token\/\d+$/.test(pathname) && lost < 2) {
        lost += 1;
        return request.abort();
      }
      if (!pathname.includes("/mint/")) return request.continue();
      // As in the block of the mint, in which an NFT shows no picture.
      const answer = (await (await fetch(request.url())).json()) as { tokens: object[] };
      const tokens = answer.tokens.map((token) => ({ ...token, media_url: null }));
      const body = JSON.stringify({ ...answer, tokens });
      await request.respond({ contentType: "application/json", body });
    });
    await mint(page);
    await page.waitForSelector("#owned img");
    expect(lost).toBe(2);
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
  });

  test("responses for a disconnected account are not shown", async () => {
    const page = await visit(`/m/${open.slug}`);
    await connectWallet(page);
    await page.waitForSelector("#go:not(:disabled)");
    await page.setRequestInterception(true);
    const held: HTTPRequest[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/eligibility/")) held.push(request);
      else void request.continue();
    });
    await wantQuantity(page, 2);
    await eventually(() => expect(held).toHaveLength(1));
    await page.click("#leave");
    const terms = () => page.evaluate("document.querySelector('#terms').textContent");
    const before = await terms();
    const answered = page.waitForResponse((response) => response.url().includes("quantity=2"));
    await held[0]!.continue();
    await (await answered).text();
    await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
    expect(await terms()).toBe(before);
    expect(await page.$("#go:disabled")).not.toBeNull();
  });

  test("an NFT can be minted with the keyboard alone", async () => {
    const page = await visit(`/m/${open.slug}`);
    const focused = () => page.evaluate("document.activeElement.id || document.activeElement.textContent");
    const connect = async () => {
      await enterAt(page, "#connect");
      await enterAt(page, "#wallets button");
      await page.waitForSelector("dialog input");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#account:not([hidden])");
    };
    await connect();
    expect(await focused()).toBe("quantity");
    await enterAt(page, "#leave");
    expect(await focused()).toBe("connect");
    await connect();
    await enterAt(page, "#go:not(:disabled)");
    await enterAt(page, "dialog button");
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
    await page.waitForFunction("document.activeElement.id === 'go'");
    const [link] = await shop.claimLinks(open, 1);
    await page.goto(shop.service.url + link, { waitUntil: "networkidle0" });
    await page.waitForSelector("#claim:not([hidden]) #account:not([hidden])");
    await enterAt(page, "#leave");
    await connect();
    expect(await focused()).toBe("go");
    await page.keyboard.press("Enter");
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
  });

  test.each(["m", "g", "c"])("/%s/ can be read without scripts", async (kind) => {
    const page = await visit(`/${kind}/${open.slug}`, (fresh) => fresh.setJavaScriptEnabled(false));
    const text = await page.$eval("main", (main) => main.innerText);
    expect(text).not.toMatch(/Looking (for|at)/);
    const wanted = {
      m: /0\.1 NEAR.*needs JavaScript and a wallet/s,
      g: /Paper Shapes.*minted/s,
      c: /needs JavaScript/,
    };
    expect(text).toMatch(wanted[kind as keyof typeof wanted]);
  });

  test("a development wallet creates its account again if its chain was started again", async () => {
    const page = await visit(`/m/${open.slug}`);
    const lost = await connectWallet(page);
    const name = "mintage:development-wallet";
    await page.evaluate(`{
      const [kept] = JSON.parse(localStorage.getItem("${name}"));
      localStorage.setItem("${name}", JSON.stringify([{ ...kept, account_id: "was-${lost}" }]));
    }`);
    await page.reload({ waitUntil: "networkidle0" });
    expect(await page.evaluate("document.querySelector('#account').checkVisibility()")).toBe(false);
    expect(await connectWallet(page)).toBe(`was-${lost}`);
    await mint(page);
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
  });

  test("price and button are on a phone's first screen, before and after a wallet is connected", async () => {
    const page = await visit(`/m/${open.slug}`, (fresh) => fresh.setViewport({ width: 390, height: 844 }));
    const isSeen = (selector: string) =>
      page.evaluate(`{
        const element = document.querySelector("${selector}");
        const { top, bottom } = element.getBoundingClientRect();
        element.checkVisibility() && top >= 0 && bottom <= 844;
      }`);
    for (const seen of [".price", "#connect", "h1"]) expect(await isSeen(seen), seen).toBe(true);
    await page.evaluate("scrollTo(0, 900)");
    expect(await isSeen("#connect")).toBe(true);
    await connectWallet(page);
    expect(await textOf(page, "#go", / NEAR/)).toBe("Mint 1 for 0.1 NEAR");
    expect(await isSeen("#go")).toBe(true);
    await page.click("#more");
    expect(await textOf(page, "#go", /Mint 2/)).toMatch(/^Mint 2/);
    await textOf(page, "#go", /^Mint 2 for 0\.2 NEAR$/);
    await page.click("#less");
    await textOf(page, "#go", /^Mint 1 for 0\.1 NEAR$/);
  });

  test("declining in the wallet sends nothing", async () => {
    const page = await visit(`/m/${open.slug}`);
    const account = await connectWallet(page);
    await mint(page, "Decline");
    await textOf(page, "#outcome", /^You declined in Development wallet\. Nothing was sent\.$/);
    expect(await ownedBy(account)).toBe(0);
  });

  test("a mint with an allowlist is refused with its reason, and then allowed for the listed account", async () => {
    const listed = await showCollection(shop, { private_mint_config: { mint_fee: "0" } }, 1);
    const page = await visit(`/m/${listed.slug}`);
    const account = await connectWallet(page);
    await textOf(page, "#terms", /allowlist/i);
    await shop.client.allowlist.add(listed.uuid, [account]);
    await page.reload({ waitUntil: "networkidle0" });
    await textOf(page, "#terms", /^Free/);
    await mint(page);
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
  });

  test("the development wallet signs for any account of its chain with its key, and creates missing accounts", async () => {
    const listed = await showCollection(shop, { private_mint_config: { mint_fee: "0" } }, 1);
    await shop.client.allowlist.add(listed.uuid, ["made.near", "new.near"]);
    const key = KeyPair.fromRandom("ed25519");
    await createAccount(shop.service.rpcUrl, "made.near", key.getPublicKey().toString());
    const page = await visit(`/m/${listed.slug}`);
    await askForAccount(page, "made.near");
    await textOf(page, "#outcome", /made\.near doesn't have this key on the chain\. Give its private key/);
    await askForAccount(page, "made.near", "ed25519:short");
    await textOf(page, "#outcome", /Give the whole private key/);
    await askForAccount(page, "a.b.near");
    await textOf(page, "#outcome", /Give a name that ends in \.near/);
    expect(await connectWallet(page, "made.near", key.toString())).toBe("made.near");
    expect(await page.evaluate("document.querySelector('#outcome').textContent")).toBe("");
    await textOf(page, "#terms", /^Free/);
    await mint(page);
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
    await page.click("#leave");
    expect(await connectWallet(page, "new.near")).toBe("new.near");
    await textOf(page, "#terms", /^Free/);
    await page.click("#leave");
    // Its key was kept.
    await page.click("#connect");
    await page.click("#wallets button");
    await page.waitForSelector("dialog input");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await textOf(page, "#outcome", /You have declined/);
    expect(await connectWallet(page, "made.near")).toBe("made.near");
    await mint(page);
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
  });

  test("a page that is open when the collection sells out shows that", async () => {
    const few = await showCollection(shop, { public_mint_config: { mint_fee: "0" } }, 1);
    // Of itself the page would look every ten seconds, which a slow machine may take until it asks for a mint.
    const page = await visit(`/m/${few.slug}`, async (fresh) => {
      await fresh.evaluateOnNewDocument("globalThis.setInterval = () => 0;");
    });
    await connectWallet(page);
    await page.waitForSelector("#go:not(:disabled)");
    await shop.client.collections.mint(few.uuid, {
      receiver_addresses: ["a.near"],
      receivers_must_exist: false,
      quantity_per_receiver: 12,
    });
    // What was read may be two seconds old.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await page.click("#go");
    await textOf(page, "#left", /^Sold out\.$/);
    await textOf(page, "#outcome", /others were faster/);
    expect(await page.$("dialog")).toBeNull();
    expect(await page.$("#go:disabled")).not.toBeNull();
  });

  /**
   * Changes settings that name a moment, and loads a page until its countdown shows that. @param settingsAt makes them of a
   * function of seconds from now, of which there are enough to look at the page, on a slow machine too
   */
  const countingDown = async (
    page: Page,
    uuid: string,
    settingsAt: (at: (times: number) => string) => Record<string, unknown>,
  ): Promise<void> => {
    const change = async (unit: number) => {
      const began = Date.now();
      await shop.client.collections.update(
        uuid,
        settingsAt((times) => new Date(began + times * unit).toISOString()),
      );
      await page.reload({ waitUntil: "networkidle0" });
      return Date.now() - began;
    };
    const took = await change(YEAR_MS);
    await change(5_000 + 3 * took);
    // What was read may be two seconds old.
    const offer = () => page.evaluate("document.querySelector('#offer').textContent") as Promise<string>;
    while (!/in .*\d s\)/.test(await offer())) await page.reload({ waitUntil: "networkidle0" });
  };

  test("a mint opens without a reload when its countdown ends", async () => {
    const opening = (starts_at: string) => ({ public_mint_config: { mint_fee: "0", starts_at } });
    const soon = await showCollection(shop, opening("2040-01-01T00:00:00Z"), 1);
    const page = await visit(`/m/${soon.slug}`);
    await connectWallet(page);
    await countingDown(page, soon.uuid, (at) => opening(at(1)));
    expect(await page.$("#go:disabled")).not.toBeNull();
    await page.waitForSelector("#go:not(:disabled)");
    expect(await textOf(page, "#terms", /./)).toMatch(/^Free/);
  });

  test("an open page shows a phase's beginning and end as they come, and the gallery of a mint that ended without NFTs has no link back", async () => {
    const between = (starts_at: string, ends_at: string) => {
      const config = { mint_fee: "0", starts_at, ends_at };
      return { public_mint_config: config, private_mint_config: config };
    };
    const brief = await showCollection(shop, between("2040-01-01T00:00:00Z", "2040-01-02T00:00:00Z"), 1);
    const page = await visit(`/m/${brief.slug}`);
    await countingDown(page, brief.uuid, (at) => between(at(1), at(2)));
    await textOf(page, "#offer", /Opens .*in .*\d s/);
    await textOf(page, "#offer", /Ends .*in .*\d s/);
    await textOf(page, "#phases .state", /^Live$/);
    await page.waitForSelector("#closed:not([hidden])");
    expect(await textOf(page, "#closed", /./)).toContain("nobody has minted");
    expect(await page.evaluate("document.querySelector('#connect').checkVisibility()")).toBe(false);
    expect(await (await visit(`/g/${brief.slug}`)).$eval("main", (main) => main.textContent)).not.toContain(
      "See the mint",
    );
  });

  test("the number that is left never goes back, and no more than that are asked for", async () => {
    const few = await showCollection(shop, { public_mint_config: { mint_fee: "0" } }, 1);
    await shop.client.collections.mint(few.uuid, {
      receiver_addresses: ["a.near"],
      receivers_must_exist: false,
      quantity_per_receiver: 2,
    });
    let minted = 0;
    const page = await visit(`/m/${few.slug}`, async (fresh) => {
      await fresh.setRequestInterception(true);
      fresh.on("request", async (request) => {
        if (!request.url().endsWith(`/page/${few.slug}`)) return request.continue();
        const real = (await (await fetch(request.url())).json()) as { total_copies: number };
        const body = JSON.stringify({ ...real, minted, left: real.total_copies - minted });
        return request.respond({ contentType: "application/json", body });
      });
    });
    const before = await textOf(page, "#left", /left/);
    await connectWallet(page);
    await page.waitForSelector("#go:not(:disabled)");
    // Of a node that is behind.
    expect(await textOf(page, "#left", /left/)).toBe(before);
    minted = 10;
    await wantQuantity(page, 5);
    await textOf(page, "#go", /^Mint 2 for free$/);
    await textOf(page, "#left", /^10 of 12 minted, 2 left\.$/);
    await page.click("#more");
    expect(await page.$eval("#quantity", (field) => (field as unknown as { value: string }).value)).toBe("2");
  });

  test("after a wallet redirects back, the outcome is read from the chain, not from the URL", async () => {
    const page = await visit(`/m/${open.slug}`);
    const account = await connectWallet(page);
    const name = `mintage:${open.slug}:intent`;
    const keep = (intent: object) =>
      page.evaluate(
        `localStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(intent))})`,
      );
    const read = (path: string) =>
      page.evaluate(`fetch("/public/v1/page/${open.slug}${path}").then((answer) => answer.json())`);
    const { minted } = (await read("")) as { minted: number };
    const { available } = (await read(`/eligibility/${account}`)) as { available: string };
    const intent = {
      ...{ account, owner: account, quantity: 1, fee: FEE, currency: null, available, minted, hash: null },
    };
    // Somebody sends the account an NFT, which is none that it has minted; the address claims a success.
    await shop.client.collections.mint(open.uuid, { receiver_addresses: [account] });
    await keep(intent);
    await page.goto(`${shop.service.url}/m/${open.slug}?account_id=${account}`, { waitUntil: "load" });
    await textOf(page, "#outcome", /^The chain shows no mint so far/);
    expect(page.url()).toBe(`${shop.service.url}/m/${open.slug}`);
    await mint(page);
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
    // As if the page had been left before the wallet told the hash.
    await keep({ ...intent, minted: minted + 1 });
    await page.goto(`${shop.service.url}/m/${open.slug}`, { waitUntil: "load" });
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
    expect(await page.evaluate(`localStorage.getItem(${JSON.stringify(name)})`)).toBeNull();
  });

  test("a voucher's link shows what it gives, and a wallet mints it at its price where nothing else can be minted", async () => {
    const closed = await showCollection(shop, {}, 3);
    await createAccount(shop.service.rpcUrl, "guest.near");
    const [link, , broken] = await shop.voucherLinks(
      closed,
      { receiver: "guest.near", price: 10n ** 23n, quantity: 2 },
      { receiver: "guest.near", price: 0n },
      { receiver: "guest.near", price: 10n ** 23n },
    );
    const ownedIn = async (account: string): Promise<number> => {
      let owned = 0;
      for await (const { owner_id: owner } of shop.client.collections.tokens(closed.uuid))
        if (owner === account) owned += 1;
      return owned;
    };
    const plain = await visit(`/m/${closed.slug}`);
    expect(await plain.evaluate("document.querySelector('#connect').checkVisibility()")).toBe(false);
    await textOf(plain, "#closed", /Nobody mints this collection from a wallet/);

    const page = await visit(link!);
    await textOf(
      page,
      "#voucher",
      /^This voucher gives guest\.near 2 NFTs for 0\.1 NEAR each\. It is good until/,
    );
    expect(await page.evaluate("document.querySelector('#closed').checkVisibility()")).toBe(false);
    expect(await textOf(page, "#signs", /voucher_mint/)).not.toContain("nft_mint");
    const payer = await connectWallet(page);
    expect(await textOf(page, "#terms", /NEAR/)).toMatch(/^0\.2 NEAR, 0\.1 NEAR each, and a network fee/);
    expect(await textOf(page, "#go", /NEAR/)).toBe("Mint 2 for 0.2 NEAR");
    for (const part of ["#quantity", "#currency", "#gift"])
      expect(await page.evaluate(`document.querySelector("${part}").checkVisibility()`), part).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);
    await mint(page);
    await textOf(page, "#owned h2", /^No\. 1 and 2 are now owned by guest\.near$/);
    expect([await ownedIn("guest.near"), await ownedIn(payer)]).toEqual([2, 0]);
    // It is good once: nobody can sign it again, here or elsewhere.
    await textOf(page, "#terms", /used already|claimed already/i);
    expect(await page.$("#go:disabled")).not.toBeNull();
    const later = await visit(link!);
    await textOf(later, "#voucher", /used already|claimed already/i);

    // A higher price or another receiver is not what its issuer signed.
    for (const forged of [
      broken!.replace("guest.near", "thief.near"),
      broken!.replace(/\.1(0{23})\./, ".2$1."),
    ]) {
      const refused = await visit(forged);
      await textOf(refused, "#voucher", /did not sign these terms/);
    }
    const cut = await visit(broken!.slice(0, -20));
    await textOf(cut, "#voucher", /not whole/);
  });

  test("a free voucher without a reserve is refused with its reason, and one for an open mint has its own price", async () => {
    const account = "voucher-guest.near";
    await createAccount(shop.service.rpcUrl, account);
    const [free, half] = await shop.voucherLinks(
      open,
      { receiver: account, price: 0n },
      { receiver: account, price: 5n * 10n ** 22n },
    );
    const refused = await visit(free!);
    await textOf(refused, "#voucher", /reserve/);
    const page = await visit(half!);
    expect(await page.evaluate("document.querySelector('#offer').checkVisibility()")).toBe(false);
    await connectWallet(page);
    expect(await textOf(page, "#go", /NEAR/)).toBe("Mint 1 for 0.05 NEAR");
    await mint(page);
    await textOf(
      page,
      "#owned h2",
      new RegExp(`^No\\. \\d+ is now owned by ${account.replaceAll(".", "\\.")}$`),
    );
    expect(await ownedBy(account)).toBe(1);
  });

  test("a claim link gives its NFT to a connected wallet once, and to nobody else", async () => {
    const links = await shop.claimLinks(open, 4);
    const page = await visit(links[0]!);
    await textOf(page, "#gift", /^This link gives one NFT, and costs nothing/);
    await chooseWay(page, "wallet");
    const account = await connectWallet(page);
    // What the page says of the price holds.
    const costs = await page.$$eval("details", (all) => all.map(({ textContent }) => textContent).join());
    expect(costs).toMatch(
      /What it costs and what is signed.*costs you nothing: the collection's issuer pays/,
    );
    expect(costs).toMatch(/Your wallet signs nothing.*The link's own key signs for your account/);
    const balance = () =>
      page.evaluate(`fetch("/public/v1/page/${open.slug}/eligibility/${account}")
        .then((answer) => answer.json()).then(({ available }) => available)`);
    const before = await balance();
    await claim(page);
    const said = await textOf(page, "#owned", new RegExp(`^You own No.*, for ${account}\\.`));
    expect(await balance()).toBe(before);
    await page.waitForSelector("#owned img");
    expect(await ownedBy(account)).toBe(1);
    const token = await page.$eval("#owned a", (link) => link.getAttribute("href"));
    const detail = await visit(token!);
    const proof = await textOf(detail, "dl.proof", /Transaction that minted it/);
    expect(proof).toContain(said.split("Transaction")[1]);
    // Whoever comes back finds what became of it; somebody else finds that it is used.
    await page.reload({ waitUntil: "networkidle0" });
    await textOf(page, "#owned", new RegExp(`^You own No.*, for ${account}\\.`));
    const later = await visit(links[0]!);
    const number = token!.split("/").at(-1);
    await textOf(
      later,
      "#owned",
      new RegExp(`^This link has given No\\. ${number}\\D.*It was redeemed for ${account}\\.`),
    );
    await later.waitForSelector(`#owned a[href="${token}"] img`);
    await textOf(later, "#gift", /^A link works once\./);
    expect(await later.evaluate("document.querySelector('#claim').checkVisibility()")).toBe(false);
    expect(await accessibilityFaults(later)).toEqual([]);
  });

  test("a claim link gives its NFT to a typed account that exists", async () => {
    const [link] = await shop.claimLinks(open, 1);
    let isFull = true;
    // A hall full of people behind one address: the page asks again by itself.
    const page = await visit(link!, async (fresh) => {
      await fresh.setRequestInterception(true);
      fresh.on("request", (request) => {
        if (!isFull || !request.url().includes("/claim?")) return request.continue();
        const body = JSON.stringify({
          message: "This address sends too many requests.",
          code: "rate_limited",
        });
        return request.respond({ status: 429, contentType: "application/json", body });
      });
    });
    await textOf(page, "#gift", /^This address sends too many requests\.$/);
    isFull = false;
    await chooseWay(page, "account");
    await page.type("#receiver", "nobody-has-this.near");
    await claim(page);
    await textOf(page, "#outcome", /correct their ids: nobody-has-this\.near/);
    await writeInto(page, "#receiver", "platform.bench");
    await claim(page);
    await textOf(page, "#owned", /^No\. \d+ is now owned by platform\.bench.*Final on the chain/);
  });

  test("a claim link can create a key, which is shown, can be downloaded, and never leaves the page", async () => {
    const [link] = await shop.claimLinks(open, 1);
    const page = await visit(link!);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    await chooseWay(page, "key");
    await page.click("#make-key");
    const [account, secret] = await shownKey(page);
    expect(account).toMatch(/^[0-9a-f]{64}$/);
    // It isn't in sight before somebody asks for it.
    expect(await page.evaluate("document.querySelector('#key-private').checkVisibility()")).toBe(false);
    expect(await downloaded(page, "#key-file")).toEqual({
      account_id: account,
      public_key: expect.stringMatching(/^ed25519:/),
      private_key: secret,
    });
    expect(await page.$("#go:disabled")).not.toBeNull();
    await page.click("#kept");
    await claim(page);
    await textOf(
      page,
      "#owned",
      new RegExp(`^You own No.*, for ${account.slice(0, 6)}…${account.slice(-6)}\\.`),
    );
    const seed = link!.split(".").at(-2)!;
    expect(sent.filter((text) => text.includes(seed) || text.includes(secret))).toEqual([]);
    expect(sent.some((text) => text.includes("/public/v1/claim "))).toBe(true);
  });

  test("one button claims for the account of a passkey, whose key can be read again", async () => {
    const [link, other] = await shop.claimLinks(open, 2);
    // A passkey belongs to a name, and an address is none.
    const address = `${shop.service.url.replace("127.0.0.1", "localhost")}${link}`;
    const { page, faults } = await newCollector(browser);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    await addPasskeys(page, true);
    await page.goto(address, { waitUntil: "networkidle0" });
    await page.waitForSelector("#claim:not([hidden])");
    // One button is in sight; the other ways are folded away.
    const inSight = `[...document.querySelectorAll("#claim button:not(.mini)")].filter((button) => button.checkVisibility())
      .map(({ textContent }) => textContent)`;
    expect(await page.evaluate(inSight)).toEqual(["Claim with a passkey"]);
    await page.click("#claim-passkey");
    const [account, secret] = await shownKey(page);
    expect(account).toMatch(/^[0-9a-f]{64}$/);
    await textOf(
      page,
      "#owned",
      new RegExp(`^You own No.*, for ${account.slice(0, 6)}…${account.slice(-6)}\\.`),
    );
    // Another link's NFT joins it.
    await page.goto("about:blank");
    await page.goto(new URL(other!, address).href, { waitUntil: "networkidle0" });
    await page.waitForSelector("#claim-known:not(:disabled)");
    await page.click("#claim-known");
    await textOf(
      page,
      "#owned",
      new RegExp(`^You own No.*, for ${account.slice(0, 6)}…${account.slice(-6)}\\.`),
    );
    expect(await ownedBy(account)).toBe(2);
    // Nothing of it was kept but by the passkey.
    await page.evaluate("localStorage.clear()");
    await page.goto(address.split("#")[0]!, { waitUntil: "networkidle0" });
    await page.waitForSelector("#passkeys:not([hidden])");
    await page.click("#passkeys summary");
    await page.click("#show-passkey");
    expect(await shownKey(page)).toEqual([account, secret]);
    expect(sent.filter((text) => text.includes(secret))).toEqual([]);
    expect(faults).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("a passkey without a secret creates no key", async () => {
    const [link] = await shop.claimLinks(open, 1);
    const { page } = await newCollector(browser);
    await addPasskeys(page, false);
    await page.goto(`${shop.service.url.replace("127.0.0.1", "localhost")}${link}`);
    await page.waitForSelector("#claim:not([hidden])");
    await page.click("#claim-passkey");
    await textOf(page, "#outcome", /^This passkey can't keep a key/);
    expect(await page.evaluate("document.querySelector('#key').checkVisibility()")).toBe(false);
    expect(await page.$("#go:disabled")).not.toBeNull();
  });

  test("a lost answer is requested again, and an invalid link is reported", async () => {
    const [link] = await shop.claimLinks(open, 1);
    const page = await visit(link!);
    let lost = 0;
    await page.setRequestInterception(true);
    page.on("request", async (request) => {
      if (!request.url().endsWith("/public/v1/claim") || lost > 1) return request.continue();
      lost += 1;
      // The service gets it, and the collector no answer, or one that is none.
      await fetch(request.url(), {
        method: "POST",
        headers: request.headers(),
        body: request.postData() ?? "",
      });
      if (lost === 1) return request.abort();
      const body = JSON.stringify({ message: "This address sends too many requests.", code: "rate_limited" });
      const headers = { "Retry-After": "2" };
      await request.respond({ status: 429, contentType: "application/json", headers, body });
    });
    await chooseWay(page, "account");
    await page.type("#receiver", "platform.bench");
    await claim(page);
    await textOf(page, "#owned", /^No\. \d+ is now owned by platform\.bench.*Final on the chain/);
    expect(lost).toBe(2);
    const none = await visit(`/c/${open.slug}`);
    await textOf(none, "#gift", /no claim link in it/);
    const cut = await visit(link!.slice(0, -5));
    await textOf(cut, "#gift", /no claim link in it/);
  });

  test("a link stays in its address, another one replaces it, and a refusal leads back to the choice", async () => {
    const [link, other] = (await shop.claimLinks(open, 2)) as [string, string];
    const page = await visit(link);
    await page.waitForSelector("#claim:not([hidden])");
    await enterAt(page, ".skip");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    expect(page.url()).toBe(shop.service.url + link);
    const [, fragment] = other.split("#") as [string, string];
    await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
    // The page that is loaded anew keeps its own link.
    const another = JSON.stringify(`#${fragment}`);
    await page.waitForFunction(`sessionStorage.getItem("mintage:${open.slug}:link") === ${another}`);
    const [drop, number] = fragment.split(".");
    const kept = `mintage:${open.slug}:claim:${drop}:${number}`;
    await page.evaluate(`localStorage.setItem(${JSON.stringify(kept)}, "nobody-has-this.near")`);
    await page.reload({ waitUntil: "networkidle0" });
    await textOf(page, "#outcome", /correct their ids: nobody-has-this\.near/);
    await textOf(page, "#gift", /^This link gives one NFT/);
    await chooseWay(page, "account");
    await page.type("#receiver", "platform.bench");
    await claim(page);
    await textOf(page, "#owned", /^No\. \d+ is now owned by platform\.bench.*Final on the chain/);
    await textOf(await visit(other), "#owned h2", /^This link has given No\. \d+$/);
    await textOf(await visit(link), "#gift", /^This link gives one NFT/);
  });

  test("another site can embed a collection by an element and by oEmbed", async () => {
    const { url } = shop.service;
    const site = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html");
      answer.end(
        `<!doctype html><html lang="en"><title>A blog</title><main><h1>A blog</h1>
        <script type="module" src="${url}/public/v1/embed.js"></script><mintage-mint slug="${open.slug}"></mintage-mint>
        <mintage-mint slug="nothing-here"></mintage-mint></main>`,
      );
    });
    await new Promise<void>((resolve) => site.listen(0, "localhost", resolve));
    const { page } = await newCollector(browser);
    try {
      await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`, {
        waitUntil: "networkidle0",
      });
      const shown =
        (await page.evaluate(`[...document.querySelectorAll("mintage-mint")].map(({ shadowRoot }) => {
        const link = shadowRoot.querySelector("a");
        return [link.href, link.textContent, link.querySelector("img")?.naturalWidth > 0];
      })`)) as [string, string, boolean][];
      expect(shown[0]![0]).toBe(`${url}/m/${open.slug}`);
      expect(shown[0]![1]).toMatch(/^Paper Shapes0\.1 NEAR · \d+ of 36 left$/);
      expect(shown.map(([, , picture]) => picture)).toEqual([true, false]);
      expect(shown[1]!.slice(0, 2)).toEqual([`${url}/m/nothing-here`, "Mint"]);
      expect(await accessibilityFaults(page)).toEqual([]);
    } finally {
      site.close();
    }
    const mintPage = await (await fetch(`${url}/m/${open.slug}`)).text();
    const discovered = /type="application\/json\+oembed" href="([^"]+)"/
      .exec(mintPage)?.[1]
      ?.replaceAll("&amp;", "&");
    const embedded = (await (await fetch(discovered!)).json()) as Record<string, string>;
    expect(embedded).toMatchObject({
      version: "1.0",
      type: "rich",
      title: "Paper Shapes",
      provider_url: url,
    });
    expect(embedded.html).toContain(`<a href="${url}/m/${open.slug}"`);
    expect((await fetch(`${url}/public/v1/oembed?url=https://example.com/m/x`)).status).toBe(404);
    expect((await fetch(`${discovered}&format=xml`)).status).toBe(501);
  });

  test("the gallery filters, loads more while scrolling, and can be used with the keyboard", async () => {
    // Twelve copies have one motif: of thirteen NFTs, a filter by motif leaves some out.
    await shop.client.collections.mint(open.uuid, {
      receiver_addresses: ["a.near"],
      receivers_must_exist: false,
      quantity_per_receiver: 13,
    });
    const page = await visit(`/g/${open.slug}`);
    const all = await page.$$eval("#tokens li", (tiles) => tiles.length);
    const value = (await page.evaluate("document.querySelector('#trait-2').options[1].value")) as string;
    // What is chosen applies at once.
    await Promise.all([page.waitForNavigation(), page.select("#trait-2", value)]);
    expect(new URL(page.url()).search).toBe(`?${new URLSearchParams({ trait: value })}`);
    expect(await page.$$eval("#tokens li", (tiles) => tiles.length)).toBeLessThan(all);
    await Promise.all([page.waitForNavigation(), page.select("#sort", "latest")]);
    expect(new URL(page.url()).searchParams.getAll("trait")).toEqual([value]);
    const shown = await page.$$eval("#tokens a", (links) =>
      links.map((link) => Number(link.getAttribute("href")!.split("/").at(-1))),
    );
    expect(shown).toEqual(shown.toSorted((a, b) => b - a));
    // On a phone the filters are a sheet, which stays until it is closed.
    await page.setViewport({ width: 390, height: 844 });
    await page.goto(`${shop.service.url}/g/${open.slug}`, { waitUntil: "networkidle0" });
    expect(await page.evaluate("document.querySelector('#filters').checkVisibility()")).toBe(false);
    await page.click("#filter");
    await Promise.all([page.waitForNavigation(), page.select("#trait-2", value)]);
    await page.waitForSelector("#filters:popover-open");
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate("document.querySelector('#filter').textContent")).toBe("Filter and sort (1)");
    await page.setViewport({ width: 1200, height: 900 });
    await page.goto(`${shop.service.url}/g/${open.slug}?limit=2`, { waitUntil: "networkidle0" });
    await page.waitForFunction(`document.querySelectorAll("#tokens li").length === ${all}`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent.trim()")).toBe("Skip to the content");
  });

  test("a visitor who returns to a gallery finds the same place, and the keyboard's focus on the opened NFT", async () => {
    const many = await showCollection(shop, {}, 10);
    for (let minted = 0; minted < 120; minted += 24) {
      await shop.client.collections.mint(many.uuid, {
        receiver_addresses: ["a.near"],
        receivers_must_exist: false,
        quantity_per_receiver: 24,
      });
    }
    const path = `/g/${many.slug}`;
    const page = await visit(path);
    const shelves = () =>
      page.$$eval("#tokens > ul", (lists) => lists.map((list) => list.childElementCount)) as Promise<
        number[]
      >;
    const fill = async () => {
      while ((await page.$$("#tokens li")).length < 120) {
        await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    await fill();
    expect(await shelves()).toEqual([48, 48, 24]);
    const numbers = await page.$$eval("#tokens a", (links) =>
      links.map((link) => link.getAttribute("href")!.split("/").at(-1)),
    );
    expect(numbers).toEqual(Array.from({ length: 120 }, (_, index) => String(index + 1)));
    const opened = `#tokens a[href="${path}/110"]`;
    await page.$eval(opened, (link) => link.scrollIntoView({ block: "center" }));
    const topOf = () => page.$eval(opened, (link) => Math.round(link.getBoundingClientRect().top));
    const before = await topOf();
    for (const leave of ["click", "reload"]) {
      if (leave === "click") {
        // The gallery keeps its place in its own entry of the history as it is left, which waitForNavigation takes for the end.
        await page.click(opened);
        await page.waitForSelector("dl.proof");
        await page.goBack({ waitUntil: "networkidle0" });
      } else await page.reload({ waitUntil: "networkidle0" });
      await page.waitForSelector(opened);
      await page.waitForFunction(`document.activeElement.matches(${JSON.stringify(opened)})`);
      expect(Math.abs((await topOf()) - before), leave).toBeLessThan(20);
      expect((await shelves()).at(-1)).toBe(24);
    }
    await fill();
    expect(await shelves()).toEqual([48, 48, 24]);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("open pages show what a reveal shows, without being loaded again, and fade where motion is wanted", async () => {
    const sealed = await showHiddenCollection(shop);
    const { uuid, slug } = sealed;
    await shop.client.collections.lock(uuid, { locks: ["royalties"] });
    const minting = await visit(`/m/${slug}`);
    await connectWallet(minting);
    await mint(minting);
    await minting.waitForSelector("#owned img");
    const still = (page: Page) =>
      page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    const pages = [minting, await visit(`/g/${slug}/1`, still), await visit(`/g/${slug}`)];
    const pictures = (page: Page) =>
      page.$$eval("main img.picture", (found) => found.map((one) => (one as { src: string }).src));
    const [placeholder] = await pictures(minting);
    for (const page of pages) {
      await page.evaluate("window.opened = true");
      expect(new Set(await pictures(page))).toEqual(new Set([placeholder]));
      const text = await page.evaluate(`document.querySelector('[data-fresh="secret"]').textContent`);
      expect(text).toMatch(/Hidden until .*\(in [\d,]+ d/);
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    for (const page of pages.slice(0, 2)) {
      const promises = await page.$eval("main", (part) => part.textContent);
      expect(promises).toMatch(/Locked for ever\s*Royalties stay as they are\./);
    }
    await sealed.reveal();
    for (const page of pages) {
      await page.waitForFunction(
        `![...document.querySelectorAll("main img.picture")].some(({ src }) => src === ${JSON.stringify(placeholder)})`,
      );
      expect(await page.evaluate("window.opened")).toBe(true);
      expect(await page.evaluate(`document.querySelector('[data-fresh="secret"]').textContent`)).toMatch(
        /^Revealed/,
      );
    }
    const motionOf = (page: Page) =>
      page.evaluate("getComputedStyle(document.querySelector('.revealed')).animationName");
    expect(await motionOf(minting)).toBe("revealed");
    expect(await motionOf(pages[1]!)).toBe("none");
    expect(await pages[1]!.$eval("main", (part) => part.textContent)).toMatch(/Rarity rank \d+.*Traits/s);
  });

  test("a page that is read from a cache at the moment of the reveal shows the pictures at its next look", async () => {
    const sealed = await showHiddenCollection(shop);
    await shop.client.collections.mint(sealed.uuid, {
      receiver_addresses: ["a.near"],
      receivers_must_exist: false,
    });
    const address = `${shop.service.url}/g/${sealed.slug}`;
    await eventually(async () =>
      expect(await (await fetch(address)).text()).toContain(`/g/${sealed.slug}/1"`),
    );
    const page = await visit(`/g/${sealed.slug}`);
    const picture = () => page.$eval("#tokens img.picture", (found) => (found as { src: string }).src);
    const placeholder = await picture();
    const old = await (await fetch(address)).text();
    let answered = 0;
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      // The page and its tiles, at the first look.
      const isOld = request.url().startsWith(address) && answered < 2;
      if (isOld) answered += 1;
      void (isOld
        ? request.respond({ status: 200, contentType: "text/html", body: old })
        : request.continue());
    });
    await sealed.reveal();
    await page.waitForFunction(
      `document.querySelector("#tokens img.picture").src !== ${JSON.stringify(placeholder)}`,
    );
    expect(answered).toBe(2);
  });

  test("a collection with hidden pictures shows only its placeholder until the reveal", async () => {
    const sealed = await showHiddenCollection(shop);
    const page = await visit(`/m/${sealed.slug}`);
    const pictures = (selector: string) =>
      page.evaluate(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ src }) => src)`,
      ) as Promise<string[]>;
    const [cover] = await pictures("img.picture");
    await connectWallet(page);
    await mint(page);
    await textOf(page, "#owned", /^You own No\. \d+\D.*Final on the chain/);
    await page.waitForSelector("#owned img");
    expect(await pictures("#owned img")).toEqual([cover]);
    const gallery = `${shop.service.url}/g/${sealed.slug}`;
    await page.goto(gallery, { waitUntil: "networkidle0" });
    expect(await pictures("#tokens img")).toEqual([cover]);
    expect(await page.$eval("main", (main) => main.textContent)).toContain("Hidden until");
    expect(await page.$$("select[name='trait'], #sort option[value='rarity']")).toEqual([]);
    await page.goto(`${gallery}/1`, { waitUntil: "networkidle0" });
    expect(await pictures("img.picture")).toEqual([cover]);
    expect(await page.$eval("main", (main) => main.textContent)).not.toMatch(/Traits|Rarity/);
    await sealed.reveal();
    // What was read may be two seconds old.
    await eventually(async () => {
      await page.goto(gallery, { waitUntil: "networkidle0" });
      expect(await page.$$eval("select[name='trait']", (lists) => lists.length)).toBeGreaterThan(0);
    });
    const [shown] = await pictures("#tokens img");
    expect(shown).not.toBe(cover);
    await page.goto(`${gallery}/1`, { waitUntil: "networkidle0" });
    expect(await pictures("img.picture")).toEqual([shown]);
    expect(await page.$eval("main", (main) => main.textContent)).toMatch(/Rarity rank \d+.*Traits/s);
  });

  describe.each([
    ["light", 1200],
    ["dark", 1200],
    ["light", 390],
  ] as const)("%s at %d px", (scheme, width) => {
    test.each(["mint", "gallery", "token", "claim"])(
      "%s: axe finds nothing, and nothing is wider than the screen",
      async (name) => {
        const [link] = name === "claim" ? await shop.claimLinks(open, 1) : [];
        const path = {
          mint: `/m/${open.slug}`,
          gallery: `/g/${open.slug}`,
          token: `/g/${open.slug}/1`,
          claim: link,
        }[name]!;
        const page = await visit(path, async (fresh) => {
          await fresh.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
          await fresh.setViewport({ width, height: width === 390 ? 844 : 800 });
        });
        if (name === "mint") {
          await connectWallet(page);
          await page.waitForSelector("#go:not(:disabled)");
        }
        if (name === "claim") await page.waitForSelector("#claim:not([hidden])");
        if (process.env.PAGES_PICTURES) {
          const file = `${name}-${width === 390 ? "phone" : scheme}.webp`;
          await page.screenshot({
            path: join(ROOT, "docs", "images", file) as never,
            type: "webp",
            quality: 70,
          });
        }
        // Behind the picture, which shows nobody's private key.
        if (name === "claim") {
          await chooseWay(page, "key");
          await page.click("#make-key");
        }
        expect(await accessibilityFaults(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      },
    );
  });

  test("no page calls another host, violates the policy or throws an exception", () => {
    expect(visits.length).toBeGreaterThan(10);
    expect(new Set(visits.flatMap(({ origins }) => [...origins]))).toEqual(new Set([shop.service.url]));
    expect(visits.flatMap(({ faults }) => faults)).toEqual([]);
  });
});

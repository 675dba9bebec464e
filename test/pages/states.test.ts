import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/browser.ts";
import { ROOT } from "../support/imports.ts";
import { MEDIA } from "../support/media.ts";
import { eventually } from "../support/waiting.ts";
import {
  accessibilityFaults,
  addPasskeys,
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
import { differenceOf, STEADY } from "./references.ts";
import { openShop, type Shop, type Shown, showCollection, showHiddenCollection } from "./shop.ts";
import { SPECIMEN } from "./specimen.ts";

/**
 * Each state of the pages at three widths, in light and dark: nothing is wider than the screen, pictures that are in sight are
 * there, and axe finds nothing. On a phone in light and on a wide screen in dark it looks as it was accepted (references.ts). With
 * PAGES_STATES=<folder> a picture of each is written there instead, to be looked at.
 */

const WIDTHS = [390, 768, 1280] as const;
const SCHEMES = ["light", "dark"] as const;

/** Looks at a page, half a second apart, until it is as it stays: a slow machine takes long to show a picture of another width. */
const MOST_LOOKS = 60;

/** Of which there is a reference. */
const COMPARED = ["light-390", "dark-1280"];

const UNSEEN = `[...document.querySelectorAll("img")].filter((image) => {
  const { top, bottom } = image.getBoundingClientRect();
  return image.checkVisibility() && top < innerHeight && bottom > 0 && !image.complete;
}).map(({ src }) => src)`;

/** Whether the pictures in sight are shown; not yet where the browser is taking one of another width. */
const DECODED = `Promise.all([...document.querySelectorAll("img")].filter((image) => image.checkVisibility() &&
  image.getBoundingClientRect().top < innerHeight).map((image) => image.decode())).then(() => true, () => false)`;

const mint_fee = `${2n * 10n ** 24n}`;

const folderOfPictures = process.env.PAGES_STATES;
if (folderOfPictures) mkdirSync(folderOfPictures, { recursive: true });

const LONG =
  "An extraordinarily long title about paper shapes, the light over the marsh in late November and everything that happened there";
const ARABIC = "أشكال من الورق الملون";

describe.skipIf(!CHROMIUM)("every state of the pages, in Chromium", () => {
  let shop: Shop;
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    [shop, browser] = await Promise.all([openShop(), openBrowser()]);
    // One picture: what a draw gives is always the same.
    folder = mkdtempSync(join(tmpdir(), "mintage-states-"));
    writeFileSync(join(folder, "0.png"), await artwork());
    writeFileSync(
      join(folder, "0.json"),
      JSON.stringify({ attributes: [{ trait_type: "Paper", value: "Ochre" }] }),
    );
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await browser?.close();
    await shop?.service.stop();
  });

  const shown = (settings: object = {}, copies = 40, from = folder): Promise<Shown> =>
    showCollection(shop, { public_mint_config: { mint_fee }, ...settings }, copies, {
      folder: from,
    });

  const mintAll = async ({ uuid }: Shown, quantity: number): Promise<void> => {
    await shop.client.collections.mint(uuid, {
      receiver_addresses: ["a.near"],
      receivers_must_exist: false,
      quantity_per_receiver: quantity,
    });
  };

  /**
   * Looks at a state everywhere. @param arrive brings a page that was opened into it @param isReference whether it looks the same at
   * each run, and on machines with other fonts
   */
  const look = async (
    name: string,
    path: string,
    arrive: (page: Page) => Promise<unknown> = async () => {},
    isReference = true,
  ) => {
    const { page, faults, close } = await newCollector(browser);
    await page.setViewport({ width: 390, height: 844 });
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    await page.goto(new URL(path, shop.service.url).href, { waitUntil: "networkidle0" });
    // By then the font is there at once, and the page is set in it (docs/design.md).
    await page.reload({ waitUntil: "networkidle0" });
    await arrive(page);
    if (!folderOfPictures) await page.evaluate(STEADY);
    const wrong: string[] = [];
    for (const width of WIDTHS) {
      for (const scheme of SCHEMES) {
        const key = `${name}-${scheme}-${width}`;
        await page.emulateMediaFeatures([
          { name: "prefers-color-scheme", value: scheme },
          { name: "prefers-reduced-motion", value: "reduce" },
        ]);
        await page.setViewport({ width, height: width === 390 ? 844 : 900 });
        await page.evaluate("scrollTo(0, 0)");
        await page.waitForFunction(`${UNSEEN}.length === 0`);
        await page.waitForFunction(DECODED);
        if (folderOfPictures) {
          const path = join(folderOfPictures, `${key}.png`);
          await page.screenshot({ path: path as never, type: "png" });
        } else if (isReference && COMPARED.includes(`${scheme}-${width}`)) {
          const difference = await differenceSeen(key, page);
          if (difference !== null) wrong.push(difference);
        }
        if (!(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")))
          wrong.push(`${key} is wider than the screen`);
        if ((scheme === "light") === (width === 390)) {
          const found = await accessibilityFaults(page);
          wrong.push(...found.map((fault) => `${key}: ${fault}`));
        }
      }
    }
    await close();
    expect([...wrong, ...faults]).toEqual([]);
  };

  test("mint, upcoming", async () => {
    const { slug } = await shown({ public_mint_config: { mint_fee, starts_at: "2040-01-01T00:00:00Z" } });
    await look("mint-upcoming", `/m/${slug}`);
  });

  test("mint, live, with a description, royalties and a lock", async () => {
    const { uuid, slug } = await shown({
      description: "Studies in paper colours.",
      ongoing_royalties: { "platform.bench": 5 },
    });
    await shop.client.collections.lock(uuid, { locks: ["royalties"] });
    await look("mint-live", `/m/${slug}`);
  });

  test("mint, ended", async () => {
    const ends_at = new Date(Date.now() - 1_000).toISOString();
    const { slug } = await shown({ public_mint_config: { mint_fee, ends_at } });
    await look("mint-ended", `/m/${slug}`);
  });

  test("mint, sold out", async () => {
    const gone = await shown({}, 3);
    await mintAll(gone, 3);
    await look("mint-sold-out", `/m/${gone.slug}`);
  });

  test("mint, for an allowlist that the account isn't on", async () => {
    const { slug } = await shown({ public_mint_config: null, private_mint_config: { mint_fee: "0" } });
    await look("mint-not-eligible", `/m/${slug}`, async (page) => {
      await connectWallet(page, "unlisted.near");
      await textOf(page, "#terms", /allowlist/i);
    });
  });

  test("mint, upcoming, with a wallet", async () => {
    const { slug } = await shown({ public_mint_config: { mint_fee, starts_at: "2040-01-01T00:00:00Z" } });
    await look("mint-upcoming-connected", `/m/${slug}`, async (page) => {
      await connectWallet(page, "early.near");
      await textOf(page, "#terms", /once it opens/);
      const [offer, wish] = await Promise.all([page.$("#offer"), page.$("#wish")]);
      expect([await offer?.isVisible(), await wish?.isVisible()]).toEqual([true, false]);
    });
  });

  test("mint, with the list of wallets", async () => {
    await look("mint-wallets", `/m/${(await shown()).slug}`, (page) => page.click("#connect"));
  });

  test("mint, in a browser without a wallet", async () => {
    const other = await openShop({});
    const { slug } = await showCollection(other, { public_mint_config: { mint_fee } }, 40, { folder });
    await look("mint-no-wallet", `${other.service.url}/m/${slug}`, async (page) => {
      await page.click("#connect");
      await textOf(page, "#offers", /No wallet/);
    });
    await other.service.stop();
  });

  test("mint, connected", async () => {
    await look("mint-connected", `/m/${(await shown()).slug}`, async (page) => {
      await connectWallet(page, "connected.near");
      await page.waitForSelector("#go:not(:disabled)");
    });
  });

  test("mint, declined", async () => {
    await look("mint-declined", `/m/${(await shown()).slug}`, async (page) => {
      await connectWallet(page, "wavering.near");
      await mint(page, "Decline");
      await textOf(page, "#outcome", /You declined/);
    });
  });

  /** Mints on a page to which the service says another outcome. */
  const withOutcome = (account: string, state: object) => async (page: Page) => {
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      if (!new URL(request.url()).pathname.includes("/mint/")) return request.continue();
      const nothing = { code: null, message: null, token_ids: [], tokens: [], returned: null };
      const body = JSON.stringify({ ...nothing, explorer_url: null, ...state });
      return request.respond({ contentType: "application/json", body });
    });
    await connectWallet(page, account);
    await mint(page);
  };

  test("mint, failed", async () => {
    await look("mint-failed", `/m/${(await shown()).slug}`, async (page) => {
      await withOutcome("failing.near", { state: "failed", message: "E_SOLD_OUT: Fewer copies are left." })(
        page,
      );
      await page.waitForSelector("#outcome .bad");
    });
  });

  test("mint, pending for long", async () => {
    await look("mint-pending", `/m/${(await shown()).slug}`, async (page) => {
      await withOutcome("patient.near", { state: "pending" })(page);
      await textOf(page, "#outcome", /takes a few seconds/);
    });
  });

  test("mint, minted", async () => {
    await look("mint-minted", `/m/${(await shown()).slug}`, async (page) => {
      await connectWallet(page, "owner.near");
      await mint(page);
      await page.waitForSelector("#owned img");
    });
  });

  test("mint, with creator and a text", async () => {
    const { uuid, slug } = await shown();
    await shop.client.collections.setPage(uuid, {
      slug,
      enabled: true,
      creator: {
        name: "Ada Heron",
        url: "https://example.com",
        picture: (
          await sharp(await artwork())
            .resize(192)
            .webp()
            .toBuffer()
        ).toString("base64"),
      },
      about: "Dyed with **ink**.\n\n## How\n\n1. Cut from a sheet.\n2. Scanned.\n\n> Nobody waits.",
      links: [{ label: "Website", url: "https://example.com" }],
    });
    await look("mint-creator", `/m/${slug}`);
  });

  test("mint, with a long title", async () => {
    await look("mint-long", `/m/${(await shown({ title: LONG, description: LONG.repeat(3) })).slug}`);
  });

  test("mint and NFT, from right to left", async () => {
    const arabic = await shown({ title: ARABIC, description: `${ARABIC}. `.repeat(12) });
    await mintAll(arabic, 2);
    await look("mint-rtl", `/m/${arabic.slug}`, undefined, false);
    await look("token-rtl", `/g/${arabic.slug}/1`, undefined, false);
  });

  test("mint and NFT, hidden", async () => {
    const sealed = await showHiddenCollection(shop);
    await mintAll(sealed, 1);
    await look("mint-hidden", `/m/${sealed.slug}`);
    await look("token-hidden", `/g/${sealed.slug}/1`);
  });

  test("mint and NFT, revealed", async () => {
    const sealed = await showHiddenCollection(shop);
    await mintAll(sealed, 2);
    await sealed.reveal();
    // Which works were drawn differs.
    await look("mint-revealed", `/m/${sealed.slug}`, undefined, false);
    await look("token-revealed", `/g/${sealed.slug}/1`, undefined, false);
  });

  test("mint and gallery of 10,000 NFTs", async () => {
    const vast = await shown({}, 10_000);
    for (let batch = 0; batch < 3; batch++) await mintAll(vast, 25);
    await look("mint-vast", `/m/${vast.slug}`);
    await look("gallery-vast", `/g/${vast.slug}`);
  });

  test("gallery, empty, and with an owner who has nothing", async () => {
    const few = await shown();
    await look("gallery-empty", `/g/${few.slug}`);
    await mintAll(few, 1);
    await look("gallery-none", `/g/${few.slug}?owner=nobody.near`);
  });

  test("gallery and NFT, and an NFT that doesn't exist", async () => {
    const many = await shown();
    await mintAll(many, 12);
    await look("gallery", `/g/${many.slug}`);
    await look("token", `/g/${many.slug}/2`);
    await look("missing", `/g/${many.slug}/999`);
  });

  test.each([
    ["film", "film.webm", MEDIA.webm.bytes],
    ["sound", "sound.wav", chime()],
  ] as const)("mint, gallery and NFT of a %s", async (kind, name, bytes) => {
    const own = mkdtempSync(join(tmpdir(), "mintage-states-"));
    writeFileSync(join(own, name), bytes);
    const one = await shown({}, 3, own);
    rmSync(own, { recursive: true });
    await mintAll(one, 2);
    // How far a player has come is not the same at each run.
    const isStill = kind === "sound";
    await look(`mint-${kind}`, `/m/${one.slug}`, undefined, isStill);
    await look(`gallery-${kind}`, `/g/${one.slug}`, undefined, isStill);
    await look(`token-${kind}`, `/g/${one.slug}/1`, undefined, isStill);
    if (kind !== "sound") return;
    await look(
      "token-sound-played",
      `/g/${one.slug}/1`,
      async (page) => {
        await page.click(".playable");
        await page.waitForSelector(".wave .played");
        await page.evaluate("document.querySelector('audio').pause()");
      },
      false,
    );
  });

  test.each([
    ["wide", 960, 320, "Panorama"],
    ["tall", 480, 1200, "99 Red Balloons"],
    ["pixels", 24, 24, "3 Herons waiting"],
    ["clear", 640, 400, "Cut out"],
  ] as const)(
    "mint, gallery and NFT of a work that is %s and has a name",
    async (kind, width, height, name) => {
      const own = mkdtempSync(join(tmpdir(), "mintage-states-"));
      const drawn = await artwork();
      // Edges as sharp as those of pixel art.
      const art = sharp(drawn).resize(width, height, { fit: "cover", kernel: "nearest" });
      const clear = Buffer.from(
        `<svg><rect x="40" y="40" width="${width - 80}" height="${height - 80}" rx="90"/></svg>`,
      );
      if (kind === "clear") art.composite([{ input: clear, blend: "dest-in" }]);
      writeFileSync(join(own, "0.png"), await art.png().toBuffer());
      const one = await showCollection(shop, { public_mint_config: { mint_fee }, title: "Marsh Notes" }, 6, {
        folder: own,
        subtitle: name,
      });
      rmSync(own, { recursive: true });
      await mintAll(one, 2);
      const seen = await newCollector(browser);
      await seen.page.goto(`${shop.service.url}/g/${one.slug}`, { waitUntil: "networkidle0" });
      // Size and colour of an opaque picture are noted with its first thumbnail, and show after that. The smallest has no thumbnail.
      if (kind === "wide" || kind === "tall") {
        await eventually(async () => {
          await seen.page.reload({ waitUntil: "networkidle0" });
          expect(await seen.page.$(".ground > svg")).not.toBeNull();
        });
      }
      await seen.close();
      await look(`mint-${kind}`, `/m/${one.slug}`);
      await look(`gallery-${kind}`, `/g/${one.slug}`);
      await look(`token-${kind}`, `/g/${one.slug}/1`, async (page) => {
        expect(await page.title()).toBe(`${name} · Marsh Notes`);
        if (kind !== "pixels") return;
        await page.waitForSelector(".pixels");
      });
      if (kind === "tall" || kind === "pixels") return;
      await look(`minted-${kind}`, `/m/${one.slug}`, async (page) => {
        await connectWallet(page, `${kind}.near`);
        await mint(page);
        await textOf(page, "#owned h2", new RegExp(`^You own ${name}$`));
      });
    },
  );

  test("claim, a good link and none", async () => {
    const open = await shown();
    const [good] = (await shop.claimLinks(open, 1)) as [string];
    await look("claim", good, (page) => page.waitForSelector("#claim:not([hidden])"));
    await look("claim-none", `/c/${open.slug}`, (page) => textOf(page, "#gift", /no claim link/));
  });

  test("claim, a link that was used", async () => {
    const [used] = (await shop.claimLinks(await shown(), 1)) as [string];
    const { page, close } = await newCollector(browser);
    await page.goto(shop.service.url + used, { waitUntil: "networkidle0" });
    await chooseWay(page, "account");
    await page.type("#receiver", "platform.bench");
    await claim(page);
    await page.waitForSelector("#owned img");
    await close();
    await look("claim-used", used, (again) => again.waitForSelector("#owned img"));
  });

  test("claim, by a passkey, and by a key of one's own", async () => {
    const open = await shown();
    const [first, second] = (await shop.claimLinks(open, 2)) as [string, string];
    const local = shop.service.url.replace("127.0.0.1", "localhost");
    await look("claim-passkey", `${local}${first}`, async (page) => {
      await addPasskeys(page, true);
      await page.reload({ waitUntil: "networkidle0" });
      await page.waitForSelector("#by-passkey:not([hidden])");
    });
    await look("claim-claiming", `${local}${first}`, async (page) => {
      await addPasskeys(page, true);
      await answerClaims(page, { status: 200, body: { state: "pending", tokens: [] } });
      await seeOutcome(page, /takes a few seconds/);
    });
    await look("claim-refused", `${local}${first}`, async (page) => {
      await addPasskeys(page, true);
      const message = "This link has expired. Ask whoever gave it to you for another one.";
      await answerClaims(page, { status: 409, body: { code: "conflict", message } });
      await seeOutcome(page, /has expired/);
    });
    await look("claim-claimed", `${local}${first}`, async (page) => {
      await addPasskeys(page, true);
      await page.reload({ waitUntil: "networkidle0" });
      await page.waitForSelector("#by-passkey:not([hidden])");
      await page.click("#claim-passkey");
      await page.waitForSelector("#owned img");
      await page.waitForSelector("#key:not([hidden])");
    });
    await look("claim-key", second, async (page) => {
      await chooseWay(page, "key");
      await page.click("#make-key");
      await page.waitForSelector("#key:not([hidden])");
    });
  });

  test("mint, several at once", async () => {
    await look("mint-several", `/m/${(await shown()).slug}`, async (page) => {
      await connectWallet(page, "buyer.near");
      await wantQuantity(page, 5);
      await textOf(page, "#go", /5 for 10 NEAR/);
      await mint(page);
      await page.waitForFunction("document.querySelectorAll('#owned img').length === 5");
    });
  });

  test("mint, with several phases", async () => {
    const day = (days: number) => new Date(Date.UTC(2040, 0, days)).toISOString();
    const settings = {
      private_mint_config: { mint_fee: "0", limit_per_account: 1, ends_at: day(1) },
      public_mint_config: { mint_fee, limit_per_account: 5, starts_at: day(1), ends_at: day(8) },
      phases: [{ phase: 3, kind: "allowlist", mint_fee: `${10n ** 24n}`, supply: 10, starts_at: day(8) }],
    };
    await look("mint-phases", `/m/${(await shown(settings)).slug}`);
  });

  test("mint, gallery and NFT, where they are traded", async () => {
    const other = await openShop({
      MARKETPLACES: JSON.stringify([
        {
          name: "Paras",
          contract: "https://paras.example/{contract}",
          token: "https://paras.example/{contract}/{token}",
        },
        {
          name: "Mintbase",
          contract: "https://mintbase.example/{contract}",
          token: "https://mintbase.example/{token}",
        },
      ]),
    });
    const { uuid, slug } = await showCollection(other, { public_mint_config: { mint_fee } }, 3, { folder });
    await other.client.collections.mint(uuid, {
      receiver_addresses: ["a.near"],
      receivers_must_exist: false,
      quantity_per_receiver: 3,
    });
    await look("mint-traded", `${other.service.url}/m/${slug}`);
    await look("token-traded", `${other.service.url}/g/${slug}/2`);
    await other.service.stop();
  });

  test("gallery, with filters that are chosen", async () => {
    const many = await shown();
    await mintAll(many, 6);
    await look("gallery-chosen", `/g/${many.slug}?trait=Paper%3DOchre&owner=a.near`);
    await look("gallery-chosen-none", `/g/${many.slug}?trait=Paper%3DOchre&owner=nobody.near`);
  });

  test("gallery, with the filters open, and NFT, with its original", async () => {
    const many = await shown();
    await mintAll(many, 6);
    await look("gallery-filters", `/g/${many.slug}`, (page) => page.click("#filter"));
    await look("token-original", `/g/${many.slug}/2`, (page) => page.click(".enlarge"));
  });

  test("the design: type, space, colours and controls", async () => {
    await look("design", `/m/${(await shown()).slug}`, async (page) => {
      await page.evaluate(SPECIMEN);
      if (!process.env.PAGES_PICTURES) return;
      await page.setViewport({ width: 1280, height: 900, deviceScaleFactor: 1 });
      for (const scheme of SCHEMES) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        const path = join(ROOT, "docs", "images", `design-${scheme}.webp`);
        await page.screenshot({ path: path as never, type: "webp", quality: 80, fullPage: true });
      }
    });
  });

  test("operator", async () => {
    await look(
      "operator",
      "/operator",
      async (page) => {
        await page.type("#token", shop.service.adminToken);
        await page.click("#enter button");
        await textOf(page, "#view", /Integrations/);
      },
      false,
    );
  });
});

/** How a page differs from its reference, once nothing is on its way any more, such as a picture of another width; null: it doesn't. */
async function differenceSeen(name: string, page: Page): Promise<string | null> {
  for (let tries = 0; ; tries++) {
    const difference = await differenceOf(name, await page.screenshot({ type: "png" }));
    if (difference === null || tries === MOST_LOOKS) return difference;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Answers claims in place of the service. */
async function answerClaims(page: Page, { status, body }: { status: number; body: object }): Promise<void> {
  await page.setRequestInterception(true);
  page.on("request", (request) =>
    request.method() === "POST" && request.url().endsWith("/claim")
      ? request.respond({ status, contentType: "application/json", body: JSON.stringify(body) })
      : request.continue(),
  );
}

/** Claims by a passkey on a phone, whose bars leave 664 px, and sees what comes of it without scrolling. */
async function seeOutcome(page: Page, wanted: RegExp): Promise<void> {
  await page.setViewport({ width: 390, height: 664 });
  await page.reload({ waitUntil: "networkidle0" });
  await page.waitForSelector("#by-passkey:not([hidden])");
  await page.click("#claim-passkey");
  await textOf(page, "#outcome", wanted);
  const [bottom, height] = (await page.evaluate(
    "[document.querySelector('#outcome').getBoundingClientRect().bottom, innerHeight]",
  )) as [number, number];
  expect(bottom).toBeLessThan(height);
}

/** A WAV of three notes that fade, four seconds of 8,000 samples (16 bits, one channel). */
function chime(): Buffer {
  const rate = 8_000;
  const samples = Buffer.alloc(rate * 4 * 2);
  for (let at = 0; at < rate * 4; at++) {
    const since = (at % (rate * 1.3)) / rate;
    const tone = Math.sin(2 * Math.PI * 330 * since) * Math.exp(-2.5 * since);
    samples.writeInt16LE(Math.round(tone * 30_000), at * 2);
  }
  const header = Buffer.alloc(44);
  header.write("RIFF");
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [2, 32],
    [16, 34],
  ] as const)
    header.writeUInt16LE(value, at);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** A picture of its own: quarters of circles on paper. */
const artwork = (): Promise<Buffer> => {
  const quarters = Array.from({ length: 16 }, (_, index) => {
    const [x, y] = [(index % 4) * 200, Math.floor(index / 4) * 200];
    const colour = ["#0d2747", "#f6b02e", "#8ea8c3", "#f1f4f0"][(index * 7) % 4];
    return `<path fill="${colour}" d="M${x} ${y}h200a200 200 0 0 1-200 200z"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="800"><rect width="800" height="800" fill="#1b4173"/>${quarters.join("")}</svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
};

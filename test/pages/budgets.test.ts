import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/browser.ts";
import { type Browser, newCollector, openBrowser, type Page } from "./collector.ts";
import { openShop, type Shop, type Shown, showCollection } from "./shop.ts";

/**
 * What a page costs who opens it, on a phone behind a slow line as Lighthouse has it (throttling, "mobileSlow4G"). Times
 * depend on this machine, so that they are printed and not asserted.
 */

const LINE = {
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
/** A phone's processor is so many times slower than this machine's. */
const SLOWER = 4;
/** Bytes of scripts, by gzip, until a wallet is chosen. */
const MOST_SCRIPT = 30_000;
/** Bytes of a mint page with its scripts and its font, by gzip, without pictures. */
const MOST_MINT_PAGE = 40_000;

const MANY = 10_000;
/** Frames that are measured: six screens. */
const FRAMES = 60;

/** Notes the largest paint, and sums up, from the page's beginning on, what moved without a collector's doing (web.dev, "Cumulative Layout Shift"). */
const WATCH_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push([value, ...sources.map(({ node }) => node?.id || node?.nodeName)].join(" "));
  }).observe({ type: "layout-shift", buffered: true });
  window.largest = 0;
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) largest = startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });`;

interface Cost {
  readonly scripts: readonly string[];
  /** Bytes of document, scripts and fonts, by gzip. */
  readonly bytes: number;
  readonly origins: ReadonlySet<string>;
  readonly shifts: unknown;
  readonly firstPaint: number;
  readonly largestPaint: number;
  readonly pictures: readonly Picture[];
}

/** A picture that a page loaded; its size in bytes. */
interface Picture {
  readonly url: string;
  readonly type: string;
  readonly size: number;
}

const PICTURES = 10;
const PICTURE_BYTES = 200_000;

/** A JPEG of 1,000 × 1,000 pixels and about 200 kB: coarse shapes with grain. */
async function photo(number: number): Promise<Buffer> {
  const [side, seed] = [1_000, number * 7_919];
  const grain = Buffer.alloc(side * side * 3);
  for (let at = 0, state = seed; at < grain.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    grain[at] = 100 + 60 * Math.sin((at % 3_000) / 400 + number) + ((state >>> 16) & 63);
  }
  return sharp(grain, { raw: { width: side, height: side, channels: 3 } })
    .jpeg({ quality: 72 })
    .toBuffer();
}

describe.skipIf(!CHROMIUM)("the cost of a page, in Chromium", () => {
  let shop: Shop;
  let browser: Browser;
  let open: Shown;

  beforeAll(async () => {
    // Without the development wallet, which no deployment has.
    [shop, browser] = await Promise.all([openShop({}), openBrowser()]);
    open = await showCollection(shop, { public_mint_config: { mint_fee: "0" } }, 1);
    const receiver = { receiver_addresses: ["a.near"], receivers_must_exist: false };
    await shop.client.collections.mint(open.uuid, { ...receiver, quantity_per_receiver: 12 });
  });
  afterAll(async () => {
    await browser?.close();
    await shop?.service.stop();
  });

  const firstPaintOf = (page: Page) =>
    page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") as Promise<number>;

  /** A collection of photos that has all been minted. */
  const showPictures = async (): Promise<Shown> => {
    const folder = mkdtempSync(join(tmpdir(), "mintage-photos-"));
    for (let number = 1; number <= PICTURES; number++)
      writeFileSync(join(folder, `${number}.jpg`), await photo(number));
    const shown = await showCollection(shop, { public_mint_config: { mint_fee: "0" } }, 1, { folder });
    rmSync(folder, { recursive: true });
    const receiver = { receiver_addresses: ["a.near"], receivers_must_exist: false };
    await shop.client.collections.mint(shown.uuid, { ...receiver, quantity_per_receiver: PICTURES });
    return shown;
  };

  const open4G = async (path: string): Promise<Cost> => {
    const { page, origins, close } = await newCollector(browser);
    await page.setViewport({ width: 390, height: 844, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
    await page.evaluateOnNewDocument(WATCH_SHIFTS);
    const session = await page.createCDPSession();
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", { offline: false, ...LINE });
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    const scripts: Promise<string>[] = [];
    const pictures: Promise<Picture>[] = [];
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      if (["document", "script", "font"].includes(response.request().resourceType()))
        sizes.push(response.buffer().then((content) => gzipSync(content).length));
      const { "content-type": type = "" } = response.headers();
      if (response.request().resourceType() === "image")
        pictures.push(response.buffer().then(({ length: size }) => ({ url: response.url(), type, size })));
      if (response.request().resourceType() === "script") scripts.push(response.text());
    });
    await page.goto(shop.service.url + path, { waitUntil: "networkidle0" });
    const [shifts, firstPaint] = [await page.evaluate("shifts"), await firstPaintOf(page)];
    const largestPaint = (await page.evaluate("largest")) as number;
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    const loaded = { scripts: await Promise.all(scripts), bytes, pictures: await Promise.all(pictures) };
    const cost = { ...loaded, origins, shifts, firstPaint, largestPaint };
    await close();
    return cost;
  };

  test.each(["mint", "gallery", "token", "claim"])(
    "%s: has little script, loads nothing from other hosts, and doesn't shift its layout",
    async (name) => {
      const [link] = name === "claim" ? await shop.claimLinks(open, 1) : [];
      const path = {
        mint: `/m/${open.slug}`,
        gallery: `/g/${open.slug}`,
        token: `/g/${open.slug}/1`,
        claim: link,
      };
      const cost = await open4G(path[name as keyof typeof path]!);
      const { scripts, origins, shifts, firstPaint, largestPaint } = cost;
      const bytes = scripts.reduce((sum, text) => sum + gzipSync(text).length, 0);
      process.stdout.write(
        `${name}: ${bytes} bytes of script and ${cost.bytes} in all by gzip, first paint after ${Math.round(firstPaint)} ms, largest after ${Math.round(largestPaint)} ms\n`,
      );
      if (name === "mint") expect(cost.bytes).toBeLessThanOrEqual(MOST_MINT_PAGE);
      expect(bytes).toBeLessThanOrEqual(MOST_SCRIPT);
      expect(bytes).toBeGreaterThan(0);
      expect([...origins]).toEqual([shop.service.url]);
      expect(shifts).toEqual([]);
    },
  );

  test("a gallery loads thumbnails, which the service makes at the first view", async () => {
    const { slug } = await showPictures();
    for (const view of ["first", "second"]) {
      const { pictures, largestPaint } = await open4G(`/g/${slug}`);
      expect(pictures.length).toBe(PICTURES);
      for (const { url, type } of pictures) {
        expect(url).toMatch(/\?img-width=(320|640)$/);
        expect(type).toBe("image/webp");
      }
      const bytes = pictures.reduce((sum, { size }) => sum + size, 0);
      process.stdout.write(
        `gallery of ${PICTURES}, ${view} view: ${bytes} bytes of pictures, largest paint after ${Math.round(largestPaint)} ms\n`,
      );
      expect(bytes).toBeLessThan((PICTURES * PICTURE_BYTES) / 2);
    }
  });

  /** Milliseconds between frames while a page is scrolled, ascending. @param distance pixels a frame */
  const framesOf = (page: Page, distance: number) =>
    page.evaluate(`new Promise((resolve) => {
      const gaps = [];
      let last = performance.now();
      const step = (now) => {
        gaps.push(now - last);
        last = now;
        scrollBy(0, ${distance});
        if (gaps.length < ${FRAMES}) requestAnimationFrame(step);
        else resolve(gaps.sort((a, b) => a - b));
      };
      requestAnimationFrame(step);
    })`) as Promise<number[]>;

  // In shelves, as the page's script makes them; and, for comparison, as one list that leaves out tile by tile.
  test.each(["shelves", "one list"])(
    "a gallery of 10,000 NFTs in %s loads only the pictures in view",
    async (how) => {
      const { page, close } = await newCollector(browser);
      const pictures = new Set<string>();
      page.on("request", (request) => {
        if (request.resourceType() === "image") pictures.add(request.url());
      });
      await page.goto(`${shop.service.url}/g/${open.slug}`, { waitUntil: "networkidle0" });
      await page.evaluate(`{
        const place = document.querySelector("#tokens");
        const [tile] = place.querySelectorAll("li");
        const isOne = ${how === "one list"};
        if (isOne) {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(\`#tokens .grid { content-visibility: visible }
            .grid li { content-visibility: auto; contain-intrinsic-size: auto 10rem auto 14rem }\`);
          document.adoptedStyleSheets = [sheet];
        }
        const size = isOne ? ${MANY} : 48;
        for (let first = 0; first < ${MANY}; first += size) {
          const shelf = place.firstElementChild.cloneNode(false);
          for (let number = first; number < Math.min(first + size, ${MANY}); number++) {
            const copy = tile.cloneNode(true);
            copy.querySelector("img").src += "?number=" + number;
            shelf.append(copy);
          }
          place.append(shelf);
        }
      }`);
      await page.waitForNetworkIdle();
      expect(pictures.size).toBeLessThan(MANY / 10);
      const frames = await framesOf(page, 100);
      const [median, slow] = [0.5, 0.9].map((part) => Math.round(frames[part * FRAMES]!));
      process.stdout.write(
        `gallery of 10,000 in ${how}: ${median} ms a frame of 100 px, ${slow} ms for one in ten, without a GPU\n`,
      );
      await close();
    },
  );
});

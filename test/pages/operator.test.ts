import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "../support/browser.ts";
import { inOneDay } from "../support/waiting.ts";
import {
  accessibilityFaults,
  type Browser,
  newCollector,
  openBrowser,
  textOf,
  type Visited,
} from "./collector.ts";
import { openShop, type Shop, showCollection } from "./shop.ts";

/** The operator's page in a real Chromium, against the service as `npm start` runs it. */
describe.skipIf(!CHROMIUM)("the operator's page, in Chromium", () => {
  let shop: Shop;
  let browser: Browser;
  const visits: Visited[] = [];

  // Its charts show today.
  beforeAll(inOneDay);

  beforeAll(async () => {
    [shop, browser] = await Promise.all([openShop(), openBrowser()]);
    await showCollection(shop, {}, 1);
  });

  afterAll(async () => {
    await browser?.close();
    await shop?.service.stop();
  });

  const visit = async (): Promise<Visited["page"]> => {
    const visited = await newCollector(browser);
    visits.push(visited);
    await visited.page.goto(`${shop.service.url}/operator`, { waitUntil: "networkidle0" });
    return visited.page;
  };

  const enter = async (page: Visited["page"], token: string): Promise<void> => {
    await page.type("#token", token);
    await page.click("#enter button");
  };

  test("a wrong token shows nothing and is forgotten", async () => {
    const page = await visit();
    await enter(page, "not-the-token-of-this-service-at-all");
    await textOf(page, "#says", /^This is not the operator's token\.$/);
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    expect(await page.evaluate("document.querySelector('#view').childNodes.length")).toBe(0);
  });

  test("the token shows everything, is kept by the tab only, and is in no URL", async () => {
    const page = await visit();
    await enter(page, shop.service.adminToken);
    await textOf(
      page,
      "#view",
      /As of .*Needs attention.*Parts.*Ended in the last 14 days.*Ended today.*Nodes.*Integrations.*Shop/s,
    );
    const days = "section[aria-label^='Ended in the last 14 days'] tbody tr";
    expect(await page.$$eval(days, (rows) => rows.length)).toBe(14);
    // Charts have axes from 0 with their unit, and a name for each day.
    const charts = (await page.evaluate(
      "[...document.querySelectorAll('.chart')].map((chart) => [...chart.querySelectorAll('text')].map(({ textContent }) => textContent))",
    )) as string[][];
    const today = new Date().toISOString().slice(5, 10);
    for (const [index, [unit, ...names]] of [
      ["operations", "succeeded", "failed"],
      ["seconds", "p50", "p95"],
    ].entries()) {
      expect(charts[index]!.slice(0, 4)).toEqual([unit, ...names, "0"]);
      expect(charts[index]).toContain(today);
      expect(charts[index]).toHaveLength(3 + 5 + 14);
    }
    expect(await page.$$eval(".chart rect.dark", (columns) => columns.length)).toBeGreaterThan(3);
    // Local times, as the browser writes them, with the exact time in UTC as the title.
    const times = await page.$$eval("#view time", (all) =>
      all.map(({ dateTime, title, textContent }) => ({
        isLocal: textContent === new Date(dateTime).toLocaleString(),
        isExact: title === new Date(dateTime).toISOString(),
      })),
    );
    expect(times.length).toBeGreaterThan(0);
    expect(times.every(({ isLocal, isExact }) => isLocal && isExact)).toBe(true);
    expect(page.url()).toBe(`${shop.service.url}/operator`);
    expect(await page.evaluate("localStorage.length + document.cookie.length")).toBe(0);
    await page.reload({ waitUntil: "networkidle0" });
    await textOf(page, "#view", /Shop/);
    const other = await page.browserContext().newPage();
    await other.goto(`${shop.service.url}/operator`, { waitUntil: "networkidle0" });
    expect(await other.evaluate("document.querySelector('#view').textContent")).toBe("");
    // A tab behind another one takes no clicks.
    await other.close();
    await page.bringToFront();
    await page.click("#leave");
    await textOf(page, "#says", /^The token is forgotten\.$/);
    expect(await page.evaluate("document.querySelector('#view').textContent")).toBe("");
  });

  test("a view that was requested before the token was forgotten isn't shown afterwards", async () => {
    const visited = await newCollector(browser);
    visits.push(visited);
    const { page } = visited;
    // The page asks again ten times a second, in place of every half a minute.
    await page.evaluateOnNewDocument(
      "{ const real = setInterval; globalThis.setInterval = (work) => real(work, 100); }",
    );
    await page.goto(`${shop.service.url}/operator`, { waitUntil: "networkidle0" });
    await enter(page, shop.service.adminToken);
    await textOf(page, "#view", /Integrations/);
    await page.setRequestInterception(true);
    const held: { continue: () => Promise<void> }[] = [];
    const asked = new Promise<void>((resolve) => {
      page.on("request", (request) => {
        held.push(request);
        resolve();
      });
    });
    await asked;
    await page.click("#leave");
    await textOf(page, "#says", /^The token is forgotten\.$/);
    const answered = page.waitForResponse((response) => response.url().endsWith("/operator/view"));
    await held[0]?.continue();
    await (await answered).text();
    // The page has taken the answer once a later task of its own runs.
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
    expect(await page.evaluate("document.querySelector('#view').textContent")).toBe("");
    expect(await page.evaluate("document.querySelector('#inside').hidden")).toBe(true);
    await page.close();
  });

  test.each([
    ["light", 1200],
    ["dark", 390],
  ] as const)(
    "%s at %d px: axe finds nothing, and nothing is wider than the screen",
    async (scheme, width) => {
      const page = await visit();
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.setViewport({ width, height: 844 });
      expect(await accessibilityFaults(page)).toEqual([]);
      await enter(page, shop.service.adminToken);
      await textOf(page, "#view", /Integrations/);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    },
  );

  test("no page calls another host, violates the policy or throws an exception", () => {
    expect(new Set(visits.flatMap(({ origins }) => [...origins]))).toEqual(new Set([shop.service.url]));
    expect(visits.flatMap(({ faults }) => faults)).toEqual([]);
  });
});

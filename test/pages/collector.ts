import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "puppeteer-core";
import { CHROMIUM } from "../support/browser.ts";
import { ENOUGH } from "../support/waiting.ts";

export type Browser = Awaited<ReturnType<typeof launch>>;
export type Page = Awaited<ReturnType<Browser["newPage"]>>;

/** A page of one collector, whose storage is nobody else's, and what it did that it must not. */
export interface Visited {
  readonly page: Page;
  /** Origins that it asked. */
  readonly origins: ReadonlySet<string>;
  /** What its policy refused, and what its scripts threw. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** One Chromium for all tests. As root, as in a container, it doesn't start with its sandbox. */
export const openBrowser = (): Promise<Browser> =>
  launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });

/** A collector who has not been here before. */
export async function newCollector(browser: Browser): Promise<Visited> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  // Only a hang reaches this limit.
  page.setDefaultTimeout(ENOUGH);
  await page.setViewport({ width: 1200, height: 900 });
  const origins = new Set<string>();
  const faults: string[] = [];
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:") origins.add(origin);
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.exposeFunction("noteViolation", (text: string) => faults.push(text));
  await page.evaluateOnNewDocument(`document.addEventListener("securitypolicyviolation", (event) =>
    noteViolation(event.effectiveDirective + " " + event.blockedURI))`);
  return { page, origins, faults, close: () => context.close() };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core (https://github.com/dequelabs/axe-core) finds wrong with a page, a line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return (await page.evaluate(`axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`)) as string[];
}

/** Waits until an element's text is as wanted, and gives it. */
export async function textOf(page: Page, selector: string, wanted: RegExp): Promise<string> {
  await page.waitForFunction(
    `new RegExp(${JSON.stringify(wanted.source)}).test(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "")`,
  );
  return page.$eval(selector, (element) => element.textContent ?? "");
}

/** Asks the development wallet for an account: the one that it offers, or another by its name and private key. */
export async function askForAccount(page: Page, account?: string, secret = ""): Promise<void> {
  await page.waitForSelector("#wallets button");
  await page.click("#connect");
  await page.click("#wallets button");
  await page.waitForSelector("dialog input");
  if (account !== undefined) await writeInto(page, "dialog p:nth-of-type(1) input", account);
  await writeInto(page, "dialog p:nth-of-type(2) input", secret);
  await page.click("dialog button");
}

/** Connects the development wallet. @returns the account */
export async function connectWallet(page: Page, account?: string, secret?: string): Promise<string> {
  await askForAccount(page, account, secret);
  const text = await textOf(page, "#account", new RegExp(`${account ?? ".near"}, by`));
  return text.split(",")[0]!.trim();
}

/** Asks for a mint and answers the wallet's question. */
export async function mint(page: Page, answer: "Sign" | "Decline" = "Sign"): Promise<void> {
  await page.waitForSelector("#go:not(:disabled)");
  await page.click("#go");
  await page.waitForSelector("dialog button");
  await page.evaluate(`[...document.querySelectorAll("dialog button")]
    .find((button) => button.textContent === ${JSON.stringify(answer)}).click()`);
}

/** Puts a text into a field in place of what was there, as typing does. */
export async function writeInto(page: Page, selector: string, text: string): Promise<void> {
  await page.evaluate(`{
    const field = document.querySelector(${JSON.stringify(selector)});
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }`);
}

/** Asks for so many. */
export const wantQuantity = (page: Page, quantity: number): Promise<void> =>
  writeInto(page, "#quantity", String(quantity));

/** Chooses who receives what a claim link gives. */
export async function chooseWay(page: Page, way: "wallet" | "account" | "key"): Promise<void> {
  await page.waitForSelector("#claim:not([hidden])");
  // Who has an account is folded away.
  await page.evaluate('document.querySelector("#others").open = true');
  await page.click(`input[name="way"][value="${way}"]`);
}

/** Redeems the link that a page was opened with. */
export async function claim(page: Page): Promise<void> {
  await page.waitForSelector("#go:not(:disabled)");
  await page.click("#go");
}

/** Goes on with the Tab key until an element has the focus, and presses Enter there. */
export async function enterAt(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector);
  const isThere = `document.activeElement.matches(${JSON.stringify(selector)})`;
  // More stops than any page has.
  for (let stops = 0; stops < 50 && !(await page.evaluate(isThere)); stops++)
    await page.keyboard.press("Tab");
  if (!(await page.evaluate(isThere))) throw new Error(`the Tab key doesn't lead to ${selector}`);
  await page.keyboard.press("Enter");
}

/** Gives a page's browser a device that keeps passkeys and agrees to everything. @param prf whether they have a secret */
export async function addPasskeys(page: Page, prf: boolean): Promise<void> {
  const session = await page.createCDPSession();
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      hasPrf: prf,
      automaticPresenceSimulation: true,
      isUserVerified: true,
    },
  });
}

/** The account and the private key that a claim page shows. */
export async function shownKey(page: Page): Promise<readonly [account: string, secret: string]> {
  await page.waitForSelector("#key:not([hidden])");
  return (await page.evaluate(
    "[...document.querySelectorAll('#key-account, #key-private')].map(({ textContent }) => textContent)",
  )) as [string, string];
}

/** The JSON file that a link downloads. */
export async function downloaded(page: Page, selector: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "mintage-download-"));
  try {
    const session = await page.createCDPSession();
    const done = new Promise<void>((resolve) => {
      session.on("Browser.downloadProgress", ({ state }) => {
        if (state === "completed") resolve();
      });
    });
    const context = page.browserContext().id;
    await session.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: folder,
      eventsEnabled: true,
      ...(context && { browserContextId: context }),
    });
    await page.click(selector);
    await done;
    const [file] = readdirSync(folder);
    return JSON.parse(readFileSync(join(folder, file ?? ""), "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

import { existsSync } from "node:fs";
import { launch } from "puppeteer-core";

/** Path of a Chromium on this machine: CHROMIUM_PATH, or a usual place. */
export const CHROMIUM = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
].find((path) => path !== undefined && existsSync(path));

/** Milliseconds; only a page that hangs reaches this limit. */
const TIMEOUT = 120_000;

/** What a page did while it was open. */
interface Visit {
  /** Origins that it requested from. */
  readonly origins: ReadonlySet<string>;
  /** What its content security policy refused, as `directive what`. */
  readonly violations: ReadonlySet<string>;
  readonly errors: readonly string[];
}

/** What a script in a page does and finds. */
type Action<Result> = (
  page: Awaited<ReturnType<Awaited<ReturnType<typeof launch>>["newPage"]>>,
) => Promise<Result>;

/** Opens a page in Chromium, runs a script in it, and reports what the page did. */
export async function visit<Result>(
  url: string,
  act: Action<Result>,
): Promise<{ result: Result; visit: Visit }> {
  // As root, as in a container, Chromium doesn't start with its sandbox.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await launch({
    executablePath: CHROMIUM,
    args,
    defaultViewport: { width: 1400, height: 900 },
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT);
    const origins = new Set<string>();
    const violations = new Set<string>();
    const errors: string[] = [];
    await page.exposeFunction("noteViolation", (text: string) => violations.add(text));
    await page.evaluateOnNewDocument(`document.addEventListener("securitypolicyviolation", (event) =>
      noteViolation(event.effectiveDirective + " " + event.blockedURI))`);
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== "data:") origins.add(origin);
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(url, { waitUntil: "networkidle0" });
    return { result: await act(page), visit: { origins, violations, errors } };
  } finally {
    await browser.close();
  }
}

import { describe, expect, test } from "vitest";
import { mediaUrlFault } from "../../src/domain/media-url.ts";
import { urlFault } from "../../src/events/webhooks/webhooks.ts";

const DEPLOYED = { PUBLIC_URL: "https://mint.example.org" };

/** Addresses that nothing is sent to, whether files are fetched or events are sent, and why. */
const ATTACKS: readonly (readonly [url: string, why: RegExp])[] = [
  ["http://example.com/a.png", /https/],
  ["ftp://example.com/a.png", /https/],
  ["data:image/png;base64,AAAA", /https/],
  ["file:///etc/passwd", /https/],
  ["/a.png", /complete URL/],
  ["", /complete URL/],
  ["https://", /complete URL/],
  ["https://user:secret@example.com/", /user name/],
  ["https://user@example.com/", /user name/],
  ["https://:secret@example.com/", /user name/],
  ["https://example.com:8443/a.png", /port 443/],
  ["https://example.com:22/", /port 443/],
  ["https://example.com/\u202egnp.exe", /invisible/],
  ["https://127.0.0.1/", /IP address/],
  ["https://127.1/", /IP address/],
  ["https://2130706433/", /IP address/],
  ["https://0x7f.0.0.1/", /IP address/],
  ["https://017700000001/", /IP address/],
  ["https://169.254.169.254/latest/meta-data", /IP address/],
  ["https://8.8.8.8/", /IP address/],
  ["https://[::1]/", /IP address/],
  ["https://[::ffff:10.0.0.1]/", /IP address/],
  ["https://[fd00::1]/", /IP address/],
  ["https://１２７.0.0.1/", /IP address/],
  ["https://localhost/", /dot/],
  ["https://localhost./", /dot/],
  ["https://intranet/", /dot/],
  ["https://a.localhost/", /private network/],
  ["https://metadata.google.internal/", /private network/],
  ["https://metadata.google.internal./", /private network/],
  ["https://kubernetes.default.svc/", /private network/],
  ["https://printer.localdomain/", /private network/],
  ["https://files.workgroup/", /private network/],
  ["https://a.invalid/", /private network/],
  ["https://a.alt/", /private network/],
  ["https://printer.LOCAL/", /private network/],
  ["https://localhost../", /empty part/],
  ["https://metadata.google.internal../", /empty part/],
  ["https://metadata.google.internal.../", /empty part/],
  ["https://a..internal/", /empty part/],
  ["https://.internal/", /empty part/],
  [`https://example.com/${"a".repeat(2048)}`, /longer/],
  ["https:\\\\example.com\\a", /backslashes/],
  [" https://example.com/a", /spaces/],
  ["https://example.com/\u0000", /control characters/],
  ["https://example.com/a\nb", /control characters/],
  ["https://example.com/\ud800", /control characters/],
];

describe("the URL of a media file", () => {
  test.each([
    "https://example.com/a.png",
    "https://EXAMPLE.com:443/a?b=c#d",
    "https://a.b.c.example.com./a",
    "https://xn--bcher-kva.example/",
    "https://1.2.3.4.example.com/",
  ])("may be %s", (url) => expect(mediaUrlFault(url)).toBeNull());

  test.each(ATTACKS)("may not be %j", (url, message) => expect(mediaUrlFault(url)).toMatch(message));
});

test("a URL may have 2,048 characters", () => {
  const long = (length: number) => mediaUrlFault("https://example.com/".padEnd(length, "a"));
  expect([long(2_048), long(2_049)]).toEqual([null, expect.stringMatching(/longer than 2048/)]);
});

describe("the URL of a webhook", () => {
  test.each([
    "https://shop.example.com/hook",
    "https://shop.example.com:443/hook",
    "https://shop.example.com./hook?a=b",
  ])("may be %s", (url) => expect(urlFault(DEPLOYED, url, [])).toBeNull());

  test.each(ATTACKS)("may not be %j", (url, message) => {
    expect(urlFault(DEPLOYED, url, [])).toMatch(message);
  });

  test.each([
    ["https://mint.example.org/api/v1/collection", /this service/],
    ["https://MINT.example.org./", /this service/],
    ["https://mint.example.org:8443/", /this service/],
    ["http://localhost:3000/hook", /https/],
  ])("may not be %s, although a media file may be there", (url, message) => {
    expect(urlFault(DEPLOYED, url, [])).toMatch(message);
  });

  test("may be http on this machine if the service runs there, but not the service itself", () => {
    const rules = { PUBLIC_URL: "http://localhost:8787", LOCAL_WEBHOOKS: "on" } as const;
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      expect(urlFault(rules, `http://${host}:3000/hook`, []), host).toBeNull();
      expect(urlFault(rules, `http://${host}:8787/api`, []), host).toMatch(/this service/);
    }
    expect(urlFault(rules, "http://localhost.:3000/hook", [])).toBe(
      "Write localhost without a dot at its end.",
    );
    expect(urlFault(rules, "http://localhost.:8787/api", [])).toMatch(/this service/);
    for (const url of [
      "http://10.0.0.1/",
      "http://a:b@localhost:3000/",
      "http://intranet/",
      "http://example.com/",
    ]) {
      expect(urlFault(rules, url, []), url).not.toBeNull();
    }
  });
});

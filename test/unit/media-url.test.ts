import { describe, expect, it } from "vitest";
import { mediaUrlFault } from "../../src/domain/media-url.ts";

describe("mediaUrlFault", () => {
  it.each([
    "https://example.com/a.png",
    "https://EXAMPLE.com:8443/a?b=c#d",
    "https://a.b.c.example.com./a",
    "https://xn--bcher-kva.example/",
    "https://1.2.3.4.example.com/",
  ])("lets %s pass", (url) => expect(mediaUrlFault(url)).toBeNull());

  it.each([
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
  ])("refuses %s", (url, message) => expect(mediaUrlFault(url)).toMatch(message));
});

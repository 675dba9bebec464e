import type { Mutant } from "../mutant.ts";

const addresses = ["test/api/address-limit.test.ts"];
const media = ["test/unit/media-sniffing.test.ts"];
const gateway = ["test/api/gateway.test.ts"];

/** What clients may use, and what is kept and served for them. */
export const LIMITS: readonly Mutant[] = [
  {
    id: "requests: one leaves the window a moment too late",
    file: "src/domain/request-window.ts",
    search: "if (entry.at + this.#periodMs > this.#latest) break;",
    replacement: "if (entry.at + this.#periodMs >= this.#latest) break;",
    tests: ["test/unit/request-window.test.ts"],
  },
  {
    id: "requests: what is given back stays counted",
    file: "src/domain/request-window.ts",
    search: "this.#used -= taken;",
    replacement: "this.#used -= 0;",
    tests: ["test/unit/request-window.test.ts"],
  },
  {
    id: "addresses: failed attempts are not counted",
    file: "src/http/address-limit.ts",
    search: "state.failed += 1;",
    replacement: "state.failed += 0;",
    tests: addresses,
    named: "cost the database a bounded number of queries, and their address is told to wait",
  },
  {
    id: "addresses: what the location counts is ignored",
    file: "src/http/address-limit.ts",
    search: "if (now < state.refusedUntil || isTooMany)",
    replacement: "if (isTooMany)",
    tests: addresses,
    named: "are refused once the location has counted enough of them at other isolates",
  },
  {
    id: "addresses: a key that was seen before is an attempt",
    file: "src/http/authentication.ts",
    search: "wasKnown(digest.hex) ?",
    replacement: "wasKnown(digest.hex.slice(1)) ?",
    tests: addresses,
    named: "keep nobody of the same address out whose key was seen before",
  },
  {
    id: "addresses: IPv6 addresses count one by one",
    file: "src/domain/client-address.ts",
    search: ".slice(0, 4);",
    replacement: ".slice(0, 8);",
    tests: ["test/unit/client-address.test.ts"],
  },
  {
    id: "media: HEIC passes for MP4",
    file: "src/domain/media-sniffing.ts",
    search: "if (brands.some((brand) => OTHER_PICTURES.test(brand))) return null;",
    replacement: "",
    tests: media,
  },
  {
    id: "media: Matroska passes for WebM",
    file: "src/domain/media-sniffing.ts",
    search: "/^webm\\0*$/.test(",
    replacement: "/^\\w+\\0*$/.test(",
    tests: media,
  },
  {
    id: "media: one frame makes an MP3",
    file: "src/domain/media-sniffing.ts",
    search: "length > 0 && frameLength(start, length) > 0",
    replacement: "length > 0",
    tests: media,
  },
  {
    id: "media: any svg element makes an SVG",
    file: "src/domain/media-sniffing.ts",
    search: "return text.slice(0, tagEnd(text, root)).includes(SVG_NAMESPACE)",
    replacement: "return text.slice(root).startsWith('<')",
    tests: media,
  },
  {
    id: "gateway: a script in an SVG may run",
    file: "src/api/gateway/route.ts",
    search: "media-src 'self'; sandbox\"",
    replacement: "media-src 'self'; sandbox allow-scripts\"",
    tests: ["test/api/media.test.ts"],
    named: "are served so that nothing in them runs, an SVG's script least of all",
  },
  {
    id: "gateway: raw and content share a place in the cache",
    file: "src/api/gateway/cache.ts",
    search: "?format=${format}`;",
    replacement: "?format=${format.slice(0, 0)}`;",
    tests: gateway,
    named:
      "is read from the store once, and then sent from the location's cache as it would be from the store",
  },
  {
    id: "gateway: nothing is kept",
    file: "src/api/gateway/cache.ts",
    search: "if (copy !== null) await caches",
    replacement: "if (copy === undefined) await caches",
    tests: gateway,
    named:
      "is read from the store once, and then sent from the location's cache as it would be from the store",
  },
];

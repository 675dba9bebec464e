import type { Mutant } from "../mutant.ts";

const authentication = ["test/api/authentication.test.ts"];

/** What a request meets before its use case, and what its answer passes. */
export const HTTP: readonly Mutant[] = [
  {
    id: "authentication: a revoked key is taken",
    file: "src/http/authentication.ts",
    search: "if (key.revokedAt !== null) {",
    replacement: "if (key.revokedAt === undefined) {",
    tests: authentication,
  },
  {
    id: "authentication: an expired key is taken",
    file: "src/http/authentication.ts",
    search: "key.expiresAt <= now",
    replacement: "key.expiresAt <= 0",
    tests: authentication,
  },
  {
    id: "authentication: a key that may only read may write",
    file: "src/http/authentication.ts",
    search: 'if (key.role === "read") {',
    replacement: 'if (key.role === ("none" as string)) {',
    tests: authentication,
  },
  {
    id: "operator: the beginning of the token is enough",
    file: "src/http/operator.ts",
    search: "[digest(token), digest(given)]",
    replacement: "[digest(token.slice(0, given.length)), digest(given)]",
    tests: ["test/api/address-limit.test.ts"],
  },
  {
    id: "ranges: the last byte is left out",
    file: "src/api/gateway/byte-range.ts",
    search: "length: end - offset + 1 };",
    replacement: "length: end - offset };",
    tests: ["test/api/gateway.test.ts"],
  },
  {
    id: "ranges: a suffix is read from the start",
    file: "src/api/gateway/byte-range.ts",
    search: "{ offset: size - length, length }",
    replacement: "{ offset: 0, length }",
    tests: ["test/api/gateway.test.ts"],
  },
  {
    id: "lists: the next page is not linked",
    file: "src/http/list-response.ts",
    search: 'next.searchParams.set("cursor", first.next);',
    replacement: 'next.searchParams.set("cursor", cursor ?? first.next);',
    tests: ["test/api/lists.test.ts"],
  },
  {
    id: "idempotency: the query is not part of the request",
    file: "src/http/idempotency/idempotency.ts",
    search: "${url.pathname}${url.search}\\n",
    replacement: "${url.pathname}\\n",
    tests: ["test/api/idempotency.test.ts"],
  },
  {
    id: "idempotency: a form that was never read is taken for any other",
    file: "src/http/idempotency/idempotency.ts",
    search: "if (key.fingerprint !== null && toHex(key.fingerprint) === toHex(seen)) return;",
    replacement: "if (key.fingerprint === null || toHex(key.fingerprint) === toHex(seen)) return;",
    tests: ["test/api/idempotency.test.ts"],
  },
  {
    id: "idempotency: a refusal for want of money is kept",
    file: "src/http/idempotency/idempotency.ts",
    search: "const FREEING = [400, 401, 402, 403,",
    replacement: "const FREEING = [400, 401, 403,",
    tests: ["test/api/idempotency.test.ts", "test/api/operations.test.ts", "test/api/mint.test.ts"],
  },
  {
    id: "idempotency: another body is taken for the same request",
    file: "src/http/idempotency/idempotency.ts",
    search: "if (this.#fingerprint) requireSame(row, this.#fingerprint);",
    replacement: "",
    tests: ["test/api/idempotency.test.ts"],
  },
  {
    id: "chain: a frozen node is believed",
    file: "src/chain/endpoints.ts",
    search: "if (block.height < floor) {",
    replacement: "if (block.height < 0) {",
    tests: ["test/unit/chain-freshness.test.ts"],
  },
  {
    id: "chain: Retry-After is not waited for",
    file: "src/chain/endpoints.ts",
    search: "return Math.max(this.#of(url).refusesUntil - this.#now(), 0);",
    replacement: "return Math.min(this.#of(url).refusesUntil - this.#now(), 0);",
    tests: ["test/unit/chain-rpc.test.ts", "test/unit/chain-freshness.test.ts"],
  },
];

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
    tests: ["test/api/admin.test.ts"],
  },
  {
    id: "ranges: the last byte is left out",
    file: "src/http/byte-range.ts",
    search: "length: end - offset + 1 };",
    replacement: "length: end - offset };",
    tests: ["test/api/gateway.test.ts"],
  },
  {
    id: "ranges: a suffix is read from the start",
    file: "src/http/byte-range.ts",
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
];

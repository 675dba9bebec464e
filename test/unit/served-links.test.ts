import { expect, test } from "vitest";
import { withServedLinks } from "../../src/api/reference/served-links.ts";

test.each([
  ["See [the contract](../contract/README.md) and [keys](keys.md).", "See the contract and [keys](keys.md)."],
  ["See [`a[0]` and [b]](../src/a.ts), not [c](c.md).", "See `a[0]` and [b], not [c](c.md)."],
  ["[one](../1) [two](../2)", "one two"],
  ["No link.", "No link."],
])("a document is served without links to files that aren't: %s", (text, served) => {
  expect(withServedLinks(text)).toBe(served);
});

import { expect, test } from "vitest";
import type { PublicCollection } from "../../src/api/resources/public-collection.ts";
import { Promises, Secret } from "../../src/collections/pages/promises.tsx";

type Transfers = PublicCollection["transfers"];

const shown = (element: unknown): string => String(element);

test("a locked transfer promises what the collection's settings allow", () => {
  const promised = (allow_approvals: boolean, has_lists: boolean): string => {
    const transfers: Transfers = { allow_approvals, has_lists };
    return shown(Promises({ collection: { locks: ["transfers"], transfers } }));
  };
  expect(promised(true, false)).toContain("<div>NFTs can always be given away and sold.</div>");
  expect(promised(false, false)).toContain(
    "<div>NFTs can always be given away. Marketplaces can&#39;t sell them.</div>",
  );
  const limit = ", but not to accounts that the collection&#39;s lists exclude.";
  expect(promised(true, true)).toContain(`<div>NFTs can always be given away and sold${limit}</div>`);
  expect(promised(false, true)).toContain(
    `<div>NFTs can always be given away${limit} Marketplaces can&#39;t sell them.</div>`,
  );
});

test("after a reveal a page promises what NFTs show only where their metadata are locked", () => {
  const said = (locks: PublicCollection["locks"]): string => {
    const reveal = { state: "revealed", shown: 2, at: null, commitment: "c" };
    const collection = { reveal, total_assets: 2, slug: "s", locks } as PublicCollection;
    return shown(Secret({ collection, now: new Date(0) }));
  };
  const may = "The artist can still change what NFTs show.";
  for (const locks of [[], ["supply"]] as const) expect(said([...locks])).toContain(may);
  expect(said(["metadata"])).not.toContain(may);
  expect(said(["metadata"])).toContain("their order are those committed to before the first mint.");
  expect(said([])).not.toContain("every NFT shows");
});

test("what isn't locked is named with who can change it", () => {
  const said = (locks: PublicCollection["locks"], own?: string): string =>
    shown(Promises({ collection: { locks, transfers: { allow_approvals: true, has_lists: false } }, own }));
  expect(said([])).not.toContain("Locked for ever");
  expect(said([])).toContain(
    "titles and pictures, prices and phases of the mint, royalties, who can receive",
  );
  expect(said(["metadata", "supply"])).toContain(": royalties, who can receive and sell.");
  // An NFT whose own metadata are locked.
  expect(said([], "It never changes.")).not.toContain("titles and pictures");
  expect(said(["metadata", "supply", "royalties", "transfers"])).toMatch(
    /Can still change<\/dt><dd><div>By the contract&#39;s owner/,
  );
  expect(said(["metadata", "supply", "royalties", "transfers", "code"])).not.toContain("Can still change");
});

import { expect, test } from "vitest";
import type { PublicCollection } from "../../src/api/resources/public-collection.ts";
import { Changeable, Promises, Secret } from "../../src/collections/pages/promises.tsx";

type Transfers = PublicCollection["transfers"];

const shown = (element: unknown): string => String(element);

const code = { locked: false, announced: null, delay_blocks: 432_000, has_full_access_key: false };

test("a locked transfer promises what the collection's settings allow", () => {
  const promised = (allow_approvals: boolean, has_lists: boolean): string => {
    const transfers: Transfers = { allow_approvals, has_lists };
    return shown(Promises({ collection: { locks: ["transfers"], transfers, contract_code: code } }));
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

test("a page with a reveal promises what NFTs show only where their metadata are locked, which is after it", () => {
  const said = (locks: PublicCollection["locks"], state = "revealed"): string => {
    const reveal = { state, shown: 2, at: null, commitment: "c" };
    const collection = { reveal, total_assets: 2, slug: "s", locks } as PublicCollection;
    return shown(Secret({ collection, now: new Date(0) }));
  };
  const may = "The artist can still change what NFTs show.";
  for (const locks of [[], ["supply"]] as const) expect(said([...locks])).toContain(may);
  for (const state of ["hidden", "partly"]) expect(said([], state)).toContain(may);
  expect(said(["metadata"])).not.toContain(may);
  expect(said(["metadata"])).toContain("their order are those committed to before the first mint.");
  expect(said([])).not.toContain("every NFT shows");
});

test("what isn't locked is named with who can change it", () => {
  const transfers: Transfers = { allow_approvals: true, has_lists: false };
  const said = (locks: PublicCollection["locks"], own?: string): string => {
    const collection = { locks, transfers, contract_code: code };
    return `${shown(Promises({ collection, own }))}${shown(Changeable({ collection, own }))}`;
  };
  expect(said([])).not.toContain("Locked for ever");
  expect(said([])).toContain(
    "titles and pictures, prices and phases of the mint, royalties, who can receive",
  );
  expect(said(["metadata", "supply"])).toContain(": royalties, who can receive and sell.");
  // An NFT whose own metadata are locked.
  expect(said([], "It never changes.")).not.toContain("titles and pictures");
  expect(said(["metadata", "supply", "royalties", "transfers"])).toMatch(
    /What can still change<\/summary><p>By the contract&#39;s owner/,
  );
  expect(said(["metadata", "supply", "royalties", "transfers", "code"])).not.toContain("can still change");
});

test("nobody can undo locks only where the contract's code is locked too and its account has no key", () => {
  const transfers: Transfers = { allow_approvals: true, has_lists: false };
  const said = (change: Partial<PublicCollection["contract_code"]>): string => {
    const collection = { locks: ["supply" as const], transfers, contract_code: { ...code, ...change } };
    return `${shown(Promises({ collection }))}${shown(Changeable({ collection }))}`;
  };
  const all = "Nobody can undo it.";
  expect(said({ locked: true })).toContain(all);
  for (const change of [{}, { locked: true, has_full_access_key: true }]) {
    expect(said(change)).not.toContain(all);
    expect(said(change)).toContain("The contract keeps this as long as its code isn&#39;t replaced.");
  }
  expect(said({})).toContain("around 3 days after an announcement");
  expect(said({ delay_blocks: 3 })).toContain("3 blocks after an announcement");
});

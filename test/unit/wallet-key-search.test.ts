import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeySearch } from "../../src/wallet/lanes/lane-keys.ts";

/** A look at one moment that doesn't show a lane's key. */
const lookInVain = (search: KeySearch, id: string, now: number): void => {
  search.begin(id, now);
  search.missed(id, now);
};

/** Looks for a missing key whenever that is due. @returns how often that was */
const seekInVain = (search: KeySearch, id: string, from: number, until: number): number => {
  let looks = 0;
  for (let now = from; now < until; now = search.next([id])!, looks++) lookInVain(search, id, now);
  return looks;
};

describe("the search for a key", () => {
  test("starts at once with growing pauses, however long others have been missing", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 7 }), (missingFor) => {
        const search = new KeySearch();
        seekInVain(search, "main", 0, missingFor);
        expect(search.isDue("new", missingFor)).toBe(true);
        expect(search.next(["main", "new"])).toBeLessThanOrEqual(missingFor);
        expect(seekInVain(search, "new", missingFor, missingFor + 100_000)).toBe(
          seekInVain(new KeySearch(), "alone", missingFor, missingFor + 100_000),
        );
        expect(search.next(["new"])! - (missingFor + 100_000)).toBeLessThanOrEqual(60_000);
      }),
    );
  });

  test("lasts ten seconds by the chain's clock from the first miss", () => {
    const search = new KeySearch();
    seekInVain(search, "main", 0, 600_000);
    search.begin("new", 600_000);
    // No node answered that look.
    expect(search.isOver("new", 700_000)).toBe(false);
    lookInVain(search, "new", 700_000);
    expect(search.isOver("new", 709_999)).toBe(false);
    expect(search.isOver("new", 710_000)).toBe(true);
    expect(search.isOver("main", 600_000)).toBe(true);
  });

  test("starts again after the key was found", () => {
    const search = new KeySearch();
    seekInVain(search, "main", 0, 600_000);
    search.end("main");
    expect(search.isDue("main", 600_000)).toBe(true);
    lookInVain(search, "main", 600_000);
    expect(search.isOver("main", 609_999)).toBe(false);
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { directoryNames, filenameFault } from "../../src/domain/filenames.ts";

describe("a file name", () => {
  test.each(["a.png", "é.png", "a b", ".hidden", "...", "x".repeat(255), "a..b"])("may be %j", (name) =>
    expect(filenameFault(name)).toBeNull(),
  );
  test.each([
    ["", /is empty/],
    [".", /relative path/],
    ["..", /relative path/],
    ["a/b", /slash/],
    ["a\\b", /slash/],
    ["a\0b", /control character/],
    ["a\nb", /control character/],
    ["\x7f", /control character/],
    ["\ud800", /Unicode/],
    ["x".repeat(256), /longer than 255 bytes/],
    ["é".repeat(128), /longer than 255 bytes/],
  ])("may not be %j", (name, why) => expect(filenameFault(name)).toMatch(why));
});

describe("the names in a directory", () => {
  const file = fc.record({
    name: fc.constantFrom("a.png", "a-2.png", "a-3.png", "a-2-2.png", "b", "b-2", ".c", "d.tar.gz"),
    digest: fc.constantFrom("1", "2", "3", "4"),
  });

  test("are unique for each file, and the first file of a name keeps it", () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 40 }), (files) => {
        const named = directoryNames(files);
        const different = new Set(files.map(({ name, digest }) => `${digest} ${name}`));
        expect(new Set(Array.from(named.values(), ({ name, digest }) => `${digest} ${name}`))).toEqual(
          different,
        );
        expect(named.size).toBe(different.size);
        for (const [index, each] of files.entries()) {
          const isFirst = files.findIndex(({ name }) => name === each.name) === index;
          if (isFirst) expect(named.get(each.name)).toBe(each);
        }
      }),
    );
  });

  test("have a number before the extension for later files of the same name", () => {
    const files = ["1", "2", "3"].flatMap((digest) => [
      { name: "a.tar.gz", digest },
      { name: ".c", digest },
    ]);
    const names = Array.from(directoryNames(files).keys());
    expect(names).toEqual(["a.tar.gz", ".c", "a.tar-2.gz", ".c-2", "a.tar-3.gz", ".c-3"]);
  });

  test("are no longer than a name may be, and unique all the same", () => {
    const long = ["x".repeat(251), `${"é".repeat(125)}x`, "\u{1f600}".repeat(62)].map(
      (stem) => `${stem}.png`,
    );
    const names = [...long, `a.${"b".repeat(253)}`, "x".repeat(255)];
    const files = names.flatMap((name) =>
      Array.from({ length: 12 }, (_, digest) => ({ name, digest: `${digest}` })),
    );
    const named = [...directoryNames(files).keys()];
    expect(named.filter((name) => filenameFault(name) !== null)).toEqual([]);
    expect(named).toHaveLength(files.length);
    expect(named).toContain(`${"x".repeat(249)}-2.png`);
  });
});

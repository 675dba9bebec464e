import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MEDIA_NAMES } from "../src/folder/media-sniffing.ts";
import { batches, type FolderFile, planFolder } from "../src/folder/plan.ts";

const file = (path: string, size = 10): FolderFile => ({ path, size });
const files = (...paths: string[]) => paths.map((path) => file(path));
const pairs = (plan: ReturnType<typeof planFolder>) =>
  plan.assets.map(({ media, reference }) => [media.path, reference?.path ?? null]);

describe("a folder's layout", () => {
  test("may have pictures and metadata side by side, sorted by their numbers", () => {
    const plan = planFolder(
      files("10.png", "2.jpg", "0.gif", "0.json", "2.json", "10.json", "collection.json", "collection.png"),
    );
    expect(pairs(plan)).toEqual([
      ["0.gif", "0.json"],
      ["2.jpg", "2.json"],
      ["10.png", "10.json"],
    ]);
    expect(plan.collectionFile?.path).toBe("collection.json");
    expect(plan.ignored).toEqual(["collection.png"]);
    expect(plan.problems).toEqual([]);
  });

  test("may have pictures and metadata in separate folders", () => {
    const plan = planFolder(
      files("images/1.png", "json/1.json", "json/_metadata.json", ".DS_Store", "layers/eye.png"),
    );
    expect(pairs(plan)).toEqual([["images/1.png", "json/1.json"]]);
    expect(plan.ignored.toSorted()).toEqual([".DS_Store", "json/_metadata.json", "layers/eye.png"]);
  });

  test("may be a generator's, with its own JSON file beside the folder of pictures", () => {
    const sugar = planFolder([
      ...files(
        "config.json",
        "assets/0.png",
        "assets/0.json",
        "assets/collection.json",
        "assets/collection.png",
      ),
      file("cache.json", 2_000_000),
    ]);
    expect(pairs(sugar)).toEqual([["assets/0.png", "assets/0.json"]]);
    expect(sugar.problems).toEqual([]);
    expect(sugar.ignored).toEqual(expect.arrayContaining(["config.json", "cache.json"]));
  });

  test("with pictures deeper in the folder is reported, naming the folder to use", () => {
    const [problem] = planFolder(
      files("layers/sky/blue.png", "build/images/1.png", "build/json/1.json", "build/.cache/0.png"),
    ).problems;
    expect(problem).toContain("there is build/images/1.png: give the folder build in it.");
    expect(planFolder(files("drafts/1.png")).problems).toEqual([
      expect.stringContaining("give the folder drafts in it"),
    ]);
    expect(planFolder(files("notes.txt")).problems).toEqual([expect.stringContaining(MEDIA_NAMES)]);
  });

  test("may have media of every type that the service accepts", () => {
    const names =
      "a.png b.jpeg c.jpg d.gif e.webp f.avif g.svg h.mp4 i.webm j.mp3 k.wav l.ogg m.glb n.SVG".split(" ");
    expect(pairs(planFolder(files(...names)))).toEqual(names.map((name) => [name, null]));
  });

  test("may have no metadata", () => {
    expect(pairs(planFolder(files("b.webp", "a.PNG")))).toEqual([
      ["a.PNG", null],
      ["b.webp", null],
    ]);
  });

  test("has all its mistakes reported together", () => {
    const plan = planFolder([
      ...files("0.png", "0.jpg", "0.json", "1.png", "7.json"),
      file("2.gif", 1_048_577),
      file("2.json", 0),
    ]);
    expect(plan.problems).toEqual([
      "0.jpg and 0.png have the same name; rename one of them.",
      "2.gif has 1048577 bytes; make it 1048576 or fewer.",
      "2.json is empty.",
      "7.json has no media file beside it, such as 7.png or 7.mp4.",
      "1.png has no JSON file; others do.",
    ]);
    expect(planFolder([file("0.png", 1_048_576)]).problems).toEqual([]);
    expect(planFolder([]).problems).toEqual([
      `There is no media file in the folder, its images/ or assets/: ${MEDIA_NAMES}.`,
    ]);
  });
});

describe("batches of an upload", () => {
  const anAsset = fc.record({ size: fc.integer({ min: 1, max: 1_000 }), reference: fc.boolean() });
  const limits = fc.record({
    bytes: fc.integer({ min: 2_000, max: 9_000 }),
    assets: fc.integer({ min: 1, max: 20 }),
  });

  test("have every asset once, in order, within the limits of a request", () => {
    fc.assert(
      fc.property(fc.array(anAsset), limits, (sizes, limit) => {
        const assets = sizes.map(({ size, reference }, index) => ({
          media: file(`${index}.png`, size),
          reference: reference ? file(`${index}.json`, size) : null,
        }));
        const cut = batches(assets, limit);
        expect(cut.flatMap((batch) => batch.assets)).toEqual(assets);
        for (const batch of cut) {
          expect(batch.assets.length).toBeGreaterThan(0);
          expect(batch.assets.length).toBeLessThanOrEqual(limit.assets);
          expect(batch.size).toBeLessThanOrEqual(limit.bytes);
        }
        expect(batches(assets, limit)).toEqual(cut);
      }),
    );
  });
});

import { describe, expect, test } from "vitest";
import { checkFiles, copiesOf, type FileKind, readAssetsDetail } from "../../src/domain/assets-detail.ts";
import { Problems } from "../../src/domain/problems.ts";

const detail = (more: object = {}) => ({ asset_filename: "1.png", copies: 1, ...more });

/** What is read of details, and the paths and messages of what is wrong with them. */
function read(value: unknown) {
  const problems = new Problems();
  const text = typeof value === "string" || value === null ? value : JSON.stringify(value);
  const found = readAssetsDetail(text, problems);
  return { ...found, problems: problems.first };
}

describe("assets_detail", () => {
  test("is a list of assets, of which reference and subtitle may be absent or null", () => {
    const details = [
      detail(),
      detail({ reference_filename: "1.json", asset_subtitle: "One", copies: 4_294_967_295 }),
      detail({ reference_filename: null, asset_subtitle: null }),
    ];
    const found = read(details);
    expect(found.details).toEqual(details);
    expect(found.problems).toEqual([]);
    expect(found.mentioned).toEqual(new Set(["1.png", "1.json"]));
    expect(copiesOf(found.details)).toBe(4_294_967_297);
  });

  test.each([
    [null, /^Missing/],
    ["[", /^Not JSON/],
    ["{}", /^Not an array/],
    ["[]", /^Empty/],
  ])("%j is refused as a whole, and says nothing about the files", (text, message) => {
    const found = read(text);
    expect(found).toMatchObject({ details: [], mentioned: null });
    expect(found.problems).toEqual([
      { kind: "invalid", path: ["assets_detail"], message: expect.stringMatching(message) },
    ]);
  });

  test.each([
    [detail({ copies: 0 }), ["copies"], /whole number from 1 to 4294967295/],
    [detail({ copies: 4_294_967_296 }), ["copies"], /whole number from 1 to 4294967295/],
    [detail({ copies: 1.5 }), ["copies"], /whole number from 1 to 4294967295/],
    [detail({ asset_filename: "" }), ["asset_filename"], /./],
    [detail({ reference_filename: "" }), ["reference_filename"], /./],
    [detail({ asset_subtitle: "x".repeat(257) }), ["asset_subtitle"], /at most 256 characters/],
    [detail({ subtitle: "x" }), ["subtitle"], /Remove this field/],
    ["1.png", [], /./],
    [null, [], /./],
  ])("%j is refused by itself, with the place of what is wrong", (wrong, path, message) => {
    const found = read([detail({ asset_filename: "0.png" }), wrong]);
    expect(found.details).toEqual([detail({ asset_filename: "0.png" }), null]);
    expect(found.problems).toEqual([
      { kind: "invalid", path: ["assets_detail", 1, ...path], message: expect.stringMatching(message) },
    ]);
    expect(copiesOf(found.details)).toBe(1);
  });

  test("mentions the files of faulty elements too, so that these aren't reported twice", () => {
    expect(
      read([detail({ copies: 0, reference_filename: "1.json" }), 5, { asset_filename: 7 }]).mentioned,
    ).toEqual(new Set(["1.png", "1.json"]));
  });

  test("takes as many details as files, and refuses more before it reads them", () => {
    const many = (count: number) => JSON.stringify(Array.from({ length: count }, () => detail()));
    expect(read(many(20_000)).problems).toEqual([]);
    const refused = expect.objectContaining({
      code: "payload_too_large",
      message: expect.stringContaining("20000"),
      details: { issues: [{ path: ["assets_detail"], message: expect.stringContaining("20000") }] },
    });
    expect(() => read(many(20_001))).toThrow(refused);
    // Brackets alone are counted, and not even parsed.
    expect(() => read("[".repeat(200_000))).toThrow(refused);
  });
});

describe("the files of a form", () => {
  const check = (details: object[], files: Record<string, FileKind>) => {
    const problems = new Problems();
    const found = new Map(Object.entries(files).map(([name, kind]) => [name, { kind }]));
    checkFiles(readAssetsDetail(JSON.stringify(details), new Problems()), found, problems);
    return problems.first.map(({ path, message }) => [path.join("."), message]);
  };

  test("are complete if each name has its file and each file its detail; a placeholder needs none", () => {
    const both = detail({ reference_filename: "1.json" });
    const files = {
      "1.png": "asset_file",
      "1.json": "reference_file",
      "cover.png": "asset_placeholder",
    } as const;
    expect(check([both, detail()], files)).toEqual([]);
  });

  test("are refused where one is missing, of another kind, or mentioned nowhere", () => {
    expect(
      check([detail({ reference_filename: "1.json" })], { "1.json": "asset_file", "2.png": "asset_file" }),
    ).toEqual([
      ["assets_detail.0.asset_filename", expect.stringMatching(/no asset_file part .*"1\.png"/)],
      [
        "assets_detail.0.reference_filename",
        expect.stringMatching(/"1\.json" is a part asset_file, .*reference_file/),
      ],
      ["asset_file.2.png", expect.stringContaining("No asset detail")],
    ]);
  });

  test("are not compared with a detail that is wrong itself, nor with a list that can't be read", () => {
    expect(check([detail({ copies: 0 })], { "1.png": "asset_file" })).toEqual([]);
    const problems = new Problems();
    checkFiles(readAssetsDetail(null, problems), new Map([["1.png", { kind: "asset_file" }]]), problems);
    expect(problems.count).toBe(1);
  });
});

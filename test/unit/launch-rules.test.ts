import fc from "fast-check";
import { expect, test } from "vitest";
import { isAccountId } from "../../cli/account-ids.ts";
import { accessProblem } from "../../cli/command.ts";
import { readCollectionFile } from "../../cli/launch/collection-file.ts";
import { readPage } from "../../cli/launch/page-settings.ts";
import { readPrice } from "../../cli/launch/prices.ts";
import { ApiError } from "../../client/src/index.ts";
import { collectionPageBody } from "../../src/api/collections/page-input.ts";
import { isAccountId as serviceIsAccountId } from "../../src/domain/account-ids.ts";
import { mintFeeProblem } from "../../src/domain/amounts.ts";
import { isSlug, MOST_ABOUT } from "../../src/domain/collector-pages.ts";
import { ERRORS } from "../../src/domain/errors.ts";
import { MAX_COPIES } from "../../src/domain/quota.ts";
import { INITIAL_ROYALTY_LIMITS, ONGOING_ROYALTY_LIMITS, royaltyIssues } from "../../src/domain/royalties.ts";

/** The terminal imports nothing of the service, so that what it checks beforehand is compared with the service here. */

test("the terminal and the service accept the same account ids", () => {
  const near = fc.string({ unit: fc.constantFrom("a", "0", "-", "_", ".", "A"), maxLength: 70 });
  fc.assert(fc.property(near, (text) => isAccountId(text) === serviceIsAccountId(text)));
});

test("the terminal and the service accept the same smallest mint fee", () => {
  const digits = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 99_999 }));
  fc.assert(
    fc.property(digits, ([whole, part]) => {
      const text = `${whole}.${String(part).padStart(5, "0")}`;
      const yocto = BigInt(text.replace(".", "")) * 10n ** 19n;
      expect(readPrice(text)).toEqual(
        mintFeeProblem(`${yocto}`) === null ? { value: `${yocto}` } : { problem: expect.any(String) },
      );
    }),
  );
});

test("the terminal and the service accept the same shares", () => {
  const percent = fc.integer({ min: 0, max: 10_100 }).map((points) => points / 100);
  const account = fc.integer({ min: 0, max: 12 }).map((number) => `share${number}.near`);
  for (const [kind, limits] of [
    ["sales", INITIAL_ROYALTY_LIMITS],
    ["resales", ONGOING_ROYALTY_LIMITS],
  ] as const) {
    fc.assert(
      fc.property(fc.dictionary(account, percent, { maxKeys: 12, minKeys: 1 }), (shares) => {
        const file = JSON.stringify({ title: "Herons", royalties: { [kind]: shares } });
        const found = readCollectionFile("collection.json", file);
        expect("file" in found).toBe(royaltyIssues(shares, limits).length === 0);
      }),
    );
  }
});

test("the terminal and the service have the same maximum of copies", () => {
  const copies = (count: number) => readCollectionFile("collection.yaml", `title: Herons\ncopies: ${count}`);
  expect(copies(MAX_COPIES)).toHaveProperty("file.copies", MAX_COPIES);
  expect(copies(MAX_COPIES + 1)).toHaveProperty("problems");
});

test("the terminal and the service have the same maximum of a page's text", () => {
  const about = (length: number) =>
    readCollectionFile(
      "collection.json",
      JSON.stringify({ title: "H", page: { about: "x".repeat(length) } }),
    );
  expect(about(MOST_ABOUT)).toHaveProperty("file");
  expect(about(MOST_ABOUT + 1)).toHaveProperty("problems");
});

test("the terminal and the service accept the same addresses of pages", () => {
  const words = ["no", "yes", "true", "false"];
  const near = fc.string({ unit: fc.constantFrom("a", "0", "-", "_", "A"), maxLength: 70 });
  fc.assert(fc.property(near, (text) => words.includes(text) || "value" in readPage(text) === isSlug(text)));
});

/** Whether both take the same of a page. */
function expectSame(page: { readonly about: string } | { readonly label: string; readonly url: string }) {
  const links = "url" in page && { links: { [page.label]: page.url } };
  const file = JSON.stringify({ title: "H", page: links || page });
  const sent = "url" in page ? { links: [page] } : page;
  const { success } = collectionPageBody.safeParse({ slug: "herons", enabled: true, ...sent });
  expect("file" in readCollectionFile("collection.json", file), file).toBe(success);
}

const SITE = "https://example.com/";

test("the terminal and the service accept the same links of a page", () => {
  const part = fc.constantFrom(
    ...[
      "https://",
      "http://",
      "//",
      "a",
      "ada:pw@",
      "ada@",
      "example.com",
      ":443",
      ":x",
      "/",
      "?",
      "#",
      "[::1]",
    ],
    ...["%", "é", " ", "\\", "\u200b", "\u0007", "\u00a0", "\ud800"],
  );
  const any = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
  const url = fc.oneof(
    any,
    any.map((rest) => `https://${rest}`),
    fc.integer({ min: 2_040, max: 2_056 }).map((length) => SITE.padEnd(length, "x")),
  );
  // The terminal reads a value without the spaces around it; one that is empty is not given.
  const given = url.map((text) => text.trim()).filter((text) => text !== "");
  fc.assert(fc.property(given, (text) => expectSame({ label: "Shop", url: text })));
  const label = fc
    .tuple(fc.nat(62), fc.constantFrom("", "", "\u0007", "\n", "𝒳", "\udc00"))
    .map(([length, end]) => "x".repeat(length) + end);
  fc.assert(
    fc.property(label, (text) => expectSame({ label: text, url: SITE })),
    {
      examples: [[""], ["x".repeat(60)], ["x".repeat(61)], ["𝒳".repeat(60)]],
    },
  );
});

test("the terminal and the service accept the same texts of a page", () => {
  const begins = fc.constantFrom("> ", "- ", "1. ", "2) ", "* ", "+ ", ">", "a ");
  const line = fc.array(begins, { maxLength: 16, size: "max" }).map((parts) => `${parts.join("")}a`);
  const text = fc
    .tuple(
      fc.array(line, { maxLength: 3 }),
      fc.integer({ min: 480, max: 510 }),
      fc.constantFrom("*", "_", "x"),
    )
    .map(([lines, count, mark]) => ["a", ...lines, `${mark.repeat(count)}a`].join("\n"));
  fc.assert(
    fc.property(text, (about) => expectSame({ about })),
    {
      examples: [["a\tb"], ["a\u0007"], ["a\r\nb"], ["a\ud800"], ["𝒳".repeat(4_000)]],
    },
  );
});

const KEY_CODES = ["api_key_invalid", "api_key_expired", "api_key_revoked", "scope_missing"] as const;

test.each([...KEY_CODES, "admin_token_invalid"] as const)("the terminal names the variable of %s", (code) => {
  const error = new ApiError(ERRORS[code].status, { code, message: "Send the header." }, new Headers());
  const variable = code === "admin_token_invalid" ? "MINTAGE_ADMIN_TOKEN" : "MINTAGE_API_KEY";
  const given = { MINTAGE_DATA: "/none", MINTAGE_URL: "https://mint.example", [variable]: "x" };
  expect(accessProblem(error, given)).toMatch(
    new RegExp(`in ${variable} .*the service at https://mint.example`),
  );
  expect(accessProblem(error, { MINTAGE_DATA: "/none" })).toMatch(
    new RegExp(`npm start left in /none .*set ${variable}`),
  );
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainRefusal } from "../../src/domain/refusals.ts";
import { ROOT } from "../support/imports.ts";

/** The contract's codes with the methods that fail with them. */
const FAILURES = [
  ...readFileSync(join(ROOT, "docs", "contract.md"), "utf8").matchAll(/^\| (`E_.*`) \|.*\| ([^|]*) \|$/gm),
].flatMap(([, codes = "", methods = ""]) =>
  [...codes.matchAll(/E_[A-Z_]+/g)].map(([code]) => ({ code, methods })),
);
/** What collectors call by the pages. */
const THEIRS = /\bmints\b|`(?:nft_mint|ft_on_transfer|nft_claim|voucher_mint)`/;

test("each refusal that a collector can meet is said in words of its own, without a code", () => {
  const met = FAILURES.filter(({ code, methods }) => THEIRS.test(methods) && code !== "E_NOT_PUBLISHED");
  expect(met.length).toBeGreaterThan(12);
  const unknown = plainRefusal("E_NEVER_HEARD_OF", "What nobody knows.");
  for (const { code } of FAILURES) {
    const said = plainRefusal(code, `The contract's own sentence, of ${code}.`);
    expect(said, code).not.toContain("E_");
    expect(said, code).toMatch(/^[A-Z].+\.$/);
    if (met.some((one) => one.code === code)) expect(said, code).not.toBe(unknown);
  }
});

test("a code is found in the message too, and what has none is said as it is", () => {
  expect(plainRefusal(null, "E_SOLD_OUT: Fewer copies are left.")).toBe(plainRefusal("E_SOLD_OUT", null));
  expect(plainRefusal(null, "The chain did not carry it out.")).toBe("The chain did not carry it out.");
  expect(plainRefusal(null, null)).toBe(plainRefusal("E_NEVER_HEARD_OF", null));
});

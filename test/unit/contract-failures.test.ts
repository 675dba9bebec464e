import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeIn, errorCodeOf, inFieldsOfApi, MEANINGS } from "../../src/domain/contract-failures.ts";
import { ERROR_CODES } from "../../src/domain/errors.ts";
import { ROOT } from "../support/imports.ts";
import refusals from "../support/refusals.json" with { type: "json" };

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const codesIn = (text: string) => [...new Set(text.match(/\bE_[A-Z][A-Z_]*[A-Z]\b/g))].toSorted();

/** The contract's own list, from its source. */
const contractCodes = () => {
  const list = /^codes! \{([\s\S]*?)^\}/m.exec(read("contract/mintage/src/error.rs"))?.[1] ?? "";
  return codesIn(list);
};

describe("failure codes of the contract", () => {
  test("have one meaning each, and every meaning belongs to an existing code", () => {
    expect(contractCodes().length).toBeGreaterThan(20);
    expect(Object.keys(MEANINGS).toSorted()).toEqual(contractCodes());
  });

  test("that tests know by their messages have a documented meaning", () => {
    const unmapped = Object.keys(refusals).filter((code) => !(code in MEANINGS));
    expect(unmapped).toEqual([]);
    const documented = read("docs/errors.md");
    for (const code of Object.keys(refusals)) {
      expect(ERROR_CODES).toContain(errorCodeOf(code));
      expect(documented).toContain(`| <a id="${errorCodeOf(code)}"></a>\`${errorCodeOf(code)}\` |`);
    }
  });

  test("are the list of docs/contract.md", () => {
    const section = /## Failure codes\n([\s\S]*?)\.\n\n/.exec(read("docs/contract.md"))?.[1] ?? "";
    expect(codesIn(section)).toEqual(contractCodes());
  });

  test("that are unknown mean that the transaction failed", () => {
    expect(errorCodeOf(null)).toBe("transaction_failed");
    expect(errorCodeOf("E_OF_ANOTHER_CONTRACT")).toBe("transaction_failed");
    expect(errorCodeOf("toString")).toBe("transaction_failed");
  });
});

test("a contract's message has the API's names of fields, and no part of another word is replaced", () => {
  const said = "asset_index, receiver_ids, quantities, account_ids, expires_at_ms; old_account_ids, quantity";
  expect(inFieldsOfApi(said)).toBe(
    "asset_uuid, receiver_addresses, quantity_per_receiver, accounts, expires_at; old_account_ids, quantity",
  );
});

test("a code is read where a message begins with it", () => {
  expect(codeIn(`E_SOLD_OUT: ${refusals.E_SOLD_OUT}`)).toBe("E_SOLD_OUT");
  expect(["It is no E_SOLD_OUT: x", "E_SOLD_OUT", "sold out", ""].map(codeIn)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

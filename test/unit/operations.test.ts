import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { KINDS, KINDS_IN_PARTS, OPERATION_KINDS, PAYOUT } from "../../src/domain/operations.ts";
import { ROOT } from "../support/imports.ts";

/** The kinds in the table "Kinds and their steps"; `contract_…` stands for those that begin so. */
const documented = [
  ...readFileSync(join(ROOT, "docs/transactions.md"), "utf8").matchAll(
    /^\| (`[a-z_…`,; ]+`)(?: \(platform\))? *\|/gm,
  ),
].flatMap(([, names = ""]) =>
  [...names.matchAll(/`([a-z_]+)(…?)`/g)].flatMap(([, name = "", more]) =>
    OPERATION_KINDS.filter((kind) => (more ? kind.startsWith(name) : kind === name)),
  ),
);

describe("kinds of operations", () => {
  test("are all in the documentation, each once", () => {
    expect(documented.toSorted()).toEqual(OPERATION_KINDS.toSorted());
  });

  test("spend in parts where they have several steps of their own, and run in turn only where a later one replaces an earlier", () => {
    expect(KINDS_IN_PARTS).toEqual([
      "contract_upgrade",
      "finalize",
      "nft_update_bulk",
      "collection_reveal",
      "currency_payout",
    ]);
    expect(OPERATION_KINDS.filter((kind) => KINDS[kind].isInTurn)).toEqual(["collection_update"]);
    expect(KINDS[PAYOUT].wallet).toBe("integration");
  });

  test("of a collection are archived; those of an account are only where they are many", () => {
    const isOfAccount = (kind: string) => /^(contract|wallet|currency|finalize)/.test(kind);
    for (const kind of OPERATION_KINDS) {
      const { isOnCollection, isArchived } = KINDS[kind];
      expect(`${kind} ${isOnCollection}`).toBe(`${kind} ${!isOfAccount(kind)}`);
      expect(`${kind} ${isArchived}`).toBe(`${kind} ${isOnCollection || /payout|top_up/.test(kind)}`);
    }
  });

  test("need a role in the contract if only staff may call their method", () => {
    // Anybody may burn and transfer what they own, and redeem a link.
    const free = /^(nft_transfer|nft_burn|claim|contract_.*|wallet_.*|currency_.*)$/;
    for (const kind of OPERATION_KINDS)
      expect(`${kind} ${KINDS[kind].needsRole}`).toBe(`${kind} ${!free.test(kind)}`);
  });

  test("report an effect that holders can see, and nothing else", () => {
    const events = Object.fromEntries(
      OPERATION_KINDS.flatMap((kind) => (KINDS[kind].event ? [[kind, KINDS[kind].event]] : [])),
    );
    expect(events).toEqual({
      finalize: "collection.finalized",
      collection_update: "collection.updated",
      mint: "nft.minted",
      claim: "nft.minted",
      nft_update: "nft.updated",
      nft_update_bulk: "nft.updated",
      nft_lock: "nft.updated",
      nft_transfer: "nft.transferred",
      nft_burn: "nft.burned",
      collection_reveal: "collection.revealed",
      collection_lock: "collection.locked",
    });
  });
});

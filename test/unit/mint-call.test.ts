import { expect, test } from "vitest";
import { GAS_SET_ASIDE, mintArguments, purchaseArguments } from "../../src/domain/mint-call.ts";

test("a mint for oneself names no receiver, and a gift names its own", () => {
  expect(mintArguments({ collectionId: 3, quantity: 2, receiver: null })).toEqual({
    collection_id: 3,
    quantity: 2,
  });
  expect(Object.keys(mintArguments({ collectionId: 3, quantity: 2, receiver: null }))).toHaveLength(2);
  expect(mintArguments({ collectionId: 3, quantity: 2, receiver: "b.near" })).toMatchObject({
    receiver_id: "b.near",
  });
});

test("a purchase with a token says what one NFT may cost, and pays for all", () => {
  const wish = { collectionId: 3, quantity: 2, receiver: null };
  const {
    receiver_id: receiver,
    amount,
    msg,
  } = purchaseArguments("nft.near", wish, { each: "5", total: "10" });
  expect([receiver, amount]).toEqual(["nft.near", "10"]);
  expect(JSON.parse(msg)).toEqual({ collection_id: 3, quantity: 2, max_price: "5" });
});

test("0.015 NEAR have to be there for a mint's gas", () => {
  expect(GAS_SET_ASIDE).toBe(15n * 10n ** 21n);
});

import { expect, test } from "vitest";
import { mintArguments, purchaseArguments } from "../../src/domain/mint-call.ts";

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

import fc from "fast-check";
import { expect, test } from "vitest";
import { collectionOf, parseTokenId, tokenNumber } from "../../src/domain/token-ids.ts";

const number = fc.integer({ min: 1, max: 4_294_967_295 });

test("a token id is read back as its two numbers", () => {
  fc.assert(
    fc.property(number, number, (collectionId, token) => {
      expect(parseTokenId(`${collectionId}:${token}`)).toEqual({ collectionId, number: token });
      expect(tokenNumber(`${collectionId}:${token}`)).toBe(token);
      expect(collectionOf(`${collectionId}:${token}`)).toBe(collectionId);
    }),
  );
});

test.each(["", "1", "1:", ":1", "01:1", "1:01", "0:1", "1:0", "1:1:1", " 1:1", "1:-1", "a:b"])(
  "%j is refused as a token id",
  (text) => {
    expect(parseTokenId(text)).toBeNull();
    expect(() => tokenNumber(text)).toThrow("no token id");
  },
);

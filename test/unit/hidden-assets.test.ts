import { expect, test } from "vitest";
import { HiddenAssets } from "../../src/collections/hidden-assets.ts";
import type { DraftAssets } from "../../src/db/draft-assets.ts";
import { TRANSACTION_LIMITS } from "../../src/domain/packing.ts";

const hash = new Uint8Array(32);

/** A draft of assets with distinct subtitles of so many bytes, in a secret order. */
const assetsOf = (count: number, bytes: number): Promise<HiddenAssets> => {
  const subtitle = (index: number) => String(index).padStart(bytes, "-");
  const assets = {
    async *behind() {
      for (let index = 0; index < count; index += 1)
        yield {
          id: String(index),
          sha256: hash,
          referenceSha256: hash,
          subtitle: subtitle(index),
          copies: 1,
          position: index,
        };
    },
  };
  return HiddenAssets.read(assets as unknown as DraftAssets, hash);
};

test("assets that a reveal can't show in its transactions are refused, with the most that a transaction holds", async () => {
  // An asset takes two hashes, its subtitle with a length, and a run of eight bytes; a batch twenty bytes.
  const bytes = 1_024;
  const most = Math.floor((TRANSACTION_LIMITS.bytes - 20) / (2 * 32 + bytes + 4 + 8));
  const fitting = await assetsOf(100 * most, bytes);
  expect(() => fitting.requireRevealable()).not.toThrow();
  expect(Math.max(...fitting.batches.map((batch) => batch.bytes.length))).toBeLessThanOrEqual(
    TRANSACTION_LIMITS.bytes,
  );
  const large = await assetsOf(100 * most + 1, bytes);
  expect(() => large.requireRevealable()).toThrow(
    `a reveal shows a hundredth of them, here ${most + 1}, in one transaction, which holds ${TRANSACTION_LIMITS.bytes} bytes`,
  );
});

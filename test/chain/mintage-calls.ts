/** Arguments of Mintage's contract that are borsh, and what its methods cost. */
import { createHash } from "node:crypto";
import { type Schema, serialize } from "borsh";

const bytes: Schema = { array: { type: "u8" } };
const pair = (first: string, second: string): Schema => ({ struct: { [first]: "u32", [second]: "u32" } });

const ASSETS: Schema = {
  struct: {
    media: bytes,
    copies: { array: { type: pair("run", "copies") } },
    subtitles: { array: { type: "string" } },
    subtitle_runs: { array: { type: pair("run", "index") } },
    references: bytes,
  },
};

export interface Assets {
  count: number;
  copies: number;
}

/** Assets whose digests are those of their numbers. */
function assetBatch(first: number, { count, copies }: Assets) {
  const media = Buffer.concat(
    Array.from({ length: count }, (_, index) =>
      createHash("sha256")
        .update(`asset ${first + index}`)
        .digest(),
    ),
  );
  return {
    media: [...media],
    copies: count === 0 ? [] : [{ run: count, copies }],
    subtitles: [],
    subtitle_runs: [],
    references: [],
  };
}

export function createArgs(settings: object, publish: boolean, assets: Assets): Uint8Array {
  const schema: Schema = {
    struct: {
      settings: "string",
      external_id: { array: { type: "u8", len: 16 } },
      publish: "bool",
      assets: ASSETS,
    },
  };
  const external_id = Array.from({ length: 16 }, () => 7);
  const value = { settings: JSON.stringify(settings), external_id, publish, assets: assetBatch(0, assets) };
  return serialize(schema, value);
}

export function addAssetsArgs(collection_id: number, offset: number, assets: Assets): Uint8Array {
  const schema: Schema = { struct: { collection_id: "u32", offset: "u32", assets: ASSETS } };
  return serialize(schema, { collection_id, offset, assets: assetBatch(offset, assets) });
}

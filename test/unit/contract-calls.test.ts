import { deserialize } from "borsh";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AssetBatch, type ContractAsset } from "../../src/chain/contract/asset-batch.ts";
import { BorshWriter } from "../../src/chain/contract/borsh-writer.ts";
import {
  addAssets,
  changeAllowlist,
  createCollection,
  MAX_GAS,
  mintAsset,
  mintBatch,
} from "../../src/chain/contract/calls.ts";
import {
  type ContractSettingsView,
  contractSettings,
  settingsFromContract,
  settingsThatDiffer,
} from "../../src/chain/contract/settings.ts";
import { batchStorage, fitsTransaction } from "../../src/domain/batch-limits.ts";
import type { CollectionSettings } from "../../src/domain/settings.ts";

const bytes = { array: { type: "u8" } } as const;
const runs = { array: { type: { struct: { run: "u32", value: "u32" } } } } as const;
/** The contract's `AssetBatch`, read by an independent library (docs/contract.md, "Types"). */
const BATCH = {
  struct: {
    media: bytes,
    copies: runs,
    subtitles: { array: { type: "string" } },
    subtitle_runs: runs,
    references: bytes,
  },
} as const;

interface Run {
  readonly run: number;
  readonly value: number;
}
interface Batch {
  readonly media: number[];
  readonly copies: Run[];
  readonly subtitles: string[];
  readonly subtitle_runs: Run[];
  readonly references: number[];
}

const spread = (list: readonly Run[]): number[] =>
  list.flatMap(({ run, value }) => Array.from({ length: run }, () => value));

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
const asset: fc.Arbitrary<ContractAsset> = fc.record({
  sha256: hash,
  referenceSha256: fc.option(hash),
  subtitle: fc.option(fc.constantFrom("#$TOKEN_NUM", "héron", "", "x".repeat(256))),
  copies: fc.constantFrom(1, 1, 2, 4_294_967_295),
});

const batchOf = (assets: readonly ContractAsset[]): AssetBatch => {
  const batch = new AssetBatch();
  for (const each of assets) {
    const expected = batch.sizeWith(each);
    batch.add(each);
    expect(batch.size).toEqual(expected);
  }
  return batch;
};

const encode = (batch: AssetBatch): Uint8Array => {
  const writer = new BorshWriter(1);
  batch.write(writer);
  return writer.finish();
};

describe("a batch of assets", () => {
  test("is encoded as borsh with every asset's data, in exactly the predicted number of bytes", () => {
    fc.assert(
      fc.property(fc.array(asset, { maxLength: 60 }), (assets) => {
        const batch = batchOf(assets);
        const encoded = encode(batch);
        expect(encoded.length).toBe(batch.size.bytes);
        const read = deserialize(BATCH, encoded) as unknown as Batch;
        expect(read.media).toEqual(assets.flatMap(({ sha256 }) => [...sha256]));
        expect(spread(read.copies)).toEqual(assets.map(({ copies }) => copies));
        const indexes = read.subtitle_runs.length > 0 ? spread(read.subtitle_runs) : assets.map(() => 0);
        expect(indexes.map((index) => (index === 0 ? null : read.subtitles[index - 1]))).toEqual(
          assets.map(({ subtitle }) => subtitle),
        );
        const none = new Uint8Array(32);
        const references = assets.some(({ referenceSha256 }) => referenceSha256)
          ? assets.flatMap(({ referenceSha256 }) => [...(referenceSha256 ?? none)])
          : [];
        expect(read.references).toEqual(references);
      }),
      { numRuns: 300 },
    );
  });

  test("of 10,000 pictures with reference files fits one transaction, with its subtitle and copies", () => {
    const batch = new AssetBatch();
    const digest = new Uint8Array(32).fill(7);
    for (let index = 0; index < 10_000; index++) {
      batch.add({ sha256: digest, referenceSha256: digest, subtitle: "#$TOKEN_NUM", copies: 1 });
    }
    expect(fitsTransaction(batch.size)).toBe(true);
    const settings = { title: "x" } as CollectionSettings;
    const action = createCollection({ settings, externalId: new Uint8Array(16), publish: true }, batch, 0n);
    expect(action.kind === "function_call" && action.args.length).toBeLessThan(1_400_000);
  });

  test("is known to exceed a transaction before the asset that makes it too large is added", () => {
    const batch = new AssetBatch();
    for (let index = 0; ; index++) {
      const next = {
        sha256: new Uint8Array(32),
        referenceSha256: new Uint8Array(32),
        subtitle: `No. ${index} ${"x".repeat(200)}`,
        copies: index + 1,
      };
      if (!fitsTransaction(batch.sizeWith(next))) break;
      batch.add(next);
    }
    expect(encode(batch).length).toBeLessThan(1_500_000);
    expect(batchStorage(batch.size)).toBeGreaterThan(batch.size.bytes);
  });
});

describe("calls of the contract", () => {
  test("attach at most 300 Tgas, whatever their arguments are", () => {
    const accounts = (count: number) => Array.from({ length: count }, (_, index) => `a${index}.near`);
    const actions = [
      mintBatch(1, accounts(25), 1, null),
      mintBatch(1, accounts(25), 1, { extra: "x".repeat(500_000) }),
      mintAsset(1, 9_999, { receivers: accounts(25), quantity: 1, metadata: { extra: "x".repeat(500_000) } }),
      changeAllowlist("allowlist_add", { collectionId: 1, phase: 3 }, accounts(500)),
      addAssets(1, 0, new AssetBatch(), 0n),
    ];
    for (const action of actions) {
      if (action.kind !== "function_call") throw new Error("not a call");
      expect(BigInt(action.gas)).toBeLessThanOrEqual(MAX_GAS);
      expect(BigInt(action.gas)).toBeGreaterThanOrEqual(10n ** 13n);
    }
  });

  test("add assets behind the existing ones", () => {
    const batch = batchOf([{ sha256: new Uint8Array(32), referenceSha256: null, subtitle: null, copies: 2 }]);
    const action = addAssets(3, 70_000, batch, 5n);
    if (action.kind !== "function_call") throw new Error("not a call");
    const schema = { struct: { collection_id: "u32", offset: "u32", assets: BATCH } } as const;
    expect(deserialize(schema, action.args)).toMatchObject({ collection_id: 3, offset: 70_000 });
    expect(action.deposit).toBe("5");
  });

  test("have times in milliseconds and royalties in basis points, and omit absent fields", () => {
    expect(
      contractSettings({
        public_mint_config: {
          mint_fee: "5",
          starts_at: "2030-01-01T00:00:00.000Z",
          ends_at: null,
          limit_per_account: 3,
        },
        private_mint_config: null,
        initial_royalties: { "alice.near": 12.57, "bob.near": 0.1 },
      }),
    ).toEqual({
      public_mint_config: {
        mint_fee: "5",
        starts_at_ms: Date.UTC(2030, 0, 1),
        ends_at_ms: null,
        limit_per_account: 3,
      },
      private_mint_config: null,
      initial_royalties: { "alice.near": 1257, "bob.near": 10 },
    });
  });

  test("set settings that are read back unchanged, and only changed settings are reported as different", () => {
    const account = fc.constantFrom("alice.near", "bob.near", "carol.near", "dave.near");
    const accounts = fc.uniqueArray(account);
    const royalties = fc.dictionary(
      account,
      fc.integer({ min: 1, max: 5_000 }).map((points) => points / 100),
    );
    const instant = fc.option(fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString()));
    const config = fc.option(
      fc.record({
        mint_fee: fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
        starts_at: instant,
        ends_at: instant,
        limit_per_account: fc.option(fc.integer({ min: 1, max: 1_000 })),
      }),
    );
    const all = fc.record({
      title: fc.string(),
      description: fc.option(fc.string()),
      public_mint_config: config,
      private_mint_config: config,
      further_phases: fc.constant([]),
      bypass_mint_fee_accounts: accounts,
      initial_royalties: royalties,
      ongoing_royalties: royalties,
      allow_approvals: fc.boolean(),
      approvals_allowed_accounts: fc.option(accounts),
      approvals_denied_accounts: fc.option(accounts),
      allow_transfers: fc.boolean(),
      transfers_denied_accounts: fc.option(accounts),
    }) satisfies fc.Arbitrary<CollectionSettings>;
    const asShown = (settings: CollectionSettings) =>
      contractSettings(settings) as unknown as ContractSettingsView;
    fc.assert(
      fc.property(all, fc.string(), (settings, title) => {
        expect(settingsFromContract(asShown(settings))).toEqual(settings);
        const bypass = settings.bypass_mint_fee_accounts.toReversed();
        const reordered = { ...settings, bypass_mint_fee_accounts: bypass };
        expect(settingsThatDiffer(reordered, asShown(settings))).toEqual([]);
        expect(settingsThatDiffer({ ...settings, title }, asShown(settings))).toEqual(
          title === settings.title ? [] : ["title"],
        );
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  asShown,
  type CollectionSettings,
  changedSettings,
  configIssues,
  hasConfigChanges,
  inOrder,
  type MintConfig,
  type Phase,
  phaseConflicts,
  phasesOf,
  type SettingsChanges,
  withPhases,
} from "../../src/domain/settings.ts";

const instant = fc.option(
  fc
    .date({ min: new Date("2030-01-01"), max: new Date("2031-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
);
const fields = {
  mint_fee: fc.constantFrom("0", "1000000000000000000000000"),
  starts_at: instant,
  ends_at: instant,
  limit_per_account: fc.option(fc.integer({ min: 1, max: 9 })),
};
const isInOrder = ({ starts_at: start, ends_at: end }: MintConfig) => !start || !end || start < end;
const settings = fc
  .option(fc.record(fields).filter(isInOrder))
  .map(
    (config) => ({ title: "T", public_mint_config: config, private_mint_config: null }) as CollectionSettings,
  );
const change = fc.record(fields, { requiredKeys: [] });

test("a change of a mint config sets the given fields and leaves all others", () => {
  fc.assert(
    fc.property(settings, change, (before, given) => {
      const changed = changedSettings(before, { public_mint_config: given });
      const none = { starts_at: null, ends_at: null, limit_per_account: null };
      expect(changed).toEqual({ public_mint_config: { ...none, ...before.public_mint_config, ...given } });
      // One change after the other is the same as both at once.
      const [first, ...rest] = Object.entries(given);
      if (first === undefined) return;
      const between = {
        ...before,
        ...changedSettings(before, { public_mint_config: { [first[0]]: first[1] } }),
      };
      expect(changedSettings(between, { public_mint_config: Object.fromEntries(rest) })).toEqual(changed);
    }),
  );
});

test("a mint config is refused only if it would have no price, or end before it starts", () => {
  fc.assert(
    fc.property(settings, change, (before, given) => {
      const changed = changedSettings(before, { public_mint_config: given }).public_mint_config!;
      const [issue, ...others] = configIssues(before, { public_mint_config: given });
      expect(others).toEqual([]);
      if (changed.mint_fee === undefined) {
        expect(issue?.path).toEqual(["public_mint_config", "mint_fee"]);
        expect(issue?.message).toMatch(/no public_mint_config yet/);
      } else if (isInOrder(changed)) expect(issue).toBeUndefined();
      else {
        // The field that is named is one that was given.
        expect(Object.keys(given)).toContain(issue?.path[1]);
        expect(issue?.message).toMatch(/^ends_at .* after starts_at/);
      }
    }),
  );
});

test("null ends a phase, and phases that aren't named stay unchanged", () => {
  fc.assert(
    fc.property(settings, (before) => {
      for (const changes of [{}, { title: "U" }, { public_mint_config: null }] satisfies SettingsChanges[]) {
        expect(changedSettings(before, changes)).toEqual(changes);
        expect(configIssues(before, changes)).toEqual([]);
      }
    }),
  );
});

test("a first phase has a price, and may not end at the moment in which it starts", () => {
  const moment = "2030-01-01T00:00:00.000Z";
  const changes = { public_mint_config: { mint_fee: "0", starts_at: moment, ends_at: moment } };
  const none = { public_mint_config: null, private_mint_config: null } as CollectionSettings;
  expect(configIssues(none, { public_mint_config: { starts_at: moment } })).toEqual([
    {
      path: ["public_mint_config", "mint_fee"],
      message: expect.stringContaining("no public_mint_config yet"),
    },
  ]);
  expect(configIssues(none, changes)).toHaveLength(1);
  expect(configIssues(none, { private_mint_config: changes.public_mint_config })).toMatchObject([
    { path: ["private_mint_config", "ends_at"] },
  ]);
});

const usdc = { contract_id: "usdc.near", symbol: "USDC", decimals: 6 };
const phaseFields = {
  ...fields,
  currency: fc.constantFrom(null, usdc),
  supply: fc.option(fc.integer({ min: 1, max: 99 })),
};
/** Phases by their numbers. The first has an allowlist and the second is open, as the two mint configs are. */
const phases = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 8 }).chain((numbers) =>
  fc.tuple(
    ...numbers.map((phase) =>
      fc.record({
        ...phaseFields,
        phase: fc.constant(phase),
        kind:
          phase <= 2
            ? fc.constant(phase === 1 ? "allowlist" : "public")
            : fc.constantFrom("allowlist", "public"),
      }),
    ),
  ),
) as fc.Arbitrary<Phase[]>;
const byNumber = (some: readonly Phase[]) => [...some].sort((a, b) => a.phase - b.phase);
const untouched = { title: "T", public_mint_config: null, private_mint_config: null } as CollectionSettings;

describe("the phases of a collection", () => {
  test("are those that were given, by their numbers, whatever they were before", () => {
    fc.assert(
      fc.property(phases, phases, (before, given) => {
        const settings = { ...untouched, ...changedSettings(untouched, { phases: before }) };
        expect(phasesOf(settings)).toEqual(byNumber(before));
        expect(phasesOf({ ...settings, ...changedSettings(settings, { phases: given }) })).toEqual(
          byNumber(given),
        );
      }),
    );
  });

  test("can be replaced one by one", () => {
    fc.assert(
      fc.property(phases, (given) => {
        const settings = { ...untouched, ...changedSettings(untouched, { phases: given }) };
        const dearer = (phase: Phase) => ({ ...phase, mint_fee: "7" });
        const replaced = withPhases(settings, dearer);
        expect(phasesOf(replaced)).toEqual(byNumber(given).map(dearer));
        expect(replaced.title).toBe("T");
      }),
    );
  });

  test("are shown all, and as mint configs only those whose price is in NEAR, without what these never had", () => {
    fc.assert(
      fc.property(phases, (given) => {
        const settings = { ...untouched, ...changedSettings(untouched, { phases: given }) };
        const { public_mint_config: open, private_mint_config: listed, ...shown } = asShown(settings);
        expect(shown).not.toHaveProperty("further_phases");
        expect(shown.phases).toEqual(byNumber(given));
        for (const [number, config] of [
          [1, listed],
          [2, open],
        ] as const) {
          const phase = given.find((one) => one.phase === number);
          if (!phase || phase.currency) expect(config).toBeNull();
          else {
            const { mint_fee, starts_at, ends_at, limit_per_account } = phase;
            expect(config).toStrictEqual({ mint_fee, starts_at, ends_at, limit_per_account });
          }
        }
      }),
    );
  });

  test("have a currency and a number of mints in a mint config only where they are limited so", () => {
    const phase: Phase = {
      phase: 2,
      kind: "public",
      mint_fee: "5",
      starts_at: null,
      ends_at: null,
      limit_per_account: null,
      currency: null,
      supply: null,
    };
    const config = (more: Partial<Phase>) =>
      changedSettings(untouched, { phases: [{ ...phase, ...more }] }).public_mint_config;
    const plain = { mint_fee: "5", starts_at: null, ends_at: null, limit_per_account: null };
    expect(config({})).toStrictEqual(plain);
    expect(config({ currency: usdc, supply: 3 })).toStrictEqual({ ...plain, currency: usdc, supply: 3 });
  });

  test("start anew in NEAR if their price was in a currency: no field of it stays", () => {
    const settings = {
      ...untouched,
      public_mint_config: { mint_fee: "5", starts_at: "2030-01-01T00:00:00.000Z", currency: usdc, supply: 3 },
    } as CollectionSettings;
    const changed = changedSettings(settings, { public_mint_config: { mint_fee: "0" } });
    expect(changed.public_mint_config).toEqual({
      mint_fee: "0",
      starts_at: null,
      ends_at: null,
      limit_per_account: null,
    });
  });

  test("are given once: in a mint config or in the list", () => {
    const conflicts = (changes: SettingsChanges) =>
      phaseConflicts(changes).map(({ path, message }) => [path, message]);
    const [one, two, three] = [1, 2, 3].map((phase) => ({ phase }) as Phase) as [Phase, Phase, Phase];
    const open = { mint_fee: "0" };
    expect(conflicts({ public_mint_config: open, phases: [one, two] })).toEqual([
      [["public_mint_config"], expect.stringMatching(/phase 2 in public_mint_config or in phases/)],
    ]);
    expect(conflicts({ private_mint_config: null, phases: [one] })).toEqual([
      [["private_mint_config"], expect.stringMatching(/phase 1 /)],
    ]);
    expect(conflicts({ public_mint_config: open, phases: [one, three] })).toEqual([]);
    expect(conflicts({ public_mint_config: open })).toEqual([]);
    expect(conflicts({ phases: [one, two] })).toEqual([]);
  });

  test("depend on the present ones if a change names any", () => {
    const changes: [SettingsChanges, boolean][] = [
      [{ phases: [] }, true],
      [{ public_mint_config: { mint_fee: "0" } }, true],
      [{ private_mint_config: {} }, true],
      [{ public_mint_config: null, private_mint_config: null }, false],
      [{ title: "U" }, false],
    ];
    for (const [change, depends] of changes) expect(hasConfigChanges(change)).toBe(depends);
  });
});

test("settings have all fields in the interface's order, whichever order they were stored in", () => {
  const settings: CollectionSettings = {
    title: "T",
    description: null,
    public_mint_config: null,
    private_mint_config: null,
    further_phases: [],
    bypass_mint_fee_accounts: ["a.near"],
    initial_royalties: { "a.near": 1 },
    ongoing_royalties: { "b.near": 2 },
    allow_approvals: true,
    approvals_allowed_accounts: ["c.near"],
    approvals_denied_accounts: ["d.near"],
    allow_transfers: false,
    transfers_denied_accounts: ["e.near"],
  };
  const stored = Object.fromEntries(Object.entries(settings).reverse()) as unknown as CollectionSettings;
  expect(Object.entries(inOrder(stored))).toEqual(Object.entries(settings));
  const { further_phases: _, ...without } = stored;
  expect(inOrder(without)).toEqual(settings);
});

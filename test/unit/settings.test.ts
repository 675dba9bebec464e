import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CollectionSettings,
  changedSettings,
  configIssues,
  type MintConfig,
  type SettingsChanges,
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
      if (changed.mint_fee === undefined) expect(issue?.path).toEqual(["public_mint_config", "mint_fee"]);
      else if (isInOrder(changed)) expect(issue).toBeUndefined();
      // The field that is named is one that was given.
      else expect(Object.keys(given)).toContain(issue?.path[1]);
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

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { clientNetworks } from "../../src/http/address-limit.ts";

it.each([
  ["", "", null],
  ["203.0.113.7", "203.0.113.7", null],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:DB8:0001:0002::1", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:db8::1", "2001:db8:0:0::/64", "2001:db8:0::/48"],
  ["::1", "0:0:0:0::/64", "0:0:0::/48"],
  ["2001:db8:1:2:3::", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["fe80::1%eth0", "fe80:0:0:0::/64", "fe80:0:0::/48"],
  ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64", "64:ff9b:0::/48"],
  ["::ffff:203.0.113.7", "203.0.113.7", null],
])("%j belongs to %j, of the site %j", (address, client, site) => {
  expect(clientNetworks(address)).toEqual({ client, site });
});

/** Spellings of an IPv6 address: with a run of zeros left out, upper case, leading zeros. */
const spellings = (groups: readonly number[]): string[] => {
  const plain = groups.map((group) => group.toString(16));
  const padded = groups.map((group) => group.toString(16).padStart(4, "0").toUpperCase());
  const short = plain.join(":").replace(/(^|:)0(:0)+(:|$)/, "::");
  return [plain.join(":"), padded.join(":"), short];
};

it("addresses have one network where their first 64 bits are the same, one site where 48 are, however they are written", () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  const four = fc.tuple(group, group, group, group);
  fc.assert(
    fc.property(four, four, four, (prefix, left, right) => {
      const spelt = [left, right].flatMap((rest) => spellings([...prefix, ...rest]).map(clientNetworks));
      expect(new Set(spelt.map(({ client }) => client)).size).toBe(1);
      expect(new Set(spelt.map(({ site }) => site)).size).toBe(1);
      const [one] = spelt;
      const neighbour = clientNetworks(spellings([...prefix.slice(0, 3), prefix[3] ^ 1, ...left])[0]!);
      expect(neighbour.client).not.toBe(one!.client);
      expect(neighbour.site).toBe(one!.site);
      const other = clientNetworks(spellings([...prefix.slice(0, 2), prefix[2] ^ 1, prefix[3], ...left])[0]!);
      expect(other.site).not.toBe(one!.site);
    }),
  );
});

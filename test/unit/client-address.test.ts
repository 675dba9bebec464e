import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clientNetwork } from "../../src/http/address-limit.ts";

test.each([
  ["", ""],
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["2001:db8:1:2:3::", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
])("the address %j belongs to the network %j", (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

/** Spellings of an IPv6 address: with a run of zeros left out, upper case, leading zeros. */
const spellings = (groups: readonly number[]): string[] => {
  const plain = groups.map((group) => group.toString(16));
  const padded = groups.map((group) => group.toString(16).padStart(4, "0").toUpperCase());
  const short = plain.join(":").replace(/(^|:)0(:0)+(:|$)/, "::");
  return [plain.join(":"), padded.join(":"), short];
};

test("IPv6 addresses share a network exactly if their first 64 bits are equal, in any spelling", () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  const four = fc.tuple(group, group, group, group);
  fc.assert(
    fc.property(four, four, four, (prefix, left, right) => {
      const spelt = [left, right].flatMap((rest) => spellings([...prefix, ...rest]).map(clientNetwork));
      expect(new Set(spelt).size).toBe(1);
      const neighbour = spellings([...prefix.slice(0, 3), prefix[3] ^ 1, ...left])[0]!;
      expect(clientNetwork(neighbour)).not.toBe(spelt[0]);
    }),
  );
});

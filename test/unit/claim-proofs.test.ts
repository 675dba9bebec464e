import fc from "fast-check";
import { PublicKey } from "near-api-js";
import { expect, test } from "vitest";
import { ClaimIssuer } from "../../client/src/index.ts";
import { keyFromSeed, publicKeyText } from "../../src/chain/transaction.ts";
import {
  certificateText,
  claimedLinks,
  claimText,
  type LinkSecret,
  readLinkFragment,
  readVoucherFragment,
} from "../../src/domain/claim-proofs.ts";
import { redemptionArguments } from "../../src/domain/mint-call.ts";

const linkFragment = ({ drop, link, seed, certificate }: LinkSecret): string =>
  [drop, link, ...[seed, certificate].map((part) => Buffer.from(part).toString("base64url"))].join(".");

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const numbers = { drop: fc.integer({ min: 1, max: 999_999_999 }), link: fc.integer({ min: 0, max: 9_999 }) };

test("the fragment of a claim link is read back as it was made", () => {
  const secret = fc.record({ ...numbers, seed: bytes(32), certificate: bytes(64) });
  fc.assert(
    fc.property(secret, (given) => {
      expect(readLinkFragment(`#${linkFragment(given)}`)).toEqual(given);
    }),
  );
});

test("a fragment that is incomplete or not a claim link's is refused", () => {
  const secret = { drop: 3, link: 4, seed: new Uint8Array(32), certificate: new Uint8Array(64) };
  const whole = linkFragment(secret);
  for (let end = 0; end < whole.length; end++) expect(readLinkFragment(whole.slice(0, end))).toBeNull();
  expect(readLinkFragment(`${whole}.x`)).toBeNull();
  for (const [from, to] of [
    [/^3/, "0"],
    [/^3/, "03"],
    [/^3/, "3x"],
    [/^3/, "x3"],
    [/^3/, "##3"],
    [/^3/, ""],
    [/\.4\./, ".04."],
    [/\.4\./, ".x4."],
    [/\.4\./, ".4x."],
    [/\.4\./, ".100000."],
    [/\.4\./, ".."],
    // 31 bytes, and letters of another alphabet than base64url's.
    [/A{43}/, "A".repeat(42)],
    [/A{43}/, `+${"A".repeat(42)}`],
    [/A{43}/, `${"A".repeat(42)}=`],
  ] as const)
    expect(readLinkFragment(whole.replace(from, to)), `${to}`).toBeNull();
  expect(readLinkFragment(`${whole.slice(0, 3)}#${whole.slice(3)}`)).toBeNull();
  fc.assert(fc.property(fc.string(), (text) => readLinkFragment(text) === null));
});

test("a link of the client has the issuer's signature, which is valid for its own drop and contract only", async () => {
  await fc.assert(
    fc.asyncProperty(bytes(32), numbers.drop, numbers.link, async (seed, drop, link) => {
      const issuer = await ClaimIssuer.fromSeed(Buffer.from(seed).toString("base64url"));
      const made = await issuer.link("testnet", "nft.near", drop, link);
      const secret = readLinkFragment(made.fragment)!;
      expect(secret).toMatchObject({ drop, link });
      // near-api-js tells the same public keys of the same seeds.
      expect(publicKeyText(keyFromSeed(seed).publicKey)).toBe(issuer.publicKey);
      expect(publicKeyText(keyFromSeed(secret.seed).publicKey)).toBe(made.publicKey);
      const verify = (network: string, contract: string) => {
        const text = certificateText({ network, contract, drop, link }, made.publicKey);
        return PublicKey.fromString(issuer.publicKey).verify(
          new TextEncoder().encode(text),
          secret.certificate,
        );
      };
      expect([verify("testnet", "nft.near"), verify("testnet", "nft2.near")]).toEqual([true, false]);
      expect(verify("mainnet", "nft.near")).toBe(false);
      expect(await issuer.link("testnet", "nft.near", drop, link)).toEqual(made);
      expect((await issuer.link("mainnet", "nft.near", drop, link)).publicKey).not.toBe(made.publicKey);
      expect((await issuer.link("testnet", "nft.near", drop + 1, link)).publicKey).not.toBe(made.publicKey);
    }),
    { numRuns: 20 },
  );
});

test("a voucher of the client has the issuer's signature of its terms, line by line", async () => {
  const issuer = await ClaimIssuer.fromSeed(Buffer.alloc(32, 7).toString("base64url"));
  const price = 10n ** 24n;
  const expiresAt = new Date("2030-01-01T00:00:00Z");
  const terms = { network: "testnet", contract: "nft.near", dropId: 3, nonce: 14, receiver: "bob.near" };
  const { args, deposit } = await issuer.voucher({ ...terms, quantity: 2, price, expiresAt });
  expect(deposit).toBe(`${2n * price}`);
  const { signature, ...shown } = args;
  expect(shown).toEqual({
    drop_id: 3,
    nonce: 14,
    receiver_id: "bob.near",
    quantity: 2,
    price: `${price}`,
    expires_at_ms: expiresAt.getTime(),
  });
  const text = `mintage-voucher\ntestnet\nnft.near\n3\n14\nbob.near\n2\n${price}\nNEAR\n1893456000000`;
  const signed = (of: string) =>
    PublicKey.fromString(issuer.publicKey).verify(
      new TextEncoder().encode(of),
      Buffer.from(signature, "base64"),
    );
  expect([signed(text), signed(`${text} `)]).toEqual([true, false]);
  expect((await issuer.voucher({ ...terms, price, expiresAt })).args.quantity).toBe(1);
});

test("a voucher in a token is signed for it, and the token's own call redeems it", async () => {
  const issuer = await ClaimIssuer.fromSeed(Buffer.alloc(32, 7).toString("base64url"));
  const expiresAt = new Date("2030-01-01T00:00:00Z");
  const terms = { network: "testnet", contract: "nft.near", dropId: 3, nonce: 14, receiver: "bob.near" };
  const made = await issuer.voucher({ ...terms, quantity: 2, price: 5n, currency: "usdc.near", expiresAt });
  const text = "mintage-voucher\ntestnet\nnft.near\n3\n14\nbob.near\n2\n5\nusdc.near\n1893456000000";
  const signature = Buffer.from(made.args.signature, "base64");
  const key = PublicKey.fromString(issuer.publicKey);
  expect(key.verify(new TextEncoder().encode(text), signature)).toBe(true);
  expect(made.deposit).toBe("1");
  const msg = JSON.stringify({ voucher: made.args });
  expect(made.call).toEqual({
    contract: "usdc.near",
    method: "ft_transfer_call",
    args: { receiver_id: "nft.near", amount: "10", msg },
  });
  expect(redemptionArguments("nft.near", made.args, "10")).toEqual(made.call.args);
  for (const fragment of [made.fragment, `#${made.fragment}`])
    expect(readVoucherFragment(fragment)).toEqual(made.args);
});

test("a key that begins with zero bytes is written with a 1 for each", async () => {
  const seedOf = (count: number) => new Uint8Array(32).with(30, count >> 8).with(31, count & 255);
  const keyOf = (count: number) => keyFromSeed(seedOf(count)).publicKey;
  // One key in 256 begins with a zero.
  let count = 0;
  while (keyOf(count)[0] !== 0) count++;
  const issuer = await ClaimIssuer.fromSeed(Buffer.from(seedOf(count)).toString("base64url"));
  expect(issuer.publicKey).toBe(publicKeyText(keyOf(count)));
  expect(issuer.publicKey).toMatch(/^ed25519:1/);
});

test("a seed of another length is refused", async () => {
  await expect(ClaimIssuer.fromSeed("AAAA")).rejects.toThrow("32 bytes");
  const issuer = await ClaimIssuer.create();
  expect((await ClaimIssuer.fromSeed(issuer.seed)).publicKey).toBe(issuer.publicKey);
});

test("what a link's key signs names the place and the receiver, line by line", () => {
  const place = { network: "testnet", contract: "nft.near", drop: 3, link: 4 };
  expect(claimText(place, "bob.near")).toBe("mintage-claim\ntestnet\nnft.near\n3\n4\nbob.near");
});

test("bits show which links were claimed", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 79 })), (claimed) => {
      const bits = new Uint8Array(10);
      for (const link of claimed) bits[link >> 3]! |= 1 << (link & 7);
      expect(claimedLinks(bits)).toEqual(claimed.toSorted((a, b) => a - b));
    }),
  );
});

const terms = fc.record({
  dropId: numbers.drop,
  nonce: numbers.link,
  receiver: fc.constantFrom("alice.near", "a-b_c.d.near", "0".repeat(64), `0x${"ab".repeat(20)}`),
  quantity: fc.integer({ min: 1, max: 25 }),
  price: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
  currency: fc.constantFrom(null, "usdc.near", "0".repeat(64)),
  expiresAt: fc.date({ min: new Date(1), max: new Date("2099-01-01"), noInvalidDate: true }),
});

test("the fragment of a client's voucher is read as what the contract takes", async () => {
  const issuer = await ClaimIssuer.create();
  await fc.assert(
    fc.asyncProperty(terms, async (granted) => {
      const voucher = await issuer.voucher({ network: "testnet", contract: "nft.near", ...granted });
      expect(readVoucherFragment(`#${voucher.fragment}`)).toEqual(voucher.args);
      expect(readLinkFragment(voucher.fragment)).toBeNull();
    }),
    { numRuns: 30 },
  );
});

test("a fragment that is incomplete or not a voucher's is refused", async () => {
  const issuer = await ClaimIssuer.create();
  const place = { network: "testnet", contract: "nft.near", dropId: 3, nonce: 4 };
  const granted = { receiver: "al", price: 7n, quantity: 2, expiresAt: new Date(9) };
  const { fragment: whole } = await issuer.voucher({ ...place, ...granted });
  for (let end = 0; end < whole.length; end++) expect(readVoucherFragment(whole.slice(0, end))).toBeNull();
  for (const [from, to] of [
    ["voucher.3.", "voucher.0."],
    ["voucher.3.", "voucher.03."],
    ["voucher.3.4.2.", "voucher.3.4.26."],
    ["voucher.3.4.2.7.", "voucher.3.4.2.-7."],
    [".al", ".Alice.near"],
    [".al", ".al#"],
    ["voucher.", "xvoucher."],
  ] as const)
    expect(readVoucherFragment(whole.replace(from, to)), to).toBeNull();
  expect(readVoucherFragment(whole.replace("voucher.3.4.2.", "voucher.3.4.25."))?.quantity).toBe(25);
  fc.assert(fc.property(fc.string(), (text) => readVoucherFragment(text) === null));
});

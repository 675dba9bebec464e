import { base16 } from "multiformats/bases/base16";
import { base32 } from "multiformats/bases/base32";
import { base36 } from "multiformats/bases/base36";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";
import { afterEach, expect, test, vi } from "vitest";
import { cidBytes, DAG_PB, parseCid, RAW } from "../../src/files/ipfs/cid.ts";

const sha256 = new Uint8Array(32).fill(0xff);

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([RAW, DAG_PB] as const)("a CID of codec %i can be read in each base", (codec) => {
  for (const base of [base16, base32, base36, base58btc]) {
    expect(parseCid(base.encode(cidBytes({ codec, sha256 })))).toEqual({ codec, sha256 });
  }
});

test("a CID of version 0 can be read", () => {
  const text = CID.decode(cidBytes({ codec: DAG_PB, sha256 }))
    .toV0()
    .toString();
  expect(parseCid(text)).toEqual({ codec: DAG_PB, sha256 });
});

test("a text longer than any CID is refused without decoding, which would take quadratic time", () => {
  const decode = [base36, base58btc].map(({ decoder }) => vi.spyOn(decoder, "decode"));
  for (const prefix of ["k", "z", "Qm"]) expect(parseCid(prefix + "z".repeat(16_000))).toBeNull();
  expect(decode.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  for (const prefix of ["k", "z", "Qm"]) expect(parseCid(prefix + "z".repeat(44))).toBeNull();
  expect(decode.map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
});

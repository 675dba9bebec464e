/** Gas that the protocol charges for what a contract does (PV 84 to 88; docs.near.org, "Gas"). Ggas, as in this folder. */

/** A receipt with one call, of which the contract is loaded, without its arguments. */
const CALL = 216.119 + 980;
const CODE_BYTE = 0.001_089_295;
/** The wasm of this release, bytes, about: a hundredth of it is a thousandth of a call's gas. */
const CODE_BYTES = 181_352;
const ARGUMENT_BYTE = 0.047_683_715 + 0.002_235_934;

/** A call of a method with arguments, before the contract runs. */
export const callGas = (method: string, argumentBytes: number): number =>
  CALL + CODE_BYTES * CODE_BYTE + (method.length + argumentBytes) * ARGUMENT_BYTE;

/** Fetching what the host has read for the contract. */
const fetchGas = (bytes: number): number => 5.8504 + bytes * 0.002_822;

/** Reading a record. @param value its bytes; null: it isn't there */
export const readGas = (key: number, value: number | null): number =>
  59.2315 + key * 0.034_755 + (value === null ? 0 : 2.8655 + value * 0.009_413 + fetchGas(value));

/** A trie node on the way to a record that is written or removed. */
const NODE = 2.28;

/** A record that is written. */
export interface Written {
  /** Bytes of its key. */
  readonly key: number;
  /** Bytes of its value. */
  readonly value: number;
  /** Bytes of what was there; null: nothing was. */
  readonly old: number | null;
  /** Trie nodes on the way to it; 0 where the call has written it before. */
  readonly nodes: number;
}

/** Writing a record. */
export const writeGas = ({ key, value, old, nodes }: Written): number =>
  69.681 + nodes * NODE + key * 0.074_284 + value * 0.034_82 + (old === null ? 0 : 2.8655 + old * 0.035_919);

/** As `writeGas`, where the contract gets what was there. */
export const replaceGas = (written: Written): number =>
  writeGas(written) + (written.old === null ? 0 : fetchGas(written.old));

/** Removing a record. */
export const removeGas = ({ key, old, nodes }: Omit<Written, "value">): number =>
  56.348 + nodes * NODE + key * 0.042_04 + (old === null ? 0 : 2.8655 + old * 0.015_333);

/** A log of so many bytes of text. */
export const logGas = (bytes: number): number => 9.5302 + bytes * 0.308_58;

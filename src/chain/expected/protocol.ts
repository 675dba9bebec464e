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

/** Fetching a register of so many bytes: what the host keeps for the contract. */
const register = (bytes: number): number => 8.187 + bytes * 0.006_625;

/** Reading a record. @param value its bytes; null: it isn't there */
export const readGas = (key: number, value: number | null): number =>
  58.97 + key * 0.034_755 + (value === null ? 0 : register(value) + value * 0.005_611);

/** A trie node on the way to a record that is written. */
const NODE = 2.28;
/** Nodes on that way, in a contract of some thousand records. */
const DEPTH = 6;

/** Writing a record. @param old bytes of what was there; null: nothing was */
export const writeGas = (key: number, value: number, old: number | null): number =>
  69.42 + DEPTH * NODE + key * 0.074_284 + value * 0.034_82 + (old ?? 0) * 0.032_117;

/** As `writeGas`, where the contract gets what was there. */
export const replaceGas = (key: number, value: number, old: number | null): number =>
  writeGas(key, value, old) + (old === null ? 0 : register(old));

/** A log of so many bytes of text. */
export const logGas = (bytes: number): number => 9.27 + bytes * 0.017;

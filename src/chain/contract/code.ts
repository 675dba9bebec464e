import code from "../../../contract/wasm/mintage.wasm";

export interface ContractCode {
  readonly bytes: Uint8Array;
  /** SHA-256, the global contract's identifier. */
  readonly hash: Uint8Array;
}

let known: Promise<ContractCode> | undefined;

/** The code and its SHA-256, computed once per isolate. */
export const contractCode = (): Promise<ContractCode> => {
  known ??= crypto.subtle
    .digest("SHA-256", code)
    .then((digest) => ({ bytes: new Uint8Array(code), hash: new Uint8Array(digest) }));
  return known;
};

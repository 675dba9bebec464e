import type { Mutant } from "../mutant.ts";

/** The contract; each is built to wasm and run by the harness. */
export const CONTRACT: readonly Mutant[] = [];

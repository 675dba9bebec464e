import type { Mutant } from "../mutant.ts";

/** Operations: acceptance, steps, effects and answers. */
export const OPERATIONS: readonly Mutant[] = [];

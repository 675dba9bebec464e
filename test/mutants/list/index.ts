import type { Mutant } from "../mutant.ts";
import { BROWSER } from "./browser.ts";
import { CONTRACT } from "./contract.ts";
import { DOMAIN } from "./domain.ts";
import { HTTP } from "./http.ts";
import { LEDGER } from "./ledger.ts";
import { LIMITS } from "./limits.ts";
import { OPERATIONS } from "./operations.ts";
import { SERVICES } from "./services.ts";
import { STOCK } from "./stock.ts";
import { TERMINAL } from "./terminal.ts";
import { WALLET } from "./wallet.ts";

/** Every deliberate defect that the tests are known to notice, by the part of the project it is in. */
export const MUTANTS: readonly Mutant[] = [
  ...DOMAIN,
  ...HTTP,
  ...LEDGER,
  ...LIMITS,
  ...SERVICES,
  ...OPERATIONS,
  ...STOCK,
  ...WALLET,
  ...TERMINAL,
  ...BROWSER,
  ...CONTRACT,
];

import { registerAccount } from "../chain/contract/calls.ts";
import type { Registration } from "../collections/currencies.ts";
import type { StepTransaction } from "./top-up.ts";

/**
 * Steps that register accounts at tokens before something else is sent. Each may be repeated: a token returns the deposit
 * for an account that it knows.
 */

const STEP = "register:";

/** Names of the steps; absent: none. */
export const registrationSteps = (registrations: readonly Registration[] = []): string[] =>
  registrations.map((_, index) => `${STEP}${index}`);

export const isRegistration = (step: string): boolean => step.startsWith(STEP);

/** The transaction of such a step. */
export const registrationOf = (
  registrations: readonly Registration[] = [],
  step: string,
): StepTransaction => {
  const found = registrations[Number(step.slice(STEP.length))];
  if (!found) throw new Error(`no registration is ${step}`);
  const { currency, account, deposit } = found;
  return { receiverId: currency, actions: [registerAccount(account, deposit)] };
};

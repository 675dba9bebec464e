import { sql } from "drizzle-orm";
import { registerAccount } from "../chain/contract/calls.ts";
import type { ChainTransactionResult } from "../chain/outcome.ts";
import type { Registration } from "../collections/currencies.ts";
import type { ServiceContext } from "../context.ts";
import { type Ledger, ledgerOf } from "../db/ledger.ts";
import type { NewOperation, OperationRow } from "../db/queries/operations.ts";
import { wasAccepted } from "../db/queries/operations.ts";
import {
  areUnpaid,
  forgetRegistrations,
  fullSince,
  MOST_REGISTRATIONS,
  noteRegistrations,
  secondsUntilFree,
} from "../db/queries/registrations.ts";
import type { Statement } from "../db/statements.ts";
import { duration } from "../domain/counted.ts";
import { ServiceError } from "../domain/errors.ts";
import { stepName } from "../domain/steps.ts";
import type { ArchivedTransaction } from "../files/archive/file.ts";
import type { TransactionRecord } from "../wallet/interface.ts";
import type { Proposal } from "./kind.ts";
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

/** Retry-After in seconds while another operation registers the account. */
const RETRY_AFTER = 10;

/**
 * What the acceptance of an operation checks and notes, so that no registration is paid for twice, and an integration pays for
 * few in a day. Nothing where it registers nothing.
 */
export const registering = (
  context: ServiceContext,
  { id, integrationId }: Pick<NewOperation, "id" | "integrationId">,
  registrations: readonly Registration[],
): Pick<Proposal, "condition" | "after" | "refusal"> => {
  if (registrations.length === 0) return {};
  const { now } = context;
  const ledger = ledgerOf(context, integrationId);
  const operation = { id, integrationId, createdAt: now() };
  const isFull = sql`${fullSince(integrationId, registrations.length, operation.createdAt)} IS NOT NULL`;
  return {
    condition: sql`(${areUnpaid(registrations)} AND NOT ${isFull})`,
    after: [noteRegistrations(ledger, operation, registrations, wasAccepted(id))],
    refusal: () => refusedRegistration(context, integrationId, registrations),
  };
};

/** Why registrations can't be paid for now; null if they can. */
const refusedRegistration = async (
  context: ServiceContext,
  integrationId: NewOperation["integrationId"],
  registrations: readonly Registration[],
): Promise<ServiceError | null> => {
  const at = context.now();
  const { unpaid, since } = await ledgerOf(context, integrationId).get<{
    unpaid: number;
    since: number | null;
  }>(
    sql`SELECT ${areUnpaid(registrations)} AS unpaid, ${fullSince(integrationId, registrations.length, at)} AS since`,
  );
  if (since !== null) return tooMany(registrations, secondsUntilFree(since, at));
  if (unpaid === 1) return null;
  return new ServiceError(
    "wallet_busy",
    `Send the request again in ${RETRY_AFTER} seconds: another write registers ${whatOf(registrations)}.`,
    { outcome: "not_submitted", retryable: true, retryAfter: RETRY_AFTER },
  );
};

const whatOf = (registrations: readonly Registration[]): string =>
  registrations.map(({ currency, account }) => `${account} at ${currency}`).join(", ");

const tooMany = (registrations: readonly Registration[], retryAfter: number): ServiceError =>
  new ServiceError(
    "spending_limit_reached",
    `Wait ${duration(retryAfter)}, or register ${whatOf(registrations)} yourself (storage_deposit): the service pays for at most ${MOST_REGISTRATIONS} registrations at tokens of an integration in 24 hours. Nothing was sent.`,
    { outcome: "not_submitted", retryable: true, retryAfter },
  );

interface WithRegistrations {
  readonly registrations?: readonly Registration[];
}

type Registering = Pick<OperationRow, "id" | "integrationId"> & {
  readonly request: WithRegistrations;
};

/** Puts back into a ledger that was lost what an operation pays or has paid for. One that failed has paid for what succeeded. */
export const putRegistrationsBack = (
  ledger: Ledger,
  operation: OperationRow,
  recorded: readonly ArchivedTransaction[],
): Statement[] => {
  const { registrations = [] } = operation.request as WithRegistrations;
  const steps = registrationSteps(registrations);
  const succeeded = recorded.filter(({ result }) => (result as ChainTransactionResult).status === "success");
  const isPaid = (at: number) =>
    operation.state !== "failed" || succeeded.some(({ step }) => stepName(step) === steps[at]);
  const paid = registrations.filter((_, index) => isPaid(index));
  return paid.length === 0 ? [] : [noteRegistrations(ledger, operation, paid)];
};

/** Forgets the registrations of a failed operation that have cost nothing. */
export const forgetUnpaid = (
  context: ServiceContext,
  { id, integrationId, request: { registrations = [] } }: Registering,
  records: readonly TransactionRecord[],
): Statement[] => {
  const steps = registrationSteps(registrations);
  const mayBePaid = (step: string | undefined) =>
    records.some((record) => record.step === step && record.state !== "failed" && record.state !== "refused");
  const unpaid = registrations.filter((_, index) => !mayBePaid(steps[index]));
  return unpaid.length === 0 ? [] : [forgetRegistrations(ledgerOf(context, integrationId), id, unpaid)];
};

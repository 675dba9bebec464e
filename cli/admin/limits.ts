import type { Limits, LimitsInput } from "../../client/src/index.ts";
import { UsageError } from "../command.ts";
import { readNear } from "../launch/prices.ts";
import { near, table } from "../table.ts";
import type { Result } from "./command.ts";

/** The limits that an operator sets. The type refuses a list that lacks one. */
const LIMITS: Readonly<Record<keyof LimitsInput, true>> = {
  requests: true,
  drafts: true,
  stored_bytes: true,
  database_bytes: true,
  keys: true,
  operations_waiting: true,
  audit_entries: true,
  spending_per_day: true,
};

/** What to set a limit to. @param text a number, an amount of NEAR, or "default" @throws UsageError */
export function limitSet(name: string, text: string): LimitsInput {
  if (!Object.hasOwn(LIMITS, name)) {
    throw new UsageError(`There is no limit "${name}"; there are ${Object.keys(LIMITS).join(", ")}.`);
  }
  if (text === "default") return { [name]: null };
  if (name === "spending_per_day") return { spending_per_day: yoctoOf(name, text) };
  if (/^\d{1,15}$/.test(text)) return { [name]: Number(text) };
  throw new UsageError(
    `The limit ${name} must be a whole number of at most 15 digits, or "default"; it is "${text}".`,
  );
}

/** An amount of NEAR in yoctoNEAR. */
function yoctoOf(name: string, text: string): string {
  const read = readNear(text);
  if ("value" in read) return read.value;
  throw new UsageError(
    `The limit ${name} must be an amount of NEAR such as 2.5, or "default"; it is "${text}".`,
  );
}

/** Limits, a line each, with what is used of them. */
export const limitsShown = (limits: Limits): Result => {
  const { used, period_s, ...others } = limits;
  const rows = Object.entries(others).map(([limit, value]) => ({
    limit: limit === "requests" ? `requests of a key in ${period_s} s` : limit,
    value: limitValue(limit, value),
    used: limit in used ? limitValue(limit, used[limit as keyof typeof used]) : null,
  }));
  return { data: limits, text: table(rows) };
};

const limitValue = (limit: string, value: string | number | null): string | null =>
  limit === "spending_per_day" && value !== null ? `${near(String(value))} NEAR` : String(value ?? "–");

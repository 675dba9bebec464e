import type { AdminClient } from "../../client/src/admin.ts";
import type { ContractUpgraded, OwnedContract, UpgradePlan } from "../../client/src/index.ts";
import { UsageError } from "../command.ts";
import { near, table } from "../table.ts";

/** Which contracts, and whether only a plan is wanted. */
interface UpgradeOptions {
  readonly all?: boolean;
  readonly "dry-run"?: boolean;
}

/** What was done, or would be. */
interface UpgradeResult {
  readonly data: {
    readonly plans: readonly UpgradePlan[];
    readonly upgraded: readonly ContractUpgraded[];
  };
  readonly text: string;
}

/** Longest wait for one contract: thousands of collections take many transactions. Milliseconds. */
const LONGEST_MS = 2 * 3_600_000;

const NEAR = (yocto: string | bigint) => `${near(yocto.toString())} NEAR`;

const planRow = (plan: UpgradePlan) => ({
  contract: plan.contract_uuid,
  account: plan.account_id,
  state: plan.state,
  layout: plan.layout,
  version: plan.version,
  collections: plan.collections,
  transactions: plan.transactions,
  "top-up": NEAR(plan.top_up),
  "fees, at most": NEAR(plan.fees),
  "wallet lacks": NEAR(plan.wallet.missing),
});

const sum = (plans: readonly UpgradePlan[], field: "top_up" | "fees"): bigint =>
  plans.reduce((total, plan) => total + BigInt(plan[field]), 0n);

/** What upgrades would do and take, for a person. */
const dryRunText = (plans: readonly UpgradePlan[]): string => {
  const open = plans.filter(({ state }) => state === "ready");
  const publication = open.find(({ publish }) => publish);
  return [
    table(plans.map(planRow)),
    ...plans.flatMap(({ account_id, obstacle }) =>
      obstacle === null ? [] : [`\n${account_id}: ${obstacle}`],
    ),
    `\n${open.length} to upgrade. Their wallets pay ${NEAR(sum(open, "top_up"))} to the contracts, where it stays theirs, and burn ${NEAR(sum(open, "fees"))} at most.`,
    publication
      ? `The platform burns ${NEAR(publication.publish_cost)} once, to publish the code.`
      : "The code is published already, or there is nothing to do.",
    "Nothing was sent.",
  ].join("\n");
};

/** The chosen contracts: one by its uuid or account, or all that don't run this release's code. */
const chosen = async (
  admin: AdminClient,
  name: string | undefined,
  all: boolean,
): Promise<readonly OwnedContract[]> => {
  if ((name !== undefined) === all) throw new UsageError("Name a contract, or give --all.");
  const contracts = await admin.contracts.all();
  if (all) return contracts.filter(({ state, is_current }) => state === "ready" && !is_current);
  const found = contracts.filter((one) => one.contract_uuid === name || one.account_id === name);
  if (found.length === 0) throw new UsageError(`There is no contract "${name}".`);
  return found;
};

/**
 * Upgrades contracts one after the other and stops at the first failure; running it again continues there. With --all,
 * contracts that can't be upgraded from here are left out and named.
 */
export const upgradeContracts = async (
  admin: AdminClient,
  name: string | undefined,
  { all = false, "dry-run": isDryRun = false }: UpgradeOptions,
): Promise<UpgradeResult> => {
  const contracts = await chosen(admin, name, all);
  const plans: UpgradePlan[] = [];
  for (const { contract_uuid } of contracts) plans.push(await admin.contracts.planUpgrade(contract_uuid));
  if (isDryRun) return { data: { plans, upgraded: [] }, text: dryRunText(plans) };
  const open = all ? plans.filter(({ state }) => state !== "blocked") : plans;
  const upgraded: ContractUpgraded[] = [];
  for (const { contract_uuid, account_id } of open) {
    try {
      upgraded.push(await admin.contracts.upgrade(contract_uuid, { waitMs: LONGEST_MS }));
    } catch (error) {
      process.stderr.write(
        `Stopped at ${account_id}: ${upgraded.length} of ${open.length} are upgraded. Run the command again to continue.\n`,
      );
      throw error;
    }
    process.stderr.write(`${account_id} is upgraded (${upgraded.length} of ${open.length}).\n`);
  }
  const left = plans.filter((plan) => !open.includes(plan));
  return {
    data: { plans, upgraded },
    text: [
      table(upgraded.map(upgradedRow)),
      ...left.map(({ account_id, obstacle }) => `\nLeft out: ${account_id}. ${obstacle}`),
    ].join("\n"),
  };
};

const upgradedRow = (one: ContractUpgraded) => ({
  contract: one.contract_uuid,
  account: one.account_id,
  code: one.code_hash,
  transactions: one.tx_results.length,
});

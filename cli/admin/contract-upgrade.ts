import type { AdminClient } from "../../client/src/admin.ts";
import type { ContractUpgraded, UpgradePlan } from "../../client/src/index.ts";
import { UsageError } from "../command.ts";
import { near, table } from "../table.ts";

/** Which contracts, and whether only a plan is wanted. */
interface UpgradeOptions {
  readonly all?: boolean;
  readonly "dry-run"?: boolean;
}

/** What all upgrades together take from a wallet, yoctoNEAR. A plan's own figures are as if it were the only one. */
interface WalletNeed {
  readonly account_id: string | null;
  readonly contracts: number;
  readonly top_up: string;
  /** At most. */
  readonly fees: string;
  /** null: no node answers. */
  readonly available: string | null;
  /** null: what it has isn't known. */
  readonly missing: string | null;
}

/** What was done, or would be. */
interface UpgradeResult {
  readonly data: {
    readonly plans: readonly UpgradePlan[];
    /** Only of a dry run. */
    readonly wallets?: readonly WalletNeed[];
    readonly upgraded: readonly ContractUpgraded[];
  };
  readonly text: string;
}

/** Longest wait for one contract. Milliseconds. */
const LONGEST_MS = 600_000;

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
  wallet: plan.wallet.account_id,
});

const walletRow = (wallet: WalletNeed) => ({
  wallet: wallet.account_id,
  contracts: wallet.contracts,
  pays: NEAR(BigInt(wallet.top_up) + BigInt(wallet.fees)),
  has: wallet.available === null ? null : NEAR(wallet.available),
  lacks: wallet.missing === null ? "unknown" : NEAR(wallet.missing),
});

const isOpen = ({ state }: UpgradePlan): boolean => state === "ready";

/** Wallets of the contracts that would be upgraded, with what all of theirs take together. */
const walletNeeds = (plans: readonly UpgradePlan[]): WalletNeed[] =>
  [...Map.groupBy(plans.filter(isOpen), ({ wallet }) => wallet.account_id)].map(([account_id, its]) => {
    const [topUp, fees] = [sum(its, "top_up"), sum(its, "fees")];
    const available = its[0]?.wallet.available ?? null;
    const lacking = topUp + fees - BigInt(available ?? 0);
    return {
      account_id,
      contracts: its.length,
      top_up: topUp.toString(),
      fees: fees.toString(),
      available,
      missing: available === null ? null : (lacking > 0n ? lacking : 0n).toString(),
    };
  });

const sum = (plans: readonly UpgradePlan[], field: "top_up" | "fees"): bigint =>
  plans.reduce((total, plan) => total + BigInt(plan[field]), 0n);

/** What upgrades would do and take, for a person. */
const dryRunText = (plans: readonly UpgradePlan[], wallets: readonly WalletNeed[]): string => {
  const open = plans.filter(isOpen);
  const publication = open.find(({ publish }) => publish);
  return [
    table(plans.map(planRow)),
    ...plans.flatMap(({ account_id, obstacle }) =>
      obstacle === null ? [] : [`\n${account_id}: ${obstacle}`],
    ),
    `\n${open.length} to upgrade. Their wallets pay ${NEAR(sum(open, "top_up"))} to the contracts, which keep it, and burn ${NEAR(sum(open, "fees"))} at most.`,
    ...(wallets.length > 0 ? [`\n${table(wallets.map(walletRow))}\n`] : []),
    publication
      ? `The platform burns ${NEAR(publication.publish_cost)} once, to publish the code.`
      : "The code is already published, or nothing must be upgraded.",
    "Nothing was sent.",
  ].join("\n");
};

/** The chosen contracts' uuids: of the one that is named, or of all that don't run this release's code. */
const chosen = async (
  admin: AdminClient,
  uuid: string | undefined,
  all: boolean,
): Promise<readonly string[]> => {
  if ((uuid !== undefined) === all) throw new UsageError("Name a contract, or give --all.");
  if (uuid !== undefined) return [uuid];
  return (await admin.contracts.all())
    .filter(({ state, is_current }) => state === "ready" && !is_current)
    .map(({ contract_uuid }) => contract_uuid);
};

/**
 * Upgrades contracts one after the other and stops at the first failure; running it again continues there. With --all,
 * contracts that can't be upgraded from here are left out and named.
 */
export const upgradeContracts = async (
  admin: AdminClient,
  uuid: string | undefined,
  { all = false, "dry-run": isDryRun = false }: UpgradeOptions,
): Promise<UpgradeResult> => {
  const plans: UpgradePlan[] = [];
  for (const each of await chosen(admin, uuid, all)) plans.push(await admin.contracts.planUpgrade(each));
  if (isDryRun) {
    const wallets = walletNeeds(plans);
    return { data: { plans, wallets, upgraded: [] }, text: dryRunText(plans, wallets) };
  }
  const open = all ? plans.filter(({ state }) => state !== "blocked") : plans;
  const upgraded: ContractUpgraded[] = [];
  for (const { contract_uuid, account_id } of open) {
    try {
      const done = await admin.contracts.upgrade(contract_uuid, { waitMs: LONGEST_MS });
      upgraded.push(done);
      const what =
        done.earliest_height === null
          ? "is upgraded"
          : `announces its upgrade. Run the command again from block ${done.earliest_height} on`;
      process.stderr.write(`${account_id} ${what} (${upgraded.length} of ${open.length}).\n`);
    } catch (error) {
      process.stderr.write(
        `Stopped at ${account_id}: ${upgraded.length} of ${open.length} are upgraded. Run the command again to continue.\n`,
      );
      throw error;
    }
  }
  const left = plans.filter((plan) => !open.includes(plan));
  return {
    data: { plans, upgraded },
    text: [
      table(upgraded.map(upgradedRow)),
      ...left.map(({ account_id, obstacle }) => `\nSkipped: ${account_id}. ${obstacle}`),
    ].join("\n"),
  };
};

const upgradedRow = (one: ContractUpgraded) => ({
  contract: one.contract_uuid,
  account: one.account_id,
  code: one.code_hash,
  "from block": one.earliest_height,
  transactions: one.tx_results.length,
});

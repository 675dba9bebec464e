import type { Overview } from "../api/resources/overview.ts";
import { counted, duration } from "../domain/counted.ts";

type Facts = Omit<Overview, "attention">;
type Attention = Overview["attention"][number];
/** The subject, and a message that says what to do. */
type Finding = readonly [subject: string, message: string];

interface Rule extends Pick<Attention, "severity"> {
  readonly find: (facts: Facts) => readonly Finding[];
}

/** Days; a wallet that lasts for less needs NEAR soon. */
const SHORT_RUNWAY = 7;
/** Percent of its limit from which the database needs the operator. */
const FILLING = 80;
/** More operations that are pending at once are a backlog. */
const BACKLOG = 1_000;

const critical = (find: Rule["find"]): Rule => ({ severity: "critical", find });
const warning = (find: Rule["find"]): Rule => ({ severity: "warning", find });

const when = (isSo: boolean, ...finding: Finding): readonly Finding[] => (isSo ? [finding] : []);

const partsDown = ({ database, bucket, nodes, schedule }: Facts): readonly Finding[] => {
  const hasNode = nodes.some(({ state }) => state === "up");
  return [
    ...when(database.size_bytes === null, "database", "The database does not answer."),
    ...when(bucket.state === "down", "bucket", "The bucket does not answer."),
    ...when(!hasNode, "chain", "No node of the chain works."),
    ...when(schedule.state === "late", "schedule", "The scheduled job has not run for five minutes."),
  ];
};

/** What needs the operator's attention, critical rules first. ops/alerts.yml and docs/running.md have an entry for each. */
export const RULES: Readonly<Record<string, Rule>> = {
  part_down: critical(partsDown),
  operation_unknown: critical(({ stuck }) =>
    stuck.flatMap(({ operation_uuid: id, integration_uuid: owner, kind, state }) =>
      when(
        state === "unknown",
        id,
        `The outcome of this ${kind} can't be proven. Set NEAR_ARCHIVAL_RPC_URL to a node that keeps all history, or look at the chain and run: npm run admin -- operation settle ${id} ${owner} --effect yes|no`,
      ),
    ),
  ),
  wallet_inactive: critical(({ wallets_inactive: inactive }) =>
    inactive.map(({ integration_uuid: id, account_id }) => [
      account_id ?? id,
      `This wallet signs and accepts nothing, because its object was lost, was set back or fails at each call, or its key isn't on its account. npm run admin -- wallet ${id} shows which. Lost: npm run admin -- wallet restore ${id}`,
    ]),
  ),
  writes_refused: critical(({ writes_refused: refused }) =>
    refused.map(({ integration_uuid: id, count }) => [
      id,
      `The database has refused ${count} effects of this integration's operations. They are tried again each hour; the log line ledger.entry_refused says why.`,
    ]),
  ),
  operation_late: warning(({ at, stuck }) =>
    stuck.flatMap(({ operation_uuid, kind, state, created_at }) =>
      when(
        state === "pending",
        operation_uuid,
        `This ${kind} has been pending for ${duration((Date.parse(at) - Date.parse(created_at)) / 1_000)}, and continues by itself. If it takes an hour, npm run admin -- stuck shows why.`,
      ),
    ),
  ),
  operations_waiting: warning(({ operations }) => {
    const pending = operations.open.filter(({ state }) => state === "pending");
    const count = pending.reduce((sum, one) => sum + one.count, 0);
    return when(
      count > BACKLOG,
      "operations",
      `${count} are pending. Look at the nodes, and at the integrations with the most open operations.`,
    );
  }),
  platform_low: warning(({ platform: { state, account_id } }) =>
    when(
      state === "low",
      account_id,
      "The platform's account can't pay for another integration. Send it NEAR.",
    ),
  ),
  wallet_low: warning(({ wallets }) =>
    wallets.flatMap(({ low, account_id, name }) =>
      when(low, account_id ?? name, `The wallet of ${name} has less than 1 NEAR left. Send it NEAR.`),
    ),
  ),
  wallet_runway_short: warning(({ wallets }) =>
    wallets.flatMap(({ low, account_id, name, runway_days: days }) =>
      when(
        !low && days !== null && days < SHORT_RUNWAY,
        account_id ?? name,
        `The wallet of ${name} lasts ${days} days at the pace of the last seven. Send it NEAR.`,
      ),
    ),
  ),
  node_down: warning(({ nodes }) =>
    nodes.flatMap(({ host, state }) =>
      when(
        state !== "up",
        host,
        `The node ${state === "still" ? "has no new blocks" : "does not answer"}. If it lasts, replace it in NEAR_RPC_URL.`,
      ),
    ),
  ),
  database_filling: warning(({ database: { full_percent: percent } }) =>
    when(
      percent !== null && percent >= FILLING,
      "database",
      `The database is ${percent} % full. Have drafts that nobody needs deleted, and keep keys for fewer hours.`,
    ),
  ),
  archive_refused: warning(({ archive_refused: refused }) =>
    when(
      refused > 0,
      "archive",
      `Old operations of ${counted(refused, "integration")} could not be moved to R2; the log lines archive.page_failed and archive.file_refused say why.`,
    ),
  ),
  webhook_disabled: warning(({ webhooks }) =>
    webhooks.map(({ webhook_uuid, url, disabled_reason }) => [
      webhook_uuid,
      `The service has disabled the webhook to ${url} (${disabled_reason}). Its integrator has to repair and enable it.`,
    ]),
  ),
};

export const attentionOf = (facts: Facts): Attention[] =>
  Object.entries(RULES).flatMap(([rule, { severity, find }]) =>
    find(facts).map(([subject, message]) => ({ rule, severity, subject, message })),
  );

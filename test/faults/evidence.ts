/** What is kept of an operation that went wrong, so that it can be understood once the run is over. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InjectedFault, Moment } from "../../devchain/index.ts";
import { uuidFromBytes } from "../../src/domain/ids.ts";
import type { Finding } from "./audit.ts";
import type { Effects } from "./effects.ts";
import type { FaultyService } from "./service.ts";
import type { Entry } from "./workload.ts";

const ROOT = join(import.meta.dirname, "..", "..", ".mintage", "faults");
/** Operations of one finding that are looked into at most. */
const MOST_OPERATIONS = 10;

/** Columns of ledgers that evidence never shows. */
const HIDDEN = new Set(["fingerprint"]);

const folder = (seed: number): string => join(ROOT, String(seed));

/** An empty folder for a run. */
export const openFolder = (seed: number): void => {
  rmSync(folder(seed), { recursive: true, force: true });
  mkdirSync(folder(seed), { recursive: true });
};

/**
 * Writes which faults struck, a line each in an order that doesn't depend on when they did: two runs of one seed can be
 * compared line by line. @returns where
 */
export const saveSchedule = (
  seed: number,
  nodes: readonly InjectedFault[],
  worker: readonly string[],
  events: readonly unknown[],
): string => {
  const lines = [
    ...nodes.map(
      ({ kind, method, node, subject, nth }) => `node ${kind} ${method} ${node} ${subject} ${nth}`,
    ),
    ...worker.map((fault) => `worker ${fault}`),
  ].sort();
  const path = join(folder(seed), "schedule.txt");
  const planned = events.map((event) => `planned ${JSON.stringify(event)}`);
  writeFileSync(path, `${[...planned, ...lines].join("\n")}\n`);
  return path;
};

/** Writes the moments of all requests about operations in storms, those at which nothing struck among them. */
export const saveRequests = (seed: number, met: readonly Moment[]): void => {
  const lines = met.map(({ method, node, subject, nth }) => `${method} ${node} ${subject} ${nth}`).sort();
  writeFileSync(join(folder(seed), "requests.txt"), `${lines.join("\n")}\n`);
};

/** Writes all that the service has logged: what stands still without naming an operation shows there. */
export const saveLog = (seed: number, lines: readonly string[]): void =>
  writeFileSync(join(folder(seed), "service.log"), `${lines.join("\n")}\n`);

/** Writes the timeline of each finding's operation, and all findings. @returns the folder */
export const saveEvidence = async (
  seed: number,
  service: FaultyService,
  findings: readonly Finding[],
  effects: Effects,
): Promise<string> => {
  const path = folder(seed);
  writeFileSync(join(path, "findings.json"), text(findings.map(({ figure, text }) => ({ figure, text }))));
  const entries = new Set(findings.flatMap(({ entry }) => entry ?? []));
  for (const entry of entries) {
    const about = findings.filter((finding) => finding.entry === entry);
    const timeline = await timelineOf(service, entry, effects);
    const said = about.map(({ figure, text }) => ({ figure, text }));
    writeFileSync(join(path, `operation-${entry.ordinal}.json`), text({ findings: said, ...timeline }));
  }
  return path;
};

const text = (value: unknown): string =>
  `${JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item), 2)}\n`;

const timelineOf = async (service: FaultyService, entry: Entry, effects: Effects) => {
  const { kind, marker, evidence, ordinal, path, body, shop, told, answer, twin } = entry;
  const rows = await rowsOf(service, entry);
  const operations = new Set([
    ...rows.operations.map(({ id }) => uuidFromBytes(Buffer.from(String(id), "hex"))),
    ...told.flatMap(({ operation }) => operation ?? []),
  ]);
  const journal: Record<string, unknown> = {};
  for (const operation of [...operations].slice(0, MOST_OPERATIONS)) {
    journal[operation] = await service.suffer({ do: "journal", wallet: shop.integrationUuid, operation });
  }
  const names = [
    marker,
    ...operations,
    ...told.flatMap(({ requestId }) => requestId ?? []),
    ...effects.carriers(evidence).map(({ hash }) => hash),
    ...hashesIn(journal),
  ];
  return {
    ordinal,
    kind,
    marker,
    path,
    body: body instanceof FormData ? "a form" : body,
    integration: shop.integrationUuid,
    answer,
    twin,
    told,
    transactions: effects.carriers(evidence),
    ledger: rows,
    journal,
    logs: service.lines.filter((line) => names.some((name) => line.includes(name))),
    faults: (await service.struck()).filter((fault) => fault.includes(marker)),
  };
};

const hashesIn = (journal: Readonly<Record<string, unknown>>): string[] =>
  [...JSON.stringify(journal).matchAll(/"(?:noop_)?hash":"([^"]+)"/g)].flatMap((found) => found[1] ?? []);

/** Rows of the ledger that name the operation, without what holds or seals keys. */
const rowsOf = async (service: FaultyService, { marker, path, kind, shop }: Entry) => {
  const select = async (sql: string, ...values: string[]) => {
    const rows = await service.ledgerRows<Record<string, unknown>>(shop.integrationUuid, sql, ...values);
    return rows.map(
      (row): Record<string, unknown> =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !HIDDEN.has(name))),
    );
  };
  const subject = kind === "finalize" ? (path.split("/")[2] ?? "").replaceAll("-", "").toUpperCase() : "-";
  return {
    operations: await select(
      "SELECT * FROM operations WHERE instr(request, ?1) > 0 OR reference = ?1 OR hex(subject_id) = ?2",
      marker,
      subject,
    ),
    idempotency_keys: await select("SELECT * FROM idempotency_keys WHERE key = ?", marker),
    meta: await select("SELECT * FROM meta"),
  };
};

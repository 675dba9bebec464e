/**
 * `npm run bench:growth`: what each kind of request and one run of the schedule ask of D1, in an empty database and in
 * ones filled to a hundredth and a tenth of the sizes that the service is meant for. Nothing may grow by more than a tenth
 * between the last two; the schedule looks at pages, which an empty database can't fill. `--share 0.01` fills less, and
 * `--json` prints one line.
 */

import { answerOf, call, newDraft, openShop } from "../testing/bench-integration.ts";
import type { DatabaseUsage } from "../testing/database-usage.ts";
import { EMPTY, fill, fullPages, type Hot, scaled } from "../testing/growth-data.ts";
import { growthRequests, type Subjects } from "../testing/growth-requests.ts";
import { picture } from "../testing/pictures.ts";
import { startService } from "../testing/service.ts";
import { type Kind, kindsOf } from "./request-kinds.ts";

/** How much of the whole the database is filled to in the end, and how much before. */
const share = Number(process.argv[process.argv.indexOf("--share") + 1]) || 0.1;
const BEFORE = 0.1;
/** What a figure may be above what it was. */
const MOST_GROWTH = 1.1;
/**
 * What is measured may be disturbed by a look at what an isolate keeps for seconds: a key, and contracts that wallets have
 * left; and bytes by numbers of more digits.
 */
const SLACK: DatabaseUsage = { rows_read: 10, rows_written: 0, trips: 2, bytes: 1_024 };
/** What follows an answer is over by then. Milliseconds. */
const SETTLED_MS = 1_500;
/** What follows the answers that a request needs. Milliseconds. */
const PREPARED_MS = 300;
const SCHEDULE = "one run of the schedule";
/** A request notes when its key was last used, unless that was noted within this time. Milliseconds. */
const NOTED_EVERY_MS = 60_000;
/** One measurement takes less. Milliseconds. */
const MEASURED_MS = 5_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const service = await startService({
  entry: "bench/growth-worker.ts",
  blockMs: 100,
  settings: { OPERATIONS_KEPT_DAYS: "30" },
});
try {
  const shop = await openShop(service);
  const { integration_uuid: integration } = await answerOf<{ integration_uuid: string }>(
    await call(service, shop, "/me"),
    200,
  );
  const draft = await newDraft(service, shop);
  const collection = await finalized(draft);
  const subjects = { contract: shop.contractUuid, collection, operation: "", account: shop.walletAccountId };
  const [finalization] = await answerOf<{ operation_uuid: string }[]>(
    await call(service, shop, "/operation?limit=1"),
    200,
  );
  // With an Idempotency-Key they ask the same, and for the key, as those of growthRequests with one do.
  const kinds = (
    await kindsOf(service, {
      keys: [shop.key],
      integrationUuid: integration,
      contractUuid: shop.contractUuid,
      collectionUuid: collection,
      draftUuid: await newDraft(service, shop),
      finalizedDraftUuid: draft,
      operationUuid: finalization!.operation_uuid,
      receiver: shop.walletAccountId,
    })
  ).filter(({ name }) => !name.endsWith("with an Idempotency-Key"));
  const stores = { db: (await service.storage()).DB, ledger: await service.wallet(integration) };
  const hot: Hot = { integration, contract: shop.contractUuid, collection };
  const figures: Record<string, DatabaseUsage>[] = [];
  let from = EMPTY;
  for (const [turn, part] of [0, share * BEFORE, share].entries()) {
    const to = fullPages(scaled(part));
    await fill(stores, from, part === 0 ? EMPTY : to, hot);
    if (part > 0) from = to;
    figures.push(await measure(subjects, turn));
  }
  report(figures);

  async function finalized(draft: string): Promise<string> {
    const form = new FormData();
    form.append("asset_file", new File([picture("png", 1)], "a.png"));
    form.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies: 1_000 }]));
    const path = `/collection-draft/${draft}`;
    await answerOf(await call(service, shop, `${path}/asset-bulk`, { method: "POST", body: form }), 201);
    const finalized = await call(service, shop, `${path}/finalize`, { method: "POST" });
    return (await answerOf<{ collection_uuid: string }>(finalized, 201)).collection_uuid;
  }

  /** Each request twice, of which the second counts: the first fills what isolates keep. */
  async function measure(about: Subjects, turn: number): Promise<Record<string, DatabaseUsage>> {
    const found: Record<string, DatabaseUsage> = {};
    for (const round of [0, 1]) {
      const [newest] = await answerOf<{ operation_uuid: string }[]>(
        await call(service, shop, "/operation?limit=1"),
        200,
      );
      const requests = growthRequests({ ...about, operation: newest!.operation_uuid }, 2 * turn + round);
      for (const { name, method, path, json, headers } of requests) {
        await keyNoted();
        await used();
        const init = {
          method,
          headers: { ...headers, ...(json !== undefined && { "content-type": "application/json" }) },
          ...(json !== undefined && { body: JSON.stringify(json) }),
        };
        await answerOf(await call(service, shop, path, init), 200, 201);
        if (method !== "GET") await pause(SETTLED_MS);
        found[name] = await used();
      }
    }
    for (const kind of kinds) found[kind.name] = await usedBy(kind);
    for (let run = 0; run < 2; run += 1) {
      await used();
      await (await fetch(`${service.url}/bench/schedule`)).text();
      found[SCHEDULE] = await used();
    }
    return found;
  }

  /** Has the key's use noted before it is due: the row would be counted for whatever is measured then. */
  async function keyNoted(): Promise<void> {
    const text = "SELECT max(last_used_at) AS at FROM api_keys";
    const { at } = (await stores.db.prepare(text).first<{ at: number | null }>())!;
    const due = (at ?? 0) + NOTED_EVERY_MS - Date.now();
    if (due > MEASURED_MS) return;
    await pause(Math.max(due, 0) + PREPARED_MS);
    await answerOf(await call(service, shop, "/me"), 200);
    await pause(PREPARED_MS);
  }

  async function usedBy(kind: Kind): Promise<DatabaseUsage> {
    const { method, url, headers, body, status } = await kind.call();
    await keyNoted();
    await pause(PREPARED_MS);
    await used();
    const answer = await fetch(url, { method, headers, body: body as BodyInit });
    const text = await answer.text();
    if (answer.status !== status) throw new Error(`${kind.name}: ${answer.status} ${text.slice(0, 500)}`);
    if (method !== "GET") await pause(SETTLED_MS);
    return used();
  }

  async function used(): Promise<DatabaseUsage> {
    return (await (await fetch(`${service.url}/bench/usage`)).json()) as DatabaseUsage;
  }
} finally {
  await service.stop();
}

function report(figures: readonly Record<string, DatabaseUsage>[]): void {
  const [empty, before, after] = figures as [
    Record<string, DatabaseUsage>,
    Record<string, DatabaseUsage>,
    Record<string, DatabaseUsage>,
  ];
  const grown = Object.entries(after).flatMap(([name, usage]) =>
    (Object.keys(usage) as (keyof DatabaseUsage)[])
      .filter((figure) => usage[figure] > before[name]![figure] * MOST_GROWTH + SLACK[figure])
      .map((figure) => `${name}: ${figure} grew from ${before[name]![figure]} to ${usage[figure]}`),
  );
  if (process.argv.includes("--json")) {
    process.stdout.write(`${JSON.stringify({ share, empty, before, after, grown })}\n`);
  } else {
    for (const [size, usage] of Object.entries({ empty, [share * BEFORE]: before, [share]: after })) {
      process.stdout.write(`${size}\n`);
      console.table(usage);
    }
  }
  for (const line of grown) process.stderr.write(`${line}\n`);
  if (grown.length > 0) process.exitCode = 1;
}

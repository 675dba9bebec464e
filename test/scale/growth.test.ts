import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type DatabaseUsage, watchDatabase } from "../../testing/database-usage.ts";
import { EMPTY, fill, scaled } from "../../testing/growth-data.ts";
import { growthRequests } from "../../testing/growth-requests.ts";
import { api, bodyOf, createIntegration } from "../support/api.ts";
import { createCollection } from "../support/collections.ts";

/** The small version of `npm run bench:growth`: what a request asks of D1 doesn't depend on how much is there. */

/** Both have more of everything than one page of anything looks at. */
const [BEFORE, AFTER] = [scaled(1 / 2_000), scaled(1 / 400)];
const MOST_GROWTH = 1.1;
/** Another look, by what goes on meanwhile; what grows would grow by thousands. */
const SLACK = { rows_read: 20, rows_written: 2, trips: 1, bytes: 2_048 };
/** What follows an answer asks the database too, so that a request's figures are the least of some. */
const TURNS = 2;

test("no request reads or writes more rows, or asks more often, as the database fills", async () => {
  const shop = await createIntegration();
  const { collection_uuid: collection } = await createCollection(shop, { copies: [100] });
  const hot = { integration: shop.integrationUuid, contract: shop.contractUuid, collection };
  // Inside: no answer shows what its request read, and no request fills a database.
  const used = watchDatabase(env.DB);
  const ledger = env.WALLET.getByName(shop.integrationUuid) as unknown as Parameters<
    typeof fill
  >[0]["ledger"];
  const stores = { db: env.DB, ledger };
  let turn = 0;

  const measured = async (): Promise<Map<string, DatabaseUsage>> => {
    const least = new Map<string, DatabaseUsage>();
    for (let round = 0; round < TURNS; round += 1) {
      const newest = await api("/operation?limit=1", { key: shop.key });
      const [{ operation_uuid: operation } = { operation_uuid: "" }] = await bodyOf<
        { operation_uuid: string }[]
      >(newest, 200);
      turn += 1;
      const subjects = { contract: shop.contractUuid, collection, operation, account: shop.walletAccountId };
      for (const { name, path, ...request } of growthRequests(subjects, turn)) {
        used();
        const response = await api(path, { ...request, key: shop.key });
        await response.text();
        expect([name, response.status]).toEqual([name, response.status < 300 ? response.status : 200]);
        const usage = used();
        const before = least.get(name) ?? usage;
        const smaller = (figure: keyof DatabaseUsage) => Math.min(before[figure], usage[figure]);
        least.set(name, {
          rows_read: smaller("rows_read"),
          rows_written: smaller("rows_written"),
          trips: smaller("trips"),
          bytes: smaller("bytes"),
        });
      }
    }
    return least;
  };

  await fill(stores, EMPTY, BEFORE, hot);
  // The newest of everything is of the same kind in both measurements.
  await measured();
  const before = await measured();
  await fill(stores, BEFORE, AFTER, hot);
  const after = await measured();
  const grown = Array.from(after).flatMap(([name, usage]) =>
    (Object.keys(SLACK) as (keyof DatabaseUsage)[])
      .filter((figure) => usage[figure] > before.get(name)![figure] * MOST_GROWTH + SLACK[figure])
      .map((figure) => `${name}: ${figure} from ${before.get(name)![figure]} to ${usage[figure]}`),
  );
  expect(grown).toEqual([]);
});

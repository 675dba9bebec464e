import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { bodyOf, createIntegration } from "../support/api.ts";
import { setWalletSettings, withSecrets } from "../support/wallets.ts";

interface Rotation {
  readonly resealed: readonly string[];
  readonly failed: readonly { readonly integration_uuid: string }[];
  readonly remaining: number;
}

const ROUND = 200;

test("two hundred lost wallets keep nobody behind them from being sealed anew", async () => {
  const { 1: first } = JSON.parse(env.WALLET_SECRETS) as { 1: string };
  const both = { 1: first, 2: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)))) };
  // D1 has a sealed copy of each, their objects have nothing. Their ids come before all that are made now.
  await env.DB.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROUND})
     INSERT INTO integrations (id, name, wallet_state, wallet_account_id, wallet_public_key, wallet_secret,
       wallet_secret_version, created_at, updated_at)
     SELECT unhex('00000000000070008000' || printf('%012x', n)), 'Lost', 'ready', 'lost-' || n, zeroblob(32), zeroblob(60), 1, 0, 0 FROM numbers`,
  ).run();
  const shop = await createIntegration("Behind them");
  for (const object of [shop.integrationUuid, "platform"]) {
    await setWalletSettings(object, { WALLET_SECRETS: both });
  }
  const rotate = async () => bodyOf<Rotation>(await withSecrets(both, "/secret-rotation"), 200);

  const lost = await rotate();
  expect(lost.resealed).toEqual([]);
  expect(new Set(lost.failed.map(({ integration_uuid: uuid }) => uuid)).size).toBe(ROUND);
  expect(lost.remaining).toBe(ROUND + 1);
  expect(await rotate()).toMatchObject({ resealed: [shop.integrationUuid], failed: [], remaining: ROUND });
  // The round has come to its end: those that failed are tried again.
  expect((await rotate()).failed).toHaveLength(ROUND);
});

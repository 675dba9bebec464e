import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, test, vi } from "vitest";
import { api, bodyOf, createIntegration } from "../support/api.ts";
import { fetchWithSecrets, setObjectSettings, setWalletSettings, withSecrets } from "../support/wallets.ts";

interface Rotation {
  readonly resealed: readonly string[];
  readonly failed: readonly { readonly integration_uuid: string }[];
  readonly remaining: number;
}

const ROUND = 200;

afterEach(() => vi.restoreAllMocks());

const { 1: first } = JSON.parse(env.WALLET_SECRETS) as { 1: string };
const both = { 1: first, 2: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)))) };

test("two hundred lost wallets don't prevent the wallets after them from being sealed again", async () => {
  // D1 has a sealed copy of each key, their objects have nothing. Their ids sort before all new ones.
  // Inside: no request loses the wallets of two hundred integrations.
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
  // The round has ended, so those that failed are tried again.
  expect((await rotate()).failed).toHaveLength(ROUND);
});

test("a webhook whose secret is replaced while it is sealed again signs with the new one", async () => {
  const shop = await createIntegration("Replaced");
  await setWalletSettings("platform", { WALLET_SECRETS: both });
  await setWalletSettings(shop.integrationUuid, { WALLET_SECRETS: both });
  const json = { url: "https://hooks.example.com/a" };
  const { webhook_uuid: uuid } = await bodyOf<{ webhook_uuid: string }>(
    await api("/webhook", { key: shop.key, json }),
    201,
  );
  const [held, isSealing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const real = crypto.subtle.encrypt.bind(crypto.subtle);
  const encrypting = vi.spyOn(crypto.subtle, "encrypt").mockImplementation(async (how, ...input) => {
    const { additionalData } = how as SubtleCryptoEncryptAlgorithm;
    if (new TextDecoder().decode(additionalData).endsWith(`webhook ${uuid}`)) {
      encrypting.mockRestore();
      isSealing.resolve();
      await held.promise;
    }
    return real(how, ...input);
  });
  const rotation = withSecrets(both, "/secret-rotation");
  await isSealing.promise;
  const replaced = await api(`/webhook/${uuid}/rotate`, { key: shop.key, method: "POST" });
  const { secret } = await bodyOf<{ secret: string }>(replaced, 200);
  held.resolve();
  await bodyOf(await rotation, 200);
  const sent: { body: string; headers: Record<string, string> }[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    sent.push({ body: String(init?.body), headers: Object.fromEntries(new Headers(init?.headers)) });
    return new Response();
  });
  await setObjectSettings(() => env.WEBHOOK.getByName(uuid), { WALLET_SECRETS: both });
  await bodyOf(await api(`/webhook/${uuid}/test`, { key: shop.key, method: "POST" }), 200);
  new Webhook(secret).verify(sent[0]!.body, sent[0]!.headers);
  // Its new secret is still to be sealed under the newest version.
  const removed = await api(`/webhook/${uuid}`, { key: shop.key, method: "DELETE" });
  expect(removed.status).toBe(204);
});

test("webhook secrets still sign after the old version was removed, and a stored answer with one explains what to do", async () => {
  const shop = await createIntegration("Hooked");
  const second = { 2: both[2] };
  await setWalletSettings("platform", { WALLET_SECRETS: both });
  await setWalletSettings(shop.integrationUuid, { WALLET_SECRETS: both });
  const json = { url: "https://hooks.example.com/a" };
  const headers = { "idempotency-key": "hook" };
  const create = () => api("/webhook", { key: shop.key, json, headers });
  const hook = await bodyOf<{ webhook_uuid: string; secret: string }>(await create(), 201);
  const rotated = await bodyOf<{ secret: string }>(
    await api(`/webhook/${hook.webhook_uuid}/rotate`, { key: shop.key, method: "POST" }),
    200,
  );
  await bodyOf(await api("/webhook", { key: shop.key, json }), 201);
  const rotation = await bodyOf<{ webhooks: object }>(await withSecrets(both, "/secret-rotation"), 200);
  expect(rotation.webhooks).toEqual({ resealed: 2, failed: [], remaining: 0 });
  const again = await bodyOf<{ webhooks: object }>(await withSecrets(both, "/secret-rotation"), 200);
  expect(again.webhooks).toEqual({ resealed: 0, failed: [], remaining: 0 });

  const sent: { body: string; headers: Record<string, string> }[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    sent.push({ body: String(init?.body), headers: Object.fromEntries(new Headers(init?.headers)) });
    return new Response();
  });
  await setObjectSettings(() => env.WEBHOOK.getByName(hook.webhook_uuid), { WALLET_SECRETS: second });
  const tested = await api(`/webhook/${hook.webhook_uuid}/test`, { key: shop.key, method: "POST" });
  expect(await bodyOf(tested, 200)).toMatchObject({ status: 200 });
  for (const { secret } of [hook, rotated]) new Webhook(secret).verify(sent[0]!.body, sent[0]!.headers);

  const key = { authorization: `Api-Key ${shop.key}`, ...headers };
  const repeat = (secrets: Readonly<Record<string, string>>) =>
    fetchWithSecrets(secrets, "/api/v1/webhook", key, json);
  expect(await bodyOf(await repeat(both), 201)).toEqual(hook);
  expect(await bodyOf(await repeat(second), 409)).toMatchObject({
    message: expect.stringContaining("Rotate the webhook's secret"),
  });
});

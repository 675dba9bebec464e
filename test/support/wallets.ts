import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Uuid } from "../../src/domain/ids.ts";
import { type Settings, settingsOf } from "../../src/env.ts";
import { walletOf } from "../../src/wallet/client.ts";
import type { Outbox } from "../../src/wallet/outbox.ts";
import { admin, api, apiWith, bodyOf, createIntegration, type TestIntegration } from "./api.ts";
import { chainCall, setFaults } from "./chain-control.ts";
import { createCollection, type Finalized } from "./collections.ts";
import { background } from "./operations.ts";
import { until } from "./waiting.ts";

const objectOf = (integrationUuid: string) => env.WALLET.getByName(integrationUuid);

/** Kills a wallet's object, as a crash does. What it has committed stays. */
export const endObject = (integrationUuid: string): Promise<void> =>
  runInDurableObject(objectOf(integrationUuid), (_, state) => state.abort("ended by a test")).catch(
    () => undefined,
  );

/** Resumes an operation of an object that has seen a later clock, to which it may have put off its work. */
export const resumeByPresentClock = async (integrationUuid: string, operation: string): Promise<void> => {
  await endObject(integrationUuid);
  await runInDurableObject(objectOf(integrationUuid), (_, { storage }) => {
    storage.sql.exec("UPDATE signed SET ask_at = 0");
  });
  await background.resume(operation);
};

/** Waits until a ledger has told D1 all it has to tell. On a busy machine that takes longer than answers and the schedule wait. */
export const toldD1 = (integrationUuid: string): Promise<void> =>
  until(() =>
    runInDurableObject(objectOf(integrationUuid), (object) => {
      const { outbox } = (object as unknown as { parts: { outbox: Outbox } }).parts;
      outbox.wake();
      return !outbox.isBehind;
    }),
  );

/** Passes the time after which R2 has a copy of a ledger's operations, and D1 one of its collections. */
export const shipAll = async (integrationUuid: string): Promise<void> => {
  await runInDurableObject(objectOf(integrationUuid), async (object, { storage }) => {
    storage.sql.exec("UPDATE unshipped SET changed_at = 0");
    await (object as unknown as { ship(): Promise<void> }).ship();
  });
  await toldD1(integrationUuid);
};

/** Loses a wallet's object a minute after what was done: its key, its ledger, its alarm. @param then happens just before */
export const loseObject = async (
  integrationUuid: string,
  then: () => Promise<void> = async () => undefined,
): Promise<void> => {
  await shipAll(integrationUuid);
  await then();
  await dropObject(integrationUuid);
};

/** Loses it at once: R2 may not have what was done in the last seconds. */
export const dropObject = async (integrationUuid: string): Promise<void> => {
  await runInDurableObject(objectOf(integrationUuid), async (_, state) => {
    await state.storage.deleteAlarm();
    await state.storage.deleteAll();
  });
  await endObject(integrationUuid);
};

/** Waits until a wallet's object knows the end of all that was answered: it is told behind the answers. */
export const acknowledged = async (integrationUuid: string): Promise<void> =>
  until(() =>
    runInDurableObject(objectOf(integrationUuid), (_, { storage: { sql } }) => {
      const unacknowledged = "SELECT 1 FROM drives WHERE resume_at IS NOT NULL LIMIT 1";
      return sql.exec(unacknowledged).toArray().length === 0;
    }),
  );

/** Gives the wallets' objects other settings, as a deployment would. Returns a function that restores them. */
export const setWalletSettings = async (
  integrationUuid: string,
  changes: Partial<Settings>,
): Promise<() => Promise<void>> => setObjectSettings(() => objectOf(integrationUuid), changes);

/** The same of any object. An exception breaks a stub, so that each call takes a new one. */
export const setObjectSettings = async (
  stub: () => DurableObjectStub,
  changes: Partial<Settings>,
): Promise<() => Promise<void>> => {
  const set = (values: Partial<Settings>) =>
    runInDurableObject(stub(), (object) => {
      const settings = settingsOf((object as unknown as { env: object }).env);
      const before = Object.fromEntries(
        Object.keys(values).map((name) => [name, settings[name as keyof Settings]]),
      );
      Object.assign(settings, values);
      return before as Partial<Settings>;
    });
  const before = await set(changes);
  return async () => void (await set(before));
};

/** Gives a wallet's object other bindings for the operations that it drives. Returns a function that restores them. */
export const setWalletBindings = async (
  integrationUuid: string,
  changes: Partial<Env>,
): Promise<() => Promise<void>> => {
  const set = (values: Partial<Env>) =>
    runInDurableObject(objectOf(integrationUuid), (object) => {
      const { env: before } = object as unknown as { env: Env };
      Object.assign(object, { env: { ...before, ...values } });
      return before;
    });
  const { ...before } = await set(changes);
  return async () => void (await set(before));
};

/** Gives what runs without a request other settings: the schedule, and operations that wallets resume. */
export const setWorkerSettings = (changes: Partial<Settings>): void => {
  Object.assign(settingsOf(env), changes);
};

/** Blocks after its base block during which a transaction can get in (docs/devchain.md). */
export const VALIDITY = 86_400;

/** Passes the time in which a transaction of a restored wallet's lost object could still land. */
export const outlastRestoration = async (integrationUuid: string): Promise<void> => {
  // The wallet sees a block that is surely younger than the restoration. The validity counts from there.
  await chainCall("devchain_advance", { blocks: 3, ms: 200_000 });
  await walletOf(env, integrationUuid as Uuid).reconcile();
  await chainCall("devchain_advance", { heights: VALIDITY, blocks: 10 });
};

/** Loses a wallet's object, then restores and activates it, as an operator would. */
export const replaceObject = async (integrationUuid: string): Promise<void> => {
  await loseObject(integrationUuid);
  await setFaults();
  for (const action of ["restore", "activate"]) {
    await bodyOf(await admin(`/integration/${integrationUuid}/wallet/${action}`, { method: "POST" }), 200);
  }
};

/** An operator's request to the service with other secrets. */
export const withSecrets = (secrets: Readonly<Record<string, string>>, path: string): Promise<Response> =>
  fetchWithSecrets(secrets, `/admin/v1${path}`, { authorization: `Bearer ${env.ADMIN_TOKEN}` });

/** The answer to a POST of a Worker that was deployed with these secrets, once its background work is over. */
export async function fetchWithSecrets(
  secrets: Readonly<Record<string, string>>,
  path: string,
  headers: Readonly<Record<string, string>>,
  json?: object,
): Promise<Response> {
  const request = { method: "POST", headers, json };
  const { response, background: rest } = await apiWith(
    { WALLET_SECRETS: JSON.stringify(secrets) },
    path,
    request,
  );
  await rest();
  return response;
}

/** A mint that can't be proven: its wallet's object was lost while it was open, and has been restored since. */
export const unprovableMint = async (): Promise<{
  readonly shop: TestIntegration;
  readonly collection: Finalized;
  readonly operationUuid: string;
}> => {
  const shop = await createIntegration("Unprovable");
  const collection = await createCollection(shop, { copies: [5] });
  await setFaults({ kind: "request_lost", methods: ["send_tx"] });
  const answer = await api(`/collection/${collection.collection_uuid}/mint`, {
    key: shop.key,
    json: { receiver_addresses: [shop.walletAccountId] },
    headers: { prefer: "respond-async", "idempotency-key": "unprovable" },
  });
  const { operation_uuid: operationUuid } = await bodyOf<{ operation_uuid: string }>(answer, 202);
  await replaceObject(shop.integrationUuid);
  await background.resume(operationUuid);
  return { shop, collection, operationUuid };
};

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { api, bodyOf, createIntegration, createReceivers, type TestIntegration } from "../support/api.ts";
import { view } from "../support/chain.ts";
import { createCollection } from "../support/collections.ts";
import { createCollector } from "../support/collectors.ts";
import { background, finalAnswer, type OperationResource, readOperation } from "../support/operations.ts";
import { type Uuid, walletOf } from "../support/own-wallets.ts";
import { pay } from "../support/payments.ts";
import { eventually, later, until } from "../support/waiting.ts";
import { setWalletBindings } from "../support/wallets.ts";

/** Answers above 64 kB, which R2 keeps. */

/** The bucket, which holds what is put of answers until it is released. */
const holding = () => {
  let [isHeld, isReleased] = [false, false];
  const put: R2Bucket["put"] = async (...[key, ...rest]: Parameters<R2Bucket["put"]>) => {
    if (key.startsWith("answer/")) {
      isHeld = true;
      // An object can't wait for a promise that another one resolves.
      await until(async () => isReleased);
    }
    return env.BUCKET.put(key, ...rest);
  };
  const bucket = new Proxy(env.BUCKET, {
    get: (target, name: keyof R2Bucket) => (name === "put" ? put : target[name].bind(target)),
  });
  const release = () => {
    isReleased = true;
  };
  return { bucket, held: () => until(async () => isHeld), release };
};

/** A mint with a long response, whose request is about to store it. Nothing resumes it by itself. */
const heldMint = async () => {
  const shop = await createIntegration("Long stories");
  await pay("platform", shop.walletAccountId, 10n ** 26n);
  const { collection_uuid: uuid } = await createCollection(shop, { copies: [10] });
  const collector = await createCollector();
  const { bucket, held, release } = holding();
  const metadata = { extra: JSON.stringify("x".repeat(16_000)) };
  const json = { receiver_addresses: [collector.accountId], quantity_per_receiver: 5, metadata };
  const restore = await setWalletBindings(shop.integrationUuid, { BUCKET: bucket });
  const asked = api(`/collection/${uuid}/mint`, { key: shop.key, json });
  await held();
  await restore();
  await runInDurableObject(env.WALLET.getByName(shop.integrationUuid), (_, { storage }) =>
    storage.deleteAlarm(),
  );
  const [{ operation_uuid: operation }] = await bodyOf<[OperationResource]>(
    await api("/operation?kind=mint", { key: shop.key }),
    200,
  );
  const kept = async () => (await env.BUCKET.list({ prefix: `answer/${operation}/` })).objects;
  return { shop, collector, asked, release, operation, kept };
};

/** Drives an operation whose drive is held up for so long that it is taken for lost, whoever has asked for it meanwhile. */
const drivenAgain = async (shop: TestIntegration, operation: string) => {
  await later(30_000, () => walletOf(shop.integrationUuid).resume(operation as Uuid, 0));
  await later(90_000, () => background.resume(operation));
};

test("the response of an operation stays when another driver stores a later one", async () => {
  const { shop, collector, asked, release, operation, kept } = await heldMint();
  const [heir] = (await createReceivers(1)) as [string];
  const token_id = "1:1";
  await collector.call(shop.contractAccountId, "nft_transfer", { receiver_id: heir, token_id }, "1");
  await eventually(async () => {
    const shown = { token_id };
    expect(await view(env.NEAR_RPC_URL, shop.contractAccountId, "nft_token", shown)).toMatchObject({
      owner_id: heir,
    });
  });
  await drivenAgain(shop, operation);
  const { answer } = await readOperation<{ tokens: { owner_id: string }[] }>(shop.key, operation);
  expect(answer?.body.tokens[0]?.owner_id).toBe(heir);
  release();
  // A busy machine may have taken longer than the request waits.
  expect(await finalAnswer(shop.key, await asked)).toEqual({ status: 201, body: answer?.body });
  await until(async () => (await kept()).length === 1);
  expect((await readOperation(shop.key, operation)).answer).toEqual(answer);
  expect(await kept()).toHaveLength(1);
});

test("the response of an operation stays when another driver stores the same one", async () => {
  const { shop, asked, release, operation, kept } = await heldMint();
  await drivenAgain(shop, operation);
  const { answer } = await readOperation(shop.key, operation);
  expect(await kept()).toHaveLength(1);
  release();
  // A busy machine may have taken longer than the request waits.
  expect(await finalAnswer(shop.key, await asked)).toEqual({ status: 201, body: answer?.body });
  await until(async () => (await kept()).length === 1);
  expect((await readOperation(shop.key, operation)).answer).toEqual(answer);
  expect(await kept()).toHaveLength(1);
});

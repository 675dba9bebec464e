import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  admin,
  api,
  bodyOf,
  createIntegration,
  createReceivers,
  type TestIntegration,
} from "../support/api.ts";
import { balanceOf } from "../support/chain-control.ts";
import { createCollection, createDraft, type Finalized } from "../support/collections.ts";
import { createToken, type Token, WORDLESS } from "../support/fungible.ts";
import { background, killAt, observeCheckpoints, operationOver } from "../support/operations.ts";
import { replaceObject } from "../support/wallets.ts";

/** What the wallet pays for accounts at tokens, whatever the tokens say of it. */

const NEAR = 10n ** 24n;
const MOST = NEAR / 80n;

interface Refusal {
  readonly code: string;
  readonly message: string;
}

let shop: TestIntegration;
let collection: Finalized;
/** A key that may change the settings of this collection alone. */
let key: string;

beforeAll(async () => {
  shop = await createIntegration("Shop");
  [collection, key] = await withKey();
});

afterEach(() => observeCheckpoints(null));

const withKey = async (): Promise<[Finalized, string]> => {
  const made = await createCollection(shop);
  const json = { name: "Staff", scopes: ["settings"], collections: [made.collection_uuid] };
  const issued = await bodyOf<{ api_key: string }>(await api("/key", { key: shop.key, json }), 201);
  return [made, issued.api_key];
};

/** A token that keeps what it is paid, and says of every account that it isn't registered. */
const createLiar = (): Promise<Token> =>
  createToken(
    { symbol: "LIE", decimals: 6 },
    {
      storage_balance_of: null,
      storage_balance_bounds: { min: `${MOST}`, max: null },
      storage_deposit: { total: `${MOST}`, available: "0" },
      ft_balance_of: "1000",
      ft_transfer: null,
    },
  );
const phasesOf = (tokens: readonly Token[]) => ({
  phases: tokens.map(({ accountId }, index) => ({
    ...{ phase: index + 1, kind: index === 0 ? "allowlist" : "public" },
    ...{ mint_fee: "5", currency: accountId },
  })),
});
const update = (tokens: readonly Token[], of = collection, by = key) =>
  api(`/collection/${of.collection_uuid}`, { key: by, method: "PUT", json: phasesOf(tokens) });
/** What a token has got since it was made, without what its calls have burnt and brought. */
const gained = async (token: Token, act: () => Promise<void>): Promise<bigint> => {
  const before = await balanceOf(token.accountId);
  await act();
  return ((await balanceOf(token.accountId)) - before) / (NEAR / 1_000n);
};
const PAID = MOST / (NEAR / 1_000n);

describe("an account at a token", () => {
  test("is paid for once by updates and finalizations, also where the token says that it isn't registered", async () => {
    const liar = await createLiar();
    const got = await gained(liar, async () => {
      await bodyOf(await update([liar]), 200);
      expect(await bodyOf(await update([liar]), 400)).toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining(`register ${shop.contractAccountId} at ${liar.accountId} yourself`),
        issues: [{ path: ["phases", 0, "currency"] }],
      });
      const path = `/collection/${collection.collection_uuid}`;
      const json = { method: "PUT", path, body: phasesOf([liar]) };
      await bodyOf(await api("/quote", { key, json }), 400);
      const draft = await createDraft(shop, { settings: phasesOf([liar]) });
      await bodyOf(await api(`/collection-draft/${draft}/finalize`, { key: shop.key, method: "POST" }), 400);
    });
    expect(got).toBe(PAID);
  });

  test("is paid for once by payouts", async () => {
    const liar = await createLiar();
    const [treasury] = await createReceivers(1);
    const account = `/integration/${shop.integrationUuid}/payout-account`;
    await bodyOf(await admin(account, { method: "PUT", json: { account_id: treasury } }), 200);
    const payOut = () =>
      api("/wallet/payout", { key: shop.key, json: { amount: "all", currency: liar.accountId } });
    const got = await gained(liar, async () => {
      await bodyOf(await payOut(), 200);
      expect(await bodyOf(await payOut(), 400)).toMatchObject({ issues: [{ path: ["currency"] }] });
    });
    expect(got).toBe(PAID);
  });

  test("is paid for by one of two writes at once, and the other is sent again", async () => {
    const token = await createToken({ symbol: "USDC", decimals: 6 });
    const [second, itsKey] = await withKey();
    killAt("operation.before_submit");
    const answer = await update([token]);
    const { operation_uuid: first } = (await answer.json()) as { operation_uuid: string };
    const busy = await update([token], second, itsKey);
    expect(busy.headers.get("retry-after")).toBe("10");
    expect(await bodyOf(busy, 429)).toMatchObject({ code: "wallet_busy", outcome: "not_submitted" });
    observeCheckpoints(null);
    await background.resume(first);
    expect(await operationOver(shop.key, first)).toMatchObject({ state: "succeeded" });
    await bodyOf(await update([token], second, itsKey), 200);
  });
});

test("a registration that was refused before it was paid is paid for later", async () => {
  const owner = await createIntegration("Capped");
  const made = await createCollection(owner);
  const liar = await createLiar();
  const limit = async (spending_per_day: string | null) =>
    bodyOf(
      await admin(`/integration/${owner.integrationUuid}/limits`, {
        ...{ method: "PUT", json: { spending_per_day } },
      }),
      200,
    );
  await limit("0");
  for (const _ of [1, 2]) {
    expect(await bodyOf(await update([liar], made, owner.key), 402)).toMatchObject({
      code: "spending_limit_reached",
      message: expect.stringContaining("spending_per_day"),
    });
  }
  await limit(null);
  await bodyOf(await update([liar], made, owner.key), 200);
});

test("a token that refuses an account without a text is named, and may be paid later", async () => {
  const mute = await createToken(
    { symbol: "MUTE", decimals: 6 },
    {
      ...{ storage_balance_of: null, storage_balance_bounds: { min: `${MOST}`, max: null } },
      storage_deposit: WORDLESS,
    },
  );
  for (const _ of [1, 2]) {
    expect(await bodyOf(await update([mute]), 502)).toMatchObject({
      ...{ code: "transaction_failed", outcome: "failed_on_chain" },
      message: `Step register:0 failed on the chain: ${mute.accountId} gives no reason.`,
    });
  }
});

test("an integration pays for eight registrations in 24 hours, and others register accounts themselves", async () => {
  const owner = await createIntegration("Drained");
  const made = await createCollection(owner);
  const liars: Token[] = [];
  for (let count = 0; count < 8; count++) liars.push(await createLiar());
  await bodyOf(await update(liars, made, owner.key), 200);
  const ninth = await createToken({ symbol: "EURC", decimals: 2 });
  const draft = await createDraft(owner, { settings: phasesOf([ninth]) });
  for (const answer of [
    await update([ninth], made, owner.key),
    await api(`/collection-draft/${draft}/finalize`, { key: owner.key, method: "POST" }),
  ]) {
    const after = Number(answer.headers.get("retry-after"));
    expect(after).toBeGreaterThan(80_000);
    expect(after).toBeLessThanOrEqual(86_400);
    expect(await bodyOf<Refusal>(answer, 402)).toMatchObject({
      code: "spending_limit_reached",
      limit: "spending",
      outcome: "not_submitted",
      message: expect.stringContaining("at most 8 registrations"),
    });
  }
  await ninth.register(owner.contractAccountId);
  await bodyOf(await update([ninth], made, owner.key), 200);
  // After a loss of its ledger too.
  await replaceObject(owner.integrationUuid);
  expect(await bodyOf(await update([liars[0]!], made, owner.key), 400)).toMatchObject({
    message: expect.stringContaining("the service has paid for it"),
  });
  const tenth = await createToken({ symbol: "EURC", decimals: 2 });
  expect(await bodyOf(await update([tenth], made, owner.key), 402)).toMatchObject({
    message: expect.stringContaining("at most 8 registrations"),
  });
  // Others aren't affected.
  await bodyOf(await update([await createLiar()]), 200);
});

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Drop, DropAnswer, DropClosed, DropSummary, PublicClaim } from "../../client/src/index.ts";
import {
  admin,
  api,
  apiWith,
  bodyOf,
  createIntegration,
  createReceivers,
  statusesOf,
  type TestIntegration,
} from "../support/api.ts";
import { addOperations, archive, NEWEST } from "../support/archives.ts";
import { view } from "../support/chain.ts";
import { type Issuer, type Link, makeLink, newIssuer } from "../support/claim-links.ts";
import { createCollection, type Finalized, mintedOnChain } from "../support/collections.ts";
import { putPage } from "../support/collectors.ts";
import { goBack, takeSnapshot } from "../support/database.ts";
import { inLedgers } from "../support/ledgers.ts";
import { background, killAt, killedAt, OPERATION_POINTS, observeCheckpoints } from "../support/operations.ts";
import { drain } from "../support/payments.ts";
import { eventually } from "../support/waiting.ts";

const YEAR = 365 * 24 * 60 * 60 * 1000;
const later = (ms = YEAR) => new Date(Date.now() + ms).toISOString();

let shop: TestIntegration;
let stranger: TestIntegration;
let made: Finalized;
let issuer: Issuer;
let receiver: string;
let other: string;
const slug = `claims-${crypto.randomUUID().slice(0, 8)}`;

/** A collection with a page. */
const shown = async (integration: TestIntegration, name: string, copies: number[] = [400]) => {
  const collection = await createCollection(integration, { copies });
  await bodyOf(
    await putPage(integration.key, collection.collection_uuid, { slug: name, enabled: true }),
    200,
  );
  return collection;
};

const open = async (json: object = {}, integration = shop, collection = made) =>
  api(`/collection/${collection.collection_uuid}/drop`, {
    key: integration.key,
    json: { issuer_public_key: issuer.getPublicKey().toString(), links: 40, expires_at: later(), ...json },
  });

const change = (drop: number, json: object) =>
  api(`/collection/${made.collection_uuid}/drop/${drop}`, { method: "PUT", key: shop.key, json });

const opened = async (json: object = {}) => (await bodyOf<DropAnswer>(await open(json), 201)).drop;

const claim = (link: Link, to = receiver, page = slug, more: object = {}) =>
  api("/public/v1/claim", { json: { slug: page, ...link.proofFor(to), ...more } });

const claimed = async (link: Link, to = receiver) => bodyOf<PublicClaim>(await claim(link, to), 200);

const operations = async () =>
  (await bodyOf<object[]>(await api("/operation?kind=claim", { key: shop.key }), 200)).length;

beforeAll(async () => {
  shop = await createIntegration("Shop");
  stranger = await createIntegration("Stranger");
  made = await shown(shop, slug, [4_000]);
  issuer = newIssuer();
  [receiver, other] = (await createReceivers(2)) as [string, string];
});
afterEach(() => observeCheckpoints(null));

const linkOf = (drop: number, link: number, by = issuer, of = shop) =>
  makeLink(by, { network: env.NEAR_NETWORK, contract: of.contractAccountId, drop, link });

describe("a drop", () => {
  test("is opened with the defaults for fields that are null", async () => {
    expect(await opened({ quantity: null, reserve: null })).toMatchObject({ quantity: 1 });
  });

  test("is opened, shown, listed, extended, and closed once it is over", async () => {
    const drop = await opened({ links: 3, quantity: 2 });
    expect(drop).toMatchObject({
      collection_uuid: made.collection_uuid,
      contract_address: shop.contractAccountId,
      links: 3,
      claimed: 0,
      quantity: 2,
    });
    expect(BigInt(drop.reserve)).toBeGreaterThan(10n ** 22n);
    const path = `/collection/${made.collection_uuid}/drop`;
    expect(await bodyOf<Drop>(await api(`${path}/${drop.drop_id}`, { key: shop.readKey }), 200)).toEqual(
      drop,
    );
    const listed = await bodyOf<DropSummary[]>(await api(path, { key: shop.readKey }), 200);
    expect(listed.map(({ drop_id: id }) => id)).toContain(drop.drop_id);
    const longer = later(2 * YEAR);
    const extended = await bodyOf<DropAnswer>(
      await api(`${path}/${drop.drop_id}`, {
        method: "PUT",
        key: shop.key,
        json: { links: 4, expires_at: longer },
      }),
      200,
    );
    expect(extended.drop).toMatchObject({ links: 4, expires_at: longer });
    expect(BigInt(extended.drop.reserve)).toBeGreaterThan(BigInt(drop.reserve));
    const close = () => api(`${path}/${drop.drop_id}`, { method: "DELETE", key: shop.key });
    expect(await bodyOf(await close(), 409)).toMatchObject({ code: "conflict", outcome: "failed_on_chain" });
    for (const number of [0, 1, 2, 3]) await claimed(linkOf(drop.drop_id, number));
    const done = await bodyOf<Drop>(await api(`${path}/${drop.drop_id}`, { key: shop.key }), 200);
    // A bit a link, the lowest first.
    expect([...Buffer.from(done.claimed_links, "base64")]).toEqual([0b1111]);
    expect(await bodyOf<DropClosed>(await close(), 200)).toMatchObject({ drop_id: drop.drop_id });
    await bodyOf(await api(`${path}/${drop.drop_id}`, { key: shop.key }), 404);
    await bodyOf(await close(), 404);
  });

  test.each([
    [{ links: 0 }, "links"],
    [{ links: 10_001 }, "links"],
    [{ quantity: 26 }, "quantity"],
    [{ expires_at: "tomorrow" }, "expires_at"],
    [{ issuer_public_key: "ed25519:abc" }, "issuer_public_key"],
    [{ reserve: "-1" }, "reserve"],
    [{ link: 3 }, "link"],
  ])("with %j is refused", async (json, field) => {
    const refused = await bodyOf<{ issues: { path: string[] }[] }>(await open(json), 400);
    expect(refused.issues[0]!.path[0]).toBe(field);
  });

  test("can't end in the past or too far in the future: that is refused before anything is sent", async () => {
    const drop = await opened({ links: 1 });
    const all = async () => bodyOf<object[]>(await api("/operation", { key: shop.key }), 200);
    const before = await all();
    const update = (end: string) => change(drop.drop_id, { expires_at: end });
    const [past, far, seconds] = ["2020-01-01T00:00:00Z", later(5.1 * YEAR), "1970-01-20T00:00:00Z"];
    for (const answer of [
      await open({ expires_at: past }),
      await open({ expires_at: far }),
      await update(far),
      await update(seconds),
    ]) {
      expect(await bodyOf(answer, 400)).toMatchObject({ issues: [{ path: ["expires_at"] }] });
    }
    expect(await all()).toEqual(before);
  });

  test("can't get fewer links, nor have missing links revoked: that is refused before anything is sent", async () => {
    const drop = await opened({ links: 3 });
    for (const [json, path] of [
      [{ links: 2 }, ["links"]],
      [{ revoke: [2, 3] }, ["revoke", 1]],
      [{ revoke: [] }, ["revoke"]],
      [{ revoke: [-1] }, ["revoke", 0]],
      [{ issuer_public_key: "ed25519:abc" }, ["issuer_public_key"]],
      [{}, []],
    ] as const) {
      const refused = await bodyOf<object>(await change(drop.drop_id, json), 400);
      expect(refused).toMatchObject({ code: "invalid_request", issues: [{ path }] });
      expect(refused).not.toHaveProperty("operation_uuid");
    }
    await bodyOf(await change(drop.drop_id, { links: 3, expires_at: drop.expires_at }), 200);
  });

  test("has single links revoked, which frees their reserve, and others stay valid", async () => {
    const drop = await opened({ links: 1_000, quantity: 1 });
    await claimed(linkOf(drop.drop_id, 0));
    const revoke = Array.from({ length: 999 }, (_, index) => index);
    const { drop: after } = await bodyOf<DropAnswer>(await change(drop.drop_id, { revoke }), 200);
    expect(after).toMatchObject({ links: 1_000, claimed: 1, revoked: 998 });
    const numbers = (bits: string) =>
      [...Buffer.from(bits, "base64")].flatMap((byte, at) =>
        [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => (byte >> bit) & 1).map((bit) => 8 * at + bit),
      );
    expect(numbers(after.claimed_links)).toEqual([0]);
    expect(numbers(after.revoked_links)).toEqual(revoke.slice(1));
    expect(BigInt(after.reserve)).toBeLessThan(BigInt(drop.reserve) / 100n);
    expect(await bodyOf(await claim(linkOf(drop.drop_id, 5)), 409)).toMatchObject({ code: "conflict" });
    await claimed(linkOf(drop.drop_id, 999));
  });

  test("gets another issuer, whose links alone are valid, and ends early", async () => {
    const { drop_id: id } = await opened({ links: 4 });
    const next = newIssuer();
    const issuer_public_key = next.getPublicKey().toString();
    const { drop } = await bodyOf<DropAnswer>(await change(id, { issuer_public_key }), 200);
    expect(drop).toMatchObject({ issuer_public_key, links: 4 });
    expect(await bodyOf(await claim(linkOf(id, 0)), 400)).toMatchObject({ code: "invalid_request" });
    await claimed(linkOf(id, 0, next));
    await bodyOf(await change(id, { expires_at: later(-60_000) }), 200);
    expect(await bodyOf(await claim(linkOf(id, 1, next)), 409)).toMatchObject({ code: "conflict" });
    const path = `/collection/${made.collection_uuid}/drop/${id}`;
    await bodyOf(await api(path, { method: "DELETE", key: shop.key }), 200);
  });

  test("belongs to its collection and integration", async () => {
    const { drop_id: id } = await opened();
    await bodyOf(await open({}, stranger), 404);
    await bodyOf(await open({}, { ...shop, key: shop.readKey }), 403);
    const away = await createCollection(shop);
    for (const [key, uuid] of [
      [stranger.key, made.collection_uuid],
      [shop.key, away.collection_uuid],
    ] as const) {
      const path = `/collection/${uuid}/drop/${id}`;
      await bodyOf(await api(path, { key }), 404);
      await bodyOf(await api(path, { key, method: "PUT", json: { links: 100 } }), 404);
      await bodyOf(await api(path, { key, method: "DELETE" }), 404);
    }
    expect(
      await bodyOf(await api(`/collection/${away.collection_uuid}/drop`, { key: shop.key }), 200),
    ).toEqual([]);
  });

  test("a wallet pays the reserve that the contract can't pay", async () => {
    const many = await createCollection(shop, { copies: [60_000] });
    const drop = await bodyOf<DropAnswer>(await open({ links: 60, quantity: 25 }, shop, many), 201);
    expect(BigInt(drop.drop.reserve)).toBeGreaterThan(5n * 10n ** 23n);
  });
});

describe("POST /public/v1/claim", () => {
  test("redeems a link for an account, returns its NFTs, and returns the same again", async () => {
    const drop = await opened({ quantity: 2 });
    const link = linkOf(drop.drop_id, 7);
    const { proofFor: _, ...public_ } = link;
    const query = new URLSearchParams(Object.entries(public_).map(([name, value]) => [name, String(value)]));
    const path = `/public/v1/page/${slug}/claim?${query}`;
    expect(await bodyOf(await api(path), 200)).toEqual({
      drop_id: drop.drop_id,
      link: 7,
      quantity: 2,
      expires_at: drop.expires_at,
    });
    const answer = await claimed(link);
    expect(answer).toMatchObject({ state: "succeeded", receiver_id: receiver });
    expect(answer.tokens.map(({ owner_id: owner }) => owner)).toEqual([receiver, receiver]);
    expect(answer.tokens.every(({ media_url: url }) => url !== null)).toBe(true);
    expect(answer.transaction_hash).toMatch(/^\w{43,44}$/);
    const count = await operations();
    const again = await claimed(link);
    expect(again).toEqual(answer);
    expect(await operations()).toBe(count);
    expect(JSON.stringify(answer)).not.toContain(made.collection_uuid);
    await eventually(async () =>
      expect(await bodyOf(await api(path), 409)).toMatchObject({ code: "conflict" }),
    );
  });

  test("tells who has a used link what it gave and to whom, also once that was archived", async () => {
    const { drop_id: drop } = await opened({ quantity: 2 });
    const [link, fresh] = [linkOf(drop, 8), linkOf(drop, 9)];
    const given = ({ drop_id, link: number, link_public_key: key }: Link) => {
      const query = { drop_id: String(drop_id), link: String(number), link_public_key: key };
      return api(`/public/v1/page/${slug}/claimed?${new URLSearchParams(query)}`);
    };
    expect(await bodyOf(await given(link), 404)).toMatchObject({ code: "not_found" });
    const answer = await claimed(link);
    const told = () => eventually(async () => expect(await bodyOf(await given(link), 200)).toEqual(answer));
    await told();
    // Another key of the same number is no link of the holder's.
    await bodyOf(await given({ ...link, link_public_key: fresh.link_public_key }), 404);
    await bodyOf(await given(fresh), 404);
    const before = await takeSnapshot();
    await addOperations(shop.integrationUuid, made.collection_uuid, NEWEST);
    await archive();
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    await told();
    await goBack(before);
  });

  test("returns the same for a claim that was archived", async () => {
    const link = linkOf((await opened()).drop_id, 3);
    const answer = await claimed(link);
    const before = await takeSnapshot();
    await addOperations(shop.integrationUuid, made.collection_uuid, NEWEST);
    await archive();
    // Inside: the API shows an operation wherever it is; this one has to have been archived.
    expect(await inLedgers("SELECT 1 FROM operations WHERE kind = 'claim'")).toEqual([]);
    expect(await claimed(link)).toEqual(answer);
    expect(await bodyOf(await claim(link, other), 409)).toMatchObject({ code: "conflict" });
    await goBack(before);
  });

  test("creates the account if it has an implicit id", async () => {
    const link = linkOf((await opened()).drop_id, 0);
    const implicit = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
    expect((await claimed(link, implicit)).tokens[0]!.owner_id).toBe(implicit);
  });

  test("redeems a link once, whoever asks at the same time", async () => {
    const link = linkOf((await opened()).drop_id, 1);
    const [before, count] = [await mintedOnChain(shop, made), await operations()];
    const same = Array.from({ length: 4 }, () => claim(link));
    const others = [claim(link, other), claim(link, other)];
    const statuses = await statusesOf([...same, ...others]);
    expect(statuses[200]! + statuses[409]!).toBe(6);
    expect([2, 4]).toContain(statuses[200]);
    expect(await mintedOnChain(shop, made)).toBe(before + 1);
    expect(await operations()).toBe(count + 1);
  });

  test("refuses an invalid claim before anything is sent", async () => {
    const { drop_id: drop } = await opened({ links: 3 });
    const [count, used] = [await operations(), linkOf(drop, 2)];
    const right = linkOf(drop, 1);
    const { signature } = linkOf(drop, 1).proofFor(receiver);
    const redirected = { ...right.proofFor(receiver), receiver_id: other };
    const refused = async (answer: Promise<Response>, status: number, code: string) =>
      expect(await bodyOf(await answer, status)).toMatchObject({ code });
    await refused(claim(linkOf(drop, 1, newIssuer())), 400, "invalid_request");
    await refused(claim(right, receiver, slug, { signature }), 400, "invalid_request");
    await refused(api("/public/v1/claim", { json: { slug, ...redirected } }), 400, "invalid_request");
    await refused(claim(linkOf(drop, 3)), 400, "invalid_request");
    await refused(claim(right, "nobody-has-this.test"), 400, "unknown_account");
    for (const lost of [shop.contractAccountId, "system", "a.system"])
      await refused(claim(right, lost), 400, "invalid_request");
    await refused(claim(linkOf(999_999, 0)), 404, "not_found");
    await refused(claim(right, receiver, "no-such-page"), 404, "not_found");
    await refused(claim(right, receiver, slug, { link_public_key: "ed25519:1" }), 400, "invalid_request");
    await refused(claim(right, receiver, slug, { certificate: "AAAA" }), 400, "invalid_request");
    const away = `away-${crypto.randomUUID().slice(0, 8)}`;
    await shown(shop, away);
    await refused(claim(right, receiver, away), 404, "not_found");
    expect(await operations()).toBe(count);
    await claimed(used);
    await refused(claim(linkOf(drop, 2)), 409, "conflict");
    await refused(claim(used, other), 409, "conflict");
    expect(await operations()).toBe(count + 1);
  });

  test("reports that a collection is sold out", async () => {
    const name = `few-${crypto.randomUUID().slice(0, 8)}`;
    const few = await shown(shop, name, [1]);
    const drop = await bodyOf<DropAnswer>(await open({ links: 2 }, shop, few), 201);
    await bodyOf(await claim(linkOf(drop.drop.drop_id, 0), receiver, name), 200);
    const refused = await claim(linkOf(drop.drop.drop_id, 1), receiver, name);
    expect(await bodyOf(refused, 409)).toMatchObject({ code: "sold_out", outcome: "not_submitted" });
  });

  test("counts towards the address's limit", async () => {
    const link = linkOf((await opened()).drop_id, 0);
    const none = { PAGE_LIMIT: { limit: async () => ({ success: false }) } };
    const json = { slug, ...link.proofFor(receiver) };
    const { response } = await apiWith(none, "/public/v1/claim", { json });
    expect(await bodyOf(response, 429)).toMatchObject({ code: "rate_limited" });
    await claimed(link);
  });

  test("keeps the link valid if the wallet can't pay, without disclosing that", async () => {
    const poor = await createIntegration("Poor");
    const name = `poor-${crypto.randomUUID().slice(0, 8)}`;
    const collection = await shown(poor, name, [10]);
    const drop = await bodyOf<DropAnswer>(await open({ links: 2 }, poor, collection), 201);
    await drain(poor.integrationUuid);
    const link = linkOf(drop.drop.drop_id, 0, issuer, poor);
    const paused = await bodyOf<{ code: string }>(await claim(link, receiver, name), 503);
    expect(paused).toMatchObject({ code: "claims_paused", outcome: "not_submitted", retryable: true });
    expect(JSON.stringify(paused)).not.toContain(poor.walletAccountId);
    expect(JSON.stringify(paused)).not.toContain("operation");
    const eligible = { drop_id: drop.drop.drop_id, link: 0 };
    expect(await view(env.NEAR_RPC_URL, poor.contractAccountId, "claim_eligibility", eligible)).toMatchObject(
      { allowed: true },
    );
  });

  test("keeps the link valid if the integration is suspended or over its limit, without disclosing that", async () => {
    const limited = await createIntegration("Limited");
    const name = `limited-${crypto.randomUUID().slice(0, 8)}`;
    const collection = await shown(limited, name, [10]);
    const drop = await bodyOf<DropAnswer>(await open({ links: 2 }, limited, collection), 201);
    const link = linkOf(drop.drop.drop_id, 0, issuer, limited);
    const path = `/integration/${limited.integrationUuid}`;
    const changed = async (at: string, json: object) =>
      bodyOf(await admin(`${path}${at}`, { method: "PUT", json }), 200);
    for (const [at, forbid, allow] of [
      ["/limits", { spending_per_day: "1" }, { spending_per_day: null }],
      ["", { suspended: true }, { suspended: false }],
    ] as const) {
      await changed(at, forbid);
      const paused = await bodyOf<object>(await claim(link, receiver, name), 503);
      expect(paused).toMatchObject({ code: "claims_paused", outcome: "not_submitted", retryable: true });
      expect(JSON.stringify(paused)).not.toMatch(/spen|suspen|operat/);
      await changed(at, allow);
    }
    expect((await bodyOf<PublicClaim>(await claim(link, receiver, name), 200)).token_ids).toHaveLength(1);
    await changed("", { suspended: true });
    await bodyOf(await claim(link, receiver, name), 200);
    await bodyOf(await admin(`${path}?leave_funds=true`, { method: "DELETE" }), 200);
    const other = linkOf(drop.drop.drop_id, 1, issuer, limited);
    expect(await bodyOf(await claim(other, receiver, name), 503)).toMatchObject({ code: "claims_paused" });
  });

  test("reports the claim in one event", async () => {
    const link = linkOf((await opened()).drop_id, 0);
    const { token_ids: ids } = await claimed(link);
    await background.reconcile();
    const events = await bodyOf<{ type: string; data: { token_id?: string } }[]>(
      await api("/event?type=nft.minted", { key: shop.key }),
      200,
    );
    const [operation] = await bodyOf<{ operation_uuid: string }[]>(
      await api("/operation?kind=claim&limit=1", { key: shop.key }),
      200,
    );
    expect(events.filter(({ data }) => data.token_id === ids[0])).toMatchObject([
      { data: { source: "api", operation_uuid: operation!.operation_uuid, reference: null } },
    ]);
  });

  test.each(OPERATION_POINTS)("mints the NFTs once if it is killed at %s", async (point) => {
    const link = linkOf((await opened()).drop_id, 0);
    const before = await mintedOnChain(shop, made);
    const cut = await killedAt(point, () => claim(link));
    await cut.body?.cancel();
    await eventually(async () => {
      expect(await claimed(link)).toMatchObject({ state: "succeeded", receiver_id: receiver });
    });
    expect(await mintedOnChain(shop, made)).toBe(before + 1);
  });

  test("knows the claim again after the database was rolled back", async () => {
    const drop = await opened();
    const [early, open_] = [linkOf(drop.drop_id, 0), linkOf(drop.drop_id, 1)];
    const before = await takeSnapshot();
    const answer = await claimed(early);
    killAt("operation.before_effects");
    await (await claim(open_)).body?.cancel();
    observeCheckpoints(null);
    await goBack(before);
    expect(await claimed(early)).toEqual(answer);
    await eventually(async () => expect((await claimed(open_)).state).toBe("succeeded"));
    const shownDrop = await api(`/collection/${made.collection_uuid}/drop/${drop.drop_id}`, {
      key: shop.key,
    });
    expect((await bodyOf<Drop>(shownDrop, 200)).claimed).toBe(2);
  });
});

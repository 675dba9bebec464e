import { beforeAll, describe, expect, test } from "vitest";
import { admin, api, bodyOf } from "../support/api.ts";
import { attach, formOf, newTenant, type Tenant } from "../support/uploads.ts";

/** Texts that get to the chain, to logs and to terminals have no control characters. */

interface ErrorBody {
  readonly code: string;
  readonly issues: { path: (string | number)[]; message: string }[];
}

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

const NUL = "\u0000";
const draft = (fields: object) => ({ contract_uuid: tenant.contractId, title: "Herons", ...fields });
const mintOf = (metadata: object) => ({ receiver_addresses: ["alice.near"], metadata });

type Send = (text: string) => Promise<Response>;
const post =
  (path: (text: string) => string, json: (text: string) => object, method = "POST"): Send =>
  (text) =>
    api(path(text), { method, key: tenant.key, json: json(text) });
const drafts = () => "/collection-draft";
const mints = () => `/collection/${crypto.randomUUID()}/mint`;

const FIELDS: readonly (readonly [name: string, path: readonly (string | number)[], send: Send])[] = [
  ["a draft's title", ["title"], post(drafts, (title) => draft({ title }))],
  ["a draft's description", ["description"], post(drafts, (description) => draft({ description }))],
  [
    "a changed draft's title",
    ["title"],
    post(
      () => `/collection-draft/${tenant.draftId}`,
      (title) => ({ title }),
      "PUT",
    ),
  ],
  [
    "a collection's title",
    ["title"],
    post(
      () => `/collection/${crypto.randomUUID()}`,
      (title) => ({ title }),
      "PUT",
    ),
  ],
  ["a token's title", ["metadata", "title"], post(mints, (title) => mintOf({ title }))],
  ["a token's subtitle", ["metadata", "subtitle"], post(mints, (subtitle) => mintOf({ subtitle }))],
  [
    "a token's description",
    ["metadata", "description"],
    post(mints, (description) => mintOf({ description })),
  ],
  ["a token's extra", ["metadata", "extra"], post(mints, (text) => mintOf({ extra: JSON.stringify(text) }))],
  [
    "a changed token's title",
    ["title"],
    post(
      () => `/collection/${crypto.randomUUID()}/nft-update`,
      (title) => ({ token_id: "1:1", title }),
      "PUT",
    ),
  ],
  [
    "an asset's subtitle",
    ["assets_detail", 0, "asset_subtitle"],
    (asset_subtitle) => attach(tenant, formOf([{ asset_filename: "a.png", copies: 1, asset_subtitle }], [])),
  ],
  [
    "a contract's name",
    ["name"],
    (name) => admin(`/integration/${tenant.integrationId}/contract`, { json: { name, symbol: "S" } }),
  ],
  ["an integration's name", ["name"], (name) => admin("/integration", { json: { name } })],
];

describe.each(FIELDS)("%s", (_, path, send) => {
  test.each(["\u007f", "\u0085", "\u009b31m"])("is refused with %j in it", async (control) => {
    const { issues } = await bodyOf<ErrorBody>(await send(`He${control}rons`), 400);
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    expect(issues.find((issue) => issue.path.join() === path.join())?.message).toContain(
      `Remove the control character U+${code}.`,
    );
  });
});

describe.each(FIELDS.filter(([name]) => name !== "a token's extra"))("%s", (_, path, send) => {
  test.each([NUL, "\u0007", "\u001b[2J", "\t"])("is refused with %j in it", async (control) => {
    const { issues } = await bodyOf<ErrorBody>(await send(`He${control}rons`), 400);
    expect(issues.map((issue) => issue.path.join())).toContain(path.join());
  });
});

test("a description may have line breaks, and a title may not", async () => {
  const description = "First line.\nSecond line.\r\nThird line.";
  const made = await api("/collection-draft", { key: tenant.key, json: draft({ description }) });
  expect(await bodyOf(made, 201)).toMatchObject({ description });
  await bodyOf(await api("/collection-draft", { key: tenant.key, json: draft({ title: "a\nb" }) }), 400);
});

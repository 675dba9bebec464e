import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { app } from "../../src/app.ts";
import { openContext, type ServiceContext } from "../../src/context.ts";
import { openDatabase } from "../../src/db/client.ts";
import { apiKeys, blobs, contracts, drafts, integrations } from "../../src/db/schema/index.ts";
import { apiKeyDigest, apiKeyPrefix, newApiKey } from "../../src/domain/api-keys.ts";
import { newUuid, type Uuid } from "../../src/domain/ids.ts";
import type { CollectionSettings } from "../../src/domain/settings.ts";
import { fetchMediaUrl } from "../../src/files/uploads/asset-url.ts";
import { BASE } from "./api.ts";
import { limited } from "./production-limits.ts";
import { unrecorded } from "./statements.ts";

/** The Worker's bindings with production's limits, and what went through them. */
export const { env, usage } = limited(bindings);

/** Drizzle on the database as it is, for what tests look at. */
export const db = openDatabase(unrecorded(bindings.DB));

/** What contexts of `contextAt` have logged. */
export const log: unknown[] = [];

/** A context of the services. Its clock can be set ahead by milliseconds. */
export const contextAt = (ahead = 0): ServiceContext => ({
  ...openContext(
    env,
    (event, fields) => log.push([event, fields]),
    () => undefined,
  ),
  now: () => new Date(Date.now() + ahead),
});

/** An integration with a draft, written straight to the database: uploads need no wallet. */
export interface Tenant {
  readonly integrationId: Uuid;
  readonly contractId: Uuid;
  readonly draftId: Uuid;
  readonly key: string;
}

const SETTINGS: CollectionSettings = {
  title: "Test",
  description: null,
  public_mint_config: null,
  private_mint_config: null,
  bypass_mint_fee_accounts: [],
  initial_royalties: {},
  ongoing_royalties: {},
  allow_approvals: true,
  approvals_allowed_accounts: null,
  approvals_denied_accounts: null,
  allow_transfers: true,
  transfers_denied_accounts: null,
};

export async function newTenant(): Promise<Tenant> {
  const [integrationId, contractId, draftId] = [newUuid(), newUuid(), newUuid()];
  const now = new Date();
  const times = { createdAt: now, updatedAt: now };
  const key = newApiKey("devchain");
  await db.insert(integrations).values({ id: integrationId, name: "Shop", walletState: "ready", ...times });
  await db.insert(apiKeys).values({
    id: newUuid(),
    integrationId,
    name: "key",
    scopes: ["full"],
    makerBudgets: [],
    digest: await apiKeyDigest(key),
    prefix: apiKeyPrefix(key),
    createdAt: now,
  });
  const accountId = `${contractId}.test`;
  const codeHash = new Uint8Array(32);
  await db
    .insert(contracts)
    .values({ id: contractId, integrationId, accountId, codeHash, state: "ready", ...times });
  await db.insert(drafts).values({
    id: draftId,
    integrationId,
    contractId,
    settings: SETTINGS,
    state: "draft",
    plannedCollectionId: newUuid(),
    ...times,
  });
  return { integrationId, contractId, draftId, key };
}

let clients = 0;

/** Sends a request to the app with limited bindings, each time from a different IP address. */
export function send(path: string, init: RequestInit & { key?: string } = {}): Promise<Response> {
  const { key, ...rest } = init;
  const headers = new Headers({ "CF-Connecting-IP": `client ${clients++}`, ...(rest.headers as object) });
  if (key !== undefined) headers.set("Authorization", `Api-Key ${key}`);
  const request = new Request(`${BASE}${path}`, { ...rest, headers });
  return Promise.resolve(app.fetch(request, env, createExecutionContext()));
}

/** Where a draft's files go. */
export const uploadPath = (draftId: string): string => `/api/v1/collection-draft/${draftId}/asset-bulk`;

/** A file of a form. */
export interface TestFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer> | string;
  readonly part?: string;
}

/** A form of files and details; details that aren't a string are sent as JSON. */
export function formOf(details: unknown, files: readonly TestFile[], detailsFirst = false): FormData {
  const form = new FormData();
  const text = typeof details === "string" ? details : JSON.stringify(details);
  if (detailsFirst && details !== undefined) form.append("assets_detail", text);
  for (const { name, bytes, part = "asset_file" } of files) form.append(part, new File([bytes], name));
  if (!detailsFirst && details !== undefined) form.append("assets_detail", text);
  return form;
}

/** Attaches a form to an integration's draft. */
export const attach = ({ draftId, key }: Tenant, form: FormData): Promise<Response> =>
  send(uploadPath(draftId), { method: "POST", body: form, key });

/** Sets the state of a draft whose integration has no wallet that could finalize it. */
export const setDraftState = async (draftId: string, state: "draft" | "finalizing" | "finalized") => {
  await db
    .update(drafts)
    .set({ state })
    .where(eq(drafts.id, draftId as Uuid));
};

/** Stores a file at a URL, as a mint does whose metadata names it. */
export const storeFromUrl = (url: string, baseUrl = BASE) =>
  fetchMediaUrl(contextAt(), url, "asset_file_url", { integrationId: newUuid(), baseUrl });

/** Rows of stored files, also of those that are about to be deleted. */
export const fileRows = () => db.select().from(blobs);

import { setTimeout as pause } from "node:timers/promises";
import type { BenchService } from "./service.ts";
import type { Form } from "./upload-forms.ts";

/** An integration with a key and a contract. */
export interface Shop {
  readonly key: string;
  readonly contractUuid: string;
  readonly walletAccountId: string;
}

/** The JSON body of an answer that has to have one of these statuses. */
export async function answerOf<Answer>(response: Response, ...statuses: readonly number[]): Promise<Answer> {
  const text = await response.text();
  if (statuses.includes(response.status)) return JSON.parse(text) as Answer;
  throw new Error(`${response.status} instead of ${statuses.join(" or ")}: ${text.slice(0, 500)}`);
}

/** Waits until D1 knows that an integration's wallet was created, seconds after the answer. No contract is deployed before. */
export async function walletReady(service: BenchService, integrationUuid: string): Promise<void> {
  const path = `/integration/${integrationUuid}`;
  while ((await service.admin<{ wallet_state: string }>(path, undefined, "GET")).wallet_state !== "ready")
    await pause(100);
}

/** The same of the newest contract, without which no draft is made for it. */
export async function contractReady(service: BenchService, integrationUuid: string): Promise<void> {
  const path = `/integration/${integrationUuid}/contract?limit=1`;
  while ((await service.admin<{ state: string }[]>(path, undefined, "GET"))[0]?.state !== "ready")
    await pause(100);
}

/** Opens a shop through the operator's surface. */
export async function openShop(service: BenchService): Promise<Shop> {
  const integration = await service.admin<{ integration_uuid: string; wallet_account_id: string }>(
    "/integration",
    {
      name: "Bench",
    },
  );
  const path = `/integration/${integration.integration_uuid}`;
  const key = await service.admin<{ api_key: string }>(`${path}/key`, { name: "bench", role: "full" });
  await walletReady(service, integration.integration_uuid);
  const contract = await service.admin<{ contract_uuid: string }>(`${path}/contract`, {
    name: "Bench",
    symbol: "BENCH",
  });
  await contractReady(service, integration.integration_uuid);
  return {
    key: key.api_key,
    contractUuid: contract.contract_uuid,
    walletAccountId: integration.wallet_account_id,
  };
}

/** A request of the shop's. */
export const call = (
  service: BenchService,
  { key }: Shop,
  path: string,
  init: RequestInit = {},
): Promise<Response> =>
  fetch(`${service.url}/api/v1${path}`, {
    ...init,
    headers: { ...init.headers, authorization: `Api-Key ${key}` },
  });

/** Creates a draft. */
export async function newDraft(service: BenchService, shop: Shop): Promise<string> {
  const response = await call(service, shop, "/collection-draft", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ contract_uuid: shop.contractUuid, title: "Bench" }),
  });
  return (await answerOf<{ collection_draft_uuid: string }>(response, 201)).collection_draft_uuid;
}

/** Attaches a form to a draft. */
export async function upload(service: BenchService, shop: Shop, draft: string, form: Form): Promise<void> {
  const response = await call(service, shop, `/collection-draft/${draft}/asset-bulk`, {
    method: "POST",
    headers: { "content-type": form.contentType },
    body: form.body as BodyInit,
  });
  await answerOf(response, 201);
}

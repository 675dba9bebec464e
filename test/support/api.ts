import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { app } from "../../src/app.ts";
import { createAccount } from "./chain.ts";
import { until } from "./waiting.ts";

/** The Worker's own address in tests. */
export const BASE = "http://mintage.test";

/** A request to the Worker under test. */
export interface ApiRequest {
  readonly method?: string;
  /** A key as the Authorization header takes it; null sends none. */
  readonly key?: string | null;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request through the Worker's front door. Paths without a leading version are below /api/v1. */
export const api = (path: string, request: ApiRequest = {}): Promise<Response> =>
  exports.default.fetch(requestOf(path, request));

/** An answer, and the work that continues after it. */
interface Answered {
  readonly response: Response;
  readonly background: () => Promise<void>;
}

/** A Worker with other bindings. What a Worker keeps for later requests, it keeps for those with the same ones. */
export const workerWith = (changes: Readonly<Record<string, unknown>>) => {
  const bindings = { ...env, ...changes };
  return async (path: string, request: ApiRequest = {}): Promise<Answered> => {
    const context = createExecutionContext();
    const response = await app.fetch(requestOf(path, request), bindings, context);
    return { response, background: () => waitOnExecutionContext(context) };
  };
};

/** One request to a Worker with other bindings. */
export const apiWith = (
  changes: Readonly<Record<string, unknown>>,
  path: string,
  request?: ApiRequest,
): Promise<Answered> => workerWith(changes)(path, request);

export function requestOf(
  path: string,
  { method, key = null, json, form, body, headers }: ApiRequest,
): Request {
  const address = /^\/(api|admin|public|mcp|ipfs|health|ready|docs|llms|openapi|operator|[mgc](\/|$))/.test(
    path,
  )
    ? path
    : `/api/v1${path}`;
  const all = new Headers(headers);
  if (key !== null) all.set("authorization", `Api-Key ${key}`);
  if (json !== undefined) all.set("content-type", "application/json");
  const content = json === undefined ? (form ?? body) : JSON.stringify(json);
  return new Request(BASE + address, {
    method: method ?? (content === undefined ? "GET" : "POST"),
    headers: all,
    body: content,
  });
}

/** A request to the operator's surface, with the token. */
export const admin = (path: string, request: ApiRequest = {}): Promise<Response> =>
  api(`/admin/v1${path}`, {
    ...request,
    headers: { authorization: `Bearer ${env.ADMIN_TOKEN}`, ...request.headers },
  });

/** Sends a request again while it gets `chain_unavailable`: on a busy machine the nodes may answer too late. */
export const whenReachable = async (send: () => Promise<Response>): Promise<Response> => {
  for (;;) {
    const response = await send();
    if (response.status !== 503) return response;
    const { code } = await bodyOf<{ code: string }>(response.clone(), 503);
    if (code !== "chain_unavailable") return response;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
};

/** The JSON body of an answer with the expected status. A failure shows the actual answer. */
export async function bodyOf<T>(response: Response, status: number): Promise<T> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status} instead of ${status}: ${text}`);
  return JSON.parse(text) as T;
}

/** An integration that can do everything: funded wallet, deployed contract, keys of both roles. */
export interface TestIntegration {
  readonly integrationUuid: string;
  readonly walletAccountId: string;
  readonly key: string;
  readonly readKey: string;
  readonly contractUuid: string;
  readonly contractAccountId: string;
}

/** Creates an integration through the operator's surface. */
export async function createIntegration(name = "Test shop"): Promise<TestIntegration> {
  const integration = await settled<{ integration_uuid: string; wallet_account_id: string }>(
    await admin("/integration", { json: { name } }),
  );
  const uuid = integration.integration_uuid;
  await walletReady(uuid);
  const issue = async (role: "full" | "read") =>
    bodyOf<{ api_key: string }>(await admin(`/integration/${uuid}/key`, { json: { name: role, role } }), 201);
  const contract = await settled<{ contract_uuid: string; account_id: string }>(
    await admin(`/integration/${uuid}/contract`, { json: { name: "Test contract", symbol: "TEST" } }),
  );
  await contractReady(uuid);
  return {
    integrationUuid: uuid,
    walletAccountId: integration.wallet_account_id,
    key: (await issue("full")).api_key,
    readKey: (await issue("read")).api_key,
    contractUuid: contract.contract_uuid,
    contractAccountId: contract.account_id,
  };
}

/** Waits until D1 knows that an integration's wallet was created, seconds after the answer. No contract is deployed before. */
export const walletReady = (integrationUuid: string): Promise<void> =>
  until(async () => {
    const path = `/integration/${integrationUuid}`;
    return (await bodyOf<{ wallet_state: string }>(await admin(path), 200)).wallet_state === "ready";
  });

/** The same of the newest contract, without which no draft is made for it. */
const contractReady = (integrationUuid: string): Promise<void> =>
  until(async () => {
    const answer = await admin(`/integration/${integrationUuid}/contract?limit=1`);
    return (await bodyOf<{ state: string }[]>(answer, 200))[0]?.state === "ready";
  });

/** The answer to an operator's write. After a 202 it waits for the operation. */
async function settled<T>(response: Response): Promise<T> {
  if (response.status !== 202) return bodyOf<T>(response, 201);
  const location = response.headers.get("location") ?? "";
  await response.body?.cancel();
  for (;;) {
    const path = location.replace("/admin/v1", "");
    const operation = await bodyOf<{ state: string; answer: { body: T } | null }>(await admin(path), 200);
    if (operation.state === "succeeded" && operation.answer) return operation.answer.body;
    if (operation.state !== "pending") throw new Error(`the operation ended as ${JSON.stringify(operation)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Accounts on the embedded chain, to mint to and to pay. */
export async function createReceivers(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `r${crypto.randomUUID().slice(0, 8)}.test`);
  for (const id of ids) await createAccount(env.NEAR_RPC_URL, id);
  return ids;
}

/** The least identifier that the service could have made at a moment (UUID version 7). @param ms since 1970 */
export const uuidAt = (ms: number): string =>
  `${ms.toString(16).padStart(12, "0").replace(/^.{8}/, "$&-")}-7000-8000-000000000000`;

/** Number of answers by status. */
export async function statusesOf(answers: readonly Promise<Response>[]): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (const answer of await Promise.all(answers)) {
    await answer.body?.cancel();
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
  }
  return statuses;
}

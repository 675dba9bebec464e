/** What benches of mints share: a collection to mint from, the requests, and how they are timed and counted. */
import { readFileSync } from "node:fs";
import { picture } from "../testing/pictures.ts";
import type { BenchService } from "../testing/service.ts";

/** Keys that take turns: together they may ask for more than the bench does, within the limit of each. */
const KEYS = 12;
const TGAS = 10 ** 12;

export interface Figures {
  readonly requests_s: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly ok: number;
}

const percentile = (times: readonly number[], share: number): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? 0);
};

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs a call once and says how long it took, and whether it worked. Milliseconds. */
export async function timed(call: () => Promise<void>): Promise<{ ms: number; ok: boolean }> {
  const startedAt = performance.now();
  try {
    await call();
    return { ms: performance.now() - startedAt, ok: true };
  } catch (error) {
    process.stderr.write(`  ${String(error).slice(0, 160)}\n`);
    return { ms: performance.now() - startedAt, ok: false };
  }
}

export function figures(results: readonly { ms: number; ok: boolean }[], elapsed: number): Figures {
  const times = results.filter(({ ok }) => ok).map(({ ms }) => ms);
  return {
    requests_s: Math.round((times.length / elapsed) * 10_000) / 10,
    p50_ms: percentile(times, 0.5),
    p95_ms: percentile(times, 0.95),
    ok: times.length,
  };
}

export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** What the process has used of a CPU so far, milliseconds (Linux: fields 14 and 15 of /proc/PID/stat, in hundredths). */
export const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

/** Calls so far (mint-worker.ts). */
export interface Calls {
  readonly object_calls: number;
  readonly d1_calls: number;
  readonly d1_calls_of_requests: number;
}

export const callsOf = async (service: BenchService): Promise<Calls> =>
  (await (await fetch(`${service.url}/counts`)).json()) as Calls;

/** Gas of transactions, and the tokens that answers tell of, as each answer names its own. */
class Gas {
  readonly #burnt = new Map<string, number>();
  #tokens = 0;

  note({ tokens, tx_results }: MintAnswer): void {
    this.#tokens += tokens.length;
    for (const { transaction_hash, gas_burnt } of tx_results)
      this.#burnt.set(transaction_hash, Number(gas_burnt));
  }

  /** Tgas a token; what several share counts once. */
  get each(): number {
    const burnt = [...this.#burnt.values()].reduce((sum, gas) => sum + gas, 0);
    return rounded(burnt / this.#tokens / TGAS, 3);
  }
}

interface MintAnswer {
  readonly tokens: readonly object[];
  readonly tx_results: readonly { readonly transaction_hash: string; readonly gas_burnt: string }[];
}

/** A collection with more copies than the bench mints, and the request that mints one. */
export async function prepare(service: BenchService) {
  const { integration_uuid, wallet_account_id } = await service.admin<{
    integration_uuid: string;
    wallet_account_id: string;
  }>("/integration", { name: "Bench" });
  const { contract_uuid, account_id } = await service.admin<{ contract_uuid: string; account_id: string }>(
    `/integration/${integration_uuid}/contract`,
    { name: "Bench", symbol: "BENCH" },
  );
  const keys: string[] = [];
  while (keys.length < KEYS) {
    const path = `/integration/${integration_uuid}/key`;
    keys.push((await service.admin<{ api_key: string }>(path, { name: "bench", role: "full" })).api_key);
  }
  let turn = 0;
  const post = async <T>(path: string, body: BodyInit | null, type?: string): Promise<T> => {
    const authorization = `Api-Key ${keys[turn++ % KEYS]}`;
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method: "POST",
      // The edge compresses answers, outside the Worker.
      headers: { authorization, "accept-encoding": "identity", ...(type && { "content-type": type }) },
      body,
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  const json = "application/json";
  const draft = await post<{ collection_draft_uuid: string }>(
    "/collection-draft",
    JSON.stringify({ contract_uuid, title: "Bench" }),
    json,
  );
  const form = new FormData();
  form.append("asset_file", new File([picture("png", 1)], "a.png", { type: "image/png" }));
  form.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies: 1_000_000 }]));
  await post(`/collection-draft/${draft.collection_draft_uuid}/asset-bulk`, form);
  const { collection_uuid, near_collection } = await post<{
    collection_uuid: string;
    near_collection: { collection_id: number };
  }>(`/collection-draft/${draft.collection_draft_uuid}/finalize`, null);
  const body = JSON.stringify({ receiver_addresses: [wallet_account_id] });
  const gas = new Gas();
  const mint = async () => {
    gas.note(await post<MintAnswer>(`/collection/${collection_uuid}/mint`, body, json));
  };
  return { mint, gas, contractId: account_id, collectionId: near_collection.collection_id };
}

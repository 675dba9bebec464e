/** What really happened: every transaction of the run is read from the chain and held against the ledger. */
import type { Answer } from "./client.ts";
import type { FaultyService } from "./service.ts";
import { type Entry, METHODS, type Shop } from "./workload.ts";

/** What is wrong after a run; all of it empty or zero when the promise was kept. */
export interface Findings {
  /** Accepted or answered as done, and without effect. */
  readonly lost: string[];
  /** More than one effect. */
  readonly duplicated: string[];
  /** Answered otherwise than it was. */
  readonly wrong: string[];
  /** Never answered, or answered as unknown. Each has at most one effect. */
  readonly unanswered: string[];
}

interface Chunk {
  readonly transactions: readonly {
    readonly hash: string;
    readonly signer_id: string;
    readonly receiver_id: string;
    readonly actions: readonly (string | { readonly FunctionCall?: { method_name: string; args: string } })[];
  }[];
}

/** A call of a contract that succeeded: its method, and the text of its arguments. */
interface Effect {
  readonly hash: string;
  readonly method: string;
  readonly args: string;
}

/** All calls of the contracts that succeeded, over the whole chain. */
export const effectsOf = async (
  service: FaultyService,
  contracts: ReadonlySet<string>,
): Promise<Effect[]> => {
  const head = await service.rpc<{ header: { height: number } }>("block", { finality: "optimistic" });
  const effects: Effect[] = [];
  for (let height = 1; height <= head.header.height; height++) {
    const block = await service
      .rpc<{ chunks: { chunk_hash: string; height_included: number }[] }>("block", { block_id: height })
      .catch(() => null);
    for (const { chunk_hash, height_included } of block?.chunks ?? []) {
      if (height_included !== height) continue;
      const { transactions } = await service.rpc<Chunk>("chunk", { chunk_id: chunk_hash });
      for (const transaction of transactions.filter(({ receiver_id }) => contracts.has(receiver_id))) {
        effects.push(...(await successOf(service, transaction)));
      }
    }
  }
  return effects;
};

const successOf = async (
  service: FaultyService,
  { hash, signer_id, actions }: Chunk["transactions"][number],
): Promise<Effect[]> => {
  const outcome = await service.rpc<{ status: object }>("tx", {
    tx_hash: hash,
    sender_account_id: signer_id,
    wait_until: "FINAL",
  });
  if (!("SuccessValue" in outcome.status)) return [];
  return actions.flatMap((action) => {
    const call = typeof action === "object" ? action.FunctionCall : undefined;
    if (!call) return [];
    return [{ hash, method: call.method_name, args: Buffer.from(call.args, "base64").toString("latin1") }];
  });
};

const MARKER = /[0-9a-f]{64}/g;

/** Holds the ledger against the chain. */
export const audit = async (
  service: FaultyService,
  shops: readonly Shop[],
  ledger: readonly Entry[],
): Promise<Findings> => {
  const findings: Findings = { lost: [], duplicated: [], wrong: [], unanswered: [] };
  const effects = await effectsOf(service, new Set(shops.map(({ contractId }) => contractId)));
  const byMarker = new Map<string, Effect[]>();
  for (const effect of effects) {
    for (const marker of new Set(effect.args.match(MARKER) ?? [])) {
      byMarker.set(marker, [...(byMarker.get(marker) ?? []), effect]);
    }
  }
  for (const entry of ledger) {
    const had = (byMarker.get(entry.marker) ?? []).filter(({ method }) => method === METHODS[entry.kind]);
    judgeEntry(entry, had, findings);
  }
  await auditTokens(service, shops, ledger, findings);
  return findings;
};

const judgeEntry = (entry: Entry, effects: readonly Effect[], findings: Findings): void => {
  const name = `${entry.kind} ${entry.marker.slice(0, 12)}`;
  if (effects.length > 1) findings.duplicated.push(`${name}: ${effects.map(({ hash }) => hash).join(", ")}`);
  const answers = [entry.answer, entry.twin].filter((answer) => answer !== null);
  for (const answer of answers) judgeAnswer(name, answer, effects, findings);
};

const judgeAnswer = (name: string, answer: Answer, effects: readonly Effect[], findings: Findings): void => {
  if (answer.kind === "gave_up" || answer.kind === "unknown") {
    findings.unanswered.push(`${name}: ${answer.kind} ${answer.status} ${JSON.stringify(answer.body)}`);
    return;
  }
  if (answer.kind === "failure") {
    const told = `${name}: told ${answer.status} ${JSON.stringify(answer.body)}`;
    if (effects.length > 0) findings.wrong.push(`${told}, and it took effect`);
    else findings.lost.push(told);
    return;
  }
  if (effects.length === 0) {
    findings.lost.push(`${name}: told ${answer.status}, and there is no effect`);
    return;
  }
  const results = (answer.body as { tx_results?: unknown }).tx_results;
  if (results === undefined) return;
  const hashes = [results].flat().map((result) => (result as { transaction_hash: string }).transaction_hash);
  if (!effects.some(({ hash }) => hashes.includes(hash))) {
    findings.wrong.push(`${name}: told of ${hashes}, not of ${effects.map(({ hash }) => hash)}`);
  }
};

interface ChainToken {
  readonly token_id: string;
  readonly owner_id: string;
}

/** Tokens on the chain are those that mints were told of, one by one; what is told of a collection is what it is. */
const auditTokens = async (
  service: FaultyService,
  shops: readonly Shop[],
  ledger: readonly Entry[],
  findings: Findings,
): Promise<void> => {
  const owners = new Map<string, ChainToken[]>();
  for (const shop of shops) {
    const told = await shop.caller.read<{ collection_id: number; description: string; minted: number }>(
      `/collection/${shop.collectionUuid}`,
    );
    const { collection_id } = told;
    const real = await view<{ description: string; minted: number }>(service, shop.contractId, "collection", {
      collection_id,
    });
    if (told.description !== real.description || told.minted !== real.minted) {
      const both = [told, real].map(({ description, minted }) => `${minted} minted, '${description}'`);
      findings.wrong.push(`collection ${shop.collectionUuid}: told of ${both.join(", on the chain ")}`);
    }
    for (let from_index = 0; ; from_index += 100) {
      const args = { collection_id, from_index, limit: 100 };
      const tokens = await view<ChainToken[]>(service, shop.contractId, "collection_tokens", args);
      for (const token of tokens) {
        const key = `${shop.contractId} ${token.owner_id}`;
        owners.set(key, [...(owners.get(key) ?? []), token]);
      }
      if (tokens.length < 100) break;
    }
  }
  for (const { kind, marker, shop, answer } of ledger) {
    if (kind !== "mint" || answer?.kind !== "success") continue;
    const ids = (list: readonly ChainToken[]) =>
      list
        .map(({ token_id }) => token_id)
        .sort()
        .join();
    const told = ids((answer.body as { tokens: ChainToken[] }).tokens);
    const real = ids(owners.get(`${shop.contractId} ${marker}`) ?? []);
    if (told !== real) findings.wrong.push(`mint ${marker.slice(0, 12)}: told of ${told}, owned are ${real}`);
  }
};

const view = async <T>(
  service: FaultyService,
  contractId: string,
  method: string,
  args: object,
): Promise<T> => {
  const { result } = await service.rpc<{ result: number[] }>("query", {
    request_type: "call_function",
    finality: "optimistic",
    account_id: contractId,
    method_name: method,
    args_base64: Buffer.from(JSON.stringify(args)).toString("base64"),
  });
  return JSON.parse(Buffer.from(result).toString("utf8")) as T;
};

/** What is left that should not be: open operations, waiting or stuck rows of wallets. Empty when all came to rest. */
export const leftovers = async (service: FaultyService, shops: readonly Shop[]): Promise<string[]> => {
  const left: string[] = [];
  const database = await service.database();
  const { results } = await database
    .prepare(
      "SELECT kind, state, count(*) AS count FROM operations WHERE state IN ('pending', 'unknown') GROUP BY 1, 2",
    )
    .all();
  for (const row of results) left.push(`operations: ${JSON.stringify(row)}`);
  for (const { integrationUuid } of shops) {
    const response = await fetch(`${service.url}/admin/v1/integration/${integrationUuid}/wallet`, {
      headers: { authorization: `Bearer ${service.adminToken}` },
    });
    const wallet = (await response.json()) as { queued: number; open: number; stuck: unknown[] };
    if (!response.ok || wallet.queued > 0 || wallet.open > 0 || wallet.stuck.length > 0) {
      left.push(`wallet of ${integrationUuid}: ${JSON.stringify(wallet).slice(0, 500)}`);
    }
  }
  return left;
};

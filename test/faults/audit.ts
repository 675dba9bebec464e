/** What callers were told is held against what really happened. */
import { retry } from "../../src/waiting.ts";
import type { Answer } from "./client.ts";
import type { Effect, Effects } from "./effects.ts";
import type { Settlement } from "./operator.ts";
import { CONNECTION, type FaultyService } from "./service.ts";
import { type Entry, isOpen, METHODS, type Shop } from "./workload.ts";

/** What is wrong with an operation. */
export interface Finding {
  /**
   * `lost`: accepted or answered as done, and without effect. `duplicated`: more than one effect. `wrong`: answered
   * otherwise than it was. `stuck`: still open, answered 202 or not at all, long after all faults. Each has one effect
   * at most.
   */
  readonly figure: "lost" | "duplicated" | "wrong" | "stuck";
  readonly text: string;
  /** Null if it is about no single operation. */
  readonly entry: Entry | null;
}

/** How many calls for evidence are made at once. */
const AT_ONCE = 16;

/** Does `work` for each, some at once. */
export const each = async <T>(
  list: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = AT_ONCE,
): Promise<void> => {
  const queue = [...list];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

/** Holds the ledger against the chain. @param settled what the operator said of operations, by marker */
export const audit = async (
  service: FaultyService,
  shops: readonly Shop[],
  ledger: readonly Entry[],
  effects: Effects,
  settled: ReadonlyMap<string, Settlement>,
): Promise<Finding[]> => {
  effects.read(true);
  const findings = ledger.flatMap((entry) =>
    judgeEntry(entry, effects.of(entry.evidence, METHODS[entry.kind]), settled.get(entry.marker)),
  );
  const owners = new Map<string, string[]>();
  await each(shops, async (shop) => {
    const burns = ledger.filter(
      (entry) =>
        entry.kind === "nft_burn" &&
        entry.shop === shop &&
        effects.of(entry.evidence, METHODS.nft_burn).length > 0,
    );
    findings.push(...(await auditCollection(service, shop, burns.length)));
    await collectOwners(service, shop, owners);
  });
  for (const entry of ledger) findings.push(...judgeTokens(entry, owners), ...judgeStock(entry, owners));
  const reveals = ledger.filter(({ kind }) => kind === "collection_reveal");
  await each(reveals, async (entry) => void findings.push(...(await judgeReveal(service, entry))));
  return findings;
};

const nameOf = ({ kind, marker, ordinal }: Entry): string => `${kind} ${ordinal} (${marker.slice(0, 20)})`;

const judgeEntry = (entry: Entry, effects: readonly Effect[], settled: Settlement | undefined): Finding[] => {
  const name = nameOf(entry);
  const findings: Finding[] = [];
  if (effects.length > 1) {
    const text = `${name}: ${effects.map(({ hash }) => hash).join(", ")}`;
    findings.push({ figure: "duplicated", text, entry });
  }
  const answers = [entry.answer, entry.twin].filter((answer) => answer !== null);
  for (const answer of answers) {
    const wrong = judgeAnswer(entry, answer, effects, settled);
    if (wrong) findings.push({ ...wrong, entry });
  }
  findings.push(...judgePromises(entry));
  return findings;
};

/** Answers that say that nothing was sent because of what passes. */
const GIVEN_UP = [429, 503];

/**
 * What was told 202 is never given up: none of its callers is told of the same operation 429 or 503, before or after, but
 * that the database doesn't answer.
 */
const judgePromises = (entry: Entry): Finding[] => {
  const promised = new Set(entry.told.flatMap(({ status, operation }) => (status === 202 ? operation : [])));
  return entry.told
    .filter(
      ({ status, operation, code }) =>
        operation !== null &&
        GIVEN_UP.includes(status) &&
        code !== "database_unavailable" &&
        promised.has(operation),
    )
    .map(({ request, status, operation, code }) => {
      const text = `${nameOf(entry)}: operation ${operation} was told as 202, and ${request} as ${status} ${code}`;
      return { figure: "wrong", text, entry };
    });
};

const judgeAnswer = (
  entry: Entry,
  answer: Answer,
  effects: readonly Effect[],
  settled: Settlement | undefined,
): Omit<Finding, "entry"> | null => {
  const [name, { kind }] = [nameOf(entry), entry];
  const told = `${name}: told ${answer.kind} ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 400)}`;
  if (isOpen(answer)) return { figure: "stuck", text: told };
  if (answer.kind === "failure") {
    if (effects.length > 0) return { figure: "wrong", text: `${told}, and it took effect` };
    return settled === "none" ? null : { figure: "lost", text: told };
  }
  if (effects.length === 0) return { figure: "lost", text: `${told}, and there is no effect` };
  const results = (answer.body as { tx_results?: unknown } | null)?.tx_results;
  if (answer.kind === "settled" || results === undefined) return null;
  const hashes = [results].flat().map((result) => (result as { transaction_hash: string }).transaction_hash);
  if (effects.some(({ hash }) => hashes.includes(hash))) return null;
  // A finalization goes on from the collection that the chain shows, whatever its ledger has forgotten of it.
  const goesOn = settled === "shown" || settled === "forgotten";
  if (goesOn && hashes.length === 0 && kind === "finalize") return null;
  return { figure: "wrong", text: `${name}: told of ${hashes}, not of ${effects.map(({ hash }) => hash)}` };
};

/** What is told of a collection is what it is. @param burns tokens that operations have burnt */
const auditCollection = async (service: FaultyService, shop: Shop, burns: number): Promise<Finding[]> => {
  const told = await shop.caller.read<{ collection_id: number; description: string; minted: number }>(
    `/collection/${shop.collectionUuid}`,
  );
  const real = await view<{ description: string; minted: number; burnt: number }>(
    service,
    shop.contractId,
    "collection",
    { collection_id: told.collection_id },
  );
  if (real.burnt !== burns) {
    const text = `collection ${shop.collectionUuid}: ${real.burnt} are burnt on the chain, by operations ${burns}`;
    return [{ figure: "wrong", text, entry: null }];
  }
  if (told.description === real.description && told.minted === real.minted) return [];
  const both = [told, real].map(({ description, minted }) => `${minted} minted, '${description}'`);
  const text = `collection ${shop.collectionUuid}: told of ${both.join(", on the chain ")}`;
  return [{ figure: "wrong", text, entry: null }];
};

interface ChainToken {
  readonly token_id: string;
  readonly owner_id: string;
}

/** The ids of all tokens of a shop's collection by contract and owner, as the contract shows them. */
const collectOwners = async (
  service: FaultyService,
  shop: Shop,
  owners: Map<string, string[]>,
): Promise<void> => {
  const { collection_id, minted } = await shop.caller.read<{ collection_id: number; minted: number }>(
    `/collection/${shop.collectionUuid}`,
  );
  const pages = Array.from({ length: Math.ceil(minted / 100) + 1 }, (_, page) => page * 100);
  await each(pages, async (from_index) => {
    const args = { collection_id, from_index, limit: 100 };
    for (const token of await view<ChainToken[]>(service, shop.contractId, "collection_tokens", args)) {
      const key = `${shop.contractId} ${token.owner_id}`;
      owners.set(key, [...(owners.get(key) ?? []), token.token_id]);
    }
  });
};

/** The tokens that a mint was told of are those that its receiver owns, and no more than were ordered. */
const judgeTokens = (entry: Entry, owners: ReadonlyMap<string, readonly string[]>): Finding[] => {
  const { kind, marker, shop, body } = entry;
  if (kind !== "mint") return [];
  const owned = owners.get(`${shop.contractId} ${marker}`) ?? [];
  const real = owned.toSorted().join();
  // One transaction may mint for several operations, and for one of them twice.
  if (owned.length > (body as { quantity_per_receiver: number }).quantity_per_receiver)
    return [{ figure: "duplicated", text: `${nameOf(entry)}: owned are ${real}`, entry }];
  return [entry.answer, entry.twin].flatMap((answer) => {
    if (answer?.kind !== "success") return [];
    const told = tokensOf(answer).toSorted().join();
    if (told === real) return [];
    return [
      { figure: "wrong" as const, text: `${nameOf(entry)}: told of ${told}, owned are ${real}`, entry },
    ];
  });
};

/** A token that was told to be transferred is its receiver's, and one that was told to be burnt is nobody's. */
const judgeStock = (entry: Entry, owners: ReadonlyMap<string, readonly string[]>): Finding[] => {
  const { kind, shop, body, marker, answer, twin } = entry;
  if (kind !== "nft_transfer" && kind !== "nft_burn") return [];
  if (answer?.kind !== "success" && twin?.kind !== "success") return [];
  const [id] = (body as { token_ids: [string] }).token_ids;
  const of = [...owners].find(
    ([name, ids]) => name.startsWith(`${shop.contractId} `) && ids.includes(id),
  )?.[0];
  const wanted = kind === "nft_burn" ? undefined : `${shop.contractId} ${marker}`;
  if (of === wanted) return [];
  return [{ figure: "wrong", text: `${nameOf(entry)}: on the chain ${id} is of ${of}`, entry }];
};

/** A collection that was told to be revealed is. */
const judgeReveal = async (service: FaultyService, entry: Entry): Promise<Finding[]> => {
  const { shop, evidence, answer, twin } = entry;
  if (answer?.kind !== "success" && twin?.kind !== "success") return [];
  const { reveal } = await view<{ reveal: { state: string } }>(service, shop.contractId, "collection", {
    collection_id: Number(evidence.split(" ").at(-1)),
  });
  if (reveal.state === "revealed") return [];
  return [{ figure: "wrong", text: `${nameOf(entry)}: on the chain it is ${reveal.state}`, entry }];
};

const tokensOf = ({ body }: Answer): string[] =>
  ((body as { tokens?: ChainToken[] } | null)?.tokens ?? []).map(({ token_id }) => token_id);

/**
 * A request that was answered is sent again with its key: it has to be answered the same. A ledger that was set back may have forgotten
 * the answer: where the operator can only say that there was an effect, that is told. @param settled as of `audit`
 */
export const judgeReplay = (
  entry: Entry,
  before: Answer,
  again: Answer | null,
  settled?: Settlement,
): Finding[] => {
  const name = nameOf(entry);
  const said = again && `${again.kind} ${again.status} ${JSON.stringify(again.body)?.slice(0, 300)}`;
  if (again === null || isOpen(again)) {
    const text = `${name}: was told ${before.kind} ${before.status}, and when it was sent again ${said}`;
    return [{ figure: "stuck", text, entry }];
  }
  if (settled === "said" && again.kind === "settled") return [];
  const same =
    again.kind === before.kind &&
    again.status === before.status &&
    tokensOf(again).toSorted().join() === tokensOf(before).toSorted().join();
  if (same) return [];
  const told = JSON.stringify(before.body)?.slice(0, 300);
  const text = `${name}: was told ${before.kind} ${before.status} ${told}, and when it was sent again ${said}`;
  return [{ figure: "wrong", text, entry }];
};

const view = async <T>(
  service: FaultyService,
  contractId: string,
  method: string,
  args: object,
): Promise<T> => {
  const { result } = await service.rpc<{ result: number[] }>("query", {
    request_type: "call_function",
    finality: "final",
    account_id: contractId,
    method_name: method,
    args_base64: Buffer.from(JSON.stringify(args)).toString("base64"),
  });
  return JSON.parse(Buffer.from(result).toString("utf8")) as T;
};

interface WalletRows {
  readonly queued: number;
  readonly open: number;
  readonly stuck?: readonly { readonly state: string }[];
}

/** Something that is open still. */
export interface Leftover {
  readonly text: string;
  /** It waits for the operator, who may say `no` only once a transaction's validity is over. */
  readonly isUnknown: boolean;
}

interface Followed {
  readonly version: number;
  readonly entry: number;
}

/** What D1 lacks of a ledger. */
const unsent = async (service: FaultyService, integrationUuid: string): Promise<Leftover[]> => {
  const [own] = await service.ledgerRows<Followed>(
    integrationUuid,
    "SELECT version, (SELECT coalesce(max(id), 0) FROM outbox) AS entry FROM meta",
  );
  const followed = await (await service.database())
    .prepare("SELECT version, entry FROM ledgers WHERE hex(id) = ?")
    .bind(integrationUuid.replaceAll("-", "").toUpperCase())
    .first<Followed>();
  if (followed && followed.version >= own!.version && followed.entry >= own!.entry) return [];
  const text = `ledger of ${integrationUuid}: ${JSON.stringify(own)}, in D1 ${JSON.stringify(followed)}`;
  return [{ text, isUnknown: false }];
};

/** What is left that should not be: open operations, waiting or stuck rows of wallets. Empty when all came to rest. */
export const leftovers = async (service: FaultyService, shops: readonly Shop[]): Promise<Leftover[]> => {
  const left: Leftover[] = [];
  await each(shops, async ({ integrationUuid }) => {
    const going = await service.ledgerRows<{ id: string; kind: string; state: string }>(
      integrationUuid,
      "SELECT id, kind, state FROM operations WHERE state IN ('pending', 'unknown')",
    );
    for (const { id, kind, state } of going) {
      left.push({ text: `operation ${id}: ${kind} is ${state}`, isUnknown: state === "unknown" });
    }
    left.push(...(await unsent(service, integrationUuid)));
    const response = await retry(CONNECTION, () =>
      fetch(`${service.url}/admin/v1/integration/${integrationUuid}/wallet`, {
        headers: { authorization: `Bearer ${service.adminToken}` },
      }),
    );
    const wallet = (await response.json()) as WalletRows;
    const { queued, open, stuck = [] } = wallet;
    if (!response.ok || queued > 0 || open > 0 || stuck.length > 0) {
      const isUnknown = response.ok && queued + open === 0 && stuck.every(({ state }) => state === "unknown");
      const text = `wallet of ${integrationUuid}: ${JSON.stringify({ ...wallet, lanes: undefined }).slice(0, 500)}`;
      left.push({ text, isUnknown });
    }
  });
  return left;
};

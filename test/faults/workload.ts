/** What the clients of a fault run do, and the ledger of what they were told. */
import { chanceOf } from "../../devchain/index.ts";
import { picture } from "../../testing/pictures.ts";
import { type Answer, Caller, type Standing, type Told } from "./client.ts";
import { markerOf } from "./marker.ts";
import type { FaultyService } from "./service.ts";

/** The kinds of operations, by the contract's method in which what they are about shows. */
export const METHODS = {
  mint: "nft_batch_mint",
  nft_update: "nft_update",
  nft_update_bulk: "nft_update_batch",
  nft_transfer: "nft_transfer",
  nft_burn: "nft_burn",
  collection_reveal: "collection_reveal",
  allowlist_add: "allowlist_add",
  collection_update: "collection_update",
  finalize: "collection_create",
} as const;
export type Kind = keyof typeof METHODS;

/** One request and how it was answered. */
export interface Entry {
  readonly ordinal: number;
  readonly kind: Kind;
  readonly marker: string;
  /**
   * What names it in its transaction, and in no other that can succeed: its marker, or where the arguments have no place for one,
   * the token or collection that was made for it alone (`burnOf`, `revealOf`).
   */
  readonly evidence: string;
  readonly path: string;
  readonly body: unknown;
  /** Another one once the first is known to be lost. */
  key: string | null;
  readonly shop: Shop;
  /** Whether the same request is sent twice at the same moment. */
  readonly hasTwin: boolean;
  answer: Answer | null;
  twin: Answer | null;
  readonly told: Told[];
  readonly standing: Standing;
}

/** The call that burns a token, and the one that reveals a collection's next assets, as evidence. */
export const burnOf = (contract: string, tokenId: string): string => `burn ${contract} ${tokenId}`;
export const revealOf = (contract: string, collection: number): string => `reveal ${contract} ${collection}`;

interface Token {
  readonly token_id: string;
  readonly owner_id: string;
}

/** A collection that hides its only asset. */
interface Hidden {
  readonly collection_uuid: string;
  readonly collection_id: number;
}

/** A draft is made again where a request was lost: its key frees itself after minutes only. Milliseconds. */
const DRAFT_PATIENCE_MS = 20_000;
const DRAFT_ATTEMPTS = 30;
/** Tokens of a shop that updates are about, and how many a bulk update changes. */
const RESERVE = 50;
const BULK = 3;

/** What operations use up of a shop: tokens that they move, and hidden collections that they reveal. */
interface Needs {
  moved: number;
  revealed: number;
}

/** A shop: an integration with a wallet, a contract and a collection to mint from. */
export class Shop {
  readonly caller: Caller;
  readonly integrationUuid: string;
  readonly contractUuid: string;
  readonly contractId: string;
  collectionUuid = "";
  /** The account of its wallet. */
  walletId = "";
  /** Tokens for updates, minted at the opening. */
  tokens: readonly Token[] = [];
  #stock: string[] = [];
  #hidden: Hidden[] = [];

  private constructor(caller: Caller, integration: string, contract: string, contractId: string) {
    this.caller = caller;
    this.integrationUuid = integration;
    this.contractUuid = contract;
    this.contractId = contractId;
  }

  /** Makes a shop through the front door, with nothing failing yet. */
  static async open(service: FaultyService, number: number, { moved, revealed }: Needs): Promise<Shop> {
    const create = async <T>(path: string, body: unknown): Promise<T> => {
      const write = { method: "POST", path: `/admin/v1${path}`, body, key: null, patience: 600_000 } as const;
      const answer = await service.operator.write(write);
      if (answer.kind !== "success") throw new Error(`${path}: ${JSON.stringify(answer)}`);
      return answer.body as T;
    };
    const { integration_uuid } = await create<{ integration_uuid: string }>("/integration", { name: "Shop" });
    const contract = await create<{ contract_uuid: string; account_id: string }>(
      `/integration/${integration_uuid}/contract`,
      { name: "Shop", symbol: "SHOP" },
    );
    const { api_key } = await create<{ api_key: string }>(`/integration/${integration_uuid}/key`, {
      name: "faults",
      role: "full",
    });
    const caller = new Caller(service, `Api-Key ${api_key}`);
    const shop = new Shop(caller, integration_uuid, contract.contract_uuid, contract.account_id);
    const wallet = await service.operator.read<{ account_id: string }>(
      `/admin/v1/integration/${integration_uuid}/wallet`,
    );
    shop.walletId = wallet.account_id;
    const draft = await shop.draft(`Shop ${number}`, 1_000_000);
    const finalized = await shop.#done(`/collection-draft/${draft}/finalize`, undefined, null);
    shop.collectionUuid = (finalized as { collection_uuid: string }).collection_uuid;
    const minted = await shop.#reserve(RESERVE + moved);
    shop.tokens = minted.slice(0, RESERVE);
    shop.#stock = minted.slice(RESERVE).map(({ token_id }) => token_id);
    shop.#hidden = await Promise.all(Array.from({ length: revealed }, (_, index) => shop.#hide(index)));
    return shop;
  }

  async #reserve(tokens: number): Promise<Token[]> {
    const body = { receiver_addresses: [this.walletId], quantity_per_receiver: 25 };
    const mints = Array.from({ length: Math.ceil(tokens / 25) }, () =>
      this.#done(`/collection/${this.collectionUuid}/mint`, body, crypto.randomUUID()),
    );
    return (await Promise.all(mints)).flatMap((minted) => (minted as { tokens: Token[] }).tokens);
  }

  async #done(
    path: string,
    body: unknown,
    key: string | null,
    { subject, patience = 600_000 }: { readonly subject?: string; readonly patience?: number } = {},
  ): Promise<unknown> {
    const write = { method: "POST", path, body, key, patience, ...(subject && { subject }) } as const;
    const answer = await this.caller.write(write);
    if (answer.kind !== "success") throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  }

  /** A draft with one picture, ready to be finalized. Where a request for it got lost, another draft is made. */
  async draft(title: string, copies: number, reveal = false): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#draft(title, copies, attempt, reveal);
      } catch (error) {
        if (attempt === DRAFT_ATTEMPTS) throw error;
      }
    }
  }

  async #draft(title: string, copies: number, attempt: number, reveal: boolean): Promise<string> {
    const how = { subject: title, patience: DRAFT_PATIENCE_MS };
    const settings = { contract_uuid: this.contractUuid, title, reveal };
    const made = await this.#done("/collection-draft", settings, `${title} draft ${attempt}`, how);
    const { collection_draft_uuid: uuid } = made as { collection_draft_uuid: string };
    const form = new FormData();
    const file = (name: string) => new File([picture("png", copies)], name, { type: "image/png" });
    form.append("asset_file", file("a.png"));
    form.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies }]));
    if (reveal) form.append("asset_placeholder", file("egg.png"));
    await this.#done(`/collection-draft/${uuid}/asset-bulk`, form, `${title} assets ${attempt}`, how);
    return uuid;
  }

  /** A token of the wallet that no other operation is about. */
  nextToken(): string {
    return next(this.#stock);
  }

  /** A hidden collection that no other operation is about. */
  nextHidden(): Hidden {
    return next(this.#hidden);
  }

  async #hide(number: number): Promise<Hidden> {
    const draft = await this.draft(`Hidden ${number}`, 1, true);
    const finalized = await this.#done(`/collection-draft/${draft}/finalize`, undefined, null);
    return (finalized as { near_collection: Hidden }).near_collection;
  }
}

const next = <T>(list: T[]): T => {
  const first = list.shift();
  if (first === undefined) throw new Error("a shop was opened with too little");
  return first;
};

/** How often each kind comes, out of a hundred. */
const SHARES: readonly (readonly [Kind, number])[] = [
  ["mint", 60],
  ["nft_update", 10],
  ["nft_update_bulk", 4],
  ["nft_transfer", 4],
  ["nft_burn", 4],
  ["collection_reveal", 2],
  ["allowlist_add", 8],
  ["collection_update", 3],
  ["finalize", 5],
];
/** The share of requests that are sent twice at the same moment. */
const TWINS = 0.1;

const planAt = (seed: number, ordinal: number, shops: number) => ({
  kind: kindOf(chanceOf(seed, "kind", ordinal) * 100),
  shop: Math.floor(chanceOf(seed, "shop", ordinal) * shops),
});

/** What the operations of a run use up of each shop. */
export const needsOf = (seed: number, operations: number, shops: number): Needs[] => {
  const needs = Array.from({ length: shops }, () => ({ moved: 0, revealed: 0 }));
  for (let ordinal = 0; ordinal < operations; ordinal++) {
    const { kind, shop } = planAt(seed, ordinal, shops);
    if (kind === "nft_transfer" || kind === "nft_burn") needs[shop]!.moved += 1;
    if (kind === "collection_reveal") needs[shop]!.revealed += 1;
  }
  return needs;
};

/** The `ordinal`-th operation of a run: the same for the same seed, but for the uuids that the service gives. */
export const entryAt = async (seed: number, ordinal: number, shops: readonly Shop[]): Promise<Entry> => {
  const chance = (what: string) => chanceOf(seed, what, ordinal);
  const marker = markerOf(seed, ordinal);
  const plan = planAt(seed, ordinal, shops.length);
  const [kind, shop] = [plan.kind, shops[plan.shop]!];
  const collection = `/collection/${shop.collectionUuid}`;
  const common = {
    ordinal,
    kind,
    marker,
    shop,
    answer: null,
    twin: null,
    told: [] as Told[],
    standing: standing(),
  };
  const entry = (path: string, body: unknown, evidence = marker): Entry => ({
    ...common,
    evidence,
    path,
    body,
    // A finalization is idempotent without a key.
    key: kind === "finalize" ? null : marker,
    hasTwin: chance("twin") < TWINS,
  });
  switch (kind) {
    case "nft_update": {
      const { token_id } = shop.tokens[Math.floor(chance("token") * shop.tokens.length)]!;
      return entry(`${collection}/nft-update`, { token_id, extra: `"${marker}"` });
    }
    case "nft_update_bulk": {
      const from = Math.floor(chance("token") * (shop.tokens.length - BULK));
      const updates = shop.tokens
        .slice(from, from + BULK)
        .map(({ token_id }) => ({ token_id, metadata: { description: marker } }));
      return entry(`${collection}/nft-update-bulk`, { updates });
    }
    case "nft_transfer": {
      const token_ids = [shop.nextToken()];
      return entry(`${collection}/nft-transfer`, { token_ids, receiver_address: marker });
    }
    case "nft_burn": {
      const token_ids = [shop.nextToken()];
      const evidence = burnOf(shop.contractId, token_ids[0]!);
      return entry(`${collection}/nft-burn`, { token_ids, reference: marker }, evidence);
    }
    case "collection_reveal": {
      const { collection_uuid: uuid, collection_id: id } = shop.nextHidden();
      const evidence = revealOf(shop.contractId, id);
      return entry(`/collection/${uuid}/reveal`, { reference: marker }, evidence);
    }
    case "allowlist_add":
      return entry(`${collection}/allowlist-add`, { accounts: [marker] });
    case "collection_update":
      return entry(collection, { description: marker });
    case "finalize":
      return entry(`/collection-draft/${await shop.draft(marker, 5)}/finalize`, undefined);
    case "mint": {
      const quantity = 1 + Math.floor(chance("quantity") * 3);
      return entry(`${collection}/mint`, { receiver_addresses: [marker], quantity_per_receiver: quantity });
    }
  }
};

const standing = (): Standing => ({ sent: 0, underWay: 0, isHeld: false, ruling: null });

const kindOf = (outOfHundred: number): Kind => {
  let upTo = 0;
  for (const [kind, share] of SHARES) {
    upTo += share;
    if (outOfHundred < upTo) return kind;
  }
  return "mint";
};

const PUTS: ReadonlySet<Kind> = new Set(["nft_update", "allowlist_add", "collection_update"]);

/** An entry's request. */
export const requestOf = ({ kind, path, body, key, marker, told, standing }: Entry, patience: number) => ({
  method: PUTS.has(kind) ? ("PUT" as const) : ("POST" as const),
  path,
  body,
  key,
  patience,
  subject: marker,
  told,
  standing,
});

/** Whether an answer leaves open what became of the request. */
export const isOpen = (answer: Answer | null): boolean =>
  answer === null || answer.kind === "gave_up" || answer.kind === "unknown";

/** Carries an operation out as far as it is open, some of them twice at once, and enters what was answered. */
export const perform = async (entry: Entry, patience: number): Promise<void> => {
  const send = (before: Answer | null) =>
    isOpen(before) ? entry.shop.caller.write(requestOf(entry, patience)) : before;
  [entry.answer, entry.twin] = await Promise.all([
    send(entry.answer),
    entry.hasTwin ? send(entry.twin) : null,
  ]);
};

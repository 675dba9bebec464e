/** What the clients of a fault run do, and the ledger of what they were told. */
import { chanceOf } from "../../devchain/index.ts";
import { picture } from "../../testing/pictures.ts";
import { type Answer, Caller, type Told } from "./client.ts";
import { markerOf } from "./marker.ts";
import type { FaultyService } from "./service.ts";

/** The kinds of operations, by the contract's method in which their marker shows. */
export const METHODS = {
  mint: "nft_batch_mint",
  nft_update: "nft_update",
  allowlist_add: "allowlist_add",
  collection_update: "collection_update",
  finalize: "collection_create",
} as const;
export type Kind = keyof typeof METHODS;

/** One request and how it was answered. Its marker is in the arguments of its transaction, and in no other's. */
export interface Entry {
  readonly ordinal: number;
  readonly kind: Kind;
  readonly marker: string;
  readonly path: string;
  readonly body: unknown;
  readonly key: string | null;
  readonly shop: Shop;
  /** Whether the same request is sent twice at the same moment. */
  readonly hasTwin: boolean;
  answer: Answer | null;
  twin: Answer | null;
  readonly told: Told[];
}

interface Token {
  readonly token_id: string;
  readonly owner_id: string;
}

/** A draft is made again where a request was lost: its key frees itself after minutes only. Milliseconds. */
const DRAFT_PATIENCE_MS = 20_000;
const DRAFT_ATTEMPTS = 10;
/** Tokens of a shop that updates are about. */
const RESERVE = 50;

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

  private constructor(caller: Caller, integration: string, contract: string, contractId: string) {
    this.caller = caller;
    this.integrationUuid = integration;
    this.contractUuid = contract;
    this.contractId = contractId;
  }

  /** Makes a shop through the front door, with nothing failing yet. */
  static async open(service: FaultyService, number: number): Promise<Shop> {
    const create = async <T>(path: string, body: unknown): Promise<T> => {
      const write = { method: "POST", path: `/admin/v1${path}`, body, key: null, patience: 60_000 } as const;
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
    shop.tokens = await shop.#reserve();
    return shop;
  }

  async #reserve(): Promise<Token[]> {
    const body = { receiver_addresses: [this.walletId], quantity_per_receiver: 25 };
    const mints = Array.from({ length: RESERVE / 25 }, () =>
      this.#done(`/collection/${this.collectionUuid}/mint`, body, crypto.randomUUID()),
    );
    return (await Promise.all(mints)).flatMap((minted) => (minted as { tokens: Token[] }).tokens);
  }

  async #done(
    path: string,
    body: unknown,
    key: string | null,
    { subject, patience = 60_000 }: { readonly subject?: string; readonly patience?: number } = {},
  ): Promise<unknown> {
    const write = { method: "POST", path, body, key, patience, ...(subject && { subject }) } as const;
    const answer = await this.caller.write(write);
    if (answer.kind !== "success") throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  }

  /** A draft with one picture, ready to be finalized. Where a request for it got lost, another draft is made. */
  async draft(title: string, copies: number): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#draft(title, copies, attempt);
      } catch (error) {
        if (attempt === DRAFT_ATTEMPTS) throw error;
      }
    }
  }

  async #draft(title: string, copies: number, attempt: number): Promise<string> {
    const how = { subject: title, patience: DRAFT_PATIENCE_MS };
    const settings = { contract_uuid: this.contractUuid, title };
    const made = await this.#done("/collection-draft", settings, `${title} draft ${attempt}`, how);
    const { collection_draft_uuid: uuid } = made as { collection_draft_uuid: string };
    const form = new FormData();
    form.append("asset_file", new File([picture("png", copies)], "a.png", { type: "image/png" }));
    form.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies }]));
    await this.#done(`/collection-draft/${uuid}/asset-bulk`, form, `${title} assets ${attempt}`, how);
    return uuid;
  }
}

/** How often each kind comes, out of a hundred. */
const SHARES: readonly (readonly [Kind, number])[] = [
  ["mint", 72],
  ["nft_update", 12],
  ["allowlist_add", 8],
  ["collection_update", 3],
  ["finalize", 5],
];
/** The share of requests that are sent twice at the same moment. */
const TWINS = 0.1;

/** The `ordinal`-th operation of a run: the same for the same seed, but for the uuids that the service gives. */
export const entryAt = async (seed: number, ordinal: number, shops: readonly Shop[]): Promise<Entry> => {
  const chance = (what: string) => chanceOf(seed, what, ordinal);
  const marker = markerOf(seed, ordinal);
  const shop = shops[Math.floor(chance("shop") * shops.length)]!;
  const kind = kindOf(chance("kind") * 100);
  const collection = `/collection/${shop.collectionUuid}`;
  const common = { ordinal, kind, marker, shop, answer: null, twin: null, told: [] as Told[] };
  const entry = (path: string, body: unknown): Entry => ({
    ...common,
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

const kindOf = (outOfHundred: number): Kind => {
  let upTo = 0;
  for (const [kind, share] of SHARES) {
    upTo += share;
    if (outOfHundred < upTo) return kind;
  }
  return "mint";
};

/** An entry's request. */
export const requestOf = ({ kind, path, body, key, marker, told }: Entry, patience: number) => ({
  method: kind === "mint" || kind === "finalize" ? ("POST" as const) : ("PUT" as const),
  path,
  body,
  key,
  patience,
  subject: marker,
  told,
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

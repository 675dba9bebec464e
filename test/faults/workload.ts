/** What the clients of a fault run do, and the ledger of what they were told. */
import { picture } from "../support/pictures.ts";
import { type Answer, Caller } from "./client.ts";
import type { Dice } from "./dice.ts";
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
  readonly kind: Kind;
  readonly marker: string;
  readonly path: string;
  readonly body: unknown;
  readonly key: string | null;
  readonly shop: Shop;
  answer: Answer | null;
  /** What the same request, sent at the same moment, was told. */
  twin: Answer | null;
}

interface Token {
  readonly token_id: string;
  readonly owner_id: string;
}

/** A shop: an integration with a wallet, a contract and a collection to mint from. */
export class Shop {
  readonly caller: Caller;
  readonly integrationUuid: string;
  readonly contractUuid: string;
  readonly contractId: string;
  collectionUuid = "";
  /** Tokens that were minted, for updates. Each is updated by one client at a time. */
  readonly tokens: Token[] = [];

  private constructor(caller: Caller, integration: string, contract: string, contractId: string) {
    this.caller = caller;
    this.integrationUuid = integration;
    this.contractUuid = contract;
    this.contractId = contractId;
  }

  /** Makes a shop through the front door, with nothing failing yet. */
  static async open(service: FaultyService, dice: Dice): Promise<Shop> {
    const operator = new Caller(service, `Bearer ${service.adminToken}`);
    const create = async <T>(path: string, body: unknown): Promise<T> => {
      const answer = await operator.write({
        method: "POST",
        path: `/admin/v1${path}`,
        body,
        key: null,
        patience: 60_000,
      });
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
    const draft = await shop.draft(`Shop ${dice.marker().slice(0, 8)}`, 1_000_000);
    const path = `/collection-draft/${draft}/finalize`;
    const finalized = await caller.write({ method: "POST", path, key: null, patience: 60_000 });
    if (finalized.kind !== "success") throw new Error(`finalize: ${JSON.stringify(finalized)}`);
    shop.collectionUuid = (finalized.body as { collection_uuid: string }).collection_uuid;
    return shop;
  }

  /** A draft with one picture, ready to be finalized. */
  async draft(title: string, copies: number, patience = 60_000): Promise<string> {
    const done = async (request: { path: string; body: unknown; key: string }) => {
      const answer = await this.caller.write({ method: "POST", patience, ...request });
      if (answer.kind !== "success") throw new Error(`${request.path}: ${JSON.stringify(answer)}`);
      return answer.body as { collection_draft_uuid: string };
    };
    const key = crypto.randomUUID();
    const settings = { contract_uuid: this.contractUuid, title };
    const { collection_draft_uuid: uuid } = await done({ path: "/collection-draft", body: settings, key });
    const form = new FormData();
    form.append("asset_file", new File([picture("png", copies)], "a.png", { type: "image/png" }));
    form.append("assets_detail", JSON.stringify([{ asset_filename: "a.png", copies }]));
    await done({ path: `/collection-draft/${uuid}/asset-bulk`, body: form, key: crypto.randomUUID() });
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

/** The next operation of a client. */
export const nextEntry = async (shop: Shop, dice: Dice): Promise<Entry | null> => {
  const marker = dice.marker();
  const collection = `/collection/${shop.collectionUuid}`;
  const entry = (
    kind: Kind,
    path: string,
    body: unknown,
    key: string | null = crypto.randomUUID(),
  ): Entry => ({
    kind,
    marker,
    path,
    body,
    key,
    shop,
    answer: null,
    twin: null,
  });
  switch (kindOf(dice.next() * 100)) {
    case "nft_update": {
      const token = shop.tokens.pop();
      if (!token) break;
      return entry("nft_update", `${collection}/nft-update`, {
        token_id: token.token_id,
        extra: `"${marker}"`,
      });
    }
    case "allowlist_add":
      return entry("allowlist_add", `${collection}/allowlist-add`, { accounts: [marker] });
    case "collection_update":
      return entry("collection_update", collection, { description: marker });
    case "finalize": {
      const draft = await shop.draft(marker, 5).catch(() => null);
      return draft === null
        ? null
        : entry("finalize", `/collection-draft/${draft}/finalize`, undefined, null);
    }
    case "mint":
  }
  const quantity = 1 + Math.floor(dice.next() * 3);
  return entry("mint", `${collection}/mint`, {
    receiver_addresses: [marker],
    quantity_per_receiver: quantity,
  });
};

const kindOf = (throwOfDice: number): Kind => {
  let upTo = 0;
  for (const [kind, share] of SHARES) {
    upTo += share;
    if (throwOfDice < upTo) return kind;
  }
  return "mint";
};

/** Carries an operation out, some of them twice at once, and enters what was answered. */
export const perform = async (entry: Entry, dice: Dice, patience: number): Promise<void> => {
  const method = entry.kind === "mint" || entry.kind === "finalize" ? "POST" : "PUT";
  const send = () => {
    const { path, body, key } = entry;
    return entry.shop.caller.write({ method, path, body, key, patience });
  };
  const [answer, twin] = await Promise.all([send(), dice.chance(TWINS) ? send() : null]);
  entry.answer = answer;
  entry.twin = twin;
  if (entry.kind === "mint" && answer.kind === "success") {
    entry.shop.tokens.push(...(answer.body as { tokens: Token[] }).tokens);
  }
};

/** The kinds of requests whose trips to the database `bench:api` counts: all that a shop sends below /api/v1. */
import { KeyPair } from "near-api-js";
import { answerOf, call as ask } from "../testing/bench-integration.ts";
import type { BenchService } from "../testing/service.ts";
import { formOf } from "../testing/upload-forms.ts";

/** A request as it is sent. */
export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Authorization headers that take turns. */
  readonly authorizations?: readonly string[];
  readonly body?: string | Buffer;
  readonly status: number;
}

/** A kind of request. */
export interface Kind {
  readonly name: string;
  /** Trips that it may make. */
  readonly most: number;
  readonly isWrite: boolean;
  /** Makes one, after what it needs. */
  readonly call: () => Promise<Call>;
}

/** What is there before. */
export interface Subjects {
  readonly keys: readonly string[];
  readonly integrationUuid: string;
  readonly contractUuid: string;
  readonly collectionUuid: string;
  /** A draft without assets. */
  readonly draftUuid: string;
  /** The draft that the collection was. */
  readonly finalizedDraftUuid: string;
  readonly operationUuid: string;
  /** An account that exists. */
  readonly receiver: string;
}

/** Trips that a request may wait for: a read, and a write beside that for its Idempotency-Key. */
const MOST_TRIPS = { read: 1, write: 2, claim: 1 };
/** What some writes take beyond that: docs/measurements.md says why. */
const BEYOND = {
  /** Read before it is accepted. */
  finalizes: 1,
} as const;

/** Bytes of a picture, and the number of the first. */
const PICTURE = 1_000;
const FIRST_PICTURE = 1_000;
/** A webhook that is told of nothing that the bench does. */
const WEBHOOK = { url: "https://shop.example.com/mintage", types: ["webhook.disabled"] };
const PAGE = { slug: "herons", enabled: true };
const LINKS = 10;
const YEAR_MS = 365 * 24 * 3_600_000;

/** A request before it has a key: what it sends is JSON or a form, and 200 is the answer unless it is named. */
interface Sent {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly json?: object;
  readonly form?: { readonly contentType: string; readonly body: Buffer };
  readonly status?: number;
}

/** A write, what tells it from others at its path, and how the next one is made. */
interface Write {
  readonly suffix?: string;
  readonly beyond?: keyof typeof BEYOND;
  readonly make: () => Sent | Promise<Sent>;
}

/** A shop that makes what its requests need. */
class Shop {
  readonly service: BenchService;
  readonly subjects: Subjects;
  #number = 0;

  constructor(service: BenchService, subjects: Subjects) {
    this.service = service;
    this.subjects = subjects;
  }

  get collection(): string {
    return `/collection/${this.subjects.collectionUuid}`;
  }

  get draft(): object {
    return { contract_uuid: this.subjects.contractUuid, title: "Herons" };
  }

  get receivers(): object {
    return { receiver_addresses: [this.subjects.receiver] };
  }

  /** A number that none had before. */
  next(): number {
    this.#number += 1;
    return this.#number;
  }

  form() {
    return formOf({ seed: FIRST_PICTURE + this.next(), count: 1, size: PICTURE });
  }

  drop(): object {
    const issuer = KeyPair.fromRandom("ed25519").getPublicKey().toString();
    return {
      issuer_public_key: issuer,
      links: LINKS,
      expires_at: new Date(Date.now() + YEAR_MS).toISOString(),
    };
  }

  async newDraft(): Promise<string> {
    const { collection_draft_uuid: uuid } = await this.done<{ collection_draft_uuid: string }>({
      ...{ method: "POST", path: "/collection-draft", json: this.draft },
    });
    return `/collection-draft/${uuid}`;
  }

  /** A draft with an asset, and the asset. */
  async fullDraft(): Promise<{ readonly draft: string; readonly asset: string }> {
    const draft = await this.newDraft();
    const [attached] = await this.done<{ asset_uuid: string }[]>({
      ...{ method: "POST", path: `${draft}/asset-bulk`, form: this.form() },
    });
    return { draft, asset: `${draft}/asset/${attached!.asset_uuid}` };
  }

  /** A webhook, and none beside it. */
  async newWebhook(): Promise<string> {
    await this.withoutWebhooks();
    const sent = { method: "POST", path: "/webhook", json: WEBHOOK } as const;
    return `/webhook/${(await this.done<{ webhook_uuid: string }>(sent)).webhook_uuid}`;
  }

  async withoutWebhooks(): Promise<void> {
    const all = await this.done<{ webhook_uuid: string }[]>({ method: "GET", path: "/webhook" });
    for (const { webhook_uuid: uuid } of all) {
      await ask(this.service, this.#shop, `/webhook/${uuid}`, { method: "DELETE" });
    }
  }

  /** Sends a request. @returns its answer */
  async done<Answer>(sent: Sent): Promise<Answer> {
    const { method, headers, body } = this.call(sent);
    return answerOf<Answer>(
      await ask(this.service, this.#shop, sent.path, { method, headers, body: body as BodyInit }),
      ...[200, 201],
    );
  }

  call({ method, path, json, form, status = 200 }: Sent, more: Readonly<Record<string, string>> = {}): Call {
    const contentType = form?.contentType ?? (json && "application/json");
    const body = form?.body ?? (json && JSON.stringify(json));
    const authorization = `Api-Key ${this.#shop.key}`;
    return {
      ...{ method, url: `${this.service.url}/api/v1${path}`, status },
      headers: { authorization, ...(contentType && { "content-type": contentType }), ...more },
      ...(body && { body }),
    };
  }

  get #shop() {
    const { keys, contractUuid, receiver } = this.subjects;
    return { key: keys[0]!, contractUuid, walletAccountId: receiver };
  }
}

/** What requests about a collection name beyond it. */
interface Named {
  readonly token: string;
  readonly asset: string;
  readonly drop: string;
}

/** Gives the collection an NFT, a drop and a page, and the wallet somebody to pay. */
async function prepared(shop: Shop): Promise<Named> {
  const { collection, receivers, subjects } = shop;
  const { tokens } = await shop.done<{ tokens: { token_id: string }[] }>({
    ...{ method: "POST", path: `${collection}/mint`, json: receivers },
  });
  await shop.done({ method: "POST", path: `${collection}/drop`, json: shop.drop() });
  const [drop] = await shop.done<{ drop_id: number }[]>({ method: "GET", path: `${collection}/drop` });
  await shop.done({ method: "PUT", path: `${collection}/page`, json: PAGE });
  const assets = `/collection-draft/${subjects.finalizedDraftUuid}/asset`;
  const [asset] = await shop.done<{ asset_uuid: string }[]>({ method: "GET", path: assets });
  const payee = { account_id: subjects.receiver };
  await shop.service.admin(`/integration/${subjects.integrationUuid}/payout-account`, payee, "PUT");
  return {
    token: tokens[0]!.token_id,
    asset: asset!.asset_uuid,
    drop: `${collection}/drop/${drop!.drop_id}`,
  };
}

const readsOf = ({ collection, subjects }: Shop, { drop }: Named): readonly Sent[] => [
  ...[
    collection,
    "/collection?limit=10",
    `/collection-draft/${subjects.draftUuid}`,
    "/collection-draft?limit=10",
    `/collection-draft/${subjects.draftUuid}/asset?limit=10`,
    `${collection}/token?limit=10`,
    `/operation/${subjects.operationUuid}`,
    "/operation?limit=10",
    "/transaction?limit=10",
    "/event?limit=10",
    "/me",
    `${collection}/page`,
    `${collection}/eligibility/${subjects.receiver}`,
    `${collection}/holder`,
    `${collection}/drop`,
    drop,
    "/webhook",
  ].map((path) => ({ method: "GET", path }) as const),
  { method: "PUT", path: `${collection}/allowlist-checkaccount`, json: { account: subjects.receiver } },
];

/** Writes that the chain has nothing to do with. */
const ownWritesOf = (shop: Shop): readonly Write[] => [
  { make: () => ({ method: "POST", path: "/collection-draft", json: shop.draft, status: 201 }) },
  {
    make: () => ({
      ...{ method: "PUT", path: `/collection-draft/${shop.subjects.draftUuid}`, json: { title: "Egrets" } },
    }),
  },
  {
    make: async () => ({
      ...{ method: "POST", path: `${await shop.newDraft()}/asset-bulk`, form: shop.form(), status: 201 },
    }),
  },
  { make: async () => ({ method: "DELETE", path: (await shop.fullDraft()).asset, status: 204 }) },
  { make: async () => ({ method: "DELETE", path: await shop.newDraft(), status: 204 }) },
  { make: () => ({ method: "PUT", path: `${shop.collection}/page`, json: PAGE }) },
  {
    make: async () => {
      await shop.withoutWebhooks();
      return { method: "POST", path: "/webhook", json: WEBHOOK, status: 201 };
    },
  },
  { make: async () => ({ method: "PUT", path: await shop.newWebhook(), json: { description: "Ours" } }) },
  { make: async () => ({ method: "POST", path: `${await shop.newWebhook()}/rotate` }) },
  { make: async () => ({ method: "DELETE", path: await shop.newWebhook(), status: 204 }) },
];

/** Writes to the chain, and a quote of one. */
const chainWritesOf = (shop: Shop, { token, asset, drop }: Named): readonly Write[] => {
  const { collection, receivers, subjects } = shop;
  const accounts = { accounts: [subjects.receiver] };
  const mint = { method: "POST", path: `${collection}/mint`, status: 201 } as const;
  const put = (path: string, json?: () => object): Write => ({
    make: () => ({ method: "PUT", path, ...(json && { json: json() }) }),
  });
  return [
    { make: () => ({ ...mint, json: receivers }) },
    {
      suffix: " of an asset",
      make: () => ({ ...mint, json: { ...receivers, asset_uuid: asset } }),
    },
    put(`${collection}/allowlist-add`, () => accounts),
    put(`${collection}/allowlist-remove`, () => accounts),
    put(`${collection}/allowlist-clear`),
    put(collection, () => ({ description: `Grey ${shop.next()}` })),
    put(`${collection}/nft-update`, () => ({ token_id: token, title: `Heron ${shop.next()}` })),
    {
      make: () => ({ method: "POST", path: `${collection}/drop`, json: shop.drop(), status: 201 }),
    },
    put(drop, () => ({ links: LINKS + shop.next() })),
    { make: () => ({ method: "POST", path: "/wallet/payout", json: { amount: "1" } }) },
    {
      make: () => ({
        ...{ method: "POST", path: "/quote", status: 201 },
        json: { method: "POST", path: mint.path, body: receivers },
      }),
    },
    {
      beyond: "finalizes",
      make: async () => {
        const { draft } = await shop.fullDraft();
        return { method: "POST", path: `${draft}/finalize`, status: 201 };
      },
    },
  ];
};

/** A request's name, the same for all of its kind. */
const nameOf = ({ method, path }: Sent): string =>
  `${method} ${path
    .replace(/\?.*/, "")
    .replace(/[0-9a-f-]{36}/g, "{uuid}")
    .replace(/(drop|eligibility)\/[^/]+$/, "$1/{…}")}`;

/** All kinds, reads first. */
export async function kindsOf(service: BenchService, subjects: Subjects): Promise<Kind[]> {
  const shop = new Shop(service, subjects);
  const named = await prepared(shop);
  const kinds: Kind[] = readsOf(shop, named).map((sent) => ({
    ...{ name: nameOf(sent), most: MOST_TRIPS.read, isWrite: false },
    call: () => Promise.resolve(shop.call(sent)),
  }));
  for (const { suffix = "", beyond, make } of [...ownWritesOf(shop), ...chainWritesOf(shop, named)]) {
    const name = `${nameOf(await make())}${suffix}`;
    const most = MOST_TRIPS.write + (beyond ? BEYOND[beyond] : 0);
    const claimed = () => ({ "idempotency-key": crypto.randomUUID() });
    kinds.push(
      { name, most, isWrite: true, call: async () => shop.call(await make()) },
      {
        name: `${name}, with an Idempotency-Key`,
        most: most + MOST_TRIPS.claim,
        isWrite: true,
        call: async () => shop.call(await make(), claimed()),
      },
    );
  }
  return kinds;
}

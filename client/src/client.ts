import { assetForm, type NewAsset, placeholderForm } from "./assets.ts";
import { MintageError } from "./errors.ts";
import { type EventsWanted, streamEvents } from "./events.ts";
import { awaitOperation, type WaitOptions } from "./operations.ts";
import type {
  AuditEntry,
  BurnAnswer,
  ChainTransactionResult,
  Collection,
  CollectionChanges,
  CollectionDraft,
  CollectionDraftAsset,
  CollectionDraftChanges,
  CollectionDraftInput,
  CollectionPage,
  CollectionPageInput,
  Currency,
  Delivery,
  Drop,
  DropAnswer,
  DropChanges,
  DropClosed,
  DropInput,
  DropSummary,
  Eligibility,
  FinalizeAnswer,
  Holder,
  IssuedKey,
  Key,
  KeyCreateInput,
  LockAnswer,
  LockInput,
  Me,
  MintAnswer,
  MintInput,
  NftTransferInput,
  NftUpdateAnswer,
  NftUpdateBulkAnswer,
  NftUpdateBulkInput,
  NftUpdateInput,
  Operation,
  OperationSummary,
  PayoutAnswer,
  Quote,
  QuoteInput,
  RevealAnswer,
  Token,
  TransactionAnswer,
  TransferAnswer,
  Webhook,
  WebhookChanges,
  WebhookInput,
  WebhookReplay,
  WebhookWithSecret,
} from "./schema.ts";
import { type Call, jsonOf, linesOf, nextPage, Transport, type TransportOptions } from "./transport.ts";

/** Whose allowlist: of the phase of this number. */
interface OfPhase {
  readonly phase?: number;
}

/** What a write to an allowlist answers with. */
export type AllowlistAnswer = TransactionAnswer;

/** How the service is reached, and with which key. */
export interface ClientOptions extends Omit<TransportOptions, "authorization"> {
  /** `mk_live_…`, or `mk_test_…` of a testnet service; without a prefix. */
  readonly apiKey: string;
}

/** What every call takes beside its own input. */
export interface CallOptions {
  /**
   * Identity of a write. The client makes one for each call and keeps it over its retries; give your own where the
   * same write may be started again by another process, and it will still be carried out once.
   */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Told that a write's answer is that of an earlier request under the same `idempotencyKey`: nothing was done again. */
  readonly onReplayed?: () => void;
}

/** Which operations a list has: those that fit all that is given. */
export interface OperationsWanted {
  readonly kind?: OperationSummary["kind"];
  readonly state?: OperationSummary["state"];
  /** The draft, collection or contract that they change. */
  readonly subjectUuid?: string;
  /** The `reference` of their writes. */
  readonly reference?: string;
}

/** What a call takes that costs something on the chain. */
export interface CostOptions extends CallOptions {
  /** `quote_uuid` of a quote for this very call, which then costs at most its `cost.at_most`. */
  readonly quote?: string;
  /** yoctoNEAR that the call may cost in all. What could cost more is not sent (`cost_exceeds_maximum`). */
  readonly maxCost?: string | bigint;
  /** Your own name for the call, such as an order's number, which its operation and events show. 1 to 64 ASCII characters. */
  readonly reference?: string;
}

/** What a call that touches the chain takes. */
export interface ChainCallOptions extends CostOptions, WaitOptions {}

/** The holders of a collection, and the block at which they hold it. */
export interface HoldersAtBlock {
  readonly block_height: number;
  /** base58 */
  readonly block_hash: string;
  readonly holders: readonly Holder[];
}

const API = "/api/v1";

/** A mint as the client sends it: receivers have to exist unless it says otherwise. */
const mintBody = <Input extends { readonly receivers_must_exist?: unknown }>(input: Input) => ({
  ...input,
  receivers_must_exist: input.receivers_must_exist ?? true,
});

/** A header of an answer. @throws MintageError where a browser or a proxy keeps it back */
const headerOf = ({ headers }: Response, name: string): string => {
  const value = headers.get(name);
  if (value === null) throw new MintageError(`The answer came without its header ${name}.`);
  return value;
};

/** The body of a write with its reference; undefined: it has neither. */
const referring = (json: object | undefined, reference: string | undefined): object | undefined =>
  reference === undefined ? json : { ...json, reference };

/**
 * A client of one integration. Writes are repeated safely after lost answers, and calls that touch the chain answer
 * when their transactions are final, however long the chain takes.
 *
 * Failures are thrown: ApiError with the service's code, in a class that fits its status, or ConnectionError.
 */
export class MintageClient {
  readonly #transport: Transport;

  constructor({ apiKey, ...options }: ClientOptions) {
    this.#transport = new Transport({ ...options, authorization: `Api-Key ${apiKey}` });
  }

  /** What the key stands for: its integration, wallet, contracts and limits. */
  me(options?: CallOptions): Promise<Me> {
    return this.#json<Me>("GET", "/me", options);
  }

  /** The integration's keys; they need a key with the scope `full`. */
  readonly keys = {
    /** Makes a key with at most the rights of your own. Only this answer shows it. */
    create: (input: KeyCreateInput, options?: CallOptions) =>
      this.#json<IssuedKey>("POST", "/key", options, input),
    /** Those that weren't deleted and may do no more than yours, newest first, fetched page by page. */
    list: (options?: CallOptions) => this.#pages<Key>("/key", options),
    /** Replaces a key's text; the one before works as well for a day. Only this answer shows the new one. */
    rotate: (keyUuid: string, options?: CallOptions) =>
      this.#json<IssuedKey>("POST", `/key/${keyUuid}/rotate`, options),
    delete: async (keyUuid: string, options?: CallOptions): Promise<void> => {
      await this.#send("DELETE", `/key/${keyUuid}`, options);
    },
  };

  /** Who changed what, oldest first, after an entry's `seq`, fetched page by page; it needs the scope `full`. */
  audit({ after = 0, ...options }: CallOptions & { readonly after?: number } = {}) {
    return this.#pages<AuditEntry>(`/audit?after=${after}`, options);
  }

  /** The same as NDJSON, an entry a line, as it is sent: for a file or a log of your own. */
  auditLines({ after = 0, ...options }: CallOptions & { readonly after?: number } = {}) {
    return linesOf(this.#transport, `${API}/audit?after=${after}`, options);
  }

  /** The integration's wallet. */
  readonly wallet = {
    /**
     * Pays to the account that the operator has set: `sales`, what was earned and not paid out; yoctoNEAR; or, where `confirm`
     * is true, `all` beyond 1.01 NEAR, gas money included. With a quote or `maxCost`, `sales` and `all` pay what that leaves.
     * With `currency`, the account of a NEP-141 token: its smallest units, or `all` that the wallet has and that waits for it.
     */
    payOut: (
      amount: string,
      { confirm, currency, ...options }: ChainCallOptions & { confirm?: boolean; currency?: string } = {},
    ) => this.#chain<PayoutAnswer>("POST", "/wallet/payout", options, { amount, confirm, currency }),
  };

  /** What a write such as `POST /collection/{uuid}/mint` would cost. Its call then takes the `quote_uuid` as option `quote`. */
  quote({ body, ...write }: QuoteInput, options?: CallOptions): Promise<Quote> {
    const sent = body && write.path.endsWith("/mint") ? mintBody(body) : body;
    return this.#json<Quote>("POST", "/quote", options, { ...write, ...(sent && { body: sent }) });
  }

  /** A NEP-141 token that prices may be in. */
  currency(contractId: string, options?: CallOptions): Promise<Currency> {
    return this.#json<Currency>("GET", `/currency/${encodeURIComponent(contractId)}`, options);
  }

  /** Drafts: collections that are still being prepared. */
  readonly drafts = {
    create: (draft: CollectionDraftInput, options?: CallOptions) =>
      this.#json<CollectionDraft>("POST", "/collection-draft", options, draft),
    get: (draftUuid: string, options?: CallOptions) =>
      this.#json<CollectionDraft>("GET", `/collection-draft/${draftUuid}`, options),
    /** All drafts, newest first, fetched page by page. */
    list: (options?: CallOptions) => this.#pages<CollectionDraft>("/collection-draft", options),
    update: (draftUuid: string, changes: CollectionDraftChanges, options?: CallOptions) =>
      this.#json<CollectionDraft>("PUT", `/collection-draft/${draftUuid}`, options, changes),
    delete: async (draftUuid: string, options?: CallOptions): Promise<void> => {
      await this.#send("DELETE", `/collection-draft/${draftUuid}`, options);
    },
    /** Uploads files, at most 100 MB a call and 1 MB a file. All of them are attached, or none. */
    attachAssets: async (draftUuid: string, assets: readonly NewAsset[], options?: CallOptions) => {
      const path = `${API}/collection-draft/${draftUuid}/asset-bulk`;
      const call: Call = { method: "POST", path, form: assetForm(assets), ...options };
      return this.#transport.json<CollectionDraftAsset[]>(call);
    },
    /** What NFTs of a draft with `reveal` show until the reveal; it replaces an earlier one. */
    setPlaceholder: async (
      draftUuid: string,
      file: Pick<NewAsset, "filename" | "data">,
      options?: CallOptions,
    ): Promise<void> => {
      const path = `${API}/collection-draft/${draftUuid}/asset-bulk`;
      await this.#transport.json({ method: "POST", path, form: placeholderForm(file), ...options });
    },
    /** The assets of a draft, fetched page by page. */
    assets: (draftUuid: string, options?: CallOptions) =>
      this.#pages<CollectionDraftAsset>(`/collection-draft/${draftUuid}/asset`, options),
    deleteAsset: async (draftUuid: string, assetUuid: string, options?: CallOptions): Promise<void> => {
      await this.#send("DELETE", `/collection-draft/${draftUuid}/asset/${assetUuid}`, options);
    },
    /** Creates the collection on-chain and spends from the integration wallet. A draft becomes one collection only. */
    finalize: (draftUuid: string, options?: ChainCallOptions) =>
      this.#chain<FinalizeAnswer>("POST", `/collection-draft/${draftUuid}/finalize`, options),
  };

  /** Collections on the chain. */
  readonly collections = {
    get: (collectionUuid: string, options?: CallOptions) =>
      this.#json<Collection>("GET", `/collection/${collectionUuid}`, options),
    /** All collections, newest first, fetched page by page. */
    list: (options?: CallOptions) => this.#pages<Collection>("/collection", options),
    /** An absent field stays, null clears. */
    update: (collectionUuid: string, changes: CollectionChanges, options?: ChainCallOptions) =>
      this.#chain<Collection>("PUT", `/collection/${collectionUuid}`, options, changes),
    /** How collectors are shown a collection at /m/{slug} and /g/{slug}. */
    page: (collectionUuid: string, options?: CallOptions) =>
      this.#json<CollectionPage>("GET", `/collection/${collectionUuid}/page`, options),
    /** Shows a collection to collectors, or changes how. An absent field stays, null clears. */
    setPage: (collectionUuid: string, page: CollectionPageInput, options?: CallOptions) =>
      this.#json<CollectionPage>("PUT", `/collection/${collectionUuid}/page`, options, page),
    /**
     * Mints at most 25 tokens: receivers times quantity. A receiver with a name that is no account on the chain is
     * refused (`unknown_account`), unless `receivers_must_exist` is false.
     */
    mint: (collectionUuid: string, input: MintInput, options?: ChainCallOptions) =>
      this.#chain<MintAnswer>("POST", `/collection/${collectionUuid}/mint`, options, mintBody(input)),
    /**
     * Starts a mint and answers with its operation's uuid: the events `operation.succeeded` and `operation.failed` tell
     * what comes of it, and so does `operations.wait`.
     */
    startMint: async (
      collectionUuid: string,
      input: MintInput,
      { reference, ...options }: CostOptions = {},
    ): Promise<string> => {
      const path = `${API}/collection/${collectionUuid}/mint`;
      const response = await this.#transport.send({
        method: "POST",
        path,
        json: referring(mintBody(input), reference),
        respondAsync: true,
        ...options,
      });
      return headerOf(response, "X-Operation-Uuid");
    },
    updateNft: (collectionUuid: string, input: NftUpdateInput, options?: ChainCallOptions) =>
      this.#chain<NftUpdateAnswer>("PUT", `/collection/${collectionUuid}/nft-update`, options, input),
    /** Changes the metadata of at most 1,000 tokens; each has a result. */
    updateNfts: (
      collectionUuid: string,
      updates: NftUpdateBulkInput["updates"],
      options?: ChainCallOptions,
    ) =>
      this.#chain<NftUpdateBulkAnswer>("POST", `/collection/${collectionUuid}/nft-update-bulk`, options, {
        updates,
      }),
    /** Transfers tokens that the integration's wallet owns in one transaction: all or none. */
    transferNfts: (collectionUuid: string, input: NftTransferInput, options?: ChainCallOptions) =>
      this.#chain<TransferAnswer>("POST", `/collection/${collectionUuid}/nft-transfer`, options, input),
    /** Burns tokens that the integration's wallet owns, for ever, in one transaction: all or none. */
    burnNfts: (collectionUuid: string, tokenIds: readonly string[], options?: ChainCallOptions) =>
      this.#chain<BurnAnswer>("POST", `/collection/${collectionUuid}/nft-burn`, options, {
        token_ids: tokenIds,
      }),
    /**
     * Shows assets that a collection hides, all that are left or so many more, rounded up to whole batches.
     * What is shown stays.
     */
    reveal: (collectionUuid: string, assets?: number, options?: ChainCallOptions) =>
      this.#chain<RevealAnswer>("POST", `/collection/${collectionUuid}/reveal`, options, { assets }),
    /** Locks parts of a collection, for ever: a quote of it says what nobody can undo. */
    lock: (collectionUuid: string, input: LockInput, options?: ChainCallOptions) =>
      this.#chain<LockAnswer>("PUT", `/collection/${collectionUuid}/lock`, options, input),
    /** Locks what a token shows, for ever. */
    lockNft: (collectionUuid: string, tokenId: string, options?: ChainCallOptions) =>
      this.#chain<NftUpdateAnswer>("PUT", `/collection/${collectionUuid}/nft-lock`, options, {
        token_id: tokenId,
      }),
    /** The tokens of a collection as the chain has them, fetched page by page. */
    tokens: (collectionUuid: string, options?: CallOptions) =>
      this.#pages<Token>(`/collection/${collectionUuid}/token`, options, 100),
    /** Who holds the collection's tokens at one final block, those with most first. */
    holders: async (collectionUuid: string, options?: CallOptions): Promise<HoldersAtBlock> => {
      const response = await this.#send("GET", `/collection/${collectionUuid}/holder`, options);
      return {
        block_height: Number(headerOf(response, "X-Block-Height")),
        block_hash: headerOf(response, "X-Block-Hash"),
        holders: await jsonOf<Holder[]>(response),
      };
    },
    /** Whether and at what price an account may mint from its own wallet. */
    eligibility: (collectionUuid: string, accountId: string, options?: CallOptions) =>
      this.#json<Eligibility>(
        "GET",
        `/collection/${collectionUuid}/eligibility/${encodeURIComponent(accountId)}`,
        options,
      ),
  };

  /** Claim drops: NFTs for whoever holds one of their links, which a `ClaimIssuer` makes. */
  readonly drops = {
    create: (collectionUuid: string, drop: DropInput, options?: ChainCallOptions) =>
      this.#chain<DropAnswer>("POST", `/collection/${collectionUuid}/drop`, options, drop),
    get: (collectionUuid: string, dropId: number, options?: CallOptions) =>
      this.#json<Drop>("GET", `/collection/${collectionUuid}/drop/${dropId}`, options),
    /** All that were not closed, oldest first, fetched page by page. */
    list: (collectionUuid: string, options?: CallOptions) =>
      this.#pages<DropSummary>(`/collection/${collectionUuid}/drop`, options),
    /** Changes one: more links or reserve, another end or issuer, revoked links. */
    update: (collectionUuid: string, dropId: number, changes: DropChanges, options?: ChainCallOptions) =>
      this.#chain<DropAnswer>("PUT", `/collection/${collectionUuid}/drop/${dropId}`, options, changes),
    /** Frees the rest of the reserve of one that is over. */
    close: (collectionUuid: string, dropId: number, options?: ChainCallOptions) =>
      this.#chain<DropClosed>("DELETE", `/collection/${collectionUuid}/drop/${dropId}`, options),
  };

  /** Accounts that may mint in a phase: `phase` of the options, or private_mint_config. */
  readonly allowlist = {
    /** At most 500 accounts a call. */
    add: (
      collectionUuid: string,
      accounts: readonly string[],
      { phase, ...options }: ChainCallOptions & OfPhase = {},
    ) =>
      this.#chain<AllowlistAnswer>("PUT", `/collection/${collectionUuid}/allowlist-add`, options, {
        accounts,
        phase,
      }),
    /** At most 500 accounts a call. */
    remove: (
      collectionUuid: string,
      accounts: readonly string[],
      { phase, ...options }: ChainCallOptions & OfPhase = {},
    ) =>
      this.#chain<AllowlistAnswer>("PUT", `/collection/${collectionUuid}/allowlist-remove`, options, {
        accounts,
        phase,
      }),
    clear: (collectionUuid: string, { phase, ...options }: ChainCallOptions & OfPhase = {}) =>
      this.#chain<AllowlistAnswer>(
        "PUT",
        `/collection/${collectionUuid}/allowlist-clear`,
        options,
        phase === undefined ? undefined : { phase },
      ),
    has: async (
      collectionUuid: string,
      account: string,
      { phase, ...options }: CallOptions & OfPhase = {},
    ): Promise<boolean> => {
      const path = `/collection/${collectionUuid}/allowlist-checkaccount`;
      return (await this.#json<{ is_allowlisted: boolean }>("PUT", path, options, { account, phase }))
        .is_allowlisted;
    },
  };

  /** Operations: writes to the chain, from their acceptance to their answer. */
  readonly operations = {
    get: (operationUuid: string, options?: CallOptions) =>
      this.#json<Operation>("GET", `/operation/${operationUuid}`, options),
    /** Operations, newest first, fetched page by page: all, or those that are wanted. */
    list: ({ kind, state, subjectUuid, reference, ...options }: CallOptions & OperationsWanted = {}) => {
      const wanted = { kind, state, subject_uuid: subjectUuid, reference };
      const given = Object.entries(wanted).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      const query = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
      return this.#pages<OperationSummary>(`/operation${query}`, options);
    },
    /** The answer of an operation once it is over; it throws as the call itself would have. */
    wait: <Answer>(operationUuid: string, options?: ChainCallOptions) =>
      awaitOperation<Answer>(this.#transport, `${API}/operation/${operationUuid}`, options),
  };

  /** What happens to the integration. */
  readonly events = {
    /** Events in their order, those that are there and then each as it comes, over disconnects. */
    stream: (wanted?: EventsWanted) => streamEvents(this.#transport, wanted),
  };

  /** Endpoints that events are sent to; `verifyWebhook` checks what arrives there. */
  readonly webhooks = {
    create: (input: WebhookInput, options?: CallOptions) =>
      this.#json<WebhookWithSecret>("POST", "/webhook", options, input),
    get: (webhookUuid: string, options?: CallOptions) =>
      this.#json<Webhook>("GET", `/webhook/${webhookUuid}`, options),
    /** All webhooks, newest first, fetched page by page. */
    list: (options?: CallOptions) => this.#pages<Webhook>("/webhook", options),
    /** An absent field stays. `enabled: true` sends again, from where it stopped. */
    update: (webhookUuid: string, changes: WebhookChanges, options?: CallOptions) =>
      this.#json<Webhook>("PUT", `/webhook/${webhookUuid}`, options, changes),
    delete: async (webhookUuid: string, options?: CallOptions): Promise<void> => {
      await this.#send("DELETE", `/webhook/${webhookUuid}`, options);
    },
    /** A new secret; the one before signs beside it for a day. */
    rotate: (webhookUuid: string, options?: CallOptions) =>
      this.#json<WebhookWithSecret>("POST", `/webhook/${webhookUuid}/rotate`, options),
    /** Sends a test now, and tells what came of it. */
    test: (webhookUuid: string, options?: CallOptions) =>
      this.#json<Delivery>("POST", `/webhook/${webhookUuid}/test`, options),
    replay: async (webhookUuid: string, range: WebhookReplay, options?: CallOptions): Promise<void> => {
      await this.#send("POST", `/webhook/${webhookUuid}/replay`, options, range);
    },
    /** The last thousand attempts, newest first, fetched page by page. */
    deliveries: (webhookUuid: string, options?: CallOptions) =>
      this.#pages<Delivery>(`/webhook/${webhookUuid}/delivery`, options),
  };

  /** Transactions of the integration's operations. */
  readonly transactions = {
    /** All that are final, newest first, fetched page by page. */
    list: (options?: CallOptions) => this.#pages<ChainTransactionResult>("/transaction", options),
  };

  #send(method: Call["method"], path: string, options: CallOptions = {}, json?: unknown): Promise<Response> {
    return this.#transport.send({ method, path: API + path, json, ...options });
  }

  #json<T>(method: Call["method"], path: string, options: CallOptions = {}, json?: unknown): Promise<T> {
    return this.#transport.json<T>({ method, path: API + path, json, ...options });
  }

  /** A write to the chain: the answer, or what became of the operation where the service answered 202. */
  async #chain<T>(
    method: Call["method"],
    path: string,
    { reference, ...options }: ChainCallOptions = {},
    json?: object,
  ): Promise<T> {
    const response = await this.#send(method, path, options, referring(json, reference));
    const location = response.headers.get("location");
    if (response.status !== 202 || location === null) return jsonOf<T>(response);
    return awaitOperation<T>(this.#transport, location, options);
  }

  /** A list, a page at a time, as it is consumed. */
  async *#pages<T>(
    path: string,
    options: CallOptions = {},
    limit = 1000,
  ): AsyncGenerator<T, void, undefined> {
    let next: string | null = `${API}${path}${path.includes("?") ? "&" : "?"}limit=${limit}`;
    while (next !== null) {
      const response = await this.#transport.send({ method: "GET", path: next, ...options });
      yield* await jsonOf<T[]>(response);
      next = nextPage(response.headers);
    }
  }
}

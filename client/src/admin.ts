import { awaitOperation, type WaitOptions } from "./operations.ts";
import { type Call, Transport, type TransportOptions } from "./transport.ts";

/** An integration: the tenant that keys, contracts, drafts and collections belong to. */
export interface Integration {
  readonly integration_uuid: string;
  readonly name: string;
  readonly wallet_account_id: string | null;
  readonly wallet_public_key: string | null;
  readonly wallet_state: "new" | "creating" | "ready";
  readonly created_at: string;
}

/** What is known of a key; the key itself is shown once, when it is issued. */
export interface ApiKey {
  readonly key_uuid: string;
  readonly name: string;
  readonly role: "full" | "read";
  readonly prefix: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  readonly created_at: string;
}

/** A contract that collections are deployed to. */
export interface Contract {
  readonly contract_uuid: string;
  readonly account_id: string;
  readonly code_hash: string | null;
  readonly state: string;
}

/** A wallet as an operator sees it. */
export interface WalletStatus {
  readonly account_id: string;
  readonly public_key: string | null;
  /** yoctoNEAR; null where no node answers or there is no account yet. */
  readonly balance: string | null;
  readonly lanes: readonly { readonly public_key: string; readonly kind: string; readonly open: number }[];
  readonly queued: number;
  readonly open: number;
  readonly [field: string]: unknown;
}

/** How the operator's surface is reached. */
export interface AdminOptions extends Omit<TransportOptions, "authorization"> {
  /** The service's ADMIN_TOKEN. */
  readonly adminToken: string;
}

/** Identity of a write, to be given where another process may start the same write again. */
interface WriteOptions extends WaitOptions {
  readonly idempotencyKey?: string;
}

const ADMIN = "/admin/v1";

/** The operator's surface, `/admin/v1`. */
export class AdminClient {
  readonly #transport: Transport;

  constructor({ adminToken, ...options }: AdminOptions) {
    this.#transport = new Transport({ ...options, authorization: `Bearer ${adminToken}` });
  }

  readonly integrations = {
    list: () => this.#call<Integration[]>("GET", "/integration"),
    get: (integrationUuid: string) => this.#call<Integration>("GET", `/integration/${integrationUuid}`),
    /** Makes the integration, its wallet's key and its funded account. */
    create: (name: string, options?: WriteOptions) =>
      this.#call<Integration>("POST", "/integration", { name }, options),
  };

  readonly keys = {
    list: (integrationUuid: string) => this.#call<ApiKey[]>("GET", `/integration/${integrationUuid}/key`),
    /** Issues a key; `api_key` of the answer is shown this once. */
    issue: (
      integrationUuid: string,
      key: { name: string; role?: "full" | "read"; expires_at?: string | null },
    ) =>
      this.#call<ApiKey & { readonly api_key: string }>("POST", `/integration/${integrationUuid}/key`, key),
    revoke: (integrationUuid: string, keyUuid: string) =>
      this.#call<ApiKey>("DELETE", `/integration/${integrationUuid}/key/${keyUuid}`),
  };

  readonly wallets = {
    status: (integrationUuid: string) =>
      this.#call<WalletStatus>("GET", `/integration/${integrationUuid}/wallet`),
    /** Makes a lost wallet object anew from the sealed copy of its key. */
    restore: (integrationUuid: string) =>
      this.#call<WalletStatus>("POST", `/integration/${integrationUuid}/wallet/restore`),
    /** The platform's own. */
    platform: () => this.#call<WalletStatus>("GET", "/platform"),
  };

  readonly contracts = {
    list: (integrationUuid: string) =>
      this.#call<Contract[]>("GET", `/integration/${integrationUuid}/contract`),
    deploy: (integrationUuid: string, contract: { name: string; symbol: string }, options?: WriteOptions) =>
      this.#call<Contract>("POST", `/integration/${integrationUuid}/contract`, contract, options),
    /** Takes over a contract that exists, after its code and roles were checked. */
    adopt: (integrationUuid: string, accountId: string, options?: WriteOptions) =>
      this.#call<Contract>(
        "POST",
        `/integration/${integrationUuid}/contract/adopt`,
        { account_id: accountId },
        options,
      ),
  };

  readonly transactions = {
    /** Those that wait for an operator. */
    stuck: () => this.#call<Record<string, unknown>[]>("GET", "/transaction/stuck"),
  };

  readonly secrets = {
    /** Seals every wallet's key under the newest version of WALLET_SECRETS. */
    rotate: () => this.#call<Record<string, unknown>>("POST", "/secret-rotation"),
  };

  async #call<T>(
    method: Call["method"],
    path: string,
    json?: unknown,
    options: WriteOptions = {},
  ): Promise<T> {
    const { idempotencyKey, signal } = options;
    const response = await this.#transport.send({ method, path: ADMIN + path, json, idempotencyKey, signal });
    const location = response.headers.get("location");
    if (response.status === 202 && location !== null) {
      await response.body?.cancel();
      return awaitOperation<T>(this.#transport, location, options);
    }
    return (await response.json()) as T;
  }
}

import { awaitOperation, type WaitOptions } from "./operations.ts";
import type {
  AdoptedContract,
  ContractDeployed,
  ContractHandOver,
  ContractInput,
  ContractOwnership,
  ContractUpgraded,
  ContractWithRoles,
  HandOverInput,
  HiddenOrder,
  Integration,
  IntegrationChanges,
  IssuedKey,
  Key,
  KeyInput,
  Limits,
  LimitsInput,
  ListedContract,
  Operation,
  OwnedContract,
  Rotation,
  SettlementInput,
  StuckTransaction,
  UpgradePlan,
  Wallet,
  WalletCreated,
} from "./schema.ts";
import { type Call, jsonOf, linesOf, Transport, type TransportOptions } from "./transport.ts";

/** How the operator's surface is reached. */
export interface AdminOptions extends Omit<TransportOptions, "authorization"> {
  /** The service's ADMIN_TOKEN. */
  readonly adminToken: string;
}

/** How a call is made. */
interface AdminCall extends WaitOptions {
  /** Sent once, because a repetition would make a second one: after a lost answer, look at the list first. */
  readonly once?: boolean;
}

const ADMIN = "/admin/v1";

/** The query that names an operation's integration. */
const ofIntegration = (uuid: string | undefined): string =>
  uuid === undefined ? "" : `?integration_uuid=${uuid}`;

/** The operator's surface, `/admin/v1`. */
export class AdminClient {
  readonly #transport: Transport;

  constructor({ adminToken, ...options }: AdminOptions) {
    this.#transport = new Transport({ ...options, authorization: `Bearer ${adminToken}` });
  }

  readonly integrations = {
    /** Those that aren't deleted; with a name, those of exactly this name. */
    list: (name?: string) => {
      const query = name === undefined ? "" : `?${new URLSearchParams({ name })}`;
      return this.#call<Integration[]>("GET", `/integration${query}`);
    },
    listDeleted: () => this.#call<Integration[]>("GET", "/integration?deleted=true"),
    get: (integrationUuid: string) => this.#call<Integration>("GET", `/integration/${integrationUuid}`),
    /** Makes the integration, its wallet's key and its funded account. */
    create: (name: string, options?: WaitOptions) =>
      this.#call<WalletCreated>("POST", "/integration", { name }, { ...options, once: true }),
    /** Sets the account that its wallet's money is paid out to; null: none. */
    setPayoutAccount: (integrationUuid: string, accountId: string | null) =>
      this.#call<Integration>("PUT", `/integration/${integrationUuid}/payout-account`, {
        account_id: accountId,
      }),
    /** Renames it, suspends or resumes it; absent fields stay. */
    change: (integrationUuid: string, changes: IntegrationChanges) =>
      this.#call<Integration>("PUT", `/integration/${integrationUuid}`, changes),
    /** Deletes a suspended one. @param leaveFunds although its wallet has money left */
    delete: (integrationUuid: string, leaveFunds = false) =>
      this.#call<Integration>(
        "DELETE",
        `/integration/${integrationUuid}${leaveFunds ? "?leave_funds=true" : ""}`,
      ),
  };

  /** Who changed what of an integration, also of a deleted one, as NDJSON: an entry a line, oldest first, after its `seq`. */
  auditLines(integrationUuid: string, { after = 0, signal }: { after?: number; signal?: AbortSignal } = {}) {
    const path = `${ADMIN}/integration/${integrationUuid}/audit?after=${after}`;
    return linesOf(this.#transport, path, { signal });
  }

  readonly limits = {
    get: (integrationUuid: string) => this.#call<Limits>("GET", `/integration/${integrationUuid}/limits`),
    /** Absent limits stay, null goes back to the default. */
    set: (integrationUuid: string, limits: LimitsInput) =>
      this.#call<Limits>("PUT", `/integration/${integrationUuid}/limits`, limits),
  };

  readonly keys = {
    list: (integrationUuid: string) => this.#call<Key[]>("GET", `/integration/${integrationUuid}/key`),
    /** Issues a key; `api_key` of the answer is shown this once. */
    issue: (integrationUuid: string, key: KeyInput) =>
      this.#call<IssuedKey>("POST", `/integration/${integrationUuid}/key`, key, { once: true }),
    revoke: (integrationUuid: string, keyUuid: string) =>
      this.#call<Key>("DELETE", `/integration/${integrationUuid}/key/${keyUuid}`),
  };

  readonly wallets = {
    status: (integrationUuid: string) => this.#call<Wallet>("GET", `/integration/${integrationUuid}/wallet`),
    /** Makes an integration's wallet if that failed before; otherwise answers with the existing one. */
    create: (integrationUuid: string, options?: WaitOptions) =>
      this.#call<Omit<WalletCreated, "tx_results"> & Partial<Pick<WalletCreated, "tx_results">>>(
        "POST",
        `/integration/${integrationUuid}/wallet`,
        undefined,
        options,
      ),
    /** Restores a lost wallet object from the sealed copy of its key, with what the database and the bucket have of its operations. */
    restore: (integrationUuid: string) =>
      this.#call<Wallet>("POST", `/integration/${integrationUuid}/wallet/restore`),
    /** Lets a restored wallet sign again. */
    activate: (integrationUuid: string) =>
      this.#call<Wallet>("POST", `/integration/${integrationUuid}/wallet/activate`),
    /** The platform's own. */
    platform: () => this.#call<Wallet>("GET", "/platform"),
  };

  readonly contracts = {
    list: (integrationUuid: string) =>
      this.#call<ListedContract[]>("GET", `/integration/${integrationUuid}/contract`),
    /** Those of an integration, with their owners as the chain shows them. */
    listWithRoles: (integrationUuid: string) =>
      this.#call<ContractWithRoles[]>("GET", `/integration/${integrationUuid}/contract?roles=true`),
    deploy: (integrationUuid: string, contract: ContractInput, options?: WaitOptions) =>
      this.#call<ContractDeployed>("POST", `/integration/${integrationUuid}/contract`, contract, {
        ...options,
        once: true,
      }),
    /** Takes over a contract that exists, after its code and roles were checked. */
    adopt: (integrationUuid: string, accountId: string, options?: WaitOptions) =>
      this.#call<AdoptedContract>(
        "POST",
        `/integration/${integrationUuid}/contract/adopt`,
        { account_id: accountId },
        options,
      ),
    /** Has the integration's wallet accept a contract that is proposed to it; may be sent again at any time. */
    accept: (integrationUuid: string, accountId: string, options?: WaitOptions) =>
      this.#call<ContractOwnership>(
        "POST",
        `/integration/${integrationUuid}/contract/accept`,
        { account_id: accountId },
        options,
      ),
    /** Proposes another owner, who accepts by a call of their own; may be sent again until then. */
    handOver: (contractUuid: string, handOver: HandOverInput, options?: WaitOptions) =>
      this.#call<ContractHandOver>("POST", `/contract/${contractUuid}/hand-over`, handOver, options),
    /** Those of all integrations. */
    all: () => this.#call<OwnedContract[]>("GET", "/contract"),
    /** The one at an account, whoever's it is; undefined: the service has none there. */
    at: async (accountId: string): Promise<OwnedContract | undefined> =>
      (
        await this.#call<OwnedContract[]>(
          "GET",
          `/contract?${new URLSearchParams({ account_id: accountId })}`,
        )
      )[0],
    /** One of any integration, with its owner as the chain shows it. */
    get: (contractUuid: string) => this.#call<ContractWithRoles>("GET", `/contract/${contractUuid}`),
    /** What an upgrade to the service's release would do and take. */
    planUpgrade: (contractUuid: string) =>
      this.#call<UpgradePlan>("GET", `/contract/${contractUuid}/upgrade`),
    /** Upgrades a contract, or joins the upgrade that is under way; may be sent again at any time. */
    upgrade: (contractUuid: string, options?: WaitOptions) =>
      this.#call<ContractUpgraded>("POST", `/contract/${contractUuid}/upgrade`, undefined, options),
  };

  readonly transactions = {
    /** Those that wait for an operator. */
    stuck: () => this.#call<StuckTransaction[]>("GET", "/transaction/stuck"),
  };

  readonly operations = {
    /**
     * The outcome of a write of any integration.
     * @param integrationUuid whose it is; needed for one that ended so long ago that it is archived, and among many integrations
     */
    get: (operationUuid: string, integrationUuid?: string) =>
      this.#call<Operation>("GET", `/operation/${operationUuid}${ofIntegration(integrationUuid)}`),
    /** Ends one whose outcome can't be proven, after a look at the chain. */
    settle: (operationUuid: string, settlement: SettlementInput, integrationUuid?: string) =>
      this.#call<Operation>(
        "POST",
        `/operation/${operationUuid}/settle${ofIntegration(integrationUuid)}`,
        settlement,
        { once: true },
      ),
  };

  readonly collections = {
    /** The secret order of the assets that a collection hides, with which it can be revealed without the service. */
    hiddenOrder: (collectionUuid: string) =>
      this.#call<HiddenOrder>("GET", `/collection/${collectionUuid}/hidden-order`),
  };

  readonly secrets = {
    /** Seals wallet keys under the newest version of WALLET_SECRETS, a few per call: repeat until `remaining` is 0. */
    rotate: () => this.#call<Rotation>("POST", "/secret-rotation"),
  };

  async #call<T>(
    method: Call["method"],
    path: string,
    json?: unknown,
    { once, ...options }: AdminCall = {},
  ): Promise<T> {
    const { signal } = options;
    const response = await this.#transport.send({ method, path: ADMIN + path, json, once, signal });
    const location = response.headers.get("location");
    if (response.status === 202 && location !== null)
      return awaitOperation<T>(this.#transport, location, options);
    return jsonOf<T>(response);
  }
}

import { not } from "drizzle-orm";
import { baseEncode } from "near-api-js";
import type { ContractAdopted, ContractDeployed } from "../api/resources/contract.ts";
import type { WalletCreated } from "../api/resources/wallet.ts";
import { accessKeyNonces } from "../chain/blocks.ts";
import { contractCode } from "../chain/contract/code.ts";
import { type ContractRoles, contractViews, readCodeState } from "../chain/contract/views.ts";
import { ViewError } from "../chain/errors.ts";
import { protocolLimits } from "../chain/protocol.ts";
import { connect, connectFor } from "../chain/rpc.ts";
import { accountCode } from "../chain/views.ts";
import type { EndpointResponse, ServiceContext } from "../context.ts";
import { holds } from "../db/client.ts";
import { ledgerOf } from "../db/ledger.ts";
import { type ContractRow, findAnyContract } from "../db/queries/contracts.ts";
import type { IntegrationRow } from "../db/queries/integrations.ts";
import { hasOpenOperation } from "../db/queries/operations.ts";
import {
  insertContract,
  setContractState,
  setWalletState,
  startWallet,
  storeWalletKey,
} from "../db/queries/provisioning.ts";
import { integrations } from "../db/schema/index.ts";
import { isFormerRelease } from "../domain/contract-releases.ts";
import { ServiceError } from "../domain/errors.ts";
import { newUuid, toHex, type Uuid } from "../domain/ids.ts";
import { runOperation, tryOperation } from "../operations/engine/run.ts";
import type { ContractDeployOperation } from "../operations/kinds/contract-deploy.ts";
import type { WalletCreateOperation } from "../operations/kinds/wallet-create.ts";
import { walletOf } from "../wallet/client.ts";
import { toContract } from "./contracts.ts";
import { requireIntegration, requireUndeleted } from "./integrations.ts";
import { noWallet, restoredKey } from "./wallets.ts";

/** Global contracts came with protocol version 77 (NEP-591). */
const GLOBAL_CONTRACTS_FROM = 77;

/** An operator's requests have no Idempotency-Key and wait for the result. */
export const OPERATOR = { requestKey: null, respondAsync: false } as const;

/** A short name under the platform's account, from the random end of a UUID: 48 bits. */
const subAccount = (kind: "w" | "c", id: Uuid, platform: string): string =>
  `${kind}-${id.replaceAll("-", "").slice(-12)}.${platform}`;

/** Creates an integration and its wallet. If the wallet can't be created now, `provisionWallet` tries again. */
export const createIntegration = async (
  context: ServiceContext,
  name: string,
): Promise<EndpointResponse<WalletCreated>> => {
  const id = newUuid();
  const now = context.now();
  await context.db
    .insert(integrations)
    .values({ id, name, walletState: "new", createdAt: now, updatedAt: now });
  return makeWallet(context, await requireIntegration(context, id));
};

/** Creates an integration's wallet, or returns it. @throws ServiceError not_found, and whatever the operation fails with */
export const provisionWallet = async (
  context: ServiceContext,
  integrationId: Uuid,
): Promise<EndpointResponse<Omit<WalletCreated, "tx_results">>> => {
  const integration = await requireUndeleted(context, integrationId);
  const { walletAccountId, walletState } = integration;
  if (walletAccountId === null || (walletState !== "ready" && !(await wasCreated(context, integration))))
    return makeWallet(context, integration);
  return {
    status: 200,
    body: { integration_uuid: integrationId, wallet_account_id: walletAccountId, wallet_state: "ready" },
  };
};

/** Whether the account was created by an operation that its ledger has lost; then the wallet is ready. */
const wasCreated = async (context: ServiceContext, integration: IntegrationRow): Promise<boolean> => {
  const { id: integrationId, walletAccountId: accountId, walletPublicKey: publicKey } = integration;
  if (accountId === null || publicKey === null) return false;
  const isOpen = hasOpenOperation({ integrationId, subjectId: integrationId }, "wallet_create");
  if (await holds(ledgerOf(context, integrationId), isOpen)) return false;
  const { nonces } = await accessKeyNonces(connectFor(context), accountId, "final");
  if (!nonces.has(`ed25519:${baseEncode(publicKey)}`)) return false;
  const wallet = walletOf(context.env, integrationId);
  await restoredKey(context, integration);
  if ((await wallet.status()).state === "prepared") await wallet.activate();
  await setWalletState(context.db, integrationId, "ready", context.now());
  return true;
};

/** The object generates the key, the sealed copy is stored, then the platform creates and funds the account. Repeatable. */
const makeWallet = async (
  context: ServiceContext,
  integration: IntegrationRow,
): Promise<EndpointResponse<WalletCreated>> => {
  const { db, settings } = context;
  const integrationId = integration.id;
  const accountId =
    integration.walletAccountId ?? subAccount("w", integrationId, settings.PLATFORM_ACCOUNT_ID);
  const publicKey =
    (await restoredKey(context, integration)) ?? (await newKey(context, integrationId, accountId));
  const request: WalletCreateOperation = {
    accountId,
    publicKey: toHex(publicKey),
    funding: settings.WALLET_FUNDING,
  };
  const id = newUuid();
  const answer = await tryOperation(
    context,
    { integrationId, ...OPERATOR },
    {
      id,
      kind: "wallet_create",
      subjectId: integrationId,
      request,
      condition: not(hasOpenOperation({ integrationId, subjectId: integrationId }, "wallet_create")),
      reserve: {
        take: async () => {
          await startWallet(db, integrationId, context.now());
          return true;
        },
        undo: async () => undefined,
      },
    },
  );
  if (answer) return answer;
  throw new ServiceError("conflict", "This integration's wallet is already being created. Read it again.");
};

/** Has the wallet's object generate its key, and stores the sealed copy. @throws ServiceError conflict */
const newKey = async (context: ServiceContext, id: Uuid, accountId: string): Promise<Uint8Array> => {
  const key = await walletOf(context.env, id).prepareKey(accountId);
  const copy = {
    walletAccountId: accountId,
    walletPublicKey: key.publicKey,
    walletSecret: key.sealed,
    walletSecretVersion: key.secretVersion,
  };
  if (await storeWalletKey(context.db, id, copy, context.now())) return key.publicKey;
  throw new ServiceError(
    "conflict",
    "Another request has just created this wallet's key. Create the wallet again.",
  );
};

interface Deployment {
  readonly integrationId: Uuid;
  /** NEP-177 metadata of the contract. */
  readonly name: string;
  readonly symbol: string;
  /** The service's own URL, without a trailing slash; media is served below it. */
  readonly baseUrl: string;
  readonly adminId?: string | null;
}

/**
 * Deploys a contract for an integration: a sub-account of the platform without keys, owned by the integration's wallet.
 * @throws ServiceError not_found, conflict (no wallet yet), and whatever the operation fails with
 */
export const deployContract = async (
  context: ServiceContext,
  deployment: Deployment,
): Promise<EndpointResponse<ContractDeployed>> => {
  const { db, settings } = context;
  const { integrationId } = deployment;
  const integration = await requireUndeleted(context, integrationId);
  const ownerId = requireWallet(integration);
  const [code, limits] = await Promise.all([contractCode(), protocolLimits(connect(settings))]);
  const contractId = newUuid();
  const now = context.now();
  const accountId = subAccount("c", contractId, settings.PLATFORM_ACCOUNT_ID);
  const row = { id: contractId, integrationId, accountId, codeHash: code.hash };
  const inserted = { ...row, state: "deploying", createdAt: now, updatedAt: now } as const;
  const request: ContractDeployOperation = {
    accountId,
    ownerId,
    adminId: deployment.adminId ?? null,
    platformId: settings.PLATFORM_ACCOUNT_ID,
    codeHash: toHex(code.hash),
    global: limits.protocolVersion >= GLOBAL_CONTRACTS_FROM,
    funding: settings.CONTRACT_FUNDING,
    name: deployment.name,
    symbol: deployment.symbol,
    baseUri: `${deployment.baseUrl}/ipfs`,
  };
  return runOperation(
    context,
    { integrationId, ...OPERATOR },
    {
      kind: "contract_deploy",
      subjectId: contractId,
      request,
      reserve: {
        take: async () => (await insertContract(db, inserted)).length > 0,
        again: () => [[insertContract(db, inserted)]],
        undo: async () => {
          await setContractState(db, contractId, "failed", context.now());
        },
      },
    },
  );
};

/** The wallet's account. @throws ServiceError conflict if it has none yet */
export const requireWallet = (integration: IntegrationRow): string => {
  const { walletState, walletAccountId } = integration;
  if (walletState === "ready" && walletAccountId !== null) return walletAccountId;
  if (walletState === "new") throw noWallet();
  throw new ServiceError(
    "conflict",
    "This integration's wallet is being created. Send the request again in a few seconds; if that lasts, create the wallet again.",
    { retryable: true },
  );
};

/**
 * Adopts an existing contract, after checking its code and its owner. One of a former release can mint, and has to be upgraded
 * before settings and metadata can change. @throws ServiceError not_found, invalid_request (code, owner), conflict (adopted)
 */
export const adoptContract = async (
  context: ServiceContext,
  adoption: { readonly integrationId: Uuid; readonly accountId: string },
): Promise<EndpointResponse<ContractAdopted>> => {
  const { db, settings } = context;
  const { integrationId, accountId } = adoption;
  const walletId = requireWallet(await requireUndeleted(context, integrationId));
  const rpc = connect(settings);
  const [code, deployed] = await Promise.all([contractCode(), accountCode(rpc, accountId)]);
  if (deployed === null) throw unfitAccount("Give the account of a contract that exists.");
  const codeHash = toHex(deployed);
  if (codeHash !== toHex(code.hash) && !isFormerRelease(codeHash)) {
    throw unfitAccount(
      `Give an account that runs this service's contract: code ${toHex(code.hash)}, or that of an earlier release. This one runs ${codeHash}.`,
    );
  }
  const roles = await rolesOf(context, accountId, ({ message }) =>
    unfitAccount(`Give a contract that is initialized: ${message}`),
  );
  if (roles.owner_id !== walletId && !roles.admin_ids.includes(walletId)) {
    throw unfitAccount(
      `Make the wallet ${walletId} the contract's owner or admin first. The owner now is ${roles.owner_id}.`,
    );
  }
  if (roles.network_id !== settings.NEAR_NETWORK) {
    throw unfitAccount(
      `Give a contract of the network ${settings.NEAR_NETWORK}. This one was initialized for ${roles.network_id}, so it would refuse what is signed for this one.`,
    );
  }
  const { codeState, keys } = await readCodeState(rpc, accountId, contractViews(rpc, accountId));
  const now = context.now();
  const row = { id: newUuid(), integrationId, accountId, codeHash: deployed, createdAt: now, updatedAt: now };
  const [stored] = await insertContract(db, { ...row, codeState, state: "ready" });
  if (!stored) throw new ServiceError("conflict", "This contract already belongs to an integration.");
  return {
    status: 201,
    body: {
      ...toContract(stored),
      full_access_keys: keys,
      upgrade_delay_blocks: codeState.delay_blocks,
    },
  };
};

export const unfitAccount = (message: string): ServiceError =>
  new ServiceError("invalid_request", message, { issues: [{ path: ["account_id"], message }] });

/** A contract of any integration. @throws ServiceError not_found */
export const requireContract = async ({ db }: ServiceContext, id: Uuid): Promise<ContractRow> => {
  const contract = await findAnyContract(db, id);
  if (contract) return contract;
  throw new ServiceError("not_found", "There is no such contract. Check its contract_uuid.");
};

/** The roles of a contract. @param refusal the error for an account without a contract of this service */
export const rolesOf = async (
  { settings }: ServiceContext,
  accountId: string,
  refusal: (error: ViewError) => ServiceError,
): Promise<ContractRoles> => {
  try {
    return await contractViews(connect(settings), accountId).roles();
  } catch (error) {
    throw error instanceof ViewError ? refusal(error) : error;
  }
};

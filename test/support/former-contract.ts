import { env } from "cloudflare:workers";
import code from "../../contract/harness/fixtures/previous.wasm";
import { initialise } from "../../src/chain/contract/calls.ts";
import { admin, bodyOf, type TestIntegration } from "./api.ts";
import { sendFrom } from "./payments.ts";

/** A contract as the operator's surface shows it. */
export interface ContractResource {
  readonly contract_uuid: string;
  readonly account_id: string;
  readonly code_hash: string;
  readonly state: string;
  readonly full_access_keys: readonly string[];
}

/** Owner and first balance of a contract. */
interface Beginning {
  readonly owner: string;
  readonly adminId?: string;
  /** yoctoNEAR. */
  readonly balance?: bigint;
  /** The network's name that it is told; default: this one's. */
  readonly network?: string;
  /** Blocks between an upgrade's announcement and the upgrade; default: none. */
  readonly delayBlocks?: number;
  /** A full-access key of its account; default: none. */
  readonly publicKey?: Uint8Array;
}

const TEN_NEAR = 10n ** 25n;

/** Publishes its code as a global contract, once per chain. Resolves to the code's SHA-256. */
let publication: Promise<Uint8Array> | undefined;

const publishFormer = async (): Promise<Uint8Array> => {
  await sendFrom("platform", env.PLATFORM_ACCOUNT_ID, [
    { kind: "deploy_global_contract", code: new Uint8Array(code) },
  ]);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", code));
};

/** Deploys a contract as the release before this one did. Returns its account. */
export async function deployFormer({
  owner,
  adminId,
  balance = TEN_NEAR,
  delayBlocks = 0,
  network = env.NEAR_NETWORK,
  publicKey,
}: Beginning): Promise<string> {
  publication ??= publishFormer();
  const codeHash = await publication;
  const accountId = `old-${crypto.randomUUID().slice(0, 8)}.${env.PLATFORM_ACCOUNT_ID}`;
  await sendFrom("platform", accountId, [
    { kind: "create_account" },
    { kind: "transfer", deposit: balance.toString() },
    ...(publicKey ? [{ kind: "add_full_access_key", publicKey } as const] : []),
    { kind: "use_global_contract", codeHash },
    initialise({
      network_id: network,
      owner_id: owner,
      ...(adminId && { admin_id: adminId }),
      platform_id: env.PLATFORM_ACCOUNT_ID,
      upgrade_delay_blocks: delayBlocks,
      metadata: {
        spec: "nft-1.0.0",
        name: "Former",
        symbol: "OLD",
        icon: null,
        base_uri: "http://mintage.test/ipfs",
        reference: null,
        reference_hash: null,
      },
    }),
  ]);
  return accountId;
}

/** Adopts a contract for an integration. */
export const adopt = async (integrationUuid: string, accountId: string): Promise<ContractResource> =>
  bodyOf<ContractResource>(
    await admin(`/integration/${integrationUuid}/contract/adopt`, { json: { account_id: accountId } }),
    201,
  );

/** An integration with a contract of the former release in place of its own. */
export async function withFormer(
  shop: TestIntegration,
  how: Omit<Beginning, "owner"> = {},
): Promise<TestIntegration> {
  const accountId = await deployFormer({ owner: shop.walletAccountId, ...how });
  const { contract_uuid: contractUuid } = await adopt(shop.integrationUuid, accountId);
  return { ...shop, contractUuid, contractAccountId: accountId };
}

/** Withdraws the contract's whole free balance, as its owner. */
export const withdrawAll = ({ integrationUuid, contractAccountId }: TestIntegration): Promise<string> =>
  sendFrom(integrationUuid, contractAccountId, [
    {
      kind: "function_call",
      method: "withdraw",
      args: new TextEncoder().encode("{}"),
      gas: `${30n * 10n ** 12n}`,
      deposit: "1",
    },
  ]);

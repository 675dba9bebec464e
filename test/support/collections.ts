import { env } from "cloudflare:workers";
import { picture } from "../../testing/pictures.ts";
import { api, bodyOf, type TestIntegration, whenReachable } from "./api.ts";
import { view } from "./chain.ts";
import { sendFrom } from "./payments.ts";

/** What a test draft is made of. */
interface DraftOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Copies of each asset; its length is the number of assets. */
  readonly copies?: readonly number[];
  readonly subtitle?: string;
  readonly references?: boolean;
}

/** The part of a finalization's answer that tests read. */
export interface Finalized {
  readonly message: string;
  readonly collection_uuid: string;
  readonly contract_address: string;
  readonly near_collection: {
    readonly collection_id: number;
    readonly title: string;
    readonly total_copies: number;
  };
  readonly ipfs_result: {
    readonly root_cid: string;
    readonly files: readonly { readonly name: string; readonly cid: string }[];
  };
  readonly tx_results: readonly { readonly status: string; readonly transaction_hash: string }[];
}

let seed = 0;

/** A draft with uploaded pictures, ready to be finalized. */
export async function createDraft(
  integration: TestIntegration,
  { settings = {}, ...assets }: DraftOptions = {},
): Promise<string> {
  const { key, contractUuid } = integration;
  const draft = await bodyOf<{ collection_draft_uuid: string }>(
    await api("/collection-draft", {
      key,
      json: { contract_uuid: contractUuid, title: "Herons", ...settings },
    }),
    201,
  );
  await attachPictures(integration, draft.collection_draft_uuid, assets);
  return draft.collection_draft_uuid;
}

/** Uploads pictures to a draft, an asset each. @returns the assets' ids */
export async function attachPictures(
  { key }: TestIntegration,
  draft: string,
  { copies = [10, 10], subtitle, references = false }: Omit<DraftOptions, "settings"> = {},
): Promise<string[]> {
  const form = new FormData();
  const details = copies.map((count, index) => {
    seed += 1;
    form.append("asset_file", new File([picture("png", seed)], `${index}.png`, { type: "image/png" }));
    if (references) {
      form.append("reference_file", new File([JSON.stringify({ seed })], `${index}.json`));
    }
    return {
      asset_filename: `${index}.png`,
      copies: count,
      ...(references && { reference_filename: `${index}.json` }),
      ...(subtitle && { asset_subtitle: subtitle }),
    };
  });
  form.append("assets_detail", JSON.stringify(details));
  const answer = await api(`/collection-draft/${draft}/asset-bulk`, { key, form });
  const assets = await bodyOf<{ asset_uuid: string }[]>(answer, 201);
  return assets.map(({ asset_uuid: uuid }) => uuid);
}

/** A collection on the chain. */
export async function createCollection(
  integration: TestIntegration,
  options: DraftOptions = {},
): Promise<Finalized> {
  const draft = await createDraft(integration, options);
  const request = { key: integration.key, method: "POST" };
  const finalize = () => api(`/collection-draft/${draft}/finalize`, request);
  return bodyOf<Finalized>(await whenReachable(finalize), 201);
}

/**
 * A collection of two copies, of which a wallet has minted one since the database looked: a mint of two is sent, and
 * fails on the chain.
 */
export async function createHalfSold(integration: TestIntegration): Promise<Finalized> {
  const made = await createCollection(integration, {
    copies: [2],
    settings: { public_mint_config: { mint_fee: "0" } },
  });
  const { collection_id } = made.near_collection;
  await sendFrom(integration.integrationUuid, integration.contractAccountId, [
    {
      kind: "function_call",
      method: "nft_mint",
      args: Buffer.from(JSON.stringify({ collection_id })),
      gas: `${10n ** 14n}`,
      deposit: "0",
    },
  ]);
  return made;
}

type Owner = Pick<TestIntegration, "contractAccountId">;
type OnChain = Pick<Finalized, "near_collection">;

/** A collection as its contract shows it. */
export const collectionOnChain = <T = { readonly minted: number; readonly description: string }>(
  { contractAccountId }: Owner,
  { near_collection: { collection_id } }: OnChain,
): Promise<T> => view<T>(env.NEAR_RPC_URL, contractAccountId, "collection", { collection_id });

/** How many tokens of a collection its contract has minted. */
export const mintedOnChain = async (owner: Owner, collection: OnChain): Promise<number> =>
  (await collectionOnChain(owner, collection)).minted;

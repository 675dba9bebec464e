import { env } from "cloudflare:workers";
import { keyFromSeed, publicKeyText, signTransaction } from "../../src/chain/transaction.ts";
import { picture } from "../../testing/pictures.ts";
import { api, bodyOf, type TestIntegration, whenReachable } from "./api.ts";
import { createAccount } from "./chain.ts";
import { chainCall } from "./chain-control.ts";
import type { Finalized } from "./collections.ts";

/** An asset of a shown collection, with the reference file that it has. */
interface ShownAsset {
  readonly copies: number;
  readonly reference: object;
  /** Default: a PNG. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** A collection on the chain whose assets have reference files of a test's own. */
export async function createShown(
  { key, contractUuid }: TestIntegration,
  settings: Readonly<Record<string, unknown>>,
  assets: readonly ShownAsset[],
): Promise<Finalized & { readonly draft: string; readonly assetUuids: readonly string[] }> {
  const made = await api("/collection-draft", { key, json: { contract_uuid: contractUuid, ...settings } });
  const { collection_draft_uuid: draft } = await bodyOf<{ collection_draft_uuid: string }>(made, 201);
  const form = new FormData();
  const details = assets.map(({ copies, reference, bytes }, index) => {
    const seed = Math.floor(Math.random() * 1e9);
    form.append("asset_file", new File([bytes ?? picture("png", seed)], `${index}.png`));
    form.append("reference_file", new File([JSON.stringify(reference)], `${index}.json`));
    return { asset_filename: `${index}.png`, reference_filename: `${index}.json`, copies };
  });
  form.append("assets_detail", JSON.stringify(details));
  const uploaded = await bodyOf<{ asset_uuid: string }[]>(
    await api(`/collection-draft/${draft}/asset-bulk`, { key, form }),
    201,
  );
  const finalized = await whenReachable(() =>
    api(`/collection-draft/${draft}/finalize`, { key, method: "POST" }),
  );
  return {
    ...(await bodyOf<Finalized>(finalized, 201)),
    draft,
    assetUuids: uploaded.map(({ asset_uuid: uuid }) => uuid),
  };
}

/** Shows a collection to collectors. */
export async function putPage(key: string, collection: string, json: object): Promise<Response> {
  return api(`/collection/${collection}/page`, { method: "PUT", key, json });
}

/** Somebody with a wallet. */
export interface Collector {
  readonly accountId: string;
  /** Signs a call of the contract and sends it, without waiting for its end. @returns the transaction's hash */
  call(contract: string, method: string, args: object, deposit: string): Promise<string>;
}

/** An account whose key the test holds. @param balance yoctoNEAR */
export async function createCollector(balance?: bigint): Promise<Collector> {
  const accountId = `c${crypto.randomUUID().slice(0, 8)}.test`;
  const key = keyFromSeed(crypto.getRandomValues(new Uint8Array(32)));
  const publicKey = publicKeyText(key.publicKey);
  await createAccount(env.NEAR_RPC_URL, accountId, publicKey, balance?.toString());
  return {
    accountId,
    async call(contract, method, args, deposit) {
      const access = await chainCall<{ nonce: number; block_hash: string }>("query", {
        request_type: "view_access_key",
        finality: "final",
        account_id: accountId,
        public_key: publicKey,
      });
      const { bytes, hash } = signTransaction({
        signerId: accountId,
        key,
        receiverId: contract,
        nonce: BigInt(access.nonce) + 1n,
        blockHash: access.block_hash,
        actions: [
          {
            kind: "function_call",
            method,
            args: new TextEncoder().encode(JSON.stringify(args)),
            gas: "100000000000000",
            deposit,
          },
        ],
      });
      const signed = btoa(String.fromCharCode(...bytes));
      await chainCall("send_tx", { signed_tx_base64: signed, wait_until: "NONE" });
      return hash;
    },
  };
}

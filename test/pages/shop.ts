import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { sha256 } from "@noble/hashes/sha2.js";
import { uploadFolder } from "../../client/src/folder/index.ts";
import { ClaimIssuer, MintageClient } from "../../client/src/index.ts";
import type { Action } from "../../src/chain/actions.ts";
import { newUuid } from "../../src/domain/ids.ts";
import { createHidden, revealAll } from "../../testing/hidden-collection.ts";
import { picture } from "../../testing/pictures.ts";
import { type BenchService, startService } from "../../testing/service.ts";
import { ROOT } from "../support/imports.ts";

/** A service as `npm start` runs it, with an integration that sells. */
export interface Shop {
  readonly service: BenchService;
  readonly client: MintageClient;
  readonly contract: string;
  readonly integration: string;
  /** Opens a drop of a shown collection. @returns its links, as addresses of the service */
  claimLinks(collection: Shown, count: number): Promise<string[]>;
}

/** A collection that is shown: its uuid and the last part of its pages' addresses. */
export interface Shown {
  readonly uuid: string;
  readonly slug: string;
}

/** Starts one. @param settings of the Worker */
export async function openShop(
  settings: Readonly<Record<string, string>> = { DEVELOPMENT_WALLET: "on" },
): Promise<Shop> {
  const service = await startService({ entry: "src/index.ts", blockMs: 400, settings });
  const { integration_uuid: uuid } = await service.admin<{ integration_uuid: string }>("/integration", {
    name: "Shop",
  });
  const { api_key: apiKey } = await service.admin<{ api_key: string }>(`/integration/${uuid}/key`, {
    name: "k",
  });
  const { contract_uuid: contract } = await service.admin<{ contract_uuid: string }>(
    `/integration/${uuid}/contract`,
    { name: "Shop", symbol: "SHOP" },
  );
  const client = new MintageClient({ baseUrl: service.url, apiKey });
  const claimLinks = async ({ uuid: collection, slug }: Shown, count: number): Promise<string[]> => {
    const issuer = await ClaimIssuer.create();
    const terms = { issuer_public_key: issuer.publicKey, links: count, expires_at: "2030-01-01T00:00:00Z" };
    const { drop } = await client.drops.create(collection, { ...terms, quantity: 1 });
    const { network } = await client.me();
    const links = Array.from({ length: count }, (_, number) =>
      issuer.link(network, drop.contract_address, drop.drop_id, number),
    );
    return (await Promise.all(links)).map(({ fragment }) => `/c/${slug}#${fragment}`);
  };
  return { service, client, contract, integration: uuid, claimLinks };
}

/** Puts pictures on the chain and shows them. @param folder of the pictures; default: the demo's */
export async function showCollection(
  { client, contract }: Shop,
  settings: Readonly<Record<string, unknown>>,
  copies: number,
  folder = join(ROOT, "cli", "pictures"),
): Promise<Shown> {
  const draft = await client.drafts.create({ contract_uuid: contract, title: "Paper Shapes", ...settings });
  const uuid = draft.collection_draft_uuid;
  await uploadFolder(client, uuid, folder, {
    copies,
    subtitle: "$TOKEN_NUM of $TOTAL_NUM",
  });
  const { collection_uuid: collection } = await client.drafts.finalize(uuid);
  const slug = `paper-shapes-${randomUUID().slice(0, 8)}`;
  await client.collections.setPage(collection, { slug, theme: { accent: "#1f4f8f" }, enabled: true });
  return { uuid: collection, slug };
}

interface AssetRow {
  readonly sha256: string;
  readonly reference: string;
}

/**
 * Shows a collection whose pictures are hidden. The service has no call that makes one, so its contract makes it, and the
 * database is told that this one is shown.
 * @returns with `reveal`, which shows the pictures
 */
export async function showHiddenCollection(shop: Shop): Promise<Shown & { reveal(): Promise<void> }> {
  const shown = await showCollection(shop, {}, 1);
  const { DB } = await shop.service.storage();
  const id = shown.uuid.replaceAll("-", "");
  const { results } = await DB.prepare(
    `SELECT hex(sha256) AS sha256, hex(reference_sha256) AS reference FROM draft_assets
     WHERE draft_id = (SELECT draft_id FROM collections WHERE id = unhex(?)) ORDER BY position`,
  )
    .bind(id)
    .all<AssetRow>();
  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
  const assets = results.map(({ sha256: file, reference }) => ({
    sha256: bytes(file),
    reference: bytes(reference),
  }));
  const placeholder = picture("png", 1);
  const draft = await shop.client.drafts.create({ contract_uuid: shop.contract, title: "Placeholder" });
  await shop.client.drafts.attachAssets(draft.collection_draft_uuid, [
    { filename: "placeholder.png", data: placeholder },
  ]);
  const settings = { title: "Sealed Shapes", public_mint_config: { mint_fee: "0" } };
  const terms = { copies: 1, placeholder: sha256(placeholder) };
  const { contract_address: contract } = await shop.client.collections.get(shown.uuid);
  const number = Number(await send(shop, contract, createHidden(settings, assets, terms)));
  await DB.prepare("UPDATE collections SET on_chain_id = ? WHERE id = unhex(?)").bind(number, id).run();
  return {
    ...shown,
    reveal: async () => {
      await send(shop, contract, revealAll(number, assets));
    },
  };
}

/** Has the shop's wallet call its contract. @returns the call's result */
async function send({ service, integration }: Shop, receiverId: string, action: Action): Promise<string> {
  const wallet = await service.wallet(integration);
  const operationUuid = newUuid();
  const intent = { operationUuid, step: "one", fairnessKey: "test", receiverId, actions: [action] };
  const answer = await wallet.submit(intent);
  if (answer.status !== "accepted") throw new Error(`the wallet refused: ${JSON.stringify(answer)}`);
  const [record] = await wallet.recordsAtEnd(operationUuid, 60_000);
  if (record?.state !== "succeeded") throw new Error(`it ended as ${JSON.stringify(record)}`);
  await wallet.acknowledge(operationUuid);
  return new TextDecoder().decode(record.value ?? undefined);
}

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { uploadFolder } from "../../client/src/folder/index.ts";
import { ClaimIssuer, MintageClient, type NewAsset, type VoucherTerms } from "../../client/src/index.ts";
import { contractReady, walletReady } from "../../testing/bench-integration.ts";
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
  /** Opens a drop of a shown collection and signs vouchers of it. @returns their links, as addresses of the service */
  voucherLinks(collection: Shown, ...terms: readonly Granted[]): Promise<string[]>;
}

/** What a voucher grants. */
type Granted = Pick<VoucherTerms, "receiver" | "price" | "quantity">;

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
  await walletReady(service, uuid);
  const { contract_uuid: contract } = await service.admin<{ contract_uuid: string }>(
    `/integration/${uuid}/contract`,
    { name: "Shop", symbol: "SHOP" },
  );
  await contractReady(service, uuid);
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
  const voucherLinks = async ({ uuid: collection, slug }: Shown, ...terms: readonly Granted[]) => {
    const issuer = await ClaimIssuer.create();
    const end = "2030-01-01T00:00:00Z";
    const drop = { issuer_public_key: issuer.publicKey, links: terms.length, quantity: 25, expires_at: end };
    const opened = await client.drops.create(collection, { ...drop, reserve: "0" });
    const { network } = await client.me();
    const { contract_address: account, drop_id: dropId } = opened.drop;
    const place = { network, contract: account, dropId, expiresAt: new Date(end) };
    const made = await Promise.all(
      terms.map((granted, nonce) => issuer.voucher({ ...place, nonce, ...granted })),
    );
    return made.map(({ fragment }) => `/m/${slug}#${fragment}`);
  };
  return { service, client, contract, integration: uuid, claimLinks, voucherLinks };
}

/** Puts pictures on the chain and shows them. @param folder of the pictures; default: the demo's */
export async function showCollection(
  { client, contract }: Shop,
  settings: Readonly<Record<string, unknown>>,
  copies: number,
  {
    folder = join(ROOT, "cli", "pictures"),
    placeholder,
    subtitle = "$TOKEN_NUM of $TOTAL_NUM",
  }: {
    readonly folder?: string;
    readonly subtitle?: string;
    readonly placeholder?: Pick<NewAsset, "filename" | "data">;
  } = {},
): Promise<Shown> {
  const draft = await client.drafts.create({ contract_uuid: contract, title: "Paper Shapes", ...settings });
  const uuid = draft.collection_draft_uuid;
  await uploadFolder(client, uuid, folder, {
    copies,
    subtitle,
  });
  if (placeholder) await client.drafts.setPlaceholder(uuid, placeholder);
  const { collection_uuid: collection } = await client.drafts.finalize(uuid);
  const slug = `paper-shapes-${randomUUID().slice(0, 8)}`;
  await client.collections.setPage(collection, { slug, theme: { accent: "#1f4f8f" }, enabled: true });
  return { uuid: collection, slug };
}

/** Shows a collection whose pictures are hidden until long after the tests. @returns with `reveal`, which shows them */
export async function showHiddenCollection(shop: Shop): Promise<Shown & { reveal(): Promise<void> }> {
  const settings = {
    title: "Sealed Shapes",
    public_mint_config: { mint_fee: "0" },
    reveal: "2040-01-01T00:00:00.000Z",
  };
  const placeholder = { filename: "placeholder.png", data: picture("png", 1) };
  const shown = await showCollection(shop, settings, 1, { placeholder });
  return {
    ...shown,
    reveal: async () => {
      await shop.client.collections.reveal(shown.uuid);
    },
  };
}

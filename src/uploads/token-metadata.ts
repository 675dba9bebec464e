import { mediaReference, type Override } from "../chain/contract/calls.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { toHex } from "../domain/ids.ts";
import type { TokenMetadata } from "../domain/requests.ts";
import { fetchMediaUrl, type StoredMedia } from "./asset-url.ts";
import type { UrlField } from "./fetch-memory.ts";

/** Metadata as the contract takes it, and the files that it names. */
export interface ResolvedMetadata {
  readonly override: Override;
  /** SHA-256 of each in lower-case hexadecimal. */
  readonly files: readonly string[];
}

/**
 * Fetches the files that metadata names by URL, while the caller waits, and gives the rest as it is. Absent fields stay
 * absent, null clears.
 * @param within where the metadata stands in the request
 * @throws ServiceError asset_url_failed; nothing was sent then
 */
export const resolveMetadata = async (
  context: ServiceContext,
  { integrationId, baseUrl }: Pick<Caller, "integrationId" | "baseUrl">,
  metadata: TokenMetadata,
  within: readonly string[],
): Promise<ResolvedMetadata> => {
  const { asset_file_url: assetUrl, reference_file_url: referenceUrl, ...texts } = metadata;
  const fetched = async (url: string | null | undefined, field: UrlField) =>
    url == null
      ? url
      : fetchMediaUrl(context, url, field, { integrationId, baseUrl, path: [...within, field] });
  const [asset, reference] = await Promise.all([
    fetched(assetUrl, "asset_file_url"),
    fetched(referenceUrl, "reference_file_url"),
  ]);
  const present = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  return {
    override: {
      ...present,
      ...(asset !== undefined && { media: asset && mediaReference(asset) }),
      ...(reference !== undefined && { reference: reference && mediaReference(reference) }),
    },
    files: [asset, reference].flatMap((file: StoredMedia | null | undefined) =>
      file ? [toHex(file.sha256)] : [],
    ),
  };
};

import type { Override } from "../chain/contract/calls.ts";
import { ServiceError } from "../domain/errors.ts";
import type { TokenMetadata } from "../domain/requests.ts";
import type { ServiceContext } from "./context.ts";

/** Metadata as the contract takes it, and the files that it names. */
export interface ResolvedMetadata {
  readonly override: Override;
  /** SHA-256 of each in lower-case hexadecimal. */
  readonly files: readonly string[];
}

export const resolveMetadata = async (
  _context: ServiceContext,
  metadata: TokenMetadata,
): Promise<ResolvedMetadata> => {
  const { asset_file_url: asset, reference_file_url: reference, ...texts } = metadata;
  if (asset != null || reference != null) {
    throw new ServiceError("asset_url_failed", "URLs can't be fetched yet.");
  }
  const present = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  return {
    override: {
      ...present,
      ...(asset === null && { media: null }),
      ...(reference === null && { reference: null }),
    },
    files: [],
  };
};

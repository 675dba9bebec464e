import {
  ClaimIssuer,
  type Collection,
  type DropAnswer,
  type DropInput,
  InvalidRequestError,
  type MintageClient,
} from "../../client/src/index.ts";
import { UsageError } from "../command.ts";
import { hadNoEffect, isRefusal } from "../no-effect.ts";
import { type IssuedDrop, keepIssued } from "./folder.ts";

/** What a new drop is asked to be. */
export interface Wanted {
  readonly links: number;
  readonly quantity: number;
  /** RFC 3339. */
  readonly expires_at: string;
}

/** A drop that is on the chain. */
export type OpenedDrop = IssuedDrop & { readonly drop_id: number };

/** What a folder is made from for a new drop, with an issuer of its own. */
export async function newDrop(
  { baseUrl, network }: Pick<IssuedDrop, "network"> & { readonly baseUrl: string },
  collection: Pick<Collection, "collection_uuid" | "contract_address">,
  wanted: Wanted,
): Promise<IssuedDrop> {
  const { seed, publicKey } = await ClaimIssuer.create();
  return {
    base_url: baseUrl,
    network,
    collection_uuid: collection.collection_uuid,
    contract_address: collection.contract_address,
    issuer_seed: seed,
    issuer_public_key: publicKey,
    ...wanted,
    attempt: 1,
    drop_id: null,
  };
}

/** The request that opens a drop. */
export const dropInput = ({ issuer_public_key, links, quantity, expires_at }: IssuedDrop): DropInput => ({
  issuer_public_key,
  links,
  quantity,
  expires_at,
});

/** Which option gives a field of a drop. */
const OPTIONS: Readonly<Record<keyof Wanted, string>> = {
  links: "--links",
  quantity: "--quantity",
  expires_at: "--expires",
};

/** A refusal of the service that names a field, in words of the options; any other error as it is. */
export function inOptions(error: unknown): unknown {
  const [issue] = error instanceof InvalidRequestError ? error.issues : [];
  const option = Object.entries(OPTIONS).find(([name]) => name === issue?.path.at(-1))?.[1];
  return issue && option ? new UsageError(`${option}: ${issue.message}`) : error;
}

/**
 * A folder's drop as it is asked for now. Where the service has refused to open it, something else may be asked for: even if an
 * earlier request is still under way, an issuer gets one drop only.
 * @throws UsageError if something else was asked for, and may have been opened
 */
export function continued(folder: string, issued: IssuedDrop, wanted: Wanted): IssuedDrop {
  const differs = (Object.keys(OPTIONS) as (keyof Wanted)[]).find((name) => issued[name] !== wanted[name]);
  if (differs === undefined || issued.refused) return { ...issued, ...wanted };
  throw new UsageError(
    `${folder} was started with ${OPTIONS[differs]} ${issued[differs]}. Use the same, or give another --folder.`,
  );
}

/** The drop of this issuer, if it was opened: an issuer has one only. */
async function findDrop(client: MintageClient, issued: IssuedDrop): Promise<number | null> {
  for await (const drop of client.drops.list(issued.collection_uuid)) {
    if (drop.issuer_public_key === issued.issuer_public_key) return drop.drop_id;
  }
  return null;
}

/**
 * Opens the drop once, however often this is called and broken off: the service carries an Idempotency-Key out once, and
 * where it has forgotten the key, the chain shows the issuer's drop. The folder is made before anything is sent.
 * @param quote uuid of the quote that was agreed to; null where an earlier run may have sent the request
 */
export async function openDrop(
  client: MintageClient,
  folder: string,
  issued: IssuedDrop,
  quote: string | null,
): Promise<OpenedDrop> {
  const keep = (changes: Partial<IssuedDrop>): IssuedDrop => {
    const kept = { ...issued, ...changes };
    keepIssued(folder, kept);
    return kept;
  };
  const found = issued.drop_id ?? (await findDrop(client, issued));
  if (found !== null) return keep({ drop_id: found, refused: false }) as OpenedDrop;
  const { collection_uuid: uuid, issuer_public_key, attempt } = issued;
  // From here on the folder stands for what is sent.
  keep({ refused: false });
  const answer = await client.drops
    .create(uuid, dropInput(issued), {
      idempotencyKey: `claim-${issuer_public_key}-${attempt}`,
      ...(quote !== null && { quote }),
    })
    .catch((error: unknown): DropAnswer => {
      // The next run makes another attempt; this one would be answered with the same failure.
      if (hadNoEffect(error)) keep({ attempt: attempt + 1, refused: true });
      else if (isRefusal(error)) keep({ refused: true });
      throw error;
    });
  return keep({ drop_id: answer.drop.drop_id, refused: false }) as OpenedDrop;
}

import type { Override } from "../../chain/contract/calls.ts";
import { contractViews } from "../../chain/contract/views.ts";
import { connectFor } from "../../chain/rpc.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { ServiceError } from "../../domain/errors.ts";
import { BYTE_PRICE, RECORD_BYTES } from "../../domain/promised-bytes.ts";
import { walletOf } from "../../wallet/client.ts";
import { mostToppedUp, type StorageNeed, spareOf } from "../top-up.ts";

/** What a step stores, of which a part is certain. */
export interface KnownNeed extends StorageNeed {
  /** Bytes that it adds to what its contract has to hold, at least. */
  readonly atLeast: number;
}

const DIGEST_BYTES = 32;

/** Bytes that a token's own metadata take on the contract, at least: texts and digests are stored as they are. */
export const leastBytesOf = ({ media, reference, copies: _, ...texts }: Override): number => {
  const digests = [media, reference].filter((file) => file != null).length * DIGEST_BYTES;
  const letters = Object.values(texts).reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
  return RECORD_BYTES + digests + letters;
};

/** From so many bytes on a look at the contract's balance is worth its call of a node: a hundredth of a NEAR. */
const LOOK_FROM = 1_000;

/** The most that the gas of a mint, its top-up and its repetition takes, yoctoNEAR. */
const GAS = 10n ** 23n;

/**
 * Refuses what a contract certainly can't pay the storage of while the wallet can't top it up, before anything is sent.
 * Whether a token's place is paid for already the contract alone knows: a mint that lacks nothing else finds out there.
 * @throws ServiceError contract_storage_unpaid, rate_limited, chain_unavailable
 */
export const requireStorage = async (
  context: ServiceContext,
  { integrationId }: Pick<Caller, "integrationId">,
  { contract, bytes, atLeast }: KnownNeed,
): Promise<void> => {
  if (atLeast < LOOK_FROM) return;
  const spare = await spareOf(contractViews(connectFor(context), contract));
  const lack = BigInt(atLeast) * BYTE_PRICE - spare;
  if (lack <= 0n) return;
  const { available, accountId, queued, open } = await walletOf(context.env, integrationId).status();
  // What waits or is on its way gives back most of what it holds.
  if (available == null || queued + open > 0) return;
  const short = mostToppedUp(bytes, spare) + GAS - BigInt(available);
  if (short <= 0n) return;
  throw new ServiceError(
    "contract_storage_unpaid",
    `Send at least ${short} yoctoNEAR to ${accountId}, the wallet that pays, and try again: ${contract} lacks ` +
      `${lack} yoctoNEAR for storage, and the wallet can't pay them. Nothing was sent.`,
    { outcome: "not_submitted", retryable: true },
  );
};

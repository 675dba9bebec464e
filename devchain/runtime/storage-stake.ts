/** Storage staking: an account holds a balance for the bytes it occupies (NEP-448 lets small accounts be). */
import type { ProtocolConfig } from "../protocol/config.ts";
import { keyBytes } from "../protocol/keys.ts";
import type { AccessKey, Account } from "../protocol/types.ts";

/** Accounts of at most this many bytes need no balance. */
const ZERO_BALANCE_BYTES = 770;

/** How many yoctoNEAR an account with this balance lacks for its storage; 0n if none. */
export function missingStorageStake(config: ProtocolConfig, account: Account, amount: bigint): bigint {
  const required = config.storageAmountPerByte * BigInt(account.storageUsage);
  const available = amount + account.locked;
  if (available >= required || account.storageUsage <= ZERO_BALANCE_BYTES) return 0n;
  return required - available;
}

/** Bytes that an access key's record occupies: the key, its borsh form and the protocol's extra for a record. */
export function accessKeyBytes(config: ProtocolConfig, publicKey: string, key: AccessKey): number {
  const extra = config.view.transaction_costs.storage_usage_config.num_extra_bytes_record;
  return keyBytes(publicKey).length + accessKeyBorshLength(key) + extra;
}

function accessKeyBorshLength({ permission }: AccessKey): number {
  const nonceAndTag = 8 + 1;
  if (permission === "FullAccess") return nonceAndTag;
  const allowance = permission.allowance === null ? 1 : 17;
  const names = permission.methodNames.reduce((sum, name) => sum + 4 + Buffer.byteLength(name), 4);
  return nonceAndTag + allowance + 4 + Buffer.byteLength(permission.receiverId) + names;
}

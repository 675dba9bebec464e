/** The contract's key-value storage. Bytes stored are counted at once; the balance for them is checked at the end. */
import type { CallContext } from "../context.ts";
import { hostError } from "../errors.ts";
import type { HostFunction } from "./basics.ts";

/** Values up to this size lie beside their key; larger ones are read from elsewhere (nearcore). */
const INLINE_VALUE_BYTES = 4000;

/**
 * Compute that some costs take beyond their gas (`parameters.yaml`): a block's capacity is in compute, so heavy
 * storage work fills it sooner than its gas says.
 */
const EXTRA_COMPUTE = {
  write: 200_000_000_000 - 64_196_736_000,
  read: 159_000_000_000 - 56_356_845_749,
  largeRead: 41_000_000_000 - 1,
  largeReadByte: 3_111_005 - 1,
  remove: 200_000_000_000 - 53_473_030_500,
  hasKey: 158_000_000_000 - 54_039_896_625,
  trieNode: 4_000_000_000 - 2_280_000_000,
};

function readKey(ctx: CallContext, length: number, pointer: number): Uint8Array {
  const key = ctx.bytes(length, pointer).slice();
  const limit = ctx.input.config.limits.max_length_storage_key;
  if (key.length > limit)
    throw hostError(
      "KeyLengthExceeded",
      `The length of a storage key ${key.length} exceeds the limit ${limit}`,
      {
        length: key.length,
        limit,
      },
    );
  return key;
}

function payTrieNodes(ctx: CallContext, key: Uint8Array): void {
  const nodes = ctx.input.storage.touchedNodes(key);
  ctx.extraCompute += nodes * EXTRA_COMPUTE.trieNode;
  ctx.payCost("touching_trie_node", nodes);
}

function recordBytes(ctx: CallContext): number {
  return ctx.input.config.view.transaction_costs.storage_usage_config.num_extra_bytes_record;
}

export const storage: Record<string, HostFunction> = {
  storage_write(ctx, keyLength = 0, keyPointer = 0, valueLength = 0, valuePointer = 0, register = 0) {
    ctx.payCost("base");
    ctx.forbidInView("storage_write");
    ctx.payCost("storage_write_base");
    ctx.extraCompute += EXTRA_COMPUTE.write;
    const key = readKey(ctx, keyLength, keyPointer);
    const value = ctx.bytes(valueLength, valuePointer).slice();
    const limit = ctx.input.config.limits.max_length_storage_value;
    if (value.length > limit)
      throw hostError(
        "ValueLengthExceeded",
        `The length of a storage value ${value.length} exceeds the limit ${limit}`,
        { length: value.length, limit },
      );
    ctx.payCost("storage_write_key_byte", key.length);
    ctx.payCost("storage_write_value_byte", value.length);
    const evicted = ctx.input.storage.read(key);
    if (evicted) ctx.payCost("storage_write_evicted_byte", evicted.length);
    payTrieNodes(ctx, key);
    ctx.input.storage.write(key, value);
    if (!evicted) {
      ctx.storageUsage += key.length + value.length + recordBytes(ctx);
      return 0;
    }
    ctx.storageUsage += value.length - evicted.length;
    ctx.setRegister(register, evicted);
    return 1;
  },
  storage_read(ctx, keyLength = 0, keyPointer = 0, register = 0) {
    ctx.payCost("base");
    ctx.payCost("storage_read_base");
    ctx.extraCompute += EXTRA_COMPUTE.read;
    const key = readKey(ctx, keyLength, keyPointer);
    ctx.payCost("storage_read_key_byte", key.length);
    const value = ctx.input.storage.read(key);
    if (!value) return 0;
    ctx.payCost("storage_read_value_byte", value.length);
    if (value.length > INLINE_VALUE_BYTES) {
      ctx.payCost("storage_large_read_overhead_base");
      ctx.payCost("storage_large_read_overhead_byte", value.length);
      ctx.extraCompute += EXTRA_COMPUTE.largeRead + EXTRA_COMPUTE.largeReadByte * value.length;
    }
    ctx.setRegister(register, value);
    return 1;
  },
  storage_remove(ctx, keyLength = 0, keyPointer = 0, register = 0) {
    ctx.payCost("base");
    ctx.forbidInView("storage_remove");
    ctx.payCost("storage_remove_base");
    ctx.extraCompute += EXTRA_COMPUTE.remove;
    const key = readKey(ctx, keyLength, keyPointer);
    ctx.payCost("storage_remove_key_byte", key.length);
    const removed = ctx.input.storage.read(key);
    if (removed) ctx.payCost("storage_remove_ret_value_byte", removed.length);
    payTrieNodes(ctx, key);
    ctx.input.storage.remove(key);
    if (!removed) return 0;
    ctx.storageUsage -= removed.length + key.length + recordBytes(ctx);
    ctx.setRegister(register, removed);
    return 1;
  },
  storage_has_key(ctx, keyLength = 0, keyPointer = 0) {
    ctx.payCost("base");
    ctx.payCost("storage_has_key_base");
    ctx.extraCompute += EXTRA_COMPUTE.hasKey;
    const key = readKey(ctx, keyLength, keyPointer);
    ctx.payCost("storage_has_key_byte", key.length);
    return ctx.input.storage.read(key) ? 1 : 0;
  },
};

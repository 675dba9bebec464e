// npm run contract:check — builds the contract again in a directory of its own and compares the digest with the one that
// is committed, then looks at what the module asks of the chain, and whether the ABI names its methods.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, built, contract, digest, discard } from "./contract-wasm.mjs";

const SIZE_LIMIT = 210_000;

// The host functions of protocol version 84. Later ones do not link on a chain that is behind.
const HOST_FUNCTIONS = new Set(
  `read_register register_len write_register current_account_id signer_account_id signer_account_pk
  predecessor_account_id input block_index block_timestamp epoch_height storage_usage account_balance
  account_locked_balance attached_deposit prepaid_gas used_gas random_seed sha256 keccak256 keccak512 ed25519_verify
  ripemd160 ecrecover value_return panic panic_utf8 log_utf8 log_utf16 abort promise_create promise_then promise_and
  promise_batch_create promise_batch_then promise_set_refund_to promise_batch_action_state_init
  promise_batch_action_state_init_by_account_id set_state_init_data_entry current_contract_code refund_to_account_id
  promise_batch_action_create_account promise_batch_action_deploy_contract
  promise_batch_action_deploy_global_contract promise_batch_action_deploy_global_contract_by_account_id
  promise_batch_action_use_global_contract promise_batch_action_use_global_contract_by_account_id
  promise_batch_action_function_call promise_batch_action_function_call_weight promise_batch_action_transfer
  promise_batch_action_stake promise_batch_action_add_key_with_full_access
  promise_batch_action_add_key_with_function_call promise_batch_action_delete_key promise_batch_action_delete_account
  promise_yield_create promise_yield_resume promise_results_count promise_result promise_return storage_write
  storage_read storage_remove storage_has_key validator_stake validator_total_stake alt_bn128_g1_multiexp
  alt_bn128_g1_sum alt_bn128_pairing_check bls12381_p1_sum bls12381_p2_sum bls12381_g1_multiexp bls12381_g2_multiexp
  bls12381_map_fp_to_g1 bls12381_map_fp2_to_g2 bls12381_pairing_check bls12381_p1_decompress
  bls12381_p2_decompress`.split(/\s+/),
);

const failures = [];
const check = (holds, message) => {
  if (!holds) failures.push(message);
};

const committed = readFileSync(built);
const written = readFileSync(`${built}.sha256`, "utf8").trim();
check(
  digest(committed) === written,
  `contract/wasm/mintage.wasm has the digest ${digest(committed)}, its file says ${written}`,
);

const directory = mkdtempSync(join(tmpdir(), "contract-check-"));
try {
  const fresh = build(directory);
  check(
    digest(fresh) === written,
    `the sources build to ${digest(fresh)}, committed is ${written}: run npm run contract:build`,
  );
} finally {
  discard(directory);
}

for (const { module, name } of WebAssembly.Module.imports(new WebAssembly.Module(committed))) {
  check(
    module === "env" && HOST_FUNCTIONS.has(name),
    `${module}.${name} is no host function of protocol version 84`,
  );
}
const names = (list) => list.map(({ name }) => name).sort();
const exported = WebAssembly.Module.exports(new WebAssembly.Module(committed));
const methods = names(exported.filter(({ kind }) => kind === "function"));
const abi = JSON.parse(readFileSync(join(contract, "abi.json"), "utf8"));
for (const name of methods.filter((name) => !names(abi.body.functions).includes(name)))
  check(false, `contract/abi.json lacks ${name}, which the module exports`);
for (const name of names(abi.body.functions).filter((name) => !methods.includes(name)))
  check(false, `contract/abi.json has ${name}, which the module doesn't export`);
check(
  committed.length <= SIZE_LIMIT,
  `${committed.length} bytes; every call pays for each, the limit is ${SIZE_LIMIT}`,
);

for (const failure of failures) console.error(failure);
if (failures.length === 0)
  console.log(
    `contract/wasm/mintage.wasm: ${committed.length} bytes, digest, imports and ABI as they should be`,
  );
process.exit(failures.length === 0 ? 0 : 1);

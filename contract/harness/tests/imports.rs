//! The contract imports only what chains of protocol version 84 offer, and runs there.

use harness::mintage::wasm;
use harness::{Chain, NEAR};
use serde_json::json;
use wasmparser::{Parser, Payload};

/// Host functions of protocol version 84 that the contract uses. One more here is a decision: later ones fail to link
/// on chains that are behind.
const ALLOWED: &[&str] = &[
    "account_balance",
    "attached_deposit",
    "block_index",
    "block_timestamp",
    "current_account_id",
    "input",
    "log_utf8",
    "panic_utf8",
    "predecessor_account_id",
    "prepaid_gas",
    "promise_batch_action_function_call",
    "promise_batch_action_function_call_weight",
    "promise_batch_action_transfer",
    "promise_batch_action_use_global_contract",
    "promise_batch_create",
    "promise_batch_then",
    "promise_create",
    "promise_result",
    "promise_results_count",
    "promise_return",
    "promise_then",
    "random_seed",
    "read_register",
    "register_len",
    "sha256",
    "signer_account_id",
    "storage_has_key",
    "storage_read",
    "storage_remove",
    "storage_usage",
    "storage_write",
    "used_gas",
    "value_return",
];

#[test]
fn the_imports_are_those_of_protocol_version_84() {
    let wasm = wasm();
    let mut imports = vec![];
    for payload in Parser::new(0).parse_all(&wasm) {
        if let Payload::ImportSection(section) = payload.unwrap() {
            for import in section {
                let import = import.unwrap();
                assert_eq!(import.module, "env");
                imports.push(import.name.to_owned());
            }
        }
    }
    imports.sort_unstable();
    let unknown: Vec<_> = imports
        .iter()
        .filter(|name| !ALLOWED.contains(&name.as_str()))
        .collect();
    assert!(
        unknown.is_empty(),
        "not on the list: {unknown:?}; all: {imports:?}"
    );
}

#[test]
fn the_contract_runs_at_protocol_version_84() {
    let mut chain = Chain::at_version(84);
    chain.create_global_contract_user("nft.near", 10 * NEAR, &wasm());
    let metadata = json!({ "spec": "nft-1.0.0", "name": "x", "symbol": "X" });
    let args = json!({ "owner_id": "nft.near", "platform_id": "nft.near", "metadata": metadata });
    chain.call("nft.near", "nft.near", "new", args, 0).json();
    assert_eq!(
        chain
            .view("nft.near", "nft_total_supply", json!({}))
            .unwrap(),
        json!("0")
    );
    assert_eq!(chain.unaccounted(), 0);
}

#[test]
fn the_wasm_is_small_and_bears_no_debug_sections() {
    let wasm = wasm();
    assert!(wasm.len() <= 190_000, "{} bytes", wasm.len());
    for payload in Parser::new(0).parse_all(&wasm) {
        if let Payload::CustomSection(section) = payload.unwrap() {
            assert!(
                !section.name().starts_with(".debug") && section.name() != "name",
                "section {}",
                section.name()
            );
        }
    }
}

#[test]
fn the_digest_beside_the_wasm_is_its_own() {
    use sha2::{Digest, Sha256};
    if std::env::var_os("MINTAGE_WASM").is_some() {
        return;
    }
    let noted =
        std::fs::read_to_string(harness::mintage::workspace("wasm/mintage.wasm.sha256")).unwrap();
    let digest: String = Sha256::digest(wasm())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(noted.split_whitespace().next(), Some(digest.as_str()));
}

//! The contract imports only what chains of protocol version 84 offer, and runs there.

use harness::claims::Issuer;
use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, wasm};
use harness::stub::{Behaviour, contract};
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
    "ed25519_verify",
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

/// A round of all that uses host functions, at each version that nodes may run.
#[test]
fn the_contract_runs_from_protocol_version_84_on() {
    for version in 84..=harness::PROTOCOL_VERSION {
        let mut scene = Scene::on(Chain::at_version(version), &wasm(), 100 * NEAR);
        scene.accounts(["alice.near", "bob.near", "artist.near"]);
        let keep = contract(&[("nft_on_transfer", Behaviour::Return(b"true".to_vec()))]);
        scene.chain.create_contract("returner.near", NEAR, &keep);
        let settings = json!({
            "public_mint_config": { "mint_fee": NEAR.to_string() }, "initial_royalties": { "artist.near": 1000 },
            "private_mint_config": { "mint_fee": "0" }
        });
        scene.collection(settings, AssetBatch::new(0, 500, 3));
        scene.mint_many(1, "alice.near", 40).json();
        assert_eq!(
            scene.public_mint("bob.near", 1, 2 * NEAR).json(),
            json!("1:41"),
            "version {version}"
        );
        scene
            .sign(
                OWNER,
                "allowlist_add",
                json!({ "collection_id": 1, "account_ids": ["bob.near"] }),
            )
            .json();
        assert_eq!(
            scene.public_mint("bob.near", 1, 0).json(),
            json!("1:42"),
            "version {version}"
        );
        let approve = json!({ "token_id": "1:1", "account_id": "bob.near" });
        scene
            .pay("alice.near", "nft_approve", approve, NEAR / 10)
            .json();
        let send = json!({ "receiver_id": "returner.near", "token_id": "1:1", "msg": "" });
        assert_eq!(
            scene.sign("alice.near", "nft_transfer_call", send).json(),
            json!(false),
            "version {version}"
        );
        scene
            .sign(OWNER, "withdraw", json!({ "amount": NEAR.to_string() }))
            .json();
        let issuer = Issuer::new("issuer");
        let drop = scene.drop(1, &issuer, 2, 1);
        let claim = issuer.link(CONTRACT, drop, 1).claim("alice.near");
        let claimed = scene.call("bob.near", "nft_claim", claim);
        assert_eq!(claimed.json(), json!(["1:43"]), "version {version}");
        let hash = scene.chain.publish(&wasm());
        scene.upgrade(&hash.to_string()).json();
        assert_eq!(scene.owner_of("1:1"), "alice.near");
        assert_eq!(scene.chain.unaccounted(), 0, "version {version}");
    }
}

#[test]
fn the_wasm_is_small_and_bears_no_debug_sections() {
    let wasm = wasm();
    assert!(wasm.len() <= 210_000, "{} bytes", wasm.len());
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

/// Every method that the contract answers is described in docs/contract.md or is a standard's; there is no other.
#[test]
fn the_exports_are_the_methods_that_are_documented() {
    let documentation =
        std::fs::read_to_string(harness::mintage::workspace("../docs/contract.md")).unwrap();
    let code = wasm();
    let mut methods = vec![];
    for payload in Parser::new(0).parse_all(&code) {
        if let Payload::ExportSection(section) = payload.unwrap() {
            let exports = section.into_iter().map(|export| export.unwrap());
            let functions = exports.filter(|export| export.kind == wasmparser::ExternalKind::Func);
            methods.extend(functions.map(|export| export.name.to_owned()));
        }
    }
    let unknown: Vec<_> = methods
        .iter()
        .filter(|method| !documentation.contains(&format!("`{method}`")))
        .collect();
    assert!(
        unknown.is_empty(),
        "exported, and not in docs/contract.md: {unknown:?}"
    );
    for method in [
        "nft_transfer",
        "nft_transfer_call",
        "nft_resolve_transfer",
        "nft_token",
        "nft_approve",
        "nft_revoke",
        "nft_revoke_all",
        "nft_is_approved",
        "nft_total_supply",
        "nft_tokens",
        "nft_supply_for_owner",
        "nft_tokens_for_owner",
        "nft_payout",
        "nft_transfer_payout",
        "nft_metadata",
        "contract_source_metadata",
        "new",
        "collection_create",
        "collection_add_assets",
        "collection_publish",
        "collection_update",
        "nft_batch_mint",
        "nft_mint",
        "nft_update",
        "nft_update_batch",
        "allowlist_add",
        "allowlist_remove",
        "allowlist_clear",
        "allowlist_sweep",
        "withdraw",
        "admin_add",
        "admin_remove",
        "owner_propose",
        "owner_accept",
        "platform_set",
        "contract_metadata_update",
        "upgrade",
        "upgrade_check",
        "migrate",
        "nft_tokens_by_ids",
        "collection",
        "collections",
        "collection_assets",
        "collection_tokens",
        "is_allowlisted",
        "mint_eligibility",
        "contract_roles",
        "contract_balance",
        "contract_version",
    ] {
        assert!(
            methods.iter().any(|name| name == method),
            "{method} is missing"
        );
    }
}

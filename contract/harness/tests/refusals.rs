//! Every refusal has a code of the contract's, also of what is longer than the protocol takes, which would end a call
//! with a failure of the protocol's instead.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, wasm};
use harness::{Action, NEAR, TGAS, TransactionOutcome};
use serde_json::{Value, json};

fn scene() -> Scene {
    let mut scene = Scene::new(&wasm(), 1_000 * NEAR);
    scene.accounts(["alice.near", "bob.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 20, 50));
    scene.mint_many(1, "alice.near", 2).json();
    scene
}

fn sent(signer: &str, method: &str, args: Value) -> TransactionOutcome {
    let call = Action::call(method, args, 300 * TGAS, 1);
    scene().chain.transact(signer, CONTRACT, vec![call])
}

fn assert_invalid(outcome: &TransactionOutcome, field: &str) {
    let text = format!("{:?}", outcome.failure());
    assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{field}: {text}");
    assert!(text.contains(field), "{text}");
    assert!(text.len() < 2_000, "{field}: {} bytes", text.len());
}

#[test]
fn a_memo_is_as_long_as_an_event_takes() {
    let memo = |length: usize| "m".repeat(length);
    for (method, mut args) in [
        ("nft_transfer", json!({ "receiver_id": "bob.near" })),
        ("nft_burn", json!({})),
    ] {
        args["token_id"] = json!("1:1");
        args["memo"] = json!(memo(15_000));
        let taken = sent("alice.near", method, args.clone());
        assert!(taken.succeeded(), "{:?}", taken.failure());
        args["memo"] = json!(memo(16_300));
        assert_invalid(&sent("alice.near", method, args.clone()), "memo");
        // Six bytes each, once they are written as JSON.
        args["memo"] = json!("\u{1}".repeat(3_000));
        assert_invalid(&sent("alice.near", method, args), "memo");
    }
}

/// What a refusal repeats of the arguments is cut where it would be longer than the protocol's panics.
#[test]
fn a_refusal_of_something_long_is_short() {
    let long = "Ä".repeat(20_000);
    for (signer, method, args, field) in [
        (
            "alice.near",
            "nft_transfer",
            json!({ "token_id": "1:1", "receiver_id": long }),
            "receiver_id",
        ),
        (
            "alice.near",
            "nft_approve",
            json!({ "token_id": "1:1", "account_id": long }),
            "account_id",
        ),
        (
            OWNER,
            "collection_update",
            json!({ "collection_id": 1, "transfers_denied_accounts": [long] }),
            "transfers_denied_accounts",
        ),
        (
            OWNER,
            "collection_update",
            json!({ "collection_id": 1, &long: 1 }),
            "ÄÄÄ",
        ),
        (
            OWNER,
            "nft_update",
            json!({ "token_id": "1:1", &long: 1 }),
            "ÄÄÄ",
        ),
        (
            OWNER,
            "admin_add",
            json!({ "account_id": long }),
            "account_id",
        ),
    ] {
        assert_invalid(&sent(signer, method, args), field);
    }
}

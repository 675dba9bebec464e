//! NEP-199: royalties on sales.

use harness::NEAR;
use harness::mintage::{AssetBatch, Scene};
use serde_json::{Value, json};

fn scene(ongoing: Value) -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near", "market.near"]);
    let collection = scene.collection(
        json!({ "ongoing_royalties": ongoing }),
        AssetBatch::new(0, 1, 10),
    );
    scene.mint_many(collection, "alice.near", 2).json();
    scene
        .pay(
            "alice.near",
            "nft_approve",
            json!({ "token_id": "1:1", "account_id": "market.near" }),
            NEAR / 10,
        )
        .json();
    scene
}

fn payout(scene: &Scene, balance: &str, most: Value) -> Value {
    scene.view(
        "nft_payout",
        json!({ "token_id": "1:1", "balance": balance, "max_len_payout": most }),
    )["payout"]
        .clone()
}

#[test]
fn a_payout_divides_the_balance_and_rounds_for_the_owner() {
    let scene = scene(json!({ "artist.near": 1000, "label.near": 250 }));
    let whole = json!({ "alice.near": "8750", "artist.near": "1000", "label.near": "250" });
    assert_eq!(payout(&scene, "10000", Value::Null), whole);
    assert_eq!(payout(&scene, "10000", json!(3)), whole);
    assert_eq!(
        payout(&scene, "9", json!(10)),
        json!({ "alice.near": "9" }),
        "shares of nothing are left out"
    );
    let most = u128::MAX.to_string();
    let shares = payout(&scene, &most, Value::Null);
    let sum: u128 = shares
        .as_object()
        .unwrap()
        .values()
        .map(|share| share.as_str().unwrap().parse::<u128>().unwrap())
        .sum();
    assert_eq!(sum, u128::MAX);
    assert_eq!(
        payout(&scene, "0", Value::Null),
        json!({ "alice.near": "0" })
    );
}

#[test]
fn a_payout_of_more_accounts_than_asked_for_fails() {
    let scene = scene(json!({ "artist.near": 1000, "label.near": 250 }));
    let args = json!({ "token_id": "1:1", "balance": "10000", "max_len_payout": 2 });
    assert!(scene.try_view("nft_payout", args).is_err());
    let missing = scene.try_view("nft_payout", json!({ "token_id": "1:9", "balance": "1" }));
    assert_eq!(missing.unwrap_err().code(), Some("E_TOKEN_NOT_FOUND"));
}

#[test]
fn nine_royalties_and_the_owner_fit_the_ten_that_are_guaranteed() {
    let royalties: serde_json::Map<String, Value> = (0..9)
        .map(|n| (format!("artist-{n}.near"), json!(1000)))
        .collect();
    let scene = scene(Value::Object(royalties));
    let shares = payout(&scene, &NEAR.to_string(), json!(10));
    assert_eq!(shares.as_object().unwrap().len(), 10);
    assert_eq!(shares["alice.near"], (NEAR / 10).to_string());
}

#[test]
fn all_to_royalties_leaves_the_owner_nothing_but_the_name() {
    let scene = scene(json!({ "artist.near": 10000 }));
    assert_eq!(payout(&scene, "10000", Value::Null)["artist.near"], "10000");
}

#[test]
fn an_owner_with_a_royalty_is_named_once() {
    let scene = scene(json!({ "alice.near": 1000, "artist.near": 500 }));
    assert_eq!(
        payout(&scene, "10000", Value::Null),
        json!({ "alice.near": "9500", "artist.near": "500" })
    );
}

#[test]
fn a_market_transfers_and_is_told_whom_to_pay() {
    let mut scene = scene(json!({ "artist.near": 1000 }));
    let args = json!({
        "receiver_id": "bob.near", "token_id": "1:1", "approval_id": 1, "memo": "sold", "balance": NEAR.to_string(), "max_len_payout": 10
    });
    assert_eq!(
        scene
            .pay("market.near", "nft_transfer_payout", args.clone(), 0)
            .code(),
        "E_ONE_YOCTO"
    );
    let outcome = scene.sign("market.near", "nft_transfer_payout", args);
    let expected = json!({ "payout": { "alice.near": (NEAR / 10 * 9).to_string(), "artist.near": (NEAR / 10).to_string() } });
    assert_eq!(
        outcome.json(),
        expected,
        "the seller is paid, not the new owner"
    );
    assert_eq!(scene.owner_of("1:1"), "bob.near");
    let event = &outcome.events()[0]["data"][0];
    assert_eq!(
        (&event["authorized_id"], &event["memo"]),
        (&json!("market.near"), &json!("sold"))
    );
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn a_payout_that_fails_leaves_the_token() {
    let mut scene = scene(json!({ "artist.near": 1000, "label.near": 1 }));
    let args = json!({ "receiver_id": "bob.near", "token_id": "1:1", "balance": NEAR.to_string(), "max_len_payout": 1 });
    assert!(
        !scene
            .sign("alice.near", "nft_transfer_payout", args.clone())
            .succeeded()
    );
    assert_eq!(scene.owner_of("1:1"), "alice.near");
    let mut short = args;
    short["max_len_payout"] = Value::Null;
    assert!(
        scene
            .sign("alice.near", "nft_transfer_payout", short)
            .succeeded()
    );
}

#[test]
fn royalties_changed_later_bind_tokens_already_minted() {
    let mut scene = scene(json!({ "artist.near": 1000 }));
    let update = json!({ "collection_id": 1, "ongoing_royalties": { "label.near": 200 } });
    scene
        .sign(harness::mintage::OWNER, "collection_update", update)
        .json();
    assert_eq!(
        payout(&scene, "10000", Value::Null),
        json!({ "alice.near": "9800", "label.near": "200" })
    );
}

//! What somebody would try who wants more than is theirs: holders, the contract's owner and whoever has a link.

use harness::claims::Issuer;
use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, create_args};
use harness::{Action, Failure, NEAR, STORAGE_PRICE, Status, TGAS, TransactionOutcome};
use serde_json::{Value, json};

/// An account whose id is as long as ids come.
fn longest(number: u32) -> String {
    format!("{}{number:04}.near", "x".repeat(55))
}

fn amount(scene: &Scene, field: &str) -> u128 {
    let balance = scene.view("contract_balance", json!({}));
    balance[field].as_str().unwrap().parse().unwrap()
}

/// The owner takes all that is free, which leaves what the contract has to hold and no more.
fn take_all(scene: &mut Scene) {
    scene.sign(OWNER, "withdraw", json!({})).json();
    assert_eq!(amount(scene, "free"), 0);
    assert_eq!(amount(scene, "total"), amount(scene, "needed"));
}

/// Asserts that a call did its work and that no receipt of it failed for want of balance.
fn assert_done(outcome: &TransactionOutcome, what: &str) {
    for receipt in &outcome.receipts {
        let failed = match &receipt.status {
            Status::Failed(_, failure) => Some(failure),
            _ => None,
        };
        assert!(
            !matches!(failed, Some(Failure::LackBalanceForState(_))),
            "{what}: {failed:?}"
        );
    }
    assert!(outcome.succeeded(), "{what}: {:?}", outcome.failure());
}

/// What a burn gives back is taken out at once, again and again: the tokens that stay go to owners that are new and have
/// long names, are approved, and return all deposits.
#[test]
fn what_burns_give_back_is_nobody_elses() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 8 * NEAR);
    scene.accounts(["alice.near", "bob.near"]);
    let free = json!({ "public_mint_config": { "mint_fee": "0" } });
    scene.collection(free, AssetBatch::new(0, 3, 80));
    for _ in 0..2 {
        scene.mint_many(1, "alice.near", 100).json();
    }
    for _ in 0..2 {
        let args = json!({ "collection_id": 1, "quantity": 20 });
        let mint = Action::call("nft_mint", args, 100 * TGAS, 0);
        let outcome = scene.chain.transact("bob.near", CONTRACT, vec![mint]);
        assert_done(&outcome, "mint");
    }
    take_all(&mut scene);
    let owner = |number: u32| {
        if number <= 200 {
            "alice.near"
        } else {
            "bob.near"
        }
    };
    let mut taken = 0;
    for number in (1..=240).step_by(2) {
        let args = json!({ "token_id": format!("1:{number}") });
        assert_done(&scene.sign(owner(number), "nft_burn", args), "burn");
        taken += amount(&scene, "free");
        take_all(&mut scene);
    }
    assert!(taken > 100 * 150 * STORAGE_PRICE, "burns give back {taken}");
    for number in (2..=240).step_by(2) {
        let id = format!("1:{number}");
        let approve = json!({ "token_id": id, "account_id": longest(number) });
        let outcome = scene.pay(owner(number), "nft_approve", approve, NEAR / 100);
        assert_done(&outcome, "approval");
        let outcome = scene.transfer(owner(number), &longest(5_000 + number), &id);
        assert_done(&outcome, "transfer");
    }
    assert_eq!(amount(&scene, "owed"), 0);
    assert_eq!(amount(&scene, "missing"), 0);
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// A drop's reserve pays for its claims though the owner has taken all else, and for what becomes of the tokens; what is
/// left of it returns once, to be taken, and closing it takes nothing from them.
#[test]
fn a_drops_reserve_is_nobody_elses() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 8 * NEAR);
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 3, 100));
    let issuer = Issuer::new("issuer");
    let drop = scene.drop(1, &issuer, 60, 3);
    take_all(&mut scene);
    let (mut number, mut burnt) = (0, 0);
    for link in 0..40 {
        let receiver = longest(link);
        scene.chain.create_account(&receiver, NEAR);
        let args = issuer.link(CONTRACT, drop, link).claim(&receiver);
        assert_done(&scene.call("alice.near", "nft_claim", args), "claim");
        for _ in 0..3 {
            number += 1;
            let id = format!("1:{number}");
            let outcome = match number % 3 {
                0 => {
                    burnt += 1;
                    scene.sign(&receiver, "nft_burn", json!({ "token_id": id }))
                }
                _ => scene.transfer(&receiver, &longest(5_000 + number), &id),
            };
            assert_done(&outcome, "what becomes of the token");
        }
        take_all(&mut scene);
    }
    let early = scene.call(OWNER, "drop_close", json!({ "drop_id": drop }));
    assert_eq!(early.code(), "E_DROP_OPEN");
    let end = scene.chain.now_ms() + 86_400_000;
    scene.chain.advance_to(end);
    let late = issuer.link(CONTRACT, drop, 50).claim("alice.near");
    let outcome = scene.call("alice.near", "nft_claim", late.clone());
    assert_eq!(outcome.code(), "E_DROP_EXPIRED");
    let returned = scene.call(OWNER, "drop_close", json!({ "drop_id": drop }));
    let returned: u128 = returned.json().as_str().unwrap().parse().unwrap();
    assert_eq!(returned, 20 * 3 * 192 * STORAGE_PRICE);
    take_all(&mut scene);
    for args in [late, issuer.link(CONTRACT, drop, 3).claim("alice.near")] {
        let outcome = scene.call("alice.near", "nft_claim", args);
        assert_eq!(outcome.code(), "E_DROP_NOT_FOUND");
    }
    let again = scene.call(OWNER, "drop_close", json!({ "drop_id": drop }));
    assert_eq!(again.code(), "E_DROP_NOT_FOUND");
    assert_eq!(
        scene.view("nft_total_supply", json!({})),
        (number - burnt).to_string()
    );
    assert_eq!(amount(&scene, "missing"), 0);
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// With all locks set the staff try every call that could take a promise back. Each lock is there afterwards, and what
/// holders see is what they saw.
#[test]
fn no_call_loosens_a_lock() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near"]);
    let settings = json!({
        "description": "Soft", "public_mint_config": { "mint_fee": "0" },
        "ongoing_royalties": { "artist.near": 500 }, "transfers_denied_accounts": ["x.near"]
    });
    scene.collection(settings, AssetBatch::new(0, 3, 10));
    scene.mint_many(1, "alice.near", 5).json();
    scene
        .sign(OWNER, "nft_lock", json!({ "token_id": "1:1" }))
        .json();
    let all = json!(["metadata", "supply", "royalties", "transfers", "code"]);
    let lock = json!({ "collection_id": 1, "locks": all, "assets": [0, 2] });
    scene.sign(OWNER, "collection_lock", lock).json();
    let seen = |scene: &Scene| {
        let mut collection = scene.view("collection", json!({ "collection_id": 1 }));
        // Anybody may be let to mint, or not, where nothing is minted any more.
        for field in ["public_mint_config", "transfers_denied_accounts"] {
            collection[field] = Value::Null;
        }
        (
            collection,
            scene.view("collection_tokens", json!({ "collection_id": 1 })),
            scene.view("collection_assets", json!({ "collection_id": 1 })),
        )
    };
    let before = seen(&scene);
    assert_eq!(before.0["locks"], all);
    let of_1 = |more: Value| {
        let mut args = json!({ "collection_id": 1 });
        let more = more.as_object().unwrap().clone();
        args.as_object_mut().unwrap().extend(more);
        args
    };
    let hash = scene.chain.publish(&harness::mintage::wasm()).to_string();
    for (method, args, deposit, code) in [
        (
            "collection_update",
            of_1(json!({ "title": "Dogs" })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "description": null })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "allow_transfers": false })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "allow_approvals": false })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "transfers_denied_accounts": ["x.near", "bob.near"] })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "approvals_allowed_accounts": ["x.near"] })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "approvals_denied_accounts": ["bob.near"] })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "ongoing_royalties": { "artist.near": 501 } })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "ongoing_royalties": {} })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "ongoing_royalties": { "admin.near": 500 } })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "ongoing_royalties": { "artist.near": 500 } })),
            1,
            "",
        ),
        // Down is allowed, and up again to where it was is not.
        (
            "collection_update",
            of_1(json!({ "transfers_denied_accounts": null })),
            1,
            "",
        ),
        (
            "collection_update",
            of_1(json!({ "transfers_denied_accounts": ["x.near"] })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_update",
            of_1(json!({ "public_mint_config": null })),
            1,
            "",
        ),
        (
            "nft_update",
            json!({ "token_id": "1:2", "title": "Dog" }),
            1,
            "E_LOCKED",
        ),
        (
            "nft_update",
            json!({ "token_id": "1:1", "extra": "{}" }),
            1,
            "E_LOCKED",
        ),
        (
            "nft_batch_mint",
            of_1(json!({ "receiver_ids": ["bob.near"] })),
            0,
            "E_LOCKED",
        ),
        ("nft_mint", of_1(json!({})), 0, "E_LOCKED"),
        (
            "drop_create",
            of_1(json!({
                "issuer_public_key": Issuer::new("issuer").public_key(), "links": 1,
                "expires_at_ms": 1_900_000_000_000u64
            })),
            1,
            "E_LOCKED",
        ),
        (
            "collection_lock",
            of_1(json!({ "locks": ["supply"] })),
            1,
            "",
        ),
        ("nft_lock", json!({ "token_id": "1:1" }), 1, ""),
        (
            "collection_publish",
            of_1(json!({})),
            0,
            "E_ALREADY_PUBLISHED",
        ),
        (
            "upgrade_announce",
            json!({ "code_hash": hash }),
            1,
            "E_LOCKED",
        ),
        ("upgrade", json!({ "code_hash": hash }), 1, "E_LOCKED"),
    ] {
        let outcome = scene.pay(OWNER, method, args.clone(), deposit);
        assert_eq!(outcome.code(), code, "{method} {args}");
        assert_eq!(seen(&scene), before, "{method} {args}");
    }
    // The promise holds: tokens move.
    let outcome = scene.transfer("alice.near", "bob.near", "1:1");
    assert_done(&outcome, "transfer");
}

/// A list of accounts is bounded from the collection's first call on.
#[test]
fn no_collection_is_made_with_a_list_that_is_too_long() {
    let list = |count: u32| (0..count).map(longest).collect::<Vec<_>>();
    for field in [
        "bypass_mint_fee_accounts",
        "approvals_allowed_accounts",
        "approvals_denied_accounts",
        "transfers_denied_accounts",
    ] {
        for (count, code) in [(1_000, ""), (1_001, "E_TOO_MANY")] {
            let mut scene = Scene::new(&harness::mintage::wasm(), 20 * NEAR);
            let settings = json!({ "title": "T", field: list(count) });
            let args = create_args(&settings, true, AssetBatch::new(0, 1, 10));
            let outcome = scene.call_raw(OWNER, "collection_create", args);
            assert_eq!(outcome.code(), code, "{count} in {field}");
        }
    }
}

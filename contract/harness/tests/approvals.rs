//! NEP-178: approvals.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene};
use harness::stub::{Behaviour, contract};
use harness::{GAS_PRICE, NEAR, STORAGE_PRICE, TransactionOutcome};
use serde_json::{Value, json};

fn scene(settings: Value) -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near", "a.near"]);
    let collection = scene.collection(settings, AssetBatch::new(0, 1, 10));
    scene.mint_many(collection, "alice.near", 2).json();
    scene
}

fn approve(scene: &mut Scene, token: &str, account: &str) -> TransactionOutcome {
    scene.pay(
        "alice.near",
        "nft_approve",
        json!({ "token_id": token, "account_id": account }),
        NEAR / 10,
    )
}

fn approvals(scene: &Scene, token: &str) -> Value {
    scene.token(token)["approved_account_ids"].clone()
}

fn owed(scene: &Scene) -> u128 {
    scene.view("contract_balance", json!({}))["owed"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

#[test]
fn approval_ids_are_unique_and_grow() {
    let mut scene = scene(json!({}));
    for (token, account) in [("1:1", "a.near"), ("1:1", "b.near"), ("1:2", "a.near")] {
        assert_eq!(approve(&mut scene, token, account).json(), Value::Null);
    }
    assert_eq!(
        approvals(&scene, "1:1"),
        json!({ "a.near": 1, "b.near": 2 })
    );
    assert_eq!(approvals(&scene, "1:2"), json!({ "a.near": 3 }));
    approve(&mut scene, "1:1", "a.near").json();
    assert_eq!(
        approvals(&scene, "1:1"),
        json!({ "a.near": 4, "b.near": 2 }),
        "approving again gives a new id"
    );
}

#[test]
fn is_approved_compares_the_id_if_one_is_given() {
    let mut scene = scene(json!({}));
    approve(&mut scene, "1:1", "a.near").json();
    let asked = |scene: &Scene, account: &str, id: Value| {
        scene.view(
            "nft_is_approved",
            json!({ "token_id": "1:1", "approved_account_id": account, "approval_id": id }),
        )
    };
    assert_eq!(asked(&scene, "a.near", Value::Null), json!(true));
    assert_eq!(asked(&scene, "a.near", json!(1)), json!(true));
    assert_eq!(asked(&scene, "a.near", json!(2)), json!(false));
    assert_eq!(asked(&scene, "b.near", Value::Null), json!(false));
    approve(&mut scene, "1:1", "a.near").json();
    assert_eq!(
        asked(&scene, "a.near", json!(1)),
        json!(false),
        "it was replaced"
    );
    assert_eq!(asked(&scene, "a.near", json!(2)), json!(true));
    assert_eq!(
        scene.view(
            "nft_is_approved",
            json!({ "token_id": "1:2", "approved_account_id": "a.near" })
        ),
        json!(false)
    );
}

#[test]
fn the_deposit_pays_the_storage_and_comes_back() {
    let mut scene = scene(json!({}));
    let contract = scene.chain.balance(CONTRACT);
    let outcome = approve(&mut scene, "1:1", "market.near");
    let kept = scene.chain.balance(CONTRACT) - contract;
    assert_eq!(owed(&scene), kept, "what is kept is owed");
    assert_eq!(
        kept,
        (12 + "market.near".len() as u128) * STORAGE_PRICE,
        "the approval's own bytes, as the standard's example takes them"
    );
    // The record around a token's approvals (49 bytes, and 4 on its page) is paid from what the token was promised.
    let record = outcome.bytes_of(CONTRACT) as u128 - 53;
    assert!(kept >= record * STORAGE_PRICE);
    let before = scene.chain.balance("alice.near");
    let revoke = scene.sign(
        "alice.near",
        "nft_revoke",
        json!({ "token_id": "1:1", "account_id": "market.near" }),
    );
    let after = scene.chain.balance("alice.near");
    assert_eq!(
        after + u128::from(revoke.gas) * GAS_PRICE + 1,
        before + kept,
        "the deposit went back"
    );
    assert_eq!(owed(&scene), 0);
    assert_eq!(approvals(&scene, "1:1"), json!({}));
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn an_approval_without_enough_deposit_fails() {
    let mut scene = scene(json!({}));
    let args = json!({ "token_id": "1:1", "account_id": "market.near" });
    for deposit in [0, 1, STORAGE_PRICE] {
        assert_eq!(
            scene
                .pay("alice.near", "nft_approve", args.clone(), deposit)
                .code(),
            "E_DEPOSIT_TOO_SMALL",
            "{deposit}"
        );
    }
    assert_eq!(approvals(&scene, "1:1"), json!({}));
}

#[test]
fn only_the_owner_approves_and_revokes() {
    let mut scene = scene(json!({}));
    approve(&mut scene, "1:1", "market.near").json();
    let args = json!({ "token_id": "1:1", "account_id": "market.near" });
    for caller in ["bob.near", OWNER] {
        assert_eq!(
            scene
                .pay(caller, "nft_approve", args.clone(), NEAR / 10)
                .code(),
            "E_UNAUTHORIZED"
        );
        assert_eq!(
            scene.sign(caller, "nft_revoke", args.clone()).code(),
            "E_UNAUTHORIZED"
        );
        assert_eq!(
            scene
                .sign(caller, "nft_revoke_all", json!({ "token_id": "1:1" }))
                .code(),
            "E_UNAUTHORIZED"
        );
    }
    assert_eq!(approvals(&scene, "1:1"), json!({ "market.near": 1 }));
    let missing = json!({ "token_id": "1:9", "account_id": "market.near" });
    assert_eq!(
        scene
            .pay("alice.near", "nft_approve", missing, NEAR / 10)
            .code(),
        "E_TOKEN_NOT_FOUND"
    );
}

#[test]
fn revoking_takes_one_yocto_and_what_is_not_approved_is_no_error() {
    let mut scene = scene(json!({}));
    approve(&mut scene, "1:1", "a.near").json();
    approve(&mut scene, "1:1", "b.near").json();
    for deposit in [0, 2] {
        let one = json!({ "token_id": "1:1", "account_id": "a.near" });
        assert_eq!(
            scene.pay("alice.near", "nft_revoke", one, deposit).code(),
            "E_ONE_YOCTO"
        );
        assert_eq!(
            scene
                .pay(
                    "alice.near",
                    "nft_revoke_all",
                    json!({ "token_id": "1:1" }),
                    deposit
                )
                .code(),
            "E_ONE_YOCTO"
        );
    }
    assert!(
        scene
            .sign(
                "alice.near",
                "nft_revoke",
                json!({ "token_id": "1:1", "account_id": "c.near" })
            )
            .succeeded()
    );
    assert_eq!(
        approvals(&scene, "1:1"),
        json!({ "a.near": 1, "b.near": 2 })
    );
    assert!(
        scene
            .sign(
                "alice.near",
                "nft_revoke",
                json!({ "token_id": "1:1", "account_id": "a.near" })
            )
            .succeeded()
    );
    assert_eq!(approvals(&scene, "1:1"), json!({ "b.near": 2 }));
    assert!(
        scene
            .sign("alice.near", "nft_revoke_all", json!({ "token_id": "1:1" }))
            .succeeded()
    );
    assert_eq!(approvals(&scene, "1:1"), json!({}));
    assert!(
        scene
            .sign("alice.near", "nft_revoke_all", json!({ "token_id": "1:1" }))
            .succeeded()
    );
    assert_eq!(owed(&scene), 0);
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn a_message_calls_the_approved_account() {
    let mut scene = scene(json!({}));
    let market = contract(&[("nft_on_approve", Behaviour::Return(b"\"listed\"".to_vec()))]);
    scene.chain.create_contract("market.near", NEAR, &market);
    let args =
        json!({ "token_id": "1:1", "account_id": "market.near", "msg": "{\"price\":\"5\"}" });
    let outcome = scene.pay("alice.near", "nft_approve", args, NEAR / 10);
    assert_eq!(
        outcome.json(),
        json!("listed"),
        "the answer is the market's"
    );
    let call = outcome
        .receipts
        .iter()
        .find(|receipt| receipt.methods == ["nft_on_approve"])
        .unwrap();
    assert_eq!(
        (call.predecessor.as_str(), call.receiver.as_str()),
        (CONTRACT, "market.near")
    );
    assert_eq!(approvals(&scene, "1:1"), json!({ "market.near": 1 }));
}

#[test]
fn nft_on_approve_gets_the_arguments_of_the_standard() {
    let mut scene = scene(json!({}));
    let args = json!({ "token_id": "1:1", "account_id": "market.near", "msg": "m" });
    scene
        .chain
        .submit(
            "alice.near",
            CONTRACT,
            vec![harness::Action::call(
                "nft_approve",
                args,
                100 * harness::TGAS,
                NEAR / 10,
            )],
        )
        .unwrap();
    scene.chain.produce_block();
    let told: Value = serde_json::from_slice(
        &scene
            .chain
            .pending_args("market.near", "nft_on_approve")
            .unwrap(),
    )
    .unwrap();
    assert_eq!(
        told,
        json!({ "token_id": "1:1", "owner_id": "alice.near", "approval_id": 1, "msg": "m" })
    );
    scene.chain.settle();
}

#[test]
fn a_market_that_fails_leaves_the_approval() {
    for behaviour in [Behaviour::Panic("no".into()), Behaviour::BurnAllGas] {
        let mut scene = scene(json!({}));
        scene.chain.create_contract(
            "market.near",
            NEAR,
            &contract(&[("nft_on_approve", behaviour)]),
        );
        let args = json!({ "token_id": "1:1", "account_id": "market.near", "msg": "" });
        assert!(
            !scene
                .pay("alice.near", "nft_approve", args, NEAR / 10)
                .succeeded()
        );
        assert_eq!(approvals(&scene, "1:1"), json!({ "market.near": 1 }));
        assert_eq!(scene.chain.unaccounted(), 0);
    }
}

#[test]
fn approvals_end_with_a_transfer_and_their_deposit_goes_to_who_made_them() {
    let mut scene = scene(json!({}));
    approve(&mut scene, "1:1", "a.near").json();
    approve(&mut scene, "1:1", "b.near").json();
    let held = owed(&scene);
    let (alice, contract) = (
        scene.chain.balance("alice.near"),
        scene.chain.balance(CONTRACT),
    );
    let outcome = scene.transfer("alice.near", "bob.near", "1:1");
    assert_eq!(owed(&scene), 0);
    assert_eq!(
        scene.chain.balance("alice.near") + 1 + u128::from(outcome.gas) * GAS_PRICE,
        alice + held
    );
    assert_eq!(scene.chain.balance(CONTRACT) + held, contract + 1);
    assert_eq!(approvals(&scene, "1:1"), json!({}));
    let stale = json!({ "receiver_id": "a.near", "token_id": "1:1", "approval_id": 1 });
    assert_eq!(
        scene.sign("a.near", "nft_transfer", stale).code(),
        "E_UNAUTHORIZED"
    );
}

#[test]
fn a_collection_forbids_approvals_or_limits_them() {
    let mut off = scene(json!({ "allow_approvals": false }));
    assert_eq!(
        approve(&mut off, "1:1", "a.near").code(),
        "E_APPROVALS_DISABLED"
    );
    let mut allowed = scene(json!({ "approvals_allowed_accounts": ["a.near"] }));
    assert_eq!(
        approve(&mut allowed, "1:1", "b.near").code(),
        "E_APPROVAL_DENIED"
    );
    assert!(approve(&mut allowed, "1:1", "a.near").succeeded());
    let mut denied = scene(json!({ "approvals_denied_accounts": ["a.near"] }));
    assert_eq!(
        approve(&mut denied, "1:1", "a.near").code(),
        "E_APPROVAL_DENIED"
    );
    assert!(approve(&mut denied, "1:1", "b.near").succeeded());
    let both = json!({ "approvals_allowed_accounts": ["a.near", "b.near"], "approvals_denied_accounts": ["a.near"] });
    let mut both = scene(both);
    assert_eq!(
        approve(&mut both, "1:1", "a.near").code(),
        "E_APPROVAL_DENIED",
        "denied beats allowed"
    );
    assert!(approve(&mut both, "1:1", "b.near").succeeded());
    let mut none = scene(json!({ "approvals_allowed_accounts": [] }));
    assert_eq!(
        approve(&mut none, "1:1", "a.near").code(),
        "E_APPROVAL_DENIED",
        "an empty list allows nobody"
    );
}

#[test]
fn approvals_already_given_outlive_the_rule_against_them() {
    let mut scene = scene(json!({}));
    approve(&mut scene, "1:1", "a.near").json();
    scene
        .sign(
            OWNER,
            "collection_update",
            json!({ "collection_id": 1, "allow_approvals": false }),
        )
        .json();
    assert_eq!(
        approve(&mut scene, "1:1", "b.near").code(),
        "E_APPROVALS_DISABLED"
    );
    assert!(scene.transfer("a.near", "a.near", "1:1").succeeded());
    assert_eq!(scene.owner_of("1:1"), "a.near");
}

#[test]
fn many_approvals_of_one_token_neither_break_it_nor_cost_others() {
    let mut scene = scene(json!({}));
    let mut refused = None;
    for number in 0..120 {
        let outcome = approve(&mut scene, "1:1", &format!("market-{number}.near"));
        if !outcome.succeeded() {
            assert_eq!(outcome.code(), "E_TOO_MANY");
            refused = Some(number);
            break;
        }
    }
    // Whether there is a limit or not, the token can still move, and within the gas that wallets attach.
    let outcome = scene.transfer("alice.near", "bob.near", "1:1");
    assert!(outcome.succeeded(), "{refused:?}: {outcome:?}");
    assert!(outcome.gas < 100 * harness::TGAS, "{}", outcome.tgas());
    assert_eq!(owed(&scene), 0);
    assert_eq!(scene.chain.unaccounted(), 0);
}

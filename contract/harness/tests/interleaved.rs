//! Transactions that overtake each other: tokens on their way while others transfer, approve, withdraw and change the
//! rules. Whatever the order, lists agree with owners and every deposit can be fetched back.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene};
use harness::stub::{Behaviour, Call, contract};
use harness::{Action, NEAR, TGAS};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PEOPLE: [&str; 3] = ["alice.near", "bob.near", "carol.near"];
const RECEIVERS: [&str; 4] = [
    "keeper.near",
    "returner.near",
    "panicker.near",
    "forwarder.near",
];
const TOKENS: usize = 8;

fn base() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(PEOPLE);
    let onward = Call::new(
        CONTRACT,
        "nft_transfer",
        json!({ "receiver_id": "bob.near", "token_id": "1:1" }),
        30 * TGAS,
        1,
    );
    let behaviours = [
        Behaviour::Return(b"false".to_vec()),
        Behaviour::Return(b"true".to_vec()),
        Behaviour::Panic("no".into()),
        Behaviour::Calls(vec![onward], b"true".to_vec()),
    ];
    for (receiver, behaviour) in RECEIVERS.iter().zip(behaviours) {
        scene.chain.create_contract(
            receiver,
            10 * NEAR,
            &contract(&[("nft_on_transfer", behaviour)]),
        );
    }
    let settings = json!({ "public_mint_config": { "mint_fee": "0" } });
    scene.collection(settings, AssetBatch::new(0, 3, 100));
    for token in 0..TOKENS {
        scene.mint(1, &[PEOPLE[token % 3]]).json();
    }
    scene
}

/// A call by chance, likely to succeed but not certain.
fn call(rng: &mut ChaCha8Rng) -> (&'static str, Action) {
    let person = *PEOPLE.choose(rng).unwrap();
    let other = *PEOPLE
        .iter()
        .chain(&RECEIVERS)
        .collect::<Vec<_>>()
        .choose(rng)
        .unwrap();
    let token = format!("1:{}", rng.random_range(1..=TOKENS));
    let to = json!({ "receiver_id": other, "token_id": token });
    let (signer, method, args, deposit) = match rng.random_range(0..20) {
        0..4 => (person, "nft_transfer", to, 1),
        4..11 => {
            let mut args = to;
            args["receiver_id"] = json!(RECEIVERS.choose(rng).unwrap());
            args["msg"] = json!("");
            (person, "nft_transfer_call", args, 1)
        }
        11..15 => (
            person,
            "nft_approve",
            json!({ "token_id": token, "account_id": other }),
            NEAR / 50,
        ),
        15 => (
            person,
            "nft_revoke",
            json!({ "token_id": token, "account_id": other }),
            1,
        ),
        16 => (person, "nft_mint", json!({ "collection_id": 1 }), 0),
        17 => (OWNER, "withdraw", json!({}), 1),
        18 => {
            let rules = json!({ "collection_id": 1, "allow_transfers": rng.random_bool(0.8), "allow_approvals": rng.random_bool(0.8) });
            (OWNER, "collection_update", rules, 1)
        }
        _ => (
            OWNER,
            "nft_batch_mint",
            json!({ "collection_id": 1, "receiver_ids": [other] }),
            0,
        ),
    };
    (signer, Action::call(method, args, 150 * TGAS, deposit))
}

fn check(scene: &mut Scene) {
    assert_eq!(scene.chain.unaccounted(), 0, "yocto went astray");
    let supply: usize = scene
        .view("nft_total_supply", json!({}))
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let mut listed = BTreeMap::new();
    for owner in PEOPLE.iter().chain(&RECEIVERS) {
        let tokens = scene.view("nft_tokens_for_owner", json!({ "account_id": owner }));
        for token in tokens.as_array().unwrap() {
            let id = token["token_id"].as_str().unwrap().to_owned();
            assert_eq!(scene.owner_of(&id), *owner);
            assert_eq!(
                listed.insert(id, token.clone()),
                None,
                "a token in two lists"
            );
        }
    }
    assert_eq!(listed.len(), supply, "every token is in one list");
    // Everybody takes back what was paid for approvals; nothing is left owing.
    for (id, token) in &listed {
        let owner = token["owner_id"].as_str().unwrap();
        if PEOPLE.contains(&owner) {
            scene
                .sign(owner, "nft_revoke_all", json!({ "token_id": id }))
                .result()
                .unwrap();
        } else {
            assert_eq!(
                token["approved_account_ids"],
                json!({}),
                "no receiver approved anybody"
            );
        }
    }
    let balance = scene.view("contract_balance", json!({}));
    assert_eq!(balance["owed"], "0", "{balance}");
    let amount = |field: &str| balance[field].as_str().unwrap().parse::<u128>().unwrap();
    assert!(amount("total") >= amount("staked"));
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn transactions_that_overtake_each_other_lose_nothing() {
    let base = base();
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut scene = base.clone();
        scene.chain.entropy = seed;
        for _ in 0..40 {
            let (signer, action) = call(&mut rng);
            scene.chain.submit(signer, CONTRACT, vec![action]).unwrap();
            for _ in 0..rng.random_range(0..3) {
                scene.chain.produce_block();
            }
            assert_eq!(scene.chain.unaccounted(), 0, "seed {seed}");
        }
        scene.chain.settle();
        scene.chain.advance(1);
        check(&mut scene);
    }
}

/// The owner empties the contract while a token with approvals is on its way: their deposits are not touched.
#[test]
fn a_withdrawal_meanwhile_takes_nothing_that_is_owed() {
    for receiver in RECEIVERS {
        let mut scene = base();
        for n in 0..20 {
            let args = json!({ "token_id": "1:1", "account_id": format!("market-{n}.near") });
            scene
                .pay("alice.near", "nft_approve", args, NEAR / 50)
                .result()
                .unwrap();
        }
        let owed = scene.view("contract_balance", json!({}))["owed"].clone();
        let args = json!({ "receiver_id": receiver, "token_id": "1:1", "msg": "" });
        let send = Action::call("nft_transfer_call", args, 150 * TGAS, 1);
        let number = scene
            .chain
            .submit("alice.near", CONTRACT, vec![send])
            .unwrap();
        scene.chain.produce_block();
        assert_eq!(
            scene.view("contract_balance", json!({}))["owed"],
            owed,
            "on its way the deposits stay on the books"
        );
        scene
            .chain
            .submit(
                OWNER,
                CONTRACT,
                vec![Action::call("withdraw", json!({}), 50 * TGAS, 1)],
            )
            .unwrap();
        scene.chain.settle();
        scene.chain.advance(1);
        let outcome = scene.chain.outcome(number);
        assert!(outcome.succeeded(), "{receiver}: {:?}", outcome.failure());
        let left = scene.view("contract_balance", json!({}))["owed"].clone();
        let returned = outcome.json() == json!(false);
        assert_eq!(left, if returned { owed } else { json!("0") }, "{receiver}");
        let approvals = scene.token("1:1")["approved_account_ids"].clone();
        assert_eq!(
            approvals.as_object().map(|all| all.len()),
            Some(if returned { 20 } else { 0 }),
            "{receiver}"
        );
        check(&mut scene);
    }
}

/// A view in between sees a token that is on its way as its receiver's, with no approvals.
#[test]
fn a_token_on_its_way_is_the_receivers() {
    let mut scene = base();
    scene
        .pay(
            "alice.near",
            "nft_approve",
            json!({ "token_id": "1:1", "account_id": "bob.near" }),
            NEAR / 50,
        )
        .result()
        .unwrap();
    let args = json!({ "receiver_id": "returner.near", "token_id": "1:1", "msg": "" });
    scene
        .chain
        .submit(
            "alice.near",
            CONTRACT,
            vec![Action::call("nft_transfer_call", args, 150 * TGAS, 1)],
        )
        .unwrap();
    scene.chain.produce_block();
    let token = scene.token("1:1");
    assert_eq!(
        (&token["owner_id"], &token["approved_account_ids"]),
        (&json!("returner.near"), &Value::Object(Default::default()))
    );
    let taken = Action::call(
        "nft_transfer",
        json!({ "receiver_id": "bob.near", "token_id": "1:1" }),
        50 * TGAS,
        1,
    );
    let thief = scene
        .chain
        .submit("bob.near", CONTRACT, vec![taken])
        .unwrap();
    scene.chain.settle();
    assert_eq!(
        scene.chain.outcome(thief).code(),
        "E_UNAUTHORIZED",
        "an approval does not reach a token on its way"
    );
    assert_eq!(scene.owner_of("1:1"), "alice.near");
}

//! NEP-171 `nft_transfer_call`: all that can come of the receiver, and the resolution of each.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene};
use harness::stub::{Behaviour, Call, contract};
use harness::{Action, NEAR, TGAS, TransactionOutcome};
use serde_json::{Value, json};

/// Alice owns `1:1`, approved for market.near; receiver.near holds a contract whose `nft_on_transfer` behaves as said.
fn scene(behaviour: Behaviour) -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near", "market.near"]);
    scene.chain.create_contract(
        "receiver.near",
        10 * NEAR,
        &contract(&[("nft_on_transfer", behaviour)]),
    );
    let collection = scene.collection(json!({}), AssetBatch::new(0, 1, 10));
    scene.mint(collection, &["alice.near"]).json();
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

fn send(scene: &mut Scene, receiver: &str) -> TransactionOutcome {
    scene.sign(
        "alice.near",
        "nft_transfer_call",
        json!({ "receiver_id": receiver, "token_id": "1:1", "msg": "hello" }),
    )
}

const THERE: &str = concat!(
    r#"EVENT_JSON:{"standard":"nep171","version":"1.2.0","event":"nft_transfer","data":["#,
    r#"{"old_owner_id":"alice.near","new_owner_id":"receiver.near","token_ids":["1:1"]}]}"#
);
const BACK: &str = concat!(
    r#"EVENT_JSON:{"standard":"nep171","version":"1.2.0","event":"nft_transfer","data":["#,
    r#"{"old_owner_id":"receiver.near","new_owner_id":"alice.near","token_ids":["1:1"]}]}"#
);

/// The token came back with its approvals, nobody lost money, and the result says so.
fn assert_returned(scene: &mut Scene, outcome: &TransactionOutcome) {
    assert_eq!(outcome.json(), json!(false));
    assert_eq!(outcome.logs(), [THERE, BACK]);
    let token = scene.token("1:1");
    assert_eq!(token["owner_id"], "alice.near");
    assert_eq!(token["approved_account_ids"], json!({ "market.near": 1 }));
    assert_balanced(scene);
    let args = json!({ "receiver_id": "bob.near", "token_id": "1:1", "approval_id": 1 });
    assert!(
        scene.sign("market.near", "nft_transfer", args).succeeded(),
        "the restored approval works"
    );
    assert_balanced(scene);
}

fn assert_balanced(scene: &Scene) {
    assert_eq!(scene.chain.unaccounted(), 0);
    let balance = scene.view("contract_balance", json!({}));
    let amount = |field: &str| balance[field].as_str().unwrap().parse::<u128>().unwrap();
    assert!(amount("total") >= amount("staked") + amount("owed"));
    assert_eq!(amount("total"), scene.chain.balance(CONTRACT));
}

#[test]
fn the_receiver_keeps_the_token() {
    let mut scene = scene(Behaviour::Return(b"false".to_vec()));
    let alice = scene.chain.balance("alice.near");
    let owed: u128 = scene.view("contract_balance", json!({}))["owed"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(owed > 0);
    let outcome = send(&mut scene, "receiver.near");
    assert_eq!(outcome.json(), json!(true));
    assert_eq!(outcome.logs(), [THERE]);
    let token = scene.token("1:1");
    assert_eq!(
        (&token["owner_id"], &token["approved_account_ids"]),
        (&json!("receiver.near"), &json!({}))
    );
    assert_balanced(&scene);
    let balance = scene.view("contract_balance", json!({}));
    assert_eq!(
        balance["owed"], "0",
        "the approval's deposit went back to the former owner"
    );
    let gas = u128::from(outcome.gas) * harness::GAS_PRICE;
    assert_eq!(
        scene.chain.balance("alice.near") + gas + 1,
        alice + owed,
        "and alice paid the yocto and gas, no more"
    );
    let seen = &outcome
        .receipts
        .iter()
        .find(|receipt| receipt.methods == ["nft_on_transfer"])
        .unwrap();
    assert_eq!(
        (seen.predecessor.as_str(), seen.receiver.as_str()),
        (CONTRACT, "receiver.near")
    );
}

#[test]
fn the_receiver_returns_the_token() {
    let mut scene = scene(Behaviour::Return(b"true".to_vec()));
    let outcome = send(&mut scene, "receiver.near");
    assert_returned(&mut scene, &outcome);
}

#[test]
fn the_receiver_panics() {
    let mut scene = scene(Behaviour::Panic("no, thank you".into()));
    let outcome = send(&mut scene, "receiver.near");
    assert_returned(&mut scene, &outcome);
}

#[test]
fn the_receiver_burns_all_gas() {
    let mut scene = scene(Behaviour::BurnAllGas);
    let outcome = send(&mut scene, "receiver.near");
    assert_returned(&mut scene, &outcome);
}

#[test]
fn the_receiver_burns_all_gas_of_the_least_that_is_accepted() {
    for gas in 1..=60 {
        let mut scene = scene(Behaviour::BurnAllGas);
        let args = json!({ "receiver_id": "receiver.near", "token_id": "1:1", "msg": "" });
        let outcome = scene.chain.transact(
            "alice.near",
            CONTRACT,
            vec![Action::call("nft_transfer_call", args, gas * TGAS, 1)],
        );
        // Whatever was attached: either nothing happened, or the token is back.
        assert_eq!(scene.owner_of("1:1"), "alice.near", "{gas} Tgas");
        match outcome.result() {
            Ok(value) => assert_eq!(value, b"false"),
            Err(failure) => assert!(
                failure.code() == Some("E_GAS_TOO_LOW") || failure.out_of_gas(),
                "{gas} Tgas: {failure:?}"
            ),
        }
        assert_balanced(&scene);
    }
}

#[test]
fn the_receiver_answers_nonsense_and_the_token_comes_back() {
    for answer in [
        "",
        "null",
        "1",
        "\"true\"",
        "tru",
        "[true]",
        "{}",
        "falsefalse",
        "\u{7f}",
    ] {
        let mut scene = scene(Behaviour::Return(answer.as_bytes().to_vec()));
        let outcome = send(&mut scene, "receiver.near");
        assert_eq!(outcome.json(), json!(false), "{answer}");
        assert_eq!(scene.owner_of("1:1"), "alice.near", "{answer}");
        assert_balanced(&scene);
    }
    let mut large = scene(Behaviour::Return(vec![b' '; 100_000]));
    let outcome = send(&mut large, "receiver.near");
    assert_returned(&mut large, &outcome);
}

#[test]
fn the_receiver_returns_nothing() {
    let mut scene = scene(Behaviour::Nothing);
    let outcome = send(&mut scene, "receiver.near");
    assert_returned(&mut scene, &outcome);
}

#[test]
fn the_receiver_has_no_contract_or_does_not_exist() {
    for receiver in [
        "bob.near",
        "nobody.near",
        "98793cd91a3f870fb126f66285808c7e094afcfc4eda8a970f6648cdf0dbd6de",
    ] {
        let mut scene = scene(Behaviour::Nothing);
        let outcome = send(&mut scene, receiver);
        assert_eq!(outcome.json(), json!(false), "{receiver}");
        assert_eq!(scene.owner_of("1:1"), "alice.near");
        assert_eq!(
            scene.token("1:1")["approved_account_ids"],
            json!({ "market.near": 1 })
        );
        assert_balanced(&scene);
    }
}

/// The receiver sends the token on, then asks for it to be taken back.
#[test]
fn the_token_moved_meanwhile_and_stays_where_it_is() {
    let onward = Call::new(
        CONTRACT,
        "nft_transfer",
        json!({ "receiver_id": "bob.near", "token_id": "1:1" }),
        30 * TGAS,
        1,
    );
    // The answer waits for the onward transfer: its result (nothing) is no `false`, so the sender asks for it back.
    let mut scene = scene(Behaviour::Forward(onward));
    let outcome = send(&mut scene, "receiver.near");
    assert_eq!(
        outcome.json(),
        json!(true),
        "it was transferred and could not be taken back"
    );
    assert_eq!(scene.owner_of("1:1"), "bob.near");
    assert_eq!(scene.token("1:1")["approved_account_ids"], json!({}));
    assert_balanced(&scene);
}

/// The receiver approves somebody and then gives the token back: that approval must not survive.
#[test]
fn approvals_made_meanwhile_end_with_the_return() {
    let approve = Call::new(
        CONTRACT,
        "nft_approve",
        json!({ "token_id": "1:1", "account_id": "thief.near" }),
        30 * TGAS,
        NEAR / 10,
    );
    let mut scene = scene(Behaviour::Calls(vec![approve], b"true".to_vec()));
    let outcome = send(&mut scene, "receiver.near");
    assert_eq!(outcome.json(), json!(false));
    let token = scene.token("1:1");
    assert_eq!(token["owner_id"], "alice.near");
    assert_eq!(token["approved_account_ids"], json!({ "market.near": 1 }));
    assert_balanced(&scene);
}

/// The contract calls of the sender's own: an approved market may use `nft_transfer_call` as well.
#[test]
fn an_approved_account_calls_and_the_owner_gets_the_token_back() {
    let mut scene = scene(Behaviour::Return(b"true".to_vec()));
    let args = json!({ "receiver_id": "receiver.near", "token_id": "1:1", "approval_id": 1, "memo": "m", "msg": "" });
    let outcome = scene.sign("market.near", "nft_transfer_call", args);
    assert_eq!(outcome.json(), json!(false));
    assert_eq!(scene.owner_of("1:1"), "alice.near");
    assert_eq!(
        outcome.events()[0]["data"][0]["authorized_id"],
        "market.near"
    );
    assert_balanced(&scene);
}

#[test]
fn only_the_contract_itself_resolves() {
    let mut scene = scene(Behaviour::Nothing);
    let args = json!({ "previous_owner_id": "bob.near", "receiver_id": "alice.near", "token_id": "1:1", "approved_account_ids": {} });
    for caller in ["alice.near", OWNER, "receiver.near"] {
        assert_eq!(
            scene
                .call(caller, "nft_resolve_transfer", args.clone())
                .code(),
            "E_UNAUTHORIZED",
            "{caller}"
        );
    }
    assert_eq!(scene.owner_of("1:1"), "alice.near");
}

/// While the token is on its way the collection forbids transfers; the return obeys no such rule.
#[test]
fn a_return_ignores_rules_that_came_meanwhile() {
    let mut scene = scene(Behaviour::Return(b"true".to_vec()));
    let args = json!({ "receiver_id": "receiver.near", "token_id": "1:1", "msg": "" });
    let send = Action::call("nft_transfer_call", args, 200 * TGAS, 1);
    let number = scene
        .chain
        .submit("alice.near", CONTRACT, vec![send])
        .unwrap();
    scene.chain.produce_block();
    assert_eq!(scene.owner_of("1:1"), "receiver.near");
    let forbid = json!({ "collection_id": 1, "allow_transfers": false, "transfers_denied_accounts": ["alice.near"], "allow_approvals": false });
    scene
        .chain
        .submit(
            OWNER,
            CONTRACT,
            vec![Action::call("collection_update", forbid, 100 * TGAS, 1)],
        )
        .unwrap();
    scene.chain.settle();
    assert_eq!(scene.chain.outcome(number).json(), json!(false));
    let token = scene.token("1:1");
    assert_eq!(
        (&token["owner_id"], &token["approved_account_ids"]),
        (&json!("alice.near"), &json!({ "market.near": 1 }))
    );
}

/// What the receiver is told.
#[test]
fn nft_on_transfer_gets_the_arguments_of_the_standard() {
    let mut scene = scene(Behaviour::Nothing);
    let args = json!({ "receiver_id": "receiver.near", "token_id": "1:1", "msg": "say \"hi\"\n\u{1f600}" });
    let call = Action::call("nft_transfer_call", args, 200 * TGAS, 1);
    scene
        .chain
        .submit("alice.near", CONTRACT, vec![call])
        .unwrap();
    scene.chain.produce_block();
    let told = scene
        .chain
        .pending_args("receiver.near", "nft_on_transfer")
        .expect("the receiver is called");
    let told: Value = serde_json::from_slice(&told).unwrap();
    let expected = json!({
        "sender_id": "alice.near", "previous_owner_id": "alice.near", "token_id": "1:1", "msg": "say \"hi\"\n\u{1f600}"
    });
    assert_eq!(told, expected);
    scene.chain.settle();
}

/// The dearest return there is: both wallets are full, ids are as long as can be, the token had all the approvals it
/// may have, and its receiver made as many while it held it.
#[test]
fn the_dearest_resolution_ends_well() {
    let long = |n: usize| format!("{n:0>4}{}.near", "x".repeat(55));
    let (alice, receiver) = (long(9_001), long(9_002));
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    scene.chain.create_account(&alice, 1_000 * NEAR);
    let token = "1:1000";
    let approve = |n| {
        Call::new(
            CONTRACT,
            "nft_approve",
            json!({ "token_id": token, "account_id": long(n) }),
            5 * TGAS,
            NEAR / 100,
        )
    };
    let behaviour = Behaviour::Calls((0..100).map(approve).collect(), b"true".to_vec());
    scene.chain.create_contract(
        &receiver,
        1_000 * NEAR,
        &contract(&[("nft_on_transfer", behaviour)]),
    );
    scene.collection(
        json!({ "title": "\u{1f600}".repeat(256) }),
        AssetBatch::new(0, 10_000, 1),
    );
    for owner in [&alice, &receiver] {
        for _ in 0..20 {
            scene.mint_many(1, owner, 100).json();
        }
    }
    let mut approvals = serde_json::Map::new();
    for n in 0..100 {
        let outcome = scene.pay(
            &alice,
            "nft_approve",
            json!({ "token_id": token, "account_id": long(n) }),
            NEAR / 100,
        );
        assert!(outcome.succeeded(), "approval {n}: {:?}", outcome.failure());
        approvals.insert(
            long(n),
            scene.token(token)["approved_account_ids"][long(n)].clone(),
        );
    }
    let args = json!({ "receiver_id": receiver, "token_id": token, "msg": "m" });
    let call = Action::call("nft_transfer_call", args, 900 * TGAS, 1);
    let outcome = scene.chain.transact(&alice, CONTRACT, vec![call]);
    assert_eq!(outcome.json(), json!(false));
    let token = scene.token(token);
    assert_eq!(
        (&token["owner_id"], &token["approved_account_ids"]),
        (&json!(alice), &Value::Object(approvals))
    );
    let resolution = outcome
        .receipts
        .iter()
        .find(|receipt| receipt.methods == ["nft_resolve_transfer"])
        .unwrap();
    println!("the resolution burns {} Tgas", resolution.gas as f64 / 1e12);
    assert_balanced(&scene);
}

/// A deposit that returns to an account without a name costs 8.35 Tgas, which the resolution has whatever was attached:
/// the token stays, and nothing is owed to anybody afterwards.
#[test]
fn deposits_return_to_owners_without_a_name() {
    let implicit = "ab".repeat(32);
    let ethereum = format!("0x{}", "1f".repeat(20));
    for owner in [implicit, ethereum] {
        for (approvals, gas) in [
            (1, 30),
            (1, 100),
            (3, 30),
            (3, 100),
            (3, 300),
            (10, 30),
            (100, 100),
        ] {
            for answer in ["false", "true"] {
                let behaviour = Behaviour::Return(answer.as_bytes().to_vec());
                let mut scene = scene(behaviour);
                scene.chain.create_account(&owner, 100 * NEAR);
                scene.mint(1, &[&owner]).json();
                for number in 0..approvals {
                    let args =
                        json!({ "token_id": "1:2", "account_id": format!("m{number}.near") });
                    scene.pay(&owner, "nft_approve", args, NEAR / 100).json();
                }
                let owed =
                    |scene: &Scene| scene.view("contract_balance", json!({}))["owed"].clone();
                let before = owed(&scene);
                let args = json!({ "receiver_id": "receiver.near", "token_id": "1:2", "msg": "" });
                let call = Action::call("nft_transfer_call", args, gas * TGAS, 1);
                let outcome = scene.chain.transact(&owner, CONTRACT, vec![call]);
                let case = format!("{owner}, {approvals} approvals, {gas} Tgas, {answer}");
                let kept = answer == "false";
                assert_eq!(outcome.json(), json!(kept), "{case}");
                let holder = if kept { "receiver.near" } else { &owner };
                assert_eq!(scene.owner_of("1:2"), holder, "{case}");
                assert_eq!(owed(&scene) == before, !kept, "{case}");
                assert_balanced(&scene);
            }
        }
    }
}

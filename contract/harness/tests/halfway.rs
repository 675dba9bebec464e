//! What happens between the calls of an upgrade: a token that is on its way while the code changes, a draft that is
//! published with half of its pages taken over, and others who call what is not theirs to call.

use harness::claims::Issuer;
use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, create_args, wasm, workspace};
use harness::stub::{Behaviour, contract};
use harness::{Action, NEAR, TGAS};
use serde_json::{Value, json};

fn previous() -> Scene {
    let code = std::fs::read(workspace("harness/fixtures/previous.wasm")).unwrap();
    let mut scene = Scene::new(&code, 300 * NEAR);
    scene.accounts(["alice.near", "bob.near", "market.near"]);
    scene
}

fn upgrade(scene: &mut Scene) -> Action {
    let hash = scene.chain.publish(&wasm());
    let args = json!({ "code_hash": hash.to_string() });
    Action::call("upgrade", args, 300 * TGAS, 1)
}

fn migrate(scene: &mut Scene, collection: u32) -> Value {
    let args = json!({ "collection_id": collection });
    scene.call(OWNER, "collection_migrate", args).json()
}

/// A token is sent with a call by the code before; the code after it settles what becomes of it. Approvals come back
/// with their ids, and their deposit is what was paid for them, once.
#[test]
fn a_token_on_its_way_arrives_or_returns_across_an_upgrade() {
    for (answer, stays) in [("false", true), ("true", false)] {
        let mut scene = previous();
        let behaviour = Behaviour::Return(answer.into());
        let code = contract(&[("nft_on_transfer", behaviour)]);
        scene.chain.create_contract("game.near", 10 * NEAR, &code);
        scene.collection(json!({}), AssetBatch::new(0, 1, 3));
        scene.mint_many(1, "alice.near", 2).json();
        for token in ["1:1", "1:2"] {
            let approve = json!({ "token_id": token, "account_id": "market.near" });
            scene.pay("alice.near", "nft_approve", approve, NEAR / 10);
        }
        let owed = |scene: &Scene| -> u128 {
            let balance = scene.view("contract_balance", json!({}));
            balance["owed"].as_str().unwrap().parse().unwrap()
        };
        let before = owed(&scene);
        let send = json!({ "receiver_id": "game.near", "token_id": "1:1", "msg": "" });
        let send = Action::call("nft_transfer_call", send, 100 * TGAS, 1);
        let sent = scene.chain.submit("alice.near", CONTRACT, vec![send]);
        let action = upgrade(&mut scene);
        let upgraded = scene.chain.submit(OWNER, CONTRACT, vec![action]);
        scene.chain.settle();
        scene.chain.advance(1);
        assert!(scene.chain.outcome(upgraded.unwrap()).succeeded());
        assert_eq!(scene.chain.outcome(sent.unwrap()).json(), stays);
        assert_eq!(scene.view("contract_version", json!({}))["layout"], 3);
        let owner = if stays { "game.near" } else { "alice.near" };
        assert_eq!(scene.owner_of("1:1"), owner);
        let kept = if stays {
            json!({})
        } else {
            json!({ "market.near": 1 })
        };
        assert_eq!(scene.token("1:1")["approved_account_ids"], kept);
        assert_eq!(owed(&scene), if stays { before / 2 } else { before });
        for token in ["1:1", "1:2"] {
            let args = json!({ "token_id": token });
            scene.sign("alice.near", "nft_revoke_all", args);
        }
        assert_eq!(owed(&scene), 0);
        assert_eq!(scene.chain.unaccounted(), 0);
    }
}

/// What holders see of a collection's tokens and assets.
fn seen(scene: &Scene) -> Vec<Value> {
    let mut all = vec![scene.view("nft_total_supply", json!({}))];
    for from in (0..9_000).step_by(500) {
        let args = json!({ "collection_id": 1, "from_index": from, "limit": 500 });
        all.push(scene.view("collection_assets", args));
    }
    for owner in ["alice.near", "bob.near"] {
        let args = json!({ "account_id": owner, "limit": 500 });
        all.push(scene.view("nft_tokens_for_owner", args));
    }
    all
}

/// A draft of layout 2 is published when only its last pages have been taken over. Each copy is there, tokens are
/// minted, claimed, moved, approved and burnt before, between and after the calls that take over the rest, and nobody
/// but the staff makes those.
#[test]
fn a_draft_is_published_with_half_of_its_pages_taken_over() {
    let mut scene = previous();
    let batch = AssetBatch {
        copies: vec![(700, 1), (4_000, 3), (4_300, 2)],
        subtitles: (0..90).map(|n| format!("Kind {n}")).collect(),
        subtitle_runs: (0..90).map(|n| (100, n + 1)).collect(),
        ..AssetBatch::new(0, 9_000, 1)
    };
    let draft = create_args(&json!({ "title": "Draft" }), false, batch);
    scene.call_raw(OWNER, "collection_create", draft).json();
    let action = upgrade(&mut scene);
    let done = scene.chain.transact(OWNER, CONTRACT, vec![action]);
    assert!(done.succeeded(), "{:?}", done.failure());
    let args = json!({ "collection_id": 1 });
    let stranger = scene.call("alice.near", "collection_migrate", args.clone());
    assert_eq!(stranger.code(), "E_UNAUTHORIZED");
    let stranger = scene.call("alice.near", "migrate", json!({}));
    assert_eq!(stranger.code(), "E_UNAUTHORIZED");
    assert_eq!(migrate(&mut scene, 1), 8_192);
    scene.call(OWNER, "collection_publish", args).json();
    let shown = scene.view("collection", json!({ "collection_id": 1 }));
    assert_eq!(
        (&shown["assets"], &shown["total"]),
        (&json!(9_000), &json!(21_300))
    );
    let issuer = Issuer::new("issuer");
    let drop = scene.drop(1, &issuer, 10, 5);
    let mut left = json!(8_192);
    let mut number = 0;
    for round in 0.. {
        scene.mint_many(1, "alice.near", 40).json();
        let claim = issuer.link(CONTRACT, drop, round).claim("bob.near");
        scene.call("market.near", "nft_claim", claim).json();
        let id = |at: u32| format!("1:{}", number + at);
        assert!(scene.transfer("alice.near", "bob.near", &id(1)).succeeded());
        let approve = json!({ "token_id": id(2), "account_id": "market.near" });
        assert!(
            scene
                .pay("alice.near", "nft_approve", approve, NEAR / 100)
                .succeeded()
        );
        assert!(
            scene
                .transfer("market.near", "bob.near", &id(2))
                .succeeded()
        );
        let burnt = scene.sign("alice.near", "nft_burn", json!({ "token_id": id(3) }));
        assert!(burnt.succeeded(), "{:?}", burnt.failure());
        let update = json!({ "token_id": id(4), "title": "Own" });
        assert!(scene.sign(OWNER, "nft_update", update).succeeded());
        let lock = json!({ "collection_id": 1, "assets": [round, 8_000 + round] });
        assert!(scene.sign(OWNER, "collection_lock", lock).succeeded());
        number += 45;
        scene.chain.advance(1);
        if left == 0 {
            break;
        }
        let before = seen(&scene);
        left = migrate(&mut scene, 1);
        assert_eq!(seen(&scene), before, "{left} assets are left");
    }
    let before = seen(&scene);
    let migrated = scene.call(OWNER, "migrate", json!({}));
    assert_eq!(migrated.code(), "E_UNAUTHORIZED", "not even the owner");
    assert_eq!(migrate(&mut scene, 1), 0);
    let again = scene.call(CONTRACT, "migrate", json!({}));
    assert!(again.succeeded(), "there is nothing left to take over");
    assert_eq!(seen(&scene), before);
    let copies: u64 = (0..9_000)
        .step_by(500)
        .flat_map(|from| {
            let args = json!({ "collection_id": 1, "from_index": from, "limit": 500 });
            scene
                .view("collection_assets", args)
                .as_array()
                .unwrap()
                .clone()
        })
        .map(|asset| asset["remaining"].as_u64().unwrap())
        .sum();
    assert_eq!(copies, 21_300 - u64::from(number));
    assert_eq!(scene.chain.unaccounted(), 0);
}

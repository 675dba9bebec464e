//! A token that is on its way while the code changes.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, wasm, workspace};
use harness::stub::{Behaviour, contract};
use harness::{Action, NEAR, TGAS};
use serde_json::json;

fn previous() -> Scene {
    let code = std::fs::read(workspace("harness/fixtures/previous.wasm")).unwrap();
    let mut scene = Scene::new(&code, 300 * NEAR);
    scene.accounts(["alice.near", "bob.near", "market.near"]);
    scene
}

fn upgrade(scene: &mut Scene) -> Action {
    let hash = scene.chain.publish(&wasm());
    let args = json!({ "code_hash": hash.to_string() });
    scene.sign(OWNER, "upgrade_announce", args.clone()).json();
    Action::call("upgrade", args, 300 * TGAS, 1)
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
        let action = upgrade(&mut scene);
        let send = json!({ "receiver_id": "game.near", "token_id": "1:1", "msg": "" });
        let send = Action::call("nft_transfer_call", send, 100 * TGAS, 1);
        let sent = scene.chain.submit("alice.near", CONTRACT, vec![send]);
        let upgraded = scene.chain.submit(OWNER, CONTRACT, vec![action]);
        scene.chain.settle();
        scene.chain.advance(1);
        assert!(scene.chain.outcome(upgraded.unwrap()).succeeded());
        assert_eq!(scene.chain.outcome(sent.unwrap()).json(), stays);
        assert_eq!(scene.view("contract_version", json!({}))["layout"], 6);
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

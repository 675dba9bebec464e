//! A contract in between: it mints and looks, in the same block or in the ones after. What it learns comes too late to
//! undo the mint, however long its receipts are on their way.

use harness::mintage::{AssetBatch, CONTRACT, Scene};
use harness::stub::{Behaviour, Call, contract};
use harness::{NEAR, TGAS};
use serde_json::json;

const PROXY: &str = "proxy.near";

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    let settings = json!({ "public_mint_config": { "mint_fee": "0" } });
    scene.collection(settings, AssetBatch::new(0, 2, 100));
    let mint = || {
        Call::new(
            CONTRACT,
            "nft_mint",
            json!({ "collection_id": 1 }),
            60 * TGAS,
            0,
        )
    };
    let look = || {
        let args = json!({ "token_id": "1:1" });
        Call::new(CONTRACT, "nft_token", args, 20 * TGAS, 0)
    };
    let own = |method: &str| Call::new(PROXY, method, json!({}), 10 * TGAS, 0);
    let methods = [
        // Both at once: the view runs in the mint's own block.
        ("at_once", Behaviour::Join(mint(), look(), own("results"))),
        // The callback fails on whatever it saw.
        ("and_fail", Behaviour::Join(mint(), look(), own("fail"))),
        // The view comes once the mint is done.
        ("after", Behaviour::Join(mint(), own("nothing"), look())),
        ("nothing", Behaviour::Nothing),
        ("results", Behaviour::Results),
        ("fail", Behaviour::Panic("not the one I wanted".into())),
    ];
    scene
        .chain
        .create_contract(PROXY, 100 * NEAR, &contract(&methods));
    scene
}

#[test]
fn a_contract_in_between_sees_nothing_in_time() {
    for entropy in 0..10 {
        for method in ["at_once", "and_fail", "after"] {
            let mut scene = scene();
            scene.chain.entropy = entropy;
            let outcome = scene.chain.call("alice.near", PROXY, method, json!({}), 0);
            let minted = scene.token("1:1");
            assert_eq!(minted["owner_id"], PROXY, "{method}: the mint stands");
            if method != "and_fail" {
                let seen = String::from_utf8(outcome.result().unwrap().to_vec()).unwrap();
                let hidden = seen.contains("\"media\":null");
                assert_eq!(hidden, method == "at_once", "{seen}");
            }
            let [mint, view] = ["nft_mint", "nft_token"].map(|name| {
                let receipt = outcome
                    .receipts
                    .iter()
                    .find(|receipt| receipt.methods == [name]);
                receipt.unwrap_or_else(|| panic!("{name} ran")).block
            });
            assert_eq!(view == mint, method != "after");
            assert_eq!(outcome.succeeded(), method != "and_fail");
        }
    }
}

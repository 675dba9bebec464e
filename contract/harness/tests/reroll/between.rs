//! A contract in between: it mints and looks, in the same block or in the ones after, from the mint's own shard or from
//! another, with chunks that are missing. What it learns comes too late to undo the mint, however long its receipts are on
//! their way.

use harness::mintage::{AssetBatch, CONTRACT, Scene};
use harness::stub::{Behaviour, Call, contract};
use harness::{NEAR, TGAS};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Of three shards, one is in each.
const PROXIES: [&str; 3] = ["proxy-a.near", "proxy-b.near", "proxy-c.near"];
const METHODS: [&str; 4] = ["at_once", "looks_first", "and_fail", "after"];

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    let settings = json!({ "public_mint_config": { "mint_fee": "0" } });
    scene.collection(settings, AssetBatch::new(0, 2, 100));
    let in_1 = json!({ "collection_id": 1 });
    let mint = || Call::new(CONTRACT, "nft_mint", in_1.clone(), 60 * TGAS, 0);
    let look = || {
        let args = json!({ "token_id": "1:1" });
        Call::new(CONTRACT, "nft_token", args, 20 * TGAS, 0)
    };
    for proxy in PROXIES {
        let own = |method: &str| Call::new(proxy, method, json!({}), 10 * TGAS, 0);
        let methods = [
            // Both at once: the view runs in the mint's own block.
            ("at_once", Behaviour::Join(mint(), look(), own("results"))),
            (
                "looks_first",
                Behaviour::Join(look(), mint(), own("results")),
            ),
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
            .create_contract(proxy, 100 * NEAR, &contract(&methods));
    }
    scene
}

/// What became of one try: where the mint and the view ran, and what was seen.
fn attempt(
    base: &Scene,
    (entropy, shards, gaps): (u64, u32, u64),
    proxy: &str,
    method: &str,
) -> String {
    let mut scene = base.clone();
    scene.chain.entropy = entropy;
    (scene.chain.shards, scene.chain.gaps) = (shards, gaps);
    let start = scene.chain.height();
    let outcome = scene.chain.call("alice.near", proxy, method, json!({}), 0);
    let [mint, view] = ["nft_mint", "nft_token"].map(|name| {
        let mut receipts = outcome.receipts.iter();
        let receipt = receipts.find(|receipt| receipt.methods == [name]);
        receipt.unwrap_or_else(|| panic!("{name} ran")).block - start
    });
    scene.chain.gaps = 0;
    scene.chain.advance(1);
    assert_eq!(
        scene.token("1:1")["owner_id"],
        proxy,
        "{method}: the mint stands"
    );
    assert_eq!(outcome.succeeded(), method != "and_fail");
    let mut seen = "a view of a later block".to_owned();
    if method != "and_fail" && mint == view {
        seen = String::from_utf8(outcome.result().unwrap().to_vec()).unwrap();
        assert!(
            !seen.contains("ipfs") && !seen.contains("\"media\":\""),
            "{seen}"
        );
    }
    assert_eq!(view > mint, method == "after");
    format!("mint in {mint}, view in {view}: {seen}")
}

#[test]
fn a_contract_in_between_sees_nothing_in_time() {
    let base = scene();
    for shards in 1..=3 {
        for gaps in [0, 2, 3, 5] {
            for proxy in PROXIES {
                for method in METHODS {
                    let tries =
                        (0..8).map(|seed| attempt(&base, (seed, shards, gaps), proxy, method));
                    let kinds: BTreeSet<String> = tries.collect();
                    assert_eq!(
                        kinds.len(),
                        1,
                        "{proxy} {method}, {shards} shards, gaps of {gaps}: {kinds:#?}"
                    );
                }
            }
        }
    }
}

/// The search is not blind: both assets come up among the seeds that it tries, and a later block shows which.
#[test]
fn the_seeds_that_are_tried_draw_both_assets() {
    let mut drawn = BTreeMap::new();
    for seed in 0..8 {
        let mut scene = scene();
        scene.chain.entropy = seed;
        scene
            .chain
            .call("alice.near", PROXIES[0], "at_once", json!({}), 0);
        let media = scene.token("1:1")["metadata"]["media"].to_string();
        *drawn.entry(media).or_insert(0) += 1;
    }
    assert_eq!(drawn.len(), 2, "{drawn:?}");
    let shards: BTreeSet<u32> = {
        let mut chain = scene().chain;
        chain.shards = 3;
        let accounts = PROXIES.map(|proxy| proxy.parse().unwrap());
        accounts
            .iter()
            .map(|account| chain.shard_of(account))
            .collect()
    };
    assert_eq!(shards.len(), 3);
}

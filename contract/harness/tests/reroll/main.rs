//! Nobody gets a second draw: not by a batch that fails on what it sees, nor by any gas limit.

mod between;
mod pairs;
mod proof;

use harness::mintage::{AssetBatch, CONTRACT, Scene, digest};
use harness::{Action, NEAR, TGAS, TransactionOutcome};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Two assets as unlike as they come: one bare, one with a long subtitle and a reference.
fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near"]);
    let assets = AssetBatch {
        copies: vec![(1, 100), (1, 100)],
        subtitles: vec![
            "The very rare one, number $TOKEN_NUM of $TOTAL_NUM, with a long name".repeat(3),
        ],
        subtitle_runs: vec![(1, 0), (1, 1)],
        references: [[0; 32], digest(77)].concat(),
        ..AssetBatch::new(0, 2, 1)
    };
    scene.collection(json!({ "public_mint_config": { "mint_fee": "0" }, "ongoing_royalties": { "artist.near": 100 } }), assets);
    scene.mint_many(1, "bob.near", 3).json();
    scene
}

fn mint(gas: u64) -> Action {
    Action::call("nft_mint", json!({ "collection_id": 1 }), gas, 0)
}

/// Which of the two assets the token `1:4`, minted by the batch, turned out to be.
fn drawn(scene: &Scene) -> bool {
    let shown = scene.token("1:4")["metadata"]["reference"].clone();
    shown != Value::Null
}

/// Runs a batch on twenty chains of other entropy: what each drew, with its outcome.
fn on_other_seeds(base: &Scene, actions: &[Action]) -> Vec<(Option<bool>, TransactionOutcome)> {
    let run = |entropy| {
        let mut scene = base.clone();
        scene.chain.entropy = entropy;
        let outcome = scene
            .chain
            .transact("alice.near", CONTRACT, actions.to_vec());
        let asset = outcome.succeeded().then(|| drawn(&scene));
        (asset, outcome)
    };
    (0..20).map(run).collect()
}

/// All that may be asked or done in the same receipt about the token just minted.
fn second_actions() -> Vec<(&'static str, Value, u128)> {
    let token = json!({ "token_id": "1:4" });
    let with = |extra: Value| {
        let mut all = token.clone();
        all.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        all
    };
    vec![
        ("nft_token", token.clone(), 0),
        ("nft_tokens", json!({}), 0),
        (
            "nft_tokens_for_owner",
            json!({ "account_id": "alice.near" }),
            0,
        ),
        ("nft_tokens_by_ids", json!({ "token_ids": ["1:4"] }), 0),
        ("collection_tokens", json!({ "collection_id": 1 }), 0),
        ("collection_assets", json!({ "collection_id": 1 }), 0),
        ("collection", json!({ "collection_id": 1 }), 0),
        ("collections", json!({}), 0),
        (
            "nft_supply_for_owner",
            json!({ "account_id": "alice.near" }),
            0,
        ),
        ("nft_total_supply", json!({}), 0),
        (
            "mint_eligibility",
            json!({ "collection_id": 1, "account_id": "alice.near" }),
            0,
        ),
        ("nft_payout", with(json!({ "balance": "10000" })), 0),
        (
            "nft_is_approved",
            with(json!({ "approved_account_id": "bob.near" })),
            0,
        ),
        ("contract_balance", json!({}), 0),
        (
            "nft_transfer",
            with(json!({ "receiver_id": "bob.near" })),
            1,
        ),
        (
            "nft_transfer_payout",
            with(json!({ "receiver_id": "bob.near", "balance": "10000" })),
            1,
        ),
        (
            "nft_approve",
            with(json!({ "account_id": "bob.near" })),
            NEAR / 10,
        ),
    ]
}

#[test]
fn the_draw_costs_the_same_whatever_comes_out() {
    let base = scene();
    let outcomes = on_other_seeds(&base, &[mint(100 * TGAS)]);
    let assets: BTreeSet<_> = outcomes.iter().map(|(asset, _)| *asset).collect();
    assert_eq!(
        assets,
        [Some(false), Some(true)].into(),
        "both assets come up in twenty draws"
    );
    let gas: BTreeSet<_> = outcomes.iter().map(|(_, outcome)| outcome.gas).collect();
    assert_eq!(gas.len(), 1, "{gas:?}");
    assert!(
        outcomes
            .iter()
            .all(|(_, outcome)| outcome.json() == json!("1:4")),
        "the id alone is returned"
    );
}

#[test]
fn no_second_action_can_tell_the_assets_apart() {
    let base = scene();
    for (method, args, deposit) in second_actions() {
        let second = Action::call(method, args, 100 * TGAS, deposit);
        let outcomes = on_other_seeds(&base, &[mint(100 * TGAS), second]);
        let mut seen = BTreeMap::<(u64, Vec<u8>), BTreeSet<bool>>::new();
        for (asset, outcome) in outcomes {
            assert!(outcome.succeeded(), "{method}: {:?}", outcome.failure());
            let answer = outcome.result().unwrap().to_vec();
            seen.entry((outcome.gas, answer))
                .or_default()
                .insert(asset.unwrap());
        }
        let kinds: Vec<_> = seen
            .keys()
            .map(|(gas, answer)| (gas, String::from_utf8_lossy(answer)))
            .collect();
        assert_eq!(
            seen.len(),
            1,
            "{method} answers or burns other than the rest: {kinds:#?}"
        );
    }
}

/// Many assets, of which some come late in the list and some in thousands of copies: neither where an asset stands nor
/// how many of it are left may show in what a call burns or stores.
#[test]
fn no_second_action_can_tell_early_assets_from_late_ones() {
    for (count, copies) in [(300, 1), (20_000, 1), (70, 1_000)] {
        let mut base = Scene::new(&harness::mintage::wasm(), 100 * NEAR);
        base.accounts(["alice.near", "bob.near"]);
        let settings = json!({ "public_mint_config": { "mint_fee": "0" } });
        base.collection(settings, AssetBatch::new(0, count, copies));
        base.mint_many(1, "bob.near", 3).json();
        let plain = on_other_seeds(&base, &[mint(100 * TGAS)]);
        let grown: BTreeSet<_> = plain
            .iter()
            .map(|(_, outcome)| outcome.bytes_of(CONTRACT))
            .collect();
        assert_eq!(
            grown.len(),
            1,
            "of {count} assets the draw shows in the bytes stored: {grown:?}"
        );
        let burnt: BTreeSet<_> = plain.iter().map(|(_, outcome)| outcome.gas).collect();
        assert_eq!(
            burnt.len(),
            1,
            "of {count} assets the draw shows in the gas of the mint: {burnt:?}"
        );
        for (method, args, deposit) in second_actions() {
            let second = Action::call(method, args, 100 * TGAS, deposit);
            let with = on_other_seeds(&base, &[mint(100 * TGAS), second]);
            let cost = with
                .iter()
                .zip(&plain)
                .map(|((_, both), (_, one))| both.gas - one.gas);
            let cost: BTreeSet<_> = cost.collect();
            assert_eq!(
                cost.len(),
                1,
                "of {count} assets the draw shows in the gas of {method}: {cost:?}"
            );
        }
    }
}

#[test]
fn every_gas_limit_of_a_mint_is_fair() {
    let base = scene();
    for half_tgas in (2..=200).step_by(6) {
        let gas = half_tgas * TGAS / 2;
        let outcomes = on_other_seeds(&base, &[mint(gas)]);
        let passed: BTreeSet<_> = outcomes.iter().map(|(asset, _)| asset.is_some()).collect();
        assert_eq!(
            passed.len(),
            1,
            "with {half_tgas}/2 Tgas it depends on the draw whether the mint succeeds"
        );
        for (_, outcome) in outcomes.iter().filter(|(asset, _)| asset.is_none()) {
            let failure = outcome.failure();
            assert!(
                failure.code() == Some("E_GAS_TOO_LOW") || failure.out_of_gas(),
                "{failure:?}"
            );
            assert!(gas < 60 * TGAS, "{half_tgas}/2 Tgas are refused");
        }
    }
}

#[test]
fn every_gas_limit_of_a_read_after_the_mint_is_fair() {
    let base = scene();
    for (method, args, deposit) in second_actions() {
        let cost = |limit: u64| {
            let outcomes = on_other_seeds(
                &base,
                &[
                    mint(60 * TGAS),
                    Action::call(method, args.clone(), limit, deposit),
                ],
            );
            outcomes
                .iter()
                .map(|(asset, _)| asset.is_some())
                .collect::<BTreeSet<_>>()
        };
        // Close in on the limit at which the read begins to succeed, and look around it.
        let (mut low, mut high) = (0, 100 * TGAS);
        while high - low > 10_000_000 {
            let middle = (low + high) / 2;
            let passed = cost(middle);
            assert_eq!(
                passed.len(),
                1,
                "{method} with {middle} gas fails for one asset and not for the other"
            );
            if passed.contains(&true) {
                high = middle
            } else {
                low = middle
            }
        }
    }
}

#[test]
fn the_asset_shows_in_the_block_after() {
    let base = scene();
    let mut scene = base;
    scene
        .chain
        .submit("alice.near", CONTRACT, vec![mint(100 * TGAS)])
        .unwrap();
    scene.chain.produce_block();
    let hidden = scene.token("1:4");
    assert_eq!(
        (&hidden["token_id"], &hidden["owner_id"]),
        (&json!("1:4"), &json!("alice.near"))
    );
    for field in ["media", "media_hash", "reference", "reference_hash"] {
        assert_eq!(hidden["metadata"][field], Value::Null, "{field}");
    }
    assert_eq!(hidden["metadata"]["title"], "Title");
    assert_ne!(
        scene.token("1:3")["metadata"]["media"],
        Value::Null,
        "older tokens are shown"
    );
    scene.chain.settle();
    scene.chain.advance(1);
    assert_ne!(scene.token("1:4")["metadata"]["media"], Value::Null);
}

/// Several mints in one block hide all of that block's tokens, and only them.
#[test]
fn all_tokens_of_the_block_are_hidden() {
    let mut scene = scene();
    for account in ["alice.near", "bob.near", "alice.near"] {
        scene
            .chain
            .submit(account, CONTRACT, vec![mint(100 * TGAS), mint(100 * TGAS)])
            .unwrap();
    }
    scene.chain.produce_block();
    for number in 1..=9 {
        let media = scene.token(&format!("1:{number}"))["metadata"]["media"].clone();
        assert_eq!(media == Value::Null, number > 3, "token {number}");
    }
    let assets = scene.view("collection_assets", json!({ "collection_id": 1 }));
    scene.chain.settle();
    scene.chain.advance(1);
    for number in 1..=9 {
        assert_ne!(
            scene.token(&format!("1:{number}"))["metadata"]["media"],
            Value::Null
        );
    }
    let after = scene.view("collection_assets", json!({ "collection_id": 1 }));
    let sum = |assets: &Value| {
        assets
            .as_array()
            .unwrap()
            .iter()
            .map(|asset| asset["remaining"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(sum(&after), 191);
    // What is left of each asset tells what was drawn, so it may not show in that block either.
    let shown: Vec<_> = assets
        .as_array()
        .unwrap()
        .iter()
        .map(|asset| asset["remaining"].clone())
        .collect();
    let now: Vec<_> = after
        .as_array()
        .unwrap()
        .iter()
        .map(|asset| asset["remaining"].clone())
        .collect();
    assert_ne!(
        shown, now,
        "the block of the mint showed what was left after its draws"
    );
}

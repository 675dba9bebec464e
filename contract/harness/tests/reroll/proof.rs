//! A receipt may record 4 MB of storage proof. Whoever fills it to the brim lets the rest of the batch pass only where
//! it records little more; a draw must not be among what decides that.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, wasm};
use harness::{Action, NEAR, TGAS};
use serde_json::{Value, json};

/// 5,000 assets of eight copies each, whose remaining copies lie on two pages, and tokens of another collection to fill
/// a proof with: 260 of 16 kB, and 60 of 100 bytes.
fn scene() -> Scene {
    let mut scene = Scene::new(&wasm(), 400 * NEAR);
    scene.accounts(["alice.near"]);
    let settings = json!({ "public_mint_config": { "mint_fee": "0" } });
    scene.collection(settings, AssetBatch::new(0, 5_000, 8));
    scene.collection(json!({}), AssetBatch::new(0, 1, 1_000));
    for (calls, each, length) in [(26, 10, 16_000), (3, 20, 100)] {
        for _ in 0..calls {
            let args = json!({
                "collection_id": 2, "receiver_ids": ["alice.near"], "quantities": [each],
                "metadata": { "extra": "x".repeat(length) }
            });
            scene.sign(OWNER, "nft_batch_mint", args).json();
        }
    }
    scene
}

/// Reads of tokens that record about as many bytes as `large` tokens of 16 kB and `small` of 100 bytes.
fn fill(large: u32, small: u32) -> Vec<Action> {
    let ids: Vec<String> = (1..=large)
        .chain(261..=260 + small)
        .map(|number| format!("2:{number}"))
        .collect();
    // A page ends at 90 kB.
    ids.chunks(5)
        .map(|ids| {
            let args = json!({ "token_ids": ids });
            Action::call("nft_tokens_by_ids", args, 12 * TGAS, 0)
        })
        .collect()
}

fn mint() -> Action {
    Action::call("nft_mint", json!({ "collection_id": 1 }), 60 * TGAS, 0)
}

/// Reads the remaining copies of one asset.
fn look(asset: u32) -> Action {
    let args = json!({ "collection_id": 1, "from_index": asset, "limit": 1 });
    Action::call("collection_assets", args, 30 * TGAS, 0)
}

fn passes(base: &Scene, entropy: u64, batch: Vec<Action>) -> bool {
    let mut scene = base.clone();
    scene.chain.entropy = entropy;
    let outcome = scene.chain.transact("alice.near", CONTRACT, batch);
    outcome.succeeded()
}

/// Each batch, with the fill anywhere between nothing passing and everything passing: on twelve seeds it passes always
/// or never.
#[test]
fn no_fill_of_the_storage_proof_lets_a_draw_decide() {
    let base = scene();
    for entropy in 0..2 {
        assert!(passes(&base, entropy, vec![mint(), look(0)]));
    }
    let batches: [(&str, &dyn Fn(Vec<Action>) -> Vec<Action>); 3] = [
        ("fill, mint, look", &|fill| {
            [fill, vec![mint(), look(4_999)]].concat()
        }),
        ("look, fill, mint", &|fill| {
            [vec![look(0)], fill, vec![mint()]].concat()
        }),
        ("fill, mint, mint", &|fill| {
            [fill, vec![mint(), mint()]].concat()
        }),
    ];
    for (what, batch) in batches {
        let all = |large: u32, small: u32| -> Vec<bool> {
            let seeds = 0..12;
            seeds
                .map(|seed| passes(&base, seed, batch(fill(large, small))))
                .collect()
        };
        let first = |large: u32| passes(&base, 0, batch(fill(large, 0)));
        let (mut low, mut high) = (200, 260);
        assert!(first(low) && !first(high), "{what}: the fill does not fill");
        while high - low > 1 {
            let middle = (low + high) / 2;
            if first(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        for (large, small) in
            (low - 1..=low).flat_map(|large| (0..60).step_by(2).map(move |small| (large, small)))
        {
            let passed = all(large, small);
            assert!(
                passed.iter().all(|one| *one == passed[0]),
                "{what}, {large} and {small}: it depends on the draw whether the batch passes: {passed:?}"
            );
        }
    }
    let untouched: Value = base.view("collection", json!({ "collection_id": 1 }));
    assert_eq!(untouched["minted"], 0);
}

//! NEP-181 and the collection's own lists.

use harness::mintage::{AssetBatch, CONTRACT, Scene};
use harness::{NEAR, TGAS};
use serde_json::{Value, json};

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 3, 100));
    scene.collection(json!({}), AssetBatch::new(10, 3, 100));
    scene.mint_many(1, "alice.near", 40).json();
    scene.mint_many(2, "bob.near", 3).json();
    scene.mint_many(2, "alice.near", 5).json();
    scene.mint_many(1, "bob.near", 70).json();
    scene
}

fn ids(tokens: &Value) -> Vec<String> {
    tokens
        .as_array()
        .unwrap()
        .iter()
        .map(|token| token["token_id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn supplies_are_decimal_strings() {
    let scene = scene();
    assert_eq!(scene.view("nft_total_supply", json!({})), json!("118"));
    assert_eq!(
        scene.view(
            "nft_supply_for_owner",
            json!({ "account_id": "alice.near" })
        ),
        json!("45")
    );
    assert_eq!(
        scene.view("nft_supply_for_owner", json!({ "account_id": "bob.near" })),
        json!("73")
    );
    assert_eq!(
        scene.view(
            "nft_supply_for_owner",
            json!({ "account_id": "nobody.near" })
        ),
        json!("0")
    );
}

#[test]
fn all_tokens_come_once_by_pages() {
    let scene = scene();
    let mut all = vec![];
    loop {
        let args = json!({ "from_index": all.len().to_string(), "limit": 7 });
        let page = ids(&scene.view("nft_tokens", args));
        assert!(page.len() <= 7);
        if page.is_empty() {
            break;
        }
        all.extend(page);
    }
    let mut expected: Vec<String> = (1..=110)
        .map(|n| format!("1:{n}"))
        .chain((1..=8).map(|n| format!("2:{n}")))
        .collect();
    assert_eq!(all.len(), expected.len());
    all.sort_unstable();
    expected.sort_unstable();
    assert_eq!(all, expected);
}

#[test]
fn an_owners_tokens_come_once_by_pages() {
    let scene = scene();
    for (owner, count) in [("alice.near", 45), ("bob.near", 73)] {
        let mut all = vec![];
        for from in (0..100).step_by(9) {
            let args = json!({ "account_id": owner, "from_index": from.to_string(), "limit": 9 });
            let page = scene.view("nft_tokens_for_owner", args);
            assert!(
                page.as_array()
                    .unwrap()
                    .iter()
                    .all(|token| token["owner_id"] == owner)
            );
            all.extend(ids(&page));
        }
        assert_eq!(all.len(), count);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "none twice");
    }
}

#[test]
fn a_missing_limit_means_a_hundred() {
    let scene = scene();
    assert_eq!(ids(&scene.view("nft_tokens", json!({}))).len(), 100);
    assert_eq!(
        ids(&scene.view("nft_tokens", json!({ "limit": null, "from_index": null }))).len(),
        100
    );
    assert_eq!(
        ids(&scene.view("nft_tokens", json!({ "from_index": "100" }))).len(),
        18
    );
    assert_eq!(
        ids(&scene.view("nft_tokens_for_owner", json!({ "account_id": "bob.near" }))).len(),
        73
    );
    assert_eq!(
        ids(&scene.view("collection_tokens", json!({ "collection_id": 1 }))).len(),
        100
    );
}

/// No view reads more of a list than fits a result, whatever limit it is asked for.
#[test]
fn a_limit_beyond_any_result_costs_no_more_than_ten_thousand() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    scene.collection(json!({}), AssetBatch::new(0, 1, 14_000));
    for _ in 0..140 {
        scene.mint_many(1, "alice.near", 100).json();
    }
    let seen = |method: &str, limit: u32| {
        let args = json!({ "collection_id": 1, "limit": limit });
        let of_owner = json!({ "account_id": "alice.near", "limit": limit });
        let owners = method == "nft_tokens_for_owner";
        let args = if owners { of_owner } else { args };
        let args = args.to_string().into_bytes();
        scene.chain.view_raw(CONTRACT, method, args).unwrap()
    };
    for method in ["nft_tokens", "nft_tokens_for_owner", "collection_tokens"] {
        let ((some, enough), (all, most)) = (seen(method, 10_000), seen(method, 4_000_000_000));
        assert!(some == all, "{method}");
        assert!(most < enough + TGAS / 10, "{method}: {most} and {enough}");
    }
}

#[test]
fn beyond_the_end_is_empty_and_no_error() {
    let scene = scene();
    for from in [
        "118",
        "119",
        "1000000000000000000000",
        "340282366920938463463374607431768211455",
    ] {
        assert_eq!(
            scene.view("nft_tokens", json!({ "from_index": from })),
            json!([]),
            "{from}"
        );
        let args = json!({ "account_id": "alice.near", "from_index": from });
        assert_eq!(
            scene.view("nft_tokens_for_owner", args),
            json!([]),
            "{from}"
        );
    }
    assert_eq!(
        scene.view(
            "nft_tokens_for_owner",
            json!({ "account_id": "nobody.near" })
        ),
        json!([])
    );
    assert_eq!(
        scene.view("collections", json!({ "from_index": 2 })),
        json!([])
    );
    assert_eq!(
        scene.view("collection", json!({ "collection_id": 3 })),
        Value::Null
    );
}

#[test]
fn a_token_listed_is_the_token_shown() {
    let scene = scene();
    for token in scene
        .view("nft_tokens", json!({ "from_index": "30", "limit": 20 }))
        .as_array()
        .unwrap()
    {
        assert_eq!(token, &scene.token(token["token_id"].as_str().unwrap()));
    }
    let asked = json!(["2:3", "9:9", "1:1", "nonsense", "2:3"]);
    let answer = scene.view("nft_tokens_by_ids", json!({ "token_ids": asked }));
    let expected = json!([
        scene.token("2:3"),
        null,
        scene.token("1:1"),
        null,
        scene.token("2:3")
    ]);
    assert_eq!(answer, expected);
}

#[test]
fn a_collections_tokens_come_in_minting_order() {
    let scene = scene();
    let tokens = ids(&scene.view("collection_tokens", json!({ "collection_id": 2 })));
    assert_eq!(
        tokens,
        (1..=8).map(|n| format!("2:{n}")).collect::<Vec<_>>()
    );
    let some = ids(&scene.view(
        "collection_tokens",
        json!({ "collection_id": 1, "from_index": 30, "limit": 5 }),
    ));
    assert_eq!(some, ["1:31", "1:32", "1:33", "1:34", "1:35"]);
}

#[test]
fn the_largest_pages_stay_within_a_views_gas() {
    let mut scene = scene();
    for _ in 0..10 {
        scene.collection(
            json!({ "description": "d".repeat(1024) }),
            AssetBatch::new(0, 100, 10),
        );
    }
    for collection in 3..=12 {
        scene.mint_many(collection, "alice.near", 100).json();
    }
    for (method, args) in [
        ("nft_tokens", json!({ "from_index": "200" })),
        (
            "nft_tokens_for_owner",
            json!({ "account_id": "alice.near", "from_index": "50" }),
        ),
        ("collection_tokens", json!({ "collection_id": 5 })),
        ("collections", json!({})),
        ("collection_assets", json!({ "collection_id": 5 })),
    ] {
        let (_, gas) = scene
            .chain
            .view_raw(
                harness::mintage::CONTRACT,
                method,
                args.to_string().into_bytes(),
            )
            .unwrap();
        assert!(
            gas < 300 * harness::TGAS,
            "{method}: {} Tgas",
            gas as f64 / 1e12
        );
    }
}

//! Changes of many tokens by one call: each token has a result, and one that is refused keeps no other from being changed.

use harness::mintage::{ADMIN, AssetBatch, CONTRACT, OWNER, Scene};
use harness::{Action, NEAR, TGAS, TransactionOutcome};
use serde_json::{Value, json};

/// A collection of three assets, of whose tokens alice has 70; bob has some of another collection.
fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 3, 1_000));
    scene.collection(json!({}), AssetBatch::new(0, 3, 1_000));
    scene.mint_many(1, "alice.near", 70).json();
    scene.mint_many(2, "bob.near", 3).json();
    scene
}

fn batch(scene: &mut Scene, updates: Value) -> TransactionOutcome {
    let args = json!({ "collection_id": 1, "updates": updates });
    let call = Action::call("nft_update_batch", args, 300 * TGAS, 1);
    scene.chain.transact(OWNER, CONTRACT, vec![call])
}

/// Nine changes of eight tokens, on three pages, in no order.
fn changes() -> Vec<Value> {
    let digest = format!("{}=", "A".repeat(43));
    vec![
        json!({ "token_id": "1:69", "title": "Last page" }),
        json!({ "token_id": "1:2", "title": "A \"quoted\" title", "extra": "{}" }),
        json!({ "token_id": "1:40", "media": { "sha256": digest, "root": digest } }),
        json!({ "token_id": "1:1", "reference": { "sha256": digest }, "copies": 3 }),
        json!({ "token_id": "1:33", "description": "Long" }),
        json!({ "token_id": "1:70", "subtitle": null }),
        json!({ "token_id": "1:64", "title": "Once" }),
        json!({ "token_id": "1:32" }),
        json!({ "token_id": "1:64", "title": null, "subtitle": "Twice" }),
    ]
}

fn tokens(scene: &Scene) -> Value {
    let args = json!({ "collection_id": 1, "limit": 100 });
    scene.view("collection_tokens", args)
}

/// The contract's records but the root, whose sums tests of their own compare.
fn records(scene: &Scene) -> Vec<(Vec<u8>, Vec<u8>)> {
    let all = scene.chain.records(CONTRACT);
    all.into_iter().filter(|(key, _)| key != b"R").collect()
}

/// What a batch stores is what as many updates of one token store.
#[test]
fn a_batch_changes_what_single_updates_change() {
    let mut scene = scene();
    let before = scene.clone();
    let mut single = scene.clone();
    scene.chain.advance(20);
    let outcome = batch(&mut scene, json!(changes()));
    assert_eq!(outcome.json(), json!(vec![Value::Null; 9]));
    let ids: Vec<Value> = changes()
        .iter()
        .map(|change| change["token_id"].clone())
        .collect();
    let event = json!({
        "standard": "nep171", "version": "1.2.0", "event": "nft_metadata_update", "data": [{ "token_ids": ids }]
    });
    assert_eq!(outcome.events(), [event]);
    for change in changes() {
        single.sign(OWNER, "nft_update", change).json();
    }
    let keys = |scene: &Scene| -> Vec<(Vec<u8>, usize)> {
        let all = scene.chain.records(CONTRACT).into_iter();
        all.map(|(key, value)| (key, value.len())).collect()
    };
    assert_eq!(keys(&scene), keys(&single));
    let without_times = |mut tokens: Value| {
        for token in tokens.as_array_mut().unwrap() {
            token["metadata"]["updated_at"] = Value::Null;
        }
        tokens
    };
    assert_eq!(
        without_times(tokens(&scene)),
        without_times(tokens(&single))
    );
    let balance = |scene: &Scene| scene.view("contract_balance", json!({}))["needed"].clone();
    assert_eq!(balance(&scene), balance(&single));
    // All that is cleared gives its bytes back.
    let cleared = [
        "media",
        "reference",
        "extra",
        "copies",
        "title",
        "subtitle",
        "description",
    ]
    .map(|field| (field.to_owned(), Value::Null));
    let clear = |number: u32| {
        let mut all = serde_json::Map::from_iter(cleared.clone());
        all.insert("token_id".into(), json!(format!("1:{number}")));
        Value::Object(all)
    };
    let outcome = batch(&mut scene, (1..=70).map(clear).collect());
    assert_eq!(outcome.json(), json!(vec![Value::Null; 70]));
    assert_eq!(records(&scene), records(&before));
    assert_eq!(balance(&scene), balance(&before));
}

/// Each refusal has the text that `nft_update` fails with, and stands at its place.
#[test]
fn a_refused_token_keeps_no_other_from_being_changed() {
    let mut scene = scene();
    for token in ["1:5", "1:50"] {
        let args = json!({ "token_id": token });
        scene.sign(OWNER, "nft_lock", args).json();
    }
    scene
        .sign("alice.near", "nft_burn", json!({ "token_id": "1:6" }))
        .json();
    let refused = [
        (json!({ "token_id": "1:5", "title": "x" }), "E_LOCKED"),
        (
            json!({ "token_id": "1:6", "title": "x" }),
            "E_TOKEN_NOT_FOUND",
        ),
        (
            json!({ "token_id": "1:71", "title": "x" }),
            "E_TOKEN_NOT_FOUND",
        ),
        (
            json!({ "token_id": "1:0", "title": "x" }),
            "E_TOKEN_NOT_FOUND",
        ),
        (
            json!({ "token_id": "one", "title": "x" }),
            "E_TOKEN_NOT_FOUND",
        ),
        (
            json!({ "token_id": "1:7", "titel": "x" }),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!({ "token_id": "1:8", "extra": "{}", "title": 5 }),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!({ "token_id": "1:9", "media": { "sha256": "AAAA" } }),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!({ "token_id": "1:10", "title": "x".repeat(257) }),
            "E_INVALID_ARGUMENT",
        ),
        (json!({ "title": "x" }), "E_INVALID_ARGUMENT"),
        (json!({ "token_id": 1 }), "E_INVALID_ARGUMENT"),
        (json!({ "token_id": "1:50", "title": "x" }), "E_LOCKED"),
    ];
    let before = tokens(&scene);
    let mut updates = vec![];
    for (number, (wrong, _)) in (20..).zip(&refused) {
        updates.push(wrong.clone());
        updates.push(json!({ "token_id": format!("1:{number}"), "title": "Changed" }));
    }
    let outcome = batch(&mut scene, json!(updates));
    let results = outcome.json();
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), updates.len());
    for (pair, (wrong, code)) in results.chunks(2).zip(&refused) {
        let single = scene.clone().sign(OWNER, "nft_update", wrong.clone());
        let text = pair[0].as_str().unwrap();
        assert_eq!(Some(text), single.failure().panic(), "{wrong}");
        assert!(text.starts_with(code), "{text}");
        assert_eq!(pair[1], Value::Null, "{wrong}");
    }
    let changed: Vec<String> = (20..32).map(|number| format!("1:{number}")).collect();
    assert_eq!(
        outcome.events()[0]["data"],
        json!([{ "token_ids": changed }])
    );
    let after = tokens(&scene);
    for (old, new) in before
        .as_array()
        .unwrap()
        .iter()
        .zip(after.as_array().unwrap())
    {
        let is_changed = changed.iter().any(|id| new["token_id"] == **id);
        assert_eq!(new["metadata"]["title"] == "Changed", is_changed);
        assert_eq!(old == new, !is_changed);
    }
    // A token of another collection is none of this one.
    let foreign = batch(&mut scene, json!([{ "token_id": "2:1", "title": "x" }]));
    assert!(
        foreign.json()[0]
            .as_str()
            .unwrap()
            .starts_with("E_TOKEN_NOT_FOUND")
    );
    assert_eq!(foreign.events(), [Value::Null; 0], "nothing changed");
    assert_eq!(scene.token("2:1")["metadata"]["title"], "Title");
}

#[test]
fn locks_of_assets_and_collections_refuse_each_token() {
    let mut scene = scene();
    let lock = json!({ "collection_id": 1, "assets": [0, 2] });
    scene.sign(OWNER, "collection_lock", lock).json();
    let all: Vec<Value> = (1..=70)
        .map(|number| json!({ "token_id": format!("1:{number}"), "extra": "x" }))
        .collect();
    let mut single = scene.clone();
    let expected: Vec<Value> = all
        .iter()
        .map(|change| {
            let outcome = single.sign(OWNER, "nft_update", change.clone());
            match outcome.succeeded() {
                true => Value::Null,
                false => json!(outcome.failure().panic()),
            }
        })
        .collect();
    assert!(expected.contains(&Value::Null) && !expected.iter().all(Value::is_null));
    assert_eq!(batch(&mut scene, json!(all)).json(), json!(expected));
    // Which asset a token of this very block has is not told: it may be a locked one.
    let mint = json!({ "collection_id": 1, "receiver_ids": ["bob.near"], "quantities": [20] });
    let newest: Vec<Value> = (71..=90)
        .map(|number| json!({ "token_id": format!("1:{number}"), "extra": "x" }))
        .collect();
    let update = json!({ "collection_id": 1, "updates": newest });
    let outcome = scene.chain.transact(
        OWNER,
        CONTRACT,
        vec![
            Action::call("nft_batch_mint", mint, 100 * TGAS, 0),
            Action::call("nft_update_batch", update, 100 * TGAS, 1),
        ],
    );
    let results = outcome.json();
    let locked = |result: &Value| result.as_str().unwrap_or_default().starts_with("E_LOCKED");
    assert!(results.as_array().unwrap().iter().all(locked), "{results}");
    let lock = json!({ "collection_id": 1, "locks": ["metadata"] });
    scene.sign(OWNER, "collection_lock", lock).json();
    let outcome = batch(&mut scene, json!(all));
    assert!(outcome.json().as_array().unwrap().iter().all(locked));
    assert_eq!(outcome.events(), [Value::Null; 0]);
}

#[test]
fn only_a_full_access_key_of_the_staff_changes_many_tokens() {
    let mut scene = scene();
    let args = json!({ "collection_id": 1, "updates": [{ "token_id": "1:1", "title": "x" }] });
    let call = |scene: &mut Scene, signer: &str, deposit: u128| {
        scene.pay(signer, "nft_update_batch", args.clone(), deposit)
    };
    assert_eq!(call(&mut scene, OWNER, 0).code(), "E_ONE_YOCTO");
    assert_eq!(call(&mut scene, OWNER, NEAR).code(), "E_ONE_YOCTO");
    assert_eq!(call(&mut scene, "alice.near", 1).code(), "E_UNAUTHORIZED");
    assert_eq!(scene.token("1:1")["metadata"]["title"], "Title");
    assert_eq!(call(&mut scene, ADMIN, 1).json(), json!([null]));
    assert_eq!(scene.token("1:1")["metadata"]["title"], "x");
    for (wrong, code) in [
        (json!({ "collection_id": 1 }), "E_INVALID_ARGUMENT"),
        (
            json!({ "collection_id": 1, "updates": [5] }),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!({ "collection_id": 1, "updates": [], "more": 1 }),
            "E_INVALID_ARGUMENT",
        ),
        (json!({ "collection_id": 1, "updates": [] }), "E_TOO_MANY"),
        (
            json!({ "collection_id": 1, "updates": vec![json!({}); 601] }),
            "E_TOO_MANY",
        ),
        (
            json!({ "collection_id": 9, "updates": [{}] }),
            "E_COLLECTION_NOT_FOUND",
        ),
    ] {
        let outcome = scene.sign(OWNER, "nft_update_batch", wrong.clone());
        assert_eq!(outcome.code(), code, "{wrong}");
    }
}

/// The longest ids fit the logs of a call, and as many changes its gas.
#[test]
fn six_hundred_tokens_fit_a_call() {
    let mut scene = scene();
    for _ in 0..6 {
        scene.mint_many(1, "alice.near", 100).json();
    }
    let all = |title: &str| -> Value {
        (1..=600)
            .map(
                |number| json!({ "token_id": format!("1:{}", number * 371 % 601), "title": title }),
            )
            .collect()
    };
    for title in ["Heron", "Heron at the weir"] {
        let outcome = batch(&mut scene, all(title));
        assert_eq!(outcome.json(), json!(vec![Value::Null; 600]));
        assert_eq!(
            outcome.events()[0]["data"][0]["token_ids"]
                .as_array()
                .unwrap()
                .len(),
            600
        );
        assert!(outcome.tgas() < 0.8 * 600.0, "{}", outcome.tgas());
    }
    // Ids of the largest numbers take 24 bytes of the event.
    assert!(600 * 24 + 200 < 16_384);
}

/// Storage is paid from what is free, of all the call's tokens or of none.
#[test]
fn storage_that_is_not_covered_changes_nothing() {
    let mut scene = scene();
    scene.sign(OWNER, "withdraw", json!({})).json();
    let before = records(&scene);
    let update = |number: u32| json!({ "token_id": format!("1:{number}"), "title": "Other" });
    let outcome = batch(&mut scene, (1..=2).map(update).collect());
    assert_eq!(outcome.code(), "E_STORAGE_BALANCE");
    assert_eq!(records(&scene), before);
}

/// The gas that docs/contract.md names is enough where each token lies on a page of its own with 32 long names, and for
/// texts that replace others.
#[test]
fn the_gas_that_the_documentation_names_is_enough() {
    let mut scene = scene();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 10_000, 1));
    for first in (0..3_200).step_by(100) {
        let names: Vec<String> = (first..first + 100)
            .map(|number| format!("{number:a>59}.near"))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        scene.mint(collection, &names).json();
    }
    let gas = |updates: &[Value], shown: usize| {
        let bytes = json!(updates).to_string().len() + shown;
        20 * TGAS + updates.len() as u64 * 6 * TGAS / 10 + bytes as u64 * TGAS / 2_500
    };
    let mut change = |numbers: &[u32], text: &str, before: usize| {
        let updates: Vec<Value> = numbers
            .iter()
            .map(|number| json!({ "token_id": format!("{collection}:{number}"), "extra": text }))
            .collect();
        let gas = gas(&updates, numbers.len() * before);
        let args = json!({ "collection_id": collection, "updates": updates });
        let call = Action::call("nft_update_batch", args, gas.min(300 * TGAS), 1);
        let outcome = scene.chain.transact(OWNER, CONTRACT, vec![call]);
        assert_eq!(outcome.json(), json!(vec![Value::Null; numbers.len()]));
    };
    let scattered: Vec<u32> = (0..100).map(|page| page * 32 + 1).collect();
    let long = "\u{1}".repeat(16_384);
    change(&scattered, "x", 0);
    change(&scattered, "y", 1);
    change(&[1], &long, 1);
    change(&[1], "z", 16_384);
    change(&[5], "x", 0);
}

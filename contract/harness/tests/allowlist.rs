//! Allowlists: adding, removing, clearing, sweeping, checking, at any size.

use harness::mintage::{ADMIN, AssetBatch, CONTRACT, OWNER, Scene};
use harness::{NEAR, TGAS};
use serde_json::json;
use std::collections::BTreeSet;

fn scene() -> Scene {
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 1, 10));
    scene.collection(json!({}), AssetBatch::new(0, 1, 10));
    scene
}

fn call(scene: &mut Scene, method: &str, collection: u32, accounts: &[String]) -> u64 {
    let args = json!({ "collection_id": collection, "account_ids": accounts });
    scene.sign(OWNER, method, args).json().as_u64().unwrap()
}

fn listed(scene: &Scene, collection: u32, account: &str) -> bool {
    scene
        .view(
            "is_allowlisted",
            json!({ "collection_id": collection, "account_id": account }),
        )
        .as_bool()
        .unwrap()
}

fn count(scene: &Scene, collection: u32) -> u64 {
    scene.view("collection", json!({ "collection_id": collection }))["allowlisted"]
        .as_u64()
        .unwrap()
}

fn names(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|n| format!("fan-{n}.near")).collect()
}

#[test]
fn what_is_added_is_listed_until_removed() {
    let mut scene = scene();
    assert_eq!(call(&mut scene, "allowlist_add", 1, &names(0..10)), 10);
    assert_eq!(
        call(&mut scene, "allowlist_add", 1, &names(5..15)),
        5,
        "only those that were not there count"
    );
    assert_eq!(
        call(
            &mut scene,
            "allowlist_add",
            1,
            &[names(20..21), names(20..21)].concat()
        ),
        1,
        "a name twice counts once"
    );
    assert_eq!(count(&scene, 1), 16);
    assert!(listed(&scene, 1, "fan-14.near") && !listed(&scene, 1, "fan-15.near"));
    assert!(
        !listed(&scene, 2, "fan-0.near"),
        "each collection has its own"
    );
    assert_eq!(call(&mut scene, "allowlist_remove", 1, &names(10..30)), 6);
    assert_eq!(count(&scene, 1), 10);
    assert!(listed(&scene, 1, "fan-9.near") && !listed(&scene, 1, "fan-10.near"));
}

#[test]
fn every_form_of_account_id_can_be_listed() {
    let mut scene = scene();
    let ids: Vec<String> = [
        "aa",
        "98793cd91a3f870fb126f66285808c7e094afcfc4eda8a970f6648cdf0dbd6de",
        "0x85f17cf997934a597031b2e18a9ab6ebd4b9f6a4",
        "a-b_c.d.near",
        "0s85f17cf997934a597031b2e18a9ab6ebd4b9f6a4",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([
        format!("{}.near", "x".repeat(59)),
        "9".repeat(64),
        "a".repeat(64),
    ])
    .collect();
    assert_eq!(call(&mut scene, "allowlist_add", 1, &ids), ids.len() as u64);
    for id in &ids {
        assert!(listed(&scene, 1, id), "{id}");
    }
    for bad in ["a", "A.near", "", "x y", &"a".repeat(65)] {
        let args = json!({ "collection_id": 1, "account_ids": [bad] });
        assert_eq!(
            scene.sign(OWNER, "allowlist_add", args).code(),
            "E_INVALID_ARGUMENT",
            "{bad}"
        );
    }
}

#[test]
fn only_owner_and_admins_change_it() {
    let mut scene = scene();
    let args = json!({ "collection_id": 1, "account_ids": ["alice.near"] });
    for method in ["allowlist_add", "allowlist_remove"] {
        assert_eq!(
            scene.sign("alice.near", method, args.clone()).code(),
            "E_UNAUTHORIZED"
        );
        assert!(scene.sign(ADMIN, method, args.clone()).succeeded());
        let missing = json!({ "collection_id": 9, "account_ids": ["alice.near"] });
        assert_eq!(
            scene.sign(OWNER, method, missing).code(),
            "E_COLLECTION_NOT_FOUND"
        );
        let many = json!({ "collection_id": 1, "account_ids": names(0..501) });
        assert_eq!(scene.sign(OWNER, method, many).code(), "E_TOO_MANY");
    }
    assert_eq!(
        scene
            .sign(
                "alice.near",
                "allowlist_clear",
                json!({ "collection_id": 1 })
            )
            .code(),
        "E_UNAUTHORIZED"
    );
    assert!(
        scene
            .sign(ADMIN, "allowlist_clear", json!({ "collection_id": 1 }))
            .succeeded()
    );
}

#[test]
fn a_list_of_thousands_answers_as_a_set_would() {
    let mut scene = scene();
    let mut model = BTreeSet::new();
    for round in 0..12usize {
        let added = names(round * 400..round * 400 + 500);
        let new = added
            .iter()
            .filter(|name| model.insert((*name).clone()))
            .count();
        assert_eq!(
            call(&mut scene, "allowlist_add", 1, &added),
            new as u64,
            "round {round}"
        );
        let removed: Vec<String> = names(round * 300..round * 300 + 900)
            .into_iter()
            .step_by(3)
            .collect();
        let gone = removed.iter().filter(|name| model.remove(*name)).count();
        assert_eq!(
            call(&mut scene, "allowlist_remove", 1, &removed),
            gone as u64,
            "round {round}"
        );
        assert_eq!(count(&scene, 1), model.len() as u64, "round {round}");
    }
    for name in names(0..5_500).into_iter().step_by(7) {
        assert_eq!(listed(&scene, 1, &name), model.contains(&name), "{name}");
    }
}

#[test]
fn clearing_is_one_transaction_and_sweeping_frees_what_was_there() {
    let mut scene = scene();
    let empty = scene.chain.storage_usage(CONTRACT);
    for round in 0..20 {
        call(
            &mut scene,
            "allowlist_add",
            1,
            &names(round * 500..round * 500 + 500),
        );
    }
    let full = scene.chain.storage_usage(CONTRACT);
    let outcome = scene.sign(OWNER, "allowlist_clear", json!({ "collection_id": 1 }));
    assert!(outcome.succeeded());
    assert!(
        outcome.gas < 10 * TGAS,
        "{} Tgas for 10,000 accounts",
        outcome.tgas()
    );
    assert_eq!(count(&scene, 1), 0);
    assert!(
        names(0..10_000)
            .iter()
            .step_by(97)
            .all(|name| !listed(&scene, 1, name))
    );
    assert_eq!(
        call(&mut scene, "allowlist_add", 1, &names(3..5)),
        2,
        "a new list begins"
    );
    let mut freed = 0;
    loop {
        let outcome = scene.call(
            "alice.near",
            "allowlist_sweep",
            json!({ "collection_id": 1, "limit": 40 }),
        );
        let records = outcome.json().as_u64().unwrap();
        assert!(records <= 40);
        assert!(outcome.gas < 300 * TGAS);
        freed += records;
        if records == 0 {
            break;
        }
    }
    assert!(freed > 0);
    let left = scene.chain.storage_usage(CONTRACT);
    assert!(
        left < empty + (full - empty) / 50,
        "{empty} bytes before, {full} full, {left} after the sweep"
    );
    assert!(
        listed(&scene, 1, "fan-3.near")
            && listed(&scene, 1, "fan-4.near")
            && !listed(&scene, 1, "fan-5.near")
    );
    assert_eq!(count(&scene, 1), 2);
}

#[test]
fn lists_cleared_several_times_are_all_swept() {
    let mut scene = scene();
    let empty = scene.chain.storage_usage(CONTRACT);
    for round in 0..4 {
        call(
            &mut scene,
            "allowlist_add",
            1,
            &names(round * 300..round * 300 + 500),
        );
        scene
            .sign(OWNER, "allowlist_clear", json!({ "collection_id": 1 }))
            .json();
    }
    while scene
        .call(
            "alice.near",
            "allowlist_sweep",
            json!({ "collection_id": 1, "limit": 1000 }),
        )
        .json()
        != json!(0)
    {}
    let left = scene.chain.storage_usage(CONTRACT);
    assert!(left < empty + 200, "{empty} bytes before, {left} after");
}

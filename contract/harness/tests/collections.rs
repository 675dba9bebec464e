//! Collections: creation in one or many calls, publication, updates at any time, and what is refused.

use harness::mintage::{
    ADMIN, AssetBatch, CONTRACT, OWNER, Scene, add_assets_args, create_args, create_args_with,
};
use harness::{Action, NEAR, TGAS};
use serde_json::{Value, json};

fn create(
    scene: &mut Scene,
    signer: &str,
    settings: Value,
    publish: bool,
    assets: AssetBatch,
) -> harness::TransactionOutcome {
    scene.call_raw(
        signer,
        "collection_create",
        create_args(&settings, publish, assets),
    )
}

fn add(
    scene: &mut Scene,
    collection: u32,
    offset: u32,
    assets: AssetBatch,
) -> harness::TransactionOutcome {
    scene.call_raw(
        OWNER,
        "collection_add_assets",
        add_assets_args(collection, offset, assets),
    )
}

fn collection(scene: &Scene, number: u32) -> Value {
    scene.view("collection", json!({ "collection_id": number }))
}

#[test]
fn a_collection_shows_its_settings() {
    let mut scene = Scene::default();
    let settings = json!({
        "title": "Cats", "description": "D",
        "public_mint_config": { "mint_fee": NEAR.to_string(), "starts_at_ms": 5, "ends_at_ms": null, "limit_per_account": 3 },
        "private_mint_config": { "mint_fee": "0", "starts_at_ms": null, "ends_at_ms": 9, "limit_per_account": null },
        "bypass_mint_fee_accounts": ["vip.near"],
        "initial_royalties": { "artist.near": 1000, "label.near": 1 },
        "ongoing_royalties": { "artist.near": 750 },
        "allow_approvals": false, "approvals_allowed_accounts": ["a.near"], "approvals_denied_accounts": ["b.near"],
        "allow_transfers": false, "transfers_denied_accounts": ["c.near"]
    });
    let outcome = create(
        &mut scene,
        OWNER,
        settings.clone(),
        true,
        AssetBatch::new(0, 2, 50),
    );
    assert_eq!(outcome.json(), json!(1));
    let shown = collection(&scene, 1);
    for (field, value) in settings.as_object().unwrap() {
        let mut value = value.clone();
        if let Some(phase) = value.as_object_mut().filter(|_| field.ends_with("_config")) {
            for (name, unset) in [
                ("currency", json!(null)),
                ("supply", json!(null)),
                ("minted", json!(0)),
            ] {
                phase.insert(name.into(), unset);
            }
        }
        assert_eq!(shown[field], value, "{field}");
    }
    assert_eq!(shown["phases"], json!([]));
    assert_eq!(shown["collection_id"], 1);
    assert_eq!(shown["external_id"].as_str().unwrap().len(), 32);
    assert_eq!(
        (&shown["published"], &shown["assets"]),
        (&json!(true), &json!(2))
    );
    assert_eq!(
        (&shown["total"], &shown["minted"], &shown["allowlisted"]),
        (&json!(100), &json!(0), &json!(0))
    );
    assert_eq!(
        create(
            &mut scene,
            ADMIN,
            json!({ "title": "Dogs" }),
            true,
            AssetBatch::new(0, 1, 1)
        )
        .json(),
        json!(2)
    );
    let all = scene.view("collections", json!({}));
    assert_eq!(all, json!([collection(&scene, 1), collection(&scene, 2)]));
    assert_eq!(
        scene.view("collections", json!({ "from_index": 1, "limit": 1 })),
        json!([collection(&scene, 2)])
    );
}

#[test]
fn assets_come_in_several_calls() {
    let mut scene = Scene::default();
    create(
        &mut scene,
        OWNER,
        json!({ "title": "T" }),
        false,
        AssetBatch::new(0, 100, 2),
    )
    .json();
    assert_eq!(
        add(&mut scene, 1, 100, AssetBatch::new(100, 5_000, 1)).json(),
        json!(5_100)
    );
    assert_eq!(
        add(&mut scene, 1, 5_100, AssetBatch::new(5_100, 10, 7)).json(),
        json!(5_110)
    );
    assert!(
        !add(&mut scene, 1, 5_100, AssetBatch::new(5_100, 10, 7)).succeeded(),
        "the same call again adds nothing twice"
    );
    assert!(!add(&mut scene, 1, 5_111, AssetBatch::new(5_111, 1, 1)).succeeded());
    let shown = collection(&scene, 1);
    assert_eq!(
        (&shown["published"], &shown["assets"], &shown["total"]),
        (&json!(false), &json!(5_110), &json!(200 + 5_000 + 70))
    );
    scene
        .call(OWNER, "collection_publish", json!({ "collection_id": 1 }))
        .json();
    assert_eq!(
        scene
            .call(OWNER, "collection_publish", json!({ "collection_id": 1 }))
            .code(),
        "E_ALREADY_PUBLISHED"
    );
    assert_eq!(
        add(&mut scene, 1, 5_110, AssetBatch::new(0, 1, 1)).code(),
        "E_ALREADY_PUBLISHED"
    );
    for (index, expected) in [
        (0, (0, 2)),
        (99, (99, 2)),
        (100, (100, 1)),
        (4_195, (4_195, 1)),
        (5_099, (5_099, 1)),
        (5_109, (5_109, 7)),
    ] {
        let assets = scene.view(
            "collection_assets",
            json!({ "collection_id": 1, "from_index": index, "limit": 1 }),
        );
        let hash = base64::Engine::encode(
            &base64::engine::general_purpose::STANDARD,
            harness::mintage::digest(expected.0),
        );
        assert_eq!(
            (&assets[0]["media_hash"], &assets[0]["copies"]),
            (&json!(hash), &json!(expected.1)),
            "asset {index}"
        );
        assert_eq!(assets[0]["remaining"], assets[0]["copies"]);
    }
}

#[test]
fn batches_that_do_not_add_up_are_refused() {
    let mut scene = Scene::default();
    let good = AssetBatch::new(0, 4, 2);
    let with = |change: fn(&mut AssetBatch)| {
        let mut batch = good.clone();
        change(&mut batch);
        batch
    };
    let bad = [
        (
            "a digest cut short",
            with(|batch| batch.media.truncate(100)),
        ),
        ("runs too short", with(|batch| batch.copies = vec![(3, 2)])),
        ("runs too long", with(|batch| batch.copies = vec![(5, 2)])),
        (
            "runs that overflow",
            with(|batch| batch.copies = vec![(u32::MAX, 1), (5, 1)]),
        ),
        (
            "no copies",
            with(|batch| batch.copies = vec![(3, 2), (1, 0)]),
        ),
        (
            "a total that overflows",
            with(|batch| batch.copies = vec![(4, u32::MAX)]),
        ),
        (
            "no subtitle of that index",
            with(|batch| batch.subtitle_runs = vec![(4, 1)]),
        ),
        (
            "subtitle runs too short",
            with(|batch| {
                batch.subtitles = vec!["a".into()];
                batch.subtitle_runs = vec![(3, 1)]
            }),
        ),
        (
            "subtitle runs too long",
            with(|batch| {
                batch.subtitles = vec!["a".into()];
                batch.subtitle_runs = vec![(5, 1)]
            }),
        ),
        (
            "references cut short",
            with(|batch| batch.references = vec![1; 32 * 3]),
        ),
    ];
    for (what, batch) in bad {
        let outcome = create(&mut scene, OWNER, json!({ "title": "T" }), true, batch);
        assert!(
            ["E_INVALID_ARGUMENT", "E_TOO_MANY"].contains(&outcome.code().as_str()),
            "{what}: {}",
            outcome.code()
        );
    }
    assert!(
        !scene
            .call_raw(OWNER, "collection_create", b"nonsense".to_vec())
            .succeeded()
    );
    let mut trailing = create_args(&json!({ "title": "T" }), true, good);
    trailing.push(0);
    assert_eq!(
        scene.call_raw(OWNER, "collection_create", trailing).code(),
        "E_INVALID_ARGUMENT"
    );
    assert_eq!(scene.view("collections", json!({})), json!([]));
}

#[test]
fn settings_are_checked_field_by_field() {
    let mut scene = Scene::default();
    scene.collection(json!({}), AssetBatch::new(0, 1, 1));
    let accounts = |count: usize| -> Value {
        (0..count)
            .map(|n| (format!("a{n}.near"), json!(1)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let bad = [
        ("title", json!({ "title": "" })),
        ("title", json!({ "title": null })),
        ("title", json!({ "title": "x".repeat(257) })),
        ("description", json!({ "description": "x".repeat(1025) })),
        (
            "initial_royalties",
            json!({ "initial_royalties": { "a.near": 9501 } }),
        ),
        (
            "initial_royalties",
            json!({ "initial_royalties": accounts(11) }),
        ),
        (
            "initial_royalties",
            json!({ "initial_royalties": { "A": 1 } }),
        ),
        (
            "ongoing_royalties",
            json!({ "ongoing_royalties": { "a.near": 10001 } }),
        ),
        (
            "ongoing_royalties",
            json!({ "ongoing_royalties": { "a.near": 6000, "b.near": 4001 } }),
        ),
        (
            "ongoing_royalties",
            json!({ "ongoing_royalties": accounts(10) }),
        ),
        (
            "public_mint_config",
            json!({ "public_mint_config": { "mint_fee": "1" } }),
        ),
        (
            "public_mint_config",
            json!({ "public_mint_config": { "mint_fee": "0", "starts_at_ms": 2, "ends_at_ms": 1 } }),
        ),
        (
            "private_mint_config",
            json!({ "private_mint_config": { "mint_fee": "0", "limit_per_account": 0 } }),
        ),
        (
            "bypass_mint_fee_accounts",
            json!({ "bypass_mint_fee_accounts": ["not an id"] }),
        ),
        (
            "approvals_allowed_accounts",
            json!({ "approvals_allowed_accounts": ["x"] }),
        ),
        (
            "approvals_denied_accounts",
            json!({ "approvals_denied_accounts": [""] }),
        ),
        (
            "transfers_denied_accounts",
            json!({ "transfers_denied_accounts": ["Z.near"] }),
        ),
    ];
    for (field, change) in bad {
        let mut update = change.clone();
        update["collection_id"] = json!(1);
        let outcome = scene.sign(OWNER, "collection_update", update);
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{change}");
        assert!(
            outcome.failure().panic().unwrap().contains(field),
            "{field}: {:?}",
            outcome.failure()
        );
        let mut settings = json!({ "title": "T" });
        settings[field] = change[field].clone();
        let outcome = create(&mut scene, OWNER, settings, true, AssetBatch::new(0, 1, 1));
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "create with {change}");
    }
    let outcome = scene.sign(
        OWNER,
        "collection_update",
        json!({ "collection_id": 1, "titel": "typo" }),
    );
    assert_eq!(
        outcome.code(),
        "E_INVALID_ARGUMENT",
        "an unknown field never passes silently"
    );
    assert_eq!(
        scene
            .view("collections", json!({}))
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let longest = json!({ "collection_id": 1, "title": "é".repeat(256), "description": "\u{1f600}".repeat(1024) });
    assert!(
        scene
            .sign(OWNER, "collection_update", longest.clone())
            .succeeded(),
        "limits are in code points"
    );
    assert_eq!(collection(&scene, 1)["title"], longest["title"]);
}

#[test]
fn an_update_changes_what_it_names_and_null_clears() {
    let mut scene = Scene::default();
    let settings = json!({
        "description": "D", "public_mint_config": { "mint_fee": "0" }, "ongoing_royalties": { "a.near": 5 },
        "transfers_denied_accounts": ["c.near"], "allow_transfers": false
    });
    scene.collection(settings, AssetBatch::new(0, 1, 1));
    let update = |scene: &mut Scene, mut args: Value| {
        args["collection_id"] = json!(1);
        scene.sign(ADMIN, "collection_update", args).json();
        collection(scene, 1)
    };
    let before = collection(&scene, 1);
    assert_eq!(
        update(&mut scene, json!({})),
        before,
        "nothing named, nothing changed"
    );
    let shown = update(&mut scene, json!({ "title": "New" }));
    let mut expected = before;
    expected["title"] = json!("New");
    assert_eq!(shown, expected);
    let cleared = json!({ "description": null, "public_mint_config": null, "ongoing_royalties": {}, "transfers_denied_accounts": null, "allow_transfers": true });
    let shown = update(&mut scene, cleared);
    assert_eq!(
        (&shown["description"], &shown["public_mint_config"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        (
            &shown["ongoing_royalties"],
            &shown["transfers_denied_accounts"]
        ),
        (&json!({}), &Value::Null)
    );
    assert_eq!(shown["allow_transfers"], true);
    scene.accounts(["alice.near"]);
    assert_eq!(
        scene
            .sign(
                "alice.near",
                "collection_update",
                json!({ "collection_id": 1 })
            )
            .code(),
        "E_UNAUTHORIZED"
    );
    assert_eq!(
        scene
            .sign(OWNER, "collection_update", json!({ "collection_id": 2 }))
            .code(),
        "E_COLLECTION_NOT_FOUND"
    );
}

#[test]
fn transfers_can_be_forbidden_on_all_three_methods() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near"]);
    scene.collection(
        json!({ "transfers_denied_accounts": ["bob.near"] }),
        AssetBatch::new(0, 1, 5),
    );
    scene.mint_many(1, "alice.near", 2).json();
    let calls = |receiver: &str| {
        let plain = json!({ "receiver_id": receiver, "token_id": "1:1" });
        let mut call = plain.clone();
        call["msg"] = json!("");
        let mut payout = plain.clone();
        payout["balance"] = json!("100");
        [
            ("nft_transfer", plain),
            ("nft_transfer_call", call),
            ("nft_transfer_payout", payout),
        ]
    };
    for (method, args) in calls("bob.near") {
        assert_eq!(
            scene.sign("alice.near", method, args).code(),
            "E_TRANSFER_DENIED",
            "{method}"
        );
    }
    // With the list of denied accounts and without it.
    for closed in [
        json!({ "collection_id": 1, "allow_transfers": false }),
        json!({ "collection_id": 1, "transfers_denied_accounts": null }),
    ] {
        scene.sign(OWNER, "collection_update", closed).json();
        for (method, args) in calls("carol.near") {
            let outcome = scene.sign("alice.near", method, args);
            assert_eq!(outcome.code(), "E_TRANSFERS_DISABLED", "{method}");
            assert!(
                outcome.failure().panic().unwrap().len() > "E_TRANSFERS_DISABLED: ".len() + 10,
                "with a sentence"
            );
        }
    }
    assert_eq!(scene.owner_of("1:1"), "alice.near");
    let open =
        json!({ "collection_id": 1, "allow_transfers": true, "transfers_denied_accounts": null });
    scene.sign(OWNER, "collection_update", open).json();
    assert!(scene.transfer("alice.near", "bob.near", "1:1").succeeded());
}

#[test]
fn creation_takes_a_deposit_into_the_free_balance() {
    let mut scene = Scene::default();
    let before = scene.chain.balance(CONTRACT);
    let args = create_args(&json!({ "title": "T" }), true, AssetBatch::new(0, 1, 1));
    let call = Action::call_raw("collection_create", args, 100 * TGAS, NEAR);
    assert!(
        scene
            .chain
            .transact(OWNER, CONTRACT, vec![call])
            .succeeded()
    );
    assert_eq!(scene.chain.balance(CONTRACT), before + NEAR);
    assert_eq!(scene.view("contract_balance", json!({}))["owed"], "0");
    scene.accounts(["alice.near"]);
    let refused = create(
        &mut scene,
        "alice.near",
        json!({ "title": "T" }),
        true,
        AssetBatch::new(0, 1, 1),
    );
    assert_eq!(refused.code(), "E_UNAUTHORIZED");
}

#[test]
fn ten_thousand_assets_go_into_one_transaction() {
    let mut scene = Scene::default();
    let assets = AssetBatch {
        references: AssetBatch::new(20_000, 10_000, 1).media,
        ..AssetBatch::new(0, 10_000, 1)
    };
    let args = create_args(&json!({ "title": "T", "description": "D" }), true, assets);
    assert!(
        args.len() < 1_500_000,
        "with references as well it is one transaction: {}",
        args.len()
    );
    let outcome = scene.call_raw(OWNER, "collection_create", args);
    outcome.json();
    assert!(outcome.gas < 300 * TGAS, "{} Tgas", outcome.tgas());
    assert_eq!(collection(&scene, 1)["total"], 10_000);
    scene.mint_many(1, "alice.near", 100).json();
}

/// A collection is made once for an external id, however often the call is repeated.
#[test]
fn a_known_external_id_is_refused() {
    let mut scene = Scene::default();
    let create = |id| {
        let settings = json!({ "title": "Title" });
        create_args_with([id; 16], &settings, true, AssetBatch::new(0, 1, 1))
    };
    assert_eq!(
        scene.call_raw(OWNER, "collection_create", create(7)).json(),
        1
    );
    let shown = scene.view("collection", json!({ "collection_id": 1 }));
    assert_eq!(shown["external_id"], "07".repeat(16));
    let records = scene.chain.records(CONTRACT);
    let again = scene.call_raw(OWNER, "collection_create", create(7));
    assert_eq!(again.code(), "E_EXTERNAL_ID_TAKEN");
    assert_eq!(scene.chain.records(CONTRACT), records);
    assert_eq!(
        scene.call_raw(OWNER, "collection_create", create(8)).json(),
        2
    );
}

/// Lists of accounts are bounded, so that a transfer that has to look into one stays within what wallets attach.
#[test]
fn a_transfer_past_the_longest_list_stays_cheap() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 20 * NEAR);
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 1, 10));
    scene.mint(1, &["alice.near"]).json();
    let list = |count: usize| -> Vec<String> {
        (0..count)
            .map(|n| format!("{}{n:04}.near", "x".repeat(55)))
            .collect()
    };
    let update = |count| json!({ "collection_id": 1, "transfers_denied_accounts": list(count) });
    let refused = scene.sign(OWNER, "collection_update", update(1_001));
    assert_eq!(refused.code(), "E_TOO_MANY");
    scene.sign(OWNER, "collection_update", update(1_000)).json();
    let outcome = scene.transfer("alice.near", "bob.near", "1:1");
    assert!(outcome.succeeded(), "{}", outcome.code());
    assert!(outcome.gas < 5 * TGAS, "{} Tgas", outcome.tgas());
}

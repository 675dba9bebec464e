//! One-way promises to holders: what is locked stays so, is shown and told, and refuses what it names.

use harness::mintage::{AssetBatch, OWNER, Scene};
use harness::{NEAR, TransactionOutcome};
use serde_json::{Value, json};

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near"]);
    let settings = json!({
        "title": "Cats", "description": "Soft", "ongoing_royalties": { "artist.near": 500 },
        "public_mint_config": { "mint_fee": "0" }, "transfers_denied_accounts": ["x.near"]
    });
    scene.collection(settings, AssetBatch::new(0, 3, 10));
    scene.mint_many(1, "alice.near", 6).json();
    scene
}

fn lock(scene: &mut Scene, more: Value) -> TransactionOutcome {
    let mut args = json!({ "collection_id": 1 });
    args.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    scene.sign(OWNER, "collection_lock", args)
}

fn update(scene: &mut Scene, mut change: Value) -> TransactionOutcome {
    change["collection_id"] = json!(1);
    scene.sign(OWNER, "collection_update", change)
}

/// Asserts that a call is refused by a lock that it names.
fn assert_locked(outcome: &TransactionOutcome, name: &str) {
    assert_eq!(outcome.code(), "E_LOCKED");
    let said = outcome.failure().panic().unwrap();
    assert!(said.contains(&format!("E_LOCKED: {name} ")), "{said}");
}

#[test]
fn a_lock_is_shown_and_told_and_stays() {
    let mut scene = scene();
    let collection = |scene: &Scene| scene.view("collection", json!({ "collection_id": 1 }));
    let asked = json!({ "collection_id": 1, "account_id": "bob.near" });
    assert_eq!(collection(&scene)["locks"], json!([]));
    assert_eq!(scene.token("1:1")["locks"], json!([]));
    for (at, name) in ["royalties", "transfers", "metadata", "supply"]
        .iter()
        .enumerate()
    {
        let outcome = lock(&mut scene, json!({ "locks": [name] }));
        assert!(outcome.succeeded(), "{name}: {}", outcome.code());
        let event = json!({
            "standard": "mintage", "version": "1.0.0", "event": "lock",
            "data": [{ "collection_id": 1, "locks": [name] }]
        });
        assert_eq!(outcome.events(), [event]);
        for shown in [
            collection(&scene),
            scene.token("1:1"),
            scene.view("mint_eligibility", asked.clone()),
        ] {
            let locks = shown["locks"].as_array().unwrap();
            assert_eq!(locks.len(), at + 1);
            assert!(locks.contains(&json!(name)), "{locks:?}");
        }
    }
    // Nothing takes a lock away: settings know no such field, and locking again changes nothing.
    let outcome = update(&mut scene, json!({ "locks": [] }));
    assert_eq!(outcome.code(), "E_INVALID_ARGUMENT");
    let before = collection(&scene);
    lock(&mut scene, json!({ "locks": ["supply"] })).json();
    assert_eq!(collection(&scene), before);
}

#[test]
fn locks_are_for_the_staff_with_one_yocto() {
    let mut scene = scene();
    for (method, args) in [
        (
            "collection_lock",
            json!({ "collection_id": 1, "locks": ["supply"] }),
        ),
        ("nft_lock", json!({ "token_id": "1:1" })),
    ] {
        for deposit in [0, 2, NEAR] {
            let outcome = scene.pay(OWNER, method, args.clone(), deposit);
            assert_eq!(outcome.code(), "E_ONE_YOCTO", "{method}");
        }
        let outcome = scene.sign("alice.near", method, args);
        assert_eq!(outcome.code(), "E_UNAUTHORIZED", "{method}");
    }
    for wrong in [
        json!({}),
        json!({ "locks": [] }),
        json!({ "locks": ["everything"] }),
        json!({ "locks": ["supply"], "unlock": true }),
        json!({ "assets": [3] }),
        json!({ "assets": [1, 0] }),
        json!({ "assets": ["1"] }),
    ] {
        let outcome = lock(&mut scene, wrong.clone());
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{wrong}");
    }
    let many: Vec<u32> = (0..1_001).collect();
    let outcome = lock(&mut scene, json!({ "assets": many }));
    assert_eq!(outcome.code(), "E_TOO_MANY");
}

#[test]
fn locked_metadata_stay() {
    let mut scene = scene();
    lock(&mut scene, json!({ "locks": ["metadata"] })).json();
    for change in [json!({ "title": "Dogs" }), json!({ "description": null })] {
        assert_locked(&update(&mut scene, change), "metadata");
    }
    let outcome = scene.sign(
        OWNER,
        "nft_update",
        json!({ "token_id": "1:1", "extra": "x" }),
    );
    assert_locked(&outcome, "metadata");
    let mint = json!({ "collection_id": 1, "receiver_ids": ["bob.near"], "metadata": { "title": "Mine" } });
    assert_locked(&scene.call(OWNER, "nft_batch_mint", mint), "metadata");
    // What is said again as it is, and what is no metadata, passes.
    update(
        &mut scene,
        json!({ "title": "Cats", "ongoing_royalties": {} }),
    )
    .json();
    scene.mint(1, &["bob.near"]).json();
}

#[test]
fn a_locked_supply_ends_all_mints_and_returns_what_they_had() {
    let mut scene = scene();
    let free = |scene: &Scene| -> u128 {
        let balance = scene.view("contract_balance", json!({}));
        balance["free"].as_str().unwrap().parse().unwrap()
    };
    let before = free(&scene);
    update(
        &mut scene,
        json!({ "phases": [{ "mint_fee": "0", "starts_at_ms": 1_900_000_000_000u64 }] }),
    )
    .json();
    lock(&mut scene, json!({ "locks": ["supply"] })).json();
    assert!(
        free(&scene) > before,
        "what was promised to later tokens is free"
    );
    assert_locked(&scene.mint(1, &["bob.near"]), "supply");
    assert_locked(&scene.public_mint("bob.near", 1, 0), "supply");
    let asked = json!({ "collection_id": 1, "account_id": "bob.near" });
    let eligibility = scene.view("mint_eligibility", asked);
    assert_eq!(
        (&eligibility["allowed"], &eligibility["code"]),
        (&json!(false), &json!("E_LOCKED"))
    );
    let phases = eligibility["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 2);
    for phase in phases {
        assert_eq!(
            (&phase["allowed"], &phase["code"], &phase["opens_at_ms"]),
            (&json!(false), &json!("E_LOCKED"), &Value::Null)
        );
    }
    // The tokens that are there are nobody's concern.
    assert!(scene.transfer("alice.near", "bob.near", "1:1").succeeded());
    let draft = harness::mintage::create_args(
        &json!({ "title": "Draft" }),
        false,
        AssetBatch::new(9, 2, 1),
    );
    scene.call_raw(OWNER, "collection_create", draft).json();
    let args = json!({ "collection_id": 2, "locks": ["supply"] });
    let outcome = scene.sign(OWNER, "collection_lock", args);
    assert_eq!(outcome.code(), "E_NOT_PUBLISHED");
}

/// Neither the sum nor an account nor its share changes, up or down; what mints pay is no promise to holders.
#[test]
fn locked_royalties_stay() {
    let mut scene = scene();
    let both = json!({ "ongoing_royalties": { "artist.near": 500, "studio.near": 300 } });
    update(&mut scene, both).json();
    let can_change = |scene: &Scene| {
        scene.view("collection", json!({ "collection_id": 1 }))["ongoing_royalties_can_change"]
            .clone()
    };
    assert_eq!(can_change(&scene), true);
    lock(&mut scene, json!({ "locks": ["royalties"] })).json();
    assert_eq!(can_change(&scene), false);
    for royalties in [
        json!({ "artist.near": 501, "studio.near": 300 }),
        json!({ "heir.near": 500, "studio.near": 300 }),
        json!({ "artist.near": 300, "studio.near": 500 }),
        json!({ "artist.near": 400, "studio.near": 300 }),
        json!({ "artist.near": 500 }),
        json!({ "artist.near": 500, "studio.near": 299, "heir.near": 1 }),
        Value::Null,
    ] {
        let change = json!({ "ongoing_royalties": royalties });
        assert_locked(&update(&mut scene, change), "royalties");
    }
    let same = json!({ "studio.near": 300, "artist.near": 500 });
    update(&mut scene, json!({ "ongoing_royalties": same })).json();
    let initial = json!({ "initial_royalties": { "artist.near": 9_000 } });
    update(&mut scene, initial).json();
    let asked = json!({ "token_id": "1:1", "balance": "10000" });
    let payout = scene.view("nft_payout", asked);
    assert_eq!(payout["payout"]["artist.near"], "500");
}

#[test]
fn locked_transfers_only_widen() {
    let mut scene = scene();
    update(&mut scene, json!({ "allow_transfers": false })).json();
    let outcome = lock(&mut scene, json!({ "locks": ["transfers"] }));
    assert_eq!(outcome.code(), "E_INVALID_ARGUMENT");
    update(&mut scene, json!({ "allow_transfers": true })).json();
    lock(&mut scene, json!({ "locks": ["transfers"] })).json();
    for change in [
        json!({ "allow_transfers": false }),
        json!({ "allow_approvals": false }),
        json!({ "transfers_denied_accounts": ["x.near", "market.near"] }),
        json!({ "approvals_denied_accounts": ["market.near"] }),
        json!({ "approvals_allowed_accounts": ["market.near"] }),
    ] {
        assert_locked(&update(&mut scene, change), "transfers");
    }
    assert!(scene.transfer("alice.near", "bob.near", "1:1").succeeded());
    update(&mut scene, json!({ "transfers_denied_accounts": null })).json();
    let outcome = update(
        &mut scene,
        json!({ "transfers_denied_accounts": ["x.near"] }),
    );
    assert_locked(&outcome, "transfers");
}

/// A locked token shows what it showed, whatever becomes of its collection's title and description.
#[test]
fn a_locked_token_stays_as_it_is() {
    let mut scene = scene();
    let change = json!({ "token_id": "1:2", "extra": "{\"a\":1}" });
    scene.sign(OWNER, "nft_update", change.clone()).json();
    for token in ["1:1", "1:2"] {
        let before = scene.token(token);
        let outcome = scene.sign(OWNER, "nft_lock", json!({ "token_id": token }));
        let event = json!({
            "standard": "mintage", "version": "1.0.0", "event": "lock",
            "data": [{ "token_id": token, "locks": ["metadata"] }]
        });
        assert_eq!(outcome.events(), [event]);
        let mut expected = before;
        expected["locks"] = json!(["metadata"]);
        assert_eq!(scene.token(token), expected);
        let again = scene.sign(OWNER, "nft_lock", json!({ "token_id": token }));
        assert!(again.succeeded());
        scene.chain.advance(5);
        update(
            &mut scene,
            json!({ "title": "Dogs", "description": "Loud" }),
        )
        .json();
        assert_eq!(scene.token(token), expected);
        update(
            &mut scene,
            json!({ "title": "Cats", "description": "Soft" }),
        )
        .json();
        let outcome = scene.sign(
            OWNER,
            "nft_update",
            json!({ "token_id": token, "extra": null }),
        );
        assert_locked(&outcome, "metadata");
    }
    assert_eq!(scene.token("1:3")["locks"], json!([]));
    scene
        .sign(
            OWNER,
            "nft_update",
            json!({ "token_id": "1:3", "extra": "x" }),
        )
        .json();
    // It is the owner's all the same.
    assert!(scene.transfer("alice.near", "bob.near", "1:1").succeeded());
    assert_eq!(scene.token("1:1")["locks"], json!(["metadata"]));
}

#[test]
fn tokens_of_a_locked_asset_stay_as_they_are() {
    let mut scene = scene();
    let media = |scene: &Scene, token: &str| scene.token(token)["metadata"]["media"].clone();
    let assets = scene.view("collection_assets", json!({ "collection_id": 1 }));
    let outcome = lock(&mut scene, json!({ "assets": [0, 2] }));
    assert_eq!(
        outcome.events()[0]["data"],
        json!([{ "collection_id": 1, "locks": [], "assets": [0, 2] }])
    );
    assert_eq!(
        scene.view("collection", json!({ "collection_id": 1 }))["locked_assets"],
        2
    );
    let (mut locked, mut open) = (0, 0);
    for number in 1..=6 {
        let token = format!("1:{number}");
        let free = media(&scene, &token) == assets[1]["media"];
        let change = json!({ "token_id": token, "extra": "x" });
        let outcome = scene.sign(OWNER, "nft_update", change);
        if free {
            assert!(outcome.succeeded());
            open += 1;
        } else {
            assert_locked(&outcome, "metadata");
            locked += 1;
        }
        let locks = if free { json!([]) } else { json!(["metadata"]) };
        assert_eq!(scene.token(&token)["locks"], locks);
    }
    // They show the collection's texts, which therefore stay.
    for change in [json!({ "title": "Dogs" }), json!({ "description": null })] {
        assert_locked(&update(&mut scene, change), "metadata");
    }
    let same = json!({ "title": "Cats", "description": "Soft", "ongoing_royalties": {} });
    update(&mut scene, same).json();
    assert!(locked > 0 && open > 0, "{locked} and {open}");
    // Which asset a mint will draw nobody knows: it may be a locked one.
    let mint = json!({ "collection_id": 1, "receiver_ids": ["bob.near"], "metadata": { "title": "Mine" } });
    assert_locked(&scene.call(OWNER, "nft_batch_mint", mint), "metadata");
}

//! Upgrades: from the previous build to this one with everything kept, and upgrades that fail and change nothing.
//!
//! `fixtures/previous.wasm` is the build that was committed before the present one. Whoever changes the storage layout
//! puts the build of the layout before there.

use harness::mintage::{
    AssetBatch, CONTRACT, OWNER, Scene, add_assets_args, create_args, create_args_with, digest,
    wasm, workspace,
};
use harness::stub::{Behaviour, contract};
use harness::{AccountContract, CryptoHash, Failure, NEAR, TransactionOutcome};
use serde_json::{Value, json};

/// The external id of the collection of 10,000.
const MANY: [u8; 16] = [42; 16];

/// A contract in full use, run by the previous build.
fn previous() -> Scene {
    let code = std::fs::read(workspace("harness/fixtures/previous.wasm")).unwrap();
    let mut scene = Scene::new(&code, 100 * NEAR);
    scene.accounts(["alice.near", "bob.near", "carol.near"]);
    let settings = json!({
        "public_mint_config": { "mint_fee": NEAR.to_string(), "limit_per_account": 5 },
        "private_mint_config": { "mint_fee": (NEAR / 2).to_string(), "limit_per_account": 2 },
        "initial_royalties": { "carol.near": 1000 }, "ongoing_royalties": { "carol.near": 500 },
        "bypass_mint_fee_accounts": ["bob.near"], "transfers_denied_accounts": ["nobody.near"]
    });
    scene.collection(settings, AssetBatch::new(0, 300, 2));
    let many = AssetBatch {
        copies: vec![(5_000, 1), (1, 3), (4_999, 1)],
        subtitles: (0..200).map(|n| format!("Kind {n} #$TOKEN_NUM")).collect(),
        subtitle_runs: (0..200).map(|n| (50, n + 1)).collect(),
        references: (0..10_000).flat_map(digest).collect(),
        ..AssetBatch::new(0, 10_000, 1)
    };
    let args = create_args_with(MANY, &json!({ "title": "Many" }), true, many);
    scene.call_raw(OWNER, "collection_create", args).json();
    for collection in [1, 2] {
        for owner in ["alice.near", "bob.near", "alice.near"] {
            scene.mint_many(collection, owner, 50).json();
        }
    }
    let list: Vec<String> = (0..500)
        .map(|n| format!("fan-{n}.near"))
        .chain(["alice.near".to_owned()])
        .collect();
    for some in list.chunks(300) {
        scene
            .call(
                OWNER,
                "allowlist_add",
                json!({ "collection_id": 1, "account_ids": some }),
            )
            .json();
    }
    scene.public_mint("alice.near", 1, NEAR).json();
    scene
        .transfer("alice.near", "carol.near", "1:7")
        .result()
        .unwrap();
    scene
        .pay(
            "alice.near",
            "nft_approve",
            json!({ "token_id": "1:8", "account_id": "market.near" }),
            NEAR / 10,
        )
        .json();
    scene
        .call(
            OWNER,
            "nft_update",
            json!({ "token_id": "2:3", "title": "Own", "extra": "{}" }),
        )
        .json();
    scene
        .sign(OWNER, "owner_propose", json!({ "account_id": "bob.near" }))
        .json();
    scene
}

/// All that can be seen of the contract.
fn seen(scene: &Scene) -> Vec<(String, Value)> {
    let mut asked = vec![
        ("nft_metadata", json!({})),
        ("nft_total_supply", json!({})),
        ("collections", json!({})),
        ("contract_roles", json!({})),
        (
            "is_allowlisted",
            json!({ "collection_id": 1, "account_id": "fan-123.near" }),
        ),
        (
            "is_allowlisted",
            json!({ "collection_id": 1, "account_id": "fan-501.near" }),
        ),
        (
            "nft_payout",
            json!({ "token_id": "1:8", "balance": "10000" }),
        ),
        (
            "nft_is_approved",
            json!({ "token_id": "1:8", "approved_account_id": "market.near" }),
        ),
    ];
    for account in ["alice.near", "bob.near", "carol.near"] {
        asked.push((
            "mint_eligibility",
            json!({ "collection_id": 1, "account_id": account }),
        ));
        asked.push(("nft_supply_for_owner", json!({ "account_id": account })));
        for from in ["0", "100", "200"] {
            asked.push((
                "nft_tokens_for_owner",
                json!({ "account_id": account, "from_index": from }),
            ));
        }
    }
    for collection in [1, 2] {
        for from in [0, 100, 200, 4_050, 4_990, 9_900] {
            asked.push((
                "collection_tokens",
                json!({ "collection_id": collection, "from_index": from }),
            ));
            asked.push((
                "collection_assets",
                json!({ "collection_id": collection, "from_index": from }),
            ));
        }
    }
    asked
        .into_iter()
        .map(|(method, args)| (format!("{method} {args}"), scene.view(method, args)))
        .collect()
}

/// What was shown before is shown still; objects may have more fields now.
fn assert_kept(before: &Value, after: &Value, asked: &str) {
    match (before, after) {
        (Value::Object(fields), Value::Object(now)) if !fields.is_empty() => {
            for (name, value) in fields {
                let now = now
                    .get(name)
                    .unwrap_or_else(|| panic!("{asked}: no {name}"));
                assert_kept(value, now, &format!("{asked}, {name}"));
            }
        }
        (Value::Array(items), Value::Array(now)) => {
            assert_eq!(items.len(), now.len(), "{asked}");
            for (item, now) in items.iter().zip(now) {
                assert_kept(item, now, asked);
            }
        }
        _ => assert_eq!(before, after, "{asked}"),
    }
}

fn upgrade(scene: &mut Scene, hash: CryptoHash) -> TransactionOutcome {
    scene.sign(OWNER, "upgrade", json!({ "code_hash": hash.to_string() }))
}

fn assert_works(scene: &mut Scene) {
    let supply: u32 = scene
        .view("nft_total_supply", json!({}))
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    scene.mint_many(1, "carol.near", 3).json();
    scene.mint_many(2, "bob.near", 60).json();
    scene.public_mint("bob.near", 1, 0).json();
    let args = json!({ "receiver_id": "market.near", "token_id": "1:8", "approval_id": 1 });
    scene.chain.create_account("market.near", NEAR);
    scene
        .sign("market.near", "nft_transfer", args)
        .result()
        .unwrap();
    scene
        .call(
            OWNER,
            "allowlist_remove",
            json!({ "collection_id": 1, "account_ids": ["fan-1.near"] }),
        )
        .json();
    assert_eq!(
        scene.view("nft_total_supply", json!({})),
        json!((supply + 64).to_string())
    );
    assert_eq!(scene.view("contract_balance", json!({}))["owed"], "0");
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn everything_survives_an_upgrade_from_the_previous_build() {
    let mut scene = previous();
    let before = seen(&scene);
    let hash = scene.chain.publish(&wasm());
    let outcome = upgrade(&mut scene, hash);
    assert!(outcome.succeeded(), "{:?}", outcome.failure());
    assert_eq!(
        scene.chain.contract_of(CONTRACT),
        &AccountContract::Global(hash)
    );
    for ((asked, before), (_, after)) in before.iter().zip(seen(&scene)) {
        assert_kept(before, &after, asked);
    }
    assert_works(&mut scene);
    // What the owner earned is counted from here on. The platform has 5% of it, carol 10%.
    let earned =
        |scene: &Scene| scene.view("collection", json!({ "collection_id": 1 }))["earned"].clone();
    assert_eq!(earned(&scene), json!("0"));
    scene.public_mint("carol.near", 1, NEAR).json();
    let rest = NEAR - 27 * NEAR / 10_000;
    assert_eq!(earned(&scene), json!((rest / 100 * 85).to_string()));
}

/// The pages of assets follow, one a call, and nothing that is shown changes by it; a draft goes on once they have.
#[test]
fn pages_of_assets_are_taken_over_one_by_one() {
    let mut scene = previous();
    let draft = json!({ "title": "Draft" });
    let draft = create_args(&draft, false, AssetBatch::new(0, 700, 2));
    scene.call_raw(OWNER, "collection_create", draft).json();
    let hash = scene.chain.publish(&wasm());
    upgrade(&mut scene, hash).json();
    let before = seen(&scene);
    let more = || add_assets_args(3, 700, AssetBatch::new(700, 400, 1));
    let refused = scene.call_raw(OWNER, "collection_add_assets", more());
    assert_eq!(refused.code(), "E_MIGRATION");
    let mut calls = 0;
    for collection in 1..=3 {
        let args = json!({ "collection_id": collection });
        while scene.call(OWNER, "collection_migrate", args.clone()).json() != 0 {
            calls += 1;
            assert_eq!(seen(&scene), before, "collection {collection}");
        }
    }
    assert_eq!(calls, 2, "10,000 assets are on three pages");
    assert_eq!(seen(&scene), before);
    let old = |key: &[u8]| matches!(key[0], b'h' | b'f' | b's');
    let records = scene.chain.records(CONTRACT).into_iter();
    assert_eq!(records.filter(|(key, _)| old(key)).count(), 0);
    // An external id of before is known by now.
    let again = json!({ "title": "Many" });
    let again = create_args_with(MANY, &again, true, AssetBatch::new(0, 1, 1));
    let outcome = scene.call_raw(OWNER, "collection_create", again);
    assert_eq!(outcome.code(), "E_EXTERNAL_ID_TAKEN");
    scene
        .call_raw(OWNER, "collection_add_assets", more())
        .json();
    scene
        .call(OWNER, "collection_publish", json!({ "collection_id": 3 }))
        .json();
    let args = json!({ "collection_id": 3, "from_index": 1_099 });
    let last = scene.view("collection_assets", args);
    assert_eq!(
        (&last[0]["copies"], &last[0]["remaining"]),
        (&json!(1), &json!(1))
    );
    assert_works(&mut scene);
}

/// The contract of before asked nobody whether an external id is known, so the ids that it has are noted first: until
/// each collection has been taken over, none is made that could have an id of before.
#[test]
fn nothing_is_created_before_the_ids_of_layout_2_are_known() {
    let mut scene = previous();
    let create = |id: [u8; 16]| {
        let settings = json!({ "title": "Once more" });
        create_args_with(id, &settings, true, AssetBatch::new(0, 1, 1))
    };
    // Two collections with one id, and a draft without assets.
    scene
        .call_raw(OWNER, "collection_create", create(MANY))
        .json();
    let draft = create_args_with(
        [43; 16],
        &json!({ "title": "Draft" }),
        false,
        AssetBatch::default(),
    );
    scene.call_raw(OWNER, "collection_create", draft).json();
    let hash = scene.chain.publish(&wasm());
    upgrade(&mut scene, hash).json();
    let code = |scene: &Scene, id: [u8; 16]| {
        let outcome = scene
            .clone()
            .call_raw(OWNER, "collection_create", create(id));
        outcome.code().to_owned()
    };
    let migrate = |scene: &mut Scene, collection: u32| {
        let args = json!({ "collection_id": collection });
        while scene.call(OWNER, "collection_migrate", args.clone()).json() != 0 {}
    };
    for (collection, known) in [
        (4, &[][..]),
        (2, &[[43; 16]]),
        (1, &[[43; 16], MANY]),
        (3, &[[43; 16], MANY]),
    ] {
        for id in [MANY, [43; 16], [44; 16]] {
            let expected = match known.contains(&id) {
                true => "E_EXTERNAL_ID_TAKEN",
                false => "E_MIGRATION",
            };
            assert_eq!(code(&scene, id), expected, "before {collection}");
        }
        // Settings that are changed note the id as well. A call more than it takes counts no other collection as done.
        if collection == 1 {
            let title = json!({ "collection_id": 1, "title": "Title" });
            let outcome = scene.sign(OWNER, "collection_update", title);
            assert!(outcome.succeeded(), "{}", outcome.code());
        } else {
            migrate(&mut scene, collection);
        }
        migrate(&mut scene, collection);
    }
    for id in [MANY, [43; 16]] {
        assert_eq!(code(&scene, id), "E_EXTERNAL_ID_TAKEN");
    }
    let made = scene
        .call_raw(OWNER, "collection_create", create([44; 16]))
        .json();
    assert_eq!(made, 5);
    assert_works(&mut scene);
}

/// A contract that holds less than its tokens can come to need says what is missing. Nothing is minted until that is
/// there, and everything that is owed or owned moves all the same.
#[test]
fn an_upgrade_brings_a_shortage_to_light_and_harms_nobody() {
    let mut scene = previous();
    scene.sign(OWNER, "withdraw", json!({})).json();
    let hash = scene.chain.publish(&wasm());
    upgrade(&mut scene, hash).json();
    let balance = scene.view("contract_balance", json!({}));
    let missing: u128 = balance["missing"].as_str().unwrap().parse().unwrap();
    assert!(missing > NEAR / 10, "{balance}");
    assert_eq!(scene.mint(1, &["alice.near"]).code(), "E_STORAGE_BALANCE");
    let asked = json!({ "collection_id": 1, "account_id": "bob.near" });
    assert_eq!(
        scene.view("mint_eligibility", asked)["code"],
        "E_STORAGE_BALANCE"
    );
    let revoke = json!({ "token_id": "1:8", "account_id": "market.near" });
    let outcome = scene.sign("alice.near", "nft_revoke", revoke);
    assert!(outcome.succeeded(), "{}", outcome.code());
    let outcome = scene.transfer("alice.near", "bob.near", "1:8");
    assert!(outcome.succeeded(), "{}", outcome.code());
    let top_up = harness::Action::Transfer(missing + NEAR / 5);
    scene.chain.transact("bob.near", CONTRACT, vec![top_up]);
    assert!(scene.mint(1, &["alice.near"]).succeeded());
}

/// Failed upgrades leave code and storage as they were, and the contract at work.
fn assert_refused(
    hash: impl FnOnce(&mut Scene) -> CryptoHash,
    check: impl FnOnce(&Failure) -> bool,
) {
    let mut scene = previous();
    let (before, code) = (seen(&scene), scene.chain.contract_of(CONTRACT).clone());
    let hash = hash(&mut scene);
    let outcome = upgrade(&mut scene, hash);
    assert!(check(outcome.failure()), "{:?}", outcome.failure());
    assert_eq!(scene.chain.contract_of(CONTRACT), &code);
    assert_eq!(seen(&scene), before);
    assert_works(&mut scene);
}

#[test]
fn a_migration_that_panics_undoes_the_upgrade() {
    let code = contract(&[(
        "migrate",
        Behaviour::Panic("E_MIGRATION: not from here".into()),
    )]);
    assert_refused(
        |scene| scene.chain.publish(&code),
        |failure| failure.code() == Some("E_MIGRATION"),
    );
}

#[test]
fn a_migration_that_runs_out_of_gas_undoes_the_upgrade() {
    let code = contract(&[("migrate", Behaviour::BurnAllGas)]);
    assert_refused(|scene| scene.chain.publish(&code), Failure::out_of_gas);
}

#[test]
fn a_migration_that_wrote_before_it_failed_leaves_nothing() {
    // The first action writes; storage that the balance cannot cover makes the whole receipt fail.
    let code = contract(&[("migrate", Behaviour::Write(b"x".to_vec(), vec![7; 60_000]))]);
    let mut scene = previous();
    scene.sign(OWNER, "withdraw", json!({})).json();
    let hash = scene.chain.publish(&code);
    let records = scene.chain.records(CONTRACT);
    let outcome = upgrade(&mut scene, hash);
    assert!(
        matches!(outcome.failure(), Failure::LackBalanceForState(_)),
        "{:?}",
        outcome.failure()
    );
    assert_eq!(scene.chain.records(CONTRACT), records);
}

#[test]
fn code_without_a_migration_is_refused() {
    let code = contract(&[("other", Behaviour::Nothing)]);
    assert_refused(
        |scene| scene.chain.publish(&code),
        |failure| matches!(failure, Failure::Call(_)),
    );
}

#[test]
fn code_that_is_not_published_is_refused() {
    let unknown = CryptoHash::hash_bytes(b"nowhere");
    assert_refused(
        move |_| unknown,
        |failure| failure == &Failure::GlobalContractDoesNotExist,
    );
}

#[test]
fn a_hash_that_is_none_is_refused() {
    let mut scene = previous();
    for hash in [
        "",
        "abc",
        "0OIl",
        &"1".repeat(31),
        &"z".repeat(44),
        &"1".repeat(100),
    ] {
        let outcome = scene.sign(OWNER, "upgrade", json!({ "code_hash": hash }));
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{hash}");
    }
}

/// Storage of a layout that the code does not know is left alone, with a message instead of nonsense.
#[test]
fn storage_of_an_unknown_layout_is_refused() {
    let mut scene = previous();
    // The contract's own record, whose first byte is the layout, stands under `R`.
    let stranger = Behaviour::Write(b"R".to_vec(), vec![255, 1, 2, 3]);
    let stranger = contract(&[("migrate", stranger)]);
    let hash = scene.chain.publish(&stranger);
    assert!(upgrade(&mut scene, hash).succeeded());
    // The stranger took over; back to our code by the account itself, since it knows no `upgrade`.
    let ours = scene.chain.publish(&wasm());
    let back = harness::Action::UseGlobal(ours);
    let migrate = harness::Action::call("migrate", json!({}), 50 * harness::TGAS, 0);
    let outcome = scene
        .chain
        .transact(CONTRACT, CONTRACT, vec![back.clone(), migrate]);
    assert_eq!(outcome.code(), "E_MIGRATION");
    assert!(
        scene
            .chain
            .transact(CONTRACT, CONTRACT, vec![back])
            .succeeded()
    );
    let failure = scene.try_view("contract_roles", json!({})).unwrap_err();
    assert_eq!(failure.code(), Some("E_MIGRATION"));
}

/// A full-access key may deploy this code without `migrate`. A collection of layout 2 with more pages of copies than this
/// layout has would get a header that nobody can read: its calls are refused, and work once `migrate` has run.
#[test]
fn code_without_its_migration_writes_no_header_that_it_can_not_read() {
    let code = std::fs::read(workspace("harness/fixtures/previous.wasm")).unwrap();
    let mut scene = Scene::new(&code, 400 * NEAR);
    scene.accounts(["alice.near"]);
    let draft = create_args(&json!({ "title": "Wide" }), false, AssetBatch::default());
    scene.call_raw(OWNER, "collection_create", draft).json();
    for first in (0..40_000).step_by(4_000) {
        let batch = add_assets_args(1, first, AssetBatch::new(first, 4_000, 200));
        scene.call_raw(OWNER, "collection_add_assets", batch).json();
    }
    let publish = json!({ "collection_id": 1 });
    scene.call(OWNER, "collection_publish", publish).json();
    scene.mint_many(1, "alice.near", 5).json();
    let ours = harness::Action::UseGlobal(scene.chain.publish(&wasm()));
    let deployed = scene.chain.transact(CONTRACT, CONTRACT, vec![ours]);
    assert!(deployed.succeeded(), "{}", deployed.code());
    let records = scene.chain.records(CONTRACT);
    let refused = scene.transfer("alice.near", "bob.near", "1:3");
    assert_eq!(refused.code(), "E_MIGRATION");
    assert!(
        scene.chain.records(CONTRACT) == records,
        "nothing is written"
    );
    let migrate = harness::Action::call("migrate", json!({}), 300 * harness::TGAS, 0);
    let migrated = scene.chain.transact(CONTRACT, CONTRACT, vec![migrate]);
    assert!(migrated.succeeded(), "{}", migrated.code());
    let moved = scene.transfer("alice.near", "bob.near", "1:3");
    assert!(moved.succeeded(), "{}", moved.code());
    assert_eq!(scene.owner_of("1:3"), "bob.near");
    scene.mint_many(1, "alice.near", 3).json();
}

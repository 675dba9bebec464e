//! Upgrades: from the previous build to this one with everything kept, and upgrades that fail and change nothing.
//!
//! `fixtures/previous.wasm` is a build of the present layout with another hash. Whoever changes the storage layout puts the
//! build of the layout before there.

use harness::mintage::{
    ADMIN, AssetBatch, CONTRACT, OWNER, Scene, create_args_with, digest, wasm, workspace,
};
use harness::stub::{Behaviour, contract};
use harness::{AccountContract, Action, CryptoHash, Failure, NEAR, TGAS, TransactionOutcome};
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
        .sign(
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
    scene.upgrade(&hash.to_string())
}

/// `deposit`: what the code takes for changes of lists, which was nothing before.
fn assert_works(scene: &mut Scene, deposit: u128) {
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
        .pay(
            OWNER,
            "allowlist_remove",
            json!({ "collection_id": 1, "account_ids": ["fan-1.near"] }),
            deposit,
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
    assert_works(&mut scene, 1);
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
    assert_works(&mut scene, 0);
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
    let mut scene = Scene::default();
    let hash = scene.chain.publish(&code).to_string();
    let args = json!({ "code_hash": hash });
    scene.sign(OWNER, "upgrade_announce", args.clone()).json();
    scene.sign(OWNER, "withdraw", json!({})).json();
    let records = scene.chain.records(CONTRACT);
    let outcome = scene.sign(OWNER, "upgrade", args);
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
        for method in ["upgrade_announce", "upgrade"] {
            let outcome = scene.sign(OWNER, method, json!({ "code_hash": hash }));
            assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{hash}");
        }
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

/// A contract with a delay shows what is announced, and takes it from the announced height on, that code alone.
#[test]
fn an_upgrade_is_announced_ahead() {
    let mut scene = Scene::with_delay(&wasm(), 50);
    scene.accounts(["alice.near"]);
    let hash = scene.chain.publish(&wasm()).to_string();
    let other = scene
        .chain
        .publish(&contract(&[("migrate", Behaviour::Nothing)]))
        .to_string();
    let shown = |scene: &Scene| scene.view("contract_upgrade", json!({}));
    let none =
        json!({ "locked": false, "delay_blocks": 50, "code_hash": null, "earliest_height": null });
    assert_eq!(shown(&scene), none);
    let carry_out =
        |scene: &mut Scene, hash: &str| scene.sign(OWNER, "upgrade", json!({ "code_hash": hash }));
    assert_eq!(carry_out(&mut scene, &hash).code(), "E_UPGRADE_NOT_DUE");
    let announced = scene.sign(OWNER, "upgrade_announce", json!({ "code_hash": hash }));
    let height = announced.json().as_u64().unwrap();
    let event = json!({
        "standard": "mintage", "version": "1.0.0", "event": "upgrade",
        "data": [{ "code_hash": hash, "earliest_height": height }]
    });
    assert_eq!(announced.events(), [event]);
    assert_eq!(shown(&scene)["earliest_height"], height);
    assert_eq!(carry_out(&mut scene, &hash).code(), "E_UPGRADE_NOT_DUE");
    // Another announcement restarts the delay, and one that is taken back is gone.
    scene.chain.advance(30);
    let again = scene.sign(OWNER, "upgrade_announce", json!({ "code_hash": hash }));
    assert!(again.json().as_u64().unwrap() >= height + 30);
    scene.chain.advance(30);
    assert_eq!(carry_out(&mut scene, &hash).code(), "E_UPGRADE_NOT_DUE");
    scene.chain.advance(30);
    assert_eq!(carry_out(&mut scene, &other).code(), "E_UPGRADE_NOT_DUE");
    assert_eq!(
        scene.sign(OWNER, "upgrade_announce", json!({})).json(),
        Value::Null
    );
    assert_eq!(shown(&scene), none);
    assert_eq!(carry_out(&mut scene, &hash).code(), "E_UPGRADE_NOT_DUE");
    scene
        .sign(OWNER, "upgrade_announce", json!({ "code_hash": hash }))
        .json();
    scene.chain.advance(60);
    assert!(carry_out(&mut scene, &hash).succeeded());
    assert_eq!(shown(&scene), none);
}

/// The lock `code` ends all upgrades; one that is announced has to be taken back first, because it may be on its way.
#[test]
fn locked_code_stays() {
    let mut scene = Scene::default();
    scene.collection(json!({}), AssetBatch::new(0, 1, 1));
    let hash = scene.chain.publish(&wasm()).to_string();
    let args = json!({ "code_hash": hash });
    let lock = json!({ "collection_id": 1, "locks": ["code"] });
    scene.sign(OWNER, "upgrade_announce", args.clone()).json();
    let refused = scene.sign(OWNER, "collection_lock", lock.clone());
    assert_eq!(refused.code(), "E_INVALID_ARGUMENT");
    assert_eq!(
        scene.view("collection", json!({ "collection_id": 1 }))["locks"],
        json!([])
    );
    scene.sign(OWNER, "upgrade_announce", json!({})).json();
    // An admin may set every other lock, but the code is the owner's.
    let refused = scene.sign(ADMIN, "collection_lock", lock.clone());
    assert_eq!(refused.code(), "E_UNAUTHORIZED");
    assert_eq!(scene.view("contract_upgrade", json!({}))["locked"], false);
    scene.sign(OWNER, "collection_lock", lock).json();
    for method in ["upgrade_announce", "upgrade"] {
        assert_eq!(scene.sign(OWNER, method, args.clone()).code(), "E_LOCKED");
    }
    assert_eq!(scene.view("contract_upgrade", json!({}))["locked"], true);
    assert_eq!(
        scene.view("collection", json!({ "collection_id": 1 }))["locks"],
        json!(["code"])
    );
}

/// A contract whose delay of 3 blocks is over for our code, and that code's hash. `code`: what it runs until then.
fn due(code: &[u8]) -> (Scene, String) {
    let mut scene = Scene::with_delay(code, 3);
    scene.collection(json!({}), AssetBatch::new(0, 1, 1));
    let hash = scene.chain.publish(&wasm()).to_string();
    let args = json!({ "code_hash": hash });
    scene.sign(OWNER, "upgrade_announce", args).json();
    scene.chain.advance(5);
    (scene, hash)
}

/// What the owner does in one transaction: an upgrade, whose batch runs in the next block, and more beside it.
fn with_upgrade(scene: &mut Scene, hash: &str, more: Vec<(&str, Value)>) {
    let args = json!({ "code_hash": hash });
    let calls = [("upgrade", args)].into_iter().chain(more);
    let actions = calls
        .map(|(method, args)| Action::call(method, args, 60 * TGAS, 1))
        .collect();
    let sent = scene.chain.submit(OWNER, CONTRACT, actions).unwrap();
    scene.chain.settle();
    scene.chain.advance(1);
    let outcome = scene.chain.outcome(sent);
    // What is beside the upgrade was accepted: the last call's answer is the transaction's.
    assert!(outcome.succeeded(), "{:?}", outcome.failure());
}

/// Whoever locks the code, takes an upgrade back or announces another while an upgrade's batch is under way, has the code
/// that was there.
#[test]
fn an_upgrade_under_way_ends_with_its_announcement() {
    let lock = (
        "collection_lock",
        json!({ "collection_id": 1, "locks": ["code"] }),
    );
    let back = ("upgrade_announce", json!({}));
    let stranger = contract(&[("migrate", Behaviour::Nothing)]);
    let other = CryptoHash::hash_bytes(b"other").to_string();
    for (ours, more) in [
        (true, vec![back.clone(), lock.clone()]),
        (true, vec![back.clone()]),
        (
            true,
            vec![("upgrade_announce", json!({ "code_hash": other }))],
        ),
        // Code that knows nothing of locks has no say in it.
        (false, vec![back, lock]),
    ] {
        let (mut scene, mut hash) = due(&wasm());
        if !ours {
            hash = scene.chain.publish(&stranger).to_string();
            let args = json!({ "code_hash": hash });
            scene.sign(OWNER, "upgrade_announce", args).json();
            scene.chain.advance(5);
        }
        let code = scene.chain.contract_of(CONTRACT).clone();
        let locks = more.len() > 1;
        with_upgrade(&mut scene, &hash, more);
        assert_eq!(scene.chain.contract_of(CONTRACT), &code);
        let shown = scene.view("contract_upgrade", json!({}));
        assert_eq!(shown["locked"], locks);
        scene.mint(1, &["alice.near"]).json();
        assert_eq!(scene.chain.unaccounted(), 0);
    }
    // The same code announced anew has a delay of its own.
    let (mut scene, hash) = due(&wasm());
    let code = scene.chain.contract_of(CONTRACT).clone();
    let anew = ("upgrade_announce", json!({ "code_hash": hash }));
    with_upgrade(&mut scene, &hash, vec![anew]);
    assert_eq!(scene.chain.contract_of(CONTRACT), &code);
    scene.chain.advance(5);
    let again = scene.sign(OWNER, "upgrade", json!({ "code_hash": hash }));
    assert!(again.succeeded(), "{:?}", again.failure());
}

/// Of two upgrades under way the first switches; the code that it put in place refuses the second, and is locked for good.
#[test]
fn a_second_upgrade_under_way_changes_nothing() {
    let (mut scene, hash) = due(&wasm());
    let upgrade = json!({ "code_hash": hash });
    let sent = |scene: &mut Scene| {
        let action = Action::call("upgrade", upgrade.clone(), 100 * TGAS, 1);
        scene.chain.submit(OWNER, CONTRACT, vec![action]).unwrap()
    };
    let (first, second) = (sent(&mut scene), sent(&mut scene));
    scene.chain.settle();
    scene.chain.advance(1);
    assert!(scene.chain.outcome(first).succeeded());
    let second = scene.chain.outcome(second);
    assert_eq!(second.code(), "E_UPGRADE_NOT_DUE");
    assert_eq!(
        scene.view("contract_upgrade", json!({}))["code_hash"],
        Value::Null
    );
    let lock = json!({ "collection_id": 1, "locks": ["code"] });
    scene.sign(OWNER, "collection_lock", lock).json();
    assert_eq!(scene.sign(OWNER, "upgrade", upgrade).code(), "E_LOCKED");
}

/// A batch that failed leaves the announcement: it can be carried out, or taken back and the code locked.
#[test]
fn a_failed_upgrade_can_be_tried_again_or_locked_out() {
    for locks in [false, true] {
        let (mut scene, _) = due(&wasm());
        let code = contract(&[("migrate", Behaviour::Panic("E_MIGRATION: no".into()))]);
        let hash = scene.chain.publish(&code).to_string();
        let args = json!({ "code_hash": hash });
        scene.sign(OWNER, "upgrade_announce", args.clone()).json();
        scene.chain.advance(5);
        let before = scene.view("contract_upgrade", json!({}));
        for _ in 0..2 {
            let outcome = scene.sign(OWNER, "upgrade", args.clone());
            assert_eq!(outcome.code(), "E_MIGRATION");
            assert_eq!(scene.view("contract_upgrade", json!({})), before);
        }
        if locks {
            scene.sign(OWNER, "upgrade_announce", json!({})).json();
            let lock = json!({ "collection_id": 1, "locks": ["code"] });
            scene.sign(OWNER, "collection_lock", lock).json();
            assert_eq!(scene.sign(OWNER, "upgrade", args).code(), "E_LOCKED");
        }
    }
}

/// The previous build doesn't check once more: there our migration refuses locked code.
#[test]
fn our_code_does_not_take_over_what_was_locked_meanwhile() {
    let previous = std::fs::read(workspace("harness/fixtures/previous.wasm")).unwrap();
    let (mut scene, hash) = due(&previous);
    let code = scene.chain.contract_of(CONTRACT).clone();
    let back = ("upgrade_announce", json!({}));
    let lock = json!({ "collection_id": 1, "locks": ["code"] });
    with_upgrade(&mut scene, &hash, vec![back, ("collection_lock", lock)]);
    assert_eq!(scene.chain.contract_of(CONTRACT), &code);
    assert_eq!(scene.view("contract_upgrade", json!({}))["locked"], true);
}

#[test]
fn the_check_of_an_upgrade_is_the_contracts_own() {
    let (mut scene, hash) = due(&wasm());
    scene.accounts(["alice.near"]);
    for caller in [OWNER, "alice.near"] {
        let outcome = scene.call(caller, "upgrade_check", json!({ "code_hash": hash }));
        assert_eq!(outcome.code(), "E_UNAUTHORIZED");
    }
}

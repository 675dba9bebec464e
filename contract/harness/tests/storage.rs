//! Storage does not grow by what people do with tokens, and is paid for.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene};
use harness::stub::{Behaviour, contract};
use harness::{Action, NEAR, TGAS};
use serde_json::json;

fn usage(scene: &Scene) -> i64 {
    scene.chain.storage_usage(CONTRACT) as i64
}

#[test]
fn a_token_sent_through_a_thousand_fresh_accounts_adds_at_most_one_record() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 1, 50));
    scene.mint_many(1, "bob.near", 40).json();
    scene.mint(1, &["alice.near"]).json();
    let (before, records) = (usage(&scene), scene.chain.records(CONTRACT).len());
    let mut holder = "alice.near".to_owned();
    for number in 0..1_000 {
        let next = format!("fresh-account-{number:04}.near");
        scene.chain.create_account(&next, NEAR);
        assert!(
            scene.transfer(&holder, &next, "1:41").succeeded(),
            "transfer {number}"
        );
        holder = next;
    }
    assert_eq!(scene.owner_of("1:41"), holder);
    let (grown, added) = (
        usage(&scene) - before,
        scene.chain.records(CONTRACT).len() - records,
    );
    assert!(added <= 1, "{added} records");
    assert!(grown <= 150, "{grown} bytes");
}

#[test]
fn tokens_sent_away_and_back_leave_nothing() {
    let mut scene = Scene::default();
    let names: Vec<String> = (0..40).map(|n| format!("holder-{n}.near")).collect();
    scene.accounts(names.iter().map(String::as_str));
    scene.collection(json!({}), AssetBatch::new(0, 1, 500));
    for name in &names {
        scene.mint_many(1, name, 7).json();
    }
    let before = usage(&scene);
    for round in 0..3 {
        for (at, name) in names.iter().enumerate() {
            for token in 1..=7 {
                let id = format!("1:{}", at * 7 + token);
                let stranger = format!("stranger-{round}-{at}-{token}.near");
                scene.chain.create_account(&stranger, NEAR);
                assert!(scene.transfer(name, &stranger, &id).succeeded());
                assert!(scene.transfer(&stranger, name, &id).succeeded());
            }
        }
    }
    let grown = usage(&scene) - before;
    assert!(grown <= 40 * 60, "{grown} bytes for 40 holders");
}

#[test]
fn approvals_given_and_revoked_leave_nothing() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 1, 5));
    scene.mint(1, &["alice.near"]).json();
    let before = usage(&scene);
    for number in 0..30 {
        let args = json!({ "token_id": "1:1", "account_id": format!("market-{number}.near") });
        scene
            .pay("alice.near", "nft_approve", args.clone(), NEAR / 10)
            .json();
        if number % 3 == 0 {
            scene.sign("alice.near", "nft_revoke", args).json();
        }
        if number % 10 == 9 {
            scene
                .sign("alice.near", "nft_revoke_all", json!({ "token_id": "1:1" }))
                .json();
        }
    }
    assert_eq!(usage(&scene), before);
}

#[test]
fn overrides_cleared_leave_nothing() {
    let mut scene = Scene::default();
    scene.collection(json!({}), AssetBatch::new(0, 1, 5));
    scene.mint_many(1, "alice.near", 3).json();
    let before = usage(&scene);
    for token in ["1:1", "1:2", "1:3"] {
        scene
            .sign(
                OWNER,
                "nft_update",
                json!({ "token_id": token, "title": "T", "extra": "x".repeat(500) }),
            )
            .json();
    }
    assert!(usage(&scene) > before);
    for token in ["1:1", "1:2", "1:3"] {
        scene
            .sign(
                OWNER,
                "nft_update",
                json!({ "token_id": token, "title": null, "extra": null }),
            )
            .json();
    }
    assert!(
        usage(&scene) - before <= 30,
        "{} bytes",
        usage(&scene) - before
    );
}

/// What a page of gas buys at worst: the dearest single calls there are, each within the limits of callers.
#[test]
fn the_dearest_calls_stay_within_their_gas() {
    let long = |n: usize| format!("{n:0>4}{}.near", "x".repeat(55));
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    let ten: serde_json::Map<String, serde_json::Value> =
        (0..10).map(|n| (long(n), json!(950))).collect();
    let list: Vec<String> = (0..500).map(|n| long(1_000 + n)).collect();
    let settings = json!({
        "title": "\u{1f600}".repeat(256), "description": "\u{1f600}".repeat(1024),
        "public_mint_config": { "mint_fee": NEAR.to_string(), "starts_at_ms": 1, "limit_per_account": 4_000_000_000u32 },
        "private_mint_config": { "mint_fee": NEAR.to_string(), "starts_at_ms": 1, "limit_per_account": 4_000_000_000u32 },
        "initial_royalties": ten, "bypass_mint_fee_accounts": list[..100], "transfers_denied_accounts": list[..100],
        "approvals_denied_accounts": list[..100]
    });
    let collection = scene.collection(settings, AssetBatch::new(0, 10_000, 3));
    let minter = long(9_999);
    for account in (0..10).map(long).chain([minter.clone()]) {
        scene.chain.create_account(&account, 1_000 * NEAR);
    }
    scene
        .sign(
            OWNER,
            "allowlist_add",
            json!({ "collection_id": collection, "account_ids": list }),
        )
        .json();
    let check = |what: &str, outcome: harness::TransactionOutcome, most: u64| {
        assert!(outcome.succeeded(), "{what}: {:?}", outcome.failure());
        println!("{what}: {:.2} Tgas", outcome.tgas());
        assert!(outcome.gas < most * TGAS, "{what}: {} Tgas", outcome.tgas());
    };
    check(
        "public mint, ten royalties",
        scene.public_mint(&minter, collection, NEAR),
        100,
    );
    let hundred: Vec<String> = (0..100).map(|n| long(2_000 + n)).collect();
    let metadata = json!({ "title": "t".repeat(256), "description": "d".repeat(1024), "extra": "e".repeat(1_000) });
    let args =
        json!({ "collection_id": collection, "receiver_ids": hundred, "metadata": metadata });
    check(
        "100 to 100 new receivers, with metadata",
        scene.call(OWNER, "nft_batch_mint", args.clone()),
        300,
    );
    check(
        "100 to 100 known receivers, with metadata",
        scene.call(OWNER, "nft_batch_mint", args),
        300,
    );
    for _ in 0..20 {
        scene.mint_many(collection, &minter, 100).json();
    }
    for (at, token) in [("first", 1), ("middle", 1_000), ("last", 2_201)] {
        let outcome = scene.transfer(&minter, &long(0), &format!("{collection}:{token}"));
        if outcome.succeeded() {
            check(
                &format!("transfer out of a wallet of 2,000, {at}"),
                outcome,
                30,
            );
        }
    }
    let more: Vec<String> = (0..500).map(|n| long(5_000 + n)).collect();
    check(
        "allowlist of the longest ids",
        scene.sign(
            OWNER,
            "allowlist_add",
            json!({ "collection_id": collection, "account_ids": more }),
        ),
        300,
    );
    let update = json!({ "collection_id": collection, "title": "New", "description": null });
    check(
        "update of a large collection",
        scene.sign(OWNER, "collection_update", update),
        300,
    );
}

#[test]
fn mints_of_all_ten_thousand_run_to_the_end() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    let collection = scene.collection(json!({}), AssetBatch::new(0, 10_000, 1));
    let mut dearest = 0;
    for round in 0..100 {
        let outcome = scene.mint_many(collection, &format!("collector-{}.near", round % 7), 100);
        assert_eq!(outcome.json().as_array().unwrap().len(), 100);
        dearest = dearest.max(outcome.gas);
    }
    assert!(dearest < 100 * TGAS, "{}", dearest as f64 / 1e12);
    assert_eq!(scene.mint(collection, &["late.near"]).code(), "E_SOLD_OUT");
    let mut media = std::collections::BTreeSet::new();
    for from in (0..10_000).step_by(100) {
        let tokens = scene.view(
            "collection_tokens",
            json!({ "collection_id": collection, "from_index": from, "limit": 100 }),
        );
        for token in tokens.as_array().unwrap() {
            assert!(
                media.insert(token["metadata"]["media"].as_str().unwrap().to_owned()),
                "a single copy came twice"
            );
        }
    }
    assert_eq!(media.len(), 10_000);
}

/// A collection that cannot pay for its storage stops minting by its own word, never by the protocol's.
#[test]
fn the_protocol_never_has_to_refuse_for_want_of_balance() {
    for tenths in 2..8u128 {
        let mut scene = Scene::new(
            &harness::mintage::wasm(),
            tenths * NEAR / 10 + 37 * harness::STORAGE_PRICE,
        );
        scene.accounts(["alice.near"]);
        let created = scene.call_raw(
            OWNER,
            "collection_create",
            harness::mintage::create_args(
                &json!({ "title": "T" }),
                true,
                AssetBatch::new(0, 100, 50),
            ),
        );
        if !created.succeeded() {
            assert_eq!(created.code(), "E_STORAGE_BALANCE");
            continue;
        }
        for round in 0..60 {
            let outcome = scene.mint_many(1, &format!("collector-{round:04}.near"), 50);
            if !outcome.succeeded() {
                assert_eq!(outcome.code(), "E_STORAGE_BALANCE");
                break;
            }
        }
        let one = Action::call(
            "nft_batch_mint",
            json!({ "collection_id": 1, "receiver_ids": ["alice.near"] }),
            100 * TGAS,
            0,
        );
        while scene
            .chain
            .transact(OWNER, CONTRACT, vec![one.clone()])
            .succeeded()
        {}
        let balance = scene.view("contract_balance", json!({}));
        assert!(
            balance["free"].as_str().unwrap().parse::<u128>().unwrap() < NEAR / 100,
            "{balance}"
        );
    }
}

/// With nothing free, whatever adds records says what is missing, and the protocol is not asked.
#[test]
fn calls_that_the_balance_cannot_pay_for_say_what_is_missing() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 5 * NEAR);
    scene.collection(json!({}), AssetBatch::new(0, 1, 1_000));
    // More than half of what a collection is promised at once is used up.
    scene.mint_many(1, "alice.near", 100).json();
    scene.sign(OWNER, "withdraw", json!({})).json();
    let records = scene.chain.records(CONTRACT);
    let list: Vec<String> = (0..500)
        .map(|n| format!("{n:0>8}{}.near", "x".repeat(51)))
        .collect();
    let collectors: Vec<String> = (0..100).map(|n| format!("collector-{n}.near")).collect();
    let calls = [
        (
            "nft_batch_mint",
            json!({ "collection_id": 1, "receiver_ids": collectors }),
            0,
        ),
        (
            "allowlist_add",
            json!({ "collection_id": 1, "account_ids": list }),
            1,
        ),
        (
            "collection_update",
            json!({ "collection_id": 1, "transfers_denied_accounts": list }),
            1,
        ),
        (
            "collection_update",
            json!({ "collection_id": 1, "description": "d".repeat(1_000) }),
            1,
        ),
        (
            "nft_update",
            json!({ "token_id": "1:1", "extra": "x".repeat(1_000) }),
            1,
        ),
        (
            "contract_metadata_update",
            json!({ "icon": "x".repeat(10_000) }),
            1,
        ),
    ];
    for (method, args, deposit) in calls {
        let outcome = scene.pay(OWNER, method, args, deposit);
        assert_eq!(outcome.code(), "E_STORAGE_BALANCE", "{method}");
        let said = outcome.failure().panic().unwrap();
        assert!(
            said.chars().any(|character| character.is_ascii_digit()),
            "how much is missing: {said}"
        );
    }
    let args = harness::mintage::create_args(
        &json!({ "title": "T" }),
        true,
        AssetBatch::new(0, 10_000, 1),
    );
    assert_eq!(
        scene.call_raw(OWNER, "collection_create", args).code(),
        "E_STORAGE_BALANCE"
    );
    assert_eq!(scene.chain.records(CONTRACT), records);
}

/// An account whose id is as long as ids come.
fn longest(number: usize) -> String {
    format!("{}{number:04}.near", "x".repeat(55))
}

fn amount(scene: &Scene, field: &str) -> u128 {
    scene.view("contract_balance", json!({}))[field]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

/// A contract whose owner has taken all that is free, with 300 tokens of alice's, some of them approved to markets.
fn withdrawn() -> Scene {
    let mut scene = Scene::new(&harness::mintage::wasm(), 8 * NEAR);
    scene.accounts(["alice.near", "bob.near"]);
    scene.collection(
        json!({ "ongoing_royalties": { "artist.near": 500 } }),
        AssetBatch::new(0, 1, 1_000),
    );
    for _ in 0..3 {
        scene.mint_many(1, "alice.near", 100).json();
    }
    for token in 291..=300 {
        for market in 0..6 {
            let args = json!({ "token_id": format!("1:{token}"), "account_id": longest(market) });
            scene
                .pay("alice.near", "nft_approve", args, NEAR / 100)
                .json();
        }
    }
    scene.sign(OWNER, "withdraw", json!({})).json();
    assert_eq!(amount(&scene, "free"), 0);
    scene
}

/// Growth by transfers is paid by what was reserved at the mint: however many go to owners that are new and have long
/// names, deposits come back, sales are paid out, and refused tokens return.
#[test]
fn transfers_spend_nothing_that_is_others() {
    let mut scene = withdrawn();
    let owed = amount(&scene, "owed");
    for token in 1..=290 {
        let outcome = scene.transfer("alice.near", &longest(1_000 + token), &format!("1:{token}"));
        assert!(outcome.succeeded(), "1:{token}: {:?}", outcome.failure());
    }
    assert_eq!(amount(&scene, "owed"), owed);
    let returner = contract(&[("nft_on_transfer", Behaviour::Return(b"true".to_vec()))]);
    scene
        .chain
        .create_contract("returner.near", 10 * NEAR, &returner);
    let call = json!({ "receiver_id": "returner.near", "token_id": "1:291", "msg": "" });
    assert_eq!(
        scene.sign("alice.near", "nft_transfer_call", call).json(),
        false,
        "the token came back"
    );
    let sale = json!({ "receiver_id": longest(2_000), "token_id": "1:292", "balance": "10000" });
    let payout = scene.sign("alice.near", "nft_transfer_payout", sale).json();
    assert_eq!(payout["payout"]["alice.near"], "9500");
    for token in (291..=300).filter(|token| *token != 292) {
        let all = json!({ "token_id": format!("1:{token}") });
        let outcome = scene.sign("alice.near", "nft_revoke_all", all);
        assert!(outcome.succeeded(), "1:{token}: {:?}", outcome.failure());
    }
    assert_eq!(amount(&scene, "owed"), 0);
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// A list that once was long and of which one token is left takes no more than a list that was never long.
#[test]
fn what_was_once_a_long_list_takes_no_more_than_a_short_one() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 20 * NEAR);
    let hoarders: Vec<String> = (0..3).map(longest).collect();
    scene.accounts(hoarders.iter().map(String::as_str));
    scene.collection(json!({}), AssetBatch::new(0, 1, 1_000));
    for _ in 0..4 {
        scene.mint_many(1, &hoarders[0], 100).json();
    }
    scene.sign(OWNER, "withdraw", json!({})).json();
    // Each keeps one token of the last full page, and passes all others on.
    for (at, kept) in [(0, 384), (1, 320)] {
        for token in (1..=400).filter(|token| *token != 384 && *token != kept) {
            let id = format!("1:{token}");
            let outcome = scene.transfer(&hoarders[at], &hoarders[at + 1], &id);
            assert!(outcome.succeeded(), "{id}: {:?}", outcome.failure());
        }
        let args = json!({ "account_id": hoarders[at] });
        assert_eq!(scene.view("nft_supply_for_owner", args), json!("1"));
        let lists = scene.chain.records(CONTRACT).into_iter();
        let pages = lists.filter(|(key, _)| key[0] == b'p').count();
        assert_eq!(
            pages,
            (400 - 1 - at) / 64 - usize::from((400 - 1 - at) % 64 == 0)
        );
    }
    assert!(amount(&scene, "total") >= amount(&scene, "needed"));
}

/// Deposits of approvals are counted once: they pay for the approvals' storage while those stand.
#[test]
fn approvals_do_not_stop_minting() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 3 * NEAR);
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 1, 10_000));
    scene.mint_many(1, "alice.near", 50).json();
    let free = amount(&scene, "free");
    let spare = (free - NEAR / 5).to_string();
    scene
        .sign(OWNER, "withdraw", json!({ "amount": spare }))
        .json();
    for token in 1..=50 {
        for market in 0..14 {
            let args = json!({ "token_id": format!("1:{token}"), "account_id": longest(market) });
            scene
                .pay("alice.near", "nft_approve", args, NEAR / 100)
                .json();
        }
    }
    assert!(amount(&scene, "owed") > NEAR / 2);
    assert!(amount(&scene, "free") >= NEAR / 5);
    assert!(scene.mint(1, &["alice.near"]).succeeded());
}

/// What eligibility says of a free drop is what the mint does, also when the balance runs out; and whoever pays a fee
/// pays for the token's storage with it.
#[test]
fn a_drop_that_runs_out_of_balance_says_so_beforehand() {
    for fee in ["0", "2700000000000000000000"] {
        let mut scene = Scene::new(&harness::mintage::wasm(), 3 * NEAR);
        scene.collection(
            json!({ "public_mint_config": { "mint_fee": fee } }),
            AssetBatch::new(0, 1, 10_000),
        );
        let spare = (amount(&scene, "free") - NEAR / 10).to_string();
        scene
            .sign(OWNER, "withdraw", json!({ "amount": spare }))
            .json();
        let paid: u128 = fee.parse().unwrap();
        let mut minted = 0;
        for number in 0..60 {
            let account = longest(number);
            scene.chain.create_account(&account, NEAR);
            let asked = json!({ "collection_id": 1, "account_id": account });
            let answer = scene.view("mint_eligibility", asked);
            let outcome = scene.public_mint(&account, 1, paid);
            assert_eq!(answer["allowed"], outcome.succeeded(), "{number}: {answer}");
            if !outcome.succeeded() {
                assert_eq!(outcome.code(), "E_STORAGE_BALANCE");
                assert_eq!(answer["code"], "E_STORAGE_BALANCE");
            }
            minted += u32::from(outcome.succeeded());
        }
        assert!(
            if paid == 0 {
                (35..60).contains(&minted)
            } else {
                minted == 60
            },
            "{minted} minted for {fee}"
        );
    }
}

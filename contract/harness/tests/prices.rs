//! Prices in tokens of NEP-141: a buyer never pays without NFTs and never gets NFTs without paying, whatever fails at either
//! contract and whatever the token does; shares wait until their owners fetch them.

use harness::fungible::purchase;
use harness::mintage::{ADMIN, AssetBatch, CONTRACT, OWNER, PLATFORM, Scene};
use harness::stub::{Behaviour, Call, contract};
use harness::{Action, NEAR, STORAGE_PRICE, TGAS, TransactionOutcome};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

const USDC: &str = "usdc.near";
const PRICE: u128 = 5_000_000;
const ARTIST: &str = "artist.near";
/// What buyers have at first.
const WEALTH: u128 = 1_000_000_000;

/// The settings of a collection whose public price is in a token.
fn priced(token: &str, price: u128) -> Value {
    json!({
        "public_mint_config": { "mint_fee": price.to_string(), "currency": token },
        "initial_royalties": { ARTIST: 1_000 }
    })
}

/// A collection of a thousand tokens for USDC, of which alice and bob have some.
fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near", ARTIST]);
    scene.token_contract(USDC, &[("alice.near", WEALTH), ("bob.near", WEALTH)]);
    scene.collection(priced(USDC, PRICE), AssetBatch::new(0, 10, 100));
    scene
}

fn msg(more: Value) -> String {
    let mut all = json!({ "collection_id": 1 });
    for (field, value) in more.as_object().unwrap() {
        all[field] = value.clone();
    }
    all.to_string()
}

fn held(scene: &Scene, account: &str) -> u128 {
    let supply = scene.view("nft_supply_for_owner", json!({ "account_id": account }));
    supply.as_str().unwrap().parse().unwrap()
}

fn supply(scene: &Scene) -> u128 {
    let supply = scene.view("nft_total_supply", json!({}));
    supply.as_str().unwrap().parse().unwrap()
}

fn amount(scene: &Scene, field: &str) -> u128 {
    let balance = scene.view("contract_balance", json!({}));
    balance[field].as_str().unwrap().parse().unwrap()
}

/// The refusal of the receipt that ran `ft_on_transfer`; empty if it minted.
fn refusal(outcome: &TransactionOutcome) -> String {
    let of = |receipt: &&harness::ReceiptOutcome| receipt.methods == ["ft_on_transfer"];
    let Some(receipt) = outcome.receipts.iter().find(of) else {
        return "never called".into();
    };
    match &receipt.status {
        harness::Status::Failed(_, failure) => match failure.code() {
            Some(code) => code.to_owned(),
            None => format!("{failure:?}"),
        },
        _ => String::new(),
    }
}

/// The units that wait are those that the contract has, and the account holds what it has to.
fn assert_balanced(scene: &Scene) {
    let waiting: u128 = [OWNER, PLATFORM, ARTIST]
        .iter()
        .map(|account| scene.waiting(USDC, account))
        .sum();
    assert_eq!(waiting, scene.units(USDC, CONTRACT));
    assert_eq!(amount(scene, "missing"), 0);
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn a_price_in_tokens_mints_is_divided_and_the_rest_returns() {
    let mut scene = scene();
    let near: Vec<u128> = [OWNER, PLATFORM, ARTIST]
        .map(|id| scene.chain.balance(id))
        .into();
    let outcome = scene.buy(
        USDC,
        "alice.near",
        3 * PRICE,
        &msg(json!({ "quantity": 2 })),
    );
    assert_eq!(
        outcome.json(),
        json!((2 * PRICE).to_string()),
        "what the token took"
    );
    assert_eq!(scene.units(USDC, "alice.near"), WEALTH - 2 * PRICE);
    assert_eq!((held(&scene, "alice.near"), supply(&scene)), (2, 2));
    assert_ne!(scene.token("1:1")["metadata"]["media"], Value::Null);
    let (platform, artist) = (2 * PRICE / 20, 2 * PRICE / 10);
    assert_eq!(scene.waiting(USDC, PLATFORM), platform);
    assert_eq!(scene.waiting(USDC, ARTIST), artist);
    assert_eq!(scene.waiting(USDC, OWNER), 2 * PRICE - platform - artist);
    assert_balanced(&scene);
    let now: Vec<u128> = [OWNER, PLATFORM, ARTIST]
        .map(|id| scene.chain.balance(id))
        .into();
    assert_eq!(near, now, "no NEAR is sent");
    assert_eq!(
        scene.view("collection", json!({ "collection_id": 1 }))["earned"],
        "0"
    );
    let minted: Vec<Value> = outcome
        .events()
        .into_iter()
        .filter(|event| event["standard"] == "nep171")
        .collect();
    assert_eq!(minted.len(), 1);
    assert_eq!(
        minted[0]["data"],
        json!([{ "owner_id": "alice.near", "token_ids": ["1:1", "1:2"] }])
    );
}

#[test]
fn a_gift_counts_for_its_buyer() {
    let mut scene = scene();
    let limited = json!({ "collection_id": 1, "public_mint_config": { "mint_fee": PRICE.to_string(), "currency": USDC, "limit_per_account": 2 } });
    scene.sign(OWNER, "collection_update", limited).json();
    let gift =
        msg(json!({ "quantity": 2, "receiver_id": "bob.near", "max_price": PRICE.to_string() }));
    scene.buy(USDC, "alice.near", 2 * PRICE, &gift).json();
    assert_eq!(
        (held(&scene, "alice.near"), held(&scene, "bob.near")),
        (0, 2)
    );
    assert_eq!(
        refusal(&scene.buy(USDC, "alice.near", PRICE, &msg(json!({})))),
        "E_MINT_LIMIT"
    );
    scene.buy(USDC, "bob.near", PRICE, &msg(json!({}))).json();
    assert_eq!(held(&scene, "bob.near"), 3);
    assert_balanced(&scene);
}

#[test]
fn who_pays_no_fee_gets_all_back() {
    let mut scene = scene();
    let bypass = json!({ "collection_id": 1, "bypass_mint_fee_accounts": ["alice.near"] });
    scene.sign(OWNER, "collection_update", bypass).json();
    let outcome = scene.buy(USDC, "alice.near", PRICE, &msg(json!({})));
    assert_eq!(outcome.json(), json!("0"));
    assert_eq!(
        (scene.units(USDC, "alice.near"), held(&scene, "alice.near")),
        (WEALTH, 1)
    );
    scene.public_mint("alice.near", 1, 0).json();
    assert_eq!(held(&scene, "alice.near"), 2);
    assert_balanced(&scene);
}

#[test]
fn what_is_refused_comes_back_whole() {
    let mut scene = scene();
    scene.token_contract("other.near", &[("alice.near", WEALTH)]);
    let draft = harness::mintage::create_args(
        &json!({ "title": "Draft" }),
        false,
        AssetBatch::new(0, 3, 1),
    );
    scene.call_raw(OWNER, "collection_create", draft).json();
    scene.collection(
        json!({ "public_mint_config": { "mint_fee": NEAR.to_string() } }),
        AssetBatch::new(0, 3, 1),
    );
    let now = scene.chain.now_ms();
    let later = json!({ "mint_fee": "7", "currency": USDC, "starts_at_ms": now + 1_000_000 });
    scene.collection(
        json!({ "public_mint_config": later }),
        AssetBatch::new(0, 3, 1),
    );
    let private = json!({ "mint_fee": "7", "currency": USDC });
    scene.collection(
        json!({ "private_mint_config": private }),
        AssetBatch::new(0, 3, 1),
    );
    scene.collection(priced(USDC, u128::MAX / 2), AssetBatch::new(0, 3, 1));
    let price = PRICE.to_string();
    let cases: Vec<(&str, u128, String, &str)> = vec![
        (USDC, PRICE - 1, msg(json!({})), "E_DEPOSIT_TOO_SMALL"),
        (
            USDC,
            25 * PRICE - 1,
            msg(json!({ "quantity": 25 })),
            "E_DEPOSIT_TOO_SMALL",
        ),
        (
            USDC,
            2 * PRICE,
            msg(json!({ "max_price": (PRICE - 1).to_string() })),
            "E_PRICE_TOO_HIGH",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "max_price": PRICE })),
            "E_INVALID_ARGUMENT",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "quantity": 0 })),
            "E_INVALID_ARGUMENT",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "quantity": 26 })),
            "E_INVALID_ARGUMENT",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "receiver_id": "NO" })),
            "E_INVALID_ARGUMENT",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "price": price })),
            "E_INVALID_ARGUMENT",
        ),
        (USDC, PRICE, String::new(), "E_INVALID_ARGUMENT"),
        (USDC, PRICE, "thanks".into(), "E_INVALID_ARGUMENT"),
        (USDC, PRICE, "[1]".into(), "E_INVALID_ARGUMENT"),
        (
            USDC,
            PRICE,
            msg(json!({ "collection_id": 99 })),
            "E_COLLECTION_NOT_FOUND",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "collection_id": 2 })),
            "E_NOT_PUBLISHED",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "collection_id": 3 })),
            "E_OTHER_CURRENCY",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "collection_id": 4 })),
            "E_MINT_NOT_STARTED",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "collection_id": 5 })),
            "E_NOT_ALLOWLISTED",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "collection_id": 6, "quantity": 3 })),
            "E_DEPOSIT_TOO_SMALL",
        ),
        (
            USDC,
            PRICE,
            msg(json!({ "collection_id": 4, "quantity": 4 })),
            "E_SOLD_OUT",
        ),
        ("other.near", PRICE, msg(json!({})), "E_OTHER_CURRENCY"),
    ];
    for (token, sent, msg, code) in cases {
        let outcome = scene.buy(token, "alice.near", sent, &msg);
        assert_eq!(refusal(&outcome), code, "{msg}");
        assert_eq!(outcome.json(), json!("0"), "{msg}: the token took nothing");
        assert_eq!(scene.units(token, "alice.near"), WEALTH, "{msg}");
        assert_eq!(outcome.bytes_of(CONTRACT), 0, "{msg}");
        assert_eq!(supply(&scene), 0, "{msg}");
        assert_balanced(&scene);
    }
    let near = scene.public_mint("alice.near", 1, NEAR);
    assert_eq!(near.code(), "E_OTHER_CURRENCY", "{near:?}");
}

#[test]
fn a_token_that_does_not_know_the_contract_takes_nothing() {
    let mut scene = scene();
    let wasm = std::fs::read(harness::mintage::workspace("fungible/fungible.wasm")).unwrap();
    scene
        .chain
        .create_contract("strange.near", 10 * NEAR, &wasm);
    let args = json!({ "owner_id": "alice.near", "total_supply": WEALTH.to_string() });
    scene
        .chain
        .call("strange.near", "strange.near", "new", args, 0)
        .json();
    scene.collection(priced("strange.near", 1), AssetBatch::new(0, 3, 1));
    let outcome = scene.buy(
        "strange.near",
        "alice.near",
        1,
        &msg(json!({ "collection_id": 2 })),
    );
    assert!(!outcome.succeeded());
    assert_eq!(refusal(&outcome), "never called");
    assert_eq!(
        (scene.units("strange.near", "alice.near"), supply(&scene)),
        (WEALTH, 0)
    );
}

/// With any gas at all, units and NFTs change hands together or not at all.
#[test]
fn no_gas_parts_payment_and_tokens() {
    let base = scene();
    let (mut minted, mut refused) = (0, 0);
    for tenths in 10..700 {
        let mut scene = base.clone();
        let call = purchase(
            4 * PRICE,
            &msg(json!({ "quantity": 3 })),
            TGAS / 10 * tenths,
        );
        let outcome = scene.chain.transact("alice.near", USDC, vec![call]);
        let got = held(&scene, "alice.near");
        let paid = WEALTH - scene.units(USDC, "alice.near");
        assert_eq!(paid, got * PRICE, "{tenths} tenths of a Tgas: {outcome:?}");
        assert!(got == 0 || got == 3);
        assert_balanced(&scene);
        minted += u32::from(got > 0);
        refused += u32::from(got == 0);
    }
    assert!(
        minted > 300 && refused > 100,
        "{minted} minted, {refused} refused"
    );
}

/// Storage is paid from what is free; without it nothing is sold.
#[test]
fn storage_is_paid_from_what_is_free_and_records_are_bounded() {
    let mut scene = scene();
    let first = scene.buy(USDC, "alice.near", PRICE, &msg(json!({})));
    let records = |scene: &Scene| scene.chain.records(CONTRACT).len();
    let before = records(&scene);
    assert!(
        first.bytes_of(CONTRACT) > 3 * 40,
        "three records were added"
    );
    for _ in 0..20 {
        let more = scene.buy(USDC, "alice.near", PRICE, &msg(json!({})));
        assert!(more.bytes_of(CONTRACT) < 40, "{}", more.bytes_of(CONTRACT));
    }
    assert_eq!(records(&scene), before);
    // A new payee needs a record, for which nothing is free.
    let args = json!({ "collection_id": 1, "initial_royalties": { "studio.near": 100 } });
    scene.sign(OWNER, "collection_update", args).json();
    scene.sign(OWNER, "withdraw", json!({})).json();
    let wealth = scene.units(USDC, "bob.near");
    let outcome = scene.buy(USDC, "bob.near", PRICE, &msg(json!({})));
    assert_eq!(refusal(&outcome), "E_STORAGE_BALANCE");
    assert_eq!(
        (scene.units(USDC, "bob.near"), held(&scene, "bob.near")),
        (wealth, 0)
    );
    scene
        .chain
        .transact(OWNER, CONTRACT, vec![Action::Transfer(200 * STORAGE_PRICE)]);
    scene.buy(USDC, "bob.near", PRICE, &msg(json!({}))).json();
    assert_eq!(held(&scene, "bob.near"), 1);
    assert_eq!(scene.waiting(USDC, "studio.near"), PRICE / 100);
}

/// Whatever is free: what it covers is sold, records of first shares included, and `mint_eligibility` knows.
#[test]
fn what_the_balance_covers_is_sold() {
    let mut base = scene();
    base.sign(OWNER, "withdraw", json!({})).json();
    let asked = json!({ "collection_id": 1, "account_id": "alice.near", "currency": USDC });
    let mut sold = vec![];
    // The tokens' bytes are taken 128 tokens ahead where they are free, 193 bytes each.
    for bytes in (0..1_200).step_by(30).chain((24_000..26_400).step_by(40)) {
        let mut scene = base.clone();
        let gift = Action::Transfer(bytes * STORAGE_PRICE);
        scene.chain.transact(OWNER, CONTRACT, vec![gift]);
        let said = scene.view("mint_eligibility", asked.clone());
        let outcome = scene.buy(USDC, "alice.near", PRICE, &msg(json!({})));
        let refusal = refusal(&outcome);
        assert_eq!(
            said["allowed"] == true,
            refusal.is_empty(),
            "{bytes}: {said}"
        );
        let phase = &said["phases"][0];
        assert_eq!(
            (&phase["allowed"], &phase["code"], &phase["message"]),
            (&said["allowed"], &said["code"], &said["message"]),
            "{bytes}: the phase by itself says the same"
        );
        if !refusal.is_empty() {
            assert_eq!(
                (refusal.as_str(), &said["code"]),
                ("E_STORAGE_BALANCE", &json!(refusal))
            );
        }
        assert_balanced(&scene);
        sold.push(refusal.is_empty());
    }
    let first = sold.iter().position(|sold| *sold).unwrap();
    assert!(first > 10, "three records and a token");
    assert!(sold[first..].iter().all(|sold| *sold), "{sold:?}");
    // Payees who have a record already need none.
    let mut scene = base.clone();
    let gift = Action::Transfer(30_000 * STORAGE_PRICE);
    scene.chain.transact(OWNER, CONTRACT, vec![gift]);
    scene.buy(USDC, "alice.near", PRICE, &msg(json!({}))).json();
    scene.sign(OWNER, "withdraw", json!({})).json();
    assert_eq!(scene.view("mint_eligibility", asked)["allowed"], true);
    scene.buy(USDC, "alice.near", PRICE, &msg(json!({}))).json();
}

/// A share that would be the contract's own, which can't fetch it, is the owner's.
#[test]
fn nothing_waits_for_the_contract_itself() {
    let mut scene = scene();
    let args = json!({ "collection_id": 1, "initial_royalties": { CONTRACT: 5_000 } });
    scene.sign(OWNER, "collection_update", args).json();
    scene.buy(USDC, "alice.near", PRICE, &msg(json!({}))).json();
    assert_eq!(scene.waiting(USDC, CONTRACT), 0);
    assert_eq!(scene.waiting(USDC, OWNER), PRICE / 100 * 95);
    assert_balanced(&scene);
}

#[test]
fn shares_are_fetched_by_their_owners() {
    let mut scene = scene();
    scene
        .buy(
            USDC,
            "alice.near",
            10 * PRICE,
            &msg(json!({ "quantity": 10 })),
        )
        .json();
    assert_eq!(scene.withdraw_units("bob.near", USDC).json(), json!("0"));
    let free = scene.call(ARTIST, "shares_withdraw", json!({ "currency": USDC }));
    assert_eq!(free.code(), "E_ONE_YOCTO");
    // An account that the token doesn't know keeps what waits for it.
    let before = scene.waiting(USDC, ARTIST);
    assert_eq!(scene.withdraw_units(ARTIST, USDC).json(), json!("0"));
    assert_eq!(
        (scene.waiting(USDC, ARTIST), scene.units(USDC, ARTIST)),
        (before, 0)
    );
    assert_balanced(&scene);
    scene.register(USDC, ARTIST);
    let free = amount(&scene, "free");
    assert_eq!(
        scene.withdraw_units(ARTIST, USDC).json(),
        json!(before.to_string())
    );
    assert_eq!(
        (scene.waiting(USDC, ARTIST), scene.units(USDC, ARTIST)),
        (0, before)
    );
    assert!(
        amount(&scene, "free") >= free,
        "the yocto that came went with the call"
    );
    assert_eq!(scene.withdraw_units(ARTIST, USDC).json(), json!("0"));
    assert_balanced(&scene);
    let resolve = json!({ "account_id": ARTIST, "currency": USDC, "amount": "1" });
    assert_eq!(
        scene.call(ARTIST, "shares_resolve", resolve).code(),
        "E_UNAUTHORIZED"
    );
    // NEAR and tokens are apart.
    assert_eq!(
        scene.sign(ARTIST, "shares_withdraw", json!({})).json(),
        json!("0")
    );
}

/// Two withdrawals at once pay once, and a payment is put back once.
#[test]
fn withdrawals_that_overlap_pay_once() {
    for registered in [true, false] {
        let mut scene = scene();
        scene
            .buy(
                USDC,
                "alice.near",
                4 * PRICE,
                &msg(json!({ "quantity": 4 })),
            )
            .json();
        if registered {
            scene.register(USDC, ARTIST);
        }
        let before = scene.waiting(USDC, ARTIST);
        let withdraw =
            || Action::call("shares_withdraw", json!({ "currency": USDC }), 50 * TGAS, 1);
        for blocks in [0, 1, 1] {
            scene
                .chain
                .submit(ARTIST, CONTRACT, vec![withdraw()])
                .unwrap();
            for _ in 0..blocks {
                scene.chain.produce_block();
            }
        }
        scene.chain.settle();
        scene.chain.advance(1);
        let expected = if registered { (0, before) } else { (before, 0) };
        assert_eq!(
            (scene.waiting(USDC, ARTIST), scene.units(USDC, ARTIST)),
            expected
        );
        assert_balanced(&scene);
    }
}

/// With any gas a withdrawal pays, or leaves what waits.
#[test]
fn no_gas_loses_a_withdrawal() {
    let mut base = scene();
    base.buy(
        USDC,
        "alice.near",
        4 * PRICE,
        &msg(json!({ "quantity": 4 })),
    )
    .json();
    base.register(USDC, ARTIST);
    let all = base.waiting(USDC, ARTIST);
    let (mut paid, mut kept) = (0, 0);
    for tenths in 5..300 {
        let mut scene = base.clone();
        let gas = TGAS / 10 * tenths;
        let call = Action::call("shares_withdraw", json!({ "currency": USDC }), gas, 1);
        scene.chain.transact(ARTIST, CONTRACT, vec![call]);
        let (left, got) = (scene.waiting(USDC, ARTIST), scene.units(USDC, ARTIST));
        assert_eq!(left + got, all, "{tenths} tenths of a Tgas");
        assert!(left == 0 || got == 0);
        assert_balanced(&scene);
        paid += u32::from(got > 0);
        kept += u32::from(left > 0);
    }
    assert!(paid > 100 && kept > 100, "{paid} paid, {kept} kept");
}

/// Tokens of bad will: whatever their `ft_transfer` does, what waits of it stays or goes, and all else is as it was.
#[test]
fn a_token_that_fails_harms_only_its_own() {
    let back = |method, args| Call::new(CONTRACT, method, args, 20 * TGAS, 0);
    let again =
        json!({ "sender_id": "mallory.near", "amount": "7", "msg": "{\"collection_id\":2}" });
    let resolve = json!({ "account_id": ARTIST, "currency": USDC, "amount": "1000000" });
    let behaviours = [
        (Behaviour::Panic("no".into()), false),
        (Behaviour::BurnAllGas, false),
        (Behaviour::Nothing, true),
        (Behaviour::Return(vec![b'x'; 100_000]), true),
        (
            Behaviour::Forward(back("shares_resolve", resolve.clone())),
            false,
        ),
        (
            Behaviour::Calls(vec![back("shares_resolve", resolve)], vec![]),
            true,
        ),
        (
            Behaviour::Calls(vec![back("ft_on_transfer", again)], vec![]),
            true,
        ),
        (
            Behaviour::Forward(Call::new("nobody.near", "hang", json!({}), TGAS, 0)),
            false,
        ),
    ];
    for (behaviour, takes) in behaviours {
        let mut scene = scene();
        scene.accounts(["mallory.near"]);
        scene
            .buy(
                USDC,
                "alice.near",
                4 * PRICE,
                &msg(json!({ "quantity": 4 })),
            )
            .json();
        scene.chain.create_contract(
            "bad.near",
            10 * NEAR,
            &contract(&[("ft_transfer", behaviour.clone())]),
        );
        scene.collection(priced("bad.near", 7), AssetBatch::new(0, 3, 100));
        let said =
            json!({ "sender_id": "mallory.near", "amount": "9", "msg": "{\"collection_id\":2}" });
        let outcome = scene
            .chain
            .call("bad.near", CONTRACT, "ft_on_transfer", said, 0);
        assert_eq!(outcome.json(), json!("2"));
        let waits = scene.waiting("bad.near", OWNER);
        assert!(waits > 0);
        let mine = scene.waiting(USDC, ARTIST);
        let outcome = scene.withdraw_units(OWNER, "bad.near");
        let result: u128 = outcome.json().as_str().unwrap().parse().unwrap();
        let resold =
            matches!(&behaviour, Behaviour::Calls(calls, _) if calls[0].method == "ft_on_transfer");
        let left = if resold { waits } else { 0 };
        let expected = if takes { (waits, left) } else { (0, waits) };
        assert_eq!(
            (result, scene.waiting("bad.near", OWNER)),
            expected,
            "{behaviour:?}"
        );
        assert_eq!(scene.waiting(USDC, ARTIST), mine);
        assert_balanced(&scene);
    }
}

/// A token that lies about amounts and buyers sells its own collections for nothing, and can neither touch another's units
/// nor an account's NEAR.
#[test]
fn a_token_that_lies_harms_only_its_own() {
    let mut scene = scene();
    scene.accounts(["liar.near", "mallory.near"]);
    scene
        .buy(
            USDC,
            "alice.near",
            4 * PRICE,
            &msg(json!({ "quantity": 4 })),
        )
        .json();
    scene.collection(
        priced("liar.near", u128::MAX / 8),
        AssetBatch::new(0, 3, 100),
    );
    let say = |scene: &mut Scene, sender: &str, amount: u128, msg: String| {
        let args = json!({ "sender_id": sender, "amount": amount.to_string(), "msg": msg });
        scene
            .chain
            .call("liar.near", CONTRACT, "ft_on_transfer", args, 0)
    };
    let own = msg(json!({ "collection_id": 2, "quantity": 2 }));
    for collection in [1, 99] {
        let other = msg(json!({ "collection_id": collection }));
        assert!(!say(&mut scene, "mallory.near", u128::MAX, other).succeeded());
    }
    let before: Vec<u128> = [OWNER, PLATFORM, ARTIST]
        .map(|id| scene.waiting(USDC, id))
        .into();
    for _ in 0..4 {
        say(&mut scene, "mallory.near", u128::MAX, own.clone()).json();
    }
    // The sum of what waits ends at the largest number.
    let full = say(&mut scene, "mallory.near", u128::MAX, own.clone());
    assert_eq!(full.code(), "E_TOO_MANY");
    let paid = scene.chain.call(
        "liar.near",
        CONTRACT,
        "ft_on_transfer",
        json!({ "sender_id": "mallory.near", "amount": "1", "msg": own }),
        1,
    );
    assert_eq!(paid.code(), "E_INVALID_ARGUMENT", "no deposit is taken");
    // It is no contract: what waits of it stays.
    let waits = scene.waiting("liar.near", OWNER);
    assert_eq!(scene.withdraw_units(OWNER, "liar.near").json(), json!("0"));
    assert_eq!(scene.waiting("liar.near", OWNER), waits);
    let after: Vec<u128> = [OWNER, PLATFORM, ARTIST]
        .map(|id| scene.waiting(USDC, id))
        .into();
    assert_eq!(before, after);
    assert_balanced(&scene);
}

/// A token says who pays. Whomever it names, it opens phases whose price is in it, and no other: neither those of another
/// token nor those in NEAR, which owner, admins and bypass accounts mint in without a fee when they call themselves.
#[test]
fn a_token_opens_its_own_phases_alone_whomever_it_names() {
    let mut scene = scene();
    scene.accounts(["liar.near", "bypass.near", "mallory.near"]);
    let bypass = json!(["bypass.near"]);
    let near = json!({ "mint_fee": NEAR.to_string() });
    let assets = || AssetBatch::new(0, 3, 100);
    let args = json!({ "collection_id": 1, "bypass_mint_fee_accounts": bypass });
    scene.sign(OWNER, "collection_update", args).json();
    scene.collection(
        json!({ "public_mint_config": near, "bypass_mint_fee_accounts": bypass }),
        assets(),
    );
    scene.collection(
        json!({ "private_mint_config": { "mint_fee": "0" }, "bypass_mint_fee_accounts": bypass }),
        assets(),
    );
    scene.collection(json!({ "bypass_mint_fee_accounts": bypass }), assets());
    let own = json!({ "mint_fee": "5", "currency": "liar.near", "supply": 3 });
    let mixed = json!({
        "private_mint_config": { "mint_fee": "0" }, "public_mint_config": near, "bypass_mint_fee_accounts": bypass,
        "phases": [own, { "mint_fee": "1", "currency": USDC }]
    });
    let mixed = scene.collection(mixed, assets());
    for collection in [3, mixed] {
        let list =
            json!({ "collection_id": collection, "account_ids": [OWNER, ADMIN, "bypass.near"] });
        scene.sign(OWNER, "allowlist_add", list).json();
    }
    let before = (scene.chain.records(CONTRACT), scene.chain.balance(CONTRACT));
    let say = |scene: &mut Scene, named: &str, amount: u128, order: &Value| {
        let args =
            json!({ "sender_id": named, "amount": amount.to_string(), "msg": order.to_string() });
        scene
            .chain
            .call("liar.near", CONTRACT, "ft_on_transfer", args, 0)
    };
    let named = [
        OWNER,
        ADMIN,
        "bypass.near",
        ARTIST,
        PLATFORM,
        CONTRACT,
        "liar.near",
        "alice.near",
    ];
    for named in named {
        for collection in 1..=4 {
            for (quantity, amount) in [(1, 0), (25, u128::MAX)] {
                let order = json!({ "collection_id": collection, "quantity": quantity, "receiver_id": "mallory.near" });
                let outcome = say(&mut scene, named, amount, &order);
                let expected = match collection {
                    4 => "E_NO_DIRECT_MINT",
                    _ => "E_OTHER_CURRENCY",
                };
                assert_eq!(outcome.code(), expected, "{named}, {order}");
                let asked = json!({ "collection_id": collection, "account_id": named, "currency": "liar.near", "quantity": quantity });
                assert_eq!(scene.view("mint_eligibility", asked)["allowed"], false);
            }
        }
    }
    let after = (scene.chain.records(CONTRACT), scene.chain.balance(CONTRACT));
    assert!(before.0 == after.0, "nothing was stored");
    assert!(after.1 >= before.1, "nothing was paid");
    // Where it is named it sells its own phase, to the phase's end.
    let one = json!({ "collection_id": mixed, "receiver_id": "mallory.near" });
    assert_eq!(say(&mut scene, OWNER, 7, &one).json(), json!("7"));
    assert_eq!(say(&mut scene, "bypass.near", 0, &one).json(), json!("0"));
    assert_eq!(say(&mut scene, "alice.near", 7, &one).json(), json!("2"));
    for named in named {
        let more = say(&mut scene, named, u128::MAX, &one);
        assert!(!more.succeeded(), "{named}: the phase is sold out");
    }
    let shown = scene.view("collection", json!({ "collection_id": mixed }));
    assert_eq!(
        (&shown["minted"], &shown["phases"][0]["minted"]),
        (&json!(3), &json!(3))
    );
    for other in [
        &shown["private_mint_config"],
        &shown["public_mint_config"],
        &shown["phases"][1],
    ] {
        assert_eq!(other["minted"], 0, "{other}");
    }
    assert_eq!((held(&scene, "mallory.near"), supply(&scene)), (3, 3));
    // By their own calls they mint for nothing, as before.
    scene.public_mint("bypass.near", 2, 0).json();
    scene.public_mint(ADMIN, 1, 0).json();
    assert_balanced(&scene);
}

/// Whoever acts as a token in one receipt sees nothing of what was drawn, and no limit of gas tells draws apart.
#[test]
fn a_receipt_of_a_token_tells_nothing_of_the_draw() {
    let mut base = scene();
    base.accounts(["liar.near"]);
    base.collection(priced("liar.near", 1), AssetBatch::with_copies(&[1, 500]));
    let said = json!({ "sender_id": "alice.near", "amount": "1", "msg": msg(json!({ "collection_id": 2 })) });
    let (mut common, mut gas) = (0, std::collections::BTreeSet::new());
    for entropy in 0..40 {
        let mut scene = base.clone();
        scene.chain.entropy = entropy;
        let batch = vec![
            Action::call("ft_on_transfer", said.clone(), 100 * TGAS, 0),
            Action::call("nft_token", json!({ "token_id": "2:1" }), 50 * TGAS, 0),
        ];
        let outcome = scene.chain.transact("liar.near", CONTRACT, batch);
        assert_eq!(outcome.json()["metadata"]["media"], Value::Null);
        gas.insert(outcome.gas);
        let assets = scene.view("collection_assets", json!({ "collection_id": 2 }));
        common += u32::from(assets[0]["remaining"] == 1);
    }
    assert_eq!(gas.len(), 1, "{gas:?}");
    assert!(common > 0);
    for tenths in (20..200).step_by(5) {
        let call = Action::call("ft_on_transfer", said.clone(), TGAS / 10 * tenths, 0);
        let ends: std::collections::BTreeSet<bool> = (0..10)
            .map(|entropy| {
                let mut scene = base.clone();
                scene.chain.entropy = entropy;
                scene
                    .chain
                    .transact("liar.near", CONTRACT, vec![call.clone()])
                    .succeeded()
            })
            .collect();
        assert_eq!(ends.len(), 1, "{tenths} tenths of a Tgas tell draws apart");
    }
}

/// Purchases, withdrawals and changes of the price that overtake each other across shards, with chunks missing.
#[test]
fn purchases_that_overtake_each_other_lose_nothing() {
    const BUYERS: [&str; 2] = ["alice.near", "bob.near"];
    let base = scene();
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut scene = base.clone();
        (scene.chain.entropy, scene.chain.shards, scene.chain.gaps) =
            (seed, 1 + seed as u32 % 5, [0, 3, 5][seed as usize % 3]);
        let mut numbers = vec![];
        for step in 0..40 {
            let buyer = *BUYERS.choose(&mut rng).unwrap();
            match rng.random_range(0..10) {
                0 => {
                    let price = PRICE + rng.random_range(0..3);
                    let config = json!({ "mint_fee": price.to_string(), "currency": USDC });
                    let args = json!({ "collection_id": 1, "public_mint_config": config });
                    let call = Action::call("collection_update", args, 100 * TGAS, 1);
                    scene.chain.submit(OWNER, CONTRACT, vec![call]).unwrap();
                }
                1 if step > 10 => {
                    scene
                        .chain
                        .submit(
                            buyer,
                            USDC,
                            vec![Action::call(
                                "storage_deposit",
                                json!({ "account_id": ARTIST }),
                                30 * TGAS,
                                NEAR / 100,
                            )],
                        )
                        .unwrap();
                }
                2..4 => {
                    let who = *[OWNER, PLATFORM, ARTIST].choose(&mut rng).unwrap();
                    let call =
                        Action::call("shares_withdraw", json!({ "currency": USDC }), 60 * TGAS, 1);
                    scene.chain.submit(who, CONTRACT, vec![call]).unwrap();
                }
                _ => {
                    let quantity = rng.random_range(1..4u128);
                    let sent = quantity * PRICE + rng.random_range(0..8) - 2;
                    let most = PRICE + rng.random_range(0..3);
                    let msg = msg(json!({ "quantity": quantity, "max_price": most.to_string() }));
                    let gas = rng.random_range(15..100) * TGAS;
                    numbers.push(
                        scene
                            .chain
                            .submit(buyer, USDC, vec![purchase(sent, &msg, gas)])
                            .unwrap(),
                    );
                }
            }
            for _ in 0..rng.random_range(0..3) {
                scene.chain.produce_block();
            }
        }
        scene.chain.settle();
        scene.chain.advance(1);
        // What each transaction says the token took is what its NFTs cost at most, and nothing without them.
        let (mut took, mut tokens) = (0u128, 0u128);
        for number in numbers {
            let outcome = scene.chain.outcome(number);
            let used: u128 = outcome
                .result()
                .map_or(0, |_| outcome.json().as_str().unwrap().parse().unwrap());
            let minted: usize = outcome
                .events()
                .iter()
                .filter(|event| event["event"] == "nft_mint")
                .map(|event| event["data"][0]["token_ids"].as_array().unwrap().len())
                .sum();
            assert_eq!(used == 0, minted == 0, "seed {seed}");
            let each = used.checked_div(minted as u128).unwrap_or(PRICE);
            assert!((PRICE..PRICE + 3).contains(&each), "seed {seed}");
            took += used;
            tokens += minted as u128;
        }
        assert_eq!(tokens, supply(&scene), "seed {seed}");
        let left: u128 = BUYERS.iter().map(|buyer| scene.units(USDC, buyer)).sum();
        assert_eq!(2 * WEALTH - left, took, "seed {seed}");
        let fetched: u128 = [OWNER, PLATFORM, ARTIST]
            .iter()
            .map(|id| scene.units(USDC, id))
            .sum();
        assert_eq!(fetched + scene.units(USDC, CONTRACT), took, "seed {seed}");
        assert!(took > 0);
        assert_balanced(&scene);
    }
}

//! Vouchers: the drop's issuer signs a price for one receiver, and whoever brings that mints, once.

use harness::claims::{Issuer, Terms};
use harness::mintage::{AssetBatch, CONTRACT, OWNER, PLATFORM, Scene};
use harness::{NEAR, STORAGE_PRICE, TGAS, TransactionOutcome};
use serde_json::{Value, json};

const DAY: u64 = 86_400_000;
/// Bytes that a token of these collections is promised.
const TOKEN: u128 = 192 * STORAGE_PRICE;
/// What stays in the contract of the price of a token.
const KEPT: u128 = 270 * STORAGE_PRICE;

/// A collection with royalties, and a drop of ten numbers for up to three tokens each.
fn scene() -> (Scene, Issuer, u64) {
    let mut scene = Scene::default();
    scene.accounts(["relayer.near", "bob.near", "artist.near"]);
    let settings = json!({ "initial_royalties": { "artist.near": 1_000 } });
    scene.collection(settings, AssetBatch::new(0, 10, 100));
    let issuer = Issuer::new("issuer");
    let drop = scene.drop(1, &issuer, 10, 3);
    (scene, issuer, drop)
}

fn terms(scene: &Scene, drop: u64, price: u128) -> Terms<'static> {
    Terms {
        contract: CONTRACT,
        drop,
        nonce: 4,
        receiver: "bob.near",
        quantity: 2,
        price,
        currency: None,
        expires_at_ms: scene.chain.now_ms() + DAY / 2,
    }
}

fn bring(scene: &mut Scene, args: Value, deposit: u128) -> TransactionOutcome {
    scene.pay("relayer.near", "voucher_mint", args, deposit)
}

fn amount(scene: &Scene, field: &str) -> u128 {
    let balance = scene.view("contract_balance", json!({}));
    balance[field].as_str().unwrap().parse().unwrap()
}

fn drop_of(scene: &Scene, drop: u64) -> Value {
    scene.view("drop", json!({ "drop_id": drop }))
}

fn supply(scene: &Scene) -> Value {
    scene.view("nft_total_supply", json!({}))
}

/// Asserts that a voucher is refused with a code, that the view says so beforehand, that what was attached comes back, and
/// that nothing changed.
fn refused(scene: &mut Scene, args: Value, deposit: u128, code: &str) {
    let foretold = scene.view("voucher_eligibility", args.clone());
    assert_eq!(
        (&foretold["allowed"], &foretold["code"]),
        (&json!(false), &json!(code))
    );
    let (before, minted) = (scene.chain.balance("relayer.near"), supply(scene));
    let outcome = bring(scene, args, deposit);
    assert_eq!(outcome.code(), code);
    let said = format!("{:?}", outcome.failure());
    assert!(
        said.contains(foretold["message"].as_str().unwrap()),
        "{said}"
    );
    assert_eq!(outcome.bytes_of(CONTRACT), 0);
    assert!(outcome.logs().is_empty());
    assert_eq!(supply(scene), minted);
    let burnt = before - scene.chain.balance("relayer.near");
    assert!(burnt < NEAR / 20, "the deposit came back, but for {burnt}");
}

#[test]
fn a_voucher_mints_at_its_price_to_its_receiver() {
    let (mut scene, issuer, drop) = scene();
    let terms = terms(&scene, drop, NEAR);
    let args = issuer.voucher(&terms);
    let asked = scene.view("voucher_eligibility", args.clone());
    assert_eq!(
        asked,
        json!({ "allowed": true, "code": null, "message": null, "collection_id": 1, "quantity": 2, "expires_at_ms": terms.expires_at_ms })
    );
    let reserve = drop_of(&scene, drop)["reserve"].clone();
    let money = |scene: &Scene| {
        [PLATFORM, "artist.near", OWNER, "bob.near"].map(|id| scene.chain.balance(id))
    };
    let before = money(&scene);
    let payer = scene.chain.balance("relayer.near");
    let free = amount(&scene, "free");
    let outcome = bring(&mut scene, args, 5 * NEAR);
    assert_eq!(outcome.json(), json!(["1:1", "1:2"]));
    assert_eq!(scene.owner_of("1:1"), "bob.near");
    assert_ne!(scene.token("1:2")["metadata"]["media"], Value::Null);
    let rest = 2 * (NEAR - KEPT);
    let gained: Vec<u128> = money(&scene)
        .iter()
        .zip(before)
        .map(|(after, before)| after - before)
        .collect();
    let (platform, artist) = (rest / 20, rest / 10);
    assert_eq!(gained, [platform, artist, rest - platform - artist, 0]);
    let spent = payer - scene.chain.balance("relayer.near");
    assert!((2 * NEAR..2 * NEAR + NEAR / 20).contains(&spent), "{spent}");
    let collection = scene.view("collection", json!({ "collection_id": 1 }));
    assert_eq!(collection["earned"], (rest - platform - artist).to_string());
    // The price paid for the storage: the reserve is as it was.
    let shown = drop_of(&scene, drop);
    assert_eq!(shown["reserve"], reserve);
    assert_eq!(
        (&shown["claimed"], &shown["claimed_links"]),
        (&json!(1), &json!("EAA="))
    );
    assert!(amount(&scene, "free") + 128 * TOKEN > free);
    assert_eq!(
        (amount(&scene, "missing"), scene.chain.unaccounted()),
        (0, 0)
    );
    let events = outcome.events();
    assert_eq!(events[1]["event"], "claim");
    assert_eq!(
        events[1]["data"],
        json!([{ "drop_id": drop, "link": 4, "owner_id": "bob.near", "token_ids": ["1:1", "1:2"] }])
    );
}

#[test]
fn a_free_voucher_takes_its_storage_out_of_the_reserve() {
    let (mut scene, issuer, drop) = scene();
    let free = amount(&scene, "free");
    let args = issuer.voucher(&terms(&scene, drop, 0));
    let paid = bring(&mut scene, args.clone(), 1);
    assert_eq!(paid.code(), "E_INVALID_ARGUMENT", "no deposit is taken");
    let outcome = bring(&mut scene, args, 0);
    assert_eq!(outcome.json(), json!(["1:1", "1:2"]));
    let reserve = (10 * 3 - 2) * TOKEN;
    assert_eq!(drop_of(&scene, drop)["reserve"], reserve.to_string());
    let gained = amount(&scene, "free") - free;
    assert!(
        gained < NEAR / 100,
        "the contract's share of the gas alone: {gained}"
    );
    // Without a reserve there is nothing to take.
    let made = json!({
        "collection_id": 1, "issuer_public_key": issuer.public_key(), "links": 2, "quantity": 2,
        "expires_at_ms": scene.chain.now_ms() + DAY, "reserve": "0"
    });
    let poor = scene
        .sign(OWNER, "drop_create", made)
        .json()
        .as_u64()
        .unwrap();
    let none = Terms {
        nonce: 0,
        ..terms(&scene, poor, 0)
    };
    refused(&mut scene, issuer.voucher(&none), 0, "E_DROP_RESERVE");
}

/// A price that is paid needs nothing of the owner's: neither a reserve nor anything free.
#[test]
fn a_voucher_with_a_price_pays_for_itself() {
    let (mut scene, issuer, _) = scene();
    let made = json!({
        "collection_id": 1, "issuer_public_key": issuer.public_key(), "links": 10, "quantity": 3,
        "expires_at_ms": scene.chain.now_ms() + DAY, "reserve": "0"
    });
    let drop = scene
        .sign(OWNER, "drop_create", made)
        .json()
        .as_u64()
        .unwrap();
    scene.sign(OWNER, "withdraw", json!({})).json();
    for nonce in 0..10 {
        let terms = Terms {
            nonce,
            quantity: 3,
            ..terms(&scene, drop, KEPT)
        };
        let args = issuer.voucher(&terms);
        bring(&mut scene, args, 3 * KEPT).json();
        assert_eq!(amount(&scene, "missing"), 0);
    }
    assert_eq!(supply(&scene), "30");
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// Each term is covered by the signature, and so is the place: what was signed for another network, contract, drop or number,
/// by another key, or as something else, is worth nothing here.
#[test]
fn a_voucher_is_good_for_its_own_terms_and_place_alone() {
    let (mut scene, issuer, drop) = scene();
    scene.collection(json!({}), AssetBatch::new(0, 10, 100));
    let second = scene.drop(1, &issuer, 10, 3);
    let of_other = scene.drop(2, &issuer, 10, 3);
    let signed = terms(&scene, drop, NEAR);
    let good = issuer.voucher(&signed);
    for (field, value) in [
        ("receiver_id", json!("relayer.near")),
        ("quantity", json!(3)),
        ("quantity", json!(1)),
        ("price", json!((NEAR - 1).to_string())),
        ("price", json!("0")),
        ("expires_at_ms", json!(signed.expires_at_ms + 1)),
        ("nonce", json!(5)),
        ("drop_id", json!(second)),
        ("drop_id", json!(of_other)),
    ] {
        let mut args = good.clone();
        args[field] = value;
        let deposit = if args["price"] == "0" { 0 } else { 3 * NEAR };
        refused(&mut scene, args, deposit, "E_CLAIM_INVALID");
    }
    let abroad = Issuer::on("mainnet", "issuer");
    let elsewhere = Terms {
        contract: "other.near",
        ..signed.clone()
    };
    for (by, terms) in [
        (&abroad, &signed),
        (&issuer, &elsewhere),
        (&Issuer::new("mallory"), &signed),
    ] {
        refused(&mut scene, by.voucher(terms), 3 * NEAR, "E_CLAIM_INVALID");
    }
    // A link's certificate and a voucher are of the same key, and neither is the other.
    let link = issuer.link(CONTRACT, drop, 4).claim("bob.near");
    for field in ["certificate", "signature"] {
        let mut args = good.clone();
        args["signature"] = link[field].clone();
        refused(&mut scene, args, 3 * NEAR, "E_CLAIM_INVALID");
    }
    let mut claim = link;
    claim["certificate"] = good["signature"].clone();
    let outcome = scene.call("relayer.near", "nft_claim", claim);
    assert_eq!(outcome.code(), "E_CLAIM_INVALID");
    bring(&mut scene, good, 3 * NEAR).json();
    assert_eq!(scene.owner_of("1:1"), "bob.near");
}

/// One number of a drop is used once, by whichever voucher or link comes first.
#[test]
fn a_number_is_used_once() {
    let (mut scene, issuer, drop) = scene();
    let good = issuer.voucher(&terms(&scene, drop, NEAR));
    let again = issuer.voucher(&Terms {
        receiver: "relayer.near",
        ..terms(&scene, drop, NEAR)
    });
    let free = issuer.voucher(&terms(&scene, drop, 0));
    let call =
        |args: &Value| harness::Action::call("voucher_mint", args.clone(), 50 * TGAS, 2 * NEAR);
    let both = vec![call(&good), call(&again)];
    let outcome = scene.chain.transact("relayer.near", CONTRACT, both);
    assert_eq!(
        outcome.code(),
        "E_LINK_CLAIMED",
        "twice in a receipt is not at all"
    );
    assert_eq!(supply(&scene), "0");
    bring(&mut scene, good.clone(), 2 * NEAR).json();
    refused(&mut scene, good, 2 * NEAR, "E_LINK_CLAIMED");
    refused(&mut scene, again, 2 * NEAR, "E_LINK_CLAIMED");
    refused(&mut scene, free, 0, "E_LINK_CLAIMED");
    let link = |number: u32| issuer.link(CONTRACT, drop, number).claim("bob.near");
    assert_eq!(
        scene.call("relayer.near", "nft_claim", link(4)).code(),
        "E_LINK_CLAIMED"
    );
    scene.call("relayer.near", "nft_claim", link(5)).json();
    let late = Terms {
        nonce: 5,
        ..terms(&scene, drop, NEAR)
    };
    refused(
        &mut scene,
        issuer.voucher(&late),
        2 * NEAR,
        "E_LINK_CLAIMED",
    );
    let revoke = json!({ "drop_id": drop, "revoke": [6] });
    scene.sign(OWNER, "drop_update", revoke).result().unwrap();
    let revoked = Terms { nonce: 6, ..late };
    refused(
        &mut scene,
        issuer.voucher(&revoked),
        2 * NEAR,
        "E_LINK_CLAIMED",
    );
}

#[test]
fn a_voucher_ends_with_its_time_its_drop_and_its_issuer() {
    let (mut scene, issuer, drop) = scene();
    let now = scene.chain.now_ms();
    let short = Terms {
        nonce: 1,
        expires_at_ms: now + 60_000,
        ..terms(&scene, drop, NEAR)
    };
    let long = Terms {
        nonce: 2,
        expires_at_ms: now + 100 * DAY,
        ..terms(&scene, drop, NEAR)
    };
    let (short, long) = (issuer.voucher(&short), issuer.voucher(&long));
    assert_eq!(
        scene.view("voucher_eligibility", short.clone())["allowed"],
        true
    );
    scene.chain.advance_to(now + 60_000);
    refused(&mut scene, short, 2 * NEAR, "E_DROP_EXPIRED");
    assert_eq!(
        scene.view("voucher_eligibility", long.clone())["allowed"],
        true
    );
    let replaced =
        json!({ "drop_id": drop, "issuer_public_key": Issuer::new("next").public_key() });
    scene.sign(OWNER, "drop_update", replaced).result().unwrap();
    refused(&mut scene, long.clone(), 2 * NEAR, "E_CLAIM_INVALID");
    let back = json!({ "drop_id": drop, "issuer_public_key": issuer.public_key() });
    scene.sign(OWNER, "drop_update", back).result().unwrap();
    scene.chain.advance_to(now + DAY);
    refused(&mut scene, long.clone(), 2 * NEAR, "E_DROP_EXPIRED");
    scene
        .call(OWNER, "drop_close", json!({ "drop_id": drop }))
        .json();
    refused(&mut scene, long, 2 * NEAR, "E_DROP_NOT_FOUND");
}

#[test]
fn a_voucher_says_what_is_wrong_with_it() {
    let (mut scene, issuer, drop) = scene();
    let base = terms(&scene, drop, NEAR);
    for wrong in [
        Terms {
            quantity: 0,
            ..base.clone()
        },
        Terms {
            quantity: 4,
            ..base.clone()
        },
        Terms {
            price: 1,
            ..base.clone()
        },
        Terms {
            price: KEPT - 1,
            ..base.clone()
        },
        Terms {
            nonce: 10,
            ..base.clone()
        },
    ] {
        refused(
            &mut scene,
            issuer.voucher(&wrong),
            4 * NEAR,
            "E_INVALID_ARGUMENT",
        );
    }
    let good = issuer.voucher(&base);
    let poor = bring(&mut scene, good.clone(), 2 * NEAR - 1);
    assert_eq!(poor.code(), "E_DEPOSIT_TOO_SMALL");
    assert!(format!("{:?}", poor.failure()).contains(&(2 * NEAR).to_string()));
    for (field, value) in [
        ("receiver_id", json!("Not An Account")),
        ("signature", json!("AAAA")),
        ("price", json!(1)),
    ] {
        let mut args = good.clone();
        args[field] = value;
        let outcome = bring(&mut scene, args, 2 * NEAR);
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{field}");
        assert!(
            format!("{:?}", outcome.failure()).contains(field),
            "{field}"
        );
    }
    let enormous = Terms {
        price: u128::MAX,
        ..base.clone()
    };
    let outcome = bring(&mut scene, issuer.voucher(&enormous), 2 * NEAR);
    assert_eq!(outcome.code(), "E_DEPOSIT_TOO_SMALL");
    let absent = issuer.voucher(&Terms { drop: 9, ..base });
    refused(&mut scene, absent, 2 * NEAR, "E_DROP_NOT_FOUND");
    let lock = json!({ "collection_id": 1, "locks": ["supply"] });
    scene.sign(OWNER, "collection_lock", lock).result().unwrap();
    refused(&mut scene, good, 2 * NEAR, "E_LOCKED");
    scene.collection(json!({}), AssetBatch::new(0, 1, 1));
    let few = scene.drop(2, &issuer, 10, 3);
    let sold_out = terms(&scene, few, NEAR);
    refused(
        &mut scene,
        issuer.voucher(&sold_out),
        2 * NEAR,
        "E_SOLD_OUT",
    );
}

/// Windows, limits and the allowlist are those of direct mints: who decides about vouchers is their issuer.
#[test]
fn the_rules_of_direct_mints_do_not_bind_vouchers() {
    let (mut scene, issuer, drop) = scene();
    let closed = json!({
        "collection_id": 1,
        "private_mint_config": { "mint_fee": "0", "ends_at_ms": 1, "limit_per_account": 1 }
    });
    scene
        .sign(OWNER, "collection_update", closed)
        .result()
        .unwrap();
    for nonce in 0..3 {
        let terms = Terms {
            nonce,
            ..terms(&scene, drop, NEAR / 100)
        };
        let args = issuer.voucher(&terms);
        bring(&mut scene, args, NEAR / 50).json();
    }
    assert_eq!(
        scene.view("nft_supply_for_owner", json!({ "account_id": "bob.near" })),
        "6"
    );
}

const USDC: &str = "usdc.near";
const OTHER: &str = "other.near";
const WEALTH: u128 = 1_000_000;
const PRICE: u128 = 700;

/// The same with two tokens, of which the payer has units. The collection names them in phases that nobody is listed for.
fn scene_in_tokens() -> (Scene, Issuer, u64) {
    let (mut scene, issuer, drop) = scene();
    for token in [USDC, OTHER] {
        scene.token_contract(token, &[("relayer.near", WEALTH)]);
    }
    let phase = |token: &str| json!({ "mint_fee": "1", "currency": token, "allowlist": true, "supply": 1, "limit_per_account": 1 });
    let phases = json!({ "collection_id": 1, "phases": [phase(USDC), phase(OTHER)] });
    scene.sign(OWNER, "collection_update", phases).json();
    (scene, issuer, drop)
}

fn terms_in(scene: &Scene, drop: u64, token: &'static str) -> Terms<'static> {
    Terms {
        currency: Some(token),
        ..terms(scene, drop, PRICE)
    }
}

/// Brings a voucher with units of a token.
fn send(scene: &mut Scene, token: &str, amount: u128, voucher: &Value) -> TransactionOutcome {
    let msg = json!({ "voucher": voucher }).to_string();
    scene.buy(token, "relayer.near", amount, &msg)
}

/// The code that `ft_on_transfer` failed with; empty if it minted.
fn refusal(outcome: &TransactionOutcome) -> String {
    let of = |receipt: &&harness::ReceiptOutcome| receipt.methods == ["ft_on_transfer"];
    match &outcome
        .receipts
        .iter()
        .find(of)
        .expect("it was called")
        .status
    {
        harness::Status::Failed(_, failure) => failure.code().unwrap_or("no code").to_owned(),
        _ => String::new(),
    }
}

fn assert_balanced(scene: &Scene) {
    for token in [USDC, OTHER] {
        let payees = [OWNER, PLATFORM, "artist.near"].iter();
        let waiting: u128 = payees.map(|account| scene.waiting(token, account)).sum();
        assert_eq!(waiting, scene.units(token, CONTRACT));
    }
    assert_eq!(
        (amount(scene, "missing"), scene.chain.unaccounted()),
        (0, 0)
    );
}

/// Asserts that a voucher brought with units of a token is refused, that all of them are still the payer's, and that nothing
/// changed.
fn refused_units(scene: &mut Scene, token: &str, sent: u128, voucher: &Value, code: &str) {
    let before = (scene.units(token, "relayer.near"), supply(scene));
    let outcome = send(scene, token, sent, voucher);
    assert_eq!(refusal(&outcome), code, "{voucher}");
    assert_eq!(outcome.json(), json!("0"), "the token took nothing");
    assert_eq!(outcome.bytes_of(CONTRACT), 0);
    assert_eq!((scene.units(token, "relayer.near"), supply(scene)), before);
    assert_balanced(scene);
}

#[test]
fn a_voucher_in_a_token_is_paid_in_it_and_the_rest_returns() {
    let (mut scene, issuer, drop) = scene_in_tokens();
    let terms = terms_in(&scene, drop, USDC);
    let voucher = issuer.voucher(&terms);
    let asked = scene.view("voucher_eligibility", voucher.clone());
    assert_eq!(
        asked,
        json!({ "allowed": true, "code": null, "message": null, "collection_id": 1, "quantity": 2, "expires_at_ms": terms.expires_at_ms })
    );
    let reserve = drop_of(&scene, drop)["reserve"].clone();
    let near = |scene: &Scene| [PLATFORM, "artist.near", OWNER].map(|id| scene.chain.balance(id));
    let before = near(&scene);
    let outcome = send(&mut scene, USDC, 3 * PRICE, &voucher);
    assert_eq!(outcome.json(), json!((2 * PRICE).to_string()));
    println!(
        "a voucher in a token: {:.2} Tgas in all receipts",
        outcome.tgas()
    );
    assert_eq!(scene.units(USDC, "relayer.near"), WEALTH - 2 * PRICE);
    assert_eq!(
        (scene.owner_of("1:1"), supply(&scene)),
        ("bob.near".into(), json!("2"))
    );
    let waiting = [PLATFORM, "artist.near", OWNER].map(|id| scene.waiting(USDC, id));
    assert_eq!(waiting, [70, 140, 1_190]);
    assert_eq!(near(&scene), before, "no NEAR is sent");
    let shown = drop_of(&scene, drop);
    assert_eq!(
        (&shown["reserve"], &shown["claimed"]),
        (&reserve, &json!(1))
    );
    let claimed = json!([{ "drop_id": drop, "link": 4, "owner_id": "bob.near", "token_ids": ["1:1", "1:2"] }]);
    let events = outcome.events();
    assert!(
        events
            .iter()
            .any(|event| event["event"] == "claim" && event["data"] == claimed)
    );
    // Limits, supply and counts are those of phases.
    let shown = scene.view("collection", json!({ "collection_id": 1 }));
    assert_eq!(shown["phases"][0]["minted"], 0);
    assert_eq!(shown["earned"], "0");
    assert_balanced(&scene);
    refused_units(&mut scene, USDC, 3 * PRICE, &voucher, "E_LINK_CLAIMED");
    // What needs no currency beside the token's own account may be left out.
    let mut bare = issuer.voucher(&Terms { nonce: 5, ..terms });
    bare.as_object_mut().unwrap().remove("currency");
    assert_eq!(
        send(&mut scene, USDC, 2 * PRICE, &bare).json(),
        json!((2 * PRICE).to_string())
    );
}

/// What was signed for one currency is good in no other, whether or not whoever brings it says which it was.
#[test]
fn a_voucher_is_good_in_its_currency_alone() {
    let (mut scene, issuer, drop) = scene_in_tokens();
    let currencies = [None, Some(USDC), Some(OTHER), Some("near")];
    for signed in currencies {
        let price = if signed.is_none() { NEAR } else { PRICE };
        let terms = Terms {
            price,
            currency: signed,
            ..terms(&scene, drop, price)
        };
        let voucher = issuer.voucher(&terms);
        for said in currencies {
            let mut forged = voucher.clone();
            match said {
                None => drop_field(&mut forged),
                Some(token) => forged["currency"] = json!(token),
            }
            if signed.is_some() || said.is_some() {
                let outcome = bring(&mut scene, forged.clone(), 2 * NEAR);
                assert!(!outcome.succeeded(), "{signed:?} as {said:?} for NEAR");
            }
            for token in [USDC, OTHER] {
                if signed != Some(token) || said.is_some_and(|said| said != token) {
                    let outcome = send(&mut scene, token, 2 * PRICE, &forged);
                    let code = refusal(&outcome);
                    let codes = ["E_OTHER_CURRENCY", "E_CLAIM_INVALID", "E_DEPOSIT_TOO_SMALL"];
                    assert!(
                        codes.contains(&code.as_str()),
                        "{signed:?} as {said:?} for {token}: {code}"
                    );
                    assert_eq!(scene.units(token, "relayer.near"), WEALTH);
                }
            }
        }
        assert_eq!(supply(&scene), "0");
    }
    assert_balanced(&scene);
    // One number is used once, by whichever currency comes first.
    let in_usdc = issuer.voucher(&terms_in(&scene, drop, USDC));
    let in_other = issuer.voucher(&terms_in(&scene, drop, OTHER));
    let in_near = issuer.voucher(&terms(&scene, drop, NEAR));
    assert_eq!(refusal(&send(&mut scene, OTHER, 2 * PRICE, &in_other)), "");
    refused_units(&mut scene, USDC, 2 * PRICE, &in_usdc, "E_LINK_CLAIMED");
    refused_units(&mut scene, OTHER, 2 * PRICE, &in_other, "E_LINK_CLAIMED");
    refused(&mut scene, in_near, 2 * NEAR, "E_LINK_CLAIMED");
}

fn drop_field(voucher: &mut Value) {
    voucher.as_object_mut().unwrap().remove("currency");
}

/// With any gas at all, units and NFTs change hands together or not at all.
#[test]
fn no_gas_parts_a_voucher_from_its_units() {
    let (base, issuer, drop) = scene_in_tokens();
    let voucher = issuer.voucher(&terms_in(&base, drop, USDC));
    let msg = json!({ "voucher": voucher }).to_string();
    let (mut minted, mut refused) = (0, 0);
    for tenths in 10..600 {
        let mut scene = base.clone();
        let call = harness::fungible::purchase(3 * PRICE, &msg, TGAS / 10 * tenths);
        let outcome = scene.chain.transact("relayer.near", USDC, vec![call]);
        let paid = WEALTH - scene.units(USDC, "relayer.near");
        let got = supply(&scene);
        let whole = [(0, "0"), (2 * PRICE, "2")].contains(&(paid, got.as_str().unwrap()));
        assert!(
            whole,
            "{tenths} tenths of a Tgas: {paid} for {got}, {outcome:?}"
        );
        assert_eq!(drop_of(&scene, drop)["claimed"], u32::from(paid > 0));
        assert_balanced(&scene);
        minted += u32::from(paid > 0);
        refused += u32::from(paid == 0);
    }
    assert!(
        minted > 200 && refused > 100,
        "{minted} minted, {refused} refused"
    );
}

/// A token that says it was paid redeems what was signed in it, for collections that name it, and nothing else.
#[test]
fn a_token_that_lies_redeems_its_own_vouchers_alone() {
    let (mut scene, issuer, first) = scene_in_tokens();
    scene.accounts(["liar.near"]);
    let named = json!({ "public_mint_config": { "mint_fee": "1", "currency": "liar.near", "ends_at_ms": 1 } });
    scene.collection(named, AssetBatch::new(0, 10, 100));
    let second = scene.drop(2, &issuer, 10, 3);
    let say = |scene: &mut Scene, amount: u128, voucher: &Value| {
        let msg = json!({ "voucher": voucher }).to_string();
        let args = json!({ "sender_id": OWNER, "amount": amount.to_string(), "msg": msg });
        scene
            .chain
            .call("liar.near", CONTRACT, "ft_on_transfer", args, 0)
    };
    let of = |scene: &Scene, drop, currency| {
        let price = if currency == None { NEAR } else { PRICE };
        issuer.voucher(&Terms {
            currency,
            ..terms(scene, drop, price)
        })
    };
    let records = scene.chain.records(CONTRACT);
    for drop in [first, second] {
        for currency in [None, Some(USDC), Some(OTHER)] {
            let mut voucher = of(&scene, drop, currency);
            let outcome = say(&mut scene, u128::MAX, &voucher);
            assert!(!outcome.succeeded(), "{currency:?} of {drop}");
            voucher["currency"] = json!("liar.near");
            let outcome = say(&mut scene, u128::MAX, &voucher);
            let code = if drop == first {
                "E_OTHER_CURRENCY"
            } else {
                "E_CLAIM_INVALID"
            };
            assert_eq!(outcome.code(), code, "{currency:?} of {drop}");
        }
    }
    let signed = of(&scene, first, Some("liar.near"));
    assert_eq!(
        say(&mut scene, u128::MAX, &signed).code(),
        "E_OTHER_CURRENCY"
    );
    assert_eq!(
        scene.view("voucher_eligibility", signed)["code"],
        "E_OTHER_CURRENCY"
    );
    assert!(
        scene.chain.records(CONTRACT) == records,
        "nothing was stored"
    );
    let own = of(&scene, second, Some("liar.near"));
    assert_eq!(
        say(&mut scene, 2 * PRICE - 1, &own).code(),
        "E_DEPOSIT_TOO_SMALL"
    );
    let paid = json!({ "sender_id": OWNER, "amount": "1400", "msg": json!({ "voucher": own }).to_string() });
    let paid = scene
        .chain
        .call("liar.near", CONTRACT, "ft_on_transfer", paid, 1);
    assert_eq!(paid.code(), "E_INVALID_ARGUMENT", "no deposit is taken");
    assert_eq!(say(&mut scene, 2 * PRICE, &own).json(), json!("0"));
    assert_eq!(say(&mut scene, 2 * PRICE, &own).code(), "E_LINK_CLAIMED");
    assert_eq!(supply(&scene), "2");
    assert_balanced(&scene);
    // Once the settings name the token no more, its vouchers are over.
    let next = issuer.voucher(&Terms {
        nonce: 5,
        ..Terms {
            currency: Some("liar.near"),
            ..terms(&scene, second, PRICE)
        }
    });
    let away = json!({ "collection_id": 2, "public_mint_config": null });
    scene.sign(OWNER, "collection_update", away).json();
    assert_eq!(say(&mut scene, 2 * PRICE, &next).code(), "E_OTHER_CURRENCY");
}

/// Numbers, quantities, copies, prices and storage bind a voucher in a token, and what is refused comes back whole.
#[test]
fn vouchers_in_tokens_stay_within_their_drop() {
    let (mut scene, issuer, drop) = scene_in_tokens();
    let base = terms_in(&scene, drop, USDC);
    for (wrong, code) in [
        (
            Terms {
                quantity: 0,
                ..base.clone()
            },
            "E_INVALID_ARGUMENT",
        ),
        (
            Terms {
                quantity: 4,
                ..base.clone()
            },
            "E_INVALID_ARGUMENT",
        ),
        (
            Terms {
                nonce: 10,
                ..base.clone()
            },
            "E_INVALID_ARGUMENT",
        ),
        (
            Terms {
                price: 0,
                ..base.clone()
            },
            "E_INVALID_ARGUMENT",
        ),
        (
            Terms {
                price: u128::MAX,
                ..base.clone()
            },
            "E_DEPOSIT_TOO_SMALL",
        ),
        (
            Terms {
                expires_at_ms: 1,
                ..base.clone()
            },
            "E_DROP_EXPIRED",
        ),
        (
            Terms {
                drop: 9,
                ..base.clone()
            },
            "E_DROP_NOT_FOUND",
        ),
    ] {
        refused_units(&mut scene, USDC, WEALTH, &issuer.voucher(&wrong), code);
    }
    let good = issuer.voucher(&base);
    refused_units(
        &mut scene,
        USDC,
        2 * PRICE - 1,
        &good,
        "E_DEPOSIT_TOO_SMALL",
    );
    let forged = Issuer::new("mallory").voucher(&base);
    refused_units(&mut scene, USDC, 2 * PRICE, &forged, "E_CLAIM_INVALID");
    let mut more = good.clone();
    more["max_price"] = json!("1");
    refused_units(&mut scene, USDC, 2 * PRICE, &more, "E_INVALID_ARGUMENT");
    for msg in [
        json!({ "voucher": good, "collection_id": 1 }),
        json!({ "voucher": [] }),
        json!({ "voucher": {} }),
    ] {
        let outcome = scene.buy(USDC, "relayer.near", 2 * PRICE, &msg.to_string());
        assert_eq!(refusal(&outcome), "E_INVALID_ARGUMENT", "{msg}");
        assert_eq!(scene.units(USDC, "relayer.near"), WEALTH);
    }
    // Its storage is of what is free, whatever the reserve; the view knows.
    let mut poor = scene.clone();
    poor.sign(OWNER, "withdraw", json!({})).json();
    let said = poor.view("voucher_eligibility", good.clone());
    assert_eq!(
        (&said["allowed"], &said["code"]),
        (&json!(false), &json!("E_STORAGE_BALANCE"))
    );
    refused_units(&mut poor, USDC, 2 * PRICE, &good, "E_STORAGE_BALANCE");
    for bytes in (0..1_400).step_by(50) {
        let mut scene = poor.clone();
        let gift = harness::Action::Transfer(bytes * STORAGE_PRICE);
        scene.chain.transact(OWNER, CONTRACT, vec![gift]);
        let said = scene.view("voucher_eligibility", good.clone());
        let code = refusal(&send(&mut scene, USDC, 2 * PRICE, &good));
        assert_eq!(
            said["code"].as_str().unwrap_or_default(),
            code,
            "{bytes} bytes free"
        );
        assert_balanced(&scene);
    }
    scene.mint_many(1, "bob.near", 100).json();
    scene.collection(
        json!({ "public_mint_config": { "mint_fee": "1", "currency": USDC } }),
        AssetBatch::new(0, 1, 1),
    );
    let few = scene.drop(2, &issuer, 10, 3);
    let sold_out = issuer.voucher(&terms_in(&scene, few, USDC));
    refused_units(&mut scene, USDC, 2 * PRICE, &sold_out, "E_SOLD_OUT");
    let lock = json!({ "collection_id": 1, "locks": ["supply"] });
    scene.sign(OWNER, "collection_lock", lock).result().unwrap();
    refused_units(&mut scene, USDC, 2 * PRICE, &good, "E_LOCKED");
}

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
        ("currency", json!("usdc.near")),
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

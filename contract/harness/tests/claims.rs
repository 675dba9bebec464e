//! Claim drops: made and ended by the staff, claimed by whoever holds a link, with a signature that nobody can redirect.

use harness::claims::{Issuer, Link, Terms};
use harness::mintage::{ADMIN, AssetBatch, CONTRACT, OWNER, Scene};
use harness::{Action, NEAR, ReceiptOutcome, STORAGE_PRICE, TGAS};
use serde_json::{Value, json};

const DAY: u64 = 86_400_000;
/// Bytes that a token of these collections is promised.
const TOKEN: u128 = 192 * STORAGE_PRICE;

fn scene() -> (Scene, Issuer) {
    let mut scene = Scene::default();
    scene.accounts(["relayer.near", "bob.near", "mallory.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 10, 100));
    (scene, Issuer::new("issuer"))
}

fn claim(scene: &mut Scene, args: Value) -> harness::TransactionOutcome {
    scene.call("relayer.near", "nft_claim", args)
}

fn held(scene: &Scene, field: &str) -> u128 {
    let balance = scene.view("contract_balance", json!({}));
    balance[field].as_str().unwrap().parse().unwrap()
}

fn drop_of(scene: &Scene, drop: u64) -> Value {
    scene.view("drop", json!({ "drop_id": drop }))
}

/// Asserts that a claim is refused with a code, that the view says so beforehand, and that nothing changed.
fn refused(scene: &mut Scene, args: Value, code: &str) {
    let foretold = scene.view("claim_eligibility", args.clone());
    let outcome = claim(scene, args);
    assert_eq!(outcome.code(), code);
    assert_eq!(
        (&foretold["allowed"], &foretold["code"]),
        (&json!(false), &json!(code))
    );
    let said = format!("{:?}", outcome.failure());
    let message = foretold["message"].as_str().unwrap();
    assert!(said.contains(message), "{said} and {message}");
    assert_eq!(outcome.bytes_of(CONTRACT), 0);
    assert!(outcome.logs().is_empty());
}

#[test]
fn a_link_brings_its_tokens_to_whom_it_signed_for() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 100, 2);
    let link = issuer.link(CONTRACT, drop, 42);
    let args = link.claim("bob.near");
    let asked = scene.view("claim_eligibility", args.clone());
    let end = drop_of(&scene, drop)["expires_at_ms"].clone();
    assert_eq!(
        asked,
        json!({ "allowed": true, "code": null, "message": null, "collection_id": 1, "quantity": 2, "expires_at_ms": end })
    );
    let outcome = claim(&mut scene, args);
    assert_eq!(outcome.json(), json!(["1:1", "1:2"]));
    assert_eq!(scene.owner_of("1:1"), "bob.near");
    assert_ne!(scene.token("1:2")["metadata"]["media"], Value::Null);
    let tokens = json!({ "owner_id": "bob.near", "token_ids": ["1:1", "1:2"] });
    let mut claimed = tokens.clone();
    claimed["drop_id"] = json!(drop);
    claimed["link"] = json!(42);
    let event = |standard: &str, version: &str, event: &str, data: Value| json!({ "standard": standard, "version": version, "event": event, "data": [data] });
    assert_eq!(
        outcome.events(),
        [
            event("nep171", "1.2.0", "nft_mint", tokens),
            event("mintage", "1.0.0", "claim", claimed)
        ]
    );
    let shown = drop_of(&scene, drop);
    assert_eq!(
        (&shown["claimed"], &shown["links"]),
        (&json!(1), &json!(100))
    );
    // One bit a link, the lowest first: the 42nd is bit 2 of the sixth byte.
    assert_eq!(shown["claimed_links"], "AAAAAAAEAAAAAAAAAA==");
}

#[test]
fn a_link_works_once_whoever_it_is_signed_for() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 9, 1);
    let link = issuer.link(CONTRACT, drop, 8);
    let first = link.claim("bob.near");
    claim(&mut scene, first.clone()).json();
    for args in [first, link.claim("mallory.near")] {
        refused(&mut scene, args, "E_LINK_CLAIMED");
    }
    for number in 0..8 {
        let args = issuer.link(CONTRACT, drop, number).claim("bob.near");
        claim(&mut scene, args).json();
    }
    assert_eq!(drop_of(&scene, drop)["claimed"], 9);
    assert_eq!(
        scene.view("nft_supply_for_owner", json!({ "account_id": "bob.near" })),
        "9"
    );
}

#[test]
fn nobody_between_can_redirect_a_claim() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let good = issuer.link(CONTRACT, drop, 3).claim("bob.near");
    let with = |field: &str, value: Value| {
        let mut args = good.clone();
        args[field] = value;
        args
    };
    let other = issuer.link(CONTRACT, drop, 4).claim("bob.near");
    let forged = Issuer::new("mallory")
        .link(CONTRACT, drop, 3)
        .claim("mallory.near");
    let elsewhere = issuer.link("other.near", drop, 3).claim("bob.near");
    let mut own_key = forged.clone();
    own_key["certificate"] = good["certificate"].clone();
    for args in [
        with("receiver_id", json!("mallory.near")),
        with("link", json!(4)),
        with("signature", other["signature"].clone()),
        with("signature", good["certificate"].clone()),
        with("certificate", other["certificate"].clone()),
        with("certificate", good["signature"].clone()),
        with("link_public_key", other["link_public_key"].clone()),
        forged,
        elsewhere,
        own_key,
    ] {
        refused(&mut scene, args, "E_CLAIM_INVALID");
    }
    // The same issuer's link of another drop, which is of another collection.
    scene.collection(json!({}), AssetBatch::new(0, 1, 10));
    let second = scene.drop(2, &issuer, 10, 1);
    let mut moved = good.clone();
    moved["drop_id"] = json!(second);
    refused(&mut scene, moved, "E_CLAIM_INVALID");
    claim(&mut scene, good).json();
    assert_eq!(scene.owner_of("1:1"), "bob.near");
}

/// The link's key alone decides who receives, and the issuer alone which key is a link's: a key that somebody else
/// certifies as well is worth no more for that.
#[test]
fn a_certificate_is_the_issuers_own() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let link = issuer.link(CONTRACT, drop, 3);
    let mallory = Issuer::new("mallory");
    let forged = mallory.link_with_key_of(&link, CONTRACT, drop, 3);
    assert_eq!(
        forged.claim("bob.near")["link_public_key"],
        link.claim("bob.near")["link_public_key"]
    );
    refused(&mut scene, forged.claim("bob.near"), "E_CLAIM_INVALID");
    // Whoever holds a link's key names the receiver, which is what the link is for.
    claim(&mut scene, link.claim("mallory.near")).json();
    assert_eq!(scene.owner_of("1:1"), "mallory.near");
}

/// One key certified for several places: what was signed for one of them is good for no other. So each signature covers
/// network, contract, drop and link, that by the link's key the receiver as well, and the certificate the key.
#[test]
fn signatures_are_good_for_one_place_alone() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let second = scene.drop(1, &issuer, 10, 1);
    let link = issuer.link(CONTRACT, drop, 3);
    let good = link.claim("bob.near");
    let abroad = Issuer::on("mainnet", "issuer");
    assert_eq!(abroad.public_key(), issuer.public_key());
    for (by, contract, drop, number) in [
        (&issuer, "other.near", drop, 3),
        (&issuer, CONTRACT, second, 3),
        (&issuer, CONTRACT, drop, 4),
        (&abroad, CONTRACT, drop, 3),
    ] {
        let there = by
            .link_with_key_of(&link, contract, drop, number)
            .claim("bob.near");
        for field in ["signature", "certificate"] {
            let mut args = good.clone();
            args[field] = there[field].clone();
            refused(&mut scene, args, "E_CLAIM_INVALID");
        }
    }
    let to_another = link.claim("mallory.near");
    let mut args = good.clone();
    args["signature"] = to_another["signature"].clone();
    refused(&mut scene, args, "E_CLAIM_INVALID");
    let other_key = issuer.link(CONTRACT, drop, 5).claim("bob.near");
    let mut args = good.clone();
    args["link_public_key"] = other_key["link_public_key"].clone();
    refused(&mut scene, args, "E_CLAIM_INVALID");
    // As a claim the certificate says nothing, and as a certificate the claim: the two kinds of text differ.
    let mut args = good.clone();
    args["certificate"] = good["signature"].clone();
    refused(&mut scene, args, "E_CLAIM_INVALID");
    claim(&mut scene, good).json();
}

/// The bit is set in the call that mints, which sends no receipt: two claims of a link in one receipt fail together, and
/// the link is as good as before.
#[test]
fn a_link_is_spent_in_the_very_call_that_mints() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let link = issuer.link(CONTRACT, drop, 3);
    let call = |receiver: &str| Action::call("nft_claim", link.claim(receiver), 30 * TGAS, 0);
    let both = vec![call("bob.near"), call("mallory.near")];
    let outcome = scene.chain.transact("relayer.near", CONTRACT, both);
    assert_eq!(outcome.code(), "E_LINK_CLAIMED");
    assert_eq!(drop_of(&scene, drop)["claimed"], 0);
    assert_eq!(scene.view("nft_total_supply", json!({})), "0");
    let done = claim(&mut scene, link.claim("bob.near"));
    done.json();
    let sent = |receipt: &&ReceiptOutcome| receipt.predecessor.as_str() == CONTRACT;
    assert_eq!(done.receipts.iter().filter(sent).count(), 0);
    assert_eq!(drop_of(&scene, drop)["claimed"], 1);
}

/// Nothing can be claimed of a collection whose supply is locked or that is sold out; the reserve need not wait for the end.
#[test]
fn a_drop_for_which_nothing_is_left_closes_before_its_end() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let args = issuer.link(CONTRACT, drop, 0).claim("bob.near");
    let open = scene.call(OWNER, "drop_close", json!({ "drop_id": drop }));
    assert_eq!(open.code(), "E_DROP_OPEN");
    let lock = json!({ "collection_id": 1, "locks": ["supply"] });
    scene.sign(OWNER, "collection_lock", lock).json();
    refused(&mut scene, args, "E_LOCKED");
    let more = json!({ "drop_id": drop, "links": 20 });
    let extended = scene.sign(OWNER, "drop_update", more);
    assert_eq!(extended.code(), "E_LOCKED");
    let again = create(&issuer, scene.chain.now_ms() + DAY);
    assert_eq!(scene.sign(OWNER, "drop_create", again).code(), "E_LOCKED");
    let closed = scene.call(OWNER, "drop_close", json!({ "drop_id": drop }));
    assert_eq!(closed.json(), (10 * TOKEN).to_string());

    scene.collection(json!({}), AssetBatch::new(0, 3, 1));
    let drop = scene.drop(2, &issuer, 10, 2);
    let args = issuer.link(CONTRACT, drop, 0).claim("bob.near");
    claim(&mut scene, args).json();
    // The last copy is none for a link of two, and one for a voucher.
    let link = issuer.link(CONTRACT, drop, 1).claim("bob.near");
    refused(&mut scene, link, "E_SOLD_OUT");
    let close = json!({ "drop_id": drop });
    let open = scene.call(OWNER, "drop_close", close.clone());
    assert_eq!(open.code(), "E_DROP_OPEN");
    let voucher = issuer.voucher(&Terms {
        contract: CONTRACT,
        drop,
        nonce: 1,
        receiver: "bob.near",
        quantity: 1,
        price: NEAR,
        currency: None,
        expires_at_ms: scene.chain.now_ms() + DAY / 2,
    });
    scene
        .pay("relayer.near", "voucher_mint", voucher, NEAR)
        .json();
    let closed = scene.call(OWNER, "drop_close", close);
    assert_eq!(closed.json(), (TOKEN - STORAGE_PRICE).to_string());
    assert_eq!(held(&scene, "missing"), 0);
}

#[test]
fn a_claim_needs_a_link_of_an_open_drop() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let link = |number: u32| issuer.link(CONTRACT, drop, number);
    refused(&mut scene, link(10).claim("bob.near"), "E_INVALID_ARGUMENT");
    refused(
        &mut scene,
        link(u32::MAX).claim("bob.near"),
        "E_INVALID_ARGUMENT",
    );
    let absent = issuer.link(CONTRACT, 9, 1).claim("bob.near");
    refused(&mut scene, absent, "E_DROP_NOT_FOUND");
    let end = drop_of(&scene, drop)["expires_at_ms"].as_u64().unwrap();
    scene.chain.advance_to(end - 5_000);
    claim(&mut scene, link(0).claim("bob.near")).json();
    scene.chain.advance_to(end);
    refused(&mut scene, link(1).claim("bob.near"), "E_DROP_EXPIRED");
}

#[test]
fn a_claim_says_what_is_wrong_with_its_arguments() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let good = issuer.link(CONTRACT, drop, 1).claim("bob.near");
    for (field, value) in [
        ("link_public_key", json!("ed25519:abc")),
        ("link_public_key", json!(null)),
        ("certificate", json!("AAAA")),
        ("certificate", json!(null)),
        ("receiver_id", json!("Not An Account")),
        ("receiver_id", json!(null)),
        ("signature", json!("%")),
        ("signature", json!(null)),
        ("link", json!(-1)),
        ("drop_id", json!("1")),
    ] {
        let mut args = good.clone();
        args[field] = value;
        let outcome = claim(&mut scene, args);
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{field}");
        assert!(
            format!("{:?}", outcome.failure()).contains(field),
            "{field}"
        );
    }
    let paid = scene.pay("relayer.near", "nft_claim", good.clone(), 1);
    assert_eq!(paid.code(), "E_INVALID_ARGUMENT", "no deposit is taken");
    claim(&mut scene, good).json();
}

/// A page that was handed a link asks about it before a receiver is known, and before it has a key at hand.
#[test]
fn a_link_can_be_asked_about_without_a_receiver() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let whole = issuer.link(CONTRACT, drop, 1).claim("bob.near");
    let asked = |scene: &Scene, fields: &[&str]| {
        let picked: serde_json::Map<_, _> = fields
            .iter()
            .map(|field| (field.to_string(), whole[field].clone()))
            .collect();
        scene.view("claim_eligibility", picked.into())["code"].clone()
    };
    let key = ["drop_id", "link", "link_public_key", "certificate"];
    assert_eq!(asked(&scene, &key), Value::Null);
    assert_eq!(asked(&scene, &key[..2]), Value::Null);
    claim(&mut scene, whole.clone()).json();
    assert_eq!(asked(&scene, &key), "E_LINK_CLAIMED");
    assert_eq!(asked(&scene, &key[..2]), "E_LINK_CLAIMED");
    let mut forged = Issuer::new("mallory")
        .link(CONTRACT, drop, 2)
        .claim("bob.near");
    let fields = forged.as_object_mut().unwrap();
    fields.remove("receiver_id");
    fields.remove("signature");
    assert_eq!(
        scene.view("claim_eligibility", forged)["code"],
        "E_CLAIM_INVALID"
    );
}

#[test]
fn claims_end_with_the_supply() {
    let (mut scene, issuer) = scene();
    scene.collection(json!({}), AssetBatch::new(0, 3, 1));
    let drop = scene.drop(2, &issuer, 10, 2);
    assert_eq!(
        drop_of(&scene, drop)["reserve"],
        (3 * (TOKEN - STORAGE_PRICE)).to_string(),
        "no more is reserved than there are copies"
    );
    let link = |number: u32| issuer.link(CONTRACT, drop, number);
    claim(&mut scene, link(0).claim("bob.near")).json();
    refused(&mut scene, link(1).claim("bob.near"), "E_SOLD_OUT");
}

#[test]
fn the_reserve_pays_and_returns() {
    let (mut scene, issuer) = scene();
    let free = held(&scene, "free");
    let drop = scene.drop(1, &issuer, 10, 2);
    assert_eq!(drop_of(&scene, drop)["reserve"], (20 * TOKEN).to_string());
    let record = (40 + 5 + 65 + 2) * STORAGE_PRICE;
    assert_eq!(held(&scene, "free") + 20 * TOKEN + record, free + 1);
    // What others may spend is not touched by claims, and claims go on when nothing is free.
    scene.sign(OWNER, "withdraw", json!({})).json();
    for number in 0..9 {
        let args = issuer.link(CONTRACT, drop, number).claim("bob.near");
        claim(&mut scene, args).json();
        assert_eq!(held(&scene, "missing"), 0);
    }
    assert_eq!(drop_of(&scene, drop)["reserve"], (2 * TOKEN).to_string());
    let open = scene.call(OWNER, "drop_close", json!({ "drop_id": drop }));
    assert_eq!(open.code(), "E_DROP_OPEN");
    let end = drop_of(&scene, drop)["expires_at_ms"].as_u64().unwrap();
    scene.chain.advance_to(end);
    let before = held(&scene, "free");
    let stranger = scene.call("mallory.near", "drop_close", json!({ "drop_id": drop }));
    assert_eq!(stranger.code(), "E_UNAUTHORIZED");
    let closed = scene.call(ADMIN, "drop_close", json!({ "drop_id": drop }));
    assert_eq!(closed.json(), (2 * TOKEN).to_string());
    assert_eq!(held(&scene, "free"), before + 2 * TOKEN + record);
    assert_eq!(drop_of(&scene, drop), Value::Null);
    let late = issuer.link(CONTRACT, drop, 9).claim("bob.near");
    refused(&mut scene, late, "E_DROP_NOT_FOUND");
    let again = scene.call(OWNER, "drop_close", json!({ "drop_id": drop }));
    assert_eq!(again.code(), "E_DROP_NOT_FOUND");
    // A closed drop's number is not given again, so that its links stay dead.
    let next = create(&issuer, scene.chain.now_ms() + DAY);
    let next = scene.pay(OWNER, "drop_create", next, NEAR);
    assert_eq!(next.json(), drop + 1);
    let args = issuer.link(CONTRACT, drop, 0).claim("bob.near");
    refused(&mut scene, args, "E_DROP_NOT_FOUND");
}

#[test]
fn a_drop_of_which_all_is_claimed_closes_before_its_end() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 2, 1);
    for number in 0..2 {
        let args = issuer.link(CONTRACT, drop, number).claim("bob.near");
        claim(&mut scene, args).json();
    }
    let closed = scene.call(OWNER, "drop_close", json!({ "drop_id": drop }));
    assert_eq!(closed.json(), "0");
}

fn create(issuer: &Issuer, end: u64) -> Value {
    json!({
        "collection_id": 1, "issuer_public_key": issuer.public_key(), "links": 10, "quantity": 1, "expires_at_ms": end
    })
}

#[test]
fn a_reserve_smaller_than_the_links_is_added_to() {
    let (mut scene, issuer) = scene();
    let mut args = create(&issuer, scene.chain.now_ms() + DAY);
    args["reserve"] = json!((TOKEN + TOKEN / 2).to_string());
    let drop = scene
        .sign(OWNER, "drop_create", args)
        .json()
        .as_u64()
        .unwrap();
    let link = |number: u32| issuer.link(CONTRACT, drop, number).claim("bob.near");
    claim(&mut scene, link(0)).json();
    refused(&mut scene, link(1), "E_DROP_RESERVE");
    let add = |amount: u128| json!({ "drop_id": drop, "reserve": amount.to_string() });
    let stranger = scene.sign("mallory.near", "drop_update", add(TOKEN));
    assert_eq!(stranger.code(), "E_UNAUTHORIZED");
    let unsigned = scene.call(OWNER, "drop_update", add(TOKEN));
    assert_eq!(unsigned.code(), "E_ONE_YOCTO");
    scene.sign(OWNER, "drop_update", add(TOKEN / 2)).json();
    claim(&mut scene, link(1)).json();
    refused(&mut scene, link(2), "E_DROP_RESERVE");
    let all = 8 * TOKEN;
    scene
        .pay(ADMIN, "drop_update", add(1_000 * NEAR), all)
        .json();
    assert_eq!(
        drop_of(&scene, drop)["reserve"],
        all.to_string(),
        "no more than the links that are left can need"
    );
    for number in 2..10 {
        claim(&mut scene, link(number)).json();
    }
    assert_eq!(drop_of(&scene, drop)["reserve"], "0");
}

#[test]
fn links_and_time_grow() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let end = drop_of(&scene, drop)["expires_at_ms"].as_u64().unwrap();
    for wrong in [
        json!({ "links": 9 }),
        json!({ "links": 10_001 }),
        json!({ "expires_at_ms": end + 6 * 366 * DAY }),
        json!({ "quantity": 2 }),
        json!({ "revoke": [10] }),
        json!({ "issuer_public_key": "ed25519:1" }),
    ] {
        let mut args = wrong.clone();
        args["drop_id"] = json!(drop);
        let outcome = scene.sign(OWNER, "drop_update", args);
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{wrong}");
    }
    let more = json!({ "drop_id": drop, "links": 500, "expires_at_ms": end + DAY, "reserve": NEAR.to_string() });
    scene.sign(OWNER, "drop_update", more).json();
    scene.chain.advance_to(end + 1_000);
    let args = issuer.link(CONTRACT, drop, 499).claim("bob.near");
    claim(&mut scene, args).json();
    let shown = drop_of(&scene, drop);
    assert_eq!(
        (&shown["links"], &shown["expires_at_ms"]),
        (&json!(500), &json!(end + DAY))
    );
    // A drop that has ended can be opened again until it is closed.
    scene.chain.advance_to(end + 2 * DAY);
    let longer = json!({ "drop_id": drop, "expires_at_ms": end + 3 * DAY });
    scene.sign(OWNER, "drop_update", longer).json();
    let args = issuer.link(CONTRACT, drop, 498).claim("bob.near");
    claim(&mut scene, args).json();
}

/// When an issuer's key leaks, a full-access key ends the drop, replaces the key, or revokes single links.
#[test]
fn a_drop_can_be_ended_and_its_key_and_links_replaced() {
    let (mut scene, issuer) = scene();
    let update = |scene: &mut Scene, drop: u64, mut change: Value| {
        change["drop_id"] = json!(drop);
        scene.sign(OWNER, "drop_update", change)
    };
    // Another key: what the last one certified is good no more.
    let drop = scene.drop(1, &issuer, 10, 2);
    let next = Issuer::new("next issuer");
    update(
        &mut scene,
        drop,
        json!({ "issuer_public_key": next.public_key() }),
    )
    .json();
    let old = issuer.link(CONTRACT, drop, 0).claim("bob.near");
    refused(&mut scene, old, "E_CLAIM_INVALID");
    let args = next.link(CONTRACT, drop, 0).claim("bob.near");
    claim(&mut scene, args).json();
    // Single links: what they would have needed is free again, and a claimed one stays claimed.
    let reserve = |scene: &Scene| drop_of(scene, drop)["reserve"].clone();
    let free = held(&scene, "free");
    assert_eq!(reserve(&scene), json!((9 * 2 * TOKEN).to_string()));
    update(&mut scene, drop, json!({ "revoke": [0, 3, 4, 3] })).json();
    assert_eq!(reserve(&scene), json!((7 * 2 * TOKEN).to_string()));
    // But for the two bytes that say which were revoked.
    let bits = 2 * STORAGE_PRICE;
    assert_eq!(held(&scene, "free"), free + 2 * 2 * TOKEN + 1 - bits);
    let shown = drop_of(&scene, drop);
    assert_eq!(
        (&shown["claimed"], &shown["revoked"]),
        (&json!(1), &json!(2))
    );
    // Bit 0; bits 3 and 4.
    assert_eq!(
        (&shown["claimed_links"], &shown["revoked_links"]),
        (&json!("AQA="), &json!("GAA="))
    );
    for link in [3, 4] {
        let args = next.link(CONTRACT, drop, link).claim("bob.near");
        refused(&mut scene, args, "E_LINK_CLAIMED");
    }
    // The end of all: a time that is past. Then the drop can be closed.
    let now = scene.chain.now_ms();
    update(&mut scene, drop, json!({ "expires_at_ms": now })).json();
    let args = next.link(CONTRACT, drop, 5).claim("bob.near");
    refused(&mut scene, args, "E_DROP_EXPIRED");
    scene
        .call(OWNER, "drop_close", json!({ "drop_id": drop }))
        .json();
    // A drop of which every link was claimed or revoked closes before its end.
    let drop = scene.drop(1, &issuer, 3, 1);
    let args = issuer.link(CONTRACT, drop, 1).claim("bob.near");
    claim(&mut scene, args).json();
    update(&mut scene, drop, json!({ "revoke": [0, 2] })).json();
    scene
        .call(OWNER, "drop_close", json!({ "drop_id": drop }))
        .json();
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn only_the_staff_make_drops_and_with_a_full_access_key() {
    let (mut scene, issuer) = scene();
    let now = scene.chain.now_ms();
    let good = create(&issuer, now + DAY);
    let code = |scene: &mut Scene, signer: &str, args: &Value, deposit: u128| {
        scene
            .pay(signer, "drop_create", args.clone(), deposit)
            .code()
    };
    assert_eq!(code(&mut scene, "mallory.near", &good, 1), "E_UNAUTHORIZED");
    assert_eq!(code(&mut scene, OWNER, &good, 0), "E_ONE_YOCTO");
    for (field, value, expected) in [
        ("collection_id", json!(9), "E_COLLECTION_NOT_FOUND"),
        (
            "issuer_public_key",
            json!("secp256k1:abc"),
            "E_INVALID_ARGUMENT",
        ),
        ("links", json!(0), "E_INVALID_ARGUMENT"),
        ("links", json!(10_001), "E_INVALID_ARGUMENT"),
        ("quantity", json!(0), "E_INVALID_ARGUMENT"),
        ("quantity", json!(26), "E_INVALID_ARGUMENT"),
        ("expires_at_ms", json!(now), "E_INVALID_ARGUMENT"),
        ("expires_at_ms", json!(now / 1000), "E_INVALID_ARGUMENT"),
        (
            "expires_at_ms",
            json!(now + 6 * 366 * DAY),
            "E_INVALID_ARGUMENT",
        ),
        ("reserve", json!(5), "E_INVALID_ARGUMENT"),
        ("limit", json!(5), "E_INVALID_ARGUMENT"),
    ] {
        let mut args = good.clone();
        args[field] = value;
        assert_eq!(code(&mut scene, OWNER, &args, 1), expected, "{field}");
    }
    let draft =
        harness::mintage::create_args(&json!({ "title": "D" }), false, AssetBatch::new(0, 1, 1));
    scene.call_raw(OWNER, "collection_create", draft).json();
    let mut unpublished = good.clone();
    unpublished["collection_id"] = json!(2);
    assert_eq!(code(&mut scene, OWNER, &unpublished, 1), "E_NOT_PUBLISHED");
    assert_eq!(code(&mut scene, ADMIN, &good, NEAR), "");
    assert_eq!(
        scene.view("drops", json!({})).as_array().unwrap().len(),
        1,
        "a drop that is refused leaves nothing"
    );
}

/// What is not free can't be reserved; a deposit that comes with the call pays.
#[test]
fn a_drop_is_paid_for_when_it_is_made() {
    let (mut scene, issuer) = scene();
    scene.sign(OWNER, "withdraw", json!({})).json();
    let args = create(&issuer, scene.chain.now_ms() + DAY);
    let refused = scene.sign(OWNER, "drop_create", args.clone());
    assert_eq!(refused.code(), "E_STORAGE_BALANCE");
    let price = 10 * TOKEN + (40 + 5 + 65 + 2) * STORAGE_PRICE;
    let short = scene.pay(OWNER, "drop_create", args.clone(), price - 2);
    assert_eq!(short.code(), "E_STORAGE_BALANCE");
    scene.pay(OWNER, "drop_create", args, price).json();
    assert_eq!(held(&scene, "missing"), 0);
}

#[test]
fn drops_are_listed_with_null_for_closed_ones() {
    let (mut scene, issuer) = scene();
    for links in [3, 1, 5] {
        scene.drop(1, &issuer, links, 1);
    }
    let args = issuer.link(CONTRACT, 2, 0).claim("bob.near");
    claim(&mut scene, args).json();
    scene
        .call(OWNER, "drop_close", json!({ "drop_id": 2 }))
        .json();
    let all = scene.view("drops", json!({}));
    assert_eq!(
        (&all[0]["links"], &all[1], &all[2]["drop_id"]),
        (&json!(3), &Value::Null, &json!(3))
    );
    assert_eq!(all[0]["issuer_public_key"], issuer.public_key());
    assert_eq!(
        (&all[0]["claimed_links"], &all[0]["revoked_links"]),
        (&Value::Null, &Value::Null),
        "lists go without the bits"
    );
    let last = scene.view("drops", json!({ "from_index": 2, "limit": 5 }));
    assert_eq!(last.as_array().unwrap().len(), 1);
    assert_eq!(drop_of(&scene, 9), Value::Null);
}

/// Neither who relays nor how often matters: a killed relayer's claim is sent again and goes through once.
#[test]
fn a_claim_that_is_sent_twice_goes_through_once() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let args = issuer.link(CONTRACT, drop, 5).claim("bob.near");
    let call = Action::call("nft_claim", args, 30 * TGAS, 0);
    let sent = ["relayer.near", "mallory.near"].map(|signer| {
        scene
            .chain
            .submit(signer, CONTRACT, vec![call.clone()])
            .unwrap()
    });
    scene.chain.settle();
    let codes = sent.map(|number| scene.chain.outcome(number).code());
    assert_eq!(codes, ["", "E_LINK_CLAIMED"]);
    assert_eq!(scene.view("nft_total_supply", json!({})), "1");
}

#[test]
fn a_claim_adds_no_byte_beside_its_token() {
    let (mut scene, issuer) = scene();
    let before = scene.chain.storage_usage(CONTRACT);
    let drop = scene.drop(1, &issuer, 10_000, 1);
    let taken = scene.chain.storage_usage(CONTRACT) - before;
    assert!(taken <= 1_500, "{taken} bytes of 10,000 links");
    let mut minted = scene.clone();
    let link: Link = issuer.link(CONTRACT, drop, 9_999);
    let claimed = claim(&mut scene, link.claim("bob.near"));
    let mint = minted.mint(1, &["bob.near"]);
    assert_eq!(claimed.bytes_of(CONTRACT), mint.bytes_of(CONTRACT));
}

/// The dearest claim within its limits: 25 tokens of a large collection to somebody with many tokens.
#[test]
fn the_dearest_claim_fits_the_gas_of_a_relayer() {
    let (mut scene, issuer) = scene();
    let copies = AssetBatch {
        copies: vec![(20_000, 200)],
        ..AssetBatch::new(0, 20_000, 1)
    };
    let collection = scene.collection(json!({}), copies);
    let mut args = create(&issuer, scene.chain.now_ms() + DAY);
    for (field, value) in [
        ("collection_id", collection),
        ("links", 10_000),
        ("quantity", 25),
    ] {
        args[field] = json!(value);
    }
    args["reserve"] = json!(NEAR.to_string());
    let drop = scene.sign(OWNER, "drop_create", args).json();
    let drop = drop.as_u64().unwrap();
    for _ in 0..20 {
        scene.mint_many(collection, "bob.near", 100).json();
    }
    let args = issuer.link(CONTRACT, drop, 7).claim("bob.near");
    let call = Action::call("nft_claim", args, 100 * TGAS, 0);
    let outcome = scene.chain.transact("relayer.near", CONTRACT, vec![call]);
    assert_eq!(outcome.json().as_array().unwrap().len(), 25);
    assert!(outcome.tgas() < 30.0, "{} Tgas", outcome.tgas());
}

#[test]
fn a_claim_wants_its_gas_before_it_draws() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let args = issuer.link(CONTRACT, drop, 5).claim("bob.near");
    let with = |gas: u64| vec![Action::call("nft_claim", args.clone(), gas, 0)];
    let little = scene
        .chain
        .transact("relayer.near", CONTRACT, with(7 * TGAS));
    assert_eq!(little.code(), "E_GAS_TOO_LOW");
    scene
        .chain
        .transact("relayer.near", CONTRACT, with(15 * TGAS))
        .json();
}

/// Keys of small order sign without a secret: none is an issuer's or a link's.
#[test]
fn keys_without_a_secret_are_refused() {
    let (mut scene, issuer) = scene();
    let drop = scene.drop(1, &issuer, 10, 1);
    let spelled = |first: u8, middle: u8, last: u8| {
        let mut bytes = [middle; 32];
        (bytes[0], bytes[31]) = (first, last);
        bytes
    };
    let weak = [
        [0; 32],
        spelled(0, 0, 0x80),
        spelled(1, 0, 0),
        spelled(1, 0, 0x80),
        spelled(0xec, 0xff, 0x7f),
        spelled(0xec, 0xff, 0xff),
        spelled(0xed, 0xff, 0x7f),
        spelled(0xee, 0xff, 0x7f),
    ];
    let torsion = curve25519_torsion();
    for key in weak.into_iter().chain(torsion) {
        let text = near_text(&key);
        let mut args = create(&issuer, scene.chain.now_ms() + DAY);
        args["issuer_public_key"] = json!(text);
        let outcome = scene.sign(OWNER, "drop_create", args);
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{text}");
        let mut args = issuer.link(CONTRACT, drop, 0).claim("bob.near");
        args["link_public_key"] = json!(text);
        assert_eq!(
            claim(&mut scene, args).code(),
            "E_INVALID_ARGUMENT",
            "{text}"
        );
    }
}

/// The points of order 8, with either sign.
fn curve25519_torsion() -> Vec<[u8; 32]> {
    curve25519_dalek::constants::EIGHT_TORSION
        .iter()
        .map(|point| point.compress().to_bytes())
        .collect()
}

/// A key as NEAR writes it.
fn near_text(key: &[u8; 32]) -> String {
    near_crypto::PublicKey::ED25519(near_crypto::ED25519PublicKey(*key)).to_string()
}

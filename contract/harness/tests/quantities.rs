//! Direct mints of several tokens in one signature, and gifts.

use harness::mintage::{ADMIN, AssetBatch, CONTRACT, OWNER, PLATFORM, Scene};
use harness::{GAS_PRICE, NEAR, STORAGE_PRICE};
use serde_json::{Value, json};

/// The storage of a token that a fee pays for: 270 bytes.
const TOKEN: u128 = 270 * STORAGE_PRICE;

fn scene(settings: Value, copies: u32) -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near", "artist.near"]);
    scene.collection(settings, AssetBatch::new(0, 1, copies));
    scene
}

fn public(fee: u128, limit: Option<u32>) -> Value {
    json!({ "public_mint_config": { "mint_fee": fee.to_string(), "limit_per_account": limit } })
}

fn eligibility(scene: &Scene, account: &str, quantity: u32) -> Value {
    scene.view(
        "mint_eligibility",
        json!({ "collection_id": 1, "account_id": account, "quantity": quantity }),
    )
}

#[test]
fn a_quantity_is_paid_for_token_by_token() {
    let mut settings = public(NEAR, None);
    settings["initial_royalties"] = json!({ "artist.near": 5000 });
    let mut scene = scene(settings, 100);
    for (quantity, deposit) in [(1, NEAR), (3, 3 * NEAR), (25, 30 * NEAR)] {
        let accounts = [CONTRACT, PLATFORM, OWNER, "artist.near", "alice.near"];
        let before = accounts.map(|account| scene.chain.balance(account) as i128);
        let more = json!({ "quantity": quantity });
        let outcome = scene.public_mint_with("alice.near", 1, more, deposit);
        assert_eq!(outcome.json().as_array().unwrap().len(), quantity);
        let count = quantity as u128;
        let rest = count * (NEAR - TOKEN);
        let (platform, artist) = (rest / 20, rest / 2);
        let gas = u128::from(outcome.gas) * GAS_PRICE;
        let expected = [
            (count * TOKEN) as i128,
            platform as i128,
            (rest - platform - artist) as i128,
            artist as i128,
            -((count * NEAR + gas) as i128),
        ];
        let changes: Vec<i128> = accounts
            .iter()
            .zip(before)
            .map(|(account, before)| scene.chain.balance(account) as i128 - before)
            .collect();
        assert_eq!(changes, expected, "{quantity}");
        assert_eq!(scene.chain.unaccounted(), 0);
    }
}

#[test]
fn the_answer_is_an_id_alone_or_a_list() {
    let mut scene = scene(public(0, None), 100);
    let mut answer = |more: Value| scene.public_mint_with("alice.near", 1, more, 0).json();
    assert_eq!(answer(json!({})), "1:1");
    assert_eq!(
        answer(json!({ "quantity": null, "receiver_id": null })),
        "1:2"
    );
    assert_eq!(answer(json!({ "quantity": 1 })), json!(["1:3"]));
    assert_eq!(answer(json!({ "quantity": 2 })), json!(["1:4", "1:5"]));
    assert_eq!(answer(json!({ "receiver_id": "bob.near" })), "1:6");
}

#[test]
fn a_quantity_has_bounds() {
    let mut scene = scene(public(0, None), 30);
    for (quantity, code) in [
        (json!(0), "E_INVALID_ARGUMENT"),
        (json!(26), "E_INVALID_ARGUMENT"),
        (json!(4_294_967_295u32), "E_INVALID_ARGUMENT"),
        (json!("3"), "E_INVALID_ARGUMENT"),
        (json!(25), ""),
        (json!(6), "E_SOLD_OUT"),
        (json!(5), ""),
    ] {
        let more = json!({ "quantity": quantity });
        let outcome = scene.public_mint_with("alice.near", 1, more, 0);
        assert_eq!(outcome.code(), code, "{quantity}");
    }
}

#[test]
fn a_deposit_below_the_price_of_all_keeps_nothing() {
    let mut scene = scene(public(NEAR, None), 100);
    let before = scene.chain.balance(CONTRACT);
    let more = json!({ "quantity": 3 });
    let outcome = scene.public_mint_with("alice.near", 1, more, 3 * NEAR - 1);
    assert_eq!(outcome.code(), "E_DEPOSIT_TOO_SMALL");
    assert!(format!("{:?}", outcome.failure()).contains(&format!("{}.", 3 * NEAR)));
    assert_eq!(scene.chain.balance(CONTRACT), before);
    // A price of which 25 are more than can be written down.
    let huge = u128::MAX / 3;
    let settings = public(huge, None);
    let collection = scene.collection(settings, AssetBatch::new(0, 1, 100));
    let more = json!({ "quantity": 25 });
    let outcome = scene.public_mint_with("alice.near", collection, more, NEAR);
    assert_eq!(outcome.code(), "E_DEPOSIT_TOO_SMALL");
}

#[test]
fn limits_count_all_tokens() {
    let mut scene = scene(public(0, Some(5)), 100);
    let mut mint = |account: &str, quantity: u32| {
        let asked = eligibility(&scene, account, quantity);
        let more = json!({ "quantity": quantity });
        let code = scene.public_mint_with(account, 1, more, 0).code();
        assert_eq!(asked["allowed"], code.is_empty(), "the view agrees");
        (code, asked["remaining_for_account"].clone())
    };
    let limit = "E_MINT_LIMIT".to_owned();
    assert_eq!(mint("alice.near", 6), (limit.clone(), json!(5)));
    assert_eq!(mint("alice.near", 3), (String::new(), json!(5)));
    assert_eq!(mint("alice.near", 3), (limit.clone(), json!(2)));
    assert_eq!(mint("alice.near", 2), (String::new(), json!(2)));
    assert_eq!(mint("alice.near", 1), (limit, json!(0)));
    assert_eq!(mint("bob.near", 5).0, "");
}

/// A price under whose limit not all tokens fit is no price for them: the other one is taken for all.
#[test]
fn all_tokens_are_minted_at_one_price() {
    let mut settings = public(NEAR / 10, None);
    settings["private_mint_config"] = json!({ "mint_fee": "0", "limit_per_account": 2 });
    let mut scene = scene(settings, 100);
    let listed = json!({ "collection_id": 1, "account_ids": ["alice.near"] });
    scene.sign(OWNER, "allowlist_add", listed).json();
    assert_eq!(eligibility(&scene, "alice.near", 2)["via"], "private");
    let three = eligibility(&scene, "alice.near", 3);
    assert_eq!(
        (&three["via"], &three["mint_fee"]),
        (&json!("public"), &json!((NEAR / 10).to_string()))
    );
    let mut mint = |quantity: u32, deposit: u128| {
        scene
            .public_mint_with("alice.near", 1, json!({ "quantity": quantity }), deposit)
            .code()
    };
    assert_eq!(mint(3, 0), "E_DEPOSIT_TOO_SMALL");
    assert_eq!(mint(3, 3 * NEAR / 10), "");
    assert_eq!(mint(2, 0), "");
    assert_eq!(mint(1, 0), "E_DEPOSIT_TOO_SMALL");
}

#[test]
fn a_gift_counts_for_who_pays_and_belongs_to_who_gets_it() {
    let mut settings = public(NEAR / 10, Some(4));
    settings["bypass_mint_fee_accounts"] = json!(["bob.near"]);
    let mut scene = scene(settings, 100);
    let gift = |to: &str| json!({ "quantity": 2, "receiver_id": to });
    let outcome = scene.public_mint_with("alice.near", 1, gift("bob.near"), NEAR);
    assert_eq!(outcome.json(), json!(["1:1", "1:2"]));
    let event = &outcome.events()[0]["data"][0];
    assert_eq!(
        event,
        &json!({ "owner_id": "bob.near", "token_ids": ["1:1", "1:2"] })
    );
    assert_eq!(scene.owner_of("1:1"), "bob.near");
    assert_eq!(
        eligibility(&scene, "alice.near", 1)["remaining_for_account"],
        2
    );
    assert_eq!(
        eligibility(&scene, "bob.near", 1)["remaining_for_account"],
        4
    );
    // To a stranger, to oneself, and no further than the limit of who pays; a bypass is the payer's, not the receiver's.
    let stranger = "ab".repeat(32);
    let unpaid = scene.public_mint_with("alice.near", 1, gift("bob.near"), 0);
    assert_eq!(unpaid.code(), "E_DEPOSIT_TOO_SMALL");
    scene
        .public_mint_with("alice.near", 1, gift(&stranger), NEAR)
        .json();
    assert_eq!(scene.owner_of("1:4"), stranger);
    let over = scene.public_mint_with("alice.near", 1, gift("bob.near"), NEAR);
    assert_eq!(over.code(), "E_MINT_LIMIT");
    scene
        .public_mint_with("bob.near", 1, gift("bob.near"), 0)
        .json();
    assert_eq!(scene.owner_of("1:6"), "bob.near");
    let supply =
        |account: &str| scene.view("nft_supply_for_owner", json!({ "account_id": account }));
    assert_eq!(
        (supply("alice.near"), supply("bob.near")),
        (json!("0"), json!("4"))
    );
    let nobody = scene.public_mint_with("alice.near", 1, json!({ "receiver_id": "No Body" }), NEAR);
    assert_eq!(nobody.code(), "E_INVALID_ARGUMENT");
}

#[test]
fn an_allowlisted_account_gives_what_others_may_not_mint() {
    let settings = json!({ "private_mint_config": { "mint_fee": "0", "limit_per_account": 3 } });
    let mut scene = scene(settings, 100);
    let listed = json!({ "collection_id": 1, "account_ids": ["alice.near"] });
    scene.sign(OWNER, "allowlist_add", listed).json();
    let mut gift = |from: &str, to: &str, quantity: u32| {
        let more = json!({ "receiver_id": to, "quantity": quantity });
        scene.public_mint_with(from, 1, more, 0).code()
    };
    assert_eq!(gift("bob.near", "alice.near", 1), "E_NOT_ALLOWLISTED");
    assert_eq!(gift("alice.near", "bob.near", 2), "");
    assert_eq!(gift("alice.near", "bob.near", 2), "E_MINT_LIMIT");
    assert_eq!(gift("alice.near", "alice.near", 1), "");
}

/// Free mints of many tokens take no more than is promised to them, wherever the tokens go.
#[test]
fn free_quantities_and_gifts_stay_within_what_is_promised() {
    let mut scene = scene(public(0, None), 1_000);
    scene
        .sign(OWNER, "admin_remove", json!({ "account_id": ADMIN }))
        .json();
    for round in 0..12u64 {
        let to = if round % 2 == 0 {
            format!("{round:064x}")
        } else {
            format!("{}{round:02}.near", "x".repeat(57))
        };
        let more = json!({ "quantity": 1 + round * 2, "receiver_id": to });
        scene.public_mint_with("alice.near", 1, more, 0).json();
        let balance = scene.view("contract_balance", json!({}));
        let amount = |field: &str| balance[field].as_str().unwrap().parse::<u128>().unwrap();
        assert!(
            amount("needed") >= amount("staked") + NEAR / 10,
            "{balance}"
        );
        assert_eq!(amount("missing"), 0);
    }
}

//! Mints: API mints, direct mints, their rules, and where the money goes.

use harness::mintage::{
    ADMIN, AssetBatch, CONTRACT, OWNER, PLATFORM, Scene, add_assets_args, create_args,
};
use harness::{Action, GAS_PRICE, NEAR, STORAGE_PRICE, TGAS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The storage of a token that a fee pays for: 270 bytes.
const TOKEN: u128 = 270 * STORAGE_PRICE;

fn scene(settings: Value, copies: u32) -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near", "artist.near", "label.near"]);
    scene.collection(settings, AssetBatch::new(0, 1, copies));
    scene
}

fn public(fee: u128) -> Value {
    json!({ "public_mint_config": { "mint_fee": fee.to_string() } })
}

fn eligibility(scene: &Scene, account: &str) -> Value {
    scene.view(
        "mint_eligibility",
        json!({ "collection_id": 1, "account_id": account }),
    )
}

/// Who gained what, gas aside, when `signer` minted with a deposit.
fn paid(scene: &mut Scene, signer: &str, deposit: u128) -> Vec<i128> {
    let accounts = [
        CONTRACT,
        PLATFORM,
        OWNER,
        "artist.near",
        "label.near",
        signer,
    ];
    let before = accounts.map(|account| scene.chain.balance(account) as i128);
    let outcome = scene.public_mint(signer, 1, deposit);
    outcome.json();
    assert_eq!(scene.chain.unaccounted(), 0);
    let gas = u128::from(outcome.gas) * GAS_PRICE;
    let changes = accounts
        .iter()
        .zip(before)
        .map(|(account, before)| scene.chain.balance(account) as i128 - before);
    changes
        .enumerate()
        .map(|(at, change)| {
            if at == 5 {
                change + gas as i128
            } else {
                change
            }
        })
        .collect()
}

#[test]
fn a_fee_is_split_at_once() {
    let mut settings = public(NEAR);
    settings["initial_royalties"] = json!({ "artist.near": 5000, "label.near": 125 });
    let mut scene = scene(settings, 10);
    let rest = NEAR - TOKEN;
    let (platform, artist, label) = (rest / 20, rest / 2, rest / 80);
    let owner = rest - platform - artist - label;
    for deposit in [NEAR, 3 * NEAR, NEAR + 1] {
        let changes = paid(&mut scene, "alice.near", deposit);
        let expected = [TOKEN, platform, owner, artist, label].map(|gain| gain as i128);
        assert_eq!(changes[..5], expected, "{deposit}");
        assert_eq!(
            changes[5],
            -(NEAR as i128),
            "what was sent too much returns, {deposit}"
        );
    }
}

#[test]
fn rounding_goes_to_the_owner() {
    let mut settings = public(TOKEN + 999);
    settings["initial_royalties"] = json!({ "artist.near": 3333, "label.near": 1 });
    let mut scene = scene(settings, 10);
    let changes = paid(&mut scene, "alice.near", TOKEN + 999);
    let (platform, artist) = (49, 332);
    assert_eq!(
        changes,
        [
            TOKEN as i128,
            platform,
            999 - platform - artist,
            artist,
            0,
            -(TOKEN as i128 + 999)
        ]
    );
}

#[test]
fn a_fee_of_exactly_the_storage_leaves_nothing_to_split() {
    let mut scene = scene(public(TOKEN), 10);
    assert_eq!(
        paid(&mut scene, "alice.near", TOKEN),
        [TOKEN as i128, 0, 0, 0, 0, -(TOKEN as i128)]
    );
}

#[test]
fn a_share_whose_account_is_gone_joins_the_free_balance() {
    let mut settings = public(NEAR);
    settings["initial_royalties"] = json!({ "artist.near": 1000, "nobody.near": 5000 });
    let mut scene = scene(settings, 10);
    let held = |scene: &Scene, field: &str| -> u128 {
        scene.view("contract_balance", json!({}))[field]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    };
    let before = held(&scene, "free") + held(&scene, "needed");
    let contract = scene.chain.balance(CONTRACT);
    let outcome = scene.public_mint("alice.near", 1, NEAR);
    assert!(outcome.succeeded());
    let rest = NEAR - TOKEN;
    assert_eq!(scene.chain.balance(CONTRACT) - contract, TOKEN + rest / 2);
    let after = held(&scene, "free") + held(&scene, "needed");
    assert_eq!(after, before + TOKEN + rest / 2);
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn a_collection_says_what_its_owner_was_paid() {
    let mut settings = public(NEAR);
    settings["private_mint_config"] = json!({ "mint_fee": (NEAR / 2).to_string() });
    settings["initial_royalties"] =
        json!({ "artist.near": 1000, "nobody.near": 500, (OWNER): 100 });
    settings["bypass_mint_fee_accounts"] = json!(["bob.near"]);
    let mut scene = scene(settings, 40);
    scene.collection(public(NEAR), AssetBatch::new(0, 1, 2));
    let earned = |scene: &Scene, collection: u32| -> u128 {
        let view = scene.view("collection", json!({ "collection_id": collection }));
        view["earned"].as_str().unwrap().parse().unwrap()
    };
    let account = json!({ "collection_id": 1, "account_ids": ["label.near"] });
    scene.sign(OWNER, "allowlist_add", account).json();
    scene.mint_many(1, "alice.near", 3).json();
    let free = scene.public_mint("bob.near", 1, NEAR);
    assert!(free.succeeded());
    assert_eq!(earned(&scene, 1), 0, "nobody has paid yet");
    let before = scene.chain.balance(OWNER);
    scene.public_mint("alice.near", 1, 3 * NEAR).json();
    scene.public_mint("label.near", 1, NEAR / 2).json();
    let price = scene.public_mint("alice.near", 1, NEAR - 1);
    assert_eq!(price.code(), "E_DEPOSIT_TOO_SMALL");
    let owner = |fee: u128| {
        let rest = fee - TOKEN;
        rest - rest / 20 - rest / 10 - rest / 20
    };
    assert_eq!(earned(&scene, 1), owner(NEAR) + owner(NEAR / 2));
    assert_eq!(scene.chain.balance(OWNER) - before, earned(&scene, 1));
    assert_eq!(earned(&scene, 2), 0);
    scene.public_mint("alice.near", 2, NEAR).json();
    assert_eq!(earned(&scene, 2), NEAR - TOKEN - (NEAR - TOKEN) / 20);
}

#[test]
fn a_deposit_below_the_fee_keeps_nothing() {
    let mut scene = scene(public(NEAR), 10);
    let before = scene.chain.balance("alice.near");
    let outcome = scene.public_mint("alice.near", 1, NEAR - 1);
    assert_eq!(outcome.code(), "E_DEPOSIT_TOO_SMALL");
    assert_eq!(
        scene.chain.balance("alice.near"),
        before - u128::from(outcome.gas) * GAS_PRICE
    );
    assert_eq!(scene.view("nft_total_supply", json!({})), json!("0"));
}

#[test]
fn the_first_mint_returns_the_id_alone() {
    let mut scene = scene(public(0), 10);
    assert_eq!(scene.public_mint("alice.near", 1, 0).json(), json!("1:1"));
    assert_eq!(
        scene.public_mint("bob.near", 1, NEAR).json(),
        json!("1:2"),
        "a free mint returns what was sent"
    );
    assert_eq!(scene.owner_of("1:2"), "bob.near");
}

#[test]
fn owner_admins_and_bypass_accounts_pay_no_fee() {
    let mut settings = public(NEAR);
    settings["bypass_mint_fee_accounts"] = json!(["bob.near"]);
    let mut scene = scene(settings, 10);
    for account in [OWNER, ADMIN, "bob.near"] {
        assert_eq!(eligibility(&scene, account)["via"], "bypass", "{account}");
        assert_eq!(eligibility(&scene, account)["mint_fee"], "0", "{account}");
        assert!(scene.public_mint(account, 1, 0).succeeded(), "{account}");
    }
    let before = scene.chain.balance("bob.near");
    let outcome = scene.public_mint("bob.near", 1, NEAR);
    assert_eq!(
        scene.chain.balance("bob.near"),
        before - u128::from(outcome.gas) * GAS_PRICE,
        "what was sent returns"
    );
    assert_eq!(
        scene.public_mint("alice.near", 1, 0).code(),
        "E_DEPOSIT_TOO_SMALL"
    );
}

#[test]
fn without_a_config_there_is_no_direct_mint() {
    let mut scene = scene(json!({}), 10);
    assert_eq!(
        scene.public_mint("alice.near", 1, NEAR).code(),
        "E_NO_DIRECT_MINT"
    );
    let answer = eligibility(&scene, "alice.near");
    assert_eq!(
        (&answer["allowed"], &answer["code"]),
        (&json!(false), &json!("E_NO_DIRECT_MINT"))
    );
    assert_eq!(
        scene.public_mint("alice.near", 7, NEAR).code(),
        "E_COLLECTION_NOT_FOUND"
    );
}

#[test]
fn windows_open_and_close() {
    let mut scene = scene(json!({}), 10);
    let now = scene.chain.now_ms();
    let (start, end) = (now + 100_000, now + 200_000);
    let config = json!({ "mint_fee": "0", "starts_at_ms": start, "ends_at_ms": end });
    scene
        .sign(
            OWNER,
            "collection_update",
            json!({ "collection_id": 1, "public_mint_config": config }),
        )
        .json();
    assert_eq!(
        scene.public_mint("alice.near", 1, 0).code(),
        "E_MINT_NOT_STARTED"
    );
    let answer = eligibility(&scene, "alice.near");
    assert_eq!(
        (&answer["allowed"], &answer["opens_at_ms"]),
        (&json!(false), &json!(start))
    );
    assert_eq!(answer["code"], "E_MINT_NOT_STARTED");
    scene.chain.advance_to(start);
    assert_eq!(eligibility(&scene, "alice.near")["allowed"], true);
    assert!(scene.public_mint("alice.near", 1, 0).succeeded());
    scene.chain.advance_to(end);
    assert_eq!(scene.public_mint("alice.near", 1, 0).code(), "E_MINT_ENDED");
    let answer = eligibility(&scene, "alice.near");
    assert_eq!(
        (&answer["code"], &answer["opens_at_ms"]),
        (&json!("E_MINT_ENDED"), &Value::Null)
    );
}

#[test]
fn limits_count_each_account_and_each_price_apart() {
    let settings = json!({
        "public_mint_config": { "mint_fee": NEAR.to_string(), "limit_per_account": 2 },
        "private_mint_config": { "mint_fee": (NEAR / 2).to_string(), "limit_per_account": 1 }
    });
    let mut scene = scene(settings, 20);
    scene
        .sign(
            OWNER,
            "allowlist_add",
            json!({ "collection_id": 1, "account_ids": ["alice.near"] }),
        )
        .json();
    scene.mint_many(1, "alice.near", 5).json();
    let seen = |scene: &Scene| {
        let answer = eligibility(scene, "alice.near");
        (
            answer["via"].clone(),
            answer["mint_fee"].clone(),
            answer["remaining_for_account"].clone(),
        )
    };
    assert_eq!(
        seen(&scene),
        (json!("private"), json!((NEAR / 2).to_string()), json!(1)),
        "API mints count nowhere"
    );
    scene.public_mint("alice.near", 1, NEAR / 2).json();
    assert_eq!(
        seen(&scene),
        (json!("public"), json!(NEAR.to_string()), json!(2)),
        "the public price is left"
    );
    assert_eq!(
        scene.public_mint("alice.near", 1, NEAR / 2).code(),
        "E_DEPOSIT_TOO_SMALL"
    );
    // Clearing and adding again resets no count.
    scene
        .sign(OWNER, "allowlist_clear", json!({ "collection_id": 1 }))
        .json();
    scene
        .sign(
            OWNER,
            "allowlist_add",
            json!({ "collection_id": 1, "account_ids": ["alice.near"] }),
        )
        .json();
    assert_eq!(seen(&scene).0, json!("public"));
    scene.public_mint("alice.near", 1, NEAR).json();
    scene.public_mint("alice.near", 1, NEAR).json();
    assert_eq!(
        scene.public_mint("alice.near", 1, NEAR).code(),
        "E_MINT_LIMIT"
    );
    let answer = eligibility(&scene, "alice.near");
    assert_eq!(
        (&answer["allowed"], &answer["code"]),
        (&json!(false), &json!("E_MINT_LIMIT"))
    );
    assert!(
        scene.public_mint("bob.near", 1, NEAR).succeeded(),
        "others have their own count"
    );
    assert_eq!(eligibility(&scene, "bob.near")["remaining_for_account"], 1);
}

#[test]
fn the_allowlist_guards_the_private_price() {
    let settings = json!({ "private_mint_config": { "mint_fee": NEAR.to_string() } });
    let mut scene = scene(settings, 10);
    assert_eq!(
        scene.public_mint("alice.near", 1, NEAR).code(),
        "E_NOT_ALLOWLISTED"
    );
    assert_eq!(
        eligibility(&scene, "alice.near")["code"],
        "E_NOT_ALLOWLISTED"
    );
    scene
        .sign(
            OWNER,
            "allowlist_add",
            json!({ "collection_id": 1, "account_ids": ["alice.near"] }),
        )
        .json();
    assert_eq!(eligibility(&scene, "alice.near")["via"], "private");
    assert!(scene.public_mint("alice.near", 1, NEAR).succeeded());
    assert_eq!(
        scene.public_mint("bob.near", 1, NEAR).code(),
        "E_NOT_ALLOWLISTED"
    );
}

#[test]
fn a_listed_account_gets_the_better_of_two_open_prices() {
    for (public, private, via) in [(5, 3, "private"), (3, 5, "public")] {
        let settings = json!({
            "public_mint_config": { "mint_fee": (public * NEAR).to_string() },
            "private_mint_config": { "mint_fee": (private * NEAR).to_string() }
        });
        let mut scene = scene(settings, 10);
        scene
            .sign(
                OWNER,
                "allowlist_add",
                json!({ "collection_id": 1, "account_ids": ["alice.near"] }),
            )
            .json();
        let answer = eligibility(&scene, "alice.near");
        assert_eq!(
            (&answer["via"], &answer["mint_fee"]),
            (&json!(via), &json!((3 * NEAR).to_string()))
        );
        let changes = paid(&mut scene, "alice.near", 6 * NEAR);
        assert_eq!(changes[5], -3 * NEAR as i128);
    }
}

#[test]
fn a_sold_out_collection_says_so() {
    let mut scene = scene(public(NEAR), 3);
    scene.mint_many(1, "bob.near", 2).json();
    assert_eq!(
        scene.mint_many(1, "bob.near", 2).code(),
        "E_SOLD_OUT",
        "all or nothing"
    );
    assert!(scene.public_mint("alice.near", 1, NEAR).succeeded());
    assert_eq!(
        scene.public_mint("alice.near", 1, NEAR).code(),
        "E_SOLD_OUT"
    );
    assert_eq!(eligibility(&scene, "alice.near")["code"], "E_SOLD_OUT");
    assert_eq!(scene.mint(1, &["bob.near"]).code(), "E_SOLD_OUT");
    let collection = scene.view("collection", json!({ "collection_id": 1 }));
    assert_eq!(
        (&collection["total"], &collection["minted"]),
        (&json!(3), &json!(3))
    );
}

#[test]
fn every_copy_is_drawn_as_often_as_there_are_copies() {
    let copies: Vec<u32> = (0..40).map(|n| [1, 2, 7, 31][n % 4]).collect();
    let total: u32 = copies.iter().sum();
    let mut scene = Scene::default();
    scene.collection(json!({}), AssetBatch::with_copies(&copies));
    let mut left = total;
    while left > 0 {
        let count = left.min(100);
        scene.mint_many(1, "alice.near", count).json();
        left -= count;
    }
    let mut drawn = std::collections::BTreeMap::<String, u32>::new();
    for from in (0..total).step_by(100) {
        let tokens = scene.view(
            "collection_tokens",
            json!({ "collection_id": 1, "from_index": from, "limit": 100 }),
        );
        for token in tokens.as_array().unwrap() {
            *drawn
                .entry(token["metadata"]["media"].as_str().unwrap().to_owned())
                .or_default() += 1;
        }
    }
    let assets = scene.view("collection_assets", json!({ "collection_id": 1 }));
    for (asset, copies) in assets.as_array().unwrap().iter().zip(&copies) {
        assert_eq!(
            (&asset["copies"], &asset["remaining"]),
            (&json!(copies), &json!(0))
        );
        assert_eq!(drawn[asset["media"].as_str().unwrap()], *copies);
    }
}

/// Chi-squared over draws from forty chains of other entropy: assets come as their copies weigh.
#[test]
fn draws_follow_the_copies() {
    let copies = [1u32, 2, 5, 12];
    let mut base = Scene::default();
    base.collection(json!({}), AssetBatch::with_copies(&copies.map(|n| n * 100)));
    let mut seen = [0f64; 4];
    let assets = base.view("collection_assets", json!({ "collection_id": 1 }));
    for entropy in 0..40 {
        let mut scene = base.clone();
        scene.chain.entropy = entropy;
        scene.mint_many(1, "alice.near", 50).json();
        for token in scene
            .view("collection_tokens", json!({ "collection_id": 1 }))
            .as_array()
            .unwrap()
        {
            let asset = assets
                .as_array()
                .unwrap()
                .iter()
                .position(|asset| asset["media"] == token["metadata"]["media"]);
            seen[asset.unwrap()] += 1.0;
        }
    }
    let chi: f64 = (0..4)
        .map(|n| (seen[n] - f64::from(copies[n]) * 100.0).powi(2) / (f64::from(copies[n]) * 100.0))
        .sum();
    assert!(
        chi < 16.27,
        "three degrees of freedom, one in a thousand: {chi} {seen:?}"
    );
}

#[test]
fn api_mints_are_for_owner_and_admins_and_take_no_deposit() {
    let mut scene = scene(json!({}), 200);
    let args = json!({ "collection_id": 1, "receiver_ids": ["alice.near"] });
    assert_eq!(
        scene
            .call("alice.near", "nft_batch_mint", args.clone())
            .code(),
        "E_UNAUTHORIZED"
    );
    assert_eq!(
        scene.call(PLATFORM, "nft_batch_mint", args.clone()).code(),
        "E_UNAUTHORIZED"
    );
    assert!(
        scene
            .call(ADMIN, "nft_batch_mint", args.clone())
            .succeeded()
    );
    assert!(!scene.pay(OWNER, "nft_batch_mint", args, 2).succeeded());
    let mint = |receivers: Value, quantities: Value| json!({ "collection_id": 1, "receiver_ids": receivers, "quantities": quantities });
    for (args, code) in [
        (mint(json!([]), Value::Null), "E_INVALID_ARGUMENT"),
        (
            mint(json!(["alice.near"]), json!([0])),
            "E_INVALID_ARGUMENT",
        ),
        (mint(json!(["alice.near"]), json!([101])), "E_TOO_MANY"),
        (
            mint(json!(["alice.near", "bob.near"]), json!([51, 51])),
            "E_TOO_MANY",
        ),
        (
            mint(json!(["alice.near"]), json!([4_294_967_295u32])),
            "E_TOO_MANY",
        ),
        (mint(json!(["Alice"]), Value::Null), "E_INVALID_ARGUMENT"),
    ] {
        assert_eq!(
            scene.call(OWNER, "nft_batch_mint", args.clone()).code(),
            code,
            "{args}"
        );
    }
    let outcome = scene.call(
        OWNER,
        "nft_batch_mint",
        mint(json!(["alice.near", "alice.near", "bob.near"]), Value::Null),
    );
    assert_eq!(
        outcome.json(),
        json!(["1:2", "1:3", "1:4"]),
        "a receiver named twice gets two"
    );
    assert_eq!(scene.owner_of("1:3"), "alice.near");
}

#[test]
fn an_unpublished_collection_mints_nothing() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    let settings = json!({ "title": "T", "public_mint_config": { "mint_fee": "0" } });
    let args = harness::mintage::create_args(&settings, false, AssetBatch::new(0, 1, 5));
    scene.call_raw(OWNER, "collection_create", args).json();
    assert_eq!(scene.mint(1, &["alice.near"]).code(), "E_NOT_PUBLISHED");
    assert_eq!(
        scene.public_mint("alice.near", 1, 0).code(),
        "E_NOT_PUBLISHED"
    );
    assert_eq!(eligibility(&scene, "alice.near")["code"], "E_NOT_PUBLISHED");
    scene
        .call(OWNER, "collection_publish", json!({ "collection_id": 1 }))
        .json();
    assert!(scene.public_mint("alice.near", 1, 0).succeeded());
}

/// What the view says is what the mint then does, for each kind of account and moment.
#[test]
fn eligibility_tells_the_truth() {
    let now = 1_800_000_000_000u64;
    let windows = [
        (None, None),
        (Some(now + 500_000), None),
        (None, Some(now + 500_000)),
        (Some(now + 200_000), Some(now + 400_000)),
    ];
    for (starts, ends) in windows {
        for limit in [None, Some(1)] {
            let settings = json!({
                "public_mint_config": { "mint_fee": (2 * NEAR).to_string(), "starts_at_ms": starts, "ends_at_ms": ends, "limit_per_account": limit },
                "private_mint_config": { "mint_fee": NEAR.to_string(), "ends_at_ms": now + 300_000, "limit_per_account": 1 },
                "bypass_mint_fee_accounts": ["artist.near"]
            });
            let mut scene = scene(settings, 30);
            scene
                .sign(
                    OWNER,
                    "allowlist_add",
                    json!({ "collection_id": 1, "account_ids": ["alice.near", "artist.near"] }),
                )
                .json();
            for moment in [100_000, 250_000, 350_000, 600_000] {
                scene.chain.advance_to(now + moment);
                for account in ["alice.near", "bob.near", "artist.near", "alice.near"] {
                    let answer = eligibility(&scene, account);
                    let outcome = scene.public_mint(account, 1, 2 * NEAR);
                    let at = format!(
                        "{account} at {moment}, window {starts:?} to {ends:?}, limit {limit:?}: {answer}"
                    );
                    assert_eq!(answer["allowed"], json!(outcome.succeeded()), "{at}");
                    if outcome.succeeded() {
                        assert_eq!(
                            (&answer["code"], &answer["message"]),
                            (&Value::Null, &Value::Null),
                            "{at}"
                        );
                        let fee: u128 = answer["mint_fee"].as_str().unwrap().parse().unwrap();
                        let mut again = scene.clone();
                        let seen = eligibility(&again, account);
                        if fee > 0 && seen["mint_fee"] == answer["mint_fee"] {
                            assert_eq!(
                                again.public_mint(account, 1, fee - 1).code(),
                                "E_DEPOSIT_TOO_SMALL",
                                "{at}"
                            );
                        }
                    } else {
                        assert_eq!(answer["code"], json!(outcome.code()), "{at}");
                        let said = answer["message"].as_str().unwrap();
                        assert!(outcome.failure().panic().unwrap().contains(said), "{at}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_direct_mint_wants_its_gas() {
    let mut scene = scene(public(0), 100);
    for gas in [1, 5, 20, 39, 40, 42] {
        let call = Action::call("nft_mint", json!({ "collection_id": 1 }), gas * TGAS, 0);
        let outcome = scene.chain.transact("alice.near", CONTRACT, vec![call]);
        if gas < 40 {
            let failure = outcome.failure();
            assert!(
                failure.code() == Some("E_GAS_TOO_LOW") || failure.out_of_gas(),
                "{gas} Tgas: {failure:?}"
            );
        }
    }
    assert!(
        scene.public_mint("alice.near", 1, 0).succeeded(),
        "100 Tgas, as wallets attach, are enough"
    );
}

/// A payment to an implicit account carries the price of making it, 8 Tgas, whether or not it exists already. With ten
/// of them, an owner and a platform that are no names either, and one for what was sent too much, a mint still fits the
/// 100 Tgas that wallets attach: it pays three, and the shares of the others wait until they withdraw them.
#[test]
fn ten_implicit_royalty_accounts_fit_the_gas_of_a_wallet() {
    for implicit in UNNAMED {
        ten_accounts_fit_the_gas_of_a_wallet(implicit);
    }
}

/// Ids of accounts that a payment makes: of a key, an address, code and its state, and, from protocol version 88 on, a hash.
const UNNAMED: [fn(u32) -> String; 4] = [
    |n| format!("{n:064x}"),
    |n| format!("0x{n:040x}"),
    |n| format!("0s{n:040x}"),
    |n| format!("0u{n:051}0"),
];

fn ten_accounts_fit_the_gas_of_a_wallet(implicit: fn(u32) -> String) {
    let (owner, platform, minter) = (implicit(70), implicit(71), implicit(77));
    let royalties: serde_json::Map<_, _> = (0..10).map(|n| (implicit(n), json!(900))).collect();
    let settings = json!({ "public_mint_config": { "mint_fee": NEAR.to_string() }, "initial_royalties": royalties });
    let mut scene = scene(settings, 10);
    for (account, signer, method) in [
        (&platform, PLATFORM, "platform_set"),
        (&owner, OWNER, "owner_propose"),
        (&owner, owner.as_str(), "owner_accept"),
    ] {
        if !scene.chain.exists(account) {
            scene.chain.create_account(account, 10 * NEAR);
        }
        let outcome = scene.sign(signer, method, json!({ "account_id": account }));
        assert!(outcome.succeeded(), "{method}");
    }
    scene.chain.create_account(&minter, 100 * NEAR);
    let rest = NEAR - TOKEN;
    let mut shares: BTreeMap<String, u128> = (0..10)
        .map(|n| (implicit(n), rest * 900 / 10_000))
        .collect();
    let (to_platform, royal) = (rest / 20, rest * 900 / 10_000 * 10);
    shares.insert(platform.clone(), to_platform);
    shares.insert(owner.clone(), rest - to_platform - royal);
    let before: BTreeMap<String, u128> = shares
        .keys()
        .map(|account| (account.clone(), scene.chain.balance(account)))
        .collect();
    let owed = |scene: &Scene| -> u128 {
        let balance = scene.view("contract_balance", json!({}));
        balance["owed"].as_str().unwrap().parse().unwrap()
    };
    for minted in 1..=5u128 {
        let outcome = scene.public_mint(&minter, 1, 2 * NEAR);
        assert!(outcome.succeeded(), "{:?}", outcome.failure());
        let paid: u128 = shares
            .keys()
            .map(|account| scene.chain.balance(account) - before[account])
            .sum();
        // Nine shares of twelve wait, in records that the settings have paid for.
        assert_eq!(paid + owed(&scene), minted * rest, "after {minted} mints");
        assert!(paid > 0);
    }
    assert!(owed(&scene) > 0, "some wait");
    for (account, share) in &shares {
        let waits = scene.view("shares_of", json!({ "account_id": account }));
        let waits: u128 = waits.as_str().unwrap().parse().unwrap();
        let got = scene.chain.balance(account) - before[account];
        assert_eq!(5 * share, got + waits, "{account}");
        if waits == 0 {
            continue;
        }
        if !scene.chain.exists(account) {
            scene.chain.create_account(account, NEAR);
        }
        assert_eq!(
            scene.call(account, "shares_withdraw", json!({})).code(),
            "E_ONE_YOCTO"
        );
        let bytes = scene.chain.storage_usage(CONTRACT);
        let withdrawn = scene.sign(account, "shares_withdraw", json!({})).json();
        assert_eq!(withdrawn, json!(waits.to_string()), "{account}");
        assert_eq!(
            scene.chain.storage_usage(CONTRACT),
            bytes,
            "the record stays"
        );
        let nothing = scene.sign(account, "shares_withdraw", json!({})).json();
        assert_eq!(nothing, json!("0"));
    }
    assert_eq!(owed(&scene), 0);
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// With nothing free a paid mint pays for itself, however many accounts without a name share its fee and however little each
/// gets of it, and `mint_eligibility` says so. Nothing of any share is lost.
#[test]
fn a_paid_mint_pays_for_itself_with_nothing_free() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let account = |n: u32, named: bool| match named {
        true => format!("payee-{n}.near"),
        false => UNNAMED[n as usize % 4](n),
    };
    let mut cases = vec![(1, 10, [true; 3]), (10u128.pow(21), 10, [false; 3])];
    for _ in 0..40 {
        let named = [(); 3].map(|()| rng.random_bool(0.3));
        let digits = rng.random_range(1..=24);
        let rest = rng.random_range(1..10u128.pow(digits));
        cases.push((rest, rng.random_range(0..=10), named));
    }
    for (rest, payees, [is_owner_named, is_platform_named, are_some_named]) in cases {
        let (owner, platform) = (account(70, is_owner_named), account(71, is_platform_named));
        let mut royalties: BTreeMap<String, u128> = (0..payees)
            .map(|n| {
                (
                    account(n, are_some_named && n % 4 == 3),
                    rng.random_range(1..=900),
                )
            })
            .collect();
        // Owner and platform may be among those who have royalties.
        if rng.random_ratio(1, 4) && payees > 0 {
            royalties.pop_last();
            royalties.insert(owner.clone(), 500);
        }
        let fee = TOKEN + rest;
        let mut settings = public(fee);
        settings["initial_royalties"] = json!(royalties);
        let mut scene = scene(settings, 10);
        for id in royalties.keys().chain([&owner, &platform]) {
            if !scene.chain.exists(id) {
                scene.chain.create_account(id, NEAR);
            }
        }
        for (method, signer, account) in [
            ("platform_set", PLATFORM, &platform),
            ("owner_propose", OWNER, &owner),
            ("owner_accept", &owner, &owner),
        ] {
            let args = json!({ "account_id": account });
            scene.sign(signer, method, args).json();
        }
        let elsewhere = json!({ "receiver_id": "bob.near" });
        scene.sign(&owner, "withdraw", elsewhere.clone()).json();
        let mut shares = royalties.clone();
        shares
            .values_mut()
            .for_each(|points| *points = rest * *points / 10_000);
        let royal: u128 = shares.values().sum();
        *shares.entry(platform.clone()).or_default() += rest / 20;
        *shares.entry(owner.clone()).or_default() += rest - rest / 20 - royal;
        let held = |scene: &Scene, account: &str| -> u128 {
            let waits = scene.view("shares_of", json!({ "account_id": account }));
            let waits: u128 = waits.as_str().unwrap().parse().unwrap();
            waits + scene.chain.balance(account)
        };
        let mut before: BTreeMap<&String, u128> = shares
            .keys()
            .map(|account| (account, held(&scene, account)))
            .collect();
        for _ in 0..3 {
            assert_eq!(eligibility(&scene, "alice.near")["allowed"], true);
            let outcome = scene.public_mint("alice.near", 1, fee);
            assert!(outcome.succeeded(), "{rest}: {:?}", outcome.failure());
            assert_eq!(scene.chain.unaccounted(), 0);
            for (account, share) in &shares {
                let gained = held(&scene, account) - before[account];
                assert_eq!(gained, *share, "{rest}: {account}");
            }
            scene.sign(&owner, "withdraw", elsewhere.clone()).json();
            for (account, held_before) in &mut before {
                *held_before = held(&scene, account);
            }
        }
    }
}

/// A stolen function-call key mints no more of a collection than the day's quota, and brings no large metadata. A
/// full-access key isn't bound, and raises the quota until the day ends.
#[test]
fn staff_mints_have_a_quota_for_each_collection_and_day() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    for _ in 0..2 {
        let args = create_args(
            &json!({ "title": "T" }),
            true,
            AssetBatch::new(0, 10, 1_000),
        );
        scene.call_raw(OWNER, "collection_create", args).json();
    }
    let left = |scene: &Scene| {
        scene.view("collection", json!({ "collection_id": 1 }))["staff_mints_left"].clone()
    };
    let order = |quantity: u32| json!({ "collection_id": 1, "receiver_ids": ["alice.near"], "quantities": [quantity] });
    for _ in 0..9 {
        scene.mint_many(1, "alice.near", 100).json();
    }
    assert_eq!(left(&scene), 100);
    scene.mint_many(1, "alice.near", 99).json();
    for caller in [OWNER, harness::mintage::ADMIN] {
        let refused = scene.call(caller, "nft_batch_mint", order(2));
        assert_eq!(refused.code(), "E_STAFF_QUOTA");
        let said = refused.failure().panic().unwrap();
        assert!(said.ends_with("left: 1."), "{said}");
        assert_eq!(refused.bytes_of(harness::mintage::CONTRACT), 0);
    }
    scene.mint_many(2, "alice.near", 100).json();
    // One yoctonear shows a full-access key, which the quota doesn't bind and which doesn't use it up.
    scene.sign(OWNER, "nft_batch_mint", order(100)).json();
    assert_eq!(left(&scene), 1);
    let more = json!({ "collection_id": 1, "more": 9 });
    assert_eq!(
        scene.call(OWNER, "staff_mints_allow", more.clone()).code(),
        "E_ONE_YOCTO"
    );
    assert_eq!(
        scene
            .sign("alice.near", "staff_mints_allow", more.clone())
            .code(),
        "E_UNAUTHORIZED"
    );
    assert_eq!(scene.sign(OWNER, "staff_mints_allow", more).json(), 10);
    scene.mint_many(1, "alice.near", 10).json();
    assert_eq!(scene.mint(1, &["alice.near"]).code(), "E_STAFF_QUOTA");
    scene.chain.advance_to(scene.chain.now_ms() + 86_400_000);
    assert_eq!(left(&scene), 1_000);
    scene.mint_many(1, "alice.near", 100).json();
    assert_eq!(left(&scene), 900);
}

#[test]
fn large_metadata_of_a_mint_take_a_full_access_key() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 3, 100));
    let order = |extra: usize| json!({ "collection_id": 1, "receiver_ids": ["alice.near"], "metadata": { "extra": "x".repeat(extra) } });
    scene.call(OWNER, "nft_batch_mint", order(4_000)).json();
    let refused = scene.call(OWNER, "nft_batch_mint", order(4_097));
    assert_eq!(refused.code(), "E_INVALID_ARGUMENT");
    scene.sign(OWNER, "nft_batch_mint", order(16_384)).json();
    let refused = scene.pay(OWNER, "nft_batch_mint", order(1), 2);
    assert_eq!(refused.code(), "E_INVALID_ARGUMENT");
    // What a stolen function-call key takes out of the free balance with a call is what the documentation says.
    let mut largest = order(4_070);
    largest["quantities"] = json!([100]);
    let free = |scene: &Scene| -> u128 {
        let balance = scene.view("contract_balance", json!({}));
        balance["free"].as_str().unwrap().parse().unwrap()
    };
    let before = free(&scene);
    let call = Action::call("nft_batch_mint", largest, 300 * TGAS, 0);
    scene.chain.transact(OWNER, CONTRACT, vec![call]).json();
    let taken = before - free(&scene);
    assert!((41 * NEAR / 10..44 * NEAR / 10).contains(&taken), "{taken}");
}

/// A draft of hidden assets, of which there are copies alone. `None`: so many are refused.
fn draft(scene: &mut Scene, settings: &Value, runs: &[(u32, u32)]) -> Option<u32> {
    let mut settings = settings.clone();
    settings["title"] = json!("Large");
    settings["reveal"] = json!({ "commitment": format!("{}=", "A".repeat(43)) });
    let hidden = |run: &(u32, u32)| AssetBatch {
        copies: vec![*run],
        ..AssetBatch::default()
    };
    let first = create_args(&settings, false, hidden(&runs[0]));
    let id = scene.call_raw(OWNER, "collection_create", first).json();
    let id = id.as_u64().expect("a collection id") as u32;
    let mut at = runs[0].0;
    for run in &runs[1..] {
        let added = scene.call_raw(
            OWNER,
            "collection_add_assets",
            add_assets_args(id, at, hidden(run)),
        );
        if !added.succeeded() {
            assert_eq!(added.code(), "E_TOO_MANY", "{:?}", added.failure());
            return None;
        }
        at += run.0;
    }
    Some(id)
}

/// Bytes that the remaining copies of a collection take at most.
const COPIES: u32 = 65_536;

/// A mint reads and writes all remaining copies. Of as many as there can be, in a collection whose fees go to accounts
/// without a name, the largest mint fits the 100 Tgas that wallets attach.
#[test]
fn the_most_copies_fit_the_gas_of_a_wallet() {
    let implicit = UNNAMED[0];
    let royalties: serde_json::Map<_, _> = (0..10).map(|n| (implicit(n), json!(900))).collect();
    let settings = json!({ "public_mint_config": { "mint_fee": NEAR.to_string() }, "initial_royalties": royalties });
    let mut base = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    let minter = implicit(77);
    for (account, signer, method) in [
        (implicit(71), PLATFORM.to_owned(), "platform_set"),
        (implicit(70), OWNER.to_owned(), "owner_propose"),
        (implicit(70), implicit(70), "owner_accept"),
    ] {
        if !base.chain.exists(&account) {
            base.chain.create_account(&account, 10 * NEAR);
        }
        base.sign(&signer, method, json!({ "account_id": account }))
            .json();
    }
    let admin = json!({ "account_id": OWNER });
    base.sign(&implicit(70), "admin_add", admin).json();
    base.chain.create_account(&minter, 1_000 * NEAR);
    for copies in [255, 256] {
        let assets = COPIES / if copies > 255 { 2 } else { 1 };
        let mut scene = base.clone();
        let half = (assets / 2, copies);
        let id = draft(&mut scene, &settings, &[half, half]).expect("as many as there can be");
        let publish = json!({ "collection_id": id });
        scene.call(OWNER, "collection_publish", publish).json();
        let gift = json!({ "quantity": 25, "receiver_id": format!("{:x>64}", 1) });
        for _ in 0..2 {
            let outcome = scene.public_mint_with(&minter, id, gift.clone(), 30 * NEAR);
            assert!(outcome.succeeded(), "{copies}: {:?}", outcome.failure());
            println!("{copies} copies: {:.1} Tgas", outcome.tgas());
        }
    }
}

/// More are refused when assets are added, also where one of them has more copies than those before.
#[test]
fn more_copies_than_a_mint_can_read_are_refused() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    let settings = json!({});
    for (runs, fits) in [
        ([(COPIES / 2, 200), (COPIES / 2, 255)], true),
        ([(COPIES / 2, 200), (COPIES / 2 + 1, 255)], false),
        ([(COPIES / 2 - 1, 1), (1, 65_535)], true),
        ([(COPIES / 2, 1), (COPIES / 2, 256)], false),
        ([(COPIES / 2, 1), (1, 65_536)], false),
        ([(1, 65_536), (COPIES / 4, 1)], false),
        ([(1, 65_536), (COPIES / 4 - 1, 1)], true),
        ([(1, 1), (u32::MAX, 1)], false),
    ] {
        let made = draft(&mut scene, &settings, &runs);
        assert_eq!(made.is_some(), fits, "{runs:?}");
    }
}

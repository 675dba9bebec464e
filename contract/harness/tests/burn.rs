//! Burning: the owner's alone; the token is gone from everything that is shown, and what was promised to it returns.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene};
use harness::{Action, NEAR, TGAS, TransactionOutcome};
use serde_json::{Value, json};

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near"]);
    let settings = json!({
        "public_mint_config": { "mint_fee": "0", "limit_per_account": 2 },
        "private_mint_config": { "mint_fee": "0", "limit_per_account": 1 }
    });
    scene.collection(settings, AssetBatch::new(0, 50, 2));
    scene
}

fn burn(scene: &mut Scene, owner: &str, token: &str) -> TransactionOutcome {
    scene.sign(owner, "nft_burn", json!({ "token_id": token }))
}

fn amount(scene: &Scene, field: &str) -> u128 {
    let balance = scene.view("contract_balance", json!({}));
    balance[field].as_str().unwrap().parse().unwrap()
}

fn ids(tokens: &Value) -> Vec<&str> {
    let tokens = tokens.as_array().unwrap().iter();
    tokens
        .map(|token| token["token_id"].as_str().unwrap())
        .collect()
}

#[test]
fn a_burn_says_whose_token_is_gone() {
    let mut scene = scene();
    scene.mint_many(1, "alice.near", 3).json();
    let args = json!({ "token_id": "1:2", "memo": "ash" });
    let outcome = scene.sign("alice.near", "nft_burn", args);
    assert!(outcome.succeeded(), "{}", outcome.code());
    let event = json!({
        "standard": "nep171", "version": "1.2.0", "event": "nft_burn",
        "data": [{ "owner_id": "alice.near", "token_ids": ["1:2"], "memo": "ash" }]
    });
    assert_eq!(outcome.events(), [event]);
    assert_eq!(scene.token("1:2"), Value::Null);
    for (method, args, deposit) in [
        ("nft_burn", json!({ "token_id": "1:2" }), 1),
        (
            "nft_transfer",
            json!({ "token_id": "1:2", "receiver_id": "bob.near" }),
            1,
        ),
        (
            "nft_approve",
            json!({ "token_id": "1:2", "account_id": "bob.near" }),
            NEAR / 10,
        ),
    ] {
        let outcome = scene.pay("alice.near", method, args, deposit);
        assert_eq!(outcome.code(), "E_TOKEN_NOT_FOUND", "{method}");
    }
    for args in [json!({ "token_id": "1:2", "extra": "x" })] {
        let outcome = scene.sign(OWNER, "nft_update", args);
        assert_eq!(outcome.code(), "E_TOKEN_NOT_FOUND");
    }
}

#[test]
fn only_the_owner_burns_with_one_yocto() {
    let mut scene = scene();
    scene.mint_many(1, "alice.near", 1).json();
    let approve = json!({ "token_id": "1:1", "account_id": "bob.near" });
    scene
        .pay("alice.near", "nft_approve", approve, NEAR / 10)
        .json();
    for caller in ["bob.near", OWNER, CONTRACT] {
        assert_eq!(burn(&mut scene, caller, "1:1").code(), "E_UNAUTHORIZED");
    }
    for deposit in [0, 2] {
        let outcome = scene.pay(
            "alice.near",
            "nft_burn",
            json!({ "token_id": "1:1" }),
            deposit,
        );
        assert_eq!(outcome.code(), "E_ONE_YOCTO");
    }
    // Transfers that are off keep nobody from burning, and approvals return their deposit.
    let off = json!({ "collection_id": 1, "allow_transfers": false });
    scene.sign(OWNER, "collection_update", off).json();
    let (owed, before) = (amount(&scene, "owed"), scene.chain.balance("alice.near"));
    let outcome = burn(&mut scene, "alice.near", "1:1");
    assert!(outcome.succeeded(), "{}", outcome.code());
    assert_eq!(amount(&scene, "owed"), 0);
    let spent = u128::from(outcome.gas) * harness::GAS_PRICE + 1;
    assert_eq!(scene.chain.balance("alice.near"), before + owed - spent);
}

/// Supplies, lists and pages of lists go over burnt tokens; draws, limits and allowlists know of the mint all the same.
#[test]
fn everything_counts_on_without_the_burnt() {
    let mut scene = scene();
    let listed = json!({ "collection_id": 1, "account_ids": ["alice.near"] });
    scene.sign(OWNER, "allowlist_add", listed).json();
    scene.mint_many(1, "bob.near", 70).json();
    for _ in 0..3 {
        scene.public_mint("alice.near", 1, 0).json();
    }
    assert_eq!(scene.public_mint("alice.near", 1, 0).code(), "E_MINT_LIMIT");
    let copies = |scene: &Scene| {
        let assets = scene.view("collection_assets", json!({ "collection_id": 1 }));
        let assets = assets.as_array().unwrap().iter();
        assets
            .map(|asset| asset["remaining"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(copies(&scene), 27);
    let gone: Vec<u32> = (1..=70)
        .filter(|number| number % 3 == 0 || *number > 60)
        .collect();
    for number in &gone {
        assert!(burn(&mut scene, "bob.near", &format!("1:{number}")).succeeded());
    }
    for number in 71..=73 {
        assert!(burn(&mut scene, "alice.near", &format!("1:{number}")).succeeded());
    }
    let left: Vec<String> = (1..=70)
        .filter(|number| !gone.contains(number))
        .map(|number| format!("1:{number}"))
        .collect();
    let count = left.len().to_string();
    assert_eq!(scene.view("nft_total_supply", json!({})), json!(count));
    let supply = |scene: &Scene, account: &str| {
        scene.view("nft_supply_for_owner", json!({ "account_id": account }))
    };
    assert_eq!(supply(&scene, "bob.near"), json!(count));
    assert_eq!(supply(&scene, "alice.near"), "0");
    for limit in [1, 7, 200] {
        for (method, more) in [
            ("nft_tokens", json!({})),
            ("collection_tokens", json!({ "collection_id": 1 })),
            ("nft_tokens_for_owner", json!({ "account_id": "bob.near" })),
        ] {
            let mut all: Vec<String> = vec![];
            loop {
                let mut args = json!({ "from_index": all.len().to_string(), "limit": limit });
                args.as_object_mut()
                    .unwrap()
                    .extend(more.as_object().unwrap().clone());
                let page = scene.view(method, args);
                let page = ids(&page);
                if page.is_empty() {
                    break;
                }
                all.extend(page.into_iter().map(str::to_owned));
            }
            if method == "nft_tokens_for_owner" {
                all.sort_by_key(|id| id[2..].parse::<u32>().unwrap());
            }
            assert_eq!(all, left, "{method} by {limit}");
        }
    }
    let shown = scene.view("collection", json!({ "collection_id": 1 }));
    assert_eq!(
        (
            &shown["total"],
            &shown["minted"],
            &shown["burnt"],
            &shown["allowlisted"]
        ),
        (&json!(100), &json!(73), &json!(gone.len() + 3), &json!(1))
    );
    assert_eq!(copies(&scene), 27, "a burnt copy is not drawn again");
    assert_eq!(
        scene.public_mint("alice.near", 1, 0).code(),
        "E_MINT_LIMIT",
        "a limit counts mints, not tokens"
    );
    assert_eq!(scene.mint_many(1, "alice.near", 28).code(), "E_SOLD_OUT");
    let minted = scene.mint_many(1, "alice.near", 27).json();
    assert_eq!(minted[0], "1:74");
}

/// A list of tokens of a collection of which tokens were burnt reads the pages before it, of which each takes little.
#[test]
fn a_burn_leaves_far_pages_of_a_list_cheap() {
    let mut scene = scene();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 10_000, 1));
    for _ in 0..60 {
        scene.mint_many(collection, "bob.near", 100).json();
    }
    let far = |scene: &Scene, from: u32| {
        let args = json!({ "collection_id": collection, "from_index": from, "limit": 3 });
        let args = args.to_string().into_bytes();
        let view = scene.chain.view_raw(CONTRACT, "collection_tokens", args);
        let (shown, gas) = view.unwrap();
        let shown: Value = serde_json::from_slice(&shown).unwrap();
        let ids: Vec<String> = ids(&shown).into_iter().map(str::to_owned).collect();
        (ids, gas)
    };
    let (_, before) = far(&scene, 5_900);
    let gone = [1, 640, 641, 1_000, 5_900, 5_902];
    for number in gone {
        let token = format!("{collection}:{number}");
        assert!(burn(&mut scene, "bob.near", &token).succeeded());
    }
    let left: Vec<u32> = (1..=6_000)
        .filter(|number| !gone.contains(number))
        .collect();
    for from in [
        0, 1, 638, 639, 640, 996, 5_895, 5_896, 5_990, 5_993, 5_994, 9_000,
    ] {
        let expected = left.iter().skip(from as usize).take(3);
        let expected: Vec<String> = expected.map(|n| format!("{collection}:{n}")).collect();
        let (shown, gas) = far(&scene, from);
        assert_eq!(shown, expected, "from {from}");
        let more = gas.saturating_sub(before) as f64 / 1e12;
        let pages = f64::from(from / 32 + 2);
        assert!(more < pages * 0.09, "from {from}: {more} Tgas more");
    }
}

/// What a token was promised goes to those that are still to be minted, and of a collection that is sold out back to
/// what the owner may take.
#[test]
fn what_was_promised_returns() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 1, 200));
    scene.mint_many(1, "alice.near", 100).json();
    scene.mint_many(1, "alice.near", 100).json();
    let (free, needed) = (amount(&scene, "free"), amount(&scene, "needed"));
    for number in 1..=200 {
        let outcome = burn(&mut scene, "alice.near", &format!("1:{number}"));
        assert!(outcome.succeeded(), "{}", outcome.code());
        assert!(amount(&scene, "needed") >= amount(&scene, "staked") + NEAR / 10);
    }
    let back = needed - amount(&scene, "needed");
    // 200 tokens of 180 bytes and more; the last few wait for others.
    assert!(back > 160 * 180 * harness::STORAGE_PRICE, "{back}");
    assert!(amount(&scene, "free") >= free + back);
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// A token that its receiver burns while the transfer's call is on its way stays gone.
#[test]
fn a_token_that_was_burnt_meanwhile_does_not_come_back() {
    use harness::stub::{Behaviour, Call, contract};
    let mut scene = scene();
    scene.mint_many(1, "alice.near", 1).json();
    let call = Call::new(
        CONTRACT,
        "nft_burn",
        json!({ "token_id": "1:1" }),
        30 * TGAS,
        1,
    );
    let code = contract(&[("nft_on_transfer", Behaviour::Forward(call))]);
    scene.chain.create_contract("oven.near", 10 * NEAR, &code);
    let args = json!({ "token_id": "1:1", "receiver_id": "oven.near", "msg": "" });
    let send = Action::call("nft_transfer_call", args, 200 * TGAS, 1);
    let outcome = scene.chain.transact("alice.near", CONTRACT, vec![send]);
    assert_eq!(outcome.json(), json!(true));
    assert_eq!(scene.token("1:1"), Value::Null);
    assert_eq!(scene.view("nft_total_supply", json!({})), "0");
}

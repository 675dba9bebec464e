//! Phases: up to eight prices of a collection, each with its own list, currency, window, limit and supply.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene};
use harness::{NEAR, STORAGE_PRICE, TGAS, TransactionOutcome};
use serde_json::{Value, json};

/// Yoctonear that a token's storage takes of a price.
const LEAST: u128 = 270 * STORAGE_PRICE;
const USDC: &str = "usdc.near";

fn near(amount: u128) -> String {
    (LEAST + amount).to_string()
}

/// A collection with these phases behind the interface's two prices, of which the public one costs 1 NEAR.
fn scene(phases: Value) -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near", "carol.near"]);
    scene.token_contract(USDC, &[("alice.near", 1_000), ("bob.near", 1_000)]);
    let public = json!({ "mint_fee": NEAR.to_string() });
    let settings = json!({ "public_mint_config": public, "phases": phases });
    scene.collection(settings, AssetBatch::new(0, 10, 100));
    scene
}

fn update(scene: &mut Scene, mut settings: Value) -> TransactionOutcome {
    settings["collection_id"] = json!(1);
    scene.sign(OWNER, "collection_update", settings)
}

fn shown(scene: &Scene) -> Value {
    scene.view("collection", json!({ "collection_id": 1 }))
}

fn asked(scene: &Scene, account: &str, more: Value) -> Value {
    let mut args = more;
    args["collection_id"] = json!(1);
    args["account_id"] = json!(account);
    scene.view("mint_eligibility", args)
}

fn list(scene: &mut Scene, phase: u32, accounts: &[&str]) -> TransactionOutcome {
    let args = json!({ "collection_id": 1, "phase": phase, "account_ids": accounts });
    scene.sign(OWNER, "allowlist_add", args)
}

#[test]
fn phases_are_shown_as_they_were_set() {
    let mut scene = scene(json!([
        { "mint_fee": near(1), "allowlist": true, "starts_at_ms": 5, "ends_at_ms": 9, "limit_per_account": 2, "supply": 7 },
        null,
        { "mint_fee": "3", "currency": USDC }
    ]));
    list(&mut scene, 3, &["alice.near"]).json();
    assert_eq!(
        shown(&scene)["phases"],
        json!([
            {
                "mint_fee": near(1), "currency": null, "starts_at_ms": 5, "ends_at_ms": 9, "limit_per_account": 2,
                "supply": 7, "minted": 0, "allowlist": true, "allowlisted": 1
            },
            null,
            {
                "mint_fee": "3", "currency": USDC, "starts_at_ms": null, "ends_at_ms": null, "limit_per_account": null,
                "supply": null, "minted": 0, "allowlist": false, "allowlisted": 0
            }
        ])
    );
    assert_eq!(
        shown(&scene)["allowlisted"],
        0,
        "the private price's own list"
    );
    // The interface's two prices take the same fields, and changing one leaves the others.
    let private = json!({ "mint_fee": "9", "currency": USDC, "supply": 3 });
    update(&mut scene, json!({ "private_mint_config": private })).json();
    assert_eq!(shown(&scene)["private_mint_config"]["currency"], USDC);
    assert_eq!(shown(&scene)["phases"].as_array().unwrap().len(), 3);
    update(&mut scene, json!({ "phases": null })).json();
    assert_eq!(shown(&scene)["phases"], json!([]));
    assert_eq!(shown(&scene)["private_mint_config"]["supply"], 3);
}

#[test]
fn what_a_phase_can_not_be_is_refused() {
    let mut scene = scene(json!([]));
    let seven = json!(vec![json!({ "mint_fee": "0" }); 7]);
    for (phases, code) in [
        (seven, "E_TOO_MANY"),
        (json!([{ "mint_fee": "1" }]), "E_INVALID_ARGUMENT"),
        (
            json!([{ "mint_fee": "0", "currency": USDC }]),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!([{ "mint_fee": "1", "currency": "NO" }]),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!([{ "mint_fee": "0", "supply": 0 }]),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!([{ "mint_fee": "0", "starts_at_ms": 5, "ends_at_ms": 5 }]),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!([{ "mint_fee": "0", "name": "early" }]),
            "E_INVALID_ARGUMENT",
        ),
        (json!([1]), "E_INVALID_ARGUMENT"),
    ] {
        let outcome = update(&mut scene, json!({ "phases": phases }));
        assert_eq!(outcome.code(), code, "{phases}");
    }
    for phase in [0, 2, 9, u32::MAX] {
        assert_eq!(
            list(&mut scene, phase, &["bob.near"]).code(),
            "E_INVALID_ARGUMENT",
            "{phase}"
        );
    }
    let config = json!({ "mint_fee": "0", "allowlist": true });
    let outcome = update(&mut scene, json!({ "public_mint_config": config }));
    assert_eq!(
        outcome.code(),
        "E_INVALID_ARGUMENT",
        "the public price has no list"
    );
}

/// Each phase counts its own mints, reads its own list, and ends with its own supply.
#[test]
fn each_phase_has_its_own_list_limit_and_supply() {
    let mut scene = scene(json!([
        { "mint_fee": near(1), "allowlist": true, "limit_per_account": 2 },
        { "mint_fee": near(2), "allowlist": true, "supply": 3 }
    ]));
    list(&mut scene, 3, &["alice.near"]).json();
    list(&mut scene, 4, &["alice.near", "bob.near"]).json();
    let listed = |scene: &Scene, phase: u32, account: &str| {
        let args = json!({ "collection_id": 1, "phase": phase, "account_id": account });
        scene.view("is_allowlisted", args)
    };
    assert_eq!(
        [1, 3, 4].map(|phase| listed(&scene, phase, "bob.near")),
        [json!(false), json!(false), json!(true)]
    );
    let paid = |scene: &mut Scene, account: &str| {
        let before = scene.chain.balance(account);
        let outcome = scene.public_mint(account, 1, NEAR);
        outcome.json();
        before - scene.chain.balance(account) - u128::from(outcome.gas) * harness::GAS_PRICE
    };
    // Alice has the cheapest phase twice, then the next while it has tokens, which bob takes too.
    let prices = [
        ("alice.near", LEAST + 1),
        ("alice.near", LEAST + 1),
        ("alice.near", LEAST + 2),
        ("bob.near", LEAST + 2),
        ("alice.near", LEAST + 2),
        ("alice.near", NEAR),
        ("bob.near", NEAR),
        ("carol.near", NEAR),
    ];
    for (at, (account, price)) in prices.into_iter().enumerate() {
        assert_eq!(paid(&mut scene, account), price, "mint {at} by {account}");
    }
    let phases = &shown(&scene)["phases"];
    assert_eq!(
        (&phases[0]["minted"], &phases[1]["minted"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(shown(&scene)["public_mint_config"]["minted"], 3);
    // Cleared, the list of one phase is empty and the others are as they were.
    let args = json!({ "collection_id": 1, "phase": 4 });
    scene.sign(OWNER, "allowlist_clear", args.clone()).json();
    assert_eq!(
        (
            listed(&scene, 4, "bob.near"),
            listed(&scene, 3, "alice.near")
        ),
        (json!(false), json!(true))
    );
    let swept = json!({ "collection_id": 1, "phase": 4, "limit": 9 });
    assert_eq!(scene.call("bob.near", "allowlist_sweep", swept).json(), 1);
    let removed = json!({ "collection_id": 1, "phase": 3, "account_ids": ["alice.near"] });
    assert_eq!(scene.sign(OWNER, "allowlist_remove", removed).json(), 1);
    assert_eq!(listed(&scene, 3, "alice.near"), false);
    // A place keeps its counts, whatever the phase becomes.
    update(
        &mut scene,
        json!({ "phases": [{ "mint_fee": near(1), "limit_per_account": 2 }] }),
    )
    .json();
    assert_eq!(paid(&mut scene, "alice.near"), NEAR);
    assert_eq!(paid(&mut scene, "bob.near"), LEAST + 1);
    assert_eq!(scene.view("contract_balance", json!({}))["missing"], "0");
}

#[test]
fn eligibility_explains_each_phase() {
    let mut scene = scene(json!([
        { "mint_fee": near(1), "allowlist": true },
        { "mint_fee": near(2), "starts_at_ms": 1_900_000_000_000u64 },
        { "mint_fee": near(3), "ends_at_ms": 9 },
        { "mint_fee": "4", "currency": USDC, "limit_per_account": 5, "supply": 4 }
    ]));
    let answer = asked(&scene, "alice.near", json!({ "quantity": 2 }));
    assert_eq!(
        (
            &answer["allowed"],
            &answer["via"],
            &answer["phase"],
            &answer["mint_fee"]
        ),
        (
            &json!(true),
            &json!("public"),
            &json!(2),
            &json!(NEAR.to_string())
        )
    );
    let mut told = vec![];
    for phase in answer["phases"].as_array().unwrap() {
        let field = |name: &str| phase[name].clone();
        told.push(json!([
            field("phase"),
            field("currency"),
            field("allowed"),
            field("code"),
            field("opens_at_ms"),
            field("remaining_for_account")
        ]));
    }
    assert_eq!(
        json!(told),
        json!([
            [2, null, true, null, null, null],
            [3, null, false, "E_NOT_ALLOWLISTED", null, null],
            [
                4,
                null,
                false,
                "E_MINT_NOT_STARTED",
                1_900_000_000_000u64,
                null
            ],
            [5, null, false, "E_MINT_ENDED", null, null],
            [6, USDC, true, null, null, 4]
        ])
    );
    let in_tokens = asked(&scene, "alice.near", json!({ "currency": USDC }));
    assert_eq!(
        (
            &in_tokens["allowed"],
            &in_tokens["via"],
            &in_tokens["phase"],
            &in_tokens["mint_fee"]
        ),
        (&json!(true), &json!("phase"), &json!(6), &json!("4"))
    );
    let other = asked(&scene, "alice.near", json!({ "currency": "other.near" }));
    assert_eq!(
        (&other["allowed"], &other["code"]),
        (&json!(false), &json!("E_OTHER_CURRENCY"))
    );
    assert_eq!(
        (&other["phase"], &other["mint_fee"], &other["via"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    // What the view says is what the calls do.
    scene.public_mint("alice.near", 1, NEAR).json();
    let buy = |scene: &mut Scene, quantity: u32| {
        let msg = json!({ "collection_id": 1, "quantity": quantity }).to_string();
        scene.buy(USDC, "bob.near", 100, &msg).json()
    };
    assert_eq!(buy(&mut scene, 5), json!("0"));
    assert_eq!(
        asked(
            &scene,
            "bob.near",
            json!({ "currency": USDC, "quantity": 5 })
        )["code"],
        "E_SOLD_OUT"
    );
    assert_eq!(buy(&mut scene, 3), json!("12"));
    let left = asked(
        &scene,
        "bob.near",
        json!({ "currency": USDC, "quantity": 2 }),
    );
    assert_eq!(
        (&left["code"], &left["remaining_for_account"]),
        (&json!("E_SOLD_OUT"), &json!(1))
    );
    let staff = asked(&scene, OWNER, json!({}));
    assert_eq!(
        (
            &staff["via"],
            &staff["mint_fee"],
            &staff["phases"][0]["mint_fee"]
        ),
        (&json!("bypass"), &json!("0"), &json!("0"))
    );
}

/// Eight phases, seven of them with lists that have the account, cost no more gas than wallets attach, nor the view.
#[test]
fn eight_phases_with_lists_fit_the_gas_of_a_wallet() {
    let phases: Vec<Value> = (0..6).map(|n| json!({ "mint_fee": near(9 - n), "allowlist": true, "limit_per_account": 1, "supply": 1_000 })).collect();
    let mut scene = scene(json!(phases));
    update(
        &mut scene,
        json!({ "private_mint_config": { "mint_fee": near(20) } }),
    )
    .json();
    for phase in [1, 3, 4, 5, 6, 7, 8] {
        let others: Vec<String> = (0..400)
            .map(|n| format!("fan-{n}.near"))
            .chain(["alice.near".into()])
            .collect();
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        list(&mut scene, phase, &others).json();
    }
    let (_, gas) = scene
        .chain
        .view_raw(
            CONTRACT,
            "mint_eligibility",
            json!({ "collection_id": 1, "account_id": "alice.near" })
                .to_string()
                .into_bytes(),
        )
        .unwrap();
    println!("view {:.2}", gas as f64 / TGAS as f64);
    assert!(gas < 30 * TGAS);
    for round in 0..7u128 {
        let outcome = scene.public_mint("alice.near", 1, NEAR);
        println!("mint {round}: {:.2}", outcome.tgas());
        assert!(outcome.tgas() < 8.0, "{}", outcome.tgas());
    }
    let answer = asked(&scene, "alice.near", json!({}));
    assert_eq!(answer["via"], "private");
    assert_eq!(answer["phases"][7]["code"], "E_MINT_LIMIT");
}

//! Mints by the staff of several orders in one call, and of chosen assets.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, wasm};
use harness::{Action, NEAR, TGAS, TransactionOutcome};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn scene(assets: AssetBatch) -> Scene {
    let mut scene = Scene::new(&wasm(), 200 * NEAR);
    scene.accounts(["alice.near", "bob.near"]);
    scene.collection(json!({ "public_mint_config": { "mint_fee": "0" } }), assets);
    scene
}

fn order(scene: &mut Scene, mints: Value) -> TransactionOutcome {
    scene.call(
        OWNER,
        "nft_batch_mint",
        json!({ "collection_id": 1, "mints": mints }),
    )
}

fn chosen(asset: u32, quantity: u32) -> Value {
    json!({
        "collection_id": 1, "receiver_ids": ["alice.near"], "quantities": [quantity], "asset_index": asset
    })
}

fn media(scene: &Scene, token: &str) -> Value {
    scene.token(token)["metadata"]["media"].clone()
}

fn assets(scene: &Scene) -> Vec<Value> {
    let assets = scene.view("collection_assets", json!({ "collection_id": 1 }));
    assets.as_array().unwrap().clone()
}

#[test]
fn orders_share_a_call_and_ids_come_in_their_order() {
    let mut scene = scene(AssetBatch::new(0, 10, 100));
    let outcome = order(
        &mut scene,
        json!([
            { "receiver_ids": ["alice.near", "bob.near"], "quantities": [2, 2] },
            { "receiver_ids": ["carol.near"] },
            { "receiver_ids": ["alice.near"], "quantities": [3], "asset_index": 7, "metadata": { "title": "Chosen" } },
            { "receiver_ids": ["dave.near", "dave.near"], "metadata": { "extra": "{}" } },
        ]),
    );
    let ids: Vec<String> = (1..=10).map(|number| format!("1:{number}")).collect();
    assert_eq!(outcome.json(), json!(ids));
    let owners = [
        "alice.near",
        "alice.near",
        "bob.near",
        "bob.near",
        "carol.near",
        "alice.near",
        "alice.near",
        "alice.near",
        "dave.near",
        "dave.near",
    ];
    for (id, owner) in ids.iter().zip(owners) {
        assert_eq!(scene.owner_of(id), owner, "{id}");
    }
    let seventh = assets(&scene)[7]["media"].clone();
    for (at, id) in ids.iter().enumerate() {
        let shown = scene.token(id)["metadata"].clone();
        let is_chosen = (5..8).contains(&at);
        assert_eq!(shown["title"] == "Chosen", is_chosen, "{id}");
        assert!(!is_chosen || shown["media"] == seventh, "{id}");
        assert_eq!(shown["extra"] == "{}", at >= 8, "{id}");
    }
    let grants = outcome.events()[0]["data"].clone();
    assert_eq!(grants.as_array().unwrap().len(), 6);
    assert_eq!(
        grants[3],
        json!({ "owner_id": "alice.near", "token_ids": ["1:6", "1:7", "1:8"] })
    );
    let mut listed = BTreeSet::new();
    for owner in ["alice.near", "bob.near", "carol.near", "dave.near"] {
        let tokens = scene.view("nft_tokens_for_owner", json!({ "account_id": owner }));
        let tokens = tokens.as_array().unwrap().clone();
        listed.extend(
            tokens
                .iter()
                .map(|token| token["token_id"].as_str().unwrap().to_owned()),
        );
    }
    assert_eq!(listed, ids.into_iter().collect());
}

#[test]
fn one_order_stands_alone_as_before() {
    let mut scene = scene(AssetBatch::new(0, 10, 100));
    let args = json!({ "collection_id": 1, "receiver_ids": ["alice.near", "bob.near"], "quantities": [2, 2] });
    let outcome = scene.call(OWNER, "nft_batch_mint", args);
    assert_eq!(outcome.json(), json!(["1:1", "1:2", "1:3", "1:4"]));
}

#[test]
fn receivers_have_quantities_of_their_own() {
    let mut scene = scene(AssetBatch::new(0, 10, 100));
    let mint = |scene: &mut Scene, more: Value| {
        let mut args = json!({ "collection_id": 1, "receiver_ids": ["alice.near", "bob.near"] });
        args.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        scene.call(OWNER, "nft_batch_mint", args)
    };
    let outcome = mint(&mut scene, json!({ "quantities": [1, 3] }));
    assert_eq!(outcome.json(), json!(["1:1", "1:2", "1:3", "1:4"]));
    assert_eq!(
        outcome.events()[0]["data"],
        json!([
            { "owner_id": "alice.near", "token_ids": ["1:1"] },
            { "owner_id": "bob.near", "token_ids": ["1:2", "1:3", "1:4"] }
        ])
    );
    let with_asset = json!({ "quantities": [2, 1], "asset_index": 4 });
    assert_eq!(
        mint(&mut scene, with_asset)
            .json()
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let order = json!([{ "receiver_ids": ["alice.near", "bob.near"], "quantities": [40, 41] }]);
    assert_eq!(
        self::order(&mut scene, order)
            .json()
            .as_array()
            .unwrap()
            .len(),
        81
    );
    for (wrong, code) in [
        (json!({ "quantities": [1] }), "E_INVALID_ARGUMENT"),
        (json!({ "quantities": [1, 2, 3] }), "E_INVALID_ARGUMENT"),
        (json!({ "quantities": [] }), "E_INVALID_ARGUMENT"),
        (json!({ "quantities": [1, 0] }), "E_INVALID_ARGUMENT"),
        (json!({ "quantities": [1, -1] }), "E_INVALID_ARGUMENT"),
        (json!({ "quantities": [50, 51] }), "E_TOO_MANY"),
        (json!({ "quantities": [u32::MAX, u32::MAX] }), "E_TOO_MANY"),
    ] {
        assert_eq!(mint(&mut scene, wrong.clone()).code(), code, "{wrong}");
    }
}

#[test]
fn orders_that_can_not_be_are_refused() {
    let mut scene = scene(AssetBatch::new(0, 10, 100));
    let alice = || json!({ "receiver_ids": ["alice.near"] });
    let many = |quantity: u32| json!({ "receiver_ids": ["alice.near"], "quantities": [quantity] });
    for (mints, code) in [
        (json!([]), "E_INVALID_ARGUMENT"),
        (
            json!([alice(), { "receiver_ids": [] }]),
            "E_INVALID_ARGUMENT",
        ),
        (json!([alice(), many(0)]), "E_INVALID_ARGUMENT"),
        (json!([alice(), {}]), "E_INVALID_ARGUMENT"),
        (json!([alice(), "alice.near"]), "E_INVALID_ARGUMENT"),
        (
            json!([{ "receiver_ids": ["alice.near"], "quantity": 2 }]),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!([{ "receiver_ids": ["alice.near"], "asset_index": 10 }]),
            "E_INVALID_ARGUMENT",
        ),
        (
            json!([{ "receiver_ids": ["No Account"] }]),
            "E_INVALID_ARGUMENT",
        ),
        (json!([many(60), many(41)]), "E_TOO_MANY"),
        (json!([many(u32::MAX), many(u32::MAX)]), "E_TOO_MANY"),
    ] {
        assert_eq!(order(&mut scene, mints.clone()).code(), code, "{mints}");
    }
    for field in ["receiver_ids", "quantities", "asset_index", "metadata"] {
        let mut args = json!({ "collection_id": 1, "mints": [alice()] });
        args[field] = json!(1);
        let outcome = scene.call(OWNER, "nft_batch_mint", args);
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{field}");
    }
    // A field that nobody knows could be one that is spelt wrong.
    for mut args in [alice(), json!({ "mints": [alice()] })] {
        args["collection_id"] = json!(1);
        args["quantitys"] = json!([2]);
        let outcome = scene.call(OWNER, "nft_batch_mint", args.clone());
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT", "{args}");
        assert!(format!("{:?}", outcome.failure()).contains("quantitys"));
    }
    let stranger = json!({ "collection_id": 1, "mints": [alice()] });
    assert_eq!(
        scene.call("bob.near", "nft_batch_mint", stranger).code(),
        "E_UNAUTHORIZED"
    );
    assert_eq!(
        order(&mut scene, json!([many(60), many(40)]))
            .json()
            .as_array()
            .unwrap()
            .len(),
        100
    );
}

/// Any number of orders, up to the limit of a call, fits its gas.
#[test]
fn a_hundred_orders_fit_a_call() {
    let mut scene = scene(AssetBatch::new(0, 2_000, 3));
    let orders = || -> Vec<Value> {
        let name = |number: u32| format!("{}{number:04}.near", "x".repeat(55));
        let metadata = |number: u32| json!({ "title": format!("Number {number}") });
        (0..100)
            .map(|number| json!({ "receiver_ids": [name(number)], "asset_index": number * 2, "metadata": metadata(number) }))
            .collect()
    };
    for round in ["new accounts", "known ones"] {
        let outcome = order(&mut scene, json!(orders()));
        assert_eq!(outcome.json().as_array().unwrap().len(), 100, "{round}");
        assert!(outcome.tgas() < 80.0, "{round}: {} Tgas", outcome.tgas());
    }
}

#[test]
fn a_chosen_asset_is_minted_until_none_is_left() {
    for batch in [
        AssetBatch::with_copies(&[5, 3, 1]),
        AssetBatch {
            copies: vec![(1, 5), (1, 3), (19_998, 1)],
            ..AssetBatch::new(0, 20_000, 1)
        },
    ] {
        let mut scene = scene(batch);
        let call = |scene: &mut Scene, args| scene.call(OWNER, "nft_batch_mint", args);
        call(&mut scene, chosen(1, 2)).json();
        call(&mut scene, chosen(2, 1)).json();
        let all = assets(&scene);
        let left: Vec<_> = all
            .iter()
            .take(3)
            .map(|asset| asset["remaining"].clone())
            .collect();
        assert_eq!(left, [5, 1, 0]);
        for (token, asset) in [("1:1", 1), ("1:2", 1), ("1:3", 2)] {
            assert_eq!(media(&scene, token), all[asset]["media"], "{token}");
        }
        let none = call(&mut scene, chosen(2, 1));
        assert_eq!(none.code(), "E_SOLD_OUT");
        assert!(format!("{:?}", none.failure()).contains("too few copies left: 0."));
        assert_eq!(call(&mut scene, chosen(1, 2)).code(), "E_SOLD_OUT");
        let twice = json!([{ "receiver_ids": ["a.near"], "asset_index": 1 }, { "receiver_ids": ["b.near"], "asset_index": 1 }]);
        assert_eq!(
            order(&mut scene, twice).code(),
            "E_SOLD_OUT",
            "orders of a call count together"
        );
        call(&mut scene, chosen(1, 1)).json();
    }
}

/// Draws and choices together take exactly the copies that there are.
#[test]
fn what_is_chosen_is_not_drawn() {
    let mut scene = scene(AssetBatch::with_copies(&[4, 4, 4]));
    for _ in 0..3 {
        let both = json!([
            { "receiver_ids": ["alice.near"] },
            { "receiver_ids": ["alice.near"], "asset_index": 1 },
            { "receiver_ids": ["bob.near"] },
        ]);
        let outcome = order(&mut scene, both);
        if !outcome.succeeded() {
            assert_eq!(outcome.code(), "E_SOLD_OUT");
            break;
        }
    }
    let left: u64 = assets(&scene)
        .iter()
        .map(|asset| asset["remaining"].as_u64().unwrap())
        .sum();
    let minted = scene.view("collection", json!({ "collection_id": 1 }))["minted"]
        .as_u64()
        .unwrap();
    assert_eq!(left + minted, 12);
    let rest = scene.mint_many(1, "alice.near", left as u32);
    assert_eq!(rest.json().as_array().unwrap().len() as u64, left);
    let shown = |asset: &Value| {
        let tokens = scene.view("collection_tokens", json!({ "collection_id": 1 }));
        let tokens = tokens.as_array().unwrap().clone();
        tokens
            .iter()
            .filter(|token| token["metadata"]["media"] == asset["media"])
            .count()
    };
    for asset in assets(&scene) {
        assert_eq!((shown(&asset), &asset["remaining"]), (4, &json!(0)));
    }
}

/// A draw and a choice in one receipt: were the choice refused only where the draw took the copy, both would be undone
/// together, and the draw could be had again.
#[test]
fn a_choice_in_the_block_of_a_draw_does_not_depend_on_it() {
    let base = scene(AssetBatch::with_copies(&[1, 1, 1, 40]));
    let draw = |count: u32| {
        let args =
            json!({ "collection_id": 1, "receiver_ids": ["alice.near"], "quantities": [count] });
        Action::call("nft_batch_mint", args, 60 * TGAS, 0)
    };
    let choose =
        |asset: u32, count: u32| Action::call("nft_batch_mint", chosen(asset, count), 60 * TGAS, 0);
    for (batch, expected) in [
        (vec![draw(1), choose(0, 1)], "E_DRAW_HIDDEN"),
        (vec![draw(3), choose(3, 38)], "E_DRAW_HIDDEN"),
        (vec![draw(3), choose(3, 37)], ""),
        (vec![draw(3), choose(3, 37), choose(3, 1)], "E_DRAW_HIDDEN"),
        (vec![draw(3), choose(3, 41)], "E_SOLD_OUT"),
        (vec![choose(0, 1), draw(3), choose(0, 1)], "E_DRAW_HIDDEN"),
        (vec![choose(0, 1), choose(1, 1), choose(3, 40)], ""),
        (vec![choose(0, 1), choose(0, 1)], "E_SOLD_OUT"),
        (vec![choose(0, 1), draw(3)], ""),
    ] {
        let mut texts = BTreeSet::new();
        for entropy in 0..30 {
            let mut scene = base.clone();
            scene.chain.entropy = entropy;
            let outcome = scene.chain.transact(OWNER, CONTRACT, batch.clone());
            assert_eq!(outcome.code(), expected, "seed {entropy}");
            let said = match outcome.succeeded() {
                true => String::new(),
                false => format!("{:?}", outcome.failure()),
            };
            texts.insert((said, outcome.gas));
        }
        let fixed = batch.len() == 2 || expected != "";
        assert!(!fixed || texts.len() == 1, "the draw shows: {texts:?}");
    }
    // In a later block what the draw took is known to all.
    let mut scene = base;
    scene.chain.transact(OWNER, CONTRACT, vec![draw(1)]).json();
    let outcome = scene.call(OWNER, "nft_batch_mint", chosen(0, 1));
    let gone = media(&scene, "1:1") == assets(&scene)[0]["media"];
    assert_eq!(outcome.code(), if gone { "E_SOLD_OUT" } else { "" });
}

/// A choice looks at all tokens of a block with draws, so it asks for gas by their number before it does: with too little
/// it says so and never runs out of gas on the way, and what the documentation says is enough.
#[test]
fn a_choice_in_a_crowded_block_asks_for_its_gas() {
    let mut base = scene(AssetBatch::new(0, 60, 20_000));
    for number in 0..290 {
        let receiver = format!("{number:x>59}.near");
        let args = json!({ "collection_id": 1, "quantity": 25, "receiver_id": receiver });
        let mint = Action::call("nft_mint", args, 100 * TGAS, 0);
        base.chain
            .submit("alice.near", CONTRACT, vec![mint])
            .expect("a transaction");
    }
    let orders: Vec<Value> = (0..50)
        .map(|asset| json!({ "receiver_ids": ["bob.near"], "asset_index": asset }))
        .collect();
    let many = json!({ "collection_id": 1, "mints": orders });
    for (args, enough) in [(chosen(7, 1), 90), (many, 150)] {
        let (mut refused, mut done) = (0, 0);
        for gas in [16, 30, 60, 90, 150, 300] {
            let mut scene = base.clone();
            let choose = Action::call("nft_batch_mint", args.clone(), gas * TGAS, 0);
            let number = scene
                .chain
                .submit(OWNER, CONTRACT, vec![choose])
                .expect("a transaction");
            scene.chain.settle();
            let outcome = scene.chain.outcome(number);
            println!("{gas}: {} {} Tgas", outcome.code(), outcome.tgas());
            match outcome.code().as_str() {
                "E_GAS_TOO_LOW" => refused += 1,
                "" => done += 1,
                code => panic!("{gas} Tgas: {code} {:?}", outcome.failure()),
            }
            assert!(gas < enough || done > 0, "{gas} Tgas are enough");
        }
        assert!(refused > 0, "16 Tgas are too little");
    }
}

//! The mean gas of the calls that the service makes, from which a quote's expected cost comes. Each method has a
//! constant part and what it grows by: `byte` of arguments, `item` (an account of a list, a token of a mint), `receiver`
//! of a mint, and for metadata of a token's own `own` a token and `own_byte` a byte of the metadata and token.

use crate::measure::{collectors, of, reveal_all};
use harness::claims::Issuer;
use harness::mintage::{AssetBatch, OWNER, Scene, add_assets_args, create_args};
use harness::{NEAR, TransactionOutcome};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Ggas by what a method's gas grows by.
type Terms = BTreeMap<&'static str, f64>;

/// Ggas of outcomes, on average.
fn ggas(outcomes: Vec<TransactionOutcome>) -> f64 {
    of(outcomes).tgas * 1_000.0
}

/// The line through two points.
fn line(unit: &'static str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Terms {
    let slope = (y2 - y1) / (x2 - x1);
    BTreeMap::from([("call", y1 - slope * x1), (unit, slope)])
}

fn mints(base: &Scene) -> Terms {
    let mut scene = base.clone();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 100, 100));
    scene.mint(collection, &["alice.near"]).json();
    let to = |names: &[String], metadata: Option<usize>| {
        let mut args = json!({ "collection_id": collection, "receiver_ids": names, "quantities": vec![25 / names.len(); names.len()] });
        if let Some(bytes) = metadata {
            args["metadata"] = json!({ "extra": "x".repeat(bytes) });
        }
        args
    };
    let mean = |scene: &mut Scene, args: &dyn Fn(usize) -> Value| {
        ggas(
            (0..32)
                .map(|round| scene.call(OWNER, "nft_batch_mint", args(round)))
                .collect(),
        )
    };
    let alice = ["alice.near".to_string()];
    let many = |round: usize| to(&collectors(round * 25, 25), None);
    let one = mean(
        &mut scene,
        &|_| json!({ "collection_id": collection, "receiver_ids": alice }),
    );
    let first = mean(
        &mut scene,
        &|round| json!({ "collection_id": collection, "receiver_ids": collectors(90_000 + round, 1) }),
    );
    let one = (one + first) / 2.0;
    let batch = mean(&mut scene.clone(), &|_| to(&alice, None));
    let mut spread = scene.clone();
    let new = mean(&mut spread, &many);
    let known = mean(&mut spread, &many);
    let short = mean(&mut scene.clone(), &|_| to(&alice, Some(10)));
    let long = mean(&mut scene.clone(), &|_| to(&alice, Some(410)));
    let own_byte = (long - short) / 25.0 / 400.0;
    let item = (batch - one) / 24.0;
    let receiver = ((new + known) / 2.0 - batch) / 24.0;
    BTreeMap::from([
        ("call", one - item - receiver),
        ("item", item),
        ("receiver", receiver),
        ("own", (short - batch) / 25.0 - 10.0 * own_byte),
        ("own_byte", own_byte),
    ])
}

/// What a change's gas grows by with the bytes of its arguments: two ways to write it, taken in turn.
fn changes(scene: &mut Scene, method: &'static str, short: Value, long: Value) -> Terms {
    let mut at = |args: &Value| {
        let gas = ggas(
            (0..4)
                .map(|_| scene.sign(OWNER, method, args.clone()))
                .collect(),
        );
        (args.to_string().len() as f64, gas)
    };
    let (first, second) = (at(&short), at(&long));
    line("byte", first, second)
}

fn lists(base: &Scene) -> [(&'static str, Terms); 3] {
    let mut scene = base.clone();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 100, 100));
    let mut change = |method, first, count: usize| {
        let args = json!({ "collection_id": collection, "account_ids": collectors(first, count) });
        (count as f64, ggas(vec![scene.sign(OWNER, method, args)]))
    };
    change("allowlist_add", 10_000, 50);
    let add = line(
        "item",
        change("allowlist_add", 0, 5),
        change("allowlist_add", 100, 60),
    );
    let remove = line(
        "item",
        change("allowlist_remove", 0, 5),
        change("allowlist_remove", 100, 60),
    );
    let clear = scene.sign(
        OWNER,
        "allowlist_clear",
        json!({ "collection_id": collection }),
    );
    [
        ("allowlist_add", add),
        ("allowlist_remove", remove),
        (
            "allowlist_clear",
            BTreeMap::from([("call", ggas(vec![clear]))]),
        ),
    ]
}

fn creations(base: &Scene) -> [(&'static str, Terms); 3] {
    let mut scene = base.clone();
    let mut call = |method, args: Vec<u8>| {
        (
            args.len() as f64,
            ggas(vec![scene.call_raw(OWNER, method, args)]),
        )
    };
    let settings = json!({ "title": "Title", "description": "Ten thousand pictures" });
    let new = |count, publish| create_args(&settings, publish, AssetBatch::new(0, count, 1));
    let create = line(
        "byte",
        call("collection_create", new(3, true)),
        call("collection_create", new(4_000, true)),
    );
    call("collection_create", new(100, false));
    let add = |at, count| add_assets_args(3, at, AssetBatch::new(at, count, 1));
    let add = line(
        "byte",
        call("collection_add_assets", add(100, 100)),
        call("collection_add_assets", add(200, 3_000)),
    );
    let id = json!({ "collection_id": 3 }).to_string().into_bytes();
    let (_, publish) = call("collection_publish", id);
    [
        ("collection_create", create),
        ("collection_add_assets", add),
        ("collection_publish", BTreeMap::from([("call", publish)])),
    ]
}

fn drops(base: &Scene) -> [(&'static str, Terms); 3] {
    let mut scene = base.clone();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 100, 100));
    let issuer = Issuer::new("issuer");
    let ends = scene.chain.now_ms() + 3_600_000;
    let create = json!({
        "collection_id": collection, "issuer_public_key": issuer.public_key(), "links": 100, "quantity": 1,
        "expires_at_ms": ends
    });
    let created = (0..4)
        .map(|_| scene.sign(OWNER, "drop_create", create.clone()))
        .collect();
    let extended = (1..5)
        .map(|drop| {
            scene.sign(
                OWNER,
                "drop_update",
                json!({ "drop_id": drop, "links": 300 }),
            )
        })
        .collect();
    scene.chain.advance_to(ends + 1);
    let closed = (1..5)
        .map(|drop| scene.call(OWNER, "drop_close", json!({ "drop_id": drop })))
        .collect();
    let only = |outcomes| BTreeMap::from([("call", ggas(outcomes))]);
    [
        ("drop_create", only(created)),
        ("drop_update", only(extended)),
        ("drop_close", only(closed)),
    ]
}

/// Changes of many tokens by one call, each the first of its token or a later one.
fn updates(base: &Scene) -> Terms {
    let mut scene = base.clone();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 100, 100));
    for _ in 0..5 {
        scene.mint_many(collection, "alice.near", 100).json();
    }
    let change = |scene: &mut Scene, tokens: u32, title: usize| {
        let update = |number| json!({ "token_id": format!("{collection}:{number}"), "title": "x".repeat(title) });
        let updates: Vec<Value> = (101..101 + tokens).map(update).collect();
        let args = json!({ "collection_id": collection, "updates": updates });
        (
            args.to_string().len() as f64,
            scene.sign(OWNER, "nft_update_batch", args),
        )
    };
    let mean = |tokens, title| {
        let mut scene = scene.clone();
        let (bytes, first) = change(&mut scene, tokens, title);
        let (_, again) = change(&mut scene, tokens, title);
        (bytes, ggas(vec![first, again]))
    };
    let (few, many, long) = (mean(10, 20), mean(200, 20), mean(200, 220));
    let byte = (long.1 - many.1) / (long.0 - many.0);
    let item = (many.1 - few.1 - byte * (many.0 - few.0)) / 190.0;
    BTreeMap::from([
        ("byte", byte),
        ("item", item),
        ("call", few.1 - byte * few.0 - 10.0 * item),
    ])
}

/// What owners and staff do with single tokens.
fn tokens(base: &Scene) -> [(&'static str, Terms); 3] {
    let mut scene = base.clone();
    scene.accounts(["alice.near"]);
    let collection = scene.collection(json!({}), AssetBatch::new(0, 100, 100));
    scene.mint_many(collection, "alice.near", 100).json();
    let id = |number: usize| format!("{collection}:{number}");
    let only = |outcomes| BTreeMap::from([("call", ggas(outcomes))]);
    let lock = |number| scene.sign(OWNER, "nft_lock", json!({ "token_id": id(number) }));
    let locked = only((1..=32).map(lock).collect());
    // To accounts that hold nothing yet, then to the same.
    let send = |number| {
        let to = &collectors(number % 16, 1)[0];
        scene.transfer("alice.near", to, &id(number))
    };
    let sent = only((33..=64).map(send).collect());
    let burn = |number| scene.sign("alice.near", "nft_burn", json!({ "token_id": id(number) }));
    let burnt = only((65..=96).map(burn).collect());
    [
        ("nft_lock", locked),
        ("nft_transfer", sent),
        ("nft_burn", burnt),
    ]
}

/// What payouts in a fungible token are made of: registrations there, shares that are fetched, and transfers.
fn currencies(base: &Scene) -> [(&'static str, Terms); 3] {
    const TOKEN: &str = "usdc.near";
    let mut scene = base.clone();
    scene.accounts(["alice.near"]);
    scene.token_contract(TOKEN, &[("alice.near", 1_000_000), (OWNER, 1_000)]);
    let price = json!({ "mint_fee": "100", "currency": TOKEN });
    let settings = json!({ "public_mint_config": price });
    let collection = scene.collection(settings, AssetBatch::new(0, 100, 100));
    let msg = json!({ "collection_id": collection }).to_string();
    let only = |outcomes| BTreeMap::from([("call", ggas(outcomes))]);
    let fetch = |_| {
        let bought = scene.buy(TOKEN, "alice.near", 100, &msg);
        bought.result().expect("a price is paid");
        scene.withdraw_units(OWNER, TOKEN)
    };
    let fetched = only((0..16).map(fetch).collect());
    let names = collectors(0, 16);
    // The least that the token asks for an account.
    let bounds = scene.chain.view(TOKEN, "storage_balance_bounds", json!({}));
    let bounds = bounds.expect("a token shows its bounds");
    let least = bounds["min"].as_str().expect("a string");
    let deposit = least.parse().expect("digits");
    let mut call = |method, args, deposit| scene.chain.call(OWNER, TOKEN, method, args, deposit);
    let register = |name| {
        let args = json!({ "account_id": name, "registration_only": true });
        call("storage_deposit", args, deposit)
    };
    let registered = only(names.iter().map(register).collect());
    let send = |name| {
        let args = json!({ "receiver_id": name, "amount": "1" });
        call("ft_transfer", args, 1)
    };
    // To accounts that have nothing yet, then to the same.
    let sent = only(names.iter().chain(&names).map(send).collect());
    [
        ("ft_transfer", sent),
        ("shares_withdraw", fetched),
        ("storage_deposit", registered),
    ]
}

fn locks(base: &Scene) -> Terms {
    let mut scene = base.clone();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 10_000, 1));
    let mut lock = |assets: std::ops::Range<u32>| {
        let assets: Vec<u32> = assets.collect();
        let args = json!({ "collection_id": collection, "locks": ["royalties"], "assets": assets });
        let bytes = args.to_string().len() as f64;
        (
            bytes,
            ggas(vec![scene.sign(OWNER, "collection_lock", args)]),
        )
    };
    let few = lock(0..5);
    line("byte", few, lock(1_000..2_000))
}

/// Reveals of whole collections of two sizes.
fn reveals(base: &Scene) -> Terms {
    let mut scene = base.clone();
    let mut reveal = |assets| {
        let (bytes, outcome) = reveal_all(&mut scene, assets);
        (bytes as f64, ggas(vec![outcome]))
    };
    line("byte", reveal(100), reveal(5_000))
}

/// Ggas of each method by what it grows by, as one JSON object.
pub fn means(code: &[u8]) -> Value {
    let base = Scene::new(code, 1_000 * NEAR);
    let mut scene = base.clone();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 100, 100));
    scene.mint_many(collection, "alice.near", 25).json();
    let listed =
        json!({ "collection_id": collection, "transfers_denied_accounts": collectors(0, 4) });
    scene.sign(OWNER, "collection_update", listed).json();
    let settings = changes(
        &mut scene,
        "collection_update",
        json!({ "collection_id": collection, "allow_approvals": false }),
        json!({ "collection_id": collection, "bypass_mint_fee_accounts": collectors(0, 40) }),
    );
    let token =
        |extra: usize| json!({ "token_id": "1:3", "extra": "x".repeat(extra), "title": "Heron" });
    let update = changes(&mut scene, "nft_update", token(20), token(1_000));
    let methods = [
        ("nft_batch_mint", mints(&base)),
        ("collection_update", settings),
        ("nft_update", update),
        ("nft_update_batch", updates(&base)),
        ("collection_lock", locks(&base)),
        ("collection_reveal", reveals(&base)),
    ];
    let all = methods
        .into_iter()
        .chain(lists(&base))
        .chain(creations(&base))
        .chain(drops(&base))
        .chain(tokens(&base))
        .chain(currencies(&base));
    let rounded = |terms: Terms| -> Map<String, Value> {
        terms
            .into_iter()
            .map(|(unit, gas)| (unit.into(), json!((gas * 1e4).round() / 1e4)))
            .collect()
    };
    all.map(|(method, terms)| (method.to_string(), Value::Object(rounded(terms))))
        .collect::<Map<_, _>>()
        .into()
}

//! The calls that are measured, on chains set up for each.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use harness::claims::{Issuer, Terms};
use harness::mintage::{
    AssetBatch, CONTRACT, OWNER, Scene, add_assets_args, create_args, digest, workspace,
};
use harness::{Action, Chain, NEAR, STORAGE_PRICE, TGAS, TransactionOutcome};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Mean cost of one call.
#[derive(Clone, Default)]
pub struct Cost {
    pub tgas: f64,
    pub bytes: f64,
    /// The dearest call of those measured.
    pub worst_tgas: f64,
    /// With what payments burn at those who get them.
    pub with_payments: f64,
    /// Mean Tgas by what it is burnt for.
    pub profile: BTreeMap<String, f64>,
}

/// Takes the mean over outcomes of which each has to have succeeded.
fn mean(contract: &str, outcomes: impl IntoIterator<Item = TransactionOutcome>) -> Cost {
    let (mut cost, mut count) = (Cost::default(), 0.0);
    for outcome in outcomes {
        if let Err(failure) = outcome.result() {
            panic!("a measured call failed: {failure:?}");
        }
        let tgas = outcome.gas_of_calls() as f64 / 1e12;
        cost.tgas += tgas;
        cost.with_payments += outcome.tgas();
        cost.bytes += outcome.bytes_of(contract) as f64;
        for (what, gas) in outcome.profile() {
            *cost.profile.entry(what).or_default() += gas as f64 / 1e12;
        }
        cost.worst_tgas = cost.worst_tgas.max(tgas);
        count += 1.0;
    }
    Cost {
        tgas: cost.tgas / count,
        bytes: cost.bytes / count,
        with_payments: cost.with_payments / count,
        profile: cost
            .profile
            .into_iter()
            .map(|(what, tgas)| (what, tgas / count))
            .collect(),
        ..cost
    }
}

pub fn of(outcomes: impl IntoIterator<Item = TransactionOutcome>) -> Cost {
    mean(CONTRACT, outcomes)
}

/// Names as long as people's own: `collector-0042.near`.
pub fn collectors(first: usize, count: usize) -> Vec<String> {
    (first..first + count)
        .map(|number| format!("collector-{number:05}.near"))
        .collect()
}

fn as_strs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

pub type Costs = BTreeMap<&'static str, Cost>;

pub fn mints(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    let singles = scene.collection(json!({}), AssetBatch::new(0, 10_000, 1));
    let hundreds = scene.collection(json!({}), AssetBatch::new(0, 100, 100));
    for (name, collection) in [
        ("mint_25_one_receiver", hundreds),
        ("mint_25_of_10000", singles),
    ] {
        let mut scene = scene.clone();
        scene.mint(collection, &["alice.near"]).json();
        costs.insert(
            name,
            of((0..64).map(|_| scene.mint_many(collection, "alice.near", 25))),
        );
        if collection == hundreds {
            costs.insert(
                "mint_1",
                of((0..64).map(|_| scene.mint(collection, &["alice.near"]))),
            );
        }
    }
    let mut new = scene.clone();
    new.mint(hundreds, &["alice.near"]).json();
    let first = (0..32).map(|round| new.mint(hundreds, &as_strs(&collectors(round * 25, 25))));
    costs.insert("mint_25_new_receivers", of(first.collect::<Vec<_>>()));
    let mut known = new.clone();
    let again = (0..32).map(|round| new.mint(hundreds, &as_strs(&collectors(round * 25, 25))));
    costs.insert("mint_25_known_receivers", of(again.collect::<Vec<_>>()));
    let mut joined = known.clone();
    let quantities = (0..32).map(|round| {
        let receivers = collectors(round * 25, 25);
        let args = json!({ "collection_id": hundreds, "receiver_ids": receivers, "quantities": vec![1; 25] });
        known.call(OWNER, "nft_batch_mint", args)
    });
    costs.insert(
        "mint_25_known_receivers_one_call_each_quantity",
        of(quantities.collect::<Vec<_>>()),
    );
    let orders = (0..32).map(|round| {
        let order = |name| json!({ "receiver_ids": [name], "quantities": [1] });
        let orders: Vec<Value> = collectors(round * 25, 25).iter().map(order).collect();
        let args = json!({ "collection_id": hundreds, "mints": orders });
        joined.call(OWNER, "nft_batch_mint", args)
    });
    costs.insert(
        "mint_25_known_receivers_25_orders",
        of(orders.collect::<Vec<_>>()),
    );
}

/// Vouchers with a price for accounts that hold nothing yet, of a drop as large as they come.
pub fn vouchers(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    scene.accounts(["artist.near", "studio.near", "payer.near"]);
    let royalties = json!({ "artist.near": 5000, "studio.near": 1000 });
    let settings = json!({ "initial_royalties": royalties });
    let collection = scene.collection(settings, AssetBatch::new(0, 100, 100));
    let issuer = Issuer::new("issuer");
    let drop = scene.drop(collection, &issuer, 10_000, 1);
    let names = collectors(0, 64);
    let cost = of(names.iter().zip((0..).step_by(150)).map(|(name, nonce)| {
        let voucher = issuer.voucher(&Terms {
            contract: CONTRACT,
            drop,
            nonce,
            receiver: name,
            quantity: 1,
            price: NEAR,
            currency: None,
            expires_at_ms: scene.chain.now_ms() + 3_600_000,
        });
        scene.pay("payer.near", "voucher_mint", voucher, NEAR)
    }));
    costs.insert("voucher", cost);
}

/// Mints for a price in a token of the standards' contract, with all receipts of both: the first of accounts that hold
/// nothing yet, which have sent more than the price.
pub fn token_mints(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    scene.accounts(["artist.near", "studio.near"]);
    let names = collectors(0, 33);
    scene.accounts(names.iter().map(String::as_str));
    let holders: Vec<_> = names.iter().map(|name| (name.as_str(), 1_000)).collect();
    scene.token_contract("usdc.near", &holders);
    let price = json!({ "mint_fee": "100", "currency": "usdc.near" });
    let royalties = json!({ "artist.near": 5000, "studio.near": 1000 });
    let settings = json!({ "public_mint_config": price, "initial_royalties": royalties });
    let collection = scene.collection(settings, AssetBatch::new(0, 100, 100));
    let msg = json!({ "collection_id": collection }).to_string();
    let mut buy = |name: &String| scene.buy("usdc.near", name, 101, &msg);
    buy(&names[0]);
    costs.insert("mint_ft", of(names[1..].iter().map(buy)));
}

/// Claims by accounts that hold nothing yet, of a drop as large as they come.
pub fn claims(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 100, 100));
    let issuer = Issuer::new("issuer");
    let drop = scene.drop(collection, &issuer, 10_000, 1);
    scene.accounts(["relayer.near"]);
    let claims = collectors(0, 64).into_iter().zip((0..).step_by(150));
    let cost = of(claims.map(|(name, number)| {
        let claim = issuer.link(CONTRACT, drop, number).claim(&name);
        scene.call("relayer.near", "nft_claim", claim)
    }));
    costs.insert("claim", cost);
}

pub fn public_mints(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    scene.accounts(["artist.near", "studio.near"]);
    let royalties = json!({ "artist.near": 5000, "studio.near": 1000 });
    let settings = json!({ "public_mint_config": { "mint_fee": NEAR.to_string() }, "initial_royalties": royalties });
    let collection = scene.collection(settings, AssetBatch::new(0, 100, 100));
    scene.accounts(["bob.near"]);
    scene.public_mint("bob.near", collection, NEAR).json();
    let names = collectors(0, 32);
    scene.accounts(names.iter().map(String::as_str));
    costs.insert(
        "public_mint_first",
        of(names
            .iter()
            .map(|name| scene.public_mint(name, collection, NEAR))),
    );
    costs.insert(
        "public_mint_repeat",
        of((0..64).map(|_| scene.public_mint("bob.near", collection, NEAR))),
    );
    let three = || json!({ "quantity": 3 });
    let mint = |_| scene.public_mint_with("bob.near", collection, three(), 3 * NEAR);
    costs.insert("mint_3_quantity", of((0..64).map(mint)));
}

pub fn owners(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 100, 100));
    // Both are measured from the same fill of the page that the token goes into.
    let mut second = scene.clone();
    let names = collectors(0, 32);
    for name in &names {
        second.mint(collection, &[name]).json();
    }
    costs.insert(
        "owner_2nd",
        of(names.iter().map(|name| second.mint(collection, &[name]))),
    );
    for _ in 0..9 {
        scene.mint_many(collection, "alice.near", 100).json();
    }
    scene.mint_many(collection, "alice.near", 84).json();
    costs.insert(
        "owner_1000th",
        of((0..32).map(|_| scene.mint(collection, &["alice.near"]))),
    );
    let mut few = base.clone();
    let collection = few.collection(json!({}), AssetBatch::new(0, 100, 100));
    few.mint_many(collection, "alice.near", 100).json();
    few.accounts(["alice.near"]);
    scene.accounts(["alice.near"]);
    for (name, scene) in [("transfer", &mut few), ("transfer_from_1000", &mut scene)] {
        let sent = collectors(500, 16).into_iter().enumerate();
        let cost =
            of(sent
                .map(|(at, to)| scene.transfer("alice.near", &to, &format!("1:{}", 2 + at * 6))));
        costs.insert(name, cost);
    }
    let approve = json!({ "token_id": "1:90", "account_id": "market.near" });
    costs.insert(
        "approve",
        of([few.pay("alice.near", "nft_approve", approve, NEAR / 100)]),
    );
}

pub fn large(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    let settings = json!({ "title": "Title", "description": "Ten thousand pictures" });
    let args = create_args(&settings, true, AssetBatch::new(0, 10_000, 1));
    costs.insert(
        "finalize_10000",
        of([scene.call_raw(OWNER, "collection_create", args)]),
    );
    let mut add = |first| {
        let accounts = collectors(first, 500);
        scene.sign(
            OWNER,
            "allowlist_add",
            json!({ "collection_id": 1, "account_ids": accounts }),
        )
    };
    costs.insert("allowlist_add_500", of([add(0)]));
    for first in (500..50_000).step_by(500) {
        add(first).json();
    }
    costs.insert("allowlist_add_500_to_50000", of([add(50_000)]));
}

/// Changes of 200 tokens in one call: the first of tokens that had no metadata of their own, and a later one.
pub fn updates(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    let collection = scene.collection(json!({}), AssetBatch::new(0, 10_000, 1));
    for _ in 0..40 {
        scene.mint_many(collection, "alice.near", 100).json();
    }
    for (name, title) in [("update_batch", "Heron"), ("update_batch_again", "Egret")] {
        let mut change = |first: u32| {
            let updates: Vec<Value> = (first + 1..=first + 200)
                .map(|number| {
                    let title = format!("{title} at the weir, number {number}");
                    json!({ "token_id": format!("{collection}:{number}"), "title": title, "media": { "sha256": STANDARD.encode(digest(number)) } })
                })
                .collect();
            let args = json!({ "collection_id": collection, "updates": updates });
            scene.sign(OWNER, "nft_update_batch", args)
        };
        let outcomes: Vec<_> = (0..4_000).step_by(200).map(&mut change).collect();
        costs.insert(name, of(outcomes));
    }
}

/// Burns of tokens of a wallet of several, on full pages and on the one that is being filled.
pub fn burns(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    scene.accounts(["alice.near"]);
    let collection = scene.collection(json!({}), AssetBatch::new(0, 10_000, 1));
    for account in ["alice.near", "bob.near"] {
        scene.mint_many(collection, account, 50).json();
    }
    let burn = |number: u32| {
        let args = json!({ "token_id": format!("{collection}:{number}") });
        scene.sign("alice.near", "nft_burn", args)
    };
    let outcomes: Vec<_> = (1..=40).map(burn).collect();
    costs.insert("burn", of(outcomes));
}

/// The revealing of 10,000 assets in one call.
pub fn reveals(base: &Scene, costs: &mut Costs) {
    let (_, outcome) = reveal_all(&mut base.clone(), 10_000);
    costs.insert("reveal_10000", of([outcome]));
}

/// Creates a collection of hidden assets and reveals them in one call, whose arguments have so many bytes.
pub fn reveal_all(scene: &mut Scene, count: u32) -> (usize, TransactionOutcome) {
    let whole = AssetBatch::new(0, count, 1);
    let batch = AssetBatch {
        copies: vec![],
        ..whole.clone()
    };
    let assets = borsh::to_vec(&batch).expect("borsh writes to memory");
    let salt = [7; 32];
    let digest = Sha256::digest([&Sha256::digest(&assets)[..], &salt].concat());
    let settings = json!({ "title": "Box", "reveal": { "commitment": STANDARD.encode(digest) } });
    let hidden = AssetBatch {
        media: vec![],
        ..whole
    };
    let created = create_args(&settings, true, hidden);
    let collection = scene.call_raw(OWNER, "collection_create", created).json();
    let collection = collection.as_u64().expect("a collection id") as u32;
    let args = [&collection.to_le_bytes()[..], &salt, &assets].concat();
    let bytes = args.len();
    let call = Action::call_raw("collection_reveal", args, 300 * TGAS, 1);
    (bytes, scene.chain.transact(OWNER, CONTRACT, vec![call]))
}

/// Views of a collection of 10,000 assets, each with a reference and a subtitle of 110 characters.
pub fn views(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    let draft = create_args(&json!({ "title": "Title" }), false, AssetBatch::default());
    let collection = scene.call_raw(OWNER, "collection_create", draft).json();
    let collection = collection.as_u64().expect("a collection id") as u32;
    for first in (0..10_000).step_by(2_000) {
        let numbers = first..first + 2_000;
        let batch = AssetBatch {
            subtitles: numbers.clone().map(|n| format!("{n:0>110}")).collect(),
            subtitle_runs: (1..=2_000).map(|index| (1, index)).collect(),
            references: numbers.flat_map(digest).collect(),
            ..AssetBatch::new(first, 2_000, 1)
        };
        let args = add_assets_args(collection, first, batch);
        scene.call_raw(OWNER, "collection_add_assets", args).json();
    }
    let id = json!({ "collection_id": collection });
    scene.call(OWNER, "collection_publish", id).json();
    for _ in 0..10 {
        scene.mint_many(collection, "alice.near", 100).json();
    }
    let mut view = |name, method, asked: Vec<Value>| {
        let count = asked.len() as f64;
        let mut cost = Cost::default();
        for args in asked {
            let args = args.to_string().into_bytes();
            let (_, gas) = scene
                .chain
                .view_raw(CONTRACT, method, args)
                .expect("a view");
            let tgas = gas as f64 / 1e12;
            cost.tgas += tgas / count;
            cost.worst_tgas = cost.worst_tgas.max(tgas);
        }
        cost.with_payments = cost.tgas;
        costs.insert(name, cost);
    };
    let token = |n: u32| json!({ "token_id": format!("{collection}:{}", n * 61 + 1) });
    let page = |n: u32| json!({ "from_index": (n * 117).to_string(), "limit": 50 });
    view(
        "nft_token_of_10000_long",
        "nft_token",
        (0..16).map(token).collect(),
    );
    view(
        "nft_tokens_50_of_10000_long",
        "nft_tokens",
        (0..8).map(page).collect(),
    );
}

/// The example's calls. Mints attach exactly what the token's storage costs, so that nothing is sent back.
pub fn reference() -> (Costs, usize) {
    const EXAMPLE: &str = "example.near";
    let wasm = std::fs::read(workspace("reference/reference.wasm")).expect("the example is built");
    let mut chain = Chain::default();
    for account in [OWNER, "alice.near"] {
        chain.create_account(account, 1_000 * NEAR);
    }
    chain.create_contract(EXAMPLE, 100 * NEAR, &wasm);
    let metadata = json!({ "spec": "nft-1.0.0", "name": "Example", "symbol": "EX" });
    chain
        .call(
            EXAMPLE,
            EXAMPLE,
            "new",
            json!({ "owner_id": OWNER, "metadata": metadata }),
            0,
        )
        .json();
    let mint = |chain: &mut Chain, number: usize, owner: &str| {
        let media = format!(
            "https://mint.example/ipfs/bafkreih5aznjvttude6c3wbvqeebb6rlx5wkbzyppv7garjiubll2ceym{number:04}"
        );
        let metadata = json!({
            "title": format!("Title #{number}"), "media": media, "media_hash": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "copies": 1
        });
        let args = json!({ "token_id": number.to_string(), "token_owner_id": owner, "token_metadata": metadata });
        let tried = chain
            .clone()
            .call(OWNER, EXAMPLE, "nft_mint", args.clone(), NEAR / 10);
        let price = tried.bytes_of(EXAMPLE) as u128 * STORAGE_PRICE;
        chain.call(OWNER, EXAMPLE, "nft_mint", args, price)
    };
    let of = |outcomes: Vec<TransactionOutcome>| mean(EXAMPLE, outcomes);
    let mut costs = Costs::new();
    costs.insert("owner_1st", of(vec![mint(&mut chain, 1, "alice.near")]));
    let second = mint(&mut chain, 2, "alice.near");
    costs.insert("owner_2nd", of(vec![second.clone()]));
    costs.insert("mint_1", of(vec![second]));
    let mut few = chain.clone();
    for number in 3..1_000 {
        mint(&mut chain, number, "alice.near").json();
    }
    costs.insert(
        "owner_1000th",
        of(vec![mint(&mut chain, 1_000, "alice.near")]),
    );
    for (name, chain) in [("transfer", &mut few), ("transfer_from_1000", &mut chain)] {
        let args = json!({ "receiver_id": "collector-00500.near", "token_id": "1" });
        costs.insert(
            name,
            of(vec![chain.call(
                "alice.near",
                EXAMPLE,
                "nft_transfer",
                args,
                1,
            )]),
        );
    }
    let approve = json!({ "token_id": "2", "account_id": "market.near" });
    let price = few
        .clone()
        .call(
            "alice.near",
            EXAMPLE,
            "nft_approve",
            approve.clone(),
            NEAR / 10,
        )
        .bytes_of(EXAMPLE);
    let price = price as u128 * STORAGE_PRICE;
    costs.insert(
        "approve",
        of(vec![few.call(
            "alice.near",
            EXAMPLE,
            "nft_approve",
            approve,
            price,
        )]),
    );
    (costs, wasm.len())
}

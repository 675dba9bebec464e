//! What Mintage's contract costs beside the standards' example: `gas` prints a table, `gas --json` one line of JSON.
//!
//! Gas is that of the whole transaction without receipts that only hand money over: refunds, and payments to the
//! platform, royalty accounts and the owner, which burn 0.223 Tgas each where they arrive. The figures known of other
//! contracts were taken that way. The table gives the sum with payments as well. Bytes are the storage added to the
//! contract. Where a cost depends on how full a page is, it is the mean over as many calls as make a page come round
//! again; the dearest of them is given beside it.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, create_args, wasm, workspace};
use harness::{Chain, NEAR, STORAGE_PRICE, TransactionOutcome};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Mean cost of one call.
#[derive(Clone, Copy, Default)]
struct Cost {
    tgas: f64,
    bytes: f64,
    /// The dearest call of those measured.
    worst_tgas: f64,
    /// With what payments burn at those who get them.
    with_payments: f64,
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
        cost.worst_tgas = cost.worst_tgas.max(tgas);
        count += 1.0;
    }
    Cost {
        tgas: cost.tgas / count,
        bytes: cost.bytes / count,
        with_payments: cost.with_payments / count,
        ..cost
    }
}

fn of(outcomes: impl IntoIterator<Item = TransactionOutcome>) -> Cost {
    mean(CONTRACT, outcomes)
}

/// Names as long as people's own: `collector-0042.near`.
fn collectors(first: usize, count: usize) -> Vec<String> {
    (first..first + count)
        .map(|number| format!("collector-{number:05}.near"))
        .collect()
}

fn as_strs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

type Costs = BTreeMap<&'static str, Cost>;

fn mints(base: &Scene, costs: &mut Costs) {
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
    let again = (0..32).map(|round| new.mint(hundreds, &as_strs(&collectors(round * 25, 25))));
    costs.insert("mint_25_known_receivers", of(again.collect::<Vec<_>>()));
}

fn public_mints(base: &Scene, costs: &mut Costs) {
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
}

fn owners(base: &Scene, costs: &mut Costs) {
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

fn large(base: &Scene, costs: &mut Costs) {
    let mut scene = base.clone();
    let settings = json!({ "title": "Title", "description": "Ten thousand pictures" });
    let args = create_args(&settings, true, AssetBatch::new(0, 10_000, 1));
    costs.insert(
        "finalize_10000",
        of([scene.call_raw(OWNER, "collection_create", args)]),
    );
    let mut add = |first| {
        let accounts = collectors(first, 500);
        scene.call(
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

/// The example's calls. Mints attach exactly what the token's storage costs, so that nothing is sent back.
fn reference() -> (Costs, usize) {
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

/// What is measured, in the table's order: name, what it is, units in a call, bar in Tgas and in bytes a unit.
const ROWS: &[(&str, &str, f64, Option<f64>, Option<f64>)] = &[
    (
        "mint_1",
        "one API mint, repeat receiver",
        1.0,
        Some(2.1),
        Some(20.0),
    ),
    (
        "mint_25_one_receiver",
        "25 to one receiver, 100 assets of 100",
        25.0,
        Some(2.5),
        Some(22.0),
    ),
    (
        "mint_25_of_10000",
        "25 to one receiver, 10,000 single copies",
        25.0,
        Some(2.5),
        Some(22.0),
    ),
    (
        "mint_25_new_receivers",
        "25 to 25 new receivers",
        25.0,
        Some(5.5),
        Some(100.0),
    ),
    (
        "mint_25_known_receivers",
        "25 to 25 who hold already",
        25.0,
        Some(7.6),
        Some(36.0),
    ),
    (
        "public_mint_first",
        "public mint, fee split, the account's first",
        1.0,
        Some(3.2),
        Some(110.0),
    ),
    (
        "public_mint_repeat",
        "public mint, fee split, a later one",
        1.0,
        Some(3.2),
        Some(20.0),
    ),
    ("owner_2nd", "an owner's 2nd token", 1.0, None, None),
    (
        "owner_1000th",
        "an owner's 1000th token (bar: the 2nd + 5%)",
        1.0,
        None,
        None,
    ),
    (
        "transfer",
        "transfer to a new owner",
        1.0,
        Some(2.2),
        Some(90.0),
    ),
    (
        "transfer_from_1000",
        "the same out of a wallet of 1,000",
        1.0,
        Some(2.45),
        Some(90.0),
    ),
    ("approve", "approval of a market", 1.0, None, None),
    (
        "allowlist_add_500",
        "500 accounts on an empty allowlist",
        500.0,
        Some(12.0),
        Some(24.0),
    ),
    (
        "allowlist_add_500_to_50000",
        "500 accounts on one of 50,000",
        500.0,
        Some(100.0),
        Some(24.0),
    ),
    (
        "finalize_10000",
        "10,000 assets with hashes",
        10_000.0,
        Some(42.0),
        Some(36.0),
    ),
];
const WASM_BAR: usize = 190_000;

fn table(ours: &Costs, theirs: &Costs, size: usize, their_size: usize) {
    let bar = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value}"));
    println!(
        "{:<46}{:>9}{:>8}{:>7}{:>9}{:>7}   {:>8}{:>8}",
        "", "Tgas", "dearest", "bar", "bytes", "bar", "example", "bytes"
    );
    let mut missed = vec![];
    for &(name, what, units, tgas_bar, bytes_bar) in ROWS {
        let cost = ours[name];
        let tgas_bar = if name == "owner_1000th" {
            Some((ours["owner_2nd"].tgas * 105.0).round() / 100.0)
        } else {
            tgas_bar
        };
        let each = cost.bytes / units;
        let (their_tgas, their_bytes) = theirs.get(name).map_or_else(Default::default, |cost| {
            (format!("{:.2}", cost.tgas), format!("{:.0}", cost.bytes))
        });
        println!(
            "{what:<46}{:>9.3}{:>8.2}{:>7}{:>9.1}{:>7}   {their_tgas:>8}{their_bytes:>8}",
            cost.tgas,
            cost.worst_tgas,
            bar(tgas_bar),
            each,
            bar(bytes_bar)
        );
        if tgas_bar.is_some_and(|bar| cost.tgas > bar) || bytes_bar.is_some_and(|bar| each > bar) {
            missed.push(name);
        }
    }
    println!(
        "{:<46}{:>9}{:>15}{:>26}",
        "wasm, bytes", size, WASM_BAR, their_size
    );
    if size > WASM_BAR {
        missed.push("wasm_bytes");
    }
    println!(
        "\nTgas: the whole transaction without receipts that only hand money over (refunds, payments)."
    );
    for name in ["public_mint_first", "public_mint_repeat"] {
        println!(
            "With its four payments received, {name} burns {:.3} Tgas.",
            ours[name].with_payments
        );
    }
    println!("Bytes: storage added, a token, account or asset.");
    match missed.as_slice() {
        [] => println!("Every bar is reached."),
        missed => println!("Bars not reached: {}.", missed.join(", ")),
    }
}

fn as_json(costs: &Costs) -> Map<String, Value> {
    let round = |value: f64, digits: i32| (value * 10f64.powi(digits)).round() / 10f64.powi(digits);
    let entry = |(name, cost): (&&str, &Cost)| {
        let mut figures = json!({ "tgas": round(cost.tgas, 4), "bytes": round(cost.bytes, 2) });
        if cost.with_payments - cost.tgas > 1e-6 {
            figures["tgas_with_payments"] = json!(round(cost.with_payments, 4));
        }
        (name.to_string(), figures)
    };
    costs.iter().map(entry).collect()
}

fn main() {
    let code = wasm();
    let base = Scene::new(&code, 1_000 * NEAR);
    let mut ours = Costs::new();
    mints(&base, &mut ours);
    public_mints(&base, &mut ours);
    owners(&base, &mut ours);
    large(&base, &mut ours);
    let (theirs, their_size) = reference();
    if std::env::args().any(|argument| argument == "--json") {
        let mut line = as_json(&ours);
        let mut reference = as_json(&theirs);
        reference.insert("wasm_bytes".into(), json!(their_size));
        line.insert("reference".into(), Value::Object(reference));
        line.insert("wasm_bytes".into(), json!(code.len()));
        println!("{}", Value::Object(line));
    } else {
        table(&ours, &theirs, code.len(), their_size);
    }
}

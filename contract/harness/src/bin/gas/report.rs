//! The table with its bars, the line of JSON, and where the gas of a call goes.

use crate::measure::{Cost, Costs};
use serde_json::{Map, Value, json};

/// Name, what it is, units in a call, bar in Tgas and in bytes a unit.
type Row = (&'static str, &'static str, f64, Option<f64>, Option<f64>);

/// What is measured, in the table's order.
const ROWS: &[Row] = &[
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
        "mint_25_known_receivers_one_call_each_quantity",
        "25 to 25 who hold already, quantities",
        25.0,
        Some(7.6),
        Some(36.0),
    ),
    (
        "mint_25_known_receivers_25_orders",
        "25 to 25 who hold already, 25 orders",
        25.0,
        None,
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
    (
        "mint_3_quantity",
        "3 by one public mint, fee split",
        3.0,
        Some(3.4),
        Some(20.0),
    ),
    (
        "claim",
        "claim of a new account, of 10,000 links",
        1.0,
        Some(3.2),
        Some(120.0),
    ),
    (
        "voucher",
        "paid voucher for a new account, of 10,000",
        1.0,
        Some(4.0),
        Some(120.0),
    ),
    (
        "mint_ft",
        "mint for a token, all receipts, the first",
        1.0,
        Some(12.0),
        Some(110.0),
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
        Some(105.0),
        Some(24.0),
    ),
    (
        "finalize_10000",
        "10,000 assets with hashes",
        10_000.0,
        Some(42.0),
        Some(36.0),
    ),
    ("burn", "burn", 1.0, Some(2.2), None),
    (
        "update_batch",
        "200 tokens changed by one call, the first",
        200.0,
        Some(35.0),
        None,
    ),
    (
        "update_batch_again",
        "200 tokens changed by one call, again",
        200.0,
        Some(52.0),
        None,
    ),
    (
        "reveal_10000",
        "10,000 hidden assets revealed",
        10_000.0,
        Some(48.0),
        None,
    ),
    (
        "nft_token_of_10000_long",
        "view: nft_token of 10,000, long subtitles",
        1.0,
        Some(5.0),
        None,
    ),
    (
        "nft_tokens_50_of_10000_long",
        "view: nft_tokens, 50 of them",
        50.0,
        Some(30.0),
        None,
    ),
];
const WASM_BAR: usize = 210_000;

/// A row's bar in Tgas; that of an owner's 1,000th token depends on what the 2nd costs.
fn tgas_bar(&(name, _, _, bar, _): &Row, ours: &Costs) -> Option<f64> {
    if name == "owner_1000th" {
        return Some((ours["owner_2nd"].tgas * 105.0).round() / 100.0);
    }
    bar
}

/// The bars that are missed, by their rows' names.
fn missed(ours: &Costs, size: usize) -> Vec<&'static str> {
    let above = |value: f64, bar: Option<f64>| bar.is_some_and(|bar| value > bar);
    let rows = ROWS.iter().filter(|row| {
        let &&(name, _, units, _, bytes_bar) = row;
        let cost = &ours[name];
        above(cost.tgas, tgas_bar(row, ours)) || above(cost.bytes / units, bytes_bar)
    });
    let code = (size > WASM_BAR).then_some("wasm_bytes");
    rows.map(|row| row.0).chain(code).collect()
}

pub fn table(ours: &Costs, theirs: &Costs, size: usize, their_size: usize) -> bool {
    let bar = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value}"));
    println!(
        "{:<46}{:>9}{:>8}{:>7}{:>9}{:>7}   {:>8}{:>8}",
        "", "Tgas", "dearest", "bar", "bytes", "bar", "example", "bytes"
    );
    for row in ROWS {
        let &(name, what, units, _, bytes_bar) = row;
        let cost = &ours[name];
        let each = cost.bytes / units;
        let (their_tgas, their_bytes) = theirs.get(name).map_or_else(Default::default, |cost| {
            (format!("{:.2}", cost.tgas), format!("{:.0}", cost.bytes))
        });
        println!(
            "{what:<46}{:>9.3}{:>8.2}{:>7}{:>9.1}{:>7}   {their_tgas:>8}{their_bytes:>8}",
            cost.tgas,
            cost.worst_tgas,
            bar(tgas_bar(row, ours)),
            each,
            bar(bytes_bar)
        );
    }
    println!(
        "{:<46}{:>9}{:>15}{:>26}",
        "wasm, bytes", size, WASM_BAR, their_size
    );
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
    let missed = missed(ours, size);
    match missed.as_slice() {
        [] => println!("Every bar is reached."),
        missed => println!("Bars not reached: {}.", missed.join(", ")),
    }
    missed.is_empty()
}

pub fn as_json(costs: &Costs) -> Map<String, Value> {
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

/// Where the gas of one measured call goes, the largest first; what is missing to the sum are fees.
pub fn profile(name: &str, ours: &Costs) {
    let cost = ours
        .get(name)
        .unwrap_or_else(|| panic!("{name} is not measured"));
    let mut parts: Vec<_> = cost.profile.iter().collect();
    parts.sort_by(|a, b| b.1.total_cmp(a.1));
    println!("{name}: {:.3} Tgas", cost.tgas);
    for (what, tgas) in parts {
        println!("  {what:<32}{tgas:>9.4}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_above_a_bar_is_missed() {
        let mut ours = Costs::new();
        for &(name, _, units, tgas, bytes) in ROWS {
            let (tgas, bytes) = (tgas.unwrap_or(1.0), bytes.unwrap_or(0.0) * units);
            ours.insert(
                name,
                Cost {
                    tgas,
                    bytes,
                    ..Cost::default()
                },
            );
        }
        assert_eq!(missed(&ours, WASM_BAR), Vec::<&str>::new());
        ours.get_mut("claim").unwrap().tgas += 0.001;
        ours.get_mut("transfer").unwrap().bytes += 1.0;
        ours.get_mut("owner_1000th").unwrap().tgas += 1.0;
        let names = ["claim", "owner_1000th", "transfer", "wasm_bytes"];
        assert_eq!(missed(&ours, WASM_BAR + 1), names);
    }
}

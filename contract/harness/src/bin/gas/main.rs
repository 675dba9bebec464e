//! What Mintage's contract costs beside the standards' example: `gas` prints a table, `gas --json` one line of JSON,
//! `gas --profile NAME` where the gas of one of the calls goes, and `gas --means` the mean gas of the service's calls.
//! With `--check` a bar that is missed is an error.
//!
//! Gas is that of the whole transaction without receipts that only hand money over: refunds, and payments to the
//! platform, royalty accounts and the owner, which burn 0.223 Tgas each where they arrive. The figures known of other
//! contracts were taken that way. The table gives the sum with payments as well. Bytes are the storage added to the
//! contract. Where a cost depends on how full a page is, it is the mean over as many calls as make a page come round
//! again; the dearest of them is given beside it.

mod means;
mod measure;
mod report;

use harness::NEAR;
use harness::mintage::{Scene, wasm};
use serde_json::{Value, json};

fn main() {
    let code = wasm();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--means") {
        println!("{}", means::means(&code));
        return;
    }
    let base = Scene::new(&code, 1_000 * NEAR);
    let mut ours = measure::Costs::new();
    measure::mints(&base, &mut ours);
    measure::public_mints(&base, &mut ours);
    measure::claims(&base, &mut ours);
    measure::vouchers(&base, &mut ours);
    measure::token_mints(&base, &mut ours);
    measure::owners(&base, &mut ours);
    measure::large(&base, &mut ours);
    measure::burns(&base, &mut ours);
    measure::updates(&base, &mut ours);
    measure::reveals(&base, &mut ours);
    measure::views(&base, &mut ours);
    let (theirs, their_size) = measure::reference();
    let of_what = arguments
        .iter()
        .position(|argument| argument == "--profile");
    if let Some(name) = of_what.and_then(|at| arguments.get(at + 1)) {
        report::profile(name, &ours);
    } else if arguments.iter().any(|argument| argument == "--json") {
        let mut line = report::as_json(&ours);
        let mut reference = report::as_json(&theirs);
        reference.insert("wasm_bytes".into(), json!(their_size));
        line.insert("reference".into(), Value::Object(reference));
        line.insert("wasm_bytes".into(), json!(code.len()));
        println!("{}", Value::Object(line));
    } else {
        let reached = report::table(&ours, &theirs, code.len(), their_size);
        if !reached && arguments.iter().any(|argument| argument == "--check") {
            std::process::exit(1);
        }
    }
}

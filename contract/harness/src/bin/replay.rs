//! Repeats the calls that the conformance suite made over RPC, and prints the gas of those it compares, as JSON.
//!
//! `CHAIN_TEST_TRACE=trace.json npm run test:chain -- mintage` writes the calls down; `replay trace.json` makes
//! `test/chain/gas.json` of them. Accounts have the same names here, so that their keys' lengths count the same.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use harness::mintage::wasm;
use harness::{Action, Chain, NEAR, TGAS};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field]
        .as_str()
        .unwrap_or_else(|| panic!("a line of the trace has no {field}"))
}

fn main() {
    let path = std::env::args().nth(1).expect("usage: replay trace.json");
    let trace = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let trace: Vec<Value> = serde_json::from_str(&trace).expect("the trace is JSON");
    let (scene, calls) = trace
        .split_first()
        .expect("the trace begins with its accounts");
    let wasm = wasm();

    let mut chain = Chain::default();
    let contract = text(scene, "contract");
    chain.create_account("funder.test", 1_000_000 * NEAR);
    chain.create_contract(contract, 20 * NEAR, &wasm);
    for account in scene["accounts"].as_array().expect("accounts are a list") {
        chain.create_account(account.as_str().expect("an account id"), 10 * NEAR);
    }

    let mut gas = Map::new();
    let digest: String = Sha256::digest(&wasm)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    gas.insert("wasm_sha256".into(), digest.into());
    for call in calls {
        let args = STANDARD
            .decode(text(call, "args"))
            .expect("arguments are base64");
        let deposit = text(call, "deposit")
            .parse()
            .expect("a deposit is a number");
        let action = Action::call_raw(text(call, "method"), args, 150 * TGAS, deposit);
        let outcome = chain.transact(text(call, "by"), contract, vec![action]);
        if let Some(name) = call["gas"].as_str() {
            gas.insert(name.into(), outcome.receipts[0].gas.into());
        }
    }
    println!(
        "{}",
        serde_json::to_string_pretty(&Value::Object(gas)).expect("a map is JSON")
    );
}

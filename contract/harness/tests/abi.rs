//! `abi.json` says of every method of the wasm which arguments it takes, and of every view what it answers.

use harness::claims::Issuer;
use harness::mintage::{
    ADMIN, AssetBatch, CONTRACT, OWNER, PLATFORM, Scene, create_args, wasm, workspace,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use wasmparser::{ExternalKind, Parser, Payload};

fn abi() -> Value {
    let text = std::fs::read_to_string(workspace("abi.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn functions(abi: &Value) -> &Vec<Value> {
    abi["body"]["functions"].as_array().unwrap()
}

/// A value that the argument of this name takes.
fn example(name: &str) -> Value {
    match name {
        "collection_id" | "limit" | "approval_id" | "drop_id" | "links" | "quantity" => json!(1),
        "currency" => json!("usdc.near"),
        "link" | "nonce" => json!(0),
        "price" | "amount" => json!("0"),
        "msg" => json!("{\"collection_id\":1}"),
        "expires_at_ms" => json!(1_900_000_000_000u64),
        "issuer_public_key" | "link_public_key" => json!(Issuer::new("issuer").public_key()),
        "certificate" | "signature" => json!([&"A".repeat(86), "=="].concat()),
        "token_id" => json!("1:1"),
        "receiver_ids" | "account_ids" => json!(["bob.near"]),
        "token_ids" => json!(["1:1"]),
        "updates" => json!([{ "token_id": "1:1", "title": "x" }]),
        "balance" => json!("10"),
        "metadata" => json!({ "spec": "nft-1.0.0", "name": "N", "symbol": "S" }),
        "code_hash" => json!("11111111111111111111111111111111"),
        _ if name.ends_with("_id") => json!("bob.near"),
        _ => Value::Null,
    }
}

#[test]
fn every_method_is_in_the_abi_and_no_other() {
    let abi = abi();
    assert_eq!(
        abi["metadata"]["version"],
        Scene::default().view("contract_version", json!({}))["version"]
    );
    let named: BTreeSet<String> = functions(&abi)
        .iter()
        .map(|function| function["name"].as_str().unwrap().to_owned())
        .collect();
    let wasm = wasm();
    let mut exported = BTreeSet::new();
    for payload in Parser::new(0).parse_all(&wasm) {
        let Payload::ExportSection(section) = payload.unwrap() else {
            continue;
        };
        for export in section {
            let export = export.unwrap();
            if export.kind == ExternalKind::Func {
                exported.insert(export.name.to_owned());
            }
        }
    }
    assert_eq!(named, exported);
}

/// Each argument in JSON is read: with a value that no argument takes, the method refuses and names it.
#[test]
fn every_argument_of_the_abi_is_read() {
    let mut base = Scene::default();
    base.accounts(["alice.near", "bob.near"]);
    base.collection(
        json!({ "public_mint_config": { "mint_fee": "0" } }),
        AssetBatch::new(0, 3, 10),
    );
    let draft = json!({ "title": "Draft" });
    let draft = create_args(&draft, false, AssetBatch::new(0, 3, 1));
    base.call_raw(OWNER, "collection_create", draft).json();
    base.mint(1, &["alice.near"]).json();
    base.drop(1, &Issuer::new("issuer"), 1, 1);
    let mut read = 0;
    for function in functions(&abi()) {
        let (name, params) = (function["name"].as_str().unwrap(), &function["params"]);
        // A contract is initialised once.
        if params["serialization_type"] != "json" || name == "new" {
            continue;
        }
        let names: Vec<&str> = params["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|arg| arg["name"].as_str().unwrap())
            .collect();
        for wrong in &names {
            let mut args: Map<String, Value> = names
                .iter()
                .map(|name| (name.to_string(), example(name)))
                .filter(|(_, value)| !value.is_null())
                .collect();
            // A mint's metadata are other than a contract's, and orders stand by themselves.
            if name == "nft_batch_mint" {
                args.remove("metadata");
                if *wrong == "mints" {
                    args.remove("receiver_ids");
                }
            }
            args.insert(wrong.to_string(), json!([[]]));
            let callers = [OWNER, PLATFORM, CONTRACT, "alice.near", ADMIN];
            let said: Vec<String> = callers
                .into_iter()
                .flat_map(|caller| [(caller, 0), (caller, 1)])
                .map(|(caller, deposit)| {
                    let mut scene = base.clone();
                    let outcome = scene.pay(caller, name, Value::Object(args.clone()), deposit);
                    if outcome.succeeded() {
                        return "succeeded".to_owned();
                    }
                    outcome.failure().panic().unwrap_or_default().to_owned()
                })
                .collect();
            let expected = format!("E_INVALID_ARGUMENT: {wrong} has to be ");
            assert!(
                said.iter().any(|text| text.contains(&expected)),
                "{name} does not read {wrong}: {said:#?}"
            );
            read += 1;
        }
    }
    assert!(read > 80, "{read} arguments");
}

/// The objects that views show have the fields that the ABI gives them, all of them and no other.
#[test]
fn views_show_what_the_abi_says() {
    let abi = abi();
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    let phases = json!([{ "mint_fee": "0" }]);
    let settings = json!({ "phases": phases, "public_mint_config": phases[0] });
    scene.collection(settings, AssetBatch::new(0, 3, 10));
    scene.mint(1, &["alice.near"]).json();
    let asked = json!({ "collection_id": 1, "account_id": "alice.near" });
    let token = scene.token("1:1");
    let drop = scene.drop(1, &Issuer::new("issuer"), 9, 1);
    let link = json!({ "drop_id": drop, "link": 0 });
    let balance = json!({ "token_id": "1:1", "balance": "10" });
    let eligibility = scene.view("mint_eligibility", asked);
    let collection = scene.view("collection", json!({ "collection_id": 1 }));
    for (definition, shown) in [
        ("Token", token.clone()),
        ("TokenMetadata", token["metadata"].clone()),
        ("CollectionView", collection.clone()),
        (
            "Asset",
            scene.view("collection_assets", json!({ "collection_id": 1 }))[0].clone(),
        ),
        ("Eligibility", eligibility.clone()),
        ("PhaseEligibility", eligibility["phases"][0].clone()),
        ("MintConfigView", collection["public_mint_config"].clone()),
        ("PhaseView", collection["phases"][0].clone()),
        ("Drop", scene.view("drop", json!({ "drop_id": drop }))),
        ("ClaimEligibility", scene.view("claim_eligibility", link)),
        ("Roles", scene.view("contract_roles", json!({}))),
        ("Balance", scene.view("contract_balance", json!({}))),
        ("Payout", scene.view("nft_payout", balance)),
        ("ContractMetadata", scene.view("nft_metadata", json!({}))),
    ] {
        let known = &abi["body"]["root_schema"]["definitions"][definition]["properties"];
        let names = |object: &Value| -> BTreeSet<String> {
            object.as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(names(&shown), names(known), "{definition}");
    }
}

//! Input meant to break the contract: it is refused or taken, and everything works afterwards.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene};
use harness::{Action, NEAR, TGAS};
use serde_json::{Value, json};

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near"]);
    scene.collection(
        json!({ "public_mint_config": { "mint_fee": "0" } }),
        AssetBatch::new(0, 2, 200),
    );
    scene.mint_many(1, "alice.near", 3).json();
    scene
}

/// The contract still does what it is for.
fn assert_works(scene: &mut Scene) {
    let supply: u64 = scene
        .view("nft_total_supply", json!({}))
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(scene.public_mint("alice.near", 1, 0).succeeded());
    scene.mint(1, &["bob.near"]).json();
    let token = scene.view(
        "nft_tokens_for_owner",
        json!({ "account_id": "alice.near" }),
    )[0]["token_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(scene.transfer("alice.near", "bob.near", &token).succeeded());
    assert!(scene.transfer("bob.near", "alice.near", &token).succeeded());
    assert_eq!(
        scene.view("nft_total_supply", json!({})),
        json!((supply + 2).to_string())
    );
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// Every method that changes something.
const METHODS: [&str; 29] = [
    "new",
    "collection_create",
    "collection_add_assets",
    "collection_publish",
    "collection_update",
    "nft_batch_mint",
    "nft_mint",
    "nft_update",
    "nft_update_batch",
    "allowlist_add",
    "allowlist_remove",
    "allowlist_clear",
    "withdraw",
    "admin_add",
    "admin_remove",
    "platform_set",
    "upgrade",
    "upgrade_check",
    "migrate",
    "nft_transfer",
    "nft_transfer_call",
    "nft_resolve_transfer",
    "nft_approve",
    "nft_revoke",
    "nft_revoke_all",
    "nft_transfer_payout",
    "owner_propose",
    "owner_accept",
    "contract_metadata_update",
];

/// Arguments that are no arguments.
fn nonsense() -> Vec<Vec<u8>> {
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    [
        "",
        "null",
        "[]",
        "1",
        "\"\"",
        "{",
        "{}",
        "{\"collection_id\":-1}",
        "{\"collection_id\":1e3}",
        "{\"collection_id\":\"1\"}",
        "{\"token_id\":1}",
        "{\"token_id\":{}}",
        "{\"account_ids\":[1]}",
        "{\"collection_id\":1,\"updates\":[[]]}",
        "{\"account_ids\":{}}",
        "{\"collection_id\":4294967296}",
        "{\"from_index\":-1}",
        "{\"from_index\":\"-1\"}",
        "{\"limit\":\"x\"}",
        "{\"limit\":0}",
        "{\"balance\":5}",
        "{\"approval_id\":-1}",
        &deep,
        &format!("{{\"token_id\":{deep}}}"),
        &format!("{{\"memo\":\"{}\"}}", "x".repeat(100_000)),
    ]
    .map(|text| text.as_bytes().to_vec())
    .into_iter()
    .chain([
        vec![0xff; 64],
        vec![0; 64],
        b"{\"token_id\":\"\xff\"}".to_vec(),
    ])
    .collect()
}

/// Every method with arguments that are no arguments.
#[test]
fn nonsense_is_refused_without_a_trace() {
    let mut scene = scene();
    let inputs = nonsense();
    let records = scene.chain.records(CONTRACT);
    for method in METHODS {
        for input in &inputs {
            for deposit in [0, 1] {
                let actions = vec![Action::call_raw(method, input.clone(), 300 * TGAS, deposit)];
                let outcome = scene.chain.transact("bob.near", CONTRACT, actions);
                let what = String::from_utf8_lossy(&input[..input.len().min(60)]).into_owned();
                let failure = outcome
                    .result()
                    .err()
                    .unwrap_or_else(|| panic!("{method} takes {what} with {deposit}"));
                assert!(
                    failure.code().is_some_and(|code| code.starts_with("E_")),
                    "{method} with {what}: {failure:?}"
                );
                assert!(
                    !failure.panic().unwrap().starts_with("E_INTERNAL"),
                    "{method} with {what}: {failure:?}"
                );
            }
        }
    }
    assert_eq!(scene.chain.records(CONTRACT), records);
    assert_works(&mut scene);
}

/// The same from those who may: what is not refused by their role is refused by its code, or was no nonsense.
#[test]
fn nonsense_of_the_owner_breaks_nothing() {
    let mut scene = scene();
    let account = |id: &str| json!({ "account_id": id }).to_string().into_bytes();
    let inputs: Vec<Vec<u8>> = nonsense()
        .into_iter()
        .chain([account("\u{0}"), account("a..b"), account(OWNER)])
        .collect();
    for method in METHODS {
        for input in &inputs {
            for deposit in [0, 1] {
                let signer = if scene.view("contract_roles", json!({}))["owner_id"] == OWNER {
                    OWNER
                } else {
                    panic!("the owner changed")
                };
                let call = Action::call_raw(method, input.clone(), 300 * TGAS, deposit);
                let outcome = scene.chain.transact(signer, CONTRACT, vec![call]);
                if let Err(failure) = outcome.result() {
                    let what = String::from_utf8_lossy(&input[..input.len().min(60)]);
                    let code = failure.code().unwrap_or_default();
                    assert!(
                        code.starts_with("E_") && code != "E_INTERNAL",
                        "{method} with {what}: {failure:?}"
                    );
                }
            }
        }
    }
    assert!(
        scene
            .chain
            .transact("bob.near", CONTRACT, vec![Action::Transfer(10 * NEAR)])
            .succeeded()
    );
    assert_works(&mut scene);
}

/// Views with the same nonsense panic or answer, by their codes.
#[test]
fn views_refuse_nonsense_by_code() {
    let scene = scene();
    let views = [
        "nft_token",
        "nft_tokens",
        "nft_tokens_for_owner",
        "nft_supply_for_owner",
        "nft_is_approved",
        "nft_payout",
        "nft_tokens_by_ids",
        "collection",
        "collections",
        "collection_assets",
        "collection_tokens",
        "is_allowlisted",
        "mint_eligibility",
    ];
    let inputs = [
        "",
        "[]",
        "null",
        "{\"token_id\":\"\u{1f600}\"}",
        "{\"account_id\":\"\\u0000\"}",
        "{\"limit\":-5}",
        "{\"from_index\":\"abc\"}",
        "{\"limit\":0}",
        "{\"collection_id\":99999}",
        "{\"from_index\":\"18446744073709551615\",\"limit\":18446744073709551615}",
    ];
    for view in views {
        for input in inputs {
            if let Err(failure) = scene
                .chain
                .view_raw(CONTRACT, view, input.as_bytes().to_vec())
            {
                assert!(failure.code().is_some(), "{view} with {input}: {failure:?}");
            }
        }
    }
}

#[test]
fn text_of_every_kind_comes_back_as_it_went_in() {
    let mut scene = Scene::default();
    let nasty = "quote \" backslash \\ newline \n tab \t null \u{0} delete \u{7f} emoji \u{1f600} rtl \u{202e} sep \u{2028} $TOKEN $";
    let assets = AssetBatch {
        subtitles: vec![nasty.into()],
        subtitle_runs: vec![(1, 1)],
        ..AssetBatch::new(0, 1, 9)
    };
    scene.collection(
        json!({ "title": format!("T{nasty}"), "description": nasty }),
        assets,
    );
    scene.mint(1, &["alice.near"]).json();
    let token = scene.token("1:1");
    let title = token["metadata"]["title"].as_str().unwrap();
    assert!(
        title.starts_with(&format!("T{}", nasty.trim_end())) && title.ends_with(nasty),
        "{title:?}"
    );
    assert_eq!(token["metadata"]["description"], nasty);
    assert_eq!(
        scene.view("collection", json!({ "collection_id": 1 }))["description"],
        nasty
    );
    scene.accounts(["alice.near"]);
    let outcome = scene.sign(
        "alice.near",
        "nft_transfer",
        json!({ "receiver_id": "bob.near", "token_id": "1:1", "memo": nasty }),
    );
    assert_eq!(outcome.events()[0]["data"][0]["memo"], nasty);
    let metadata = json!({ "token_id": "1:1", "title": nasty, "subtitle": nasty, "description": nasty, "extra": nasty });
    scene.sign(OWNER, "nft_update", metadata).json();
    assert_eq!(scene.token("1:1")["metadata"]["extra"], nasty);
}

#[test]
fn long_texts_are_refused_or_carried() {
    let mut scene = scene();
    for length in [1_000, 10_000, 16_000, 17_000, 1_000_000] {
        let long = "x".repeat(length);
        let transfer = json!({ "receiver_id": "bob.near", "token_id": "1:1", "memo": long });
        let outcome = scene.sign("alice.near", "nft_transfer", transfer);
        if outcome.succeeded() {
            assert!(scene.transfer("bob.near", "alice.near", "1:1").succeeded());
        }
        assert_eq!(scene.owner_of("1:1"), "alice.near");
        let call = json!({ "receiver_id": "bob.near", "token_id": "1:1", "msg": long });
        assert_eq!(
            scene.sign("alice.near", "nft_transfer_call", call).json(),
            json!(false),
            "{length}"
        );
        assert_eq!(scene.owner_of("1:1"), "alice.near");
        for field in ["title", "subtitle", "description", "extra"] {
            let outcome = scene.sign(
                OWNER,
                "nft_update",
                json!({ "token_id": "1:2", field: long }),
            );
            assert!(
                outcome.succeeded()
                    || outcome.code() == "E_INVALID_ARGUMENT"
                    || outcome.code() == "E_STORAGE_BALANCE",
                "{field} {}",
                outcome.code()
            );
        }
        let shown = scene
            .chain
            .view_raw(CONTRACT, "nft_token", b"{\"token_id\":\"1:2\"}".to_vec());
        assert!(shown.is_ok());
    }
    assert_works(&mut scene);
}

#[test]
fn long_lists_of_accounts_are_refused_or_carried() {
    for count in [100, 500, 2_000, 10_000] {
        let mut scene = scene();
        let list: Vec<String> = (0..count)
            .map(|n| format!("{n:0>8}{}.near", "x".repeat(51)))
            .collect();
        for field in [
            "bypass_mint_fee_accounts",
            "approvals_allowed_accounts",
            "approvals_denied_accounts",
            "transfers_denied_accounts",
        ] {
            let outcome = scene.sign(
                OWNER,
                "collection_update",
                json!({ "collection_id": 1, field: list }),
            );
            let refused = ["E_TOO_MANY", "E_INVALID_ARGUMENT", "E_STORAGE_BALANCE"]
                .contains(&outcome.code().as_str());
            let too_large = refused || outcome.result().is_err_and(|failure| failure.out_of_gas());
            assert!(
                outcome.succeeded() || too_large && count > 500,
                "{count} in {field}: {}",
                outcome.code()
            );
        }
        let outcome = scene.public_mint("alice.near", 1, 0);
        assert!(outcome.succeeded(), "{count}: {:?}", outcome.failure());
        let cleared = json!({
            "collection_id": 1, "bypass_mint_fee_accounts": null, "approvals_allowed_accounts": null,
            "approvals_denied_accounts": null, "transfers_denied_accounts": null
        });
        assert!(
            scene.sign(OWNER, "collection_update", cleared).succeeded(),
            "{count}: lists can always be cleared"
        );
        assert_works(&mut scene);
    }
}

/// A collection of thousands can change its title, whatever events that means.
#[test]
fn a_large_collection_can_be_updated() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    scene.collection(json!({}), AssetBatch::new(0, 1, 20_000));
    for round in 0..60 {
        scene.mint_many(1, &format!("c{round}.near"), 100).json();
    }
    let outcome = scene.sign(
        OWNER,
        "collection_update",
        json!({ "collection_id": 1, "title": "Other" }),
    );
    assert!(outcome.succeeded(), "{:?}", outcome.failure());
    assert!(outcome.gas < 300 * TGAS);
    assert!(
        outcome
            .events()
            .iter()
            .all(|event| event["standard"] == "nep171")
    );
    assert_eq!(scene.token("1:5999")["metadata"]["title"], "Other");
}

#[test]
fn the_longest_receivers_fit_one_mint() {
    let mut scene = scene();
    let receivers: Vec<String> = (0..100)
        .map(|n| format!("{n:0>8}{}.near", "x".repeat(51)))
        .collect();
    let outcome = scene.call(
        OWNER,
        "nft_batch_mint",
        json!({ "collection_id": 1, "receiver_ids": receivers }),
    );
    assert_eq!(outcome.json().as_array().unwrap().len(), 100);
    assert_eq!(
        outcome
            .events()
            .iter()
            .filter(|event| event["event"] == "nft_mint")
            .map(|event| event["data"].as_array().unwrap().len())
            .sum::<usize>(),
        100
    );
    assert_works(&mut scene);
}

/// Ids that collide with the contract's own account, the null-like and the implicit: all are owners like any other.
#[test]
fn unusual_owners_hold_tokens() {
    let mut scene = scene();
    let owners = [
        CONTRACT,
        "system",
        "near",
        "aa",
        "0x85f17cf997934a597031b2e18a9ab6ebd4b9f6a4",
        &"f".repeat(64),
        &"9".repeat(64),
        &"x".repeat(64),
    ];
    for owner in owners {
        let minted = scene.mint(1, &[owner]);
        assert!(minted.succeeded(), "{owner}: {}", minted.code());
        let token = minted.json()[0].as_str().unwrap().to_owned();
        assert_eq!(scene.owner_of(&token), owner);
        let held = scene.view("nft_tokens_for_owner", json!({ "account_id": owner }));
        assert_eq!(held[0]["token_id"], json!(token));
    }
    assert_works(&mut scene);
}

#[test]
fn unknown_fields_of_standard_calls_do_no_harm() {
    let mut scene = scene();
    let args = json!({ "receiver_id": "bob.near", "token_id": "1:1", "approval_id": null, "memo": null, "enforce_approval_id": 5 });
    let outcome = scene.sign("alice.near", "nft_transfer", args);
    assert!(
        outcome.succeeded(),
        "older wallets send fields of drafts: {:?}",
        outcome.failure()
    );
    let view: Value = scene.view("nft_token", json!({ "token_id": "1:1", "extra": 1 }));
    assert_eq!(view["owner_id"], "bob.near");
}

/// Shapes of JSON that take the most gas for their bytes, of about so many bytes.
fn dear(bytes: usize) -> Vec<(&'static str, String)> {
    let object = |length: usize| {
        let fields = (0..128).map(|n| format!("\"{}{n:03}\":1", "x".repeat(length)));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    };
    let list = |item: &str| format!("[{}]", vec![item; bytes / (item.len() + 1)].join(","));
    let deep = list(&format!("{}1{}", "[".repeat(5), "]".repeat(5)));
    let metadata = format!("{{\"title\":\"a\",\"extra\":\"{}\"}}", "\\n".repeat(8_000));
    let values = [
        ("objects of 128 short names", list(&object(0))),
        ("objects of 128 long names", list(&object(60))),
        ("an object of 128 longest names", object(bytes / 128 - 9)),
        ("empty objects", list("{}")),
        ("objects of one field", list("{\"a\":1}")),
        ("orders", list("{\"receiver_ids\":[\"aa\"]}")),
        (
            "orders with metadata",
            list(&format!("{{\"receiver_ids\":[],\"metadata\":{metadata}}}")),
        ),
        ("lists within lists", deep),
        ("empty lists", list("[]")),
        ("ids", list("\"aa\"")),
        ("long ids", list(&format!("\"{}\"", "a".repeat(64)))),
        ("numbers", list("1")),
        ("a long text", format!("\"{}\"", "a".repeat(bytes))),
        ("escapes", format!("\"{}\"", "\\n".repeat(bytes / 2))),
        (
            "characters by number",
            format!("\"{}\"", "\\u0061".repeat(bytes / 6)),
        ),
        ("space", format!("{}1", " ".repeat(bytes))),
        ("a long number", "1".repeat(bytes)),
    ];
    let named = [
        "mints",
        "receiver_ids",
        "quantities",
        "metadata",
        "asset_index",
        "drop_id",
        "receiver_id",
    ];
    let calls = values.iter().flat_map(|(what, value)| {
        named.map(|name| (*what, format!("{{\"collection_id\":1,\"{name}\":{value}}}")))
    });
    calls.collect()
}

/// What a function-call key of the service can spend on gas by one call, however its arguments look: 0.033 NEAR.
#[test]
fn no_arguments_make_a_call_dear() {
    // The largest transaction has 1.5 MiB.
    let base = scene();
    let mut most = (0.0, String::new());
    for (what, args) in dear(1_572_000) {
        for method in ["nft_batch_mint", "nft_claim"] {
            let call = Action::call_raw(method, args.clone().into_bytes(), 1_000 * TGAS, 0);
            let outcome = base.clone().chain.transact(OWNER, CONTRACT, vec![call]);
            assert!(!outcome.succeeded(), "{method} takes {what}");
            let name = &args[..args.len().min(60)];
            println!(
                "{method} {what}, {name}: {:.1} Tgas {}",
                outcome.tgas(),
                outcome.code()
            );
            if outcome.tgas() > most.0 {
                most = (outcome.tgas(), format!("{method} with {what}, {name}"));
            }
        }
    }
    println!("{most:?}");
    assert!(most.0 < 330.0, "{most:?}");
}

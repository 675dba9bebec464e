//! NEP-171: ownership and plain transfers, with the exact text of events.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene};
use harness::{Action, NEAR, TGAS};
use serde_json::{Value, json};

/// A collection whose tokens `1:1` to `1:3` belong to alice, `1:4` to bob.
fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near", "carol.near", "market.near"]);
    let collection = scene.collection(json!({}), AssetBatch::new(0, 2, 10));
    scene.mint_many(collection, "alice.near", 3).json();
    scene.mint(collection, &["bob.near"]).json();
    scene
}

#[test]
fn a_transfer_moves_the_token_and_says_so() {
    let mut scene = scene();
    let args = json!({ "receiver_id": "carol.near", "token_id": "1:2", "memo": "for \"you\"" });
    let outcome = scene.sign("alice.near", "nft_transfer", args);
    assert_eq!(outcome.json(), Value::Null);
    assert_eq!(
        outcome.logs(),
        [concat!(
            r#"EVENT_JSON:{"standard":"nep171","version":"1.2.0","event":"nft_transfer","data":["#,
            r#"{"old_owner_id":"alice.near","new_owner_id":"carol.near","token_ids":["1:2"],"memo":"for \"you\""}]}"#
        )]
    );
    assert_eq!(scene.owner_of("1:2"), "carol.near");
    assert_eq!(scene.owner_of("1:1"), "alice.near");
    assert_eq!(scene.owner_of("1:3"), "alice.near");
}

#[test]
fn a_transfer_takes_exactly_one_yocto() {
    let mut scene = scene();
    let args = json!({ "receiver_id": "carol.near", "token_id": "1:1" });
    for deposit in [0, 2, NEAR] {
        assert_eq!(
            scene
                .pay("alice.near", "nft_transfer", args.clone(), deposit)
                .code(),
            "E_ONE_YOCTO"
        );
        let mut call = args.clone();
        call["msg"] = json!("");
        assert_eq!(
            scene
                .pay("alice.near", "nft_transfer_call", call, deposit)
                .code(),
            "E_ONE_YOCTO"
        );
    }
    assert_eq!(scene.owner_of("1:1"), "alice.near");
}

#[test]
fn only_the_owner_or_an_approved_account_transfers() {
    let mut scene = scene();
    for caller in ["bob.near", OWNER, CONTRACT] {
        assert_eq!(
            scene.transfer(caller, "carol.near", "1:1").code(),
            "E_UNAUTHORIZED",
            "{caller}"
        );
    }
    assert_eq!(
        scene.transfer("alice.near", "carol.near", "1:9").code(),
        "E_TOKEN_NOT_FOUND"
    );
    assert_eq!(
        scene.transfer("alice.near", "carol.near", "2:1").code(),
        "E_TOKEN_NOT_FOUND"
    );
    for token in [
        "",
        "1",
        "1:",
        ":1",
        "1:0",
        "01:1",
        "1:01",
        "1:1 ",
        "1:-1",
        "1:99999999999999999999",
        "a:b",
        "1:1:1",
    ] {
        let code = scene.transfer("alice.near", "carol.near", token).code();
        assert!(
            ["E_TOKEN_NOT_FOUND", "E_INVALID_ARGUMENT"].contains(&code.as_str()),
            "{token}: {code}"
        );
    }
}

#[test]
fn the_receiver_is_another_valid_account() {
    let mut scene = scene();
    assert_eq!(
        scene.transfer("alice.near", "alice.near", "1:1").code(),
        "E_INVALID_ARGUMENT"
    );
    for receiver in [
        "A",
        "a",
        "alice..near",
        "-a.near",
        &"a".repeat(65),
        "alice near",
        "",
    ] {
        assert_eq!(
            scene.transfer("alice.near", receiver, "1:1").code(),
            "E_INVALID_ARGUMENT",
            "{receiver}"
        );
    }
    // Implicit accounts and accounts that do not exist may own tokens.
    let implicit = "98793cd91a3f870fb126f66285808c7e094afcfc4eda8a970f6648cdf0dbd6de";
    assert!(scene.transfer("alice.near", implicit, "1:1").succeeded());
    assert_eq!(scene.owner_of("1:1"), implicit);
    assert!(
        scene
            .transfer(
                "alice.near",
                "0x85f17cf997934a597031b2e18a9ab6ebd4b9f6a4",
                "1:2"
            )
            .succeeded()
    );
    assert_eq!(
        scene.owner_of("1:2"),
        "0x85f17cf997934a597031b2e18a9ab6ebd4b9f6a4"
    );
}

#[test]
fn an_approved_account_transfers_and_is_named_in_the_event() {
    let mut scene = scene();
    let mut approve = || {
        scene
            .pay(
                "alice.near",
                "nft_approve",
                json!({ "token_id": "1:1", "account_id": "market.near" }),
                NEAR / 10,
            )
            .json();
        scene.token("1:1")["approved_account_ids"]["market.near"]
            .as_u64()
            .unwrap()
    };
    // One that was replaced, and one that was never given.
    let (replaced, approval) = (approve(), approve());
    assert!(approval > replaced);
    for wrong in [replaced, approval + 1] {
        let args = json!({ "receiver_id": "carol.near", "token_id": "1:1", "approval_id": wrong });
        assert_eq!(
            scene.sign("market.near", "nft_transfer", args).code(),
            "E_APPROVAL_STALE",
            "{wrong}"
        );
    }
    let args = json!({ "receiver_id": "carol.near", "token_id": "1:1", "approval_id": approval });
    let outcome = scene.sign("market.near", "nft_transfer", args.clone());
    assert_eq!(
        outcome.logs(),
        [concat!(
            r#"EVENT_JSON:{"standard":"nep171","version":"1.2.0","event":"nft_transfer","data":["#,
            r#"{"authorized_id":"market.near","old_owner_id":"alice.near","new_owner_id":"carol.near","token_ids":["1:1"]}]}"#
        )]
    );
    let token = scene.token("1:1");
    assert_eq!(
        (&token["owner_id"], &token["approved_account_ids"]),
        (&json!("carol.near"), &json!({}))
    );
    assert_eq!(
        scene.sign("market.near", "nft_transfer", args).code(),
        "E_UNAUTHORIZED",
        "the approval is gone"
    );
}

#[test]
fn an_approved_account_may_leave_the_approval_id_out() {
    let mut scene = scene();
    scene
        .pay(
            "alice.near",
            "nft_approve",
            json!({ "token_id": "1:1", "account_id": "market.near" }),
            NEAR / 10,
        )
        .json();
    assert!(
        scene
            .transfer("market.near", "market.near", "1:1")
            .succeeded()
    );
    assert_eq!(scene.owner_of("1:1"), "market.near");
}

#[test]
fn nft_token_shows_a_token_or_null() {
    let scene = scene();
    let token = scene.token("1:4");
    let mut fields: Vec<_> = token
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "approved_account_ids",
            "locks",
            "metadata",
            "owner_id",
            "token_id"
        ]
    );
    assert_eq!(
        (&token["token_id"], &token["owner_id"]),
        (&json!("1:4"), &json!("bob.near"))
    );
    for missing in [
        "1:5",
        "2:1",
        "0:1",
        "1:0",
        "",
        "x",
        "1:1:1",
        "4294967296:1",
        "1:4294967296",
    ] {
        assert_eq!(scene.token(missing), Value::Null, "{missing}");
    }
}

#[test]
fn a_mint_says_who_got_what() {
    let mut scene = scene();
    let args = json!({ "collection_id": 1, "receiver_ids": ["carol.near", "bob.near"], "quantities": [2, 2] });
    let outcome = scene.call(OWNER, "nft_batch_mint", args);
    assert_eq!(outcome.json(), json!(["1:5", "1:6", "1:7", "1:8"]));
    assert_eq!(
        outcome.logs(),
        [
            r#"EVENT_JSON:{"standard":"nep171","version":"1.2.0","event":"nft_metadata_update","data":[{"token_ids":["1:4"]}]}"#,
            concat!(
                r#"EVENT_JSON:{"standard":"nep171","version":"1.2.0","event":"nft_mint","data":["#,
                r#"{"owner_id":"carol.near","token_ids":["1:5","1:6"]},{"owner_id":"bob.near","token_ids":["1:7","1:8"]}]}"#
            )
        ]
    );
}

#[test]
fn a_token_goes_round_and_every_owner_list_follows() {
    let mut scene = scene();
    for (from, to) in [
        ("alice.near", "bob.near"),
        ("bob.near", "carol.near"),
        ("carol.near", "alice.near"),
    ] {
        assert!(scene.transfer(from, to, "1:2").succeeded());
        let ids = |account: &str| -> Vec<String> {
            let tokens = scene.view("nft_tokens_for_owner", json!({ "account_id": account }));
            let mut ids: Vec<_> = tokens
                .as_array()
                .unwrap()
                .iter()
                .map(|token| token["token_id"].as_str().unwrap().to_owned())
                .collect();
            ids.sort_unstable();
            ids
        };
        assert!(ids(to).contains(&"1:2".to_owned()) && !ids(from).contains(&"1:2".to_owned()));
    }
    assert_eq!(
        scene.view(
            "nft_supply_for_owner",
            json!({ "account_id": "alice.near" })
        ),
        json!("3")
    );
}

#[test]
fn a_failed_batch_leaves_no_trace() {
    let mut scene = scene();
    let records = scene.chain.records(CONTRACT);
    let transfer = |token: &str| {
        Action::call(
            "nft_transfer",
            json!({ "receiver_id": "carol.near", "token_id": token }),
            30 * TGAS,
            1,
        )
    };
    let outcome = scene.chain.transact(
        "alice.near",
        CONTRACT,
        vec![transfer("1:1"), transfer("1:4")],
    );
    assert_eq!(outcome.code(), "E_UNAUTHORIZED");
    assert_eq!(scene.chain.records(CONTRACT), records);
}

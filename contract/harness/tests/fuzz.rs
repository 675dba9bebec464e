//! Arguments garbled by chance: no method answers them by anything but success or one of its codes, and what is read
//! as JSON is what a JSON library reads.

use harness::claims::{Issuer, Terms};
use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, add_assets_args, create_args};
use harness::{Action, NEAR, TGAS};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

fn scene() -> Scene {
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    scene.accounts(["alice.near", "bob.near"]);
    scene.collection(
        json!({ "public_mint_config": { "mint_fee": "0" } }),
        AssetBatch::new(0, 20, 50),
    );
    scene.mint_many(1, "alice.near", 40).json();
    scene.drop(1, &Issuer::new("issuer"), 100, 1);
    scene
}

/// Changes a few bytes: flips, cuts, repeats, and pieces of JSON put where they do not belong.
fn garble(rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>) {
    const PIECES: &[&str] = &[
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
        "-1",
        "0",
        "1e9",
        "99999999999999999999",
        "\\",
        "\\u",
        "\\ud800",
        "\u{1f600}",
        " ",
        "true",
        "\"\"",
        "{}",
        "[]",
        "1:1",
        "\u{0}",
    ];
    for _ in 0..*[1, 1, 1, 2, 4].choose(rng).unwrap() {
        let at = rng.random_range(0..=bytes.len());
        match rng.random_range(0..8) {
            0..4 if at < bytes.len() => bytes[at] = *b"az09 .-_:,{}[]\"\\".choose(rng).unwrap(),
            4 => bytes.truncate(at),
            5 if at < bytes.len() => {
                let end = (at + rng.random_range(1..20)).min(bytes.len());
                bytes.drain(at..end);
            }
            6 => {
                let end = (at + rng.random_range(1..20)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let piece = PIECES.choose(rng).unwrap();
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
}

#[test]
fn garbled_arguments_are_taken_or_refused_by_code() {
    let base = scene();
    let settings = json!({
        "title": "T", "description": "D \"quoted\" \u{e9}", "public_mint_config": { "mint_fee": NEAR.to_string(), "limit_per_account": 3 },
        "initial_royalties": { "alice.near": 100 }, "transfers_denied_accounts": ["x.near"], "allow_transfers": true
    });
    let mut update = settings.clone();
    update["collection_id"] = json!(1);
    let text = |value: Value| value.to_string().into_bytes();
    let issuer = Issuer::new("issuer");
    let calls = [
        (
            OWNER,
            "collection_create",
            create_args(&settings, true, AssetBatch::with_copies(&[1, 2, 3])),
            0,
        ),
        (
            OWNER,
            "collection_add_assets",
            add_assets_args(1, 20, AssetBatch::with_copies(&[1, 2])),
            0,
        ),
        (OWNER, "collection_update", text(update), 1),
        (
            OWNER,
            "nft_batch_mint",
            text(
                json!({ "collection_id": 1, "receiver_ids": ["a.near", "b.near"], "quantities": [2, 2], "metadata": { "title": "x", "copies": 2 } }),
            ),
            0,
        ),
        (
            OWNER,
            "nft_update",
            text(
                json!({ "token_id": "1:1", "title": "x", "extra": null, "media": { "sha256": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "root": null } }),
            ),
            1,
        ),
        (
            OWNER,
            "nft_update_batch",
            text(
                json!({ "collection_id": 1, "updates": [{ "token_id": "1:1", "title": "x" }, { "token_id": "1:2", "extra": null }] }),
            ),
            1,
        ),
        (
            OWNER,
            "allowlist_add",
            text(json!({ "collection_id": 1, "account_ids": ["a.near", "b.near"] })),
            1,
        ),
        (
            OWNER,
            "upgrade",
            text(json!({ "code_hash": "4reLvkAWfqk5fsqio1KLudk46cqRz9erQdaHkWZKMJDZ" })),
            1,
        ),
        (
            "alice.near",
            "nft_mint",
            text(json!({ "collection_id": 1 })),
            NEAR,
        ),
        (
            "alice.near",
            "nft_mint",
            text(json!({ "collection_id": 1, "quantity": 3, "receiver_id": "bob.near" })),
            NEAR,
        ),
        (
            OWNER,
            "nft_batch_mint",
            text(
                json!({ "collection_id": 1, "mints": [{ "receiver_ids": ["a.near"], "asset_index": 3 }, { "receiver_ids": ["b.near"], "quantities": [2], "metadata": { "title": "x" } }] }),
            ),
            0,
        ),
        (
            OWNER,
            "drop_create",
            text(
                json!({ "collection_id": 1, "issuer_public_key": issuer.public_key(), "links": 7, "quantity": 2, "expires_at_ms": 1_900_000_000_000u64, "reserve": "5000000000000000000000" }),
            ),
            1,
        ),
        (
            OWNER,
            "drop_update",
            text(json!({ "drop_id": 1, "links": 200, "reserve": "5000000000000000000000" })),
            1,
        ),
        (
            "alice.near",
            "nft_claim",
            text(issuer.link(CONTRACT, 1, 3).claim("bob.near")),
            0,
        ),
        (
            "alice.near",
            "voucher_mint",
            text(issuer.voucher(&Terms {
                contract: CONTRACT,
                drop: 1,
                nonce: 4,
                receiver: "bob.near",
                quantity: 2,
                price: NEAR,
                currency: None,
                expires_at_ms: 1_900_000_000_000,
            })),
            2 * NEAR,
        ),
        (
            "alice.near",
            "nft_transfer",
            text(
                json!({ "receiver_id": "bob.near", "token_id": "1:1", "approval_id": null, "memo": "m" }),
            ),
            1,
        ),
        (
            "alice.near",
            "nft_transfer_call",
            text(json!({ "receiver_id": "bob.near", "token_id": "1:1", "msg": "m" })),
            1,
        ),
        (
            "alice.near",
            "nft_transfer_payout",
            text(
                json!({ "receiver_id": "bob.near", "token_id": "1:1", "balance": "100", "max_len_payout": 10 }),
            ),
            1,
        ),
        (
            "alice.near",
            "nft_approve",
            text(json!({ "token_id": "1:1", "account_id": "bob.near", "msg": "x" })),
            NEAR,
        ),
        (
            "alice.near",
            "nft_revoke",
            text(json!({ "token_id": "1:1", "account_id": "bob.near" })),
            1,
        ),
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut taken, mut refused) = (0, 0);
    for (signer, method, args, deposit) in &calls {
        for _ in 0..200 {
            let mut scene = base.clone();
            let mut garbled = args.clone();
            garble(&mut rng, &mut garbled);
            let call = Action::call_raw(method, garbled.clone(), 200 * TGAS, *deposit);
            let outcome = scene.chain.transact(signer, CONTRACT, vec![call]);
            let first = &outcome.receipts[0].status;
            let what = String::from_utf8_lossy(&garbled).into_owned();
            match first {
                harness::Status::Failed(_, failure) => {
                    let code = failure.code().unwrap_or_default();
                    assert!(
                        code.starts_with("E_") && code != "E_INTERNAL",
                        "{method} with {what}: {failure:?}"
                    );
                    refused += 1;
                }
                _ => taken += 1,
            }
            assert_eq!(scene.chain.unaccounted(), 0);
            assert!(
                scene.try_view("nft_tokens", json!({})).is_ok(),
                "{method} with {what} broke the views"
            );
        }
    }
    assert!(
        taken > 100 && refused > 1_000,
        "{taken} taken, {refused} refused"
    );
}

/// A field that is read and comes twice is refused, and nesting beyond a few levels; all else is as in serde_json.
fn valid(text: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(text).ok()?;
    value
        .as_object()?
        .get("account_id")?
        .as_str()
        .map(str::to_owned)
}

#[test]
fn json_is_read_as_a_library_reads_it() {
    let scene = scene();
    let seeds = [
        r#"{"account_id":"alice.near"}"#,
        " { \"account_id\" :\t\"alice.near\" , \"more\" : [ 1 , -2.5e+3 , { \"a\" : null } , \"x\\ny\\u00e9\\ud83d\\ude00\" ] }\n",
        r#"{"a\"b":"}{","account_id":"alic\u0065.near","n":0.0,"t":true,"f":false}"#,
        r#"{"x":"\/\b\f\n\r\t\\","account_id":"bob.near"}"#,
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (mut read, mut refused) = (0, 0);
    for round in 0..6_000 {
        let mut text = seeds[round % seeds.len()].as_bytes().to_vec();
        if round >= seeds.len() {
            garble(&mut rng, &mut text);
        }
        let shown = String::from_utf8_lossy(&text).into_owned();
        let answer = scene
            .chain
            .view_raw(CONTRACT, "nft_supply_for_owner", text.clone());
        match (valid(&text), answer) {
            (Some(account), Ok((answer, _))) => {
                let expected = if account == "alice.near" {
                    "\"40\""
                } else {
                    "\"0\""
                };
                assert_eq!(String::from_utf8(answer).unwrap(), expected, "{shown}");
                read += 1;
            }
            (Some(account), Err(failure)) => {
                assert_eq!(failure.code(), Some("E_INVALID_ARGUMENT"), "{shown}");
                let id_is_fine = account
                    .parse::<near_primitives_core::types::AccountId>()
                    .is_ok();
                let twice = shown.matches("\"account_id\"").count() > 1 || names_twice(&shown);
                assert!(!id_is_fine || twice, "{shown} is refused");
                refused += 1;
            }
            (None, Ok(_)) => panic!("{shown} is no object with an account_id, and was read"),
            (None, Err(failure)) => {
                assert_eq!(failure.code(), Some("E_INVALID_ARGUMENT"), "{shown}");
                refused += 1;
            }
        }
    }
    assert!(
        read > 300 && refused > 1_000,
        "{read} read, {refused} refused"
    );
}

/// Whether an object in the text has fewer names once read than it has colons outside of strings.
fn names_twice(text: &str) -> bool {
    fn names(value: &Value) -> usize {
        match value {
            Value::Object(fields) => fields.len() + fields.values().map(names).sum::<usize>(),
            Value::Array(items) => items.iter().map(names).sum(),
            _ => 0,
        }
    }
    let (mut colons, mut quoted, mut escaped) = (0, false, false);
    for character in text.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ':' if !quoted => colons += 1,
            _ => {}
        }
    }
    serde_json::from_str(text).is_ok_and(|value| names(&value) < colons)
}

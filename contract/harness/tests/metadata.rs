//! NEP-177 metadata, titles, overrides and updates; NEP-330 source metadata; the events of each change.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use harness::mintage::{AssetBatch, OWNER, Scene, digest, workspace};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// CIDv1 of a block with this SHA-256: `codec` is 0x55 for raw bytes, 0x70 for a dag-pb root.
fn cid(codec: u8, digest: &[u8; 32]) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let bytes: Vec<u8> = [1, codec, 0x12, 32].iter().chain(digest).copied().collect();
    let (mut text, mut bits, mut held) = (String::from("b"), 0u32, 0);
    for byte in bytes {
        bits = bits << 8 | u32::from(byte);
        held += 8;
        while held >= 5 {
            held -= 5;
            text.push(ALPHABET[(bits >> held & 31) as usize] as char);
        }
    }
    if held > 0 {
        text.push(ALPHABET[(bits << (5 - held) & 31) as usize] as char);
    }
    text
}

fn batch() -> AssetBatch {
    let reference = [[0; 32], digest(77)].concat();
    AssetBatch {
        copies: vec![(2, 2)],
        subtitles: vec!["#$TOKEN_NUM of $TOTAL_NUM".into()],
        subtitle_runs: vec![(1, 0), (1, 1)],
        references: reference,
        ..AssetBatch::new(0, 2, 2)
    }
}

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    scene.collection(
        json!({ "title": "Cats", "description": "Four of them" }),
        batch(),
    );
    scene.mint_many(1, "alice.near", 4).json();
    scene
}

#[test]
fn a_token_shows_what_its_asset_says() {
    let scene = scene();
    let mut seen = [0, 0];
    for number in 1..=4 {
        let metadata = &scene.token(&format!("1:{number}"))["metadata"];
        let asset = usize::from(metadata["media"] == cid(0x55, &digest(1)));
        seen[asset] += 1;
        let media = digest(asset as u32);
        assert_eq!(metadata["media"], cid(0x55, &media));
        assert_eq!(metadata["media_hash"], STANDARD.encode(media));
        assert_eq!(metadata["description"], "Four of them");
        assert_eq!(metadata["copies"], 4, "the collection's total");
        if asset == 1 {
            assert_eq!(metadata["title"], format!("Cats #{number} of 4"));
            assert_eq!(metadata["reference"], cid(0x55, &digest(77)));
            assert_eq!(metadata["reference_hash"], STANDARD.encode(digest(77)));
        } else {
            assert_eq!(metadata["title"], "Cats");
            assert_eq!(
                (&metadata["reference"], &metadata["reference_hash"]),
                (&Value::Null, &Value::Null)
            );
        }
    }
    assert_eq!(seen, [2, 2], "each asset as often as it has copies");
}

#[test]
fn the_title_follows_the_collection() {
    let mut scene = scene();
    let outcome = scene.sign(
        OWNER,
        "collection_update",
        json!({ "collection_id": 1, "title": "Dogs", "description": null }),
    );
    assert!(outcome.succeeded());
    for number in 1..=4 {
        let metadata = &scene.token(&format!("1:{number}"))["metadata"];
        assert!(metadata["title"].as_str().unwrap().starts_with("Dogs"));
        assert_eq!(metadata["description"], Value::Null);
    }
    let shown: Vec<Value> = outcome
        .events()
        .iter()
        .filter(|event| event["event"] == "nft_metadata_update")
        .cloned()
        .collect();
    assert!(
        !shown.is_empty(),
        "a change of what tokens show is told: {:?}",
        outcome.logs()
    );
}

#[test]
fn an_update_changes_one_token_and_says_so() {
    let mut scene = scene();
    let args = json!({
        "token_id": "1:2", "title": "Lion", "subtitle": " the $TOKEN_NUM", "description": "Big", "copies": 9, "extra": "{\"a\":1}",
        "media": { "sha256": STANDARD.encode(digest(500)), "root": STANDARD.encode(digest(501)) },
        "reference": { "sha256": STANDARD.encode(digest(502)), "root": null }
    });
    let outcome = scene.sign(OWNER, "nft_update", args);
    assert_eq!(
        outcome.logs(),
        [
            r#"EVENT_JSON:{"standard":"nep171","version":"1.2.0","event":"nft_metadata_update","data":[{"token_ids":["1:2"]}]}"#
        ]
    );
    let metadata = &scene.token("1:2")["metadata"];
    assert_eq!(
        metadata["title"], "Lion the 2",
        "one space between title and subtitle"
    );
    assert_eq!(metadata["description"], "Big");
    assert_eq!(metadata["copies"], 9);
    assert_eq!(metadata["extra"], "{\"a\":1}");
    assert_eq!(
        metadata["media"],
        cid(0x70, &digest(501)),
        "a file above one block has its root's CID"
    );
    assert_eq!(
        metadata["media_hash"],
        STANDARD.encode(digest(500)),
        "and its own digest"
    );
    assert_eq!(metadata["reference"], cid(0x55, &digest(502)));
    assert_eq!(metadata["reference_hash"], STANDARD.encode(digest(502)));
    let other = &scene.token("1:1")["metadata"];
    assert!(other["title"].as_str().unwrap().starts_with("Cats"));
}

#[test]
fn an_absent_field_stays_and_null_clears() {
    let mut scene = scene();
    let before = scene.token("1:1");
    let update = |scene: &mut Scene, args: Value| scene.sign(OWNER, "nft_update", args).json();
    update(
        &mut scene,
        json!({ "token_id": "1:1", "title": "Lion", "extra": "x" }),
    );
    update(
        &mut scene,
        json!({ "token_id": "1:1", "description": "Big" }),
    );
    let metadata = &scene.token("1:1")["metadata"];
    assert!(metadata["title"].as_str().unwrap().starts_with("Lion"));
    assert_eq!(
        (&metadata["extra"], &metadata["description"]),
        (&json!("x"), &json!("Big"))
    );
    let cleared = json!({ "token_id": "1:1", "title": null, "extra": null, "description": null });
    update(&mut scene, cleared);
    assert_eq!(
        scene.token("1:1"),
        before,
        "all overrides cleared, the token shows its asset again"
    );
}

#[test]
fn updates_are_for_owner_and_admins() {
    let mut scene = scene();
    let args = json!({ "token_id": "1:1", "title": "Mine" });
    assert_eq!(
        scene.sign("alice.near", "nft_update", args.clone()).code(),
        "E_UNAUTHORIZED"
    );
    assert!(
        scene
            .sign(harness::mintage::ADMIN, "nft_update", args)
            .succeeded()
    );
    assert_eq!(
        scene
            .sign(
                OWNER,
                "nft_update",
                json!({ "token_id": "1:9", "title": "x" })
            )
            .code(),
        "E_TOKEN_NOT_FOUND"
    );
    let long = json!({ "token_id": "1:1", "title": "x".repeat(257) });
    assert_eq!(
        scene.sign(OWNER, "nft_update", long).code(),
        "E_INVALID_ARGUMENT"
    );
    for bad in [
        "",
        "abc",
        &STANDARD.encode([1; 31]),
        &STANDARD.encode([1; 33]),
    ] {
        let args = json!({ "token_id": "1:1", "media": { "sha256": bad, "root": null } });
        assert_eq!(
            scene.sign(OWNER, "nft_update", args).code(),
            "E_INVALID_ARGUMENT",
            "{bad}"
        );
    }
}

#[test]
fn a_mint_with_metadata_shows_it_and_takes_a_copy() {
    let mut scene = Scene::default();
    scene.collection(json!({ "title": "Cats" }), AssetBatch::new(0, 1, 3));
    let metadata = json!({
        "title": "Lion", "subtitle": "King", "description": "D", "extra": "{}", "copies": 2,
        "media": { "sha256": STANDARD.encode(digest(9)) }
    });
    let args = json!({ "collection_id": 1, "receiver_ids": ["alice.near"], "quantities": [2], "metadata": metadata });
    assert_eq!(
        scene.call(OWNER, "nft_batch_mint", args).json(),
        json!(["1:1", "1:2"])
    );
    for token in ["1:1", "1:2"] {
        let shown = &scene.token(token)["metadata"];
        assert_eq!(
            (&shown["title"], &shown["copies"]),
            (&json!("Lion King"), &json!(2))
        );
        assert_eq!(shown["media"], cid(0x55, &digest(9)));
        assert_eq!(
            (&shown["description"], &shown["extra"]),
            (&json!("D"), &json!("{}"))
        );
    }
    let assets = scene.view("collection_assets", json!({ "collection_id": 1 }));
    assert_eq!(assets[0]["remaining"], 1);
    scene.mint(1, &["bob.near"]).json();
    assert_eq!(scene.mint(1, &["bob.near"]).code(), "E_SOLD_OUT");
}

#[test]
fn nft_metadata_is_the_contracts_own() {
    let mut scene = Scene::default();
    let metadata = scene.view("nft_metadata", json!({}));
    assert_eq!(metadata["spec"], "nft-1.0.0");
    assert_eq!(
        (&metadata["name"], &metadata["symbol"]),
        (&json!("Mintage"), &json!("MINT"))
    );
    assert_eq!(metadata["base_uri"], "https://mint.example/ipfs");
    for field in ["icon", "reference", "reference_hash"] {
        assert_eq!(metadata[field], Value::Null);
    }
    let args = json!({ "name": "Shop", "symbol": "SHOP", "icon": "data:image/svg+xml,%3Csvg/%3E", "base_uri": "https://other.example" });
    for deposit in [0, 2] {
        assert_eq!(
            scene
                .pay(OWNER, "contract_metadata_update", args.clone(), deposit)
                .code(),
            "E_ONE_YOCTO"
        );
    }
    assert_eq!(
        scene
            .sign(
                harness::mintage::ADMIN,
                "contract_metadata_update",
                args.clone()
            )
            .code(),
        "E_UNAUTHORIZED"
    );
    let outcome = scene.sign(OWNER, "contract_metadata_update", args);
    assert_eq!(
        outcome.logs(),
        [
            r#"EVENT_JSON:{"standard":"nep171","version":"1.2.0","event":"contract_metadata_update","data":[{}]}"#
        ]
    );
    let metadata = scene.view("nft_metadata", json!({}));
    assert_eq!(
        (&metadata["name"], &metadata["symbol"]),
        (&json!("Shop"), &json!("SHOP"))
    );
    assert_eq!(metadata["icon"], "data:image/svg+xml,%3Csvg/%3E");
    assert_eq!(metadata["base_uri"], "https://other.example");
    scene
        .sign(OWNER, "contract_metadata_update", json!({ "icon": null }))
        .json();
    let metadata = scene.view("nft_metadata", json!({}));
    assert_eq!(
        (&metadata["name"], &metadata["icon"]),
        (&json!("Shop"), &Value::Null)
    );
}

/// The digest of what `sha256sum` prints of the contract's sources.
fn sources() -> String {
    let mut paths: Vec<String> = [
        "contract/Cargo.lock",
        "contract/Cargo.toml",
        "contract/mintage/Cargo.toml",
        "contract/rust-toolchain.toml",
        "scripts/contract-wasm.mjs",
    ]
    .map(str::to_owned)
    .into();
    let root = workspace("..");
    let mut folders = vec![root.join("contract/mintage/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(&root).unwrap();
                paths.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    paths.sort_unstable();
    let hex = |bytes: &[u8]| -> String {
        let digest = Sha256::digest(bytes);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let line = |path: &String| {
        let bytes = std::fs::read(root.join(path)).unwrap();
        format!("{}  {path}\n", hex(&bytes))
    };
    hex(paths.iter().map(line).collect::<String>().as_bytes())
}

#[test]
fn the_contract_names_its_source_and_standards() {
    let source = Scene::default().view("contract_source_metadata", json!({}));
    assert!(source["version"].is_string());
    let build = &source["build_info"];
    assert_eq!(
        build["build_command"],
        json!(["sh", "-c", "cd ../.. && npm ci && npm run contract:build"])
    );
    assert_eq!(build["contract_path"], "contract/mintage");
    let module = build["output_wasm_path"].as_str().unwrap();
    let module = module.strip_prefix("/home/near/code/contract/").unwrap();
    assert!(workspace(module).exists());
    let released = std::fs::read_to_string(workspace("build-info.json")).unwrap();
    let released: Value = serde_json::from_str(&released).unwrap();
    assert_eq!(source["link"], released["link"]);
    if !released["build_environment"].is_null() {
        for field in ["build_environment", "source_code_snapshot"] {
            assert_eq!(build[field], released[field], "{field}");
        }
    } else if std::env::var_os("MINTAGE_WASM").is_none() {
        let tools = build["build_environment"].as_str().unwrap();
        assert!(tools.contains("rustc 1.") && tools.contains("binaryen"));
        let snapshot = format!("sha256:{}", sources());
        assert_eq!(
            build["source_code_snapshot"], snapshot,
            "the wasm was built from other sources; npm run contract:build"
        );
    }
    let standards = source["standards"].as_array().unwrap();
    for standard in standards {
        assert!(
            standard["standard"].as_str().unwrap().starts_with("nep")
                && standard["version"].is_string(),
            "{standard}"
        );
    }
    for standard in [
        "nep171", "nep177", "nep178", "nep181", "nep199", "nep297", "nep330",
    ] {
        assert!(
            standards.iter().any(|one| one["standard"] == standard),
            "{standard} is missing in {source}"
        );
    }
}

/// NEP-177 1.0.0 has a token's times as strings, which near-contract-standards reads; in 2.0.0 they are numbers.
#[test]
fn a_token_shows_its_times_as_strings() {
    let mut scene = Scene::default();
    scene.collection(json!({}), AssetBatch::new(0, 1, 1));
    scene.mint(1, &["alice.near"]).json();
    let title = json!({ "token_id": "1:1", "title": "Heron" });
    scene.sign(OWNER, "nft_update", title).json();
    let metadata = &scene.token("1:1")["metadata"];
    for time in ["issued_at", "updated_at"] {
        let shown = metadata[time].as_str().expect(time);
        assert!(shown.parse::<u64>().is_ok(), "{time}: {shown}");
    }
    let source = scene.view("contract_source_metadata", json!({}));
    let declared = json!({ "standard": "nep177", "version": "1.0.0" });
    let standards = source["standards"].as_array().unwrap();
    assert!(standards.contains(&declared), "{source}");
}

/// NEP-177's `updated_at`: milliseconds of the last change of what the token shows, and null before there is one.
#[test]
fn updated_at_tells_the_last_change() {
    let mut scene = Scene::default();
    scene.collection(json!({}), AssetBatch::new(0, 3, 10));
    scene.mint_many(1, "alice.near", 2).json();
    let updated = |scene: &Scene, token: &str| scene.token(token)["metadata"]["updated_at"].clone();
    assert_eq!(updated(&scene, "1:1"), Value::Null);
    let change = |scene: &mut Scene, method: &str, args: Value| -> String {
        scene.chain.advance_to(scene.chain.now_ms() + 60_000);
        scene.sign(OWNER, method, args).json();
        let seconds = scene.chain.now_ms() / 1_000;
        // The call's block was one of the last two.
        format!("{}", seconds * 1_000)
    };
    let at = change(
        &mut scene,
        "nft_update",
        json!({ "token_id": "1:1", "title": "x" }),
    );
    let shown: u64 = updated(&scene, "1:1").as_str().unwrap().parse().unwrap();
    assert!(
        shown.abs_diff(at.parse().unwrap()) <= 2_000,
        "{shown} is not about {at}"
    );
    assert_eq!(updated(&scene, "1:2"), Value::Null);
    let renamed = json!({ "collection_id": 1, "title": "Other" });
    let later = change(&mut scene, "collection_update", renamed);
    for token in ["1:1", "1:2"] {
        let shown: u64 = updated(&scene, token).as_str().unwrap().parse().unwrap();
        assert!(shown.abs_diff(later.parse().unwrap()) <= 2_000, "{token}");
    }
    scene.chain.advance_to(scene.chain.now_ms() + 60_000);
    scene.mint(1, &["alice.near"]).json();
    let supply = scene.view("collection", json!({ "collection_id": 1 }))["minted"].clone();
    assert_eq!(
        updated(&scene, &format!("1:{supply}")),
        Value::Null,
        "minted since"
    );
    // What goes back to the collection's own leaves nothing behind.
    let cleared = json!({ "token_id": "1:1", "title": null });
    scene.sign(OWNER, "nft_update", cleared).json();
    assert!(
        scene.token("1:1")["metadata"]["title"]
            .as_str()
            .unwrap()
            .starts_with("Other")
    );
}

/// During the block of its mint a token shows no asset. The next mint tells indexers of the tokens that show theirs by
/// now, so that none keeps a token without media.
#[test]
fn the_next_mint_tells_which_tokens_show_their_assets() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    scene.collection(
        json!({ "public_mint_config": { "mint_fee": "0" } }),
        AssetBatch::new(0, 3, 400),
    );
    let told = |outcome: &harness::TransactionOutcome| -> Vec<Value> {
        let events = outcome.events().into_iter();
        events
            .filter(|event| event["event"] != "nft_mint")
            .collect()
    };
    let ids = |event: &Value| event["data"][0]["token_ids"].clone();
    assert!(told(&scene.mint_many(1, "alice.near", 3)).is_empty());
    let second = told(&scene.public_mint("alice.near", 1, 0));
    assert_eq!(second[0]["event"], "nft_metadata_update");
    assert_eq!(ids(&second[0]), json!(["1:1", "1:2", "1:3"]));
    let third = told(&scene.mint_many(1, "alice.near", 100));
    assert_eq!(ids(&third[0]), json!(["1:4"]));
    assert_eq!(
        ids(&told(&scene.mint(1, &["alice.near"]))[0])
            .as_array()
            .unwrap()
            .len(),
        100
    );
    // Several mints of one block are told of together; above a hundred tokens the whole contract is.
    let batch = |receiver: &str| {
        let args = json!({ "collection_id": 1, "receiver_ids": [receiver], "quantities": [60] });
        harness::Action::call("nft_batch_mint", args, 100 * harness::TGAS, 0)
    };
    for receiver in ["alice.near", "bob.near"] {
        let contract = harness::mintage::CONTRACT;
        scene
            .chain
            .submit(OWNER, contract, vec![batch(receiver)])
            .unwrap();
    }
    scene.chain.settle();
    scene.chain.advance(1);
    let last = told(&scene.mint(1, &["alice.near"]));
    assert_eq!(last[0]["event"], "contract_metadata_update");
}

/// Whoever asks after the last mint makes the contract tell what no later mint does; in the mint's own block there is
/// nothing to tell.
#[test]
fn draws_are_told_without_a_mint_that_follows() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 3, 400));
    let tell =
        |scene: &mut Scene| scene.call("alice.near", "draws_tell", json!({ "collection_id": 1 }));
    let none = tell(&mut scene);
    assert_eq!((none.json(), none.logs().len()), (json!(0), 0));
    scene.mint_many(1, "alice.near", 3).json();
    let told = tell(&mut scene);
    assert_eq!(told.json(), 3);
    let event = &told.events()[0];
    assert_eq!(event["event"], "nft_metadata_update");
    let ids = &event["data"][0]["token_ids"];
    assert_eq!(ids, &json!(["1:1", "1:2", "1:3"]));
    // Anybody may call; nobody repeats what was told, by a call or by the next mint.
    let again = tell(&mut scene);
    assert_eq!((again.json(), again.logs().len()), (json!(0), 0));
    assert_eq!(again.bytes_of(harness::mintage::CONTRACT), 0);
    let mint = scene.mint_many(1, "alice.near", 2);
    assert_eq!(mint.events().len(), 1, "{:?}", mint.logs());
    let told = tell(&mut scene);
    let ids = &told.events()[0]["data"][0]["token_ids"];
    assert_eq!(ids, &json!(["1:4", "1:5"]));
    let mint = json!({ "collection_id": 1, "receiver_ids": ["alice.near"] });
    let both = [
        ("nft_batch_mint", mint),
        ("draws_tell", json!({ "collection_id": 1 })),
    ];
    let both =
        both.map(|(method, args)| harness::Action::call(method, args, 100 * harness::TGAS, 0));
    let outcome = scene
        .chain
        .transact(OWNER, harness::mintage::CONTRACT, both.to_vec());
    assert_eq!(outcome.json(), 0);
    let outcome = scene.pay("alice.near", "draws_tell", json!({ "collection_id": 1 }), 1);
    assert_eq!(outcome.code(), "E_INVALID_ARGUMENT");
}

//! Collections that hide their assets: a placeholder until the assets are brought that were committed to.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use borsh::BorshSerialize;
use harness::mintage::{AssetBatch, OWNER, Scene, add_assets_args, create_args, digest};
use harness::{NEAR, TransactionOutcome};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const SALT: [u8; 32] = [77; 32];

#[derive(BorshSerialize)]
struct Reveal {
    collection_id: u32,
    next: [u8; 32],
    assets: AssetBatch,
}

/// Hidden assets come with copies alone.
fn copies(assets: u32, copies: u32) -> AssetBatch {
    AssetBatch {
        media: vec![],
        ..AssetBatch::new(0, assets, copies)
    }
}

/// What is brought of the assets from `first` on.
fn part(first: u32, count: u32) -> AssetBatch {
    AssetBatch {
        copies: vec![],
        subtitles: vec![format!("From {first}")],
        subtitle_runs: vec![(count, 1)],
        references: (first..first + count)
            .flat_map(|n| digest(n + 1_000_000))
            .collect(),
        ..AssetBatch::new(first, count, 1)
    }
}

/// The commitment to these parts, and what comes with each of them.
fn commit(parts: &[AssetBatch]) -> ([u8; 32], Vec<[u8; 32]>) {
    let mut next = SALT;
    let mut all = vec![];
    for part in parts.iter().rev() {
        all.insert(0, next);
        let digest = Sha256::digest(borsh::to_vec(part).unwrap());
        next = Sha256::digest([&digest[..], &next].concat()).into();
    }
    (next, all)
}

fn hidden(
    scene: &mut Scene,
    commitment: &[u8; 32],
    assets: AssetBatch,
    publish: bool,
) -> TransactionOutcome {
    let settings = json!({
        "title": "Box", "public_mint_config": { "mint_fee": "0" },
        "reveal": { "commitment": STANDARD.encode(commitment), "media": STANDARD.encode(digest(5)) }
    });
    scene.call_raw(
        OWNER,
        "collection_create",
        create_args(&settings, publish, assets),
    )
}

fn reveal(
    scene: &mut Scene,
    signer: &str,
    next: [u8; 32],
    assets: &AssetBatch,
    deposit: u128,
) -> TransactionOutcome {
    let args = Reveal {
        collection_id: 1,
        next,
        assets: assets.clone(),
    };
    let args = borsh::to_vec(&args).unwrap();
    let call = harness::Action::call_raw("collection_reveal", args, 300 * harness::TGAS, deposit);
    scene
        .chain
        .transact(signer, harness::mintage::CONTRACT, vec![call])
}

fn collection(scene: &Scene) -> Value {
    scene.view("collection", json!({ "collection_id": 1 }))
}

#[test]
fn a_placeholder_until_the_assets_that_were_committed_to() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    let parts = [part(0, 700), part(700, 500)];
    let (commitment, next) = commit(&parts);
    hidden(&mut scene, &commitment, copies(1_200, 2), true).json();
    scene.mint_many(1, "alice.near", 90).json();
    let own = json!({ "token_id": "1:2", "media": { "sha256": STANDARD.encode(digest(8)) } });
    scene.sign(OWNER, "nft_update", own).json();
    let shown = collection(&scene)["reveal"].clone();
    assert_eq!(
        (&shown["state"], &shown["commitment"]),
        (&json!("hidden"), &json!(STANDARD.encode(commitment)))
    );
    let before = scene.token("1:1");
    assert_eq!(before["metadata"]["media"], shown["media"]);
    assert_eq!(
        before["metadata"]["media_hash"],
        json!(STANDARD.encode(digest(5)))
    );
    assert_eq!(before["metadata"]["title"], "Box");
    assert_eq!(before["metadata"]["reference"], Value::Null);
    assert_eq!(before["metadata"]["updated_at"], Value::Null);
    assert_eq!(
        scene.token("1:2")["metadata"]["media_hash"],
        json!(STANDARD.encode(digest(8)))
    );
    let assets = scene.view("collection_assets", json!({ "collection_id": 1 }));
    assert_eq!(
        (&assets[0]["media"], &assets[0]["copies"]),
        (&Value::Null, &json!(2))
    );

    // In the block of its mint too a token shows the placeholder: it tells nothing.
    let mint = harness::Action::call(
        "nft_mint",
        json!({ "collection_id": 1 }),
        100 * harness::TGAS,
        0,
    );
    scene
        .chain
        .submit("alice.near", harness::mintage::CONTRACT, vec![mint])
        .unwrap();
    scene.chain.produce_block();
    assert_eq!(scene.token("1:91")["metadata"]["media"], shown["media"]);
    scene.chain.settle();
    scene.chain.advance(3);

    for (batch, with) in [
        (&parts[1], next[1]),
        (&parts[0], SALT),
        (&part(0, 699), next[0]),
    ] {
        let outcome = reveal(&mut scene, OWNER, with, batch, 1);
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT");
    }
    let outcome = reveal(&mut scene, OWNER, next[0], &parts[0], 1);
    assert_eq!(outcome.json(), 500);
    assert_eq!(outcome.events()[0]["event"], "nft_metadata_update");
    assert_eq!(
        outcome.events()[0]["data"][0]["token_ids"]
            .as_array()
            .unwrap()
            .len(),
        91
    );
    assert_eq!(collection(&scene)["reveal"]["state"], "partly");
    let assets = scene.view(
        "collection_assets",
        json!({ "collection_id": 1, "from_index": 699, "limit": 2 }),
    );
    assert_eq!(assets[0]["media_hash"], json!(STANDARD.encode(digest(699))));
    assert_eq!(assets[1]["media_hash"], Value::Null);
    // The last batch is bound to its salt, and the salt to its batch.
    let mut wrong = SALT;
    wrong[31] ^= 1;
    for (batch, with) in [
        (&parts[1], wrong),
        (&parts[1], [0; 32]),
        (&part(700, 499), SALT),
    ] {
        let outcome = reveal(&mut scene, OWNER, with, batch, 1);
        assert_eq!(outcome.code(), "E_INVALID_ARGUMENT");
    }
    let outcome = reveal(&mut scene, OWNER, next[1], &parts[1], 1);
    assert_eq!(outcome.json(), 0);

    let all: Vec<Value> = (0..1_200)
        .step_by(100)
        .flat_map(|from| {
            let args = json!({ "collection_id": 1, "from_index": from });
            scene
                .view("collection_assets", args)
                .as_array()
                .unwrap()
                .clone()
        })
        .collect();
    for (number, asset) in all.iter().enumerate() {
        let number = number as u32;
        assert_eq!(asset["media_hash"], json!(STANDARD.encode(digest(number))));
        assert_eq!(
            asset["reference_hash"],
            json!(STANDARD.encode(digest(number + 1_000_000)))
        );
        assert_eq!(
            asset["subtitle"],
            if number < 700 { "From 0" } else { "From 700" }
        );
    }
    let after = scene.token("1:1");
    assert_ne!(after["metadata"]["media"], shown["media"]);
    let title = after["metadata"]["title"].as_str().unwrap();
    assert!(title.starts_with("Box From "), "{title}");
    assert!(after["metadata"]["updated_at"].is_string());
    assert_eq!(
        scene.token("1:2")["metadata"]["media_hash"],
        json!(STANDARD.encode(digest(8)))
    );
    let revealed = collection(&scene)["reveal"].clone();
    assert_eq!(
        (
            &revealed["state"],
            &revealed["commitment"],
            &revealed["next"]
        ),
        (
            &json!("revealed"),
            &json!(STANDARD.encode(commitment)),
            &json!(STANDARD.encode(SALT))
        )
    );
    let again = reveal(&mut scene, OWNER, next[1], &parts[1], 1);
    assert_eq!(again.code(), "E_ALREADY_REVEALED");
    scene.mint_many(1, "alice.near", 5).json();
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn revealing_is_for_the_staff_with_one_yocto() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    let parts = [part(0, 3)];
    let (commitment, next) = commit(&parts);
    hidden(&mut scene, &commitment, copies(2, 1), false).json();
    let more = add_assets_args(1, 2, copies(1, 1));
    scene.call_raw(OWNER, "collection_add_assets", more).json();
    let shown = add_assets_args(1, 3, AssetBatch::new(0, 1, 1));
    let outcome = scene.call_raw(OWNER, "collection_add_assets", shown);
    assert_eq!(outcome.code(), "E_INVALID_ARGUMENT");
    assert_eq!(
        reveal(&mut scene, OWNER, next[0], &parts[0], 1).code(),
        "E_NOT_PUBLISHED"
    );
    scene
        .call(OWNER, "collection_publish", json!({ "collection_id": 1 }))
        .json();
    for deposit in [0, 2, NEAR] {
        let outcome = reveal(&mut scene, OWNER, next[0], &parts[0], deposit);
        assert_eq!(outcome.code(), "E_ONE_YOCTO");
    }
    let outcome = reveal(&mut scene, "alice.near", next[0], &parts[0], 1);
    assert_eq!(outcome.code(), "E_UNAUTHORIZED");
    assert_eq!(reveal(&mut scene, OWNER, next[0], &parts[0], 1).json(), 0);
}

#[test]
fn what_hides_nothing_takes_whole_assets_and_is_not_revealed() {
    let mut scene = Scene::default();
    scene.collection(json!({}), AssetBatch::new(0, 3, 1));
    assert_eq!(collection(&scene)["reveal"], Value::Null);
    let outcome = reveal(&mut scene, OWNER, SALT, &part(0, 3), 1);
    assert_eq!(outcome.code(), "E_ALREADY_REVEALED");
    // With assets that everybody sees nothing is committed to.
    let outcome = hidden(&mut scene, &SALT, AssetBatch::new(0, 3, 1), true);
    assert_eq!(outcome.code(), "E_INVALID_ARGUMENT");
    let settings = json!({ "title": "Box", "reveal": { "commitment": "short" } });
    let args = create_args(&settings, true, copies(3, 1));
    assert_eq!(
        scene.call_raw(OWNER, "collection_create", args).code(),
        "E_INVALID_ARGUMENT"
    );
}

/// Who knows the order could give themselves the best of what is hidden; and of a made-up commitment a lock would promise
/// what nobody can keep.
#[test]
fn hidden_assets_are_neither_chosen_nor_locked() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near"]);
    let parts = [part(0, 2), part(2, 1)];
    let (commitment, next) = commit(&parts);
    hidden(&mut scene, &commitment, copies(3, 10), true).json();
    let choose = |scene: &mut Scene, asset: u32| {
        let args =
            json!({ "collection_id": 1, "receiver_ids": ["alice.near"], "asset_index": asset });
        scene.call(OWNER, "nft_batch_mint", args)
    };
    let lock = |scene: &mut Scene, what: Value| {
        let mut args = what;
        args["collection_id"] = json!(1);
        scene.sign(OWNER, "collection_lock", args)
    };
    for (next, part, left) in [(next[0], &parts[0], 1), (next[1], &parts[1], 0)] {
        // Also those that are shown already: the copies of the others follow from theirs.
        assert_eq!(choose(&mut scene, 0).code(), "E_INVALID_ARGUMENT");
        for what in [
            json!({ "locks": ["metadata"] }),
            json!({ "locks": ["royalties", "metadata"] }),
            json!({ "assets": [0] }),
        ] {
            assert_eq!(lock(&mut scene, what).code(), "E_INVALID_ARGUMENT");
        }
        assert_eq!(collection(&scene)["locks"], json!([]));
        scene.mint_many(1, "alice.near", 2).json();
        scene.chain.advance(1);
        let token = scene.sign(OWNER, "nft_lock", json!({ "token_id": "1:1" }));
        assert_eq!(token.code(), "E_INVALID_ARGUMENT");
        assert_eq!(scene.token("1:1")["locks"], json!([]));
        assert_eq!(reveal(&mut scene, OWNER, next, part, 1).json(), left);
    }
    scene.chain.advance(1);
    choose(&mut scene, 1).json();
    let shown = scene.token("1:1");
    scene
        .sign(OWNER, "nft_lock", json!({ "token_id": "1:1" }))
        .json();
    assert_eq!(
        scene.token("1:1")["metadata"]["media"],
        shown["metadata"]["media"]
    );
    lock(&mut scene, json!({ "locks": ["metadata"], "assets": [0] })).json();
    assert_eq!(collection(&scene)["locks"], json!(["metadata"]));
}

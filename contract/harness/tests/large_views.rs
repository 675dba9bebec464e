//! Views of collections of 10,000 assets stay within what marketplaces attach, whatever the subtitles, and their
//! results within what the protocol takes.

use harness::mintage::{
    AssetBatch, CONTRACT, OWNER, Scene, add_assets_args, create_args, digest, wasm, workspace,
};
use harness::{Action, NEAR, TGAS};
use serde_json::{Value, json};

const ASSETS: u32 = 10_000;

/// A collection of 10,000 assets with a reference and a subtitle of `subtitle` each, of which 1,000 are minted to alice.
fn scene(code: &[u8], subtitle: &dyn Fn(u32) -> String) -> Scene {
    let mut scene = Scene::new(code, 400 * NEAR);
    scene.accounts(["alice.near"]);
    let settings = json!({ "title": "Ten thousand", "description": "d".repeat(1_024) });
    let draft = create_args(&settings, false, AssetBatch::default());
    scene.call_raw(OWNER, "collection_create", draft).json();
    for first in (0..ASSETS).step_by(1_000) {
        let count = 1_000;
        let batch = AssetBatch {
            subtitles: (first..first + count).map(subtitle).collect(),
            subtitle_runs: (1..=count).map(|index| (1, index)).collect(),
            references: (first..first + count).flat_map(digest).collect(),
            ..AssetBatch::new(first, count, 1)
        };
        let args = add_assets_args(1, first, batch);
        scene.call_raw(OWNER, "collection_add_assets", args).json();
    }
    scene
        .call(OWNER, "collection_publish", json!({ "collection_id": 1 }))
        .json();
    for _ in 0..10 {
        scene.mint_many(1, "alice.near", 100).json();
    }
    scene
}

fn gas(scene: &Scene, method: &str, args: Value) -> f64 {
    let args = args.to_string().into_bytes();
    let (_, gas) = scene.chain.view_raw(CONTRACT, method, args).unwrap();
    gas as f64 / TGAS as f64
}

#[test]
fn views_of_ten_thousand_stay_within_what_markets_attach() {
    let subtitles: [(&str, &dyn Fn(u32) -> String); 4] = [
        ("short", &|n| format!("#{n}")),
        ("usual", &|n| format!("{n:0>12}")),
        ("long", &|n| format!("{n:0>110}")),
        ("longest", &|n| format!("{n:0>5}{}", "𝄞".repeat(251))),
    ];
    for (what, subtitle) in subtitles {
        let scene = scene(&wasm(), subtitle);
        for token in [1, 500, 999] {
            let one = gas(
                &scene,
                "nft_token",
                json!({ "token_id": format!("1:{token}") }),
            );
            println!("{what}: nft_token {one:.2}");
            assert!(one <= 5.0, "{what}: nft_token takes {one} Tgas");
        }
        let ids: Vec<String> = (0..50).map(|n| format!("1:{}", 1 + n * 19)).collect();
        for (method, args) in [
            ("nft_tokens", json!({ "from_index": "100", "limit": 50 })),
            (
                "nft_tokens_for_owner",
                json!({ "account_id": "alice.near", "from_index": "600", "limit": 50 }),
            ),
            (
                "collection_tokens",
                json!({ "collection_id": 1, "from_index": 300, "limit": 50 }),
            ),
            ("nft_tokens_by_ids", json!({ "token_ids": ids })),
            (
                "collection_assets",
                json!({ "collection_id": 1, "from_index": 5_000, "limit": 50 }),
            ),
        ] {
            let all = gas(&scene, method, args);
            println!("{what}: {method} of 50 {all:.2}");
            assert!(all <= 100.0, "{what}: {method} of 50 takes {all} Tgas");
        }
        let most = gas(&scene, "nft_tokens", json!({ "from_index": "100" }));
        println!("{what}: nft_tokens {most:.2}");
        assert!(most <= 200.0, "{what}: nft_tokens takes {most} Tgas");
        for (method, args) in [
            ("nft_tokens", json!({ "limit": 10_000 })),
            (
                "nft_tokens_for_owner",
                json!({ "account_id": "alice.near", "limit": 10_000 }),
            ),
            (
                "collection_tokens",
                json!({ "collection_id": 1, "limit": 10_000 }),
            ),
            (
                "collection_assets",
                json!({ "collection_id": 1, "from_index": 300, "limit": 10_000 }),
            ),
        ] {
            let page = gas(&scene, method, args);
            println!("{what}: {method}, the longest page {page:.2}");
            assert!(page <= 300.0, "{what}: {method} takes {page} Tgas");
        }
        let args = json!({ "collection_id": 1, "from_index": 9_998 });
        let last = scene.view("collection_assets", args);
        assert_eq!(last[1]["subtitle"], subtitle(9_999));
    }
}

/// A list as long as it may be, of the longest names.
fn list_of_most(kind: &str) -> Vec<String> {
    let name = |number: u32| format!("{kind}{number:x>63}");
    (0..1_000).map(name).collect()
}

/// Pages of collections end before a view's gas does, whatever the lists, and reading goes on behind them.
#[test]
fn pages_of_collections_with_full_lists_fit_a_view() {
    let letters = || (b'a'..=b'z').chain(b'0'..=b'9').map(char::from);
    let pairs = || letters().flat_map(|one| letters().map(move |two| format!("{one}{two}")));
    let named = |number: u32| format!("collector-{number:0>4}.near");
    let lists: [(&str, Vec<String>); 4] = [
        ("none", vec![]),
        ("a few short names", pairs().take(40).collect()),
        ("short names", pairs().take(1_000).collect()),
        ("usual names", (0..1_000).map(named).collect()),
    ];
    for (what, names) in lists {
        let mut scene = Scene::new(&wasm(), 4_000 * NEAR);
        let settings = json!({
            "description": "d".repeat(300), "bypass_mint_fee_accounts": names,
            "approvals_allowed_accounts": names, "approvals_denied_accounts": names,
            "transfers_denied_accounts": names
        });
        let count = if names.len() < 100 { 260 } else { 52 };
        for _ in 0..count {
            scene.collection(settings.clone(), AssetBatch::new(0, 1, 1));
        }
        let (mut seen, mut pages) = (vec![], vec![]);
        loop {
            let args = json!({ "from_index": seen.len(), "limit": 10_000 });
            let page = scene.view("collections", args.clone());
            let page = page.as_array().unwrap();
            if page.is_empty() {
                break;
            }
            let used = gas(&scene, "collections", args);
            println!("{what}: {} collections {used:.2}", page.len());
            assert!(used <= 300.0, "{what}: {used} Tgas");
            seen.extend(page.iter().map(|it| it["collection_id"].clone()));
            pages.push(page.len());
        }
        assert_eq!(seen, (1..=count).map(|id| json!(id)).collect::<Vec<_>>());
        assert!(pages.len() > 1, "{what}: {pages:?}");
    }
}

/// Three lists of these.
fn settings_of_most() -> Value {
    json!({
        "description": "d".repeat(1_024), "ongoing_royalties": { "artist.near": 500 },
        "approvals_allowed_accounts": list_of_most("a"), "approvals_denied_accounts": list_of_most("b"),
        "transfers_denied_accounts": list_of_most("c")
    })
}

/// Layout 2 kept the lists among the details. They are valid there, views of tokens pass them, and the first change of
/// the settings gives them a record of their own.
#[test]
fn lists_of_layout_2_stay_valid_and_move_with_the_next_change() {
    let previous = std::fs::read(workspace("harness/fixtures/previous.wasm")).unwrap();
    let mut scene = Scene::new(&previous, 400 * NEAR);
    scene.accounts(["alice.near"]);
    scene.collection(settings_of_most(), AssetBatch::new(0, 10, 3));
    scene.mint_many(1, "alice.near", 5).json();
    let hash = scene.chain.publish(&wasm()).to_string();
    let upgrade = scene.sign(OWNER, "upgrade", json!({ "code_hash": hash }));
    assert!(upgrade.succeeded(), "{}", upgrade.code());
    let in_1 = || json!({ "collection_id": 1 });
    scene.call(OWNER, "collection_migrate", in_1()).json();
    let works = |scene: &Scene| {
        let mut scene = scene.clone();
        let denied = &list_of_most("c")[500];
        assert_eq!(
            scene.transfer("alice.near", denied, "1:1").code(),
            "E_TRANSFER_DENIED"
        );
        for (account, code) in [
            (&list_of_most("a")[7], ""),
            (&list_of_most("b")[7], "E_APPROVAL_DENIED"),
            (&"market.near".to_owned(), "E_APPROVAL_DENIED"),
        ] {
            let args = json!({ "token_id": "1:1", "account_id": account });
            let outcome = scene.pay("alice.near", "nft_approve", args, NEAR / 100);
            assert_eq!(outcome.code(), code, "{account}");
        }
        assert!(scene.transfer("alice.near", "bob.near", "1:1").succeeded());
    };
    let one = |scene: &Scene| gas(scene, "nft_token", json!({ "token_id": "1:2" }));
    let bytes = |scene: &Scene| scene.chain.storage_usage(CONTRACT);
    works(&scene);
    let (shown, token) = (scene.view("collection", in_1()), scene.token("1:2"));
    println!("lists of layout 2: nft_token {:.2}", one(&scene));
    assert!(one(&scene) <= 5.0, "{}", one(&scene));
    let before = bytes(&scene);
    let same = json!({ "collection_id": 1, "allow_approvals": true });
    let outcome = scene.sign(OWNER, "collection_update", same);
    assert!(outcome.succeeded(), "{}", outcome.code());
    assert!(bytes(&scene) < before + 100, "nothing is stored twice");
    assert!(one(&scene) <= 2.0, "{}", one(&scene));
    assert_eq!(scene.view("collection", in_1()), shown);
    assert_eq!(scene.token("1:2"), token);
    works(&scene);
    // Without lists there is no record of them.
    let none = json!({
        "collection_id": 1, "approvals_allowed_accounts": null, "approvals_denied_accounts": null,
        "transfers_denied_accounts": null
    });
    scene.sign(OWNER, "collection_update", none).json();
    let records = scene.chain.records(CONTRACT).into_iter();
    assert_eq!(records.filter(|(key, _)| key[0] == b'w').count(), 0);
    let args = json!({ "token_id": "1:1", "receiver_id": list_of_most("c")[500] });
    assert!(scene.sign("alice.near", "nft_transfer", args).succeeded());
}

/// Tokens of as many collections, each with the longest description, three lists of the most accounts and the longest
/// names, subtitles of 110 characters and references: no account of a list is looked at to show a token.
#[test]
fn lists_of_a_thousand_accounts_leave_tokens_cheap() {
    let mut scene = Scene::new(&wasm(), 4_000 * NEAR);
    scene.accounts(["alice.near", "bob.near"]);
    let settings = settings_of_most();
    for _ in 0..60 {
        let assets = AssetBatch {
            subtitles: (0..512).map(|n| format!("{n:0>110}")).collect(),
            subtitle_runs: (1..=512).map(|index| (1, index)).collect(),
            references: (0..512).flat_map(digest).collect(),
            ..AssetBatch::new(0, 512, 1)
        };
        let collection = scene.collection(settings.clone(), assets);
        scene.mint(collection, &["alice.near"]).json();
    }
    let token = json!({ "token_id": "7:1" });
    let sale = json!({ "token_id": "7:1", "balance": "10000" });
    for (method, args) in [("nft_token", token), ("nft_payout", sale)] {
        let one = gas(&scene, method, args);
        println!("three lists of 1,000: {method} {one:.2}");
        assert!(one <= 5.0, "{method} takes {one} Tgas");
    }
    let ids: Vec<String> = (1..=50).map(|n| format!("{n}:1")).collect();
    for (method, args) in [
        ("nft_tokens", json!({ "limit": 50 })),
        (
            "nft_tokens_for_owner",
            json!({ "account_id": "alice.near", "limit": 50 }),
        ),
        ("nft_tokens_by_ids", json!({ "token_ids": ids })),
    ] {
        let all = gas(&scene, method, args);
        println!("three lists of 1,000: {method} of 50 {all:.2}");
        assert!(all <= 100.0, "{method} of 50 takes {all} Tgas");
    }
    let shown = scene.view("collection", json!({ "collection_id": 7 }));
    assert_eq!(
        shown["transfers_denied_accounts"][999],
        list_of_most("c")[999]
    );
    let denied = scene.transfer("alice.near", &list_of_most("c")[999], "7:1");
    assert_eq!(denied.code(), "E_TRANSFER_DENIED");
    let outcome = scene.transfer("alice.near", "bob.near", "7:1");
    assert!(outcome.succeeded(), "{}", outcome.code());
    println!("three lists of 1,000: nft_transfer {}", outcome.tgas());
}

/// A collection of layout 2 is shown from the pages that it has, for less gas than before, and like any other once they
/// have been taken over, which fits a call a page.
#[test]
fn pages_of_layout_2_are_read_and_taken_over() {
    let previous = std::fs::read(workspace("harness/fixtures/previous.wasm")).unwrap();
    let mut scene = scene(&previous, &|n| format!("{n:0>110}"));
    let hash = scene.chain.publish(&wasm()).to_string();
    let upgrade = scene.sign(OWNER, "upgrade", json!({ "code_hash": hash }));
    assert!(upgrade.succeeded(), "{}", upgrade.code());
    let one = |scene: &Scene| gas(scene, "nft_token", json!({ "token_id": "1:500" }));
    let fifty = |scene: &Scene| {
        let args = json!({ "from_index": "100", "limit": 50 });
        gas(scene, "nft_tokens", args)
    };
    assert!(one(&scene) <= 12.0, "{}", one(&scene));
    assert!(fifty(&scene) <= 100.0, "{}", fifty(&scene));
    let shown = scene.token("1:500");
    for left in [8_192, 4_096, 0] {
        let args = json!({ "collection_id": 1 });
        let outcome = scene.call(OWNER, "collection_migrate", args);
        assert_eq!(outcome.json(), left);
        assert!(outcome.gas < 200 * TGAS, "{}", outcome.tgas());
    }
    assert_eq!(scene.token("1:500"), shown);
    assert!(one(&scene) <= 5.0, "{}", one(&scene));
    println!("{} {}", one(&scene), fifty(&scene));
}

/// What a page of the release before is filled with: how many assets, by how many a call, and the subtitle of each.
struct LongPage {
    assets: u32,
    per_call: u32,
    subtitle: fn(u32) -> String,
}

/// As long as calls of 300 Tgas could make it.
const LONG: LongPage = LongPage {
    assets: 4_096,
    per_call: 64,
    subtitle: long_subtitle,
};

/// A collection of the release before with a page of long subtitles, and the contract upgraded. Published, it has
/// tokens, one of them listed, and an allowlist.
fn upgraded_with(page: &LongPage, published: bool) -> Scene {
    let previous = std::fs::read(workspace("harness/fixtures/previous.wasm")).unwrap();
    let mut scene = Scene::new(&previous, 200 * NEAR);
    scene.accounts(["alice.near", "bob.near", "market.near"]);
    let batch = |first: u32, count: u32| AssetBatch {
        copies: (first..first + count).map(|n| (1, n % 3 + 1)).collect(),
        subtitles: (first..first + count).map(page.subtitle).collect(),
        subtitle_runs: (1..=count).map(|n| (1, n)).collect(),
        ..AssetBatch::new(first, count, 1)
    };
    let settings = json!({ "title": "Long", "ongoing_royalties": { "bob.near": 500 } });
    let draft = create_args(&settings, false, AssetBatch::default());
    scene.call_raw(OWNER, "collection_create", draft).json();
    for first in (0..page.assets).step_by(page.per_call as usize) {
        let args = add_assets_args(1, first, batch(first, page.per_call));
        let call = Action::call_raw("collection_add_assets", args, 1_000 * TGAS, 0);
        scene.chain.transact(OWNER, CONTRACT, vec![call]).json();
    }
    if published {
        let args = json!({ "collection_id": 1 });
        scene.call(OWNER, "collection_publish", args).json();
        scene.mint_many(1, "alice.near", 90).json();
        let list = json!({ "token_id": "1:8", "account_id": "market.near" });
        scene
            .pay("alice.near", "nft_approve", list, NEAR / 10)
            .json();
        let listed = json!({ "collection_id": 1, "account_ids": ["bob.near"] });
        scene.call(OWNER, "allowlist_add", listed).json();
    }
    let hash = scene.chain.publish(&wasm()).to_string();
    let upgrade = scene.sign(OWNER, "upgrade", json!({ "code_hash": hash }));
    assert!(upgrade.succeeded(), "{}", upgrade.code());
    scene
}

fn long_subtitle(number: u32) -> String {
    format!("{number:0>4}{}", "漢".repeat(215))
}

/// What is seen of the collection, its assets and its tokens.
fn seen(scene: &Scene) -> Vec<Value> {
    let mut asked = vec![
        ("collection", json!({ "collection_id": 1 })),
        ("nft_tokens", json!({})),
        (
            "nft_tokens_for_owner",
            json!({ "account_id": "alice.near" }),
        ),
        (
            "is_allowlisted",
            json!({ "collection_id": 1, "account_id": "bob.near" }),
        ),
    ];
    for number in [0, 511, 512, 1_023, 2_500, 4_095] {
        let args = json!({ "collection_id": 1, "from_index": number, "limit": 1 });
        asked.push(("collection_assets", args));
    }
    if scene.view("nft_total_supply", json!({})) != "0" {
        let sale = json!({ "token_id": "1:8", "balance": "10000" });
        let market = json!({ "token_id": "1:8", "approved_account_id": "market.near" });
        asked.extend([("nft_payout", sale), ("nft_is_approved", market)]);
    }
    let view = |(method, args)| scene.view(method, args);
    asked.into_iter().map(view).collect()
}

/// A copy of the chain on which the collection is published if it is not, and everybody uses it.
fn assert_works(mut scene: Scene, published: bool, left: u64) {
    let of_1 = json!({ "collection_id": 1 });
    let total = scene.view("collection", of_1.clone())["total"].clone();
    if !published {
        let more = add_assets_args(1, 4_096, AssetBatch::new(4_096, 1, 1));
        let more = scene.clone().call_raw(OWNER, "collection_add_assets", more);
        assert_eq!(more.code(), if left > 0 { "E_MIGRATION" } else { "" });
        scene.call(OWNER, "collection_publish", of_1.clone()).json();
        scene.mint_many(1, "alice.near", 90).json();
        let list = json!({ "token_id": "1:8", "account_id": "market.near" });
        scene
            .pay("alice.near", "nft_approve", list, NEAR / 10)
            .json();
    }
    let first = json!({ "token_id": "1:1", "title": "Other" });
    let burn = json!({ "token_id": "1:2" });
    let buy = json!({ "token_id": "1:8", "receiver_id": "bob.near", "balance": "10000" });
    let lock = json!({ "collection_id": 1, "locks": ["royalties"], "assets": [7, 3_800] });
    for (signer, method, args) in [
        (OWNER, "nft_update", first.clone()),
        ("alice.near", "nft_burn", burn),
        ("market.near", "nft_transfer_payout", buy),
        (OWNER, "collection_lock", lock),
        (OWNER, "nft_lock", json!({ "token_id": "1:1" })),
    ] {
        let outcome = scene.sign(signer, method, args);
        assert!(outcome.succeeded(), "{method}: {:?}", outcome.failure());
    }
    assert_eq!(scene.owner_of("1:8"), "bob.near");
    scene.mint_many(1, "bob.near", 100).json();
    for number in [3, 100, 190] {
        let token = scene.token(&format!("1:{number}"));
        let title = token["metadata"]["title"].as_str().unwrap();
        assert!(
            title.starts_with("Long ") && title.ends_with('漢'),
            "{title}"
        );
    }
    assert_eq!(scene.view("collection", of_1)["total"], total);
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// Such a page is taken over in several calls, each of which says how far it came. All the while the collection shows
/// what it showed, everything works but adding assets, and nothing is stored twice.
#[test]
fn pages_with_long_subtitles_are_taken_over_in_several_calls() {
    for published in [false, true] {
        let mut scene = upgraded_with(&LONG, published);
        let (shown, before) = (seen(&scene), scene.chain.storage_usage(CONTRACT));
        assert_eq!(shown[8][0]["subtitle"], long_subtitle(2_500));
        assert_works(scene.clone(), published, 4_096);
        let (mut left, mut calls) = (4_096, 0);
        while left > 0 {
            let args = json!({ "collection_id": 1 });
            let outcome = scene.call(OWNER, "collection_migrate", args);
            assert!(outcome.succeeded(), "{:?}", outcome.failure());
            assert!(outcome.gas < 260 * TGAS, "{}", outcome.tgas());
            let now = outcome.json().as_u64().unwrap();
            assert!(now < left, "{now} of {left}");
            (left, calls) = (now, calls + 1);
            assert!(scene.chain.storage_usage(CONTRACT) < before + 40_000);
            assert_eq!(seen(&scene), shown);
            assert_works(scene.clone(), published, left);
        }
        assert_eq!(calls, 3, "2.7 MB are taken over");
        let old = |key: &[u8]| matches!(key[0], b'h' | b'f' | b's');
        let records = scene.chain.records(CONTRACT).into_iter();
        assert_eq!(records.filter(|(key, _)| old(key)).count(), 0);
    }
}

/// The longest page that calls of 300 Tgas could make is taken over by calls of 300 Tgas.
#[test]
fn the_longest_page_is_taken_over_with_the_gas_that_made_it() {
    let page = LongPage {
        assets: 3_180,
        per_call: 1_060,
        ..TOO_LONG
    };
    let mut scene = upgraded_with(&page, true);
    let shown = seen(&scene);
    let mut dearest = 0;
    loop {
        let args = json!({ "collection_id": 1 });
        let outcome = scene.call(OWNER, "collection_migrate", args);
        dearest = dearest.max(outcome.gas);
        if outcome.json() == 0 {
            break;
        }
    }
    assert!(dearest < 280 * TGAS, "{dearest}");
    assert_eq!(seen(&scene), shown);
}

/// Longer by calls of more than 300 Tgas than a receipt can read with the hashes beside it.
const TOO_LONG: LongPage = LongPage {
    assets: 3_900,
    per_call: 1_300,
    subtitle: |number| format!("{number:0>4}{}漢", "𝄞".repeat(251)),
};

/// No call can take such a page over, nor a part of it: whoever reads a record reads all of it. It stays where it is.
/// Views, which record nothing, show it in parts of any size, and everything else goes on.
#[test]
fn a_page_that_no_receipt_can_read_is_shown_and_harms_nobody() {
    let mut scene = upgraded_with(&TOO_LONG, true);
    let shown = seen(&scene);
    let args = json!({ "collection_id": 1 });
    let migrate = Action::call("collection_migrate", args, 1_000 * TGAS, 0);
    let outcome = scene.chain.transact(OWNER, CONTRACT, vec![migrate]);
    let failure = format!("{:?}", outcome.failure());
    assert!(failure.contains("RecordedStorageExceeded"), "{failure}");
    assert_eq!(seen(&scene), shown);
    let mut subtitles = vec![];
    for from in (0..TOO_LONG.assets).step_by(300) {
        let args = json!({ "collection_id": 1, "from_index": from, "limit": 300 });
        let part = scene.view("collection_assets", args);
        let part = part.as_array().unwrap().iter();
        subtitles.extend(part.map(|asset| asset["subtitle"].as_str().unwrap().to_owned()));
    }
    let all: Vec<String> = (0..TOO_LONG.assets).map(TOO_LONG.subtitle).collect();
    assert_eq!(subtitles, all);
    assert_works(scene, true, u64::from(TOO_LONG.assets));
}

/// Tokens whose metadata are longer than results may be come in shorter pages; whoever reads on behind what came gets
/// each once.
#[test]
fn results_end_below_four_mebibytes_and_reading_goes_on() {
    let mut scene = Scene::new(&wasm(), 400 * NEAR);
    scene.collection(json!({}), AssetBatch::new(0, 1, 1_000));
    let extra = "漢".repeat(16_384);
    for _ in 0..12 {
        let args = json!({
            "collection_id": 1, "receiver_ids": ["alice.near"], "quantity_per_receiver": 10,
            "metadata": { "extra": extra }
        });
        scene.call(OWNER, "nft_batch_mint", args).json();
    }
    let all: Vec<String> = (1..=120).map(|number| format!("1:{number}")).collect();
    for method in [
        "nft_tokens",
        "nft_tokens_for_owner",
        "collection_tokens",
        "nft_tokens_by_ids",
    ] {
        let (mut seen, mut pages) = (vec![], 0);
        loop {
            let from = seen.len();
            let args = match method {
                "nft_tokens" => json!({ "from_index": from.to_string() }),
                "collection_tokens" => json!({ "collection_id": 1, "from_index": from }),
                "nft_tokens_by_ids" => json!({ "token_ids": all[from..] }),
                _ => json!({ "account_id": "alice.near", "from_index": from.to_string() }),
            };
            let page = scene.view(method, args);
            let page = page.as_array().unwrap();
            if page.is_empty() {
                break;
            }
            seen.extend(page.iter().map(|token| token["token_id"].clone()));
            pages += 1;
        }
        assert_eq!(pages, 2, "{method}: a page of 3 MB, and the rest");
        seen.sort_by_key(|id| {
            id.as_str().unwrap().len() * 1_000 + id.as_str().unwrap()[2..].parse::<usize>().unwrap()
        });
        assert_eq!(json!(seen), json!(all), "{method}");
    }
}

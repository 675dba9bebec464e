//! Views of collections of 10,000 assets stay within what marketplaces attach, whatever the subtitles, and their
//! results within what the protocol takes.

use harness::mintage::{
    AssetBatch, CONTRACT, OWNER, Scene, add_assets_args, create_args, digest, wasm,
};
use harness::{NEAR, TGAS};
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
    let subtitles: [(&str, &dyn Fn(u32) -> String); 5] = [
        ("short", &|n| format!("#{n}")),
        ("usual", &|n| format!("{n:0>12}")),
        ("long", &|n| format!("{n:0>110}")),
        ("longer", &|n| format!("{n:0>250}")),
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
            assert!(all <= 30.0, "{what}: {method} of 50 takes {all} Tgas");
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

/// Pages of 50 collections with the dearest settings and states stay within what markets attach to a view: the longest lists and
/// texts, many phases, drafts of many assets, and many assets locked one by one.
#[test]
fn pages_of_fifty_collections_stay_within_what_markets_attach() {
    let phase = json!({
        "mint_fee": u128::MAX.to_string(), "currency": "c".repeat(64), "starts_at_ms": 1u64 << 60,
        "ends_at_ms": 1u64 << 61, "limit_per_account": u32::MAX, "supply": u32::MAX
    });
    let shares = |kind: &str| -> serde_json::Map<String, Value> {
        (0..9)
            .map(|number| (format!("{kind}{number:x>63}"), json!(1_000)))
            .collect()
    };
    let mut longest = settings_of_most();
    for (field, value) in [
        ("title", json!("𝄞".repeat(256))),
        ("description", json!("\u{1}".repeat(1_024))),
        ("bypass_mint_fee_accounts", json!(list_of_most("d"))),
        ("initial_royalties", json!(shares("i"))),
        ("ongoing_royalties", json!(shares("o"))),
        ("public_mint_config", phase.clone()),
        ("private_mint_config", phase.clone()),
        ("phases", json!(vec![phase.clone(); 6])),
    ] {
        longest[field] = value;
    }
    let check = |what: &str, scene: &Scene| {
        let used = gas(scene, "collections", json!({ "limit": 50 }));
        println!("{what}: {used:.2}");
        assert!(used <= 30.0, "{what}: {used} Tgas");
    };
    let of = |count: usize, settings: Value, last: Option<&Value>| {
        let mut scene = Scene::new(&wasm(), 40_000 * NEAR);
        for _ in 0..count {
            scene.collection(settings.clone(), AssetBatch::new(0, 10, 1));
        }
        if let Some(last) = last {
            scene.collection(last.clone(), AssetBatch::new(0, 1, 1));
        }
        scene
    };
    check(
        "plain, then the longest",
        &of(49, json!({}), Some(&longest)),
    );
    check("the longest", &of(50, longest.clone(), None));
    let phased = json!({ "phases": vec![phase; 6] });
    check("phases, then the longest", &of(49, phased, Some(&longest)));
    let mut locked = Scene::new(&wasm(), 40_000 * NEAR);
    let all: Vec<u32> = (0..10_000).collect();
    for collection in 1..=49 {
        locked.collection(json!({}), AssetBatch::new(0, 10_000, 1));
        for part in all.chunks(1_000) {
            let args = json!({ "collection_id": collection, "assets": part });
            locked.sign(OWNER, "collection_lock", args).json();
        }
    }
    locked.collection(longest.clone(), AssetBatch::new(0, 1, 1));
    check("locked assets, then the longest", &locked);
    let mut drafts = Scene::new(&wasm(), 40_000 * NEAR);
    for _ in 0..50 {
        let draft = create_args(
            &json!({ "title": "Draft" }),
            false,
            AssetBatch::new(0, 10_000, 1),
        );
        drafts.call_raw(OWNER, "collection_create", draft).json();
    }
    check("drafts", &drafts);
    assert_eq!(
        drafts.view("collection", json!({ "collection_id": 9 }))["total"],
        10_000
    );
}

/// Three lists of these.
fn settings_of_most() -> Value {
    json!({
        "description": "d".repeat(1_024), "ongoing_royalties": { "artist.near": 500 },
        "approvals_allowed_accounts": list_of_most("a"), "approvals_denied_accounts": list_of_most("b"),
        "transfers_denied_accounts": list_of_most("c")
    })
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
        assert!(all <= 60.0, "{method} of 50 takes {all} Tgas");
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

/// A record of a contract.
fn record(scene: &Scene, key: &[u8]) -> Vec<u8> {
    let records = scene.chain.records(CONTRACT);
    let found = records.into_iter().find(|record| record.0 == key);
    found.expect("the record is there").1
}

/// The key of a page of tokens.
fn page_key(collection: u32, page: u32) -> Vec<u8> {
    [b"t", &collection.to_be_bytes()[..], &page.to_be_bytes()].concat()
}

/// Makes a collection of which 68 tokens were minted, three pages, one of so many: `page` stands `times` more behind itself.
fn stretch(scene: &mut Scene, collection: u32, page: u32, times: u32) {
    let (repeated, last) = (
        record(scene, &page_key(collection, page)),
        record(scene, &page_key(collection, 1)),
    );
    for more in 1..=times {
        scene
            .chain
            .plant(CONTRACT, &page_key(collection, page + more), &repeated);
    }
    if page == 0 {
        scene
            .chain
            .plant(CONTRACT, &page_key(collection, times + 1), &last);
    }
    let key = [b"c", &collection.to_be_bytes()[..]].concat();
    let mut header = record(scene, &key);
    // Behind version, flags, assets and copies: tokens that were minted, and those that were burnt.
    for (at, more) in [
        (11, 32 * times),
        (15, if page == 0 { 32 * times } else { 0 }),
    ] {
        let number = u32::from_le_bytes(header[at..at + 4].try_into().unwrap());
        header[at..at + 4].copy_from_slice(&(number + more).to_le_bytes());
    }
    scene.chain.plant(CONTRACT, &key, &header);
}

/// A page of a list that begins at the end of one collection with burnt tokens and goes on behind the burnt ones of the
/// next: the view reads no more pages of both together than of one.
#[test]
fn collections_with_burnt_tokens_share_what_a_view_may_read() {
    for (pages, ends) in [(1_000, true), (1_240, true), (1_260, false), (2_400, false)] {
        let mut scene = Scene::new(&wasm(), 400 * NEAR);
        scene.accounts(["alice.near"]);
        for collection in 1..=2 {
            scene.collection(json!({}), AssetBatch::new(0, 1, 1_000_000));
            scene.mint_many(collection, "alice.near", 68).json();
        }
        for token in (1..=32).map(|n| format!("2:{n}")).chain(["1:1".into()]) {
            let args = json!({ "token_id": token });
            scene.sign("alice.near", "nft_burn", args).result().unwrap();
        }
        stretch(&mut scene, 1, 1, pages);
        stretch(&mut scene, 2, 0, pages);
        let shown = scene.view("collection", json!({ "collection_id": 1 }));
        let first = shown["minted"].as_u64().unwrap() - 1;
        let args = json!({ "from_index": (first - 2).to_string(), "limit": 5 }).to_string();
        let view = scene
            .chain
            .view_raw(CONTRACT, "nft_tokens", args.into_bytes());
        match view {
            Ok((page, gas)) => {
                println!(
                    "{pages} pages of each: {:.1} Tgas",
                    gas as f64 / TGAS as f64
                );
                let page: Value = serde_json::from_slice(&page).unwrap();
                let ids = page.as_array().unwrap().iter();
                let ids: Vec<&str> = ids
                    .map(|token| token["token_id"].as_str().unwrap())
                    .collect();
                let next = |number: u32| format!("2:{}", 32 * (pages + 1) + number);
                let expected = [
                    format!("1:{}", first),
                    format!("1:{}", first + 1),
                    next(1),
                    next(2),
                    next(3),
                ];
                assert_eq!(ids, expected);
                assert!(ends, "{pages} pages of each");
            }
            Err(failure) => {
                assert_eq!(failure.code(), Some("E_TOO_MANY"), "{failure:?}");
                assert!(!ends, "{pages} pages of each");
            }
        }
    }
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
            "collection_id": 1, "receiver_ids": ["alice.near"], "quantities": [10],
            "metadata": { "extra": extra }
        });
        scene.sign(OWNER, "nft_batch_mint", args).json();
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
        // A page of 100 ends with the token that reaches 180 kB, one of 50 at 90 kB; a token shows 49 kB.
        assert!((24..=60).contains(&pages), "{method}: {pages} pages");
        seen.sort_by_key(|id| {
            id.as_str().unwrap().len() * 1_000 + id.as_str().unwrap()[2..].parse::<usize>().unwrap()
        });
        assert_eq!(json!(seen), json!(all), "{method}");
    }
}

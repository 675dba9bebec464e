//! Every method before a mint and every method after it, in one receipt, on many seeds: whatever comes out, the receipt
//! burns the same gas for the same things, records as much storage proof, stores as many bytes, logs and answers the
//! same. So no limit on any of it can make success depend on the draw.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use harness::claims::{Issuer, Terms};
use harness::mintage::{
    ADMIN, AssetBatch, CONTRACT, OWNER, PLATFORM, Scene, add_assets_args, create_args, wasm,
};
use harness::{Action, CryptoHash, NEAR, Status, TGAS, TransactionOutcome};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use wasmparser::{ExternalKind, Parser, Payload};

/// The contract's owner and a collector in one, to whom every method is open.
const ALICE: &str = "alice.near";
const GAS: u64 = 60 * TGAS;

/// Calls of other contracts' or the protocol's, which no transaction of a person makes.
const NOT_FOR_PEOPLE: [&str; 5] = [
    "migrate",
    "new",
    "nft_resolve_transfer",
    "shares_resolve",
    "upgrade_check",
];

/// Claims a link of the drop that is there.
fn claim(link: u32, receiver: &str) -> (String, Action) {
    let args = Issuer::new("issuer")
        .link(CONTRACT, 2, link)
        .claim(receiver);
    call("nft_claim", args, 0)
}

/// The arguments of a voucher of that drop.
fn voucher(nonce: u32, receiver: &str, price: u128, currency: Option<&str>) -> Value {
    Issuer::new("issuer").voucher(&Terms {
        contract: CONTRACT,
        drop: 2,
        nonce,
        receiver,
        quantity: 1,
        price,
        currency,
        expires_at_ms: 1_900_000_000_000,
    })
}

/// A purchase for units of a token, for which alice's account stands.
fn purchase(quantity: u32) -> (String, Action) {
    sent(json!({ "collection_id": 1, "quantity": quantity }))
}

/// A voucher that is paid in that token.
fn redeemed(nonce: u32) -> (String, Action) {
    sent(json!({ "voucher": voucher(nonce, ALICE, 7, Some(ALICE)) }))
}

fn sent(msg: Value) -> (String, Action) {
    let args = json!({ "sender_id": "carol.near", "amount": "90", "msg": msg.to_string() });
    call("ft_on_transfer", args, 0)
}

fn call(method: &str, args: Value, deposit: u128) -> (String, Action) {
    (method.to_owned(), Action::call(method, args, GAS, deposit))
}

/// Each method of the contract with arguments that work, on the token `1:4` that a mint is about to make or has made,
/// where `mint` tells whether that one is there.
fn calls() -> Vec<(String, Action)> {
    let in_1 = || json!({ "collection_id": 1 });
    let with = |mut base: Value, more: Value| {
        let more = more.as_object().unwrap().clone();
        base.as_object_mut().unwrap().extend(more);
        base
    };
    let account = || json!({ "account_id": "bob.near" });
    let accounts = || with(in_1(), json!({ "account_ids": ["bob.near"] }));
    let mut calls = vec![];
    // The newest token, and one that everybody knows.
    for token in ["1:4", "1:1"] {
        let of = |more: Value| with(json!({ "token_id": token }), more);
        let to = |more: Value| with(of(json!({ "receiver_id": "bob.near" })), more);
        calls.extend([
            call("nft_token", of(json!({})), 0),
            call("nft_tokens_by_ids", json!({ "token_ids": [token] }), 0),
            call("nft_payout", of(json!({ "balance": "10000" })), 0),
            call(
                "nft_is_approved",
                of(json!({ "approved_account_id": "bob.near" })),
                0,
            ),
            call("nft_transfer", to(json!({})), 1),
            call("nft_transfer_call", to(json!({ "msg": "" })), 1),
            call("nft_transfer_payout", to(json!({ "balance": "10000" })), 1),
            call("nft_approve", of(account()), NEAR / 10),
            call("nft_revoke", of(account()), 1),
            call("nft_revoke_all", of(json!({})), 1),
            call("nft_update", of(json!({ "title": "Other" })), 1),
            call("nft_lock", of(json!({})), 1),
            call("nft_burn", of(json!({})), 1),
        ]);
    }
    let far = json!({ "collection_id": 1, "from_index": 1, "limit": 1 });
    let updates = ["1:1", "1:4"].map(|token| json!({ "token_id": token, "title": "Other" }));
    calls.extend([
        call(
            "nft_update_batch",
            with(in_1(), json!({ "updates": updates })),
            1,
        ),
        call("nft_mint", in_1(), 0),
        call(
            "nft_batch_mint",
            with(
                in_1(),
                json!({ "receiver_ids": ["bob.near", "carol.near"] }),
            ),
            0,
        ),
        call(
            "nft_mint",
            with(in_1(), json!({ "quantity": 2, "receiver_id": "bob.near" })),
            0,
        ),
        call("nft_batch_mint", chosen(0, 1), 0),
        call("nft_batch_mint", chosen(1, 1), 0),
        call("nft_batch_mint", chosen(2, 40), 0),
        purchase(2),
        redeemed(8),
        claim(0, "bob.near"),
        call(
            "claim_eligibility",
            Issuer::new("issuer").link(CONTRACT, 2, 3).claim("bob.near"),
            0,
        ),
        call("voucher_mint", voucher(4, "bob.near", NEAR, None), NEAR),
        call("voucher_eligibility", voucher(5, "bob.near", NEAR, None), 0),
        call("drop", json!({ "drop_id": 2 }), 0),
        call("drops", json!({}), 0),
        call(
            "drop_create",
            with(
                in_1(),
                json!({
                    "issuer_public_key": Issuer::new("issuer").public_key(), "links": 3,
                    "expires_at_ms": 1_900_000_000_000u64
                }),
            ),
            1,
        ),
        call(
            "drop_update",
            json!({ "drop_id": 2, "reserve": NEAR.to_string() }),
            1,
        ),
        call("drop_close", json!({ "drop_id": 1 }), 0),
        call("nft_tokens", json!({}), 0),
        call("nft_tokens_for_owner", json!({ "account_id": ALICE }), 0),
        call("nft_supply_for_owner", json!({ "account_id": ALICE }), 0),
        call("nft_total_supply", json!({}), 0),
        call("nft_metadata", json!({}), 0),
        call("contract_source_metadata", json!({}), 0),
        call("collection", in_1(), 0),
        call("collections", json!({}), 0),
        call("collection_assets", in_1(), 0),
        call("collection_assets", far.clone(), 0),
        call("collection_tokens", in_1(), 0),
        call("collection_tokens", far, 0),
        call("is_allowlisted", with(in_1(), account()), 0),
        call("mint_eligibility", with(in_1(), account()), 0),
        call("contract_roles", json!({}), 0),
        call("contract_balance", json!({}), 0),
        call("contract_version", json!({}), 0),
        call(
            "collection_update",
            with(in_1(), json!({ "title": "T" })),
            1,
        ),
        call("collection_publish", json!({ "collection_id": 2 }), 0),
        call("collection_lock", with(in_1(), json!({ "assets": [1] })), 1),
        call(
            "collection_lock",
            with(in_1(), json!({ "locks": ["metadata", "supply"] })),
            1,
        ),
        call("draws_tell", in_1(), 0),
        call("shares_withdraw", json!({}), 1),
        call("shares_withdraw", json!({ "currency": ALICE }), 1),
        call("shares_of", account(), 0),
        call("staff_mints_allow", with(in_1(), json!({ "more": 1 })), 1),
        call("upgrade_announce", json!({}), 1),
        call("contract_upgrade", json!({}), 0),
        call("allowlist_add", accounts(), 1),
        call("allowlist_remove", accounts(), 1),
        call("allowlist_clear", in_1(), 1),
        call("allowlist_sweep", with(in_1(), json!({ "limit": 1 })), 0),
        call("withdraw", json!({}), 1),
        call("admin_add", account(), 1),
        call("admin_remove", account(), 1),
        call("owner_propose", account(), 1),
        call("owner_accept", json!({}), 1),
        call("platform_set", account(), 1),
        call("contract_metadata_update", json!({ "name": "N" }), 1),
        call(
            "upgrade",
            json!({ "code_hash": CryptoHash::hash_bytes(b"").to_string() }),
            1,
        ),
    ]);
    let few = AssetBatch::new(900, 2, 1);
    let settings = json!({ "title": "More" });
    for (method, args) in [
        (
            "collection_create",
            create_args(&settings, true, few.clone()),
        ),
        ("collection_add_assets", add_assets_args(2, 5, few)),
    ] {
        calls.push((method.to_owned(), Action::call_raw(method, args, GAS, 0)));
    }
    let mut args = 1u32.to_le_bytes().to_vec();
    args.extend_from_slice(&[3; 32]);
    args.extend_from_slice(&revealed());
    let reveal = Action::call_raw("collection_reveal", args, GAS, 1);
    calls.push(("collection_reveal".to_owned(), reveal));
    calls
}

/// Copies of an asset that is chosen.
fn chosen(asset: u32, quantity: u32) -> Value {
    json!({
        "collection_id": 1, "receiver_ids": [ALICE], "quantities": [quantity], "asset_index": asset
    })
}

/// What draws: by a collector, for a collector, for whoever holds a link, and several at once.
fn mints() -> Vec<(String, Action)> {
    let batch = |more: Value| {
        let mut args = json!({ "collection_id": 1, "receiver_ids": [ALICE] });
        args.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        call("nft_batch_mint", args, 0)
    };
    let orders = json!([
        { "receiver_ids": [ALICE], "quantities": [2] },
        { "receiver_ids": [ALICE], "asset_index": 2 }
    ]);
    vec![
        call("nft_mint", json!({ "collection_id": 1 }), 0),
        batch(json!({})),
        claim(1, ALICE),
        purchase(1),
        redeemed(9),
        call("voucher_mint", voucher(6, ALICE, NEAR, None), NEAR),
        call("voucher_mint", voucher(7, ALICE, 0, None), 0),
        batch(json!({ "quantities": [7], "metadata": { "extra": "{}" } })),
        call(
            "nft_batch_mint",
            json!({ "collection_id": 1, "mints": orders }),
            0,
        ),
        call(
            "nft_mint",
            json!({ "collection_id": 1, "quantity": 5, "receiver_id": "bob.near" }),
            0,
        ),
    ]
}

/// The first two of a hidden collection's assets, as they are revealed.
fn revealed() -> Vec<u8> {
    let batch = AssetBatch {
        copies: vec![],
        subtitles: vec!["A subtitle that is rather long".into()],
        subtitle_runs: vec![(1, 0), (1, 1)],
        ..AssetBatch::new(0, 2, 1)
    };
    borsh::to_vec(&batch).unwrap()
}

fn scene(assets: AssetBatch) -> Scene {
    let mut scene = Scene::new(&wasm(), 200 * NEAR);
    collection(&mut scene, assets);
    in_use(scene)
}

/// A collection that all may mint of, and a draft.
fn collection(scene: &mut Scene, assets: AssetBatch) {
    scene.accounts([ALICE, "bob.near", "carol.near"]);
    let mut settings = json!({
        "public_mint_config": { "mint_fee": "0" }, "phases": [{ "mint_fee": "40", "currency": ALICE }],
        "initial_royalties": { "artist.near": 1_000 }, "ongoing_royalties": { "artist.near": 100 }
    });
    if assets.media.is_empty() {
        let digest = Sha256::digest([&Sha256::digest(revealed())[..], &[3; 32]].concat());
        settings["reveal"] = json!({ "commitment": STANDARD.encode(digest) });
    }
    scene.collection(settings, assets);
    let draft = create_args(
        &json!({ "title": "Draft" }),
        false,
        AssetBatch::new(0, 5, 1),
    );
    scene.call_raw(OWNER, "collection_create", draft).json();
}

/// With drops of which one is over, tokens, and alice as the owner of all.
fn in_use(mut scene: Scene) -> Scene {
    let issuer = Issuer::new("issuer");
    let over = scene.drop(1, &issuer, 1, 1);
    scene.drop(1, &issuer, 10, 1);
    let all = issuer.link(CONTRACT, over, 0).claim(ALICE);
    scene.call(ALICE, "nft_claim", all).json();
    scene.mint_many(1, ALICE, 2).json();
    let alice = json!({ "account_id": ALICE });
    for (signer, method) in [
        (OWNER, "owner_propose"),
        (ALICE, "owner_accept"),
        (ALICE, "owner_propose"),
        (PLATFORM, "platform_set"),
    ] {
        let outcome = scene.sign(signer, method, alice.clone());
        assert!(outcome.succeeded(), "{method}: {}", outcome.code());
    }
    scene
        .sign(ALICE, "admin_remove", json!({ "account_id": ADMIN }))
        .json();
    scene
}

/// Assets whose remaining copies lie on three pages, 1,672 on each but the last, and are as many everywhere: draws come
/// from each page about as often.
fn on_pages() -> AssetBatch {
    AssetBatch::new(0, 5_000, 200)
}

/// An asset of each of these pages.
const OF_EACH_PAGE: [u32; 3] = [0, 2_000, 4_000];

/// A few unlike assets in the header, thousands on pages of their own, and a few that are hidden.
fn scenes() -> [Scene; 3] {
    let unlike = AssetBatch {
        copies: vec![(1, 100), (1, 3), (1, 100)],
        subtitles: vec!["A long subtitle, number $TOKEN_NUM".repeat(5), "B".into()],
        subtitle_runs: vec![(1, 0), (1, 1), (1, 2)],
        references: [[0; 32], [7; 32], [0; 32]].concat(),
        ..AssetBatch::new(0, 3, 1)
    };
    let hidden = AssetBatch {
        copies: vec![(1, 100), (2, 3)],
        ..AssetBatch::default()
    };
    [scene(unlike), scene(on_pages()), scene(hidden)]
}

/// Runs a batch on a chain of this entropy.
fn run(base: &Scene, entropy: u64, batch: &[Action]) -> TransactionOutcome {
    let mut scene = base.clone();
    scene.chain.entropy = entropy;
    scene.chain.transact(ALICE, CONTRACT, batch.to_vec())
}

/// Whether the first receipt, the batch itself, succeeded.
fn succeeded(outcome: &TransactionOutcome) -> bool {
    !matches!(outcome.receipts[0].status, Status::Failed(..))
}

/// All that can be observed of a batch but the ids of the receipts that it made.
fn observe(outcome: &TransactionOutcome) -> String {
    let receipts = outcome.receipts.iter().map(|receipt| {
        let status = match &receipt.status {
            Status::Receipt(_) => "made a receipt".to_owned(),
            other => format!("{other:?}"),
        };
        let gas = (receipt.gas, &receipt.profile);
        let (methods, logs) = (&receipt.methods, &receipt.logs);
        format!("{status} {gas:?} {} {methods:?} {logs:?}", receipt.proof)
    });
    let receipts: Vec<_> = receipts.collect();
    format!("{receipts:#?}\nbytes {:?}", outcome.bytes)
}

/// Asserts that a batch looks the same on all seeds. Returns whether it succeeds.
fn assert_alike(what: &str, base: &Scene, seeds: u64, batch: &[Action]) -> bool {
    let first = run(base, 0, batch);
    let expected = observe(&first);
    for entropy in 1..seeds {
        let seen = observe(&run(base, entropy, batch));
        assert_eq!(seen, expected, "{what}: the draw of seed {entropy} shows");
    }
    succeeded(&first)
}

#[test]
fn every_method_is_tried() {
    let tried: BTreeSet<String> = calls().into_iter().map(|call| call.0).collect();
    let wasm = wasm();
    for payload in Parser::new(0).parse_all(&wasm) {
        let Payload::ExportSection(section) = payload.unwrap() else {
            continue;
        };
        for export in section {
            let export = export.unwrap();
            if export.kind == ExternalKind::Func && !NOT_FOR_PEOPLE.contains(&export.name) {
                assert!(tried.contains(export.name), "{} is not tried", export.name);
            }
        }
    }
}

/// The draw itself, of one and of several.
#[test]
fn a_draw_costs_the_same_whatever_comes_out() {
    for base in scenes() {
        let shown = base.view("collection", json!({ "collection_id": 1 }));
        let hides = shown["reveal"]["state"] == "hidden";
        for (name, mint) in mints() {
            // What is hidden is not chosen.
            let chooses = matches!(&mint, Action::FunctionCall { args, .. }
                if String::from_utf8_lossy(args).contains("asset_index"));
            let passed = assert_alike(&name, &base, 40, &[mint]);
            assert_eq!(passed, !(hides && chooses), "{name}");
        }
    }
}

fn search(part: usize) {
    let (mut passed, mut all) = (0, 0);
    for base in scenes() {
        for (name, mint) in mints().into_iter().take(3) {
            for (before_name, before) in calls().into_iter().skip(part).step_by(4) {
                for (after_name, after) in calls() {
                    let what = format!("{before_name}, {name}, {after_name}");
                    let batch = [before.clone(), mint.clone(), after];
                    passed += u32::from(assert_alike(&what, &base, 4, &batch));
                    all += 1;
                }
            }
        }
    }
    assert!(passed * 2 > all, "only {passed} of {all} pairs go through");
}

#[test]
fn no_pair_of_methods_around_a_mint_can_tell_draws_apart_1() {
    search(0);
}

#[test]
fn no_pair_of_methods_around_a_mint_can_tell_draws_apart_2() {
    search(1);
}

#[test]
fn no_pair_of_methods_around_a_mint_can_tell_draws_apart_3() {
    search(2);
}

#[test]
fn no_pair_of_methods_around_a_mint_can_tell_draws_apart_4() {
    search(3);
}

/// The least gas with which the second of two mints succeeds, to ten million.
fn least_gas(base: &Scene, entropy: u64, first: &Action, second: &dyn Fn(u64) -> Action) -> u64 {
    let (mut low, mut high) = (0, 100 * TGAS);
    while high - low > 10_000_000 {
        let middle = (low + high) / 2;
        let batch = [first.clone(), second(middle)];
        if succeeded(&run(base, entropy, &batch)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// A lone draw, and then whatever draws or takes chosen copies, of each page once, with any limit of gas: from which
/// limit on the second succeeds is the same for all draws, also where the two touch the same page or not.
#[test]
fn no_limit_of_gas_of_a_second_mint_tells_draws_apart() {
    let base = scene(on_pages());
    let first = mints().swap_remove(0).1;
    let of_page = |asset: u32| call("nft_batch_mint", chosen(asset, 1), 0);
    let seconds = mints().into_iter().chain(OF_EACH_PAGE.map(of_page));
    for (at, (name, second)) in seconds.enumerate() {
        let second = |gas: u64| {
            let mut action = second.clone();
            if let Action::FunctionCall { gas: limit, .. } = &mut action {
                *limit = gas;
            }
            action
        };
        let limits: BTreeSet<u64> = (0..24)
            .map(|entropy| least_gas(&base, entropy, &first, &second))
            .collect();
        assert_eq!(limits.len(), 1, "{at}, {name}: {limits:?}");
    }
}

/// As many pages of copies as there can be, with as many bytes as they can have: 4 kB each.
fn sixteen_pages() -> Scene {
    let mut scene = Scene::new(&wasm(), 400 * NEAR);
    scene.accounts([ALICE, "bob.near", "carol.near"]);
    let settings = json!({
        "title": "Many", "public_mint_config": { "mint_fee": "0" },
        "phases": [{ "mint_fee": "40", "currency": ALICE }]
    });
    let draft = create_args(&settings, false, AssetBatch::new(0, 8_192, 200));
    scene.call_raw(OWNER, "collection_create", draft).json();
    for first in (8_192..65_536).step_by(8_192) {
        let args = add_assets_args(1, first, AssetBatch::new(first, 8_192, 200));
        scene.call_raw(OWNER, "collection_add_assets", args).json();
    }
    let publish = json!({ "collection_id": 1 });
    scene.call(OWNER, "collection_publish", publish).json();
    in_use(scene)
}

/// A mint that has the gas that it asks for never runs out of it: so nothing behind that question can undo a draw. Here
/// are the dearest mints, the second ones of their block, of a collection with sixteen pages of copies.
#[test]
fn the_gas_that_a_mint_asks_for_is_enough() {
    let base = sixteen_pages();
    let lone = mints().swap_remove(0).1;
    let receivers: Vec<String> = (0..100).map(|n| format!("{n:x>64}")).collect();
    let batch = |more: Value| {
        let mut args = json!({ "collection_id": 1, "receiver_ids": receivers });
        let more = more.as_object().unwrap().clone();
        args.as_object_mut().unwrap().extend(more);
        call("nft_batch_mint", args, 0)
    };
    let both = json!({ "collection_id": 1, "mints": [
        { "receiver_ids": [ALICE] }, { "receiver_ids": [ALICE], "asset_index": 65_535 }
    ] });
    let long = "漢".repeat(300);
    let metadata = json!({ "title": "漢".repeat(256), "description": long, "extra": long });
    let seconds = mints().into_iter().chain([
        batch(json!({})),
        batch(json!({ "asset_index": 50_000 })),
        batch(json!({ "metadata": metadata })),
        call("nft_batch_mint", both, 0),
    ]);
    for (at, (name, second)) in seconds.enumerate() {
        let code = |gas: u64| {
            let mut action = second.clone();
            if let Action::FunctionCall { gas: limit, .. } = &mut action {
                *limit = gas;
            }
            run(&base, 0, &[lone.clone(), action]).code()
        };
        let asks = |gas: u64| code(gas) == "E_GAS_TOO_LOW";
        let mut low = (2..200)
            .map(|tgas| tgas * TGAS)
            .find(|&gas| asks(gas))
            .unwrap();
        let mut high = 280 * TGAS;
        while high - low > 10_000_000 {
            let middle = (low + high) / 2;
            if asks(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        println!("{at}, {name}: {:.1} Tgas", high as f64 / 1e12);
        assert_eq!(code(high), "", "{at}, {name} with {high}");
    }
}

/// Draws and chosen copies of each page in one receipt, in any order: all that shows of it is the same for all draws,
/// the gas of each action included.
#[test]
fn draws_and_chosen_copies_of_any_page_look_the_same() {
    let base = scene(on_pages());
    let draws = mints().into_iter().take(2).map(|mint| mint.1);
    let of_page = |asset: u32| call("nft_batch_mint", chosen(asset, 1), 0).1;
    let actions: Vec<Action> = draws.chain(OF_EACH_PAGE.map(of_page)).collect();
    for first in &actions {
        for second in &actions {
            for third in &actions {
                let batch = [first.clone(), second.clone(), third.clone()];
                let what = format!("{batch:?}");
                assert!(assert_alike(&what, &base, 24, &batch), "{what} fails");
            }
        }
    }
}

/// The seeds that are tried draw from each page.
#[test]
fn draws_come_from_each_page() {
    let base = scene(on_pages());
    let mint = mints().swap_remove(0).1;
    let touched = |entropy: u64| {
        let mut scene = base.clone();
        scene.chain.entropy = entropy;
        let copies = |scene: &Scene| {
            let records = scene.chain.records(CONTRACT).into_iter();
            let pages = records.filter(|(key, _)| key[0] == b'n');
            pages.map(|(_, page)| page).collect::<Vec<_>>()
        };
        let before = copies(&scene);
        scene.chain.transact(ALICE, CONTRACT, vec![mint.clone()]);
        let after = copies(&scene);
        assert_eq!(after.len(), OF_EACH_PAGE.len());
        (0..after.len()).find(|&page| before[page] != after[page])
    };
    let pages: BTreeSet<_> = (0..24).map(touched).collect();
    assert_eq!(pages, [Some(0), Some(1), Some(2)].into());
}

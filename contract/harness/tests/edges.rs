//! The ends of what is allowed: full lists of accounts, numbers as large as their types, and the contract
//! itself as an account that others name.

use harness::mintage::{AssetBatch, CONTRACT, OWNER, Scene, digest};
use harness::stub::{Behaviour, Call, contract};
use harness::{Action, NEAR, Status, TGAS, TransactionOutcome};
use serde_json::{Value, json};

/// The lists that a collection's settings have.
const LISTS: [&str; 4] = [
    "bypass_mint_fee_accounts",
    "approvals_allowed_accounts",
    "approvals_denied_accounts",
    "transfers_denied_accounts",
];

/// As many accounts as each list takes, as `name` makes them of a list's number and their own.
fn full(name: impl Fn(usize, usize) -> String) -> Value {
    let mut settings = json!({});
    for (at, list) in LISTS.iter().enumerate() {
        settings[list] = (0..1_000).map(|n| name(at, n)).collect();
    }
    settings
}

/// The id of an implicit account.
fn implicit(list: usize, number: usize) -> String {
    let digest = digest((list * 1_000 + number) as u32);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn update(scene: &mut Scene, mut change: Value) -> TransactionOutcome {
    change["collection_id"] = json!(1);
    scene.sign(OWNER, "collection_update", change)
}

/// A collection whose four lists are full is made, changed and given the same lists in another order; a token of it is
/// minted with a wallet's gas, approved, and transferred with 30 Tgas.
#[test]
fn full_lists_stop_nothing() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    scene.accounts(["alice.near"]);
    let mut settings = full(implicit);
    settings["public_mint_config"] = json!({ "mint_fee": "0" });
    scene.collection(settings, AssetBatch::new(0, 1, 100));
    let backwards = full(|list, number| implicit(list, 999 - number));
    let again = LISTS.map(|list| json!({ list: backwards[list] }));
    let title = json!({ "title": "Other" });
    for change in again.into_iter().chain([title]) {
        let outcome = update(&mut scene, change);
        assert!(outcome.succeeded(), "{:?}", outcome.failure());
    }
    scene.public_mint("alice.near", 1, 0).json();
    let (allowed, denied) = (implicit(1, 999), implicit(3, 999));
    let args = json!({ "token_id": "1:1", "account_id": allowed });
    let approved = scene.pay("alice.near", "nft_approve", args, NEAR / 100);
    assert!(approved.succeeded(), "{:?}", approved.failure());
    let refused = scene.transfer("alice.near", &denied, "1:1");
    assert_eq!(refused.code(), "E_TRANSFER_DENIED");
    let moved = scene.transfer("alice.near", "bob.near", "1:1");
    assert!(moved.succeeded(), "{:?}", moved.failure());
    assert!(moved.gas < 30 * TGAS, "{}", moved.tgas());
}

/// Changes settings for less than `most` Tgas.
fn update_below(scene: &mut Scene, change: Value, most: u64) {
    let outcome = update(scene, change);
    assert!(outcome.succeeded(), "{:?}", outcome.failure());
    println!("{:.1} of {most} Tgas", outcome.tgas());
    assert!(outcome.gas < most * TGAS, "{}", outcome.tgas());
}

/// Lists are compared under the lock `transfers` alone, and only those that a call changes: whatever the names are, a
/// title is changed for little gas, and under the lock all lists are given in another order. Each list is refused all
/// the same where one of its names makes it narrower.
#[test]
fn full_lists_of_names_that_begin_alike_are_compared_for_little_gas() {
    let usual = |number: usize| format!("collector-{number:0>4}.near");
    let late = |number: usize| format!("{}.{number:0>8}", "a".repeat(55));
    let cases: [(&dyn Fn(usize) -> String, u64, u64); 2] = [(&usual, 20, 80), (&late, 40, 200)];
    for (name, title, lists) in cases {
        let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
        scene.collection(full(|_, n| name(n)), AssetBatch::new(0, 1, 100));
        let mixed = |step: usize| full(|_, n| name((n * step + 7) % 1_000));
        update_below(&mut scene, json!({ "title": "Other" }), title);
        update_below(&mut scene, mixed(617), lists);
        let args = json!({ "collection_id": 1, "locks": ["transfers"] });
        scene.sign(OWNER, "collection_lock", args).json();
        update_below(&mut scene, json!({ "title": "Another" }), title);
        update_below(&mut scene, mixed(389), lists);
        let mut other = mixed(1);
        for list in &LISTS[1..] {
            other[list][500] = json!("zoe.near");
            let outcome = update(&mut scene, json!({ *list: other[list] }));
            assert_eq!(outcome.code(), "E_LOCKED", "{list}");
        }
    }
}

/// Names that begin alike take the longest to compare. A token of a collection whose lists are full of them moves and
/// is approved all the same, and the lists can be cleared in one call and given again in the next.
#[test]
fn full_lists_of_names_that_differ_late_can_be_cleared_and_given_again() {
    let late = |list: usize, number: usize| {
        let begin = ["a", "b", "c", "d"][list].repeat(55);
        format!("{begin}.{number:0>8}")
    };
    let mut scene = Scene::new(&harness::mintage::wasm(), 1_000 * NEAR);
    scene.accounts(["alice.near"]);
    scene.collection(full(late), AssetBatch::new(0, 1, 100));
    scene.mint_many(1, "alice.near", 3).json();
    for token in ["1:1", "1:2"] {
        let args = json!({ "token_id": token, "account_id": late(1, 999) });
        let approved = scene.pay("alice.near", "nft_approve", args, NEAR / 100);
        assert!(approved.succeeded(), "{:?}", approved.failure());
        let moved = scene.transfer("alice.near", "bob.near", token);
        assert!(moved.gas < 30 * TGAS, "{}", moved.tgas());
        assert!(moved.succeeded(), "{:?}", moved.failure());
        let mut cleared = json!({ "title": "Other" });
        for list in LISTS {
            cleared[list] = Value::Null;
        }
        for change in [cleared, full(late)] {
            let outcome = update(&mut scene, change);
            assert!(outcome.succeeded(), "{:?}", outcome.failure());
            assert!(outcome.gas < 100 * TGAS, "{}", outcome.tgas());
        }
    }
    assert_eq!(scene.token("1:3")["metadata"]["title"], "Other");
}

/// Numbers at the end of their type are taken or refused by a rule, never by an overflow.
#[test]
fn the_largest_numbers_meet_a_rule() {
    let mut scene = Scene::new(&harness::mintage::wasm(), 50 * NEAR);
    scene.accounts(["alice.near", "bob.near"]);
    let (u32s, u64s, u128s) = (u32::MAX, u64::MAX, u128::MAX.to_string());
    let dear = json!({ "mint_fee": u128s, "starts_at_ms": 0, "ends_at_ms": u64s, "limit_per_account": u32s });
    scene.collection(
        json!({ "public_mint_config": dear }),
        AssetBatch::with_copies(&[u32::MAX - 1, 1]),
    );
    scene.mint(1, &["alice.near"]).json();
    let key = harness::claims::Issuer::new("issuer").public_key();
    let day = scene.chain.now_ms() + 86_400_000;
    let calls: Vec<(&str, &str, Value, u128)> = vec![
        (
            "bob.near",
            "nft_mint",
            json!({ "collection_id": 1, "quantity": 25 }),
            NEAR,
        ),
        (
            "bob.near",
            "nft_mint",
            json!({ "collection_id": 1, "quantity": 0 }),
            NEAR,
        ),
        (
            "bob.near",
            "nft_mint",
            json!({ "collection_id": 1, "quantity": 26 }),
            NEAR,
        ),
        (
            "bob.near",
            "nft_mint",
            json!({ "collection_id": u32s, "quantity": u32s }),
            NEAR,
        ),
        (
            OWNER,
            "nft_batch_mint",
            json!({ "collection_id": 1, "receiver_ids": [], "quantities": [] }),
            0,
        ),
        (
            OWNER,
            "nft_batch_mint",
            json!({ "collection_id": 1, "mints": [] }),
            0,
        ),
        (
            OWNER,
            "nft_batch_mint",
            json!({ "collection_id": 1, "receiver_ids": ["bob.near"], "asset_index": u32s }),
            0,
        ),
        (
            OWNER,
            "nft_batch_mint",
            json!({ "collection_id": 1, "receiver_ids": ["bob.near"], "quantities": [u32s] }),
            0,
        ),
        (OWNER, "withdraw", json!({ "amount": u128s }), 1),
        (
            OWNER,
            "withdraw",
            json!({ "amount": format!("{}0", u128::MAX) }),
            1,
        ),
        (
            OWNER,
            "drop_create",
            json!({ "collection_id": 1, "issuer_public_key": key, "links": u32s, "expires_at_ms": day }),
            1,
        ),
        (
            OWNER,
            "drop_create",
            json!({ "collection_id": 1, "issuer_public_key": key, "links": 1, "expires_at_ms": u64s }),
            1,
        ),
        (
            OWNER,
            "drop_create",
            json!({ "collection_id": 1, "issuer_public_key": key, "links": 10_000, "quantity": 25, "expires_at_ms": day, "reserve": u128s }),
            1,
        ),
        (
            OWNER,
            "drop_update",
            json!({ "drop_id": u32s, "reserve": u128s }),
            1,
        ),
        (
            OWNER,
            "collection_lock",
            json!({ "collection_id": 1, "assets": [u32s] }),
            1,
        ),
        (
            OWNER,
            "collection_update",
            json!({ "collection_id": 1, "ongoing_royalties": { "a.near": u64s, "b.near": 1 } }),
            1,
        ),
        (
            "alice.near",
            "nft_transfer",
            json!({ "token_id": "1:1", "receiver_id": "alice.near", "approval_id": u64s }),
            1,
        ),
        (
            "bob.near",
            "nft_transfer_payout",
            json!({ "token_id": "1:1", "receiver_id": "bob.near", "balance": u128s, "max_len_payout": u32s }),
            1,
        ),
        (
            "bob.near",
            "allowlist_sweep",
            json!({ "collection_id": 1, "limit": 0 }),
            0,
        ),
    ];
    for (signer, method, args, deposit) in calls {
        let outcome = scene.pay(signer, method, args.clone(), deposit);
        let code = outcome.code();
        assert!(
            code.starts_with("E_") && code != "E_INTERNAL",
            "{method} {args}: {code}"
        );
    }
    let taken = scene.call(
        "bob.near",
        "allowlist_sweep",
        json!({ "collection_id": 1, "limit": u32s }),
    );
    assert_eq!(taken.json(), 0);
    for (method, args) in [
        ("nft_tokens", json!({ "from_index": u128s, "limit": u64s })),
        (
            "nft_tokens_for_owner",
            json!({ "account_id": "alice.near", "from_index": u128s, "limit": u64s }),
        ),
        (
            "collection_tokens",
            json!({ "collection_id": 1, "from_index": u64s, "limit": u32s }),
        ),
        (
            "collection_assets",
            json!({ "collection_id": 1, "from_index": u64s, "limit": u32s }),
        ),
        ("collections", json!({ "from_index": u64s, "limit": u32s })),
        ("drops", json!({ "from_index": u64s, "limit": u32s })),
    ] {
        assert_eq!(scene.view(method, args), json!([]), "{method}");
    }
    let asked = json!({ "collection_id": 1, "account_id": "bob.near", "quantity": 25 });
    assert_eq!(scene.view("mint_eligibility", asked)["mint_fee"], u128s);
    let paid = scene.view(
        "nft_payout",
        json!({ "token_id": "1:1", "balance": u128s, "max_len_payout": u32s }),
    );
    assert_eq!(paid["payout"]["alice.near"], u128s);
    assert_eq!(scene.owner_of("1:1"), "alice.near");
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// The contract is royalty account, approved account, receiver and payee of itself: nothing is lost by it, and no token
/// stays where nobody could fetch it after a transfer with a call.
#[test]
fn the_contract_as_a_party_keeps_nothing() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "bob.near"]);
    let settings = json!({
        "public_mint_config": { "mint_fee": NEAR.to_string() },
        "initial_royalties": { CONTRACT: 9_500 }, "ongoing_royalties": { CONTRACT: 10_000 },
        "bypass_mint_fee_accounts": [CONTRACT]
    });
    scene.collection(settings, AssetBatch::new(0, 3, 10));
    scene.public_mint("alice.near", 1, NEAR).json();
    let approve = json!({ "token_id": "1:1", "account_id": CONTRACT, "msg": "migrate" });
    scene.pay("alice.near", "nft_approve", approve, NEAR / 100);
    let send = json!({ "receiver_id": CONTRACT, "token_id": "1:1", "msg": "" });
    let sent = scene.sign("alice.near", "nft_transfer_call", send);
    assert_eq!(sent.json(), false, "the token came back");
    assert_eq!(scene.owner_of("1:1"), "alice.near");
    assert_eq!(
        scene.token("1:1")["approved_account_ids"][CONTRACT],
        1,
        "the approval came back with its id"
    );
    let revoked = scene.sign("alice.near", "nft_revoke_all", json!({ "token_id": "1:1" }));
    assert!(revoked.succeeded(), "{:?}", revoked.failure());
    scene
        .sign(OWNER, "withdraw", json!({ "receiver_id": CONTRACT }))
        .json();
    let balance = scene.view("contract_balance", json!({}));
    assert_eq!(
        (&balance["owed"], &balance["missing"]),
        (&json!("0"), &json!("0"))
    );
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// A receiver burns the token on its way and asks for it back: it stays gone, and the deposits of the approvals that the
/// sender had made return once.
#[test]
fn a_token_that_is_burnt_on_its_way_returns_its_deposits_once() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "market.near"]);
    let burn = Call::new(
        CONTRACT,
        "nft_burn",
        json!({ "token_id": "1:1" }),
        20 * TGAS,
        1,
    );
    let burner = contract(&[("nft_on_transfer", Behaviour::Forward(burn))]);
    scene
        .chain
        .create_contract("burner.near", 10 * NEAR, &burner);
    scene.collection(json!({}), AssetBatch::new(0, 1, 3));
    scene.mint(1, &["alice.near"]).json();
    let approve = json!({ "token_id": "1:1", "account_id": "market.near" });
    scene.pay("alice.near", "nft_approve", approve, NEAR / 100);
    let owed = |scene: &Scene| scene.view("contract_balance", json!({}))["owed"].clone();
    assert_ne!(owed(&scene), "0");
    let send = json!({ "receiver_id": "burner.near", "token_id": "1:1", "msg": "" });
    let call = Action::call("nft_transfer_call", send, 100 * TGAS, 1);
    let outcome = scene.chain.transact("alice.near", CONTRACT, vec![call]);
    assert_eq!(outcome.json(), true);
    assert_eq!(scene.token("1:1"), Value::Null);
    assert_eq!(owed(&scene), "0");
    assert_eq!(scene.view("nft_total_supply", json!({})), "0");
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// A receiver answers with all the bytes that the protocol takes: the token returns with its approval, because its way
/// back reads no more of an answer than the one that counts.
#[test]
fn the_longest_answer_keeps_no_token() {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "market.near"]);
    let answer = Behaviour::Return(vec![b' '; 4 << 20]);
    let game = contract(&[("nft_on_transfer", answer)]);
    scene.chain.create_contract("game.near", 100 * NEAR, &game);
    scene.collection(json!({}), AssetBatch::new(0, 1, 3));
    scene.mint(1, &["alice.near"]).json();
    let approve = json!({ "token_id": "1:1", "account_id": "market.near" });
    scene.pay("alice.near", "nft_approve", approve, NEAR / 100);
    let send = json!({ "receiver_id": "game.near", "token_id": "1:1", "msg": "" });
    let call = Action::call("nft_transfer_call", send, 900 * TGAS, 1);
    let outcome = scene.chain.transact("alice.near", CONTRACT, vec![call]);
    let answered = outcome
        .receipts
        .iter()
        .any(|receipt| matches!(&receipt.status, Status::Value(bytes) if bytes.len() == 4 << 20));
    assert!(answered, "the answer was given");
    assert_eq!(outcome.json(), false);
    let token = scene.token("1:1");
    assert_eq!(token["owner_id"], "alice.near");
    assert_eq!(token["approved_account_ids"], json!({ "market.near": 1 }));
    assert_eq!(scene.chain.unaccounted(), 0);
}

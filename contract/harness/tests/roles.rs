//! Who may call what; the one-yocto rule; hand-over of the contract; withdrawal.

use harness::claims::Issuer;
use harness::mintage::{ADMIN, AssetBatch, CONTRACT, OWNER, PLATFORM, Scene, create_args, wasm};
use harness::{Action, CryptoHash, GAS_PRICE, NEAR, STORAGE_PRICE, TGAS};
use serde_json::{Value, json};

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.accounts(["alice.near", "next.near"]);
    scene
}

fn roles(scene: &Scene) -> Value {
    scene.view("contract_roles", json!({}))
}

fn amount(scene: &Scene, field: &str) -> u128 {
    scene.view("contract_balance", json!({}))[field]
        .as_str()
        .unwrap()
        .parse()
        .unwrap()
}

/// Every method that a function-call key must not reach, with arguments that would succeed for the owner.
fn guarded() -> Vec<(&'static str, Value)> {
    vec![
        ("withdraw", json!({ "amount": "1" })),
        ("admin_add", json!({ "account_id": "alice.near" })),
        ("admin_remove", json!({ "account_id": ADMIN })),
        ("owner_propose", json!({ "account_id": "next.near" })),
        ("contract_metadata_update", json!({ "name": "Other" })),
        (
            "upgrade_announce",
            json!({ "code_hash": "11111111111111111111111111111111" }),
        ),
        (
            "upgrade",
            json!({ "code_hash": "11111111111111111111111111111111" }),
        ),
    ]
}

#[test]
fn owner_methods_want_exactly_one_yocto_and_the_owner() {
    let mut scene = scene();
    for (method, args) in guarded() {
        for deposit in [0, 2, NEAR] {
            assert_eq!(
                scene.pay(OWNER, method, args.clone(), deposit).code(),
                "E_ONE_YOCTO",
                "{method} with {deposit}"
            );
        }
        for caller in [ADMIN, PLATFORM, "alice.near", CONTRACT] {
            assert_eq!(
                scene.sign(caller, method, args.clone()).code(),
                "E_UNAUTHORIZED",
                "{method} by {caller}"
            );
        }
    }
    let accept = scene.pay("next.near", "owner_accept", json!({}), 0);
    assert_eq!(accept.code(), "E_ONE_YOCTO");
    for deposit in [0, 2] {
        let args = json!({ "account_id": "alice.near" });
        assert_eq!(
            scene.pay(PLATFORM, "platform_set", args, deposit).code(),
            "E_ONE_YOCTO"
        );
    }
}

#[test]
fn the_contract_is_initialised_once_and_by_itself() {
    let mut scene = scene();
    let metadata = json!({ "spec": "nft-1.0.0", "name": "x", "symbol": "X" });
    let args = json!({ "network_id": "testnet", "owner_id": "alice.near", "platform_id": "alice.near", "metadata": metadata });
    for caller in [CONTRACT, OWNER, "alice.near"] {
        assert!(
            !scene.call(caller, "new", args.clone()).succeeded(),
            "{caller}"
        );
    }
    assert_eq!(roles(&scene)["owner_id"], OWNER);
    let mut fresh = harness::Chain::default();
    fresh.create_account("alice.near", NEAR);
    fresh.create_global_contract_user("fresh.near", NEAR, &harness::mintage::wasm());
    assert!(
        !fresh
            .call("alice.near", "fresh.near", "new", args.clone(), 0)
            .succeeded(),
        "a stranger takes no fresh contract"
    );
    assert!(
        fresh
            .call("fresh.near", "fresh.near", "new", args, 0)
            .succeeded()
    );
}

/// The way a contract is deployed: one batch of its parent account, which leaves no key.
#[test]
fn the_parent_deploys_in_one_batch() {
    let mut scene = scene();
    let hash = scene.chain.publish(&harness::mintage::wasm());
    let metadata = json!({ "spec": "nft-1.0.0", "name": "Shop", "symbol": "SHOP" });
    let args = json!({ "network_id": "testnet", "owner_id": "alice.near", "platform_id": PLATFORM, "metadata": metadata });
    let deploy = |args: &Value| {
        vec![
            Action::CreateAccount,
            Action::Transfer(NEAR),
            Action::UseGlobal(hash),
            Action::call("new", args.clone(), 50 * TGAS, 0),
        ]
    };
    let shop = "shop.mintage.near";
    for (field, value) in [
        ("owner_id", "Not an id"),
        ("network_id", ""),
        ("network_id", "main\nnet"),
        ("network_id", &"n".repeat(65)),
    ] {
        let mut wrong = args.clone();
        wrong[field] = json!(value);
        let failed = scene.chain.transact(PLATFORM, shop, deploy(&wrong));
        assert_eq!(failed.code(), "E_INVALID_ARGUMENT", "{field} {value:?}");
    }
    assert_eq!(
        scene.chain.storage_usage(shop),
        0,
        "a failed init leaves no account"
    );
    assert!(
        scene
            .chain
            .transact(PLATFORM, shop, deploy(&args))
            .succeeded()
    );
    let shown = scene.chain.view(shop, "contract_roles", json!({})).unwrap();
    assert_eq!(
        [
            &shown["network_id"],
            &shown["owner_id"],
            &shown["admin_ids"]
        ],
        [&json!("testnet"), &json!("alice.near"), &json!([])]
    );
    for caller in [PLATFORM, "alice.near"] {
        assert!(
            !scene
                .chain
                .call(caller, shop, "new", args.clone(), 0)
                .succeeded(),
            "nobody initialises it again"
        );
    }
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn admins_come_and_go() {
    let mut scene = scene();
    assert_eq!(roles(&scene)["admin_ids"], json!([ADMIN]));
    let mint = |scene: &mut Scene, who: &str| {
        scene.call(
            who,
            "nft_batch_mint",
            json!({ "collection_id": 1, "receiver_ids": ["a.near"] }),
        )
    };
    scene.collection(json!({}), AssetBatch::new(0, 1, 10));
    assert_eq!(mint(&mut scene, "alice.near").code(), "E_UNAUTHORIZED");
    scene
        .sign(OWNER, "admin_add", json!({ "account_id": "alice.near" }))
        .json();
    scene
        .sign(OWNER, "admin_add", json!({ "account_id": "alice.near" }))
        .result()
        .ok();
    assert_eq!(
        roles(&scene)["admin_ids"].as_array().unwrap().len(),
        2,
        "nobody is admin twice"
    );
    assert!(mint(&mut scene, "alice.near").succeeded());
    scene
        .sign(OWNER, "admin_remove", json!({ "account_id": "alice.near" }))
        .json();
    assert_eq!(mint(&mut scene, "alice.near").code(), "E_UNAUTHORIZED");
    assert_eq!(
        scene
            .sign(OWNER, "admin_add", json!({ "account_id": "Bad" }))
            .code(),
        "E_INVALID_ARGUMENT"
    );
}

#[test]
fn ownership_passes_in_two_steps() {
    let mut scene = scene();
    assert_eq!(
        scene.sign("next.near", "owner_accept", json!({})).code(),
        "E_UNAUTHORIZED"
    );
    scene
        .sign(OWNER, "owner_propose", json!({ "account_id": "next.near" }))
        .json();
    assert_eq!(roles(&scene)["proposed_owner_id"], "next.near");
    assert_eq!(
        roles(&scene)["owner_id"],
        OWNER,
        "nothing changes until it is accepted"
    );
    assert_eq!(
        scene.sign("alice.near", "owner_accept", json!({})).code(),
        "E_UNAUTHORIZED"
    );
    scene
        .sign(OWNER, "owner_propose", json!({ "account_id": null }))
        .json();
    assert_eq!(
        scene.sign("next.near", "owner_accept", json!({})).code(),
        "E_UNAUTHORIZED",
        "the proposal was taken back"
    );
    scene
        .sign(OWNER, "owner_propose", json!({ "account_id": "next.near" }))
        .json();
    scene.sign("next.near", "owner_accept", json!({})).json();
    assert_eq!(
        (
            &roles(&scene)["owner_id"],
            &roles(&scene)["proposed_owner_id"]
        ),
        (&json!("next.near"), &Value::Null)
    );
    assert_eq!(
        scene.sign(OWNER, "withdraw", json!({})).code(),
        "E_UNAUTHORIZED"
    );
    assert!(scene.sign("next.near", "withdraw", json!({})).succeeded());
    assert_eq!(
        scene.sign("next.near", "owner_accept", json!({})).code(),
        "E_UNAUTHORIZED",
        "an acceptance counts once"
    );
}

#[test]
fn the_platform_alone_changes_itself() {
    let mut scene = scene();
    for caller in [OWNER, ADMIN, "alice.near"] {
        assert_eq!(
            scene
                .sign(
                    caller,
                    "platform_set",
                    json!({ "account_id": "alice.near" })
                )
                .code(),
            "E_UNAUTHORIZED"
        );
    }
    scene
        .sign(
            PLATFORM,
            "platform_set",
            json!({ "account_id": "next.near" }),
        )
        .json();
    assert_eq!(roles(&scene)["platform_id"], "next.near");
    assert_eq!(
        scene
            .sign(
                PLATFORM,
                "platform_set",
                json!({ "account_id": "alice.near" })
            )
            .code(),
        "E_UNAUTHORIZED"
    );
}

#[test]
fn the_owner_withdraws_what_is_free_and_no_more() {
    let mut scene = scene();
    let free = amount(&scene, "free");
    assert_eq!(
        free,
        amount(&scene, "total")
            - amount(&scene, "staked")
            - amount(&scene, "reserve")
            - amount(&scene, "owed")
    );
    assert_eq!(amount(&scene, "reserve"), NEAR / 10);
    assert_eq!(
        amount(&scene, "staked"),
        u128::from(scene.chain.storage_usage(CONTRACT)) * STORAGE_PRICE
    );
    assert_eq!(
        scene
            .sign(
                OWNER,
                "withdraw",
                json!({ "amount": (free + 2).to_string() })
            )
            .code(),
        "E_STORAGE_BALANCE"
    );
    let before = scene.chain.balance("alice.near");
    scene
        .sign(
            OWNER,
            "withdraw",
            json!({ "amount": NEAR.to_string(), "receiver_id": "alice.near" }),
        )
        .json();
    assert_eq!(scene.chain.balance("alice.near"), before + NEAR);
    let owner = scene.chain.balance(OWNER);
    let left = amount(&scene, "free");
    let outcome = scene.sign(OWNER, "withdraw", json!({}));
    let taken: u128 = outcome.json().as_str().unwrap().parse().unwrap();
    assert!(
        taken == left || taken == left + 1,
        "all that is free, {left}, was {taken}"
    );
    assert_eq!(
        scene.chain.balance(OWNER) + u128::from(outcome.gas) * GAS_PRICE + 1,
        owner + taken
    );
    assert!(amount(&scene, "free") <= 1);
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn approvals_deposits_are_not_the_owners_to_withdraw() {
    let mut scene = scene();
    scene.collection(json!({}), AssetBatch::new(0, 1, 10));
    scene.mint(1, &["alice.near"]).json();
    for number in 0..20 {
        let args = json!({ "token_id": "1:1", "account_id": format!("market-{number}.near") });
        if !scene
            .pay("alice.near", "nft_approve", args, NEAR / 10)
            .succeeded()
        {
            break;
        }
    }
    let owed = amount(&scene, "owed");
    assert!(owed > 0);
    scene.sign(OWNER, "withdraw", json!({})).json();
    assert_eq!(amount(&scene, "owed"), owed);
    assert!(amount(&scene, "total") >= amount(&scene, "staked") + amount(&scene, "reserve") + owed);
    assert!(
        scene
            .sign("alice.near", "nft_revoke_all", json!({ "token_id": "1:1" }))
            .succeeded(),
        "they come back all the same"
    );
    assert_eq!(amount(&scene, "owed"), 0);
}

#[test]
fn a_withdrawal_to_nobody_comes_back() {
    let mut scene = scene();
    let free = amount(&scene, "free");
    scene
        .sign(OWNER, "withdraw", json!({ "receiver_id": "nobody.near" }))
        .result()
        .ok();
    assert!(amount(&scene, "free") >= free);
    assert_eq!(scene.chain.unaccounted(), 0);
}

#[test]
fn a_top_up_is_a_plain_transfer() {
    let mut scene = Scene::new(&harness::mintage::wasm(), NEAR / 2);
    scene.accounts(["alice.near"]);
    scene.collection(json!({}), AssetBatch::new(0, 10, 10_000));
    let mut refused = None;
    for round in 0..200 {
        let outcome = scene.mint_many(1, &format!("collector-{round}.near"), 100);
        if !outcome.succeeded() {
            refused = Some(outcome.code());
            break;
        }
    }
    assert_eq!(
        refused.as_deref(),
        Some("E_STORAGE_BALANCE"),
        "the contract says so before the protocol would"
    );
    // Transfers still work from the reserve.
    scene.accounts(["collector-0.near"]);
    assert!(
        scene
            .transfer("collector-0.near", "alice.near", "1:1")
            .succeeded()
    );
    assert!(
        scene
            .chain
            .transact(
                "alice.near",
                CONTRACT,
                vec![harness::Action::Transfer(NEAR)]
            )
            .succeeded()
    );
    assert!(scene.mint_many(1, "alice.near", 100).succeeded());
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// Calls of the staff that a function-call key may sign, with arguments that work on collection 1 and token 1:1.
fn lane_calls() -> [(&'static str, Value); 2] {
    [
        (
            "nft_batch_mint",
            json!({ "collection_id": 1, "receiver_ids": ["alice.near"] }),
        ),
        ("collection_publish", json!({ "collection_id": 2 })),
    ]
}

/// Calls that touch money or what a holder was promised, and who may make them.
fn signed_calls() -> [(&'static str, &'static str, Value); 16] {
    let hash = CryptoHash::hash_bytes(b"code").to_string();
    let accounts = json!({ "collection_id": 1, "account_ids": ["thief.near"] });
    [
        (
            OWNER,
            "nft_update",
            json!({ "token_id": "1:1", "title": "x" }),
        ),
        (
            OWNER,
            "nft_update_batch",
            json!({ "collection_id": 1, "updates": [{ "token_id": "1:1", "title": "x" }] }),
        ),
        (
            OWNER,
            "collection_update",
            json!({ "collection_id": 1, "ongoing_royalties": { "thief.near": 10_000 } }),
        ),
        (OWNER, "withdraw", json!({})),
        (OWNER, "admin_add", json!({ "account_id": "thief.near" })),
        (OWNER, "admin_remove", json!({ "account_id": ADMIN })),
        (
            OWNER,
            "owner_propose",
            json!({ "account_id": "thief.near" }),
        ),
        (OWNER, "owner_accept", json!({})),
        (
            PLATFORM,
            "platform_set",
            json!({ "account_id": "thief.near" }),
        ),
        (OWNER, "contract_metadata_update", json!({ "name": "x" })),
        (OWNER, "upgrade", json!({ "code_hash": hash })),
        (
            OWNER,
            "drop_create",
            json!({
                "collection_id": 1, "issuer_public_key": Issuer::new("issuer").public_key(), "links": 3,
                "expires_at_ms": 1_900_000_000_000u64
            }),
        ),
        (OWNER, "drop_update", json!({ "drop_id": 1, "links": 3 })),
        (OWNER, "allowlist_add", accounts.clone()),
        (OWNER, "allowlist_remove", accounts),
        (OWNER, "allowlist_clear", json!({ "collection_id": 1 })),
    ]
}

fn scene_with_tokens() -> Scene {
    let mut scene = scene();
    scene.collection(
        json!({ "ongoing_royalties": { "artist.near": 500 } }),
        AssetBatch::new(0, 1, 10),
    );
    let draft = json!({ "title": "Draft" });
    let draft = create_args(&draft, false, AssetBatch::new(0, 1, 10));
    scene.call_raw(OWNER, "collection_create", draft).json();
    scene.mint(1, &["alice.near"]).json();
    scene
}

/// A function-call key attaches no deposit. Whoever holds one of the staff's gets tokens minted and lists changed; no
/// money, no role, no royalty, no right of a holder and nothing that a token shows is within its reach.
#[test]
fn function_call_keys_reach_no_money_and_no_holders_right() {
    let mut scene = scene_with_tokens();
    for (signer, method, args) in signed_calls() {
        let before = (scene.chain.records(CONTRACT), scene.chain.balance(CONTRACT));
        let outcome = scene.call(signer, method, args);
        assert_eq!(outcome.code(), "E_ONE_YOCTO", "{method}");
        let after = (scene.chain.records(CONTRACT), scene.chain.balance(CONTRACT));
        assert_eq!(before, after, "{method}");
    }
    for (method, args) in lane_calls() {
        let outcome = scene.call(OWNER, method, args);
        assert!(outcome.succeeded(), "{method}: {}", outcome.code());
    }
    let payout = json!({ "token_id": "1:1", "balance": "10000" });
    assert_eq!(
        scene.view("nft_payout", payout)["payout"],
        json!({ "artist.near": "500", "alice.near": "9500" })
    );
}

#[test]
fn staff_methods_refuse_strangers() {
    let mut scene = scene_with_tokens();
    let resolve =
        json!({ "previous_owner_id": "a.near", "receiver_id": "alice.near", "token_id": "1:1" });
    let own = [("migrate", json!({})), ("nft_resolve_transfer", resolve)];
    for caller in ["alice.near", PLATFORM] {
        for (method, args) in lane_calls().into_iter().chain(own.clone()) {
            let outcome = scene.call(caller, method, args);
            assert_eq!(outcome.code(), "E_UNAUTHORIZED", "{method} by {caller}");
        }
        for (signer, method, args) in signed_calls() {
            if signer != caller {
                let outcome = scene.sign(caller, method, args);
                assert_eq!(outcome.code(), "E_UNAUTHORIZED", "{method} by {caller}");
            }
        }
    }
}

/// Calls that keep no deposit refuse one, so that none is lost.
#[test]
fn a_deposit_that_nobody_wants_is_refused_or_joins_the_balance() {
    let mut scene = scene();
    scene.collection(json!({}), AssetBatch::new(0, 1, 10));
    scene.mint(1, &["alice.near"]).json();
    let methods = [
        (
            "nft_batch_mint",
            json!({ "collection_id": 1, "receiver_ids": ["alice.near"] }),
        ),
        ("nft_update", json!({ "token_id": "1:1", "title": "x" })),
        (
            "collection_update",
            json!({ "collection_id": 1, "title": "x" }),
        ),
        (
            "allowlist_add",
            json!({ "collection_id": 1, "account_ids": ["alice.near"] }),
        ),
        ("allowlist_clear", json!({ "collection_id": 1 })),
        ("allowlist_sweep", json!({ "collection_id": 1, "limit": 1 })),
    ];
    for (method, args) in methods {
        let before = scene.chain.balance(CONTRACT);
        let outcome = scene.pay(OWNER, method, args, NEAR);
        assert!(!outcome.succeeded(), "{method} takes no deposit");
        assert_eq!(scene.chain.balance(CONTRACT), before, "{method}");
    }
    assert_eq!(scene.chain.unaccounted(), 0);
}

/// A misspelled field is refused where it would pass for an absent one: `withdraw` would send everything.
#[test]
fn misspelled_fields_cost_nothing() {
    let mut scene = scene();
    scene.collection(
        json!({ "public_mint_config": { "mint_fee": "0" } }),
        AssetBatch::new(0, 1, 10),
    );
    let hash = scene.chain.publish(&wasm()).to_string();
    let one = json!({ "collection_id": 1 });
    let account = json!({ "account_id": "alice.near" });
    let calls = [
        (OWNER, "withdraw", 1, json!({})),
        (OWNER, "admin_add", 1, account.clone()),
        (OWNER, "admin_remove", 1, account.clone()),
        (OWNER, "owner_propose", 1, json!({})),
        (PLATFORM, "platform_set", 1, account),
        (OWNER, "upgrade", 1, json!({ "code_hash": hash })),
        (
            OWNER,
            "allowlist_add",
            1,
            json!({ "collection_id": 1, "account_ids": [] }),
        ),
        (
            OWNER,
            "allowlist_remove",
            1,
            json!({ "collection_id": 1, "account_ids": [] }),
        ),
        (OWNER, "allowlist_clear", 1, one.clone()),
        (
            OWNER,
            "allowlist_sweep",
            0,
            json!({ "collection_id": 1, "limit": 1 }),
        ),
        (OWNER, "collection_publish", 0, one.clone()),
        (OWNER, "drop_close", 0, json!({ "drop_id": 1 })),
        ("alice.near", "shares_withdraw", 1, json!({})),
        (
            OWNER,
            "staff_mints_allow",
            1,
            json!({ "collection_id": 1, "more": 1 }),
        ),
        (OWNER, "upgrade_announce", 1, json!({})),
        ("alice.near", "nft_mint", 0, one),
    ];
    let records = scene.chain.records(CONTRACT);
    for (signer, method, deposit, mut args) in calls {
        args["amout"] = json!("1");
        let outcome = scene.pay(signer, method, args, deposit);
        let failure = format!("{:?}", outcome.failure());
        assert!(
            failure.contains("E_INVALID_ARGUMENT: amout is not a field of this call."),
            "{method}: {failure}"
        );
        assert!(scene.chain.records(CONTRACT) == records, "{method}");
    }
}

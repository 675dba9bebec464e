//! The chain beside the model, and what has to agree after each step.

use crate::model::Model;
use harness::mintage::{ADMIN, CONTRACT, OWNER, PLATFORM, Scene};
use harness::{Action, Chain, GAS_PRICE, NEAR, STORAGE_PRICE, TGAS, TransactionOutcome};
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// People with accounts.
pub const PEOPLE: [&str; 3] = ["alice.near", "bob.near", "carol.near"];
/// Contracts, by what they do with a token sent to them with a call.
pub const RECEIVERS: [&str; 5] = [
    "keeper.near",
    "returner.near",
    "panicker.near",
    "burner.near",
    "mute.near",
];
/// What the contract keeps beside all that its tokens may need.
const CUSHION: u128 = NEAR / 10;

/// Named in royalties and as an owner, but never made.
pub const GHOST: &str = "ghost.near";

pub struct World {
    pub scene: Scene,
    pub model: Model,
    pub rng: ChaCha8Rng,
    /// What was done, to print when something is wrong.
    pub steps: Vec<String>,
}

/// Calls that people rely on to sell, buy, redeem links and get their deposits back: the contract's balance is never in their way.
const ALWAYS_PAID_FOR: [&str; 10] = [
    "nft_claim",
    "drop_close",
    "nft_transfer",
    "nft_transfer_call",
    "nft_transfer_payout",
    "nft_approve",
    "nft_revoke",
    "nft_revoke_all",
    "nft_burn",
    "withdraw",
];

/// All accounts whose money is watched.
pub fn watched() -> Vec<&'static str> {
    [CONTRACT, OWNER, ADMIN, PLATFORM]
        .into_iter()
        .chain(PEOPLE)
        .chain(RECEIVERS)
        .collect()
}

/// Gains and losses by account, in yoctoNEAR, gas aside.
pub type Changes = BTreeMap<String, i128>;

/// Adds to what an account gains; what nobody can receive stays in the contract.
pub fn gain(changes: &mut Changes, account: &str, amount: i128) {
    let account = if account == GHOST { CONTRACT } else { account };
    *changes.entry(account.to_owned()).or_default() += amount;
}

/// What a signer pays into the contract.
pub fn paid(signer: &str, deposit: u128) -> Changes {
    Changes::from([
        (signer.to_owned(), -(deposit as i128)),
        (CONTRACT.to_owned(), deposit as i128),
    ])
}

/// Nobody gains or loses.
pub fn nobody(_: &World, _: &TransactionOutcome) -> Changes {
    Changes::new()
}

/// The yocto of a guarded call stays, and the deposit of approvals that end goes to whoever made them.
pub fn moving(signer: &str, approver: &str, deposit: u128) -> Changes {
    let mut changes = Changes::new();
    gain(&mut changes, signer, -1);
    gain(&mut changes, CONTRACT, 1 - deposit as i128);
    gain(&mut changes, approver, deposit as i128);
    changes
}

impl World {
    pub fn person(&mut self) -> &'static str {
        PEOPLE.choose(&mut self.rng).unwrap()
    }

    /// An account that nobody has heard of, as long as they come: an implicit one or one with a name.
    pub fn stranger(&mut self) -> String {
        let number = self.rng.random_range(0..10_000);
        if self.rng.random_ratio(1, 3) {
            format!("{number:064x}")
        } else {
            format!("{}{number:04}.near", "x".repeat(55))
        }
    }

    /// Anybody who may sign: people, and now and then the staff.
    pub fn signer(&mut self) -> String {
        let staff = [OWNER, ADMIN, PLATFORM];
        if self.rng.random_ratio(1, 5) {
            staff.choose(&mut self.rng).unwrap().to_string()
        } else {
            self.person().to_owned()
        }
    }

    /// Mostly somebody of the staff, sometimes not.
    pub fn staff(&mut self) -> String {
        if self.rng.random_ratio(1, 12) {
            return self.person().to_owned();
        }
        let staff: Vec<_> = self
            .model
            .admins
            .iter()
            .cloned()
            .chain([self.model.owner.clone()])
            .collect();
        staff.choose(&mut self.rng).unwrap().clone()
    }

    /// A collection's index, mostly of one that exists.
    pub fn collection(&mut self) -> usize {
        self.rng.random_range(0..self.model.collections.len())
    }

    /// A drop's index, mostly of one that is there, if there is any.
    pub fn some_drop(&mut self) -> Option<usize> {
        let count = self.model.drops.len();
        (count > 0).then(|| self.rng.random_range(0..count))
    }

    /// A token's place, if there is any token.
    pub fn token(&mut self) -> Option<(usize, usize)> {
        let places: Vec<_> = self
            .model
            .collections
            .iter()
            .enumerate()
            .flat_map(|(at, c)| (0..c.tokens.len()).map(move |n| (at, n, c.tokens[n].burnt)))
            .filter_map(|(at, number, burnt)| (!burnt).then_some((at, number)))
            .collect();
        places.choose(&mut self.rng).copied()
    }

    pub fn free(&self) -> u128 {
        self.amount(&self.scene.view("contract_balance", json!({})), "free")
    }

    pub fn amount(&self, balance: &Value, field: &str) -> u128 {
        balance[field].as_str().unwrap().parse().unwrap()
    }

    pub fn owed(&self) -> u128 {
        self.amount(&self.scene.view("contract_balance", json!({})), "owed")
    }

    /// Runs a call that should succeed or not, and compares everybody's money with what was expected. A step that the
    /// contract cannot pay the storage of may fail, if its free balance is indeed low. Returns the outcome if it
    /// succeeded.
    pub fn expect(
        &mut self,
        signer: &str,
        action: Action,
        succeeds: bool,
        changes: impl FnOnce(&World, &TransactionOutcome) -> Changes,
    ) -> Option<TransactionOutcome> {
        let mut may_lack_balance = false;
        if let Action::FunctionCall {
            method,
            args,
            deposit,
            ..
        } = &action
        {
            may_lack_balance = !ALWAYS_PAID_FOR.contains(&method.as_str());
            let args = String::from_utf8(args.clone()).unwrap_or_else(|_| "borsh".into());
            self.steps.push(format!(
                "{signer} {method} {args} deposit {deposit}, should succeed: {succeeds}"
            ));
        }
        let accounts = watched();
        let before: Vec<_> = accounts
            .iter()
            .map(|account| self.scene.chain.balance(account) as i128)
            .collect();
        let low = self.free() < NEAR / 10;
        let outcome = self.scene.chain.transact(signer, CONTRACT, vec![action]);
        let did = outcome.receipts[0].status.clone();
        for receipt in &outcome.receipts {
            let lacks = matches!(
                receipt.status,
                harness::Status::Failed(_, harness::Failure::LackBalanceForState(_))
            );
            assert!(!lacks, "{:?} failed for want of balance", receipt.methods);
        }
        let failed = matches!(did, harness::Status::Failed(..));
        if failed && succeeds {
            assert!(
                low && may_lack_balance && outcome.code() == "E_STORAGE_BALANCE",
                "failed, and should not have: {did:?}"
            );
        }
        assert!(
            failed || succeeds,
            "succeeded, and should not have: {did:?}"
        );
        let mut expected = if failed {
            Changes::new()
        } else {
            changes(self, &outcome)
        };
        *expected.entry(signer.to_owned()).or_default() -=
            (u128::from(outcome.gas) * GAS_PRICE) as i128;
        for (account, before) in accounts.iter().zip(before) {
            let change = self.scene.chain.balance(account) as i128 - before;
            assert_eq!(
                change,
                expected.get(*account).copied().unwrap_or(0),
                "{account} gained other than it should"
            );
        }
        (!failed).then_some(outcome)
    }

    /// What has to hold after every step.
    pub fn check_money(&self) {
        let chain: &Chain = &self.scene.chain;
        assert_eq!(chain.unaccounted(), 0, "yocto went astray");
        let balance = self.scene.view("contract_balance", json!({}));
        let amount = |field: &str| self.amount(&balance, field);
        assert_eq!(amount("total"), chain.balance(CONTRACT));
        assert_eq!(
            amount("staked"),
            u128::from(chain.storage_usage(CONTRACT)) * STORAGE_PRICE
        );
        assert_eq!(amount("owed"), self.model.owed());
        assert!(
            amount("total") >= amount("needed"),
            "the balance does not cover what may still happen: {balance}"
        );
        assert!(
            amount("needed") >= amount("staked") + CUSHION,
            "more is stored than was reserved: {balance}"
        );
        assert_eq!(amount("missing"), 0);
        assert_eq!(
            amount("free"),
            amount("total").saturating_sub(amount("staked") + amount("owed") + amount("reserve"))
        );
        assert_eq!(
            self.scene.view("nft_total_supply", json!({})),
            json!(self.model.supply().to_string())
        );
    }

    /// Supplies, lists, owners, approvals, allowlists and draws against the model.
    pub fn check_everything(&self) {
        let mut sum = 0;
        let holders = self.model.tokens().map(|(_, token)| token.owner.as_str());
        let owners: BTreeSet<&str> = watched().into_iter().chain(holders).collect();
        for owner in &owners {
            let supply = self
                .scene
                .view("nft_supply_for_owner", json!({ "account_id": owner }));
            assert_eq!(
                supply,
                json!(self.model.supply_of(owner).to_string()),
                "{owner}"
            );
            sum += self.model.supply_of(owner);
            let mut listed = BTreeSet::new();
            for from in (0..).step_by(13) {
                let args =
                    json!({ "account_id": owner, "from_index": from.to_string(), "limit": 13 });
                let page = self.scene.view("nft_tokens_for_owner", args);
                let page = page.as_array().unwrap();
                assert!(
                    page.iter()
                        .all(|token| listed.insert(token["token_id"].as_str().unwrap().to_owned())),
                    "one twice"
                );
                if page.len() < 13 {
                    break;
                }
            }
            let expected = self
                .model
                .tokens()
                .filter(|(_, token)| token.owner == *owner)
                .map(|(id, _)| id)
                .collect();
            assert_eq!(listed, expected, "{owner}");
        }
        assert_eq!(sum, self.model.supply(), "supply is the sum over owners");
        for (at, collection) in self.model.collections.iter().enumerate() {
            self.check_collection(at as u32 + 1, collection);
        }
        let drops = self.scene.view("drops", json!({}));
        assert_eq!(drops.as_array().unwrap().len(), self.model.drops.len());
        for (shown, drop) in drops.as_array().unwrap().iter().zip(&self.model.drops) {
            let Some(drop) = drop else {
                assert_eq!(*shown, Value::Null);
                continue;
            };
            assert_eq!(shown["claimed"], drop.claimed.len());
            let reserve = u128::from(drop.reserve) * STORAGE_PRICE;
            assert_eq!(shown["reserve"], reserve.to_string());
        }
    }

    fn check_collection(&self, id: u32, collection: &crate::model::Collection) {
        let shown = self
            .scene
            .view("collection", json!({ "collection_id": id }));
        assert_eq!(shown["minted"], collection.tokens.len());
        assert_eq!(shown["total"], collection.total());
        assert_eq!(
            shown["burnt"],
            collection.tokens.len() - collection.living()
        );
        let locks = shown["locks"].as_array().unwrap().iter();
        let locks: BTreeSet<&str> = locks.map(|name| name.as_str().unwrap()).collect();
        assert!(locks.iter().eq(&collection.locks), "{locks:?}");
        assert_eq!(shown["allowlisted"], collection.listed.len());
        for person in PEOPLE {
            let listed = self.scene.view(
                "is_allowlisted",
                json!({ "collection_id": id, "account_id": person }),
            );
            assert_eq!(
                listed,
                json!(collection.listed.contains(person)),
                "{person} in {id}"
            );
        }
        let tokens = self.scene.view(
            "collection_tokens",
            json!({ "collection_id": id, "limit": 200 }),
        );
        let tokens = tokens.as_array().unwrap();
        assert_eq!(tokens.len(), collection.living());
        let mut drawn = BTreeMap::<&str, u64>::new();
        let living = collection.tokens.iter().filter(|token| !token.burnt);
        for (token, expected) in tokens.iter().zip(living) {
            assert_eq!(token["owner_id"], expected.owner);
            assert_eq!(token["approved_account_ids"], json!(expected.approvals));
            let Some(media) = token["metadata"]["media"].as_str() else {
                assert!(
                    collection.hidden && !expected.overridden,
                    "a token of an earlier block shows its asset"
                );
                continue;
            };
            if !expected.overridden {
                *drawn.entry(media).or_default() += 1;
            }
            let locked = expected.locked || collection.locks.contains("metadata");
            let locks = token["locks"].as_array().unwrap();
            assert_eq!(locks.contains(&json!("metadata")), locked);
        }
        let assets = self.scene.view(
            "collection_assets",
            json!({ "collection_id": id, "limit": 200 }),
        );
        let mut taken = 0;
        let told = |token: &crate::model::Token| !token.overridden && !token.burnt;
        let all_shown = !collection.hidden && collection.tokens.iter().all(told);
        for (asset, copies) in assets.as_array().unwrap().iter().zip(&collection.copies) {
            assert_eq!(asset["copies"], *copies);
            let gone = u64::from(*copies)
                - asset["remaining"]
                    .as_u64()
                    .expect("not more left than there were");
            let shown = drawn
                .get(asset["media"].as_str().unwrap_or_default())
                .copied()
                .unwrap_or(0);
            assert!(
                shown <= gone && (!all_shown || shown == gone),
                "{shown} tokens show an asset of which {gone} are gone"
            );
            taken += gone;
        }
        assert_eq!(
            taken,
            collection.tokens.len() as u64,
            "every mint takes one copy"
        );
    }

    pub fn call(&self, method: &str, args: Value, deposit: u128) -> Action {
        Action::call(method, args, 200 * TGAS, deposit)
    }
}

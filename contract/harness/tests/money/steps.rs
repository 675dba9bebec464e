//! The steps that a sequence is made of: each knows what should come of it.

use crate::model::{Collection, Price, Token};
use crate::world::{Changes, GHOST, PEOPLE, RECEIVERS, World, gain};
use harness::mintage::{AssetBatch, CONTRACT, create_args};
use harness::{Action, NEAR, TGAS};
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn nobody(_: &World, _: &harness::TransactionOutcome) -> Changes {
    Changes::new()
}

fn fresh(owner: &str, overridden: bool) -> Token {
    Token {
        owner: owner.into(),
        approvals: BTreeMap::new(),
        deposit: 0,
        overridden,
    }
}

impl World {
    /// One step of a kind that chance picks.
    pub fn step(&mut self) {
        match self.rng.random_range(0..100) {
            0..3 => self.create(),
            3..18 => self.batch_mint(),
            18..38 => self.direct_mint(),
            38..48 => self.transfer(),
            48..60 => self.transfer_call(),
            60..68 => self.approve(),
            68..73 => self.revoke(),
            73..78 => self.transfer_payout(),
            78..86 => self.update_collection(),
            86..91 => self.allowlist(),
            91..93 => self.update_token(),
            93..95 => self.withdraw(),
            95..97 => self.top_up(),
            97..99 => self.roles(),
            _ => self.pass_time(),
        }
    }

    pub fn create(&mut self) {
        let signer = self.staff();
        let count = self.rng.random_range(1..=6);
        let copies: Vec<u32> = (0..count)
            .map(|_| *[1, 1, 2, 3, 9].choose(&mut self.rng).unwrap())
            .collect();
        let deposit = if self.rng.random_bool(0.3) {
            NEAR / 10
        } else {
            0
        };
        let (settings, mut collection) = self.settings();
        let publish = self.rng.random_ratio(9, 10);
        (collection.copies, collection.published) = (copies.clone(), publish);
        let mut all = json!({ "title": "Title" });
        all.as_object_mut().unwrap().extend(settings);
        let args = create_args(&all, publish, AssetBatch::with_copies(&copies));
        let may = self.model.staff(&signer);
        let from = signer.clone();
        let done = self.expect(
            &signer,
            Action::call_raw("collection_create", args, 200 * TGAS, deposit),
            may,
            |_, _| {
                Changes::from([
                    (from, -(deposit as i128)),
                    (CONTRACT.to_owned(), deposit as i128),
                ])
            },
        );
        if let Some(outcome) = done {
            self.model.collections.push(collection);
            assert_eq!(outcome.json(), self.model.collections.len());
        }
    }

    /// Settings by chance: as JSON, and as the model holds them.
    fn settings(&mut self) -> (Map<String, Value>, Collection) {
        let mut collection = Collection::default();
        let mut json = Map::new();
        for private in [false, true] {
            if self.rng.random_ratio(1, 4) {
                continue;
            }
            let now = self.scene.chain.now_ms();
            let fee = *[
                0,
                crate::model::TOKEN,
                crate::model::TOKEN + 7,
                NEAR / 100 + 3,
                NEAR / 3,
                NEAR,
            ]
            .choose(&mut self.rng)
            .unwrap();
            let limit = if self.rng.random_bool(0.4) {
                Some(self.rng.random_range(1..4))
            } else {
                None
            };
            let starts = self.rng.random_bool(0.2).then_some(now + 5_000);
            let ends = self.rng.random_bool(0.2).then_some(now + 20_000);
            let price = Price {
                fee,
                limit,
                starts_at_ms: starts,
                ends_at_ms: ends,
            };
            let shown = json!({ "mint_fee": fee.to_string(), "limit_per_account": limit, "starts_at_ms": starts, "ends_at_ms": ends });
            json.insert(
                if private {
                    "private_mint_config"
                } else {
                    "public_mint_config"
                }
                .into(),
                shown,
            );
            *(if private {
                &mut collection.private
            } else {
                &mut collection.public
            }) = Some(price);
        }
        collection.initial = self.royalties(9_500, 4);
        collection.ongoing = self.royalties(10_000, 4);
        if self.rng.random_ratio(1, 4) {
            collection.bypass = BTreeSet::from([self.person().to_owned()]);
        }
        collection.transfers_off = self.rng.random_ratio(1, 10);
        collection.approvals_off = self.rng.random_ratio(1, 10);
        if self.rng.random_ratio(1, 6) {
            collection.transfers_denied = BTreeSet::from([self.person().to_owned()]);
            collection.approvals_denied = BTreeSet::from([self.person().to_owned()]);
        }
        json.insert("initial_royalties".into(), json!(collection.initial));
        json.insert("ongoing_royalties".into(), json!(collection.ongoing));
        json.insert("bypass_mint_fee_accounts".into(), json!(collection.bypass));
        json.insert("allow_transfers".into(), json!(!collection.transfers_off));
        json.insert("allow_approvals".into(), json!(!collection.approvals_off));
        json.insert(
            "transfers_denied_accounts".into(),
            json!(collection.transfers_denied),
        );
        json.insert(
            "approvals_denied_accounts".into(),
            json!(collection.approvals_denied),
        );
        (json, collection)
    }

    fn royalties(&mut self, total: u128, most: usize) -> BTreeMap<String, u128> {
        let mut left = total;
        let mut royalties = BTreeMap::new();
        for account in PEOPLE.iter().chain([&GHOST, &RECEIVERS[0]]).take(most + 1) {
            if self.rng.random_bool(0.4) && left > 0 {
                let points = self.rng.random_range(1..=left.min(4_000));
                left -= points;
                royalties.insert(account.to_string(), points);
            }
        }
        royalties
    }

    fn batch_mint(&mut self) {
        let (signer, at) = (self.staff(), self.collection());
        let all: Vec<&str> = PEOPLE.into_iter().chain(RECEIVERS).chain([GHOST]).collect();
        let receivers: Vec<&str> = (0..self.rng.random_range(1..5))
            .map(|_| *all.choose(&mut self.rng).unwrap())
            .collect();
        let quantity = self.rng.random_range(1..4u32);
        let overridden = self.rng.random_ratio(1, 8);
        let mut args = json!({ "collection_id": at + 1, "receiver_ids": receivers, "quantity_per_receiver": quantity });
        if overridden {
            let sha256 = base64::Engine::encode(
                &base64::engine::general_purpose::STANDARD,
                harness::mintage::digest(4_242),
            );
            args["metadata"] = json!({ "title": "Own", "media": { "sha256": sha256 } });
        }
        let collection = &self.model.collections[at];
        let count = receivers.len() as u32 * quantity;
        let may = self.model.staff(&signer) && collection.published && collection.left() >= count;
        let call = self.call("nft_batch_mint", args, 0);
        if let Some(outcome) = self.expect(&signer, call, may, nobody) {
            assert_eq!(outcome.json().as_array().unwrap().len() as u32, count);
            for receiver in receivers {
                let tokens =
                    std::iter::repeat_with(|| fresh(receiver, overridden)).take(quantity as usize);
                self.model.collections[at].tokens.extend(tokens);
            }
        }
    }

    fn direct_mint(&mut self) {
        let (signer, at) = (self.signer(), self.collection());
        let now = self.scene.chain.now_ms() + 600;
        let offer = self.model.offer(at, &signer, now);
        let fee = offer.map_or(0, |(fee, _)| fee);
        let deposit = match self.rng.random_range(0..4) {
            0 => fee.saturating_sub(1),
            1 => fee + NEAR,
            _ => fee,
        };
        let may = offer.is_some() && deposit >= fee;
        let shares = self.model.split(at, fee);
        let from = signer.clone();
        let call = Action::call(
            "nft_mint",
            json!({ "collection_id": at + 1 }),
            100 * TGAS,
            deposit,
        );
        let done = self.expect(&signer, call, may, |_, _| {
            let mut changes = Changes::new();
            gain(&mut changes, &from, -(fee as i128));
            gain(&mut changes, CONTRACT, fee.min(crate::model::TOKEN) as i128);
            shares
                .iter()
                .for_each(|(account, share)| gain(&mut changes, account, *share as i128));
            changes
        });
        if done.is_some() {
            let private = offer.expect("it was open").1;
            let collection = &mut self.model.collections[at];
            collection.tokens.push(fresh(&signer, false));
            *collection.counts[usize::from(private)]
                .entry(signer)
                .or_default() += 1;
        }
    }

    /// Who sends a token: mostly its owner, sometimes somebody approved, sometimes neither.
    fn sender(&mut self, at: usize, number: usize) -> (String, Option<u64>, bool) {
        let token = &self.model.collections[at].tokens[number];
        let (owner, approvals) = (token.owner.clone(), token.approvals.clone());
        match self.rng.random_range(0..6) {
            0 => {
                let person = self.person().to_owned();
                let may = person == owner || approvals.contains_key(&person);
                (person, None, may)
            }
            1 | 2
                if approvals
                    .keys()
                    .any(|account| PEOPLE.contains(&account.as_str())) =>
            {
                let (account, id) = approvals
                    .iter()
                    .find(|(account, _)| PEOPLE.contains(&account.as_str()))
                    .unwrap();
                let stale = self.rng.random_ratio(1, 4);
                (
                    account.clone(),
                    Some(if stale { id + 1_000 } else { *id }),
                    !stale || *account == owner,
                )
            }
            _ => (owner, None, true),
        }
    }

    /// A token moves for good: its approvals end and their deposit goes to the owner it had.
    fn moved(&mut self, at: usize, number: usize, receiver: &str) {
        let token = &mut self.model.collections[at].tokens[number];
        *token = Token {
            owner: receiver.into(),
            ..fresh(receiver, token.overridden)
        };
    }

    fn transfer(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let (signer, approval, entitled) = self.sender(at, number);
        if signer == GHOST {
            return;
        }
        let receiver = if self.rng.random_ratio(1, 6) {
            GHOST
        } else {
            self.person()
        };
        let token = self.model.collections[at].tokens[number].clone();
        let may = entitled
            && token.owner != receiver
            && !self.model.collections[at].denies_transfer(receiver);
        let args = json!({ "receiver_id": receiver, "token_id": format!("{}:{}", at + 1, number + 1), "approval_id": approval });
        let (call, from) = (self.call("nft_transfer", args, 1), signer.clone());
        let done = self.expect(&signer, call, may, |_, _| {
            moving(&from, &token.owner, token.deposit)
        });
        if done.is_some() {
            self.moved(at, number, receiver);
        }
    }

    fn transfer_payout(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let (signer, approval, entitled) = self.sender(at, number);
        if signer == GHOST {
            return;
        }
        let receiver = self.person();
        let token = self.model.collections[at].tokens[number].clone();
        let collection = &self.model.collections[at];
        let most = self.rng.random_range(1..8u32);
        let balance = *[0u128, 1, 9_999, NEAR, u128::MAX]
            .choose(&mut self.rng)
            .unwrap();
        let portion =
            |points: &u128| balance / 10_000 * points + balance % 10_000 * points / 10_000;
        let mut shares: BTreeMap<String, u128> = collection
            .ongoing
            .iter()
            .map(|(account, points)| (account.clone(), portion(points)))
            .collect();
        let rest = balance - shares.values().sum::<u128>();
        *shares.entry(token.owner.clone()).or_default() += rest;
        shares.retain(|account, share| *share > 0 || *account == token.owner);
        let fits = shares.len() <= most as usize;
        let may =
            entitled && token.owner != receiver && !collection.denies_transfer(receiver) && fits;
        let args = json!({
            "receiver_id": receiver, "token_id": format!("{}:{}", at + 1, number + 1), "approval_id": approval,
            "balance": balance.to_string(), "max_len_payout": most
        });
        let (call, from) = (self.call("nft_transfer_payout", args, 1), signer.clone());
        let done = self.expect(&signer, call, may, |_, _| {
            moving(&from, &token.owner, token.deposit)
        });
        if let Some(outcome) = done {
            let paid: BTreeMap<String, u128> = outcome.json()["payout"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(account, share)| (account.clone(), share.as_str().unwrap().parse().unwrap()))
                .collect();
            assert_eq!(paid, shares);
            self.moved(at, number, receiver);
        }
    }

    fn transfer_call(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let (signer, approval, entitled) = self.sender(at, number);
        if signer == GHOST {
            return;
        }
        let receiver = *RECEIVERS
            .iter()
            .chain([&GHOST, &PEOPLE[0]])
            .collect::<Vec<_>>()
            .choose(&mut self.rng)
            .unwrap()
            .to_owned();
        let token = self.model.collections[at].tokens[number].clone();
        let may = entitled
            && token.owner != receiver
            && !self.model.collections[at].denies_transfer(receiver);
        let args = json!({
            "receiver_id": receiver, "token_id": format!("{}:{}", at + 1, number + 1), "approval_id": approval, "msg": "m"
        });
        let kept = receiver == "keeper.near";
        let (call, from) = (self.call("nft_transfer_call", args, 1), signer.clone());
        let done = self.expect(&signer, call, may, |_, _| {
            moving(&from, &token.owner, if kept { token.deposit } else { 0 })
        });
        if let Some(outcome) = done {
            assert_eq!(
                outcome.json(),
                kept,
                "true says that the token stayed with the receiver"
            );
            if kept {
                self.moved(at, number, receiver);
            }
        }
    }

    fn approve(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let owner = self.model.collections[at].tokens[number].owner.clone();
        let signer = if self.rng.random_ratio(1, 8) || owner == GHOST {
            self.person().to_owned()
        } else {
            owner.clone()
        };
        let account = self.person();
        let deposit = *[0, NEAR / 10, NEAR / 100, NEAR]
            .choose(&mut self.rng)
            .unwrap();
        let collection = &self.model.collections[at];
        let may = signer == owner
            && deposit > 0
            && !collection.approvals_off
            && !collection.approvals_denied.contains(account);
        let call = self.call(
            "nft_approve",
            json!({ "token_id": format!("{}:{}", at + 1, number + 1), "account_id": account }),
            deposit,
        );
        let (from, before) = (signer.clone(), self.owed() as i128);
        let done = self.expect(&signer, call, may, |world, _| {
            let kept = world.owed() as i128 - before;
            assert!(
                kept >= 0 && kept <= deposit as i128,
                "{kept} of {deposit} were kept"
            );
            let mut changes = Changes::new();
            gain(&mut changes, &from, -kept);
            gain(&mut changes, CONTRACT, kept);
            changes
        });
        if done.is_some() {
            let kept = (self.owed() as i128 - before) as u128;
            self.model.next_approval += 1;
            let token = &mut self.model.collections[at].tokens[number];
            token
                .approvals
                .insert(account.to_owned(), self.model.next_approval);
            token.deposit += kept;
        }
    }

    fn revoke(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let token = self.model.collections[at].tokens[number].clone();
        let signer = if self.rng.random_ratio(1, 8) || token.owner == GHOST {
            self.person().to_owned()
        } else {
            token.owner.clone()
        };
        let may = signer == token.owner;
        let account = self.person();
        let all = self.rng.random_bool(0.3);
        let id = format!("{}:{}", at + 1, number + 1);
        let call = if all {
            self.call("nft_revoke_all", json!({ "token_id": id }), 1)
        } else {
            self.call(
                "nft_revoke",
                json!({ "token_id": id, "account_id": account }),
                1,
            )
        };
        let (from, before) = (signer.clone(), self.owed());
        let done = self.expect(&signer, call, may, |world, _| {
            moving(&from, &from, before - world.owed())
        });
        if done.is_some() {
            let returned = before - self.owed();
            let token = &mut self.model.collections[at].tokens[number];
            token.deposit = token
                .deposit
                .checked_sub(returned)
                .expect("not more comes back than was paid");
            if all {
                token.approvals.clear();
            } else {
                token.approvals.remove(account);
            }
            assert!(
                !token.approvals.is_empty() || token.deposit == 0,
                "all approvals ended and {} is kept",
                token.deposit
            );
        }
    }

    fn update_collection(&mut self) {
        let (signer, at) = (self.staff(), self.collection());
        let (mut settings, new) = self.settings();
        for price in ["public_mint_config", "private_mint_config"] {
            settings.entry(price).or_insert(Value::Null);
        }
        settings.insert("collection_id".into(), json!(at + 1));
        let may = self.model.staff(&signer);
        let call = self.call("collection_update", Value::Object(settings), 0);
        if self.expect(&signer, call, may, nobody).is_some() {
            let old = &mut self.model.collections[at];
            *old = Collection {
                copies: std::mem::take(&mut old.copies),
                published: old.published,
                tokens: std::mem::take(&mut old.tokens),
                listed: std::mem::take(&mut old.listed),
                counts: std::mem::take(&mut old.counts),
                ..new
            };
        }
    }

    fn allowlist(&mut self) {
        let (signer, at) = (self.staff(), self.collection());
        let accounts: Vec<&str> = PEOPLE
            .into_iter()
            .filter(|_| self.rng.random_bool(0.5))
            .collect();
        let may = self.model.staff(&signer);
        let list = json!({ "collection_id": at + 1, "account_ids": accounts });
        match self.rng.random_range(0..8) {
            0..5 => {
                let call = self.call("allowlist_add", list, 0);
                if self.expect(&signer, call, may, nobody).is_some() {
                    self.model.collections[at]
                        .listed
                        .extend(accounts.into_iter().map(str::to_owned));
                }
            }
            5 => {
                let call = self.call("allowlist_remove", list, 0);
                if self.expect(&signer, call, may, nobody).is_some() {
                    self.model.collections[at]
                        .listed
                        .retain(|account| !accounts.contains(&account.as_str()));
                }
            }
            6 => {
                let call = self.call("allowlist_clear", json!({ "collection_id": at + 1 }), 0);
                if self.expect(&signer, call, may, nobody).is_some() {
                    self.model.collections[at].listed.clear();
                }
            }
            _ => {
                let call = self.call(
                    "allowlist_sweep",
                    json!({ "collection_id": at + 1, "limit": 10 }),
                    0,
                );
                let person = self.person();
                self.expect(person, call, true, nobody);
            }
        }
    }

    fn update_token(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let signer = self.staff();
        let may = self.model.staff(&signer);
        let args = json!({ "token_id": format!("{}:{}", at + 1, number + 1), "title": "Other", "extra": "{}" });
        let call = self.call("nft_update", args, 0);
        self.expect(&signer, call, may, nobody);
    }

    fn withdraw(&mut self) {
        let signer = self.staff();
        let free = self.free();
        let amount = match self.rng.random_range(0..3) {
            0 => None,
            1 => Some(free / 2),
            _ => Some(free + 5),
        };
        let receiver = if self.rng.random_ratio(1, 6) {
            GHOST
        } else {
            self.person()
        };
        let may = signer == self.model.owner && amount.is_none_or(|amount| amount <= free + 1);
        let mut args = json!({ "receiver_id": receiver });
        if let Some(amount) = amount {
            args["amount"] = json!(amount.to_string());
        }
        let call = self.call("withdraw", args, 1);
        let from = signer.clone();
        self.expect(&signer, call, may, |_, outcome| {
            let receipt = outcome.receipts.first().expect("the call ran");
            let taken: u128 = match &receipt.status {
                harness::Status::Value(value) => serde_json::from_slice::<String>(value)
                    .unwrap()
                    .parse()
                    .unwrap(),
                other => panic!("withdraw says what was taken, not {other:?}"),
            };
            let mut changes = moving(&from, &from, 0);
            gain(&mut changes, CONTRACT, -(taken as i128));
            gain(&mut changes, receiver, taken as i128);
            changes
        });
    }

    /// A plain transfer to the contract, which pays storage in advance.
    fn top_up(&mut self) {
        let (person, amount) = (self.person(), self.rng.random_range(1..5 * NEAR));
        self.expect(person, Action::Transfer(amount), true, |_, _| {
            Changes::from([
                (person.to_owned(), -(amount as i128)),
                (CONTRACT.to_owned(), amount as i128),
            ])
        });
    }

    fn roles(&mut self) {
        let signer = self.signer();
        let person = self.person().to_owned();
        let is_owner = signer == self.model.owner;
        let kept = |from: &str| moving(from, from, 0);
        let from = signer.clone();
        match self.rng.random_range(0..5) {
            0 => {
                let call = self.call("admin_add", json!({ "account_id": person }), 1);
                if self
                    .expect(&signer, call, is_owner, |_, _| kept(&from))
                    .is_some()
                {
                    self.model.admins.insert(person);
                }
            }
            1 => {
                let call = self.call("admin_remove", json!({ "account_id": person }), 1);
                if self
                    .expect(&signer, call, is_owner, |_, _| kept(&from))
                    .is_some()
                {
                    self.model.admins.remove(&person);
                }
            }
            2 => {
                let call = self.call("owner_propose", json!({ "account_id": person }), 1);
                if self
                    .expect(&signer, call, is_owner, |_, _| kept(&from))
                    .is_some()
                {
                    self.model.proposed = Some(person);
                }
            }
            3 => {
                let signer = self.model.proposed.clone().unwrap_or(person);
                let may = self.model.proposed.as_deref() == Some(&signer);
                let (call, from) = (self.call("owner_accept", json!({}), 1), signer.clone());
                if self
                    .expect(&signer, call, may, |_, _| kept(&from))
                    .is_some()
                {
                    self.model.owner = signer;
                    self.model.proposed = None;
                }
            }
            _ => {
                let call = self.call("platform_set", json!({ "account_id": person }), 1);
                let may = signer == self.model.platform;
                if self
                    .expect(&signer, call, may, |_, _| kept(&from))
                    .is_some()
                {
                    self.model.platform = person;
                }
            }
        }
    }

    fn pass_time(&mut self) {
        let later = self.scene.chain.now_ms() + self.rng.random_range(1_000..15_000);
        self.steps.push(format!("time passes until {later}"));
        self.scene.chain.advance_to(later);
    }
}

/// The yocto of a guarded call stays, and the deposit of approvals that end goes to whoever made them.
fn moving(signer: &str, approver: &str, deposit: u128) -> Changes {
    let mut changes = Changes::new();
    gain(&mut changes, signer, -1);
    gain(&mut changes, CONTRACT, 1 - deposit as i128);
    gain(&mut changes, approver, deposit as i128);
    changes
}

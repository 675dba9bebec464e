//! The steps that a sequence is made of: each knows what should come of it. Here those of collections and roles; those
//! of tokens are in `token_steps`.

use crate::model::{Collection, Price};
use crate::world::{Changes, GHOST, PEOPLE, RECEIVERS, World, gain, moving, nobody, paid};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use harness::mintage::{AssetBatch, CONTRACT, create_args};
use harness::{Action, NEAR, TGAS};
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

const SALT: [u8; 32] = [7; 32];

/// The assets of a hidden collection, as they are revealed.
fn hidden_assets(count: u32) -> AssetBatch {
    AssetBatch {
        copies: vec![],
        ..AssetBatch::new(0, count, 1)
    }
}

fn commitment(assets: &AssetBatch) -> String {
    let digest = Sha256::digest(borsh::to_vec(assets).unwrap());
    STANDARD.encode(Sha256::digest([&digest[..], &SALT].concat()))
}

impl World {
    /// One step of a kind that chance picks.
    pub fn step(&mut self) {
        match self.rng.random_range(0..117) {
            0..3 => self.create(),
            3..18 => self.batch_mint(),
            18..37 => self.direct_mint(),
            37..46 => self.transfer(),
            46..56 => self.transfer_call(),
            56..63 => self.approve(),
            63..68 => self.revoke(),
            68..72 => self.transfer_payout(),
            72..79 => self.update_collection(),
            79..84 => self.allowlist(),
            84..87 => self.update_token(),
            87..91 => self.burn(),
            91..92 => self.lock_token(),
            92..93 => self.lock_collection(),
            93..94 => self.reveal(),
            94..96 => self.withdraw(),
            96..98 => self.top_up(),
            98..99 => self.roles(),
            99 => self.pass_time(),
            100..103 => self.make_drop(),
            103..110 => self.claim(),
            110 => self.extend_drop(),
            111 => self.close_drop(),
            _ => self.voucher(),
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
        let mut assets = AssetBatch::with_copies(&copies);
        collection.hidden = self.rng.random_ratio(1, 3);
        if collection.hidden {
            let commitment = commitment(&hidden_assets(count as u32));
            all["reveal"] = json!({ "commitment": commitment });
            assets.media.clear();
        }
        let args = create_args(&all, publish, assets);
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

    fn update_collection(&mut self) {
        let (signer, at) = (self.staff(), self.collection());
        let (mut settings, new) = self.settings();
        for price in ["public_mint_config", "private_mint_config"] {
            settings.entry(price).or_insert(Value::Null);
        }
        settings.insert("collection_id".into(), json!(at + 1));
        let may = self.model.staff(&signer) && !self.model.collections[at].forbids(&new);
        let call = self.call("collection_update", Value::Object(settings), 1);
        let from = signer.clone();
        let done = self.expect(&signer, call, may, |_, _| moving(&from, &from, 0));
        if done.is_some() {
            let old = &mut self.model.collections[at];
            *old = Collection {
                copies: std::mem::take(&mut old.copies),
                published: old.published,
                tokens: std::mem::take(&mut old.tokens),
                listed: std::mem::take(&mut old.listed),
                counts: std::mem::take(&mut old.counts),
                locks: std::mem::take(&mut old.locks),
                hidden: old.hidden,
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
        let from = signer.clone();
        let list = json!({ "collection_id": at + 1, "account_ids": accounts });
        match self.rng.random_range(0..8) {
            0..5 => {
                let call = self.call("allowlist_add", list, 1);
                if self
                    .expect(&signer, call, may, |_, _| paid(&from, 1))
                    .is_some()
                {
                    self.model.collections[at]
                        .listed
                        .extend(accounts.into_iter().map(str::to_owned));
                }
            }
            5 => {
                let call = self.call("allowlist_remove", list, 1);
                if self
                    .expect(&signer, call, may, |_, _| paid(&from, 1))
                    .is_some()
                {
                    self.model.collections[at]
                        .listed
                        .retain(|account| !accounts.contains(&account.as_str()));
                }
            }
            6 => {
                let call = self.call("allowlist_clear", json!({ "collection_id": at + 1 }), 1);
                if self
                    .expect(&signer, call, may, |_, _| paid(&from, 1))
                    .is_some()
                {
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
        if self.rng.random_bool(0.5) {
            return self.update_tokens(&signer, at);
        }
        let collection = &self.model.collections[at];
        let locked = collection.tokens[number].locked || collection.locks.contains("metadata");
        let may = self.model.staff(&signer) && !locked;
        let args = json!({ "token_id": format!("{}:{}", at + 1, number + 1), "title": "Other", "extra": "{}" });
        let call = self.call("nft_update", args, 1);
        let from = signer.clone();
        self.expect(&signer, call, may, |_, _| moving(&from, &from, 0));
    }

    /// Changes of some tokens of a collection by one call, burnt ones and one beyond the last among them.
    fn update_tokens(&mut self, signer: &str, at: usize) {
        let collection = &self.model.collections[at];
        let ends = 0..collection.tokens.len() + 1;
        let numbers = [0; 4].map(|_| self.rng.random_range(ends.clone()));
        let codes = numbers.map(|number| match collection.tokens.get(number) {
            Some(token) if token.burnt => "E_TOKEN_NOT_FOUND",
            Some(token) if token.locked || collection.locks.contains("metadata") => "E_LOCKED",
            Some(_) => "",
            None => "E_TOKEN_NOT_FOUND",
        });
        let title = *["Other", "Another"].choose(&mut self.rng).unwrap();
        let updates = numbers.map(|number| {
            let title = (number % 3 > 0).then_some(title);
            json!({ "token_id": format!("{}:{}", at + 1, number + 1), "title": title })
        });
        let args = json!({ "collection_id": at + 1, "updates": updates });
        let call = self.call("nft_update_batch", args, 1);
        let may = self.model.staff(signer);
        let Some(outcome) = self.expect(signer, call, may, |_, _| moving(signer, signer, 0)) else {
            return;
        };
        for (result, code) in outcome.json().as_array().unwrap().iter().zip(codes) {
            assert_eq!(result.is_null(), code.is_empty(), "{result} for {code}");
            assert!(result.as_str().unwrap_or_default().starts_with(code));
        }
    }

    /// One lock of a collection, for good.
    fn lock_collection(&mut self) {
        let (signer, at) = (self.staff(), self.collection());
        let names = ["metadata", "supply", "royalties", "transfers"];
        let name = *names.choose(&mut self.rng).unwrap();
        let collection = &self.model.collections[at];
        let may = self.model.staff(&signer)
            && (name != "supply" || collection.published)
            && (name != "metadata" || !collection.hidden)
            && (name != "transfers" || !collection.transfers_off);
        let args = json!({ "collection_id": at + 1, "locks": [name] });
        let (call, from) = (self.call("collection_lock", args, 1), signer.clone());
        let done = self.expect(&signer, call, may, |_, _| moving(&from, &from, 0));
        if done.is_some() {
            self.model.collections[at].locks.insert(name.to_owned());
        }
    }

    fn reveal(&mut self) {
        let hidden = |collection: &Collection| collection.hidden && collection.published;
        let Some(at) = self.model.collections.iter().position(hidden) else {
            return;
        };
        let signer = self.staff();
        let may = self.model.staff(&signer);
        let count = self.model.collections[at].copies.len() as u32;
        let mut args = (at as u32 + 1).to_le_bytes().to_vec();
        args.extend_from_slice(&SALT);
        args.extend_from_slice(&borsh::to_vec(&hidden_assets(count)).unwrap());
        let call = Action::call_raw("collection_reveal", args, 200 * TGAS, 1);
        let from = signer.clone();
        let done = self.expect(&signer, call, may, |_, _| moving(&from, &from, 0));
        if done.is_some() {
            self.model.collections[at].hidden = false;
        }
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

//! Steps that mint tokens, move them and approve others for them.

use crate::model::Token;
use crate::world::{Changes, GHOST, PEOPLE, RECEIVERS, World, gain, moving, nobody};
use harness::mintage::CONTRACT;
use harness::{Action, NEAR, TGAS};
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A token as it is minted.
pub fn fresh(owner: &str, overridden: bool) -> Token {
    Token {
        owner: owner.into(),
        approvals: BTreeMap::new(),
        deposit: 0,
        overridden,
        locked: false,
        burnt: false,
    }
}

impl World {
    /// One order of the staff by chance, as JSON, and who gets how many tokens by it.
    fn order(&mut self, assets: usize) -> (Value, Vec<(&'static str, Token)>) {
        let all: Vec<&str> = PEOPLE.into_iter().chain(RECEIVERS).chain([GHOST]).collect();
        let receivers: Vec<&'static str> = (0..self.rng.random_range(1..5))
            .map(|_| *all.choose(&mut self.rng).unwrap())
            .collect();
        let quantity = self.rng.random_range(1..4u32);
        let overridden = self.rng.random_ratio(1, 8);
        let mut args =
            json!({ "receiver_ids": receivers, "quantities": vec![quantity; receivers.len()] });
        if overridden {
            let sha256 = base64::Engine::encode(
                &base64::engine::general_purpose::STANDARD,
                harness::mintage::digest(4_242),
            );
            args["metadata"] = json!({ "title": "Own", "media": { "sha256": sha256 } });
        }
        if self.rng.random_ratio(1, 4) {
            args["asset_index"] = json!(self.rng.random_range(0..assets + 1));
        }
        let each = |receiver| {
            std::iter::repeat_with(move || (receiver, fresh(receiver, overridden)))
                .take(quantity as usize)
        };
        (args, receivers.into_iter().flat_map(each).collect())
    }

    /// Whether the copies that orders choose are there.
    fn may_choose(&self, at: usize, orders: &[(Value, Vec<(&'static str, Token)>)]) -> bool {
        let args = json!({ "collection_id": at + 1, "limit": 200 });
        let shown = self.scene.view("collection_assets", args);
        let mut left: Vec<u64> = shown
            .as_array()
            .unwrap()
            .iter()
            .map(|asset| asset["remaining"].as_u64().unwrap())
            .collect();
        orders.iter().all(|(args, tokens)| {
            let Some(asset) = args["asset_index"].as_u64() else {
                return true;
            };
            if self.model.collections[at].hidden {
                return false;
            }
            let Some(left) = left.get_mut(asset as usize) else {
                return false;
            };
            let enough = *left >= tokens.len() as u64;
            *left = left.saturating_sub(tokens.len() as u64);
            enough
        })
    }

    pub fn batch_mint(&mut self) {
        let (signer, at) = (self.staff(), self.collection());
        let assets = self.model.collections[at].copies.len();
        let several = self.rng.random_ratio(1, 3);
        let count = if several {
            self.rng.random_range(1..4)
        } else {
            1
        };
        let orders: Vec<_> = (0..count).map(|_| self.order(assets)).collect();
        let mut args = if several {
            json!({ "mints": orders.iter().map(|order| order.0.clone()).collect::<Vec<_>>() })
        } else {
            orders[0].0.clone()
        };
        args["collection_id"] = json!(at + 1);
        let tokens: usize = orders.iter().map(|order| order.1.len()).sum();
        let collection = &self.model.collections[at];
        let overridden = orders
            .iter()
            .any(|(_, tokens)| tokens.iter().any(|(_, token)| token.overridden));
        let may = self.model.staff(&signer)
            && collection.published
            && collection.may_mint(tokens as u32)
            && !(overridden && collection.locks.contains("metadata"))
            && self.may_choose(at, &orders);
        let call = self.call("nft_batch_mint", args, 0);
        if let Some(outcome) = self.expect(&signer, call, may, nobody) {
            assert_eq!(outcome.json().as_array().unwrap().len(), tokens);
            for (_, token) in orders.into_iter().flat_map(|order| order.1) {
                self.model.collections[at].tokens.push(token);
            }
        }
    }

    pub fn direct_mint(&mut self) {
        let (signer, at) = (self.signer(), self.collection());
        let now = self.scene.chain.now_ms() + 600;
        let count = *[1, 1, 1, 2, 3, 7].choose(&mut self.rng).unwrap();
        let offer = self.model.offer(at, &signer, count, now);
        let fee = offer.map_or(0, |(fee, _)| fee) * u128::from(count);
        let deposit = match self.rng.random_range(0..4) {
            0 => fee.saturating_sub(1),
            1 => fee + NEAR,
            _ => fee,
        };
        let receiver = match self.rng.random_range(0..8) {
            0 => self.stranger(),
            1 => self.person().to_owned(),
            _ => signer.clone(),
        };
        let may = offer.is_some() && deposit >= fee;
        let kept = fee.min(crate::model::TOKEN * u128::from(count));
        let shares = self.model.split(at, fee - kept);
        let from = signer.clone();
        let mut args = json!({ "collection_id": at + 1 });
        if count > 1 {
            args["quantity"] = json!(count);
        }
        if receiver != signer {
            args["receiver_id"] = json!(receiver);
        }
        let call = Action::call("nft_mint", args, 100 * TGAS, deposit);
        let done = self.expect(&signer, call, may, |_, _| {
            let mut changes = Changes::new();
            gain(&mut changes, &from, -(fee as i128));
            gain(&mut changes, CONTRACT, kept as i128);
            shares
                .iter()
                .for_each(|(account, share)| gain(&mut changes, account, *share as i128));
            changes
        });
        if done.is_some() {
            let private = offer.expect("it was open").1;
            let collection = &mut self.model.collections[at];
            let tokens = std::iter::repeat_with(|| fresh(&receiver, false)).take(count as usize);
            collection.tokens.extend(tokens);
            *collection.counts[usize::from(private)]
                .entry(signer)
                .or_default() += count;
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
            locked: token.locked,
            ..fresh(receiver, token.overridden)
        };
    }

    pub fn transfer(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let (signer, approval, entitled) = self.sender(at, number);
        if !self.scene.chain.exists(&signer) {
            return;
        }
        let receiver = match self.rng.random_range(0..6) {
            0 => GHOST.to_owned(),
            1 | 2 => self.stranger(),
            _ => self.person().to_owned(),
        };
        let token = self.model.collections[at].tokens[number].clone();
        let may = entitled
            && token.owner != receiver
            && !self.model.collections[at].denies_transfer(&receiver);
        let args = json!({ "receiver_id": receiver, "token_id": format!("{}:{}", at + 1, number + 1), "approval_id": approval });
        let (call, from) = (self.call("nft_transfer", args, 1), signer.clone());
        let done = self.expect(&signer, call, may, |_, _| {
            moving(&from, &token.owner, token.deposit)
        });
        if done.is_some() {
            self.moved(at, number, &receiver);
        }
    }

    pub fn transfer_payout(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let (signer, approval, entitled) = self.sender(at, number);
        if !self.scene.chain.exists(&signer) {
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

    pub fn transfer_call(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let (signer, approval, entitled) = self.sender(at, number);
        if !self.scene.chain.exists(&signer) {
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

    /// The owner, or somebody else, ends a token; its approvals' deposits come back.
    pub fn burn(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let (signer, ..) = self.sender(at, number);
        if !self.scene.chain.exists(&signer) {
            return;
        }
        let token = self.model.collections[at].tokens[number].clone();
        let may = signer == token.owner;
        let args = json!({ "token_id": format!("{}:{}", at + 1, number + 1) });
        let (call, from) = (self.call("nft_burn", args, 1), signer.clone());
        let done = self.expect(&signer, call, may, |_, _| {
            moving(&from, &token.owner, token.deposit)
        });
        if done.is_some() {
            self.model.collections[at].tokens[number] = Token {
                burnt: true,
                ..fresh(&token.owner, token.overridden)
            };
        }
    }

    /// What a token shows is locked by the staff.
    pub fn lock_token(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let signer = self.staff();
        let may = self.model.staff(&signer) && !self.model.collections[at].hidden;
        let args = json!({ "token_id": format!("{}:{}", at + 1, number + 1) });
        let (call, from) = (self.call("nft_lock", args, 1), signer.clone());
        let done = self.expect(&signer, call, may, |_, _| moving(&from, &from, 0));
        if done.is_some() {
            self.model.collections[at].tokens[number].locked = true;
        }
    }

    pub fn approve(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let owner = self.model.collections[at].tokens[number].owner.clone();
        let signer = if self.rng.random_ratio(1, 8) || !self.scene.chain.exists(&owner) {
            self.person().to_owned()
        } else {
            owner.clone()
        };
        let account = if self.rng.random_bool(0.5) {
            self.person().to_owned()
        } else {
            self.stranger()
        };
        // What some front ends attach, whatever the account's name.
        let fixed = NEAR / 1_250;
        let deposit = *[0, fixed, NEAR / 10, NEAR / 100, NEAR]
            .choose(&mut self.rng)
            .unwrap();
        let collection = &self.model.collections[at];
        let may = signer == owner
            && deposit > 0
            && !collection.approvals_off
            && !collection.approvals_denied.contains(&account);
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
            token.approvals.insert(account, self.model.next_approval);
            token.deposit += kept;
        }
    }

    pub fn revoke(&mut self) {
        let Some((at, number)) = self.token() else {
            return;
        };
        let token = self.model.collections[at].tokens[number].clone();
        let signer = if self.rng.random_ratio(1, 8) || !self.scene.chain.exists(&token.owner) {
            self.person().to_owned()
        } else {
            token.owner.clone()
        };
        let may = signer == token.owner;
        let mut account = self.person().to_owned();
        if let Some(approved) = token.approvals.keys().next()
            && self.rng.random_bool(0.7)
        {
            account = approved.clone();
        }
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
                token.approvals.remove(&account);
            }
            assert!(
                !token.approvals.is_empty() || token.deposit == 0,
                "all approvals ended and {} is kept",
                token.deposit
            );
        }
    }
}

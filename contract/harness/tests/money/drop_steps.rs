//! Steps of claim drops: made, claimed, bought from by vouchers, added to and closed.

use crate::model::{Drop, TOKEN};
use crate::token_steps::fresh;
use crate::world::{Changes, GHOST, RECEIVERS, World, gain, nobody, paid};
use harness::claims::{Issuer, Terms};
use harness::mintage::CONTRACT;
use harness::{NEAR, STORAGE_PRICE};
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ISSUER: &str = "issuer";

impl World {
    /// A deposit of somebody who signs with a full-access key, and sometimes none.
    fn deposit(&mut self) -> u128 {
        *[0, 1, 1, 1, NEAR / 20].choose(&mut self.rng).unwrap()
    }

    /// What a drop's reserve has after `amount` yoctonear were to be added.
    fn reserved(&self, drop: &Drop, amount: u128) -> u64 {
        let collection = &self.model.collections[drop.collection];
        let open = (drop.links - drop.claimed.len() as u32) * drop.quantity;
        let need = u64::from(open.min(collection.left())) * collection.token_bytes();
        let missing = need.saturating_sub(drop.reserve);
        drop.reserve + u64::try_from(amount / STORAGE_PRICE).map_or(missing, |add| add.min(missing))
    }

    pub fn make_drop(&mut self) {
        let (signer, at, deposit) = (self.staff(), self.collection(), self.deposit());
        let mut drop = Drop {
            collection: at,
            links: self.rng.random_range(1..10),
            quantity: self.rng.random_range(1..4),
            expires_at_ms: self.scene.chain.now_ms() + self.rng.random_range(5_000..60_000),
            claimed: BTreeSet::new(),
            reserve: 0,
        };
        let mut args = json!({
            "collection_id": at + 1, "issuer_public_key": Issuer::new(ISSUER).public_key(), "links": drop.links,
            "quantity": drop.quantity, "expires_at_ms": drop.expires_at_ms
        });
        let mut amount = u128::MAX;
        if self.rng.random_bool(0.4) {
            amount = self.rng.random_range(0..NEAR / 50);
            args["reserve"] = json!(amount.to_string());
        }
        let published = self.model.collections[at].published;
        let may = self.model.staff(&signer)
            && published
            && deposit > 0
            && !self.model.collections[at].locks.contains("supply");
        if published {
            drop.reserve = self.reserved(&drop, amount);
        }
        let call = self.call("drop_create", args, deposit);
        let from = signer.clone();
        let done = self.expect(&signer, call, may, |_, _| paid(&from, deposit));
        if let Some(outcome) = done {
            self.model.drops.push(Some(drop));
            assert_eq!(outcome.json(), self.model.drops.len());
        }
    }

    pub fn claim(&mut self) {
        let Some(at) = self.some_drop() else { return };
        let signer = self.signer();
        let drop = self.model.drops[at].clone();
        let links = drop.as_ref().map_or(1, |drop| drop.links);
        let link = self.rng.random_range(0..links + 1);
        let receiver = match self.rng.random_range(0..4) {
            0 => self.stranger(),
            1 => RECEIVERS.choose(&mut self.rng).unwrap().to_string(),
            2 => GHOST.to_owned(),
            _ => self.person().to_owned(),
        };
        let name = if self.rng.random_ratio(1, 10) {
            "forger"
        } else {
            ISSUER
        };
        let args = Issuer::new(name)
            .link(CONTRACT, at as u64 + 1, link)
            .claim(&receiver);
        // The claim runs a block after this.
        let now = self.scene.chain.now_ms() + 600;
        let may = drop.as_ref().is_some_and(|drop| {
            let collection = &self.model.collections[drop.collection];
            name == ISSUER
                && link < drop.links
                && !drop.claimed.contains(&link)
                && now < drop.expires_at_ms
                && collection.may_mint(drop.quantity)
                && drop.reserve >= u64::from(drop.quantity) * collection.token_bytes()
        });
        let call = self.call("nft_claim", args, 0);
        if self.expect(&signer, call, may, nobody).is_none() {
            return;
        }
        let drop = self.model.drops[at].as_mut().expect("it was open");
        let collection = &mut self.model.collections[drop.collection];
        drop.claimed.insert(link);
        drop.reserve -= u64::from(drop.quantity) * collection.token_bytes();
        for _ in 0..drop.quantity {
            collection.tokens.push(fresh(&receiver, false));
        }
    }

    pub fn voucher(&mut self) {
        let Some(at) = self.some_drop() else { return };
        let signer = self.signer();
        let drop = self.model.drops[at].clone();
        let (links, most) = drop
            .as_ref()
            .map_or((1, 1), |drop| (drop.links, drop.quantity));
        let now = self.scene.chain.now_ms();
        let receiver = match self.rng.random_range(0..3) {
            0 => self.stranger(),
            1 => GHOST.to_owned(),
            _ => self.person().to_owned(),
        };
        let terms = Terms {
            contract: CONTRACT,
            drop: at as u64 + 1,
            nonce: self.rng.random_range(0..=links),
            receiver: &receiver,
            quantity: self.rng.random_range(1..=most + 1),
            price: *[0, TOKEN, TOKEN + 7, NEAR].choose(&mut self.rng).unwrap(),
            currency: None,
            expires_at_ms: now + self.rng.random_range(0..60_000),
        };
        let cost = terms.price * u128::from(terms.quantity);
        let deposit = match self.rng.random_range(0..5) {
            0 => cost.saturating_sub(1),
            1 if cost > 0 => cost + NEAR,
            _ => cost,
        };
        let name = if self.rng.random_ratio(1, 10) {
            "forger"
        } else {
            ISSUER
        };
        let bytes = |collection: usize| {
            u64::from(terms.quantity) * self.model.collections[collection].token_bytes()
        };
        let may = drop.as_ref().is_some_and(|drop| {
            name == ISSUER
                && terms.nonce < drop.links
                && !drop.claimed.contains(&terms.nonce)
                && now + 600 < drop.expires_at_ms.min(terms.expires_at_ms)
                && terms.quantity <= drop.quantity
                && self.model.collections[drop.collection].may_mint(terms.quantity)
                && deposit >= cost
                && (cost > 0 || drop.reserve >= bytes(drop.collection))
        });
        let kept = cost.min(TOKEN * u128::from(terms.quantity));
        let collection = drop.as_ref().map_or(0, |drop| drop.collection);
        let shares = self.model.split(collection, cost - kept);
        let from_reserve = if cost > 0 { 0 } else { bytes(collection) };
        let args = Issuer::new(name).voucher(&terms);
        let call = self.call("voucher_mint", args, deposit);
        let from = signer.clone();
        let done = self.expect(&signer, call, may, |_, _| {
            let mut changes = Changes::new();
            gain(&mut changes, &from, -(cost as i128));
            gain(&mut changes, CONTRACT, kept as i128);
            for (account, share) in &shares {
                gain(&mut changes, account, *share as i128);
            }
            changes
        });
        if done.is_some() {
            let drop = self.model.drops[at].as_mut().expect("it was open");
            drop.claimed.insert(terms.nonce);
            drop.reserve -= from_reserve;
            let tokens = std::iter::repeat_with(|| fresh(&receiver, false));
            let collection = &mut self.model.collections[drop.collection];
            collection
                .tokens
                .extend(tokens.take(terms.quantity as usize));
        }
    }

    pub fn extend_drop(&mut self) {
        let Some(at) = self.some_drop() else { return };
        let (signer, deposit) = (self.staff(), self.deposit());
        let drop = self.model.drops[at].clone();
        let mut args = json!({ "drop_id": at + 1 });
        let open = |drop: &Drop| {
            !self.model.collections[drop.collection]
                .locks
                .contains("supply")
        };
        let mut may = self.model.staff(&signer) && deposit > 0 && drop.as_ref().is_some_and(open);
        let mut longer = drop.unwrap_or(Drop {
            collection: 0,
            links: 1,
            quantity: 1,
            expires_at_ms: 0,
            claimed: BTreeSet::new(),
            reserve: 0,
        });
        let links = self.rng.random_range(1..14);
        if self.rng.random_bool(0.5) {
            args["links"] = json!(links);
            may &= links >= longer.links;
            longer.links = links.max(longer.links);
        }
        if self.rng.random_bool(0.5) {
            let end = self.scene.chain.now_ms() + 40_000;
            args["expires_at_ms"] = json!(end);
            longer.expires_at_ms = end;
        }
        let amount = self.rng.random_range(0..NEAR / 50);
        args["reserve"] = json!(amount.to_string());
        longer.reserve = self.reserved(&longer, amount);
        let call = self.call("drop_update", args, deposit);
        let from = signer.clone();
        let done = self.expect(&signer, call, may, |_, _| paid(&from, deposit));
        if done.is_some() {
            self.model.drops[at] = Some(longer);
        }
    }

    pub fn close_drop(&mut self) {
        let Some(at) = self.some_drop() else { return };
        let signer = self.staff();
        let now = self.scene.chain.now_ms() + 600;
        let drop = self.model.drops[at].clone();
        let over = drop.as_ref().is_some_and(|drop| {
            now >= drop.expires_at_ms
                || drop.claimed.len() as u32 == drop.links
                || !self.model.collections[drop.collection].may_mint(1)
        });
        let may = self.model.staff(&signer) && over;
        let call = self.call("drop_close", json!({ "drop_id": at + 1 }), 0);
        let free = self.free();
        if let Some(outcome) = self.expect(&signer, call, may, nobody) {
            let drop = self.model.drops[at].take().expect("it was there");
            let returned = u128::from(drop.reserve) * STORAGE_PRICE;
            assert_eq!(outcome.json(), Value::from(returned.to_string()));
            assert!(self.free() >= free + returned, "the reserve is free again");
        }
    }
}

//! What the contract should hold after each step, as simply as it can be said.

use harness::STORAGE_PRICE;
use std::collections::{BTreeMap, BTreeSet};

/// What of a fee pays for the token's storage: 270 bytes.
pub const TOKEN: u128 = 270 * STORAGE_PRICE;

#[derive(Clone, Debug, Default)]
pub struct Price {
    pub fee: u128,
    pub limit: Option<u32>,
    pub starts_at_ms: Option<u64>,
    pub ends_at_ms: Option<u64>,
}

impl Price {
    fn open(&self, minted: u32, count: u32, now_ms: u64) -> bool {
        self.starts_at_ms.is_none_or(|start| now_ms >= start)
            && self.ends_at_ms.is_none_or(|end| now_ms < end)
            && self.limit.is_none_or(|limit| minted + count <= limit)
    }
}

#[derive(Clone, Debug)]
pub struct Token {
    pub owner: String,
    pub approvals: BTreeMap<String, u64>,
    /// yoctoNEAR the contract owes for the approvals.
    pub deposit: u128,
    pub overridden: bool,
    /// What it shows is locked.
    pub locked: bool,
    pub burnt: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Collection {
    pub copies: Vec<u32>,
    pub published: bool,
    pub tokens: Vec<Token>,
    pub public: Option<Price>,
    pub private: Option<Price>,
    /// Mints by account at the public price, and at the private one; they outlive any change of either.
    pub counts: [BTreeMap<String, u32>; 2],
    pub listed: BTreeSet<String>,
    pub bypass: BTreeSet<String>,
    pub initial: BTreeMap<String, u128>,
    pub ongoing: BTreeMap<String, u128>,
    pub transfers_off: bool,
    pub transfers_denied: BTreeSet<String>,
    pub approvals_off: bool,
    pub approvals_denied: BTreeSet<String>,
    /// Locks by name.
    pub locks: BTreeSet<String>,
    /// Assets whose commitment is still to be fulfilled.
    pub hidden: bool,
}

/// A claim drop that is not closed.
#[derive(Clone, Debug)]
pub struct Drop {
    /// The collection's index.
    pub collection: usize,
    pub links: u32,
    pub quantity: u32,
    pub expires_at_ms: u64,
    pub claimed: BTreeSet<u32>,
    /// Bytes kept for claims.
    pub reserve: u64,
}

#[derive(Clone, Debug)]
pub struct Model {
    pub collections: Vec<Collection>,
    /// By number less one; `None` once closed.
    pub drops: Vec<Option<Drop>>,
    pub owner: String,
    pub proposed: Option<String>,
    pub admins: BTreeSet<String>,
    pub platform: String,
    pub next_approval: u64,
}

impl Collection {
    pub fn total(&self) -> u32 {
        self.copies.iter().sum()
    }

    /// Bytes that a token is promised: fewer than 128 collections and copies, and assets below 256.
    pub fn token_bytes(&self) -> u64 {
        190 + u64::from(self.copies.len() > 1)
    }

    pub fn left(&self) -> u32 {
        self.total() - self.tokens.len() as u32
    }

    /// Whether so many tokens may still be minted by somebody.
    pub fn may_mint(&self, count: u32) -> bool {
        self.left() >= count && !self.locks.contains("supply")
    }

    pub fn living(&self) -> usize {
        self.tokens.iter().filter(|token| !token.burnt).count()
    }

    /// Whether `new` settings break a lock.
    pub fn forbids(&self, new: &Collection) -> bool {
        let narrower = (new.transfers_off && !self.transfers_off)
            || (new.approvals_off && !self.approvals_off)
            || !new.transfers_denied.is_subset(&self.transfers_denied)
            || !new.approvals_denied.is_subset(&self.approvals_denied);
        (self.locks.contains("royalties") && new.ongoing != self.ongoing)
            || (self.locks.contains("transfers") && narrower)
    }

    pub fn denies_transfer(&self, receiver: &str) -> bool {
        self.transfers_off || self.transfers_denied.contains(receiver)
    }
}

impl Model {
    pub fn staff(&self, account: &str) -> bool {
        self.owner == account || self.admins.contains(account)
    }

    pub fn supply(&self) -> usize {
        self.collections.iter().map(Collection::living).sum()
    }

    pub fn supply_of(&self, account: &str) -> usize {
        self.tokens()
            .filter(|(_, token)| token.owner == account)
            .count()
    }

    pub fn owed(&self) -> u128 {
        self.tokens().map(|(_, token)| token.deposit).sum()
    }

    /// All tokens that are there, with their ids.
    pub fn tokens(&self) -> impl Iterator<Item = (String, &Token)> {
        let numbered = |(at, collection): (usize, &'_ Collection)| -> Vec<_> {
            let ids =
                (1..=collection.tokens.len()).map(move |number| format!("{}:{number}", at + 1));
            ids.zip(0..collection.tokens.len())
                .map(move |(id, index)| (id, at, index))
                .collect()
        };
        let places: Vec<_> = self
            .collections
            .iter()
            .enumerate()
            .flat_map(numbered)
            .collect();
        places
            .into_iter()
            .map(|(id, at, index)| (id, &self.collections[at].tokens[index]))
            .filter(|(_, token)| !token.burnt)
    }

    /// The fee a token of a direct mint and whether it counts as private, or `None` if no price is open for all tokens.
    pub fn offer(
        &self,
        collection: usize,
        account: &str,
        count: u32,
        now_ms: u64,
    ) -> Option<(u128, bool)> {
        let rules = &self.collections[collection];
        if !rules.published || !rules.may_mint(count) {
            return None;
        }
        let listed = rules.listed.contains(account);
        let minted = |private: usize| rules.counts[private].get(account).copied().unwrap_or(0);
        let private = rules
            .private
            .as_ref()
            .filter(|price| listed && price.open(minted(1), count, now_ms));
        let public = rules
            .public
            .as_ref()
            .filter(|price| price.open(minted(0), count, now_ms));
        let best = match (private, public) {
            (Some(private), Some(public)) if public.fee < private.fee => Some((public.fee, false)),
            (Some(private), _) => Some((private.fee, true)),
            (None, Some(public)) => Some((public.fee, false)),
            (None, None) => None,
        };
        let free = self.staff(account) || rules.bypass.contains(account);
        match best {
            // Whoever pays nothing has no better price: the private one counts if it is open.
            Some(_) if free => Some((0, private.is_some())),
            other => other,
        }
    }

    /// Who gains what of the rest of a fee, without what the contract keeps.
    pub fn split(&self, collection: usize, rest: u128) -> Vec<(String, u128)> {
        let mut shares = vec![(self.platform.clone(), rest / 20)];
        let royalties = &self.collections[collection].initial;
        shares.extend(
            royalties
                .iter()
                .map(|(account, points)| (account.clone(), rest * points / 10_000)),
        );
        let given: u128 = shares.iter().map(|(_, share)| share).sum();
        shares.push((self.owner.clone(), rest - given));
        shares
    }
}

//! Storage keys and the typed reading and writing of records. A key is one letter and big-endian numbers or an account.

use crate::accounts;
use crate::collection::commitment::Reveal;
use crate::collection::header::{Header, ASSETS_LOCKED, COMMITTED};
use crate::collection::locks::LockedAssets;
use crate::collection::settings::{Details, Lists, Rules, Settings};
use crate::collection::token_page::{Page, PAGE_TOKENS};
use crate::error::{Code, Failure};
use crate::host;
use crate::prelude::*;
use crate::root::Root;
use crate::token::approval::{self, Approval};
use crate::token::holdings::{self, Head, TokenRef};
use crate::token::id;
use crate::token::overrides::Override;

/// The letters that records' keys begin with.
pub mod prefix {
    pub const ROOT: u8 = b'R';
    pub const METADATA: u8 = b'M';
    pub const HEADER: u8 = b'c';
    pub const RULES: u8 = b'r';
    pub const DETAILS: u8 = b'd';
    pub const LISTS: u8 = b'w';
    pub const MEDIA: u8 = b'i';
    pub const REFERENCES: u8 = b'g';
    pub const ASSET_INFO: u8 = b'e';
    pub const TEXTS: u8 = b'u';
    pub const EXTERNAL_ID: u8 = b'X';
    pub const COPIES: u8 = b'n';
    pub const TOKENS: u8 = b't';
    pub const OVERRIDE: u8 = b'x';
    pub const APPROVALS: u8 = b'v';
    pub const HEAD: u8 = b'o';
    pub const HOLDINGS: u8 = b'p';
    pub const ALLOWLIST: u8 = b'a';
    pub const BUCKET: u8 = b'b';
    pub const SHARES: u8 = b'q';
    pub const LOCKED_ASSETS: u8 = b'l';
    pub const REVEAL: u8 = b'y';
    pub const DROP: u8 = b'k';
    pub const UPGRADE: u8 = b'U';
}

/// The key of a record of a collection or a drop.
pub fn key1(prefix: u8, number: u32) -> [u8; 5] {
    let mut key = [prefix; 5];
    key[1..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The key of a numbered record of a collection.
pub fn key2(prefix: u8, collection: u32, number: u32) -> [u8; 9] {
    let mut key = [prefix; 9];
    key[1..5].copy_from_slice(&collection.to_be_bytes());
    key[5..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The key of the record that says which collection has an external id.
pub fn external_id_key(external_id: &[u8; 16]) -> [u8; 17] {
    let mut key = [prefix::EXTERNAL_ID; 17];
    key[1..].copy_from_slice(external_id);
    key
}

fn account_key(prefix: u8, stored: &[u8]) -> Vec<u8> {
    let mut key = vec![prefix];
    key.extend_from_slice(&accounts::key(stored));
    key
}

pub fn head_key(stored: &[u8]) -> Vec<u8> {
    account_key(prefix::HEAD, stored)
}

pub fn holdings_key(stored: &[u8], page: u16) -> Vec<u8> {
    let mut key = account_key(prefix::HOLDINGS, stored);
    key.extend_from_slice(&page.to_be_bytes());
    key
}

/// The root and its record as it lies in storage.
pub fn root() -> (Root, Vec<u8>) {
    let bytes = host::read(&[prefix::ROOT])
        .unwrap_or_else(|| host::refuse(Code::Internal, "The contract is not initialised."));
    let root = Root::decode(&bytes).unwrap_or_else(|| {
        host::refuse(
            Code::Migration,
            "The storage that is here is of another layout than this code's.",
        )
    });
    (root, bytes)
}

pub fn find_header(collection: u32) -> Option<Header> {
    host::read(&key1(prefix::HEADER, collection))
        .map(|bytes| Header::decode(&bytes).unwrap_or_else(|| host::corrupt()))
}

pub fn header(collection: u32) -> Header {
    find_header(collection).unwrap_or_else(|| {
        host::refuse(
            Code::CollectionNotFound,
            "There is no collection with this collection_id.",
        )
    })
}

pub fn put_header(collection: u32, header: &Header) {
    host::write(&key1(prefix::HEADER, collection), &header.encode());
}

/// What a record says; one that is not there is empty.
fn record<T>(key: &[u8], decode: fn(&[u8]) -> Option<T>) -> T {
    let bytes = host::read(key).unwrap_or_default();
    decode(&bytes).unwrap_or_else(|| host::corrupt())
}

pub fn rules(collection: u32) -> Rules {
    record(&key1(prefix::RULES, collection), Rules::decode)
}

/// All pages of remaining copies. They are read together or not at all: which of them a receipt has read would show in
/// its storage proof.
pub fn copies_pages(collection: u32, count: usize) -> Vec<Vec<u8>> {
    (0..count as u32)
        .map(|page| {
            host::read(&key2(prefix::COPIES, collection, page)).unwrap_or_else(|| host::corrupt())
        })
        .collect()
}

/// Assets whose tokens' metadata are locked.
pub fn locked_assets(collection: u32, header: &Header) -> LockedAssets {
    if !header.is(ASSETS_LOCKED) {
        return LockedAssets::default();
    }
    record(
        &key1(prefix::LOCKED_ASSETS, collection),
        LockedAssets::decode,
    )
}

/// How a collection hid its assets or does; `None` of one that never did.
pub fn reveal(collection: u32, header: &Header) -> Option<Reveal> {
    if !header.is(COMMITTED) {
        return None;
    }
    Some(record(&key1(prefix::REVEAL, collection), Reveal::decode))
}

/// The assets of the tokens that were minted in this very block, in as many steps whatever they are.
pub fn assets_of_block(collection: u32, header: &Header) -> Vec<u32> {
    let mut assets = Vec::new();
    if header.last_block != host::block_height() {
        return assets;
    }
    let mut number = header.last_first;
    while number <= header.minted {
        let Some((page, _, at)) = token_page(header, collection, number) else {
            host::corrupt()
        };
        let slots = (at..page.len()).filter_map(|at| page.slot(at));
        assets.extend(slots.map(|slot| slot.asset));
        number += (page.len() - at) as u32;
    }
    assets
}

pub fn details(collection: u32) -> Details {
    record(&key1(prefix::DETAILS, collection), Details::decode)
}

/// The lists of accounts of a collection with these details.
pub fn lists(collection: u32, details: &Details) -> Lists {
    if !details.has_lists {
        return Lists::default();
    }
    record(&key1(prefix::LISTS, collection), Lists::decode)
}

pub fn settings(collection: u32) -> Settings {
    let details = details(collection);
    Settings {
        rules: rules(collection),
        lists: lists(collection, &details),
        details,
    }
}

pub fn put_settings(collection: u32, settings: &Settings) {
    let Settings {
        rules,
        details,
        lists,
    } = settings;
    host::write(&key1(prefix::RULES, collection), &rules.encode());
    put_details(collection, details);
    let key = key1(prefix::LISTS, collection);
    match details.has_lists {
        true => host::write(&key, &lists.encode()),
        false => host::remove(&key),
    }
}

pub fn put_details(collection: u32, details: &Details) {
    host::write(&key1(prefix::DETAILS, collection), &details.encode());
}

pub fn overrides(collection: u32, number: u32) -> Override {
    record(
        &key2(prefix::OVERRIDE, collection, number),
        Override::decode,
    )
}

/// A token's page, from the header while it is being filled; the page's number and the token's place on it. `None` if
/// the token is not minted.
pub fn token_page(header: &Header, collection: u32, number: u32) -> Option<(Page, u32, usize)> {
    if number == 0 || number > header.minted {
        return None;
    }
    let index = (number - 1) / PAGE_TOKENS;
    let at = ((number - 1) % PAGE_TOKENS) as usize;
    let page = if index == header.minted / PAGE_TOKENS {
        header.page.clone()
    } else {
        full_page(header, collection, index)
    };
    Some((page, index, at))
}

/// How many tokens of a full page were not burnt; `None` of the page that is being filled.
pub fn living_on_full_page(collection: u32, header: &Header, index: u32) -> Option<u64> {
    if index == header.minted / PAGE_TOKENS {
        return None;
    }
    let bytes = host::read(&key2(prefix::TOKENS, collection, index))?;
    let burnt = Page::burnt(&bytes, header.assets).unwrap_or_else(|| host::corrupt());
    Some(u64::from(PAGE_TOKENS) - burnt as u64)
}

fn full_page(header: &Header, collection: u32, index: u32) -> Page {
    let bytes =
        host::read(&key2(prefix::TOKENS, collection, index)).unwrap_or_else(|| host::corrupt());
    Page::decode(&bytes, header.assets).unwrap_or_else(|| host::corrupt())
}

/// Writes a token's page back to where it lies.
pub fn put_token_page(header: &mut Header, collection: u32, index: u32, page: Page) {
    if index == header.minted / PAGE_TOKENS {
        header.page = page;
        put_header(collection, header);
    } else {
        put_full_page(header, collection, index, &page);
    }
}

pub fn put_full_page(header: &Header, collection: u32, index: u32, page: &Page) {
    let mut bytes = Vec::with_capacity(1_024);
    page.encode(header.assets, &mut bytes);
    host::write(&key2(prefix::TOKENS, collection, index), &bytes);
}

pub fn decode_head(bytes: &[u8]) -> Head {
    Head::decode(bytes).unwrap_or_else(|| host::corrupt())
}

pub fn find_head(stored: &[u8]) -> Option<Head> {
    host::read(&head_key(stored)).map(|bytes| decode_head(&bytes))
}

pub fn holdings_page(stored: &[u8], page: u16) -> Vec<TokenRef> {
    let bytes = host::read(&holdings_key(stored, page)).unwrap_or_else(|| host::corrupt());
    holdings::decode_page(&bytes).unwrap_or_else(|| host::corrupt())
}

/// What a call about a token is refused with that is not there.
pub fn no_token() -> Failure {
    Failure::new(Code::TokenNotFound, "There is no token with this token_id.")
}

/// A token where it lies.
pub struct Place {
    pub collection: u32,
    pub number: u32,
    pub header: Header,
    pub page: Page,
    /// The page's number, and the token's place on it.
    pub index: u32,
    pub at: usize,
}

impl Place {
    /// The token with this id, if there is one; an id that can't exist is a token that does not.
    pub fn look(token_id: &str) -> Option<Self> {
        let (collection, number) = id::parse(token_id)?;
        let header = find_header(collection)?;
        let (page, index, at) = token_page(&header, collection, number)?;
        page.owner(at)?;
        Some(Self {
            collection,
            number,
            header,
            page,
            index,
            at,
        })
    }

    /// As [`Place::look`]; fails if there is no such token.
    pub fn find(token_id: &str) -> Self {
        Self::look(token_id).unwrap_or_else(|| host::fail(no_token()))
    }

    /// The owner's stored id.
    pub fn owner(&self) -> &[u8] {
        self.page.owner(self.at).unwrap_or_else(|| host::corrupt())
    }

    pub fn token(&self) -> TokenRef {
        (self.collection, self.number)
    }

    /// The page of the owner's list that the token stands on.
    pub fn home(&self) -> u16 {
        self.page.slot(self.at).map_or(0, |slot| slot.home)
    }

    pub fn approvals(&self) -> Vec<Approval> {
        if self.page.approved >> self.at & 1 == 1 {
            approvals(self.collection, self.number)
        } else {
            Vec::new()
        }
    }

    pub fn overrides(&self) -> Override {
        if self.page.overridden >> self.at & 1 == 1 {
            overrides(self.collection, self.number)
        } else {
            Override::default()
        }
    }

    /// Keeps the token's approvals and marks on the page whether there are any. Returns whether the mark changed, so
    /// that the page has to be stored.
    pub fn set_approvals(&mut self, approvals: &[Approval]) -> bool {
        let mark = 1 << self.at;
        let before = self.page.approved;
        let key = key2(prefix::APPROVALS, self.collection, self.number);
        if !approvals.is_empty() {
            host::write(&key, &approval::encode(approvals));
            self.page.approved |= mark;
        } else if self.page.approved & mark != 0 {
            host::remove(&key);
            self.page.approved &= !mark;
        }
        self.page.approved != before
    }

    /// Writes the token's page and the header.
    pub fn put_all(self) {
        if self.index != self.header.minted / PAGE_TOKENS {
            put_header(self.collection, &self.header);
        }
        self.put();
    }

    /// Writes the token's page back.
    pub fn put(self) {
        let Self {
            mut header,
            collection,
            index,
            page,
            ..
        } = self;
        put_token_page(&mut header, collection, index, page);
    }
}

pub fn approvals(collection: u32, number: u32) -> Vec<Approval> {
    record(
        &key2(prefix::APPROVALS, collection, number),
        approval::decode,
    )
}

//! Storage keys and the typed reading and writing of records. A key is one letter and big-endian numbers or an account.

use crate::accounts;
use crate::collection::header::Header;
use crate::collection::settings::{Details, Rules};
use crate::error::Code;
use crate::host;
use crate::token::holdings::{self, Head, TokenRef};
use crate::token::overrides::Override;
use crate::token::page::{Page, PAGE_TOKENS};

/// The letters that records' keys begin with.
pub mod prefix {
    pub const ROOT: u8 = b'R';
    pub const METADATA: u8 = b'M';
    pub const HEADER: u8 = b'c';
    pub const RULES: u8 = b'r';
    pub const DETAILS: u8 = b'd';
    pub const MEDIA: u8 = b'h';
    pub const REFERENCES: u8 = b'f';
    pub const ASSET_INFO: u8 = b's';
    pub const COPIES: u8 = b'n';
    pub const TOKENS: u8 = b't';
    pub const OVERRIDE: u8 = b'x';
    pub const APPROVALS: u8 = b'v';
    pub const HEAD: u8 = b'o';
    pub const HOLDINGS: u8 = b'p';
    pub const ALLOWLIST: u8 = b'a';
    pub const BUCKET: u8 = b'b';
}

/// The key of a record of a collection.
pub fn key1(prefix: u8, collection: u32) -> [u8; 5] {
    let mut key = [prefix; 5];
    key[1..].copy_from_slice(&collection.to_be_bytes());
    key
}

/// The key of a numbered record of a collection.
pub fn key2(prefix: u8, collection: u32, number: u32) -> [u8; 9] {
    let mut key = [prefix; 9];
    key[1..5].copy_from_slice(&collection.to_be_bytes());
    key[5..].copy_from_slice(&number.to_be_bytes());
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

pub fn rules(collection: u32) -> Rules {
    let bytes = host::read(&key1(prefix::RULES, collection)).unwrap_or_default();
    Rules::decode(&bytes).unwrap_or_else(|| host::corrupt())
}

pub fn details(collection: u32) -> Details {
    let bytes = host::read(&key1(prefix::DETAILS, collection)).unwrap_or_default();
    Details::decode(&bytes).unwrap_or_else(|| host::corrupt())
}

pub fn overrides(collection: u32, number: u32) -> Override {
    let bytes = host::read(&key2(prefix::OVERRIDE, collection, number)).unwrap_or_default();
    Override::decode(&bytes).unwrap_or_else(|| host::corrupt())
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

/// The header of a token's collection; without one there is no such token.
pub fn header_of_token(collection: u32) -> Header {
    find_header(collection).unwrap_or_else(|| crate::token::view::token_missing())
}

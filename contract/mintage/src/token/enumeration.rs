//! NEP-171's `nft_token`, NEP-181, and the views of several tokens.

use super::view::{write_optional_token, write_token, Token, TokenReader};
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::{FromJson, Json, Object};
use crate::store;
use std::borrow::Cow;

/// What a null `limit` means.
const DEFAULT_LIMIT: u64 = 100;

/// A position in an enumeration: NEP-181 sends a decimal string, the collection views a number; both are taken.
struct Index(u64);

impl<'a> FromJson<'a> for Index {
    const WHAT: &'static str = "a whole number or a string of decimal digits";
    fn from_json(json: Json<'a>) -> Option<Self> {
        let value = match json {
            Json::Number(_) => u128::from(u64::from_json(json)?),
            json => u128::from_json(json)?,
        };
        // More than any supply is past the end all the same.
        Some(Self(value.min(u128::from(u64::MAX)) as u64))
    }
}

/// Where a page of a list begins and how many it may have.
pub fn window(args: &mut Object) -> (u64, u64) {
    let from = args
        .optional::<Index>("from_index")
        .or_fail()
        .map_or(0, |index| index.0);
    let limit = args.optional("limit").or_fail().unwrap_or(DEFAULT_LIMIT);
    if limit == 0 {
        refuse(Code::InvalidArgument, "limit is at least 1.");
    }
    (from, u64::min(limit, u64::from(u32::MAX)))
}

pub fn nft_token() {
    let id: String = host::args().required("token_id").or_fail();
    let token = TokenReader::default().token(&id);
    host::return_json(|json| write_optional_token(json, token.as_ref()));
}

pub fn nft_tokens_by_ids() {
    let ids: Vec<Cow<str>> = host::args().required("token_ids").or_fail();
    let mut reader = TokenReader::default();
    host::return_list(ids.iter(), |json, id| {
        write_optional_token(json, reader.token(id).as_ref())
    });
}

fn return_tokens(tokens: impl Iterator<Item = Token>) {
    host::return_list(tokens, |json, token| write_token(json, &token));
}

fn return_count(count: u64) {
    host::return_json(|json| {
        json.amount(u128::from(count));
    });
}

/// Collections with how many tokens each has minted.
fn minted() -> impl Iterator<Item = (u32, u32)> {
    let collections = store::root().0.collections;
    (1..=collections).map(|collection| (collection, store::header(collection).minted))
}

pub fn nft_total_supply() {
    return_count(minted().map(|(_, minted)| u64::from(minted)).sum());
}

pub fn nft_tokens() {
    let (mut skip, limit) = window(&mut host::args());
    let places = minted().flat_map(|(collection, minted)| {
        let passed = skip.min(u64::from(minted));
        skip -= passed;
        (passed as u32 + 1..=minted).map(move |number| (collection, number))
    });
    let mut reader = TokenReader::default();
    let tokens = places
        .take(limit as usize)
        .filter_map(|(collection, number)| reader.numbered(collection, number));
    return_tokens(tokens);
}

pub fn nft_supply_for_owner() {
    let stored = guard::required_account(&mut host::args(), "account_id").1;
    return_count(store::find_head(&stored).map_or(0, |head| head.supply()));
}

pub fn nft_tokens_for_owner() {
    let mut args = host::args();
    let (mut skip, limit) = window(&mut args);
    let stored = guard::required_account(&mut args, "account_id").1;
    let head = store::find_head(&stored).unwrap_or_default();
    let mut entries = Vec::new();
    for (page, &count) in head.counts().iter().enumerate() {
        if skip >= u64::from(count) {
            skip -= u64::from(count);
        } else if (entries.len() as u64) < limit {
            let page = store::holdings_page(&stored, page as u16);
            entries.extend(page.into_iter().skip(skip as usize));
            skip = 0;
        }
    }
    let tail = head.entries().iter();
    entries.extend(tail.skip(skip.min(u64::from(u32::MAX)) as usize));
    let mut reader = TokenReader::default();
    let tokens = entries
        .iter()
        .take(limit as usize)
        .filter_map(|&(collection, number)| reader.numbered(collection, number));
    return_tokens(tokens);
}

pub fn collection_tokens() {
    let mut args = host::args();
    let (skip, limit) = window(&mut args);
    let collection = args.required("collection_id").or_fail();
    let minted = u64::from(store::header(collection).minted);
    let mut reader = TokenReader::default();
    let end = minted.min(skip.saturating_add(limit));
    return_tokens((skip..end).filter_map(|index| reader.numbered(collection, index as u32 + 1)));
}

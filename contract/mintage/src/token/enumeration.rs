//! NEP-171's `nft_token`, NEP-181, and the views of several tokens.

use super::view::{write_optional_token, write_token, Token, TokenReader};
use crate::collection::header::Header;
use crate::collection::token_page::PAGE_TOKENS;
use crate::error::Code;
use crate::guard;
use crate::host::{self, OrFail};
use crate::prelude::*;
use crate::store;
use crate::window::{page_bytes, window, MOST};
use alloc::borrow::Cow;

pub fn nft_token() {
    let id: String = host::args().required("token_id").or_fail();
    let token = TokenReader::default().token(&id);
    host::return_json(|json| write_optional_token(json, token.as_ref()));
}

pub fn nft_tokens_by_ids() {
    let ids: Vec<Cow<str>> = host::args().required("token_ids").or_fail();
    let mut reader = TokenReader::default();
    let limit = MOST.min(ids.len() as u64);
    let ids = ids.iter().take(limit as usize);
    host::return_list(page_bytes(limit), ids, |json, id| {
        write_optional_token(json, reader.token(id).as_ref())
    });
}

fn return_tokens(limit: usize, tokens: impl Iterator<Item = Token>) {
    let length = page_bytes(limit as u64);
    host::return_list(length, tokens, |json, token| write_token(json, &token));
}

fn return_count(count: u64) {
    host::return_json(|json| {
        json.amount(u128::from(count));
    });
}

/// Collections with their headers.
fn collections() -> impl Iterator<Item = (u32, Header)> {
    let collections = store::root().0.collections;
    (1..=collections).map(|collection| (collection, store::header(collection)))
}

pub fn nft_total_supply() {
    return_count(collections().map(|(_, header)| header.living()).sum());
}

/// Pages of tokens that a view reads at most where tokens were burnt, 0.07 Tgas each.
const PAGES: u32 = 2_500;

/// The numbers of a collection's tokens that were not burnt, `most` at most behind the first `skip` of them. Where tokens
/// were burnt all pages before are read, each out of what the view may read: `pages`.
fn living(
    (collection, header): (u32, &Header),
    mut skip: u64,
    most: usize,
    pages: &mut u32,
) -> Vec<u32> {
    if header.burnt == 0 {
        let first = skip.min(u64::from(header.minted)) as u32 + 1;
        return (first..=header.minted).take(most).collect();
    }
    let mut numbers = Vec::new();
    for page in 0..header.minted.div_ceil(PAGE_TOKENS) {
        if numbers.len() == most {
            break;
        }
        let Some(rest) = pages.checked_sub(1) else {
            host::refuse(
                Code::TooMany,
                "from_index: tokens were burnt, and too many others come before this one for a view.",
            );
        };
        *pages = rest;
        if let Some(living) = store::living_on_full_page(collection, header, page) {
            if living <= skip {
                skip -= living;
                continue;
            }
        }
        let first = page * PAGE_TOKENS + 1;
        let Some((page, ..)) = store::token_page(header, collection, first) else {
            host::corrupt()
        };
        for at in page.living() {
            if skip > 0 {
                skip -= 1;
            } else if numbers.len() < most {
                numbers.push(first + at as u32);
            }
        }
    }
    numbers
}

pub fn nft_tokens() {
    let (mut skip, limit) = window(&mut host::args());
    let limit = limit as usize;
    let (mut places, mut pages) = (Vec::new(), PAGES);
    for (collection, header) in collections() {
        // A header is read for as much gas as a page.
        pages = pages.saturating_sub(1);
        let passed = skip.min(header.living());
        if passed < header.living() {
            let place = (collection, &header);
            let numbers = living(place, passed, limit - places.len(), &mut pages);
            places.extend(numbers.into_iter().map(|number| (collection, number)));
        }
        skip -= passed;
        if places.len() == limit {
            break;
        }
    }
    let mut reader = TokenReader::default();
    let tokens = places
        .into_iter()
        .filter_map(|(collection, number)| reader.numbered(collection, number));
    return_tokens(limit, tokens);
}

pub fn nft_supply_for_owner() {
    let stored = guard::required_account(&mut host::args(), "account_id").1;
    return_count(store::find_head(&stored).map_or(0, |head| head.supply()));
}

pub fn nft_tokens_for_owner() {
    let mut args = host::args();
    let (mut skip, limit) = window(&mut args);
    let limit = limit as usize;
    let stored = guard::required_account(&mut args, "account_id").1;
    let head = store::find_head(&stored).unwrap_or_default();
    let mut entries = Vec::new();
    for (page, &count) in head.counts().iter().enumerate() {
        if skip >= u64::from(count) {
            skip -= u64::from(count);
        } else if entries.len() < limit {
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
        .take(limit)
        .filter_map(|&(collection, number)| reader.numbered(collection, number));
    return_tokens(limit, tokens);
}

pub fn collection_tokens() {
    let mut args = host::args();
    let (skip, limit) = window(&mut args);
    let limit = limit as usize;
    let collection = args.required("collection_id").or_fail();
    let header = store::header(collection);
    let numbers = living((collection, &header), skip, limit, &mut { PAGES });
    let mut reader = TokenReader::default();
    return_tokens(
        limit,
        numbers
            .into_iter()
            .filter_map(|number| reader.numbered(collection, number)),
    );
}

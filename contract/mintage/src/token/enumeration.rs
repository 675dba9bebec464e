//! NEP-171's `nft_token`, NEP-181, and the views of several tokens.

use super::view::{write_optional_token, write_token, TokenReader};
use crate::accounts;
use crate::entry::Contract;
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::{FromJson, Json, Object};
use crate::store;
use near_contract_standards::non_fungible_token::enumeration::NonFungibleTokenEnumeration;
use near_contract_standards::non_fungible_token::Token;
use near_sdk::json_types::U128;
use near_sdk::AccountId;
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
    (from, limit)
}

pub fn nft_token() {
    let id: String = host::args().required("token_id").or_fail();
    let token = TokenReader::default().token(&id);
    host::return_json(|json| write_optional_token(json, token.as_ref()));
}

pub fn nft_tokens_by_ids() {
    let ids: Vec<Cow<str>> = host::args().required("token_ids").or_fail();
    let mut reader = TokenReader::default();
    host::return_json(|json| {
        json.open('[');
        for id in &ids {
            write_optional_token(json, reader.token(id).as_ref());
        }
        json.close(']');
    });
}

fn return_tokens(tokens: &[Token]) {
    host::return_json(|json| {
        json.open('[');
        for token in tokens {
            write_token(json, token);
        }
        json.close(']');
    });
}

fn return_count(count: U128) {
    host::return_json(|json| {
        json.amount(count.0);
    });
}

fn minted() -> impl Iterator<Item = (u32, u32)> {
    let collections = store::root().0.collections;
    (1..=collections).map(|collection| (collection, store::header(collection).minted))
}

/// An enumeration's arguments, as NEP-181 has them: the first position and how many.
fn bounds(from_index: Option<U128>, limit: Option<u64>) -> (u64, u64) {
    (
        from_index.map_or(0, |index| index.0.min(u128::from(u64::MAX)) as u64),
        limit.unwrap_or(DEFAULT_LIMIT),
    )
}

impl NonFungibleTokenEnumeration for Contract {
    fn nft_total_supply(&self) -> U128 {
        U128(minted().map(|(_, minted)| u128::from(minted)).sum())
    }

    fn nft_tokens(&self, from_index: Option<U128>, limit: Option<u64>) -> Vec<Token> {
        let (mut skip, limit) = bounds(from_index, limit);
        let mut reader = TokenReader::default();
        let mut tokens = Vec::new();
        for (collection, minted) in minted() {
            if skip >= u64::from(minted) {
                skip -= u64::from(minted);
                continue;
            }
            for number in skip as u32 + 1..=minted {
                if tokens.len() as u64 == limit {
                    return tokens;
                }
                tokens.extend(reader.numbered(collection, number));
            }
            skip = 0;
        }
        tokens
    }

    fn nft_supply_for_owner(&self, account_id: AccountId) -> U128 {
        U128(
            store::find_head(&accounts::encode(account_id.as_str()))
                .map_or(0, |head| u128::from(head.supply())),
        )
    }

    fn nft_tokens_for_owner(
        &self,
        account_id: AccountId,
        from_index: Option<U128>,
        limit: Option<u64>,
    ) -> Vec<Token> {
        let (mut skip, limit) = bounds(from_index, limit);
        let stored = accounts::encode(account_id.as_str());
        let head = store::find_head(&stored).unwrap_or_default();
        let mut entries = Vec::new();
        for (page, &count) in head.counts().iter().enumerate() {
            if skip >= u64::from(count) {
                skip -= u64::from(count);
            } else if (entries.len() as u64) < limit {
                entries.extend(
                    store::holdings_page(&stored, page as u16)
                        .into_iter()
                        .skip(skip as usize),
                );
                skip = 0;
            }
        }
        entries.extend(
            head.entries()
                .iter()
                .skip(skip.min(u64::from(u32::MAX)) as usize),
        );
        let mut reader = TokenReader::default();
        let shown = entries.len().min(limit.min(u64::from(u32::MAX)) as usize);
        entries[..shown]
            .iter()
            .filter_map(|&(collection, number)| reader.numbered(collection, number))
            .collect()
    }
}

fn account_id(args: &mut Object) -> AccountId {
    let (id, _) = guard::required_account(args, "account_id");
    id.parse().unwrap_or_else(|_| host::corrupt())
}

pub fn nft_total_supply() {
    return_count(Contract.nft_total_supply());
}

pub fn nft_supply_for_owner() {
    return_count(Contract.nft_supply_for_owner(account_id(&mut host::args())));
}

pub fn nft_tokens() {
    let (from, limit) = window(&mut host::args());
    return_tokens(&Contract.nft_tokens(Some(U128(from.into())), Some(limit)));
}

pub fn nft_tokens_for_owner() {
    let mut args = host::args();
    let (from, limit) = window(&mut args);
    return_tokens(&Contract.nft_tokens_for_owner(
        account_id(&mut args),
        Some(U128(from.into())),
        Some(limit),
    ));
}

pub fn collection_tokens() {
    let mut args = host::args();
    let (skip, limit) = window(&mut args);
    let collection = args.required("collection_id").or_fail();
    let minted = u64::from(store::header(collection).minted);
    let mut reader = TokenReader::default();
    let end = minted.min(skip.saturating_add(limit));
    let tokens: Vec<Token> = (skip..end)
        .filter_map(|index| reader.numbered(collection, index as u32 + 1))
        .collect();
    return_tokens(&tokens);
}

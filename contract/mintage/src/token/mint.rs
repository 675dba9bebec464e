//! Minting: the draw, the owners' lists, the token pages.

use super::overrides::{self, Override};
use super::page::PAGE_TOKENS;
use super::wallet;
use crate::balance;
use crate::collection::header::{pages, Copies, Header, PUBLISHED};
use crate::draw::{distinct_ranks, Random};
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Object;
use crate::packed;
use crate::store::{self, key2, prefix};
use std::borrow::Cow;

const TOKENS_PER_CALL: u32 = 100;

/// Who receives how many tokens.
pub(super) struct Grant {
    pub account: String,
    pub stored: Vec<u8>,
    pub count: u32,
}

pub(super) fn published(collection: u32) -> Header {
    let header = store::header(collection);
    if !header.is(PUBLISHED) {
        refuse(Code::NotPublished, "The collection is not published yet.");
    }
    header
}

pub(super) fn check_supply(header: &Header, count: u32) {
    let left = header.remaining();
    if count > left {
        balance::refuse_amount(
            Code::SoldOut,
            "The collection has too few copies left: ",
            u128::from(left),
        );
    }
}

pub fn nft_batch_mint() {
    let mut args = host::args();
    guard::no_deposit();
    let root = guard::staff();
    let collection: u32 = args.required("collection_id").or_fail();
    let receivers: Vec<Cow<str>> = args.required("receiver_ids").or_fail();
    let each: u32 = args
        .optional("quantity_per_receiver")
        .or_fail()
        .unwrap_or(1);
    let metadata: Option<Object> = args.optional("metadata").or_fail();
    let count = u32::try_from(receivers.len())
        .unwrap_or(u32::MAX)
        .saturating_mul(each);
    if count == 0 {
        refuse(
            Code::InvalidArgument,
            "receiver_ids and quantity_per_receiver: at least one token is minted.",
        );
    }
    if count > TOKENS_PER_CALL {
        refuse(Code::TooMany, "A call mints at most 100 tokens.");
    }
    let grants: Vec<Grant> = receivers
        .into_iter()
        .map(|account| Grant {
            stored: guard::account("receiver_ids", &account),
            account: account.into_owned(),
            count: each,
        })
        .collect();
    let mut header = published(collection);
    check_supply(&header, count);

    let first = header.minted + 1;
    let assets = draw(collection, &mut header, count);
    let mut homes = Vec::with_capacity(count as usize);
    let mut next = first;
    for grant in &grants {
        let numbers = next..next + grant.count;
        wallet::receive(
            &grant.stored,
            collection,
            numbers,
            grants.len() > 1,
            &mut homes,
        );
        next += grant.count;
    }
    let shown = metadata.map(|json| {
        let mut shown = Override::default();
        overrides::apply(json, &mut shown).or_fail();
        shown
    });
    place(
        collection,
        &mut header,
        &grants,
        &assets,
        &homes,
        shown.filter(|s| *s != Override::default()),
    );
    balance::require_reserve(&root, 0);
    let mut ids = String::with_capacity(count as usize * 12 + 2);
    events::put_ids(&mut ids, collection, first..first + count);
    host::return_bytes(ids.as_bytes());
}

/// Draws `count` assets among the remaining copies and takes those copies away.
pub(super) fn draw(collection: u32, header: &mut Header, count: u32) -> Vec<u32> {
    let mut random = Random::new(&host::random_seed(), u64::from(header.minted));
    let ranks = distinct_ranks(&mut random, count as usize, header.remaining());
    let (assets, width) = (header.assets, header.width);
    match &mut header.copies {
        Copies::Inline(bytes) => take(bytes, width, &ranks),
        Copies::Paged(sums) => {
            let layout = pages(assets, width);
            let mut before = Vec::with_capacity(sums.len() + 1);
            let mut total = 0u32;
            for &sum in sums.iter() {
                before.push(total);
                total += sum;
            }
            let places: Vec<usize> = ranks
                .iter()
                .map(|&rank| packed::last_at_most(&before, rank))
                .collect();
            let mut drawn = vec![0; ranks.len()];
            for page in 0..layout.pages {
                let here: Vec<usize> = (0..ranks.len()).filter(|&at| places[at] == page).collect();
                if here.is_empty() {
                    continue;
                }
                let key = key2(prefix::COPIES, collection, page as u32);
                let mut bytes = host::read(&key).unwrap_or_else(|| host::corrupt());
                let local: Vec<u32> = here.iter().map(|&at| ranks[at] - before[page]).collect();
                for (&at, asset) in here.iter().zip(take(&mut bytes, width, &local)) {
                    drawn[at] = (page * layout.assets) as u32 + asset;
                }
                sums[page] -= here.len() as u32;
                host::write(&key, &bytes);
            }
            drawn
        }
    }
}

fn take(bytes: &mut [u8], width: u8, ranks: &[u32]) -> Vec<u32> {
    let sums = packed::prefix_sums(bytes, width);
    let drawn: Vec<u32> = ranks
        .iter()
        .map(|&rank| packed::locate(bytes, width, &sums, rank) as u32)
        .collect();
    for &asset in &drawn {
        let left = packed::get(bytes, width, asset as usize);
        packed::set(bytes, width, asset as usize, left - 1);
    }
    drawn
}

/// Puts drawn tokens on their pages, stores the header and emits the event.
pub(super) fn place(
    collection: u32,
    header: &mut Header,
    grants: &[Grant],
    assets: &[u32],
    homes: &[u16],
    shown: Option<Override>,
) {
    let first = header.minted + 1;
    let block = host::block_height();
    if header.last_block != block {
        header.last_block = block;
        header.last_first = first;
    }
    let minted_at = (host::now_ms() / 1000) as u32;
    let mut at = 0;
    for grant in grants {
        for _ in 0..grant.count {
            if shown.is_some() {
                header.page.overridden |= 1 << header.page.len();
            }
            header
                .page
                .push(&grant.stored, assets[at], homes[at], minted_at);
            header.minted += 1;
            at += 1;
            if let Some(shown) = &shown {
                host::write(
                    &key2(prefix::OVERRIDE, collection, header.minted),
                    &shown.encode(),
                );
            }
            if header.page.is_full() {
                let page = std::mem::take(&mut header.page);
                store::put_full_page(header, collection, header.minted / PAGE_TOKENS - 1, &page);
            }
        }
    }
    store::put_header(collection, header);
    events::mint(
        collection,
        first,
        grants
            .iter()
            .map(|grant| (grant.account.as_str(), grant.count)),
    );
}

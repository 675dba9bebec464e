//! Minting: the draw, the owners' lists, the token pages.

use super::overrides::{self, Override};
use super::page::PAGE_TOKENS;
use super::wallet;
use crate::collection::header::{pages, Copies, Header, ASSETS_LOCKED, PUBLISHED};
use crate::collection::locks;
use crate::draw::{distinct_ranks, Random};
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Object;
use crate::packed;
use crate::store::{self, key2, prefix};
use std::borrow::Cow;
use std::ops::Range;

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
    locks::check_supply(header.flags).or_fail();
    let left = header.remaining();
    if count > left {
        host::refuse_amount(
            Code::SoldOut,
            "The collection has too few copies left: ",
            u128::from(left),
        );
    }
}

pub fn nft_batch_mint() {
    let mut args = host::args();
    guard::no_deposit();
    let mut books = guard::staff();
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
    let shape = header.shape(collection);
    let cost = shape.token() * u64::from(count);
    header.credit = books
        .promise(&shape, (header.credit, cost), header.remaining(), 0)
        .or_fail();

    let mut shown = Override::default();
    if let Some(json) = metadata {
        overrides::apply(json, &mut shown).or_fail();
    }
    let overridden = shown != Override::default();
    if overridden {
        locks::check_metadata(header.flags, header.is(ASSETS_LOCKED)).or_fail();
    }
    let shown = if overridden {
        shown.encode()
    } else {
        Vec::new()
    };
    require_gas(&header, count, shown.len());

    let first = header.minted + 1;
    let assets = draw(collection, &mut header, count);
    let mut homes = Vec::with_capacity(count as usize);
    let mut next = first;
    // Receivers of one call are mostly alike: the first tells whether to expect lists of the others.
    let mut probably_new = grants.len() > 1;
    for grant in &grants {
        let numbers = next..next + grant.count;
        probably_new =
            wallet::receive(&grant.stored, collection, numbers, probably_new, &mut homes);
        next += grant.count;
    }
    if overridden {
        books.measure(|| put_overrides(collection, first..first + count, &shown));
    }
    let batch = Batch {
        grants: &grants,
        assets: &assets,
        homes: &homes,
        overridden,
    };
    place(collection, &mut header, &batch);
    books.settle();
    let mut ids = String::with_capacity(count as usize * 12 + 2);
    events::put_ids(&mut ids, collection, first..first + count);
    host::return_bytes(ids.as_bytes());
}

/// Gas that the rest of a mint uses at most from the draw on: in all, for each token, for each byte of remaining copies,
/// and for each token's metadata and each byte of it.
const REST: u64 = 6_000_000_000_000;
const REST_A_TOKEN: u64 = 600_000_000_000;
const REST_A_COPIES_BYTE: u64 = 150_000_000;
const REST_A_TOKENS_METADATA: u64 = 200_000_000_000;
const REST_A_METADATA_BYTE: u64 = 60_000_000;

/// Refuses to draw with less gas than all that follows can use, so that no limit of gas lets a draw be seen and undone.
/// Each token has `metadata` bytes of its own.
pub(super) fn require_gas(header: &Header, count: u32, metadata: usize) {
    let copies = match &header.copies {
        Copies::Inline(bytes) => bytes.len(),
        Copies::Paged(sums) => sums.len() * pages(header.assets, header.width).bytes,
    };
    let mut each = REST_A_TOKEN;
    if metadata > 0 {
        each += REST_A_TOKENS_METADATA + metadata as u64 * REST_A_METADATA_BYTE;
    }
    let rest = REST + u64::from(count) * each + copies as u64 * REST_A_COPIES_BYTE;
    if host::gas_left() < rest {
        host::refuse_amount(
            Code::GasTooLow,
            "Attach more gas; before it draws this mint wants as much left: ",
            u128::from(rest),
        );
    }
}

/// Draws `count` assets among the remaining copies and takes those copies away. Whatever comes out, the same records
/// are read, as many are written, and as many instructions run: all pages of copies are read, and of several draws all
/// are written.
pub(super) fn draw(collection: u32, header: &mut Header, count: u32) -> Vec<u32> {
    let mut random = Random::new(&host::random_seed(), u64::from(header.minted));
    let ranks = distinct_ranks(&mut random, count as usize, header.remaining());
    let (assets, width) = (header.assets, header.width);
    match &mut header.copies {
        Copies::Inline(bytes) => {
            let sums = packed::prefix_sums(bytes, width);
            let locate = |&rank| packed::locate(bytes, width, &sums, rank);
            let drawn: Vec<usize> = ranks.iter().map(locate).collect();
            drawn
                .iter()
                .for_each(|&asset| packed::take(bytes, width, asset));
            drawn.into_iter().map(|asset| asset as u32).collect()
        }
        Copies::Paged(sums) => {
            let layout = pages(assets, width);
            let mut copies = store::copies_pages(collection, layout.pages);
            let mut before = Vec::with_capacity(sums.len());
            let mut total = 0u32;
            for &sum in sums.iter() {
                before.push(total);
                total += sum;
            }
            let places: Vec<usize> = ranks
                .iter()
                .map(|&rank| packed::last_at_most(&before, rank))
                .collect();
            let touched = |page: usize| count > 1 || places.first() == Some(&page);
            let tables: Vec<Vec<u32>> = copies
                .iter()
                .enumerate()
                .map(|(page, bytes)| match touched(page) {
                    true => packed::prefix_sums(bytes, width),
                    false => Vec::new(),
                })
                .collect();
            let inside: Vec<usize> = ranks
                .iter()
                .zip(&places)
                .map(|(rank, &page)| {
                    packed::locate(&copies[page], width, &tables[page], rank - before[page])
                })
                .collect();
            let mut drawn = Vec::with_capacity(ranks.len());
            for (&page, &asset) in places.iter().zip(&inside) {
                packed::take(&mut copies[page], width, asset);
                sums[page] -= 1;
                drawn.push((page * layout.assets + asset) as u32);
            }
            for (page, bytes) in copies.iter().enumerate() {
                if touched(page) {
                    host::write(&key2(prefix::COPIES, collection, page as u32), bytes);
                }
            }
            drawn
        }
    }
}

/// Gives tokens the same overrides, each its own record.
fn put_overrides(collection: u32, numbers: Range<u32>, bytes: &[u8]) {
    for number in numbers {
        host::write(&key2(prefix::OVERRIDE, collection, number), bytes);
    }
}

/// Tokens that were drawn and have their places in their owners' lists.
pub(super) struct Batch<'a> {
    pub grants: &'a [Grant],
    pub assets: &'a [u32],
    /// The page of the owner's list that each came to stand on.
    pub homes: &'a [u16],
    /// Whether each has a record of overrides.
    pub overridden: bool,
}

/// Puts tokens on their pages, stores the header and emits the event. Tokens of an earlier block's mint show their
/// assets by now, which an event tells.
pub(super) fn place(collection: u32, header: &mut Header, batch: &Batch) {
    let first = header.minted + 1;
    let block = host::block_height();
    if header.last_block != block {
        events::shown(collection, header.last_first.max(1)..first);
        header.last_block = block;
        header.last_first = first;
    }
    let minted_at = host::now_s();
    let owners = batch
        .grants
        .iter()
        .flat_map(|grant| std::iter::repeat_n(&grant.stored, grant.count as usize));
    for (owner, (&asset, &home)) in owners.zip(batch.assets.iter().zip(batch.homes)) {
        header.page.overridden |= u32::from(batch.overridden) << header.page.len();
        header.page.push(owner, asset, home, minted_at);
        header.minted += 1;
        if header.page.is_full() {
            let page = std::mem::take(&mut header.page);
            store::put_full_page(header, collection, header.minted / PAGE_TOKENS - 1, &page);
        }
    }
    store::put_header(collection, header);
    let grants = batch.grants.iter();
    events::mint(
        collection,
        first,
        grants.map(|grant| (grant.account.as_str(), grant.count)),
    );
}

/// Tells which tokens show their assets by now, where no later mint has told it; open to all. Returns how many.
pub fn draws_tell() {
    let mut args = host::args();
    guard::no_deposit();
    let collection: u32 = args.required("collection_id").or_fail();
    args.finish().or_fail();
    let header = published(collection);
    let mut told = 0..0;
    if header.minted > 0 && header.last_block != host::block_height() {
        told = header.last_first.max(1)..header.minted + 1;
    }
    events::shown(collection, told.clone());
    host::return_number(told.len() as u32);
}

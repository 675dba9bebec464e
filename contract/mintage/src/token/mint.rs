//! Minting: the draw, the owners' lists, the token pages.

use super::grant::{tokens, Grant};
use super::holdings::Head;
use super::stock::Stock;
use super::{chosen, wallet};
use crate::collection::header::{pages, Copies, Header, DREW, PUBLISHED};
use crate::collection::locks;
use crate::collection::token_page::PAGE_TOKENS;
use crate::draw::Random;
use crate::error::{Code, Failure, Outcome};
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::prelude::*;
use crate::store;
use core::ops::Range;

/// The header of a collection that tokens are minted of; refuses a draft.
pub(crate) fn published_header(collection: u32) -> Header {
    let header = store::header(collection);
    if !header.is(PUBLISHED) {
        refuse(Code::NotPublished, "The collection is not published yet.");
    }
    header
}

/// Refuses to mint where the supply is locked or fewer than `count` copies are left.
pub(crate) fn check_copies(header: &Header, count: u32) -> Outcome<()> {
    locks::check_supply(header.flags)?;
    let left = header.remaining();
    if count <= left {
        return Ok(());
    }
    Err(Failure::amount(
        Code::SoldOut,
        "The collection has too few copies left: ",
        u128::from(left),
    ))
}

/// Mints what grants say, whose storage is promised: puts the tokens on their owners' lists, takes chosen copies, draws
/// the others, and puts the tokens on their pages. `probably_new`: the first account is taken to hold nothing yet.
/// Returns the tokens' numbers.
pub(crate) fn mint(
    collection: u32,
    header: &mut Header,
    grants: &[Grant],
    mut probably_new: bool,
) -> Range<u32> {
    let first = header.minted + 1;
    let mut homes = Vec::with_capacity(tokens(grants) as usize);
    let mut next = first;
    // Receivers of one call are mostly alike: the first tells whether to expect lists of the others.
    for grant in grants {
        let numbers = next..next + grant.count;
        probably_new =
            wallet::receive(&grant.stored, collection, numbers, probably_new, &mut homes);
        next += grant.count;
    }
    give(collection, header, grants, &homes);
    first..next
}

/// As [`mint`], for an account of its own: `known` is its list, where that was read before and is not written yet.
pub(super) fn mint_own(
    collection: u32,
    header: &mut Header,
    grant: &Grant,
    known: Option<Head>,
) -> Range<u32> {
    let grants = core::slice::from_ref(grant);
    let Some(head) = known else {
        return mint(collection, header, grants, true);
    };
    let first = header.minted + 1;
    let numbers = first..first + grant.count;
    let mut homes = Vec::with_capacity(grant.count as usize);
    wallet::receive_known(head, &grant.stored, collection, numbers.clone(), &mut homes);
    give(collection, header, grants, &homes);
    numbers
}

/// Gives tokens that stand on their owners' lists, on the pages `homes`, their assets, and puts them on their pages.
fn give(collection: u32, header: &mut Header, grants: &[Grant], homes: &[u16]) {
    // From here on a draw, of this call or before it in its receipt, may decide what a step costs.
    require_gas(header, grants);
    let assets = pick(collection, header, grants);
    let batch = Batch {
        grants,
        assets: &assets,
        homes,
    };
    place(collection, header, &batch);
}

/// The assets of all tokens, in the order of the grants. What is chosen is taken first, so that no draw of this call
/// decides whether it is there.
fn pick(collection: u32, header: &mut Header, grants: &[Grant]) -> Vec<u32> {
    let all = tokens(grants);
    let mut stock = Stock::open(collection, header);
    let chosen = chosen::take(collection, header, &mut stock, grants);
    let mut drawn = Vec::new();
    if chosen < all {
        let mut random = Random::new(&host::random_seed(), u64::from(header.minted));
        drawn = stock.draw(&mut random, (all - chosen) as usize);
    }
    stock.close(collection, header);
    match chosen {
        0 => drawn,
        _ => chosen::among(grants, drawn),
    }
}

/// Gas that the rest of a mint uses at most once the tokens are on their owners' lists: in all, for each token, for each
/// byte of remaining copies, and for each token's metadata and each byte of it.
const REST: u64 = 6_000_000_000_000;
const REST_A_TOKEN: u64 = 200_000_000_000;
const REST_A_COPIES_BYTE: u64 = 150_000_000;
const REST_A_TOKENS_METADATA: u64 = 200_000_000_000;
const REST_A_METADATA_BYTE: u64 = 60_000_000;
/// And where assets are chosen, for each token of a block with draws: in all, and for each choice.
const REST_A_TOKEN_OF_BLOCK: u64 = 10_000_000_000;
const REST_A_TOKEN_OF_BLOCK_AND_CHOICE: u64 = 25_000_000;

/// Refuses to go on with less gas than all that follows can use, so that no limit of gas lets a draw be seen and undone.
fn require_gas(header: &Header, grants: &[Grant]) {
    let copies = match &header.copies {
        Copies::Inline(bytes) => bytes.len(),
        Copies::Paged(sums) => sums.len() * pages(header.assets, header.width).bytes,
    };
    let mut rest = REST + copies as u64 * REST_A_COPIES_BYTE;
    for grant in grants {
        let mut each = REST_A_TOKEN;
        if let Some(bytes) = &grant.overrides {
            each += REST_A_TOKENS_METADATA + bytes.len() as u64 * REST_A_METADATA_BYTE;
        }
        rest += u64::from(grant.count) * each;
    }
    let choices = grants.iter().filter(|grant| grant.asset.is_some()).count() as u64;
    if choices > 0 && header.is(DREW) && header.last_block == host::block_height() {
        let of_block = u64::from(header.minted + 1 - header.last_first);
        rest += of_block * (REST_A_TOKEN_OF_BLOCK + choices * REST_A_TOKEN_OF_BLOCK_AND_CHOICE);
    }
    if host::gas_left() < rest {
        host::refuse_amount(
            Code::GasTooLow,
            "Attach more gas; before it draws this mint wants as much left: ",
            u128::from(rest),
        );
    }
}

/// Tokens that have their assets and their places in their owners' lists.
struct Batch<'a> {
    grants: &'a [Grant],
    assets: &'a [u32],
    /// The page of the owner's list that each came to stand on.
    homes: &'a [u16],
}

/// Puts tokens on their pages, stores the header and emits the event. Tokens of an earlier block's mint show their
/// assets by now, which an event tells.
fn place(collection: u32, header: &mut Header, batch: &Batch) {
    let first = header.minted + 1;
    let block = host::block_height();
    if header.last_block != block {
        events::shown(collection, header.last_first.max(1)..first);
        header.last_block = block;
        header.last_first = first;
        header.set(DREW, false);
    }
    if batch.grants.iter().any(|grant| grant.asset.is_none()) {
        header.set(DREW, true);
    }
    let minted_at = host::now_s();
    let each = batch
        .grants
        .iter()
        .flat_map(|grant| core::iter::repeat_n(grant, grant.count as usize));
    for (grant, (&asset, &home)) in each.zip(batch.assets.iter().zip(batch.homes)) {
        header.page.overridden |= u32::from(grant.overrides.is_some()) << header.page.len();
        header.page.push(&grant.stored, asset, home, minted_at);
        header.minted += 1;
        if header.page.is_full() {
            let page = core::mem::take(&mut header.page);
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

/// Tells which tokens show their assets by now, where neither a later mint nor an earlier call has told it; open to all.
/// Returns how many.
pub fn draws_tell() {
    let mut args = host::args();
    guard::no_deposit();
    let collection: u32 = args.required("collection_id").or_fail();
    args.finish().or_fail();
    let mut header = published_header(collection);
    let mut told = 0..0;
    if header.minted > 0 && header.last_block != host::block_height() {
        told = header.last_first.max(1)..header.minted + 1;
    }
    if !told.is_empty() {
        events::shown(collection, told.clone());
        header.last_first = told.end;
        store::put_header(collection, &header);
    }
    host::return_number(told.len() as u32);
}

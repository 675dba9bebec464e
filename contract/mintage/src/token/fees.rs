//! The shares of a mint fee: those that are paid at once, and those that wait.

use crate::accounts;
use crate::balance;
use crate::books::Books;
use crate::collection::header::{Header, EARNED_BYTES, SHARES_WAIT};
use crate::collection::settings::Rules;
use crate::guard;
use crate::host::{self, OrFail};
use crate::prelude::*;
use crate::root::Root;
use crate::shares::{growth, Queue, AT_ONCE};
use crate::solvency::BYTE_PRICE;
use crate::split;
use crate::store;

/// Shares that one call pays whose only work that is: 20 to accounts without a name take 170 Tgas.
const SHARES_PER_CALL: usize = 20;

/// Who gets what of the `rest` of fees, without what is kept for the tokens' storage; what is the contract's own stays.
pub(super) fn shares(root: &Root, rules: &Rules, rest: u128) -> Vec<(String, u128)> {
    let (platform, owner) = (
        accounts::decode(&root.platform),
        accounts::decode(&root.owner),
    );
    let mut shares = split::fee_shares(rest, &platform, &rules.royalties, &owner);
    let contract = host::current_account();
    shares.retain(|share| share.0 != contract);
    shares
}

/// How many of the shares go to accounts without a name, if that is more than one call pays, or if others wait.
fn waiting(header: &Header, shares: &[(String, u128)]) -> Option<usize> {
    let dear = shares
        .iter()
        .filter(|share| !accounts::is_named(&share.0))
        .count();
    (dear > AT_ONCE || header.is(SHARES_WAIT)).then_some(dear)
}

/// Yoctonear that the header and the record of waiting shares may take more when these are added.
pub(super) fn spare(header: &Header, shares: &[(String, u128)]) -> u128 {
    let first = header.earned == 0 && !shares.is_empty();
    let counted = if first { EARNED_BYTES } else { 0 };
    u128::from(waiting(header, shares).map_or(0, growth) + counted) * BYTE_PRICE
}

/// Counts what of the shares is the owner's.
pub(super) fn count_earned(books: &mut Books, header: &mut Header, shares: &[(String, u128)]) {
    let owner = accounts::decode(&books.owner);
    if let Some((_, share)) = shares.iter().find(|share| share.0 == owner) {
        books.sums.base += header.count_earned(*share);
    }
}

/// Pays shares; of those to accounts without a name only the few that have waited longest.
pub(super) fn pay_shares(
    books: &mut Books,
    collection: u32,
    header: &mut Header,
    mut shares: Vec<(String, u128)>,
) {
    if waiting(header, &shares).is_some() {
        let mut queue = store::shares(collection);
        let mut owed = 0;
        shares.retain(|(account, amount)| {
            let named = accounts::is_named(account);
            if !named {
                queue.add(account, *amount);
                owed += amount;
            }
            named
        });
        books.sums.owed += owed;
        shares.extend(take_shares(books, collection, &mut queue, AT_ONCE));
        header.set(SHARES_WAIT, !queue.is_empty());
    }
    for (account, amount) in shares {
        balance::pay(&account, amount);
    }
}

/// Takes the shares that have waited longest, and keeps the others.
fn take_shares(
    books: &mut Books,
    collection: u32,
    queue: &mut Queue,
    most: usize,
) -> Vec<(String, u128)> {
    let taken = queue.take(most);
    books.sums.owed -= taken.iter().map(|share| share.1).sum::<u128>();
    books.measure(|| store::put_shares(collection, queue));
    taken
}

/// Pays shares of a collection's fees that wait, to whomever they belong; open to all. Returns how many were paid.
pub fn shares_pay() {
    let mut args = host::args();
    guard::no_deposit();
    let collection: u32 = args.required("collection_id").or_fail();
    args.finish().or_fail();
    let mut books = Books::open();
    let mut header = store::header(collection);
    let mut taken = Vec::new();
    if header.is(SHARES_WAIT) {
        let mut queue = store::shares(collection);
        taken = take_shares(&mut books, collection, &mut queue, SHARES_PER_CALL);
        header.set(SHARES_WAIT, !queue.is_empty());
        store::put_header(collection, &header);
    }
    for (account, amount) in &taken {
        balance::pay(account, *amount);
    }
    books.settle();
    host::return_number(taken.len() as u32);
}

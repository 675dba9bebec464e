//! Shares of what was paid for mints that wait until their owners withdraw them: one record for each currency and account,
//! which stays when it is empty, so that there are never more than accounts that have been paid.

use crate::accounts;
use crate::balance;
use crate::books::Books;
use crate::guard;
use crate::host::{self, OrFail};
use crate::prelude::*;
use crate::solvency::BYTE_PRICE;
use crate::store::prefix;

fn key(account: &[u8]) -> Vec<u8> {
    let mut key = vec![prefix::SHARES];
    key.extend_from_slice(&accounts::key(account));
    key
}

/// Yoctonear that wait for an account.
fn waiting(key: &[u8]) -> Option<u128> {
    let bytes = host::read(key)?;
    let amount = bytes.try_into().map(u128::from_le_bytes);
    Some(amount.unwrap_or_else(|_| host::corrupt()))
}

/// Lets a share wait. A record that was not there is paid from it, so that a paid mint pays for itself; a share that does
/// not cover that much stays in the contract.
pub fn accrue(books: &mut Books, account: &str, share: u128) {
    let key = key(&accounts::encode(account));
    let before = waiting(&key);
    let put = |amount: u128| host::write(&key, &amount.to_le_bytes());
    let mut share = share;
    if before.is_none() {
        let base = books.sums.base;
        books.measure(|| put(0));
        let price = u128::from(books.sums.base - base) * BYTE_PRICE;
        share = share.saturating_sub(price);
    }
    put(before.unwrap_or_default() + share);
    books.sums.owed += share;
}

/// Pays the caller what waits for it. Returns that, in yoctonear.
pub fn shares_withdraw() {
    guard::one_yocto();
    host::args().finish().or_fail();
    let account = host::predecessor();
    let key = key(&accounts::encode(&account));
    let amount = waiting(&key).unwrap_or_default();
    if amount > 0 {
        let mut books = Books::open();
        host::write(&key, &0u128.to_le_bytes());
        books.sums.owed -= amount;
        balance::pay(&account, amount);
        books.settle();
    }
    return_amount(amount);
}

/// What waits for an account, in yoctonear.
pub fn shares_of() {
    let account = guard::required_account(&mut host::args(), "account_id").1;
    return_amount(waiting(&key(&account)).unwrap_or_default());
}

fn return_amount(amount: u128) {
    host::return_json(|json| {
        json.amount(amount);
    });
}

//! Shares of what was paid for mints that wait until their owners withdraw them: one record for each currency and account,
//! which stays when it is empty, so that there are never more than accounts that were named. Only the settings of
//! collections, the owner and the platform name accounts and currencies, so nobody else can add records.
//!
//! The contract holds at least as many units of a token as wait: what a transfer takes to an account is taken off its
//! record first, and put back if the token refuses. So what a buyer sent too much, and what a mint refused, is always there
//! to be returned.

use crate::accounts;
use crate::balance;
use crate::books::Books;
use crate::collection::settings::Royalties;
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::{Object, Writer};
use crate::prelude::*;
use crate::solvency::RECORD;
use crate::store::prefix;

/// Stands before the accounts of token and owner, where no account of a share in NEAR begins.
const TOKEN: u8 = 1;

const GAS_FOR_TRANSFER: u64 = 10_000_000_000_000;
/// Reads and writes a record. It is set aside before the token is called.
const GAS_FOR_RESOLVE: u64 = 5_000_000_000_000;

/// The key of a share in yoctonear, or in units of the token that the account `currency` keeps.
fn key(currency: Option<&str>, account: &str) -> Vec<u8> {
    let (mut key, stored) = (vec![prefix::SHARES], accounts::encode(account));
    match currency {
        None => key.extend_from_slice(&accounts::key(&stored)),
        Some(token) => {
            key.push(TOKEN);
            key.extend_from_slice(&accounts::encode(token));
            key.extend_from_slice(&stored);
        }
    }
    key
}

/// What waits under a key.
fn waiting(key: &[u8]) -> Option<u128> {
    let bytes = host::read(key)?;
    let amount = bytes.try_into().map(u128::from_le_bytes);
    Some(amount.unwrap_or_else(|_| host::corrupt()))
}

fn put(key: &[u8], amount: u128) {
    host::write(key, &amount.to_le_bytes());
}

/// Bytes of the record that an account's first share of a token adds; 0 where there is one.
pub fn new_record(token: &str, account: &str) -> u64 {
    let key = key(Some(token), account);
    match waiting(&key) {
        Some(_) => 0,
        None => RECORD + (key.len() + size_of::<u128>()) as u64,
    }
}

/// Makes the records of shares in NEAR that may have to wait: those of royalties' accounts without a name but the first, which
/// is always paid. So no share, however small, has to pay for its record, and every paid mint pays for itself.
pub fn prepare(royalties: &Royalties) {
    let unnamed = royalties.iter().filter(|(id, _)| !accounts::is_named(id));
    for (account, _) in unnamed.skip(1) {
        let key = key(None, account);
        if waiting(&key).is_none() {
            put(&key, 0);
        }
    }
}

/// Lets a share wait. A record that is not there takes what is free: that of a token, or one of NEAR whose account the
/// settings don't name.
pub fn accrue(books: &mut Books, currency: Option<&str>, account: &str, share: u128) {
    let key = key(currency, account);
    let before = waiting(&key).unwrap_or_else(|| {
        books.measure(|| put(&key, 0));
        0
    });
    let Some(sum) = before.checked_add(share) else {
        refuse(Code::TooMany, "amount: more than an account can wait for.");
    };
    put(&key, sum);
    if currency.is_none() {
        books.sums.owed += share;
    }
}

/// The currency that the arguments name; `None`: NEAR.
fn currency(args: &mut Object) -> Option<String> {
    let currency: Option<String> = args.optional("currency").or_fail();
    if let Some(token) = &currency {
        guard::account("currency", token);
    }
    currency
}

/// Pays the caller what waits for it in a currency. Returns how much that is; of a token 0 if it refused.
pub fn shares_withdraw() {
    let mut args = host::args();
    guard::one_yocto();
    let currency = currency(&mut args);
    args.finish().or_fail();
    let account = host::predecessor();
    let key = key(currency.as_deref(), &account);
    let amount = waiting(&key).unwrap_or_default();
    if amount == 0 {
        return return_amount(0);
    }
    if let Some(token) = currency {
        put(&key, 0);
        return send(&token, &account, amount);
    }
    let mut books = Books::open();
    put(&key, 0);
    books.sums.owed -= amount;
    balance::pay(&account, amount);
    books.settle();
    return_amount(amount);
}

/// Sends units of a token, with the yoctonear that came for it, and ends the call with what became of it.
fn send(token: &str, account: &str, amount: u128) {
    let fields = |json: &mut Writer, name: &str| {
        json.open('{').key(name).text(account);
        json.key("amount").amount(amount);
    };
    let (mut transfer, mut resolve) = (Writer::default(), Writer::default());
    fields(&mut transfer, "receiver_id");
    transfer.close('}');
    fields(&mut resolve, "account_id");
    resolve.key("currency").text(token).close('}');
    host::Receipt::to(token)
        .call_with(
            1,
            "ft_transfer",
            transfer.into_string().as_bytes(),
            (GAS_FOR_TRANSFER, 1),
        )
        .then(&host::current_account())
        .call(
            "shares_resolve",
            resolve.into_string().as_bytes(),
            GAS_FOR_RESOLVE,
            0,
        )
        .return_it();
}

/// Puts back what a token did not take to an account. Returns what it took.
pub fn shares_resolve() {
    let mut args = host::args();
    guard::itself();
    let currency = currency(&mut args);
    let account = guard::required_account(&mut args, "account_id").0;
    let amount: u128 = args.required("amount").or_fail();
    if host::promise_succeeded() {
        return return_amount(amount);
    }
    let key = key(currency.as_deref(), &account);
    // More than all 128 bits can only be the doing of a token that lies.
    put(
        &key,
        waiting(&key).unwrap_or_default().saturating_add(amount),
    );
    return_amount(0);
}

/// What waits for an account in a currency.
pub fn shares_of() {
    let mut args = host::args();
    let currency = currency(&mut args);
    let account = guard::required_account(&mut args, "account_id").0;
    return_amount(waiting(&key(currency.as_deref(), &account)).unwrap_or_default());
}

fn return_amount(amount: u128) {
    host::return_json(|json| {
        json.amount(amount);
    });
}

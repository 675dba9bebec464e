//! What the account holds, what of it is free, and the owner's taking of it.

use crate::books;
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse_amount, OrFail};
use crate::prelude::*;
use crate::solvency::BYTE_PRICE;
use crate::store;

/// Pays without waiting for the outcome; what does not arrive returns to the contract by itself.
pub fn pay(account: &str, amount: u128) {
    if amount > 0 {
        host::Receipt::to(account).transfer(amount);
    }
}

pub fn contract_balance() {
    let sums = store::root().0.sums;
    let (total, needed) = (host::account_balance(), sums.needed());
    let staked = u128::from(host::storage_usage()) * BYTE_PRICE;
    host::return_json(|json| {
        json.open('{');
        for (name, amount) in [
            ("total", total),
            ("staked", staked),
            ("reserve", needed.saturating_sub(staked + sums.owed)),
            ("owed", sums.owed),
            ("needed", needed),
            ("free", total.saturating_sub(needed)),
            ("missing", needed.saturating_sub(total)),
        ] {
            json.key(name).amount(amount);
        }
        json.close('}');
    });
}

pub fn withdraw() {
    let mut args = host::args();
    let amount: Option<u128> = args.optional("amount").or_fail();
    let receiver: Option<String> = args.optional("receiver_id").or_fail();
    args.finish().or_fail();
    let books = guard::owner();
    let free = books::free(&books.sums);
    let amount = amount.unwrap_or(free);
    if amount > free {
        refuse_amount(
            Code::StorageBalance,
            "amount: yoctonear free to withdraw: ",
            free,
        );
    }
    let receiver = receiver.unwrap_or_else(|| crate::accounts::decode(&books.owner));
    guard::account("receiver_id", &receiver);
    pay(&receiver, amount);
    books.settle();
    host::return_json(|json| {
        json.amount(amount);
    });
}

//! What the account holds and what of it is free.

use crate::collection::settings::BYTE_PRICE;
use crate::error::{Code, Failure};
use crate::guard;
use crate::host::{self, OrFail};
use crate::json::put_amount;
use crate::root::Root;

/// Left for transfers and their resolution: 0.1 NEAR.
const RESERVE: u128 = 100_000_000_000_000_000_000_000;

fn staked() -> u128 {
    u128::from(host::storage_usage()) * BYTE_PRICE
}

/// Refuses to go on when storage and what is owed would leave less than the reserve. `incoming` is what the call still
/// returns or was lent.
pub fn require_reserve(root: &Root, incoming: u128) {
    let needed = staked() + RESERVE + root.owed + incoming;
    let total = host::account_balance();
    if total < needed {
        refuse_amount(
            Code::StorageBalance,
            "The contract's balance does not cover the storage; yoctonear missing: ",
            needed - total,
        );
    }
}

/// Refuses with a sentence that ends in an amount.
pub fn refuse_amount(code: Code, sentence: &str, amount: u128) -> ! {
    let mut message = sentence.to_owned();
    put_amount(&mut message, amount);
    message.push('.');
    host::fail(Failure::new(code, message))
}

/// Pays without waiting for the outcome; what does not arrive returns to the contract by itself.
pub fn pay(account: &str, amount: u128) {
    if amount > 0 {
        host::Receipt::to(account).transfer(amount);
    }
}

fn free(root: &Root) -> u128 {
    host::account_balance().saturating_sub(staked() + RESERVE + root.owed)
}

pub fn contract_balance() {
    let root = guard::root();
    host::return_json(|json| {
        json.open('{');
        for (name, amount) in [
            ("total", host::account_balance()),
            ("staked", staked()),
            ("reserve", RESERVE),
            ("owed", root.owed),
            ("free", free(&root)),
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
    let root = guard::owner();
    let free = free(&root);
    let amount = amount.unwrap_or(free);
    if amount > free {
        refuse_amount(
            Code::StorageBalance,
            "amount: yoctonear free to withdraw: ",
            free,
        );
    }
    let receiver = receiver.unwrap_or_else(|| crate::accounts::decode(&root.owner));
    guard::account("receiver_id", &receiver);
    pay(&receiver, amount);
    host::return_json(|json| {
        json.amount(amount);
    });
}

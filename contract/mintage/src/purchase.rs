//! What a token's contract calls once a buyer has sent units of it here (NEP-141).

use crate::drop::voucher::Voucher;
use crate::guard;
use crate::host::{self, OrFail};
use crate::json::Object;
use crate::prelude::*;
use crate::token::direct::{sell, Order, Sent};

/// Mints for units of a token that the caller says it has moved here, at the price of a phase or of a voucher, and returns
/// how many are too many. Whatever is refused fails, and a call that fails gives all of them back. A token that says what
/// isn't so sells the collections that name it, and no other, for nothing.
pub fn ft_on_transfer() {
    let mut args = host::args();
    guard::no_deposit();
    let buyer = guard::required_account(&mut args, "sender_id").0;
    let amount = args.required("amount").or_fail();
    let msg: String = args.required("msg").or_fail();
    let mut wish = Object::parse(msg.as_bytes()).or_fail();
    let mut sent = Sent {
        currency: host::predecessor(),
        amount,
        most: None,
    };
    let voucher: Option<Object> = wish.optional("voucher").or_fail();
    let rest = match voucher {
        Some(mut fields) => {
            wish.finish().or_fail();
            let voucher = Voucher::read(&mut fields).or_fail();
            fields.finish().or_fail();
            voucher.redeem(&buyer, Some(&sent)).2
        }
        None => {
            let order = Order::read(&mut wish);
            sent.most = wish.optional("max_price").or_fail();
            wish.finish().or_fail();
            sell(buyer, order, Some(&sent)).1
        }
    };
    host::return_json(|json| {
        json.amount(rest);
    });
}

//! Who calls, and with what.

use crate::accounts;
use crate::books::Books;
use crate::error::Code;
use crate::host::{self, refuse, OrFail};
use crate::json::Object;
use crate::prelude::*;

/// A call that takes no deposit.
pub fn no_deposit() {
    if host::attached_deposit() != 0 {
        refuse(
            Code::InvalidArgument,
            "This call takes no deposit; nothing was kept.",
        );
    }
}

/// A call that a function-call key can't make, because it can't attach a deposit.
pub fn one_yocto() {
    if host::attached_deposit() != 1 {
        refuse(Code::OneYocto, "Attach exactly 1 yoctoNEAR.");
    }
}

/// The books, for the owner or an admin.
pub fn staff() -> Books {
    let books = Books::open();
    if !books.is_staff(&accounts::encode(&host::predecessor())) {
        refuse(
            Code::Unauthorized,
            "Only the owner and admins of the contract may call this.",
        );
    }
    books
}

/// As [`staff`], for what touches money or what a holder was promised: a function-call key can't sign it.
pub fn signing_staff() -> Books {
    one_yocto();
    staff()
}

/// As [`signing_staff`], with any deposit from one yoctonear on, which joins the balance.
pub fn paying_staff() -> Books {
    if host::attached_deposit() == 0 {
        refuse(
            Code::OneYocto,
            "Attach at least 1 yoctoNEAR; a deposit joins the contract's balance.",
        );
    }
    staff()
}

/// The books, for the owner with one yoctonear.
pub fn owner() -> Books {
    one_yocto();
    let books = Books::open();
    only_owner(&books);
    books
}

/// A call, or a part of one, that only the owner may make.
pub fn only_owner(books: &Books) {
    if books.owner != accounts::encode(&host::predecessor()) {
        refuse(
            Code::Unauthorized,
            "Only the owner of the contract may call this.",
        );
    }
}

/// A call that the contract makes to itself.
pub fn itself() {
    if host::predecessor() != host::current_account() {
        refuse(
            Code::Unauthorized,
            "Only the contract itself may call this.",
        );
    }
}

/// The call that initialises: the contract's own, or that of the account it is a sub-account of, which creates it,
/// gives it its code and initialises it in one batch that nobody can come between.
pub fn itself_or_parent() {
    let current = host::current_account();
    let caller = host::predecessor();
    let parent = current.split_once('.').map(|(_, parent)| parent);
    if caller != current && Some(caller.as_str()) != parent {
        refuse(
            Code::Unauthorized,
            "Only the contract itself or its parent account may call this.",
        );
    }
}

/// The stored form of an account id that came as an argument.
pub fn account(name: &str, id: &str) -> Vec<u8> {
    accounts::check(name, id).or_fail();
    accounts::encode(id)
}

/// A required field that is an account id, and its stored form.
pub fn required_account(args: &mut Object, name: &str) -> (String, Vec<u8>) {
    let id: String = args.required(name).or_fail();
    let stored = account(name, &id);
    (id, stored)
}

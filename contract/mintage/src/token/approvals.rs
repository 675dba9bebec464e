//! NEP-178: approvals of a token, in a record of their own so that they weigh on no other token.

use super::approval::{deposits, price, Approval};
use crate::accounts;
use crate::balance;
use crate::books::Books;
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::{Object, Writer};
use crate::prelude::*;
use crate::store::{self, Place};

/// Approvals a token may have; NEP-178 wants `nft_revoke_all` to stay within the gas of a call.
const APPROVALS_PER_TOKEN: usize = 100;
/// Kept for this contract while `nft_on_approve` gets the rest.
const GAS_FOR_NFT_ON_APPROVE: u64 = 5_000_000_000_000;

/// A token of the caller's.
fn own(token_id: &str) -> Place {
    let place = Place::find(token_id);
    if place.owner() != accounts::encode(&host::predecessor()) {
        refuse(
            Code::Unauthorized,
            "Only the token's owner may approve and revoke.",
        );
    }
    place
}

pub fn nft_approve() {
    let mut args = host::args();
    let attached = host::attached_deposit();
    if attached == 0 {
        refuse(
            Code::DepositTooSmall,
            "Attach at least 1 yoctoNEAR, and for a new approval its storage.",
        );
    }
    let token_id: String = args.required("token_id").or_fail();
    let msg: Option<String> = args.optional("msg").or_fail();
    let (account_id, account) = guard::required_account(&mut args, "account_id");
    let mut place = own(&token_id);
    check_rules(place.collection, &account_id);
    let mut books = Books::open();
    let mut approvals = place.approvals();
    let id = books.next_approval;
    books.next_approval += 1;
    let new = Approval { account, id };
    let price = price(&new.account);
    let known = approvals
        .iter()
        .position(|approval| approval.account == new.account);
    // A former approval of the same account has paid as much.
    let mut paid = 0;
    match known {
        Some(at) => {
            paid = price;
            approvals[at] = new;
        }
        None if approvals.len() == APPROVALS_PER_TOKEN => {
            refuse(Code::TooMany, "A token has at most 100 approvals.")
        }
        None => approvals.push(new),
    }
    let price = price - paid;
    let Some(back) = attached.checked_sub(price) else {
        host::refuse_amount(
            Code::DepositTooSmall,
            "Attach the approval's storage, in yoctonear: ",
            price,
        )
    };
    books.sums.owed += price;
    let owner_id = accounts::decode(place.owner());
    if place.set_approvals(&approvals) {
        place.put();
    }
    balance::pay(&owner_id, back);
    books.settle();
    if let Some(msg) = msg {
        let mut json = Writer::default();
        json.open('{')
            .key("token_id")
            .text(&token_id)
            .key("owner_id")
            .text(&owner_id);
        json.key("approval_id")
            .number(id)
            .key("msg")
            .text(&msg)
            .close('}');
        let args = json.into_string();
        host::Receipt::to(&account_id)
            .call("nft_on_approve", args.as_bytes(), GAS_FOR_NFT_ON_APPROVE, 1)
            .return_it();
    }
}

fn check_rules(collection: u32, account: &str) {
    let details = store::details(collection);
    if details.approvals_off {
        refuse(
            Code::ApprovalsDisabled,
            "This collection allows no approvals.",
        );
    }
    let lists = store::lists(collection, &details);
    let names = |list: &Option<Vec<String>>| {
        list.as_ref()
            .map(|list| list.iter().any(|id| id == account))
    };
    if names(&lists.approvals_denied) == Some(true)
        || names(&lists.approvals_allowed) == Some(false)
    {
        refuse(
            Code::ApprovalDenied,
            "This collection does not let this account be approved.",
        );
    }
}

/// Takes approvals off the books and returns their deposits to the account that paid them.
pub fn refund(owner: &str, approvals: &[Approval]) {
    if approvals.is_empty() {
        return;
    }
    let mut books = Books::open();
    let amount = deposits(approvals);
    books.sums.owed -= amount;
    balance::pay(owner, amount);
    books.settle();
}

/// Ends those approvals of a token of the caller's that `ends` names.
fn end(args: &mut Object, ends: impl Fn(&Approval) -> bool) {
    let mut place = own(&args.required::<String>("token_id").or_fail());
    let (gone, kept): (Vec<_>, Vec<_>) = place.approvals().into_iter().partition(ends);
    if !gone.is_empty() {
        let owner = accounts::decode(place.owner());
        if place.set_approvals(&kept) {
            place.put();
        }
        refund(&owner, &gone);
    }
}

pub fn nft_revoke() {
    let mut args = host::args();
    guard::one_yocto();
    let account = guard::required_account(&mut args, "account_id").1;
    end(&mut args, |approval| approval.account == account);
}

pub fn nft_revoke_all() {
    let mut args = host::args();
    guard::one_yocto();
    end(&mut args, |_| true);
}

pub fn nft_is_approved() {
    let mut args = host::args();
    let place = Place::find(&args.required::<String>("token_id").or_fail());
    let account = guard::required_account(&mut args, "approved_account_id").1;
    let id: Option<u64> = args.optional("approval_id").or_fail();
    let approved = place
        .approvals()
        .iter()
        .any(|approval| approval.account == account && id.is_none_or(|id| id == approval.id));
    host::return_bool(approved);
}

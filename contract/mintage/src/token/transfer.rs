//! NEP-171 transfers and their resolution.

use super::approval::Approval;
use super::{approvals, wallet};
use crate::accounts;
use crate::collection::header;
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::{Object, Writer};
use crate::prelude::*;
use crate::store::{self, Place};

/// The resolution pays deposits back, which costs 8.35 Tgas where the account has no name: the payment is charged with
/// making it, whether or not it is there.
const GAS_FOR_RESOLVE: u64 = 17_000_000_000_000;
const GAS_FOR_ON_TRANSFER: u64 = 5_000_000_000_000;
/// What `nft_transfer_call` wants left before it moves the token: both calls and its own work. Wallets attach 30 Tgas.
const GAS_FOR_TRANSFER_CALL: u64 = 29_000_000_000_000;

/// The arguments that all transfers share.
pub(super) struct Request {
    pub token_id: String,
    receiver_id: String,
    receiver: Vec<u8>,
    approval_id: Option<u64>,
    memo: Option<String>,
}

impl Request {
    pub fn read(args: &mut Object) -> Self {
        let (receiver_id, receiver) = guard::required_account(args, "receiver_id");
        Self {
            token_id: args.required("token_id").or_fail(),
            receiver_id,
            receiver,
            approval_id: args.optional("approval_id").or_fail(),
            memo: args.optional("memo").or_fail(),
        }
    }
}

/// A transfer that was made.
pub(super) struct Moved {
    pub old_owner: String,
    pub approvals: Vec<Approval>,
}

/// Moves a token of the caller's, or one the caller is approved for. Its approvals are cleared; their deposits stay on
/// the books until [`approvals::refund`].
pub(super) fn transfer(request: &Request) -> Moved {
    guard::one_yocto();
    let Request {
        token_id,
        receiver_id,
        receiver,
        ..
    } = request;
    let mut place = Place::find(token_id);
    let owner = place.owner().to_vec();
    let old_owner = accounts::decode(&owner);
    let sender = host::predecessor();
    let approvals = place.approvals();
    if sender != old_owner {
        let stored = accounts::encode(&sender);
        let Some(approval) = approvals.iter().find(|approval| approval.account == stored) else {
            refuse(
                Code::Unauthorized,
                "Only the token's owner and accounts it approved may transfer it.",
            );
        };
        if request.approval_id.is_some_and(|id| id != approval.id) {
            refuse(Code::ApprovalStale, "approval_id is not the current one.");
        }
    }
    if place.header.is(header::TRANSFERS_OFF) {
        refuse(
            Code::TransfersDisabled,
            "Tokens of this collection can't be transferred.",
        );
    }
    if owner == *receiver {
        refuse(
            Code::InvalidArgument,
            "receiver_id: the token is there already.",
        );
    }
    if place.header.is(header::TRANSFERS_FILTERED) {
        let details = store::details(place.collection);
        let denied = store::lists(place.collection, &details).transfers_denied;
        let denied = denied.unwrap_or_default();
        if denied.contains(receiver_id) {
            refuse(
                Code::TransferDenied,
                "Tokens of this collection can't be transferred to this account.",
            );
        }
    }
    place.set_approvals(&[]);
    hand_over(place, &owner, receiver);
    let authorized = (sender != old_owner).then_some(sender.as_str());
    events::transfer(
        token_id,
        &old_owner,
        receiver_id,
        authorized,
        request.memo.as_deref(),
    );
    Moved {
        old_owner,
        approvals,
    }
}

/// Moves a token from one account's list to another's and stores its page.
fn hand_over(mut place: Place, from: &[u8], to: &[u8]) {
    let token = place.token();
    wallet::leave(from, token, place.home());
    let mut homes = Vec::with_capacity(1);
    wallet::receive(to, token.0, token.1..token.1 + 1, true, &mut homes);
    place.page.set_owner(place.at, to, homes[0]);
    place.put();
}

pub fn nft_transfer() {
    let moved = transfer(&Request::read(&mut host::args()));
    approvals::refund(&moved.old_owner, &moved.approvals);
}

pub fn nft_transfer_call() {
    let mut args = host::args();
    let msg: String = args.required("msg").or_fail();
    let request = Request::read(&mut args);
    if host::gas_left() < GAS_FOR_TRANSFER_CALL {
        refuse(
            Code::GasTooLow,
            "Attach at least 30 Tgas: the receiver's call and the resolution need them.",
        );
    }
    let moved = transfer(&request);
    let mut notify = Writer::default();
    notify
        .open('{')
        .key("sender_id")
        .text(&host::predecessor())
        .key("previous_owner_id")
        .text(&moved.old_owner);
    notify
        .key("token_id")
        .text(&request.token_id)
        .key("msg")
        .text(&msg)
        .close('}');
    let mut resolve = Writer::default();
    resolve
        .open('{')
        .key("previous_owner_id")
        .text(&moved.old_owner)
        .key("receiver_id")
        .text(&request.receiver_id);
    resolve
        .key("token_id")
        .text(&request.token_id)
        .key("approved_account_ids")
        .open('{');
    for approval in &moved.approvals {
        resolve
            .key(&accounts::decode(&approval.account))
            .number(approval.id);
    }
    resolve.close('}').close('}');
    // Each approval makes the resolution a little longer.
    let gas = GAS_FOR_RESOLVE + moved.approvals.len() as u64 * 50_000_000_000;
    host::Receipt::to(&request.receiver_id)
        .call(
            "nft_on_transfer",
            notify.into_string().as_bytes(),
            GAS_FOR_ON_TRANSFER,
            1,
        )
        .then(&host::current_account())
        .call(
            "nft_resolve_transfer",
            resolve.into_string().as_bytes(),
            gas,
            0,
        )
        .return_it();
}

/// Ends a transfer with a call: the token stays with its receiver, or goes back unless the receiver has passed it on.
/// Returns whether it stayed.
pub fn nft_resolve_transfer() {
    let mut args = host::args();
    guard::itself();
    let previous_owner_id = guard::required_account(&mut args, "previous_owner_id").0;
    let receiver_id = guard::required_account(&mut args, "receiver_id").0;
    let token_id: String = args.required("token_id").or_fail();
    let approved: Option<Vec<(String, u64)>> = args.optional("approved_account_ids").or_fail();
    let prior: Vec<Approval> = approved
        .unwrap_or_default()
        .into_iter()
        .map(|(account, id)| Approval {
            account: accounts::encode(&account),
            id,
        })
        .collect();
    let kept = host::promise_result(5).is_some_and(|result| result == b"false");
    let went_back = !kept && give_back(&token_id, &receiver_id, &previous_owner_id, &prior);
    if !went_back {
        approvals::refund(&previous_owner_id, &prior);
    }
    host::return_bool(!went_back);
}

/// Gives the token back unless its receiver has passed it on. Approvals the receiver gave end, the prior ones return.
fn give_back(
    token_id: &str,
    receiver_id: &str,
    previous_owner_id: &str,
    prior: &[Approval],
) -> bool {
    let Some(mut place) = Place::look(token_id) else {
        return false;
    };
    let (receiver, previous) = (
        accounts::encode(receiver_id),
        accounts::encode(previous_owner_id),
    );
    if place.owner() != receiver {
        return false;
    }
    approvals::refund(receiver_id, &place.approvals());
    place.set_approvals(prior);
    hand_over(place, &receiver, &previous);
    events::transfer(token_id, receiver_id, previous_owner_id, None, None);
    true
}

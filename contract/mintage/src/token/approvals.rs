//! NEP-178: approvals of a token, in a record of their own so that they weigh on no other token.

use crate::accounts;
use crate::balance;
use crate::codec::Reader;
use crate::collection::header::Header;
use crate::collection::settings::BYTE_PRICE;
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Writer;
use crate::store::{self, key2, prefix};
use crate::token::page::Page;
use crate::token::view;

/// Approvals a token may have; NEP-178 wants `nft_revoke_all` to stay within the gas of a call.
const APPROVALS_PER_TOKEN: usize = 100;
/// Kept for this contract while `nft_on_approve` gets the rest.
const GAS_FOR_NFT_ON_APPROVE: u64 = 5_000_000_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    pub account: Vec<u8>,
    pub id: u64,
}

/// The deposit an approval carries, in yoctonear: 64 bytes and the account id's own.
pub fn deposit(account: &[u8]) -> u128 {
    (64 + accounts::decode(account).len() as u128) * BYTE_PRICE
}

pub fn deposits(approvals: &[Approval]) -> u128 {
    approvals
        .iter()
        .map(|approval| deposit(&approval.account))
        .sum()
}

fn decode(bytes: &[u8]) -> Option<Vec<Approval>> {
    let mut reader = Reader::new(bytes);
    let mut out = Vec::new();
    while !reader.is_empty() {
        let id = reader.u64()?;
        out.push(Approval {
            account: accounts::read(&mut reader)?.to_vec(),
            id,
        });
    }
    Some(out)
}

pub fn read(collection: u32, number: u32) -> Vec<Approval> {
    let bytes = host::read(&key2(prefix::APPROVALS, collection, number)).unwrap_or_default();
    decode(&bytes).unwrap_or_else(|| host::corrupt())
}

pub fn write(collection: u32, number: u32, approvals: &[Approval]) {
    let key = key2(prefix::APPROVALS, collection, number);
    if approvals.is_empty() {
        host::remove(&key);
        return;
    }
    let mut out = Vec::with_capacity(approvals.len() * 32);
    for approval in approvals {
        out.extend_from_slice(&approval.id.to_le_bytes());
        out.extend_from_slice(&approval.account);
    }
    host::write(&key, &out);
}

/// A token of the caller's, with its approvals.
struct Own {
    collection: u32,
    number: u32,
    header: Header,
    page: Page,
    index: u32,
    at: usize,
    owner: Vec<u8>,
    approvals: Vec<Approval>,
}

fn own(token_id: &str) -> Own {
    let (collection, number) = view::parse_or_fail(token_id);
    let header = store::header_of_token(collection);
    let (page, index, at) =
        store::token_page(&header, collection, number).unwrap_or_else(|| view::token_missing());
    let owner = page.owner(at).unwrap_or_else(|| host::corrupt()).to_vec();
    if owner != accounts::encode(&host::predecessor()) {
        refuse(
            Code::Unauthorized,
            "Only the token's owner may approve and revoke.",
        );
    }
    let approvals = if page.approved >> at & 1 == 1 {
        read(collection, number)
    } else {
        Vec::new()
    };
    Own {
        collection,
        number,
        header,
        page,
        index,
        at,
        owner,
        approvals,
    }
}

/// Stores the approvals and notes on the token's page whether there are any.
fn put(mut own: Own) {
    write(own.collection, own.number, &own.approvals);
    let marked = own.page.approved;
    let mark = 1 << own.at;
    own.page.approved = if own.approvals.is_empty() {
        marked & !mark
    } else {
        marked | mark
    };
    if own.page.approved != marked {
        store::put_token_page(&mut own.header, own.collection, own.index, own.page);
    }
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
    let mut own = own(&token_id);
    check_rules(own.collection, &account_id);
    let mut root = guard::root();
    let id = root.next_approval;
    root.next_approval += 1;
    let mut price = 0;
    match own
        .approvals
        .iter_mut()
        .find(|approval| approval.account == account)
    {
        Some(approval) => approval.id = id,
        None => {
            if own.approvals.len() == APPROVALS_PER_TOKEN {
                refuse(Code::TooMany, "A token has at most 100 approvals.");
            }
            price = deposit(&account);
            own.approvals.push(Approval { account, id });
        }
    }
    if attached < price {
        balance::refuse_amount(
            Code::DepositTooSmall,
            "Attach the approval's storage, in yoctonear: ",
            price,
        );
    }
    root.owed += price;
    guard::put_root(&root);
    let owner_id = accounts::decode(&own.owner);
    put(own);
    balance::pay(&owner_id, attached - price);
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
    let names = |list: &Option<Vec<String>>| {
        list.as_ref()
            .map(|list| list.iter().any(|id| id == account))
    };
    if names(&details.approvals_denied) == Some(true)
        || names(&details.approvals_allowed) == Some(false)
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
    let amount = deposits(approvals);
    let mut root = guard::root();
    root.owed -= amount;
    guard::put_root(&root);
    balance::pay(owner, amount);
}

pub fn nft_revoke() {
    let mut args = host::args();
    guard::one_yocto();
    let mut own = own(&args.required::<String>("token_id").or_fail());
    let account = guard::required_account(&mut args, "account_id").1;
    if let Some(at) = own
        .approvals
        .iter()
        .position(|approval| approval.account == account)
    {
        let gone = own.approvals.remove(at);
        let owner = accounts::decode(&own.owner);
        put(own);
        refund(&owner, &[gone]);
    }
}

pub fn nft_revoke_all() {
    let mut args = host::args();
    guard::one_yocto();
    let mut own = own(&args.required::<String>("token_id").or_fail());
    if !own.approvals.is_empty() {
        let gone = std::mem::take(&mut own.approvals);
        let owner = accounts::decode(&own.owner);
        put(own);
        refund(&owner, &gone);
    }
}

pub fn nft_is_approved() {
    let mut args = host::args();
    let (collection, number) = view::parse_or_fail(&args.required::<String>("token_id").or_fail());
    let account = guard::required_account(&mut args, "approved_account_id").1;
    let id: Option<u64> = args.optional("approval_id").or_fail();
    let header = store::header_of_token(collection);
    let (page, _, at) =
        store::token_page(&header, collection, number).unwrap_or_else(|| view::token_missing());
    let approved = page.approved >> at & 1 == 1
        && read(collection, number)
            .iter()
            .any(|approval| approval.account == account && id.is_none_or(|id| id == approval.id));
    host::return_bool(approved);
}

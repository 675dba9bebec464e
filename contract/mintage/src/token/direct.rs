//! Minting by anyone allowed, for the fee, and the view that tells whether an account is.

use super::fees::pay_shares;
use super::grant::Grant;
use super::id;
use super::mint::{check_copies, mint_own, published_header};
use crate::accounts;
use crate::balance;
use crate::books::Books;
use crate::collection::eligibility::{self, Minter, Offer, Refusal};
use crate::collection::header::{Header, PUBLISHED, SUPPLY_LOCKED};
use crate::collection::locks;
use crate::collection::settings::Rules;
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Object;
use crate::prelude::*;
use crate::root::Root;
use crate::split::kept;
use crate::store;
use crate::token::holdings::Head;

/// Tokens that an account may mint with one signature.
const TOKENS_PER_CALL: u32 = 25;

/// What a direct mint wants left before it draws, so that wallets that attach less than they should are told before
/// their token's fate is sealed.
const GAS_BEFORE_DRAW: u64 = 40_000_000_000_000;

/// What an account may do in a collection now.
struct Case {
    rules: Rules,
    head: Head,
    result: Result<Offer, Refusal>,
    bypass: bool,
}

/// Whether an account, in both its forms, may mint `count` tokens.
fn case(root: &Root, collection: u32, (account, stored): (&str, &[u8]), count: u32) -> Case {
    let rules = store::rules(collection);
    let head = store::find_head(stored).unwrap_or_default();
    let (public_minted, private_minted) = head.minted(collection);
    let minter = Minter {
        bypass: root.is_staff(stored) || rules.bypass.iter().any(|id| id == account),
        allowlisted: rules.private.is_some() && crate::allowlist::contains(collection, stored),
        public_minted,
        private_minted,
    };
    let result = eligibility::offer(&rules, &minter, count, host::now_ms());
    Case {
        rules,
        head,
        result,
        bypass: minter.bypass,
    }
}

/// The tokens that the arguments ask for; `None`: they say nothing of it, and mean one.
fn quantity(args: &mut Object) -> Option<u32> {
    let quantity = args.optional("quantity").or_fail();
    if !(1..=TOKENS_PER_CALL).contains(&quantity.unwrap_or(1)) {
        refuse(Code::InvalidArgument, "quantity is 1 to 25.");
    }
    quantity
}

/// A mint that may be made, and who makes it.
pub(crate) struct Purchase<'a> {
    pub collection: u32,
    pub account: &'a str,
    pub count: u32,
    pub rules: &'a Rules,
    /// Yoctonear for each token.
    pub fee: u128,
    /// What the tokens are promised.
    pub bytes: u64,
}

/// Promises the tokens their bytes, takes the fees out of the deposit and pays the shares of them; the rest returns.
pub(crate) fn charge(books: &mut Books, header: &mut Header, purchase: &Purchase) {
    let deposit = host::attached_deposit();
    let fee = purchase.fee.saturating_mul(u128::from(purchase.count));
    if deposit < fee {
        host::refuse_amount(
            Code::DepositTooSmall,
            "Attach the mint fee, in yoctonear: ",
            fee,
        );
    }
    let kept = kept(purchase.fee, purchase.count);
    let shape = header.shape(purchase.collection);
    let promise = (header.credit, purchase.bytes);
    header.credit = books
        .promise(&shape, promise, header.remaining(), deposit - kept)
        .or_fail();
    pay_shares(books, header, purchase.rules, fee - kept);
    balance::pay(purchase.account, deposit - fee);
}

/// Who gets the tokens of a mint, and the list to put them on where that is known: the minter's, which counts them. Of
/// a gift the minter's list keeps the count alone.
fn grant(
    (account, stored): (String, Vec<u8>),
    head: Head,
    receiver: Option<(Vec<u8>, String)>,
    count: u32,
) -> (Grant, Option<Head>) {
    match receiver.filter(|receiver| receiver.0 != stored) {
        None => (Grant::drawn(account, stored, count), Some(head)),
        Some((to, id)) => {
            host::write(&store::head_key(&stored), &head.encode());
            (Grant::drawn(id, to, count), None)
        }
    }
}

pub fn nft_mint() {
    let mut args = host::args();
    let collection: u32 = args.required("collection_id").or_fail();
    let quantity = quantity(&mut args);
    let count = quantity.unwrap_or(1);
    let receiver: Option<String> = args.optional("receiver_id").or_fail();
    args.finish().or_fail();
    let receiver = receiver.map(|id| (guard::account("receiver_id", &id), id));
    let mut books = Books::open();
    let account = host::predecessor();
    let stored = accounts::encode(&account);
    let mut header = published_header(collection);
    check_copies(&header, count).or_fail();
    let mut case = case(&books, collection, (&account, &stored), count);
    let offer = case
        .result
        .unwrap_or_else(|refusal| refuse(refusal.code, refusal.message));
    let purchase = Purchase {
        collection,
        account: &account,
        count,
        rules: &case.rules,
        fee: offer.fee,
        bytes: header.shape(collection).counted_tokens(count),
    };
    charge(&mut books, &mut header, &purchase);
    if host::gas_left() < GAS_BEFORE_DRAW {
        refuse(
            Code::GasTooLow,
            "Attach 100 Tgas: a mint needs 40 Tgas left before it draws.",
        );
    }
    case.head.count_mints(collection, offer.private, count);
    let (grant, known) = grant((account, stored), case.head, receiver, count);
    let numbers = mint_own(collection, &mut header, &grant, known);
    books.settle();
    let mut answer = String::with_capacity(24);
    if quantity.is_some() {
        events::put_ids(&mut answer, collection, numbers);
    } else {
        answer.push('"');
        id::put(&mut answer, collection, numbers.start);
        answer.push('"');
    }
    host::return_bytes(answer.as_bytes());
}

/// Whether the contract can promise `count` tokens their bytes, with what stays of the fee.
fn covers(root: &Root, (collection, header): (u32, &Header), count: u32, kept: u128) -> bool {
    let shape = header.shape(collection);
    let held = host::account_balance() + kept;
    let free = held.saturating_sub(root.sums.needed());
    let (credit, cost) = (u64::from(header.credit), shape.counted_tokens(count));
    credit >= cost || shape.take(credit, cost, header.remaining(), free).is_some()
}

/// Whether `count` copies may be minted of the collection by anybody now.
fn open(header: &Header, count: u32) -> Result<(), Refusal> {
    let left = header.remaining();
    if !header.is(PUBLISHED) {
        let message = "The collection is not published yet.";
        return Err(Refusal::new(Code::NotPublished, message));
    }
    if header.is(SUPPLY_LOCKED) {
        return Err(Refusal::new(Code::Locked, locks::SUPPLY));
    }
    if left < count {
        let message = match left {
            0 => "The collection has no copies left.",
            _ => "quantity: the collection has fewer copies left.",
        };
        return Err(Refusal::new(Code::SoldOut, message));
    }
    Ok(())
}

pub fn mint_eligibility() {
    let mut args = host::args();
    let collection: u32 = args.required("collection_id").or_fail();
    let (account, stored) = guard::required_account(&mut args, "account_id");
    let count = quantity(&mut args).unwrap_or(1);
    let root = store::root().0;
    let header = store::header(collection);
    let mut bypass = false;
    let result = open(&header, count).and_then(|()| {
        let case = case(&root, collection, (&account, &stored), count);
        bypass = case.bypass;
        let offer = case.result?;
        if covers(&root, (collection, &header), count, kept(offer.fee, count)) {
            return Ok(offer);
        }
        Err(Refusal::new(
            Code::StorageBalance,
            "The contract's balance does not cover the storage of another token; its owner has to top it up.",
        ))
    });
    host::return_json(|json| {
        json.open('{').key("allowed").bool(result.is_ok());
        match result {
            Ok(offer) => {
                let price = if offer.private { "private" } else { "public" };
                json.key("via")
                    .text(if bypass { "bypass" } else { price })
                    .key("mint_fee")
                    .amount(offer.fee);
                json.raw("\"code\":null,\"message\":null,\"opens_at_ms\":null");
                json.key("remaining_for_account")
                    .optional_number(offer.left.map(u64::from));
            }
            Err(refusal) => {
                json.raw("\"via\":null,\"mint_fee\":null")
                    .key("code")
                    .text(refusal.code.as_str());
                json.key("message").text(refusal.message);
                json.key("opens_at_ms").optional_number(refusal.opens_at_ms);
                json.key("remaining_for_account")
                    .optional_number(refusal.left.map(u64::from));
            }
        }
        locks::write(json.key("locks"), header.flags);
        json.close('}');
    });
}

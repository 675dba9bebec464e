//! Minting by anyone allowed, for a price in NEAR or in a token, and the view that tells whether an account is.

use super::fees::{accrue_shares, pay_shares, share_records};
use super::grant::Grant;
use super::id;
use super::mint::{check_copies, mint_own, published_header};
use crate::accounts;
use crate::balance;
use crate::books::Books;
use crate::collection::eligibility::{self, Minter, Offer, Refusal};
use crate::collection::header::{Header, PUBLISHED, SUPPLY_LOCKED};
use crate::collection::locks;
use crate::collection::settings::{Phase, Rules, PHASES, PRIVATE, PUBLIC};
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::{Object, Writer};
use crate::prelude::*;
use crate::root::Root;
use crate::solvency::BYTE_PRICE;
use crate::split::kept;
use crate::store;
use crate::token::holdings::Head;
use core::ops::Range;

/// Tokens that an account may mint with one signature.
const TOKENS_PER_CALL: u32 = 25;

/// What a direct mint wants left before it draws, so that wallets that attach less than they should are told before
/// their token's fate is sealed.
const GAS_BEFORE_DRAW: u64 = 40_000_000_000_000;

/// What an account may do in a collection now.
struct Case {
    rules: Rules,
    head: Head,
    minter: Minter,
}

/// What is known of an account, in both its forms, that would mint.
fn case(
    root: &Root,
    (collection, header): (u32, &Header),
    (account, stored): (&str, &[u8]),
) -> Case {
    let rules = store::rules(collection);
    let head = store::find_head(stored).unwrap_or_default();
    let mut listed = [false; PHASES];
    let ended = |phase: &Phase| phase.ends_at_ms.is_some_and(|end| host::now_ms() >= end);
    for (place, phase) in rules.phases() {
        listed[place] = phase.listed
            && !ended(phase)
            && crate::allowlist::contains((collection, place), stored);
    }
    let minter = Minter {
        bypass: root.is_staff(stored) || rules.bypass.iter().any(|id| id == account),
        listed,
        minted: head.minted(collection),
        taken: header.taken,
    };
    Case {
        rules,
        head,
        minter,
    }
}

/// What a buyer asks for.
pub(crate) struct Order {
    collection: u32,
    /// `None`: nothing was said of it, which means one.
    quantity: Option<u32>,
    /// Who gets the tokens, in both forms; `None`: the buyer.
    receiver: Option<(Vec<u8>, String)>,
}

impl Order {
    pub fn read(args: &mut Object) -> Self {
        let collection = args.required("collection_id").or_fail();
        let quantity = quantity(args);
        let receiver: Option<String> = args.optional("receiver_id").or_fail();
        Self {
            collection,
            quantity,
            receiver: receiver.map(|id| (guard::account("receiver_id", &id), id)),
        }
    }
}

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
    /// The price of each token in its currency's smallest unit.
    pub fee: u128,
    /// What the tokens are promised.
    pub bytes: u64,
}

impl Purchase<'_> {
    /// Promises the tokens their bytes, of what is free beside `outgoing` yoctonear.
    fn promise(&self, books: &mut Books, header: &mut Header, outgoing: u128) {
        let shape = header.shape(self.collection);
        let promise = (header.credit, self.bytes);
        header.credit = books
            .promise(&shape, promise, header.remaining(), outgoing)
            .or_fail();
    }

    /// Promises the tokens their bytes and takes the price of what came for it: units of a token that were sent, or the
    /// deposit, of which the rest returns. Returns how many units are too many.
    pub fn charge(&self, books: &mut Books, header: &mut Header, sent: Option<&Sent>) -> u128 {
        match sent {
            Some(sent) => self.charge_tokens(books, header, sent),
            None => {
                self.charge_deposit(books, header);
                0
            }
        }
    }

    /// Takes the fees out of the deposit, and pays the shares of them.
    fn charge_deposit(&self, books: &mut Books, header: &mut Header) {
        let deposit = host::attached_deposit();
        let fee = self.fee.saturating_mul(u128::from(self.count));
        if deposit < fee {
            host::refuse_amount(
                Code::DepositTooSmall,
                "Attach the mint fee, in yoctonear: ",
                fee,
            );
        }
        let kept = kept(self.fee, self.count);
        self.promise(books, header, deposit - kept);
        pay_shares(books, header, self.rules, fee - kept);
        balance::pay(self.account, deposit - fee);
    }

    /// Takes the price out of what was sent, and lets the shares of it wait.
    fn charge_tokens(&self, books: &mut Books, header: &mut Header, sent: &Sent) -> u128 {
        if sent.most.is_some_and(|most| self.fee > most) {
            host::refuse_amount(
                Code::PriceTooHigh,
                "max_price: the price of one is now, in the currency's smallest unit: ",
                self.fee,
            );
        }
        let price = self.fee.checked_mul(u128::from(self.count));
        let Some(price) = price.filter(|&price| price <= sent.amount) else {
            host::refuse_amount(
                Code::DepositTooSmall,
                "Send the price of all tokens; that of one is, in the currency's smallest unit: ",
                self.fee,
            );
        };
        // Before the promise, which takes bytes ahead where they are free.
        accrue_shares(books, self.rules, &sent.currency, price);
        self.promise(books, header, 0);
        sent.amount - price
    }

    /// Whether the contract can pay for the records of shares and promise the tokens their bytes, when the price is paid.
    pub fn is_covered(&self, root: &Root, header: &Header, currency: Option<&str>) -> bool {
        let (kept, records) = match currency {
            None => (kept(self.fee, self.count), 0),
            Some(token) => {
                let price = self.fee.saturating_mul(u128::from(self.count));
                (0, share_records(root, self.rules, token, price))
            }
        };
        let free = (host::account_balance() + kept).saturating_sub(root.sums.needed());
        let Some(free) = free.checked_sub(u128::from(records) * BYTE_PRICE) else {
            return false;
        };
        let (credit, shape) = (u64::from(header.credit), header.shape(self.collection));
        credit >= self.bytes
            || shape
                .take(credit, self.bytes, header.remaining(), free)
                .is_some()
    }
}

/// What stands in the way where [`Purchase::is_covered`] says no.
pub(crate) const UNCOVERED: &str =
    "The contract's balance does not cover the storage of another token; its owner has to top it up.";

/// Units of a token that a buyer has sent, and the most that one NFT may cost.
pub(crate) struct Sent {
    pub currency: String,
    pub amount: u128,
    pub most: Option<u128>,
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

/// Sells a buyer what they ask for at the best price that is open to them in NEAR, which is attached, or in a token that was
/// sent. Returns the tokens' numbers, and how much of what was sent is too much.
pub(crate) fn sell(account: String, order: Order, sent: Option<&Sent>) -> (Range<u32>, u128) {
    let collection = order.collection;
    let count = order.quantity.unwrap_or(1);
    let mut books = Books::open();
    let stored = accounts::encode(&account);
    let mut header = published_header(collection);
    check_copies(&header, count).or_fail();
    let mut case = case(&books, (collection, &header), (&account, &stored));
    let currency = sent.map(|sent| sent.currency.as_str());
    let now = host::now_ms();
    let offer = eligibility::offer(&case.rules, &case.minter, currency, count, now)
        .unwrap_or_else(|refusal| refuse(refusal.code, refusal.message));
    let purchase = Purchase {
        collection,
        account: &account,
        count,
        rules: &case.rules,
        fee: offer.fee,
        bytes: header.shape(collection).counted_tokens(count),
    };
    let rest = purchase.charge(&mut books, &mut header, sent);
    if sent.is_none() && host::gas_left() < GAS_BEFORE_DRAW {
        refuse(
            Code::GasTooLow,
            "Attach 100 Tgas: a mint needs 40 Tgas left before it draws.",
        );
    }
    header.taken[offer.place] = header.taken[offer.place].saturating_add(count);
    case.head.count_mints(collection, offer.place, count);
    let (grant, known) = grant((account, stored), case.head, order.receiver, count);
    let numbers = mint_own(collection, &mut header, &grant, known);
    books.settle();
    (numbers, rest)
}

pub fn nft_mint() {
    let mut args = host::args();
    let order = Order::read(&mut args);
    args.finish().or_fail();
    let (collection, quantity) = (order.collection, order.quantity);
    let (numbers, _) = sell(host::predecessor(), order, None);
    if quantity.is_some() {
        return events::return_ids(collection, numbers);
    }
    let mut answer = String::with_capacity(24);
    answer.push('"');
    id::put(&mut answer, collection, numbers.start);
    answer.push('"');
    host::return_bytes(answer.as_bytes());
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

/// Writes why not, from when, and how many more.
fn write_result(json: &mut Writer, result: Result<Option<u32>, Refusal>) {
    json.key("allowed").bool(result.is_ok());
    let refusal = result.err();
    json.key("code")
        .optional_text(refusal.map(|refusal| refusal.code.as_str()))
        .key("message")
        .optional_text(refusal.map(|refusal| refusal.message));
    json.key("opens_at_ms")
        .optional_number(refusal.and_then(|refusal| refusal.opens_at_ms));
    let left = result.unwrap_or_else(|refusal| refusal.left);
    json.key("remaining_for_account")
        .optional_number(left.map(u64::from));
}

pub fn mint_eligibility() {
    let mut args = host::args();
    let collection: u32 = args.required("collection_id").or_fail();
    let (account, stored) = guard::required_account(&mut args, "account_id");
    let count = quantity(&mut args).unwrap_or(1);
    let currency: Option<String> = args.optional("currency").or_fail();
    let root = store::root().0;
    let header = store::header(collection);
    let Case { rules, minter, .. } = case(&root, (collection, &header), (&account, &stored));
    let now = host::now_ms();
    let opened = open(&header, count);
    let funded = |currency: Option<&str>, fee: u128| {
        let purchase = Purchase {
            collection,
            account: &account,
            count,
            rules: &rules,
            fee,
            bytes: header.shape(collection).counted_tokens(count),
        };
        match purchase.is_covered(&root, &header, currency) {
            true => Ok(()),
            false => Err(Refusal::new(Code::StorageBalance, UNCOVERED)),
        }
    };
    let result = opened.and_then(|()| {
        let offer = eligibility::offer(&rules, &minter, currency.as_deref(), count, now)?;
        funded(currency.as_deref(), offer.fee)?;
        Ok(offer)
    });
    let offer = result.ok();
    let via = |offer: Offer| match offer.place {
        _ if minter.bypass => "bypass",
        PRIVATE => "private",
        PUBLIC => "public",
        _ => "phase",
    };
    host::return_json(|json| {
        json.open('{').key("via").optional_text(offer.map(via));
        json.key("phase")
            .optional_number(offer.map(|offer| offer.place as u64 + 1));
        json.key("mint_fee")
            .optional_amount(offer.map(|offer| offer.fee));
        write_result(json, result.map(|offer| offer.left));
        json.key("phases").open('[');
        for (place, phase) in rules.phases() {
            json.open('{').key("phase").number(place as u64 + 1);
            // Whoever pays no fee mints by a call in NEAR.
            let (fee, paid_in) = match minter.bypass {
                true => (0, None),
                false => (phase.fee, phase.currency.as_deref()),
            };
            json.key("mint_fee").amount(fee);
            json.key("currency")
                .optional_text(phase.currency.as_deref());
            let here = || {
                let left = eligibility::check((place, phase), &minter, count, now)?;
                funded(paid_in, fee)?;
                Ok(left)
            };
            write_result(json, opened.and_then(|()| here()));
            json.close('}');
        }
        json.close(']');
        locks::write(json.key("locks"), header.flags);
        json.close('}');
    });
}

//! Minting by anyone allowed, for the fee, and the view that tells whether an account is.

use super::fees::{pay_shares, shares, spare};
use super::id;
use super::mint::{check_supply, draw, place, published, require_gas, Batch, Grant};
use super::wallet;
use crate::accounts;
use crate::balance;
use crate::books::Books;
use crate::collection::eligibility::{self, Minter, Offer, Refusal};
use crate::collection::header::{Header, PUBLISHED, SUPPLY_LOCKED};
use crate::collection::locks;
use crate::collection::settings::Rules;
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::root::Root;
use crate::solvency::TOKEN_PRICE;
use crate::store;
use crate::token::holdings::Head;

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

fn case(root: &Root, collection: u32, account: &str, stored: &[u8]) -> Case {
    let rules = store::rules(collection);
    let head = store::find_head(stored).unwrap_or_default();
    let (public_minted, private_minted) = head.minted(collection);
    let minter = Minter {
        bypass: root.is_staff(stored) || rules.bypass.iter().any(|id| id == account),
        allowlisted: rules.private.is_some() && crate::allowlist::contains(collection, stored),
        public_minted,
        private_minted,
    };
    let result = eligibility::offer(&rules, &minter, host::now_ms());
    Case {
        rules,
        head,
        result,
        bypass: minter.bypass,
    }
}

pub fn nft_mint() {
    let collection: u32 = host::args().required("collection_id").or_fail();
    let mut books = Books::open();
    let account = host::predecessor();
    let stored = accounts::encode(&account);
    let mut header = published(collection);
    check_supply(&header, 1);
    let case = case(&books, collection, &account, &stored);
    let offer = case
        .result
        .unwrap_or_else(|refusal| refuse(refusal.code, refusal.message));
    let deposit = host::attached_deposit();
    if deposit < offer.fee {
        host::refuse_amount(
            Code::DepositTooSmall,
            "Attach the mint fee, in yoctonear: ",
            offer.fee,
        );
    }
    let kept = offer.fee.min(TOKEN_PRICE);
    let shares = shares(&books, &case.rules, offer.fee);
    let spare = spare(&header, &shares);
    let shape = header.shape(collection);
    let promise = (header.credit, shape.counted_token());
    header.credit = books
        .promise(&shape, promise, header.remaining(), deposit - kept + spare)
        .or_fail();
    pay_shares(&mut books, collection, &mut header, shares);
    balance::pay(&account, deposit - offer.fee);
    if host::gas_left() < GAS_BEFORE_DRAW {
        refuse(
            Code::GasTooLow,
            "Attach 100 Tgas: a mint needs 40 Tgas left before it draws.",
        );
    }
    require_gas(&header, 1, 0);

    let number = header.minted + 1;
    let drawn = draw(collection, &mut header, 1);
    let mut homes = Vec::with_capacity(1);
    wallet::receive_own(
        case.head,
        &stored,
        (collection, number),
        offer.private,
        &mut homes,
    );
    let grant = Grant {
        account,
        stored,
        count: 1,
    };
    let batch = Batch {
        grants: std::slice::from_ref(&grant),
        assets: &drawn,
        homes: &homes,
        overridden: false,
    };
    place(collection, &mut header, &batch);
    books.settle();
    let mut quoted = String::with_capacity(24);
    quoted.push('"');
    id::put(&mut quoted, collection, number);
    quoted.push('"');
    host::return_bytes(quoted.as_bytes());
}

/// Whether the contract can promise a token its bytes, with what stays of the fee and with `spare` left over.
fn covers(root: &Root, header: &Header, collection: u32, (fee, spare): (u128, u128)) -> bool {
    let shape = header.shape(collection);
    let held = host::account_balance() + fee.min(TOKEN_PRICE);
    let free = held.saturating_sub(root.sums.needed() + spare);
    let (credit, cost) = (u64::from(header.credit), shape.counted_token());
    credit >= cost || shape.draw(credit, cost, header.remaining(), free).is_some()
}

pub fn mint_eligibility() {
    let mut args = host::args();
    let collection: u32 = args.required("collection_id").or_fail();
    let (account, stored) = guard::required_account(&mut args, "account_id");
    let root = store::root().0;
    let header = store::header(collection);
    let refused = |code, message| {
        Err(Refusal {
            code,
            message,
            opens_at_ms: None,
        })
    };
    let (result, bypass) = if !header.is(PUBLISHED) {
        (
            refused(Code::NotPublished, "The collection is not published yet."),
            false,
        )
    } else if header.is(SUPPLY_LOCKED) {
        (refused(Code::Locked, locks::SUPPLY), false)
    } else if header.remaining() == 0 {
        (
            refused(Code::SoldOut, "The collection has no copies left."),
            false,
        )
    } else {
        let case = case(&root, collection, &account, &stored);
        let result = case.result.and_then(|offer| {
            let spare = spare(&header, &shares(&root, &case.rules, offer.fee));
            if covers(&root, &header, collection, (offer.fee, spare)) {
                Ok(offer)
            } else {
                refused(
                    Code::StorageBalance,
                    "The contract's balance does not cover the storage of another token; its owner has to top it up.",
                )
            }
        });
        (result, case.bypass)
    };
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
                let left = (refusal.code == Code::MintLimit).then_some(0);
                json.key("remaining_for_account").optional_number(left);
            }
        }
        locks::write(json.key("locks"), header.flags);
        json.close('}');
    });
}

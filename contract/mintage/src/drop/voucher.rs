//! Vouchers: the drop's issuer signs how many tokens a receiver gets, at which price and until when, and whoever brings that
//! mints. A voucher uses up a number of its drop as a link does, so that it is good once.

use super::claim::{answer, signature, Gift};
use super::manage::find;
use super::proof::{Place, Terms};
use super::record::ClaimDrop;
use crate::books::Books;
use crate::collection::header::Header;
use crate::collection::settings::{check_price, Rules};
use crate::error::{Code, Failure, Outcome};
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Object;
use crate::prelude::*;
use crate::root::Root;
use crate::store;
use crate::token::direct::{Purchase, Sent, UNCOVERED};
use crate::token::mint::check_copies;
use core::ops::Range;

pub(crate) struct Voucher {
    drop: u32,
    nonce: u32,
    terms: Terms,
    /// Who receives, in the stored form.
    stored: Vec<u8>,
    signature: [u8; 64],
}

impl Voucher {
    pub fn read(args: &mut Object) -> Outcome<Self> {
        let (drop, nonce) = (args.required("drop_id")?, args.required("nonce")?);
        let (receiver, stored) = guard::required_account(args, "receiver_id");
        let terms = Terms {
            receiver,
            quantity: args.required("quantity")?,
            price: args.required("price")?,
            currency: args.optional("currency")?,
            expires_at_ms: args.required("expires_at_ms")?,
        };
        let signed: String = args.required("signature")?;
        Ok(Self {
            drop,
            nonce,
            terms,
            stored,
            signature: signature("signature", &signed)?,
        })
    }

    /// Whether the voucher is good now. Returns what is left of the drop's reserve then: a price in NEAR pays for its
    /// tokens' storage, the reserve for that of free ones, and what is free for that of those sold for a token.
    fn check(&self, root: &Root, drop: &ClaimDrop, header: &Header) -> Outcome<u64> {
        drop.check("voucher", self.nonce, host::now_ms())?;
        let Terms {
            quantity, price, ..
        } = self.terms;
        let currency = self.terms.currency.as_deref();
        if host::now_ms() >= self.terms.expires_at_ms {
            return Err(Failure::new(Code::DropExpired, "The voucher has expired."));
        }
        if !(1..=drop.quantity.into()).contains(&quantity) {
            return Err(Failure::argument(
                "quantity is at least 1, and at most that of the drop.",
            ));
        }
        check_price(&["price", ""], price, currency)?;
        check_copies(header, quantity)?;
        if currency.is_some_and(|token| !store::rules(drop.collection).names_currency(token)) {
            return Err(Failure::new(
                Code::OtherCurrency,
                "currency: no phase of the collection has its price in this token.",
            ));
        }
        let left = match price {
            0 => drop.check_reserve(quantity, header.shape(drop.collection).token())?,
            _ => drop.promised,
        };
        let place = Place {
            network: &root.network,
            contract: &host::current_account(),
            drop: self.drop,
            link: self.nonce,
        };
        let message = place.voucher(&self.terms);
        if host::ed25519_verify(&self.signature, message.as_bytes(), &drop.issuer) {
            return Ok(left);
        }
        Err(Failure::new(
            Code::ClaimInvalid,
            "signature: the drop's issuer did not sign these terms.",
        ))
    }

    /// What is paid for, by `payer`.
    fn purchase<'a>(
        &self,
        (collection, header): (u32, &Header),
        payer: &'a str,
        rules: &'a Rules,
    ) -> Purchase<'a> {
        let Terms {
            quantity, price, ..
        } = self.terms;
        Purchase {
            collection,
            account: payer,
            count: quantity,
            rules,
            fee: price,
            bytes: u64::from(quantity) * header.shape(collection).token(),
        }
    }

    /// Mints for the deposit, or for units of a token that `payer` has sent. Returns the collection, the tokens' numbers, and
    /// how many units are too many.
    pub fn redeem(mut self, payer: &str, sent: Option<&Sent>) -> (u32, Range<u32>, u128) {
        let paid_in = sent.map(|sent| &sent.currency);
        if paid_in.is_some() && self.terms.currency.is_none() {
            self.terms.currency = paid_in.cloned();
        }
        if self.terms.currency.as_ref() != paid_in {
            refuse(
                Code::OtherCurrency,
                "currency: the voucher is paid by ft_transfer_call of the token that it names.",
            );
        }
        let mut books = Books::open();
        let drop = find(self.drop).or_fail();
        let (collection, mut header) = (drop.collection, store::header(drop.collection));
        let left = self.check(&books, &drop, &header).or_fail();
        let mut rest = 0;
        if self.terms.price == 0 {
            guard::no_deposit();
        } else {
            let rules = store::rules(collection);
            let purchase = self.purchase((collection, &header), payer, &rules);
            rest = purchase.charge(&mut books, &mut header, sent);
        }
        let gift = Gift {
            place: (self.drop, self.nonce),
            drop,
            header,
            left,
            account: self.terms.receiver,
            stored: self.stored,
            count: self.terms.quantity,
        };
        (collection, gift.give(books), rest)
    }
}

/// Mints at a voucher's price to its receiver. Anybody may bring it; what is attached beyond the price returns to them.
pub fn voucher_mint() {
    let mut args = host::args();
    let voucher = Voucher::read(&mut args).or_fail();
    args.finish().or_fail();
    let (collection, numbers, _) = voucher.redeem(&host::predecessor(), None);
    events::return_ids(collection, numbers);
}

/// Whether a voucher would mint now, and why not.
pub fn voucher_eligibility() {
    let voucher = Voucher::read(&mut host::args()).or_fail();
    let terms = &voucher.terms;
    let gift = Some((terms.quantity, terms.expires_at_ms));
    answer(voucher.drop, gift, |root, drop, header| {
        voucher.check(root, drop, header)?;
        let rules = store::rules(drop.collection);
        let purchase = voucher.purchase((drop.collection, header), "", &rules);
        if terms.price == 0 || purchase.is_covered(root, header, terms.currency.as_deref()) {
            return Ok(());
        }
        Err(Failure::new(Code::StorageBalance, UNCOVERED))
    });
}

//! Vouchers: the drop's issuer signs how many tokens a receiver gets, at which price and until when, and whoever brings that
//! mints. A voucher uses up a number of its drop as a link does, so that it is good once.

use super::claim::{answer, signature, Gift};
use super::manage::find;
use super::proof::{Place, Terms};
use super::record::ClaimDrop;
use crate::books::Books;
use crate::collection::header::Header;
use crate::error::{Code, Failure, Outcome};
use crate::guard;
use crate::host::{self, OrFail};
use crate::json::Object;
use crate::prelude::*;
use crate::root::Root;
use crate::solvency::TOKEN_PRICE;
use crate::store;
use crate::token::direct::{charge, Purchase};
use crate::token::mint::check_copies;

struct Voucher {
    drop: u32,
    nonce: u32,
    terms: Terms,
    /// Who receives, in the stored form.
    stored: Vec<u8>,
    signature: [u8; 64],
}

impl Voucher {
    fn read(args: &mut Object) -> Outcome<Self> {
        let (drop, nonce) = (args.required("drop_id")?, args.required("nonce")?);
        let (receiver, stored) = guard::required_account(args, "receiver_id");
        let terms = Terms {
            receiver,
            quantity: args.required("quantity")?,
            price: args.required("price")?,
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

    /// Whether the voucher is good now. Returns what is left of the drop's reserve then: a price pays for its tokens'
    /// storage, and the reserve for that of free ones.
    fn check(&self, root: &Root, drop: &ClaimDrop, header: &Header) -> Outcome<u64> {
        drop.check("voucher", self.nonce, host::now_ms())?;
        let Terms {
            quantity, price, ..
        } = self.terms;
        if host::now_ms() >= self.terms.expires_at_ms {
            return Err(Failure::new(Code::DropExpired, "The voucher has expired."));
        }
        if !(1..=drop.quantity.into()).contains(&quantity) {
            return Err(Failure::argument(
                "quantity is at least 1, and at most that of the drop.",
            ));
        }
        if price != 0 && price < TOKEN_PRICE {
            return Err(Failure::argument(
                "price is 0 or at least 2700000000000000000000 yoctonear, the storage of a token.",
            ));
        }
        check_copies(header, quantity)?;
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
}

/// Mints at a voucher's price to its receiver. Anybody may bring it; what is attached beyond the price returns to them.
pub fn voucher_mint() {
    let mut args = host::args();
    let voucher = Voucher::read(&mut args).or_fail();
    args.finish().or_fail();
    let mut books = Books::open();
    let drop = find(voucher.drop).or_fail();
    let mut header = store::header(drop.collection);
    let left = voucher.check(&books, &drop, &header).or_fail();
    let Terms {
        receiver,
        quantity,
        price,
        ..
    } = voucher.terms;
    if price == 0 {
        guard::no_deposit();
    } else {
        let bytes = u64::from(quantity) * header.shape(drop.collection).token();
        let purchase = Purchase {
            collection: drop.collection,
            account: &host::predecessor(),
            count: quantity,
            rules: &store::rules(drop.collection),
            fee: price,
            bytes,
        };
        charge(&mut books, &mut header, &purchase);
    }
    Gift {
        place: (voucher.drop, voucher.nonce),
        drop,
        header,
        left,
        account: receiver,
        stored: voucher.stored,
        count: quantity,
    }
    .give(books);
}

/// Whether a voucher would mint now, and why not.
pub fn voucher_eligibility() {
    let voucher = Voucher::read(&mut host::args()).or_fail();
    let root = store::root().0;
    let found = find(voucher.drop);
    let result = found.as_ref().map_err(Clone::clone).and_then(|drop| {
        let header = store::header(drop.collection);
        voucher.check(&root, drop, &header)
    });
    answer(
        result.err(),
        found.ok().map(|drop| drop.collection),
        Some((voucher.terms.quantity, voucher.terms.expires_at_ms)),
    );
}

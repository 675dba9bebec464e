//! Claiming a link's tokens, and the view that tells whether a claim would go through.

use super::manage::{self, find};
use super::proof::{self, Place};
use super::record::ClaimDrop;
use crate::base64;
use crate::books::Books;
use crate::codec::joined;
use crate::collection::header::Header;
use crate::error::{Code, Failure, Outcome};
use crate::events;
use crate::guard;
use crate::host::{self, OrFail};
use crate::json::Object;
use crate::prelude::*;
use crate::root::Root;
use crate::store;
use crate::token::grant::Grant;
use crate::token::mint::{check_copies, mint};
use core::ops::Range;

/// What a holder of a link brings.
struct Claim {
    drop: u32,
    link: u32,
    /// The link's public key, as text and as bytes, and the issuer's signature of it.
    certified: Option<(String, [u8; 32], [u8; 64])>,
    /// Who receives, in both forms, and the signature by the link's key.
    receiver: Option<(String, Vec<u8>, [u8; 64])>,
}

pub(super) fn signature(name: &str, text: &str) -> Outcome<[u8; 64]> {
    base64::decode(text)
        .ok_or_else(|| Failure::argument(joined(&[name, " has to be 64 bytes in base64."])))
}

impl Claim {
    /// Reads a claim. Where it is only asked about, key and receiver may be missing, each with its signature.
    fn read(args: &mut Object, asked: bool) -> Outcome<Self> {
        let (drop, link) = (args.required("drop_id")?, args.required("link")?);
        let text = |args: &mut Object, name| match asked {
            true => args.optional::<String>(name),
            false => args.required(name).map(Some),
        };
        let mut certified = None;
        if let Some(text) = text(args, "link_public_key")? {
            let key = proof::public_key("link_public_key", &text)?;
            let signed: String = args.required("certificate")?;
            certified = Some((text, key, signature("certificate", &signed)?));
        }
        let mut receiver = None;
        if let Some(id) = text(args, "receiver_id")? {
            let stored = guard::account("receiver_id", &id);
            let signed: String = args.required("signature")?;
            receiver = Some((id, stored, signature("signature", &signed)?));
        }
        Ok(Self {
            drop,
            link,
            certified,
            receiver,
        })
    }

    /// Whether what was brought is signed as it has to be.
    fn check_signatures(&self, root: &Root, drop: &ClaimDrop) -> Outcome<()> {
        let Some((text, key, certificate)) = &self.certified else {
            return Ok(());
        };
        let place = Place {
            network: &root.network,
            contract: &host::current_account(),
            drop: self.drop,
            link: self.link,
        };
        let message = place.certificate(text);
        if !host::ed25519_verify(certificate, message.as_bytes(), &drop.issuer) {
            return Err(Failure::new(
                Code::ClaimInvalid,
                "certificate: the drop's issuer did not sign this key for this link.",
            ));
        }
        let Some((id, _, signature)) = &self.receiver else {
            return Ok(());
        };
        let message = place.claim(id);
        if !host::ed25519_verify(signature, message.as_bytes(), key) {
            return Err(Failure::new(
                Code::ClaimInvalid,
                "signature: the link's key did not sign for this receiver.",
            ));
        }
        Ok(())
    }

    /// Whether the claim may go through now. Returns what is left of the drop's reserve then.
    fn check(&self, root: &Root, drop: &ClaimDrop, header: &Header) -> Outcome<u64> {
        drop.check("link", self.link, host::now_ms())?;
        check_copies(header, u32::from(drop.quantity))?;
        let left =
            drop.check_reserve(drop.quantity.into(), header.shape(drop.collection).token())?;
        self.check_signatures(root, drop)?;
        Ok(left)
    }
}

/// What a link or a voucher gives, once all that is signed was checked.
pub(super) struct Gift {
    /// The numbers of the drop and of the link or voucher.
    pub place: (u32, u32),
    pub drop: ClaimDrop,
    pub header: Header,
    /// What is left of the drop's reserve.
    pub left: u64,
    pub account: String,
    pub stored: Vec<u8>,
    pub count: u32,
}

impl Gift {
    /// Uses up the link or voucher, and mints. Returns the tokens' numbers.
    pub fn give(mut self, books: Books) -> Range<u32> {
        self.drop.claim(self.place.1, self.left);
        manage::put(self.place.0, &self.drop);
        let collection = self.drop.collection;
        let grant = Grant::drawn(self.account, self.stored, self.count);
        // Most who redeem a link hold nothing yet.
        let grants = core::slice::from_ref(&grant);
        let numbers = mint(collection, &mut self.header, grants, true);
        events::claim(self.place, &grant.account, collection, numbers.clone());
        books.settle();
        numbers
    }
}

/// Mints a link's tokens to the receiver that the link's key signed for. Anybody may call; the drop's reserve pays for
/// the storage. No sum of the root changes, which the books confirm: what the tokens are promised was the drop's before.
pub fn nft_claim() {
    let mut args = host::args();
    guard::no_deposit();
    let books = Books::open();
    let claim = Claim::read(&mut args, false).or_fail();
    let drop = find(claim.drop).or_fail();
    let header = store::header(drop.collection);
    let left = claim.check(&books, &drop, &header).or_fail();
    let Some((account, stored, _)) = claim.receiver else {
        host::corrupt()
    };
    let (collection, count) = (drop.collection, drop.quantity.into());
    let gift = Gift {
        place: (claim.drop, claim.link),
        drop,
        header,
        left,
        account,
        stored,
        count,
    };
    events::return_ids(collection, gift.give(books));
}

/// Whether a claim would go through now, and why not. Key and receiver may be left out, which asks for the link alone.
pub fn claim_eligibility() {
    let claim = Claim::read(&mut host::args(), true).or_fail();
    answer(claim.drop, None, |root, drop, header| {
        claim.check(root, drop, header).map(|_| ())
    });
}

/// Ends a view with whether a link or voucher of a drop is good, and with its collection, quantity and end as far as they are
/// known. `gift`: quantity and end where they are not the drop's.
pub(super) fn answer(
    number: u32,
    gift: Option<(u32, u64)>,
    check: impl Fn(&Root, &ClaimDrop, &Header) -> Outcome<()>,
) {
    let found = find(number);
    let drop = found.as_ref();
    let result = drop.map_err(Clone::clone).and_then(|drop| {
        let header = store::header(drop.collection);
        check(&store::root().0, drop, &header)
    });
    let drop = drop.ok();
    let gift = gift.or(drop.map(|drop| (drop.quantity.into(), drop.expires_at_ms)));
    let failure = result.as_ref().err();
    host::return_json(|json| {
        json.open('{').key("allowed").bool(failure.is_none());
        json.key("code")
            .optional_text(failure.map(|failure| failure.code.as_str()))
            .key("message")
            .optional_text(failure.map(|failure| failure.message.as_str()));
        for (name, number) in [
            ("collection_id", drop.map(|drop| drop.collection.into())),
            ("quantity", gift.map(|gift| gift.0.into())),
            ("expires_at_ms", gift.map(|gift| gift.1)),
        ] {
            json.key(name).optional_number(number);
        }
        json.close('}');
    });
}

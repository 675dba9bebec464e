//! Minting by the staff: drawn or chosen assets, to one account or many, one order or several that share a call.

use super::grant::{tokens, Grant};
use super::mint::{check_copies, mint, published_header};
use super::overrides::{self, Override};
use crate::collection::header::{Header, ASSETS_LOCKED};
use crate::collection::locks;
use crate::error::{Code, Failure, Outcome};
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Object;
use crate::prelude::*;
use crate::store::{self, key2, prefix};
use alloc::borrow::Cow;
use alloc::rc::Rc;
use core::ops::Range;

const TOKENS_PER_CALL: u32 = 100;

fn few(count: u32) -> Outcome<()> {
    if count > TOKENS_PER_CALL {
        return Err(Failure::new(
            Code::TooMany,
            "A call mints at most 100 tokens.",
        ));
    }
    Ok(())
}

/// Metadata that tokens get at their mint, as they are stored; `None` where they say nothing.
fn metadata(json: Option<Object>) -> Outcome<Option<Rc<Vec<u8>>>> {
    let Some(json) = json else { return Ok(None) };
    let mut shown = Override::default();
    overrides::apply(json, &mut shown)?;
    Ok((shown != Override::default()).then(|| Rc::new(shown.encode())))
}

/// Reads one order, as it stands alone in the arguments or as one of `mints`, behind the others.
fn order(args: &mut Object, grants: &mut Vec<Grant>) -> Outcome<()> {
    let receivers: Vec<Cow<str>> = args.required("receiver_ids")?;
    let quantities: Option<Vec<u32>> = args.optional("quantities")?;
    let quantities = quantities.unwrap_or_else(|| vec![1; receivers.len()]);
    if quantities.len() != receivers.len() || quantities.is_empty() || quantities.contains(&0) {
        return Err(Failure::argument(
            "receiver_ids and quantities: at least one receiver, and at least one token for each.",
        ));
    }
    let asset: Option<u32> = args.optional("asset_index")?;
    let overrides = metadata(args.optional("metadata")?)?;
    let sum = |sum: u32, &quantity| sum.saturating_add(quantity);
    few(quantities.iter().fold(0, sum))?;
    for (account, count) in receivers.into_iter().zip(quantities) {
        grants.push(Grant {
            stored: guard::account("receiver_ids", &account),
            account: account.into_owned(),
            count,
            asset,
            overrides: overrides.clone(),
        });
    }
    Ok(())
}

/// What the rest of the arguments order: `mints`, or a single order.
fn orders(mut args: Object) -> Outcome<Vec<Grant>> {
    let mut grants = Vec::new();
    match args.optional::<Vec<Object>>("mints")? {
        None => order(&mut args, &mut grants)?,
        Some(mints) => {
            for mut mint in mints {
                order(&mut mint, &mut grants)?;
                mint.finish()?;
                few(tokens(&grants))?;
            }
        }
    }
    args.finish()?;
    Ok(grants)
}

/// Bytes of a token's own metadata that a function-call key may bring.
const LANE_METADATA: usize = 4_096;

/// Refuses what only a full-access key may do, which attaches one yoctonear: a stolen key of the other kind mints no more
/// than the day's quota, and fills little storage.
fn check_lane(header: &mut Header, grants: &[Grant]) -> Outcome<()> {
    let own = grants.iter().filter_map(|grant| grant.overrides.as_ref());
    if own.into_iter().any(|bytes| bytes.len() > LANE_METADATA) {
        return Err(Failure::argument(
            "metadata: more than 4096 bytes for a token take one yoctoNEAR, from a full-access key.",
        ));
    }
    let now = host::now_ms();
    let left = header.staff_left(now);
    let Some(rest) = left.checked_sub(tokens(grants)) else {
        return Err(Failure::amount(
            Code::StaffQuota,
            "staff_mints_allow raises what the staff may mint of the collection today; left: ",
            u128::from(left),
        ));
    };
    header.set_staff_left(now, rest);
    Ok(())
}

/// Lets the staff mint more tokens of a collection until the day ends. Returns how many in all.
pub fn staff_mints_allow() {
    let mut args = host::args();
    let books = guard::signing_staff();
    let collection: u32 = args.required("collection_id").or_fail();
    let more: u32 = args.required("more").or_fail();
    args.finish().or_fail();
    let mut header = published_header(collection);
    let now = host::now_ms();
    let left = header.staff_left(now).saturating_add(more);
    header.set_staff_left(now, left);
    store::put_header(collection, &header);
    books.settle();
    host::return_number(left);
}

pub fn nft_batch_mint() {
    let mut args = host::args();
    let signed = host::attached_deposit() == 1;
    if !signed {
        guard::no_deposit();
    }
    let mut books = guard::staff();
    let collection: u32 = args.required("collection_id").or_fail();
    let grants = orders(args).or_fail();
    let count = tokens(&grants);
    if count == 0 {
        refuse(
            Code::InvalidArgument,
            "mints: at least one token is minted.",
        );
    }
    let mut header = published_header(collection);
    check_copies(&header, count).or_fail();
    let overridden = grants.iter().any(|grant| grant.overrides.is_some());
    if overridden {
        locks::check_metadata(header.flags, header.is(ASSETS_LOCKED)).or_fail();
    }
    if !signed {
        check_lane(&mut header, &grants).or_fail();
    }
    let shape = header.shape(collection);
    let cost = shape.token() * u64::from(count);
    header.credit = books
        .promise(&shape, (header.credit, cost), header.remaining(), 0)
        .or_fail();
    let numbers = mint(collection, &mut header, &grants, grants.len() > 1);
    if overridden {
        books.measure(|| put_overrides(collection, numbers.clone(), &grants));
    }
    books.settle();
    events::return_ids(collection, numbers);
}

/// Gives tokens their overrides, each its own record.
fn put_overrides(collection: u32, mut numbers: Range<u32>, grants: &[Grant]) {
    for grant in grants {
        let own = numbers.by_ref().take(grant.count as usize);
        match &grant.overrides {
            Some(bytes) => own.for_each(|number| {
                host::write(&key2(prefix::OVERRIDE, collection, number), bytes);
            }),
            None => own.for_each(drop),
        }
    }
}

//! Which part of a list a view is asked for.

use crate::error::Code;
use crate::host::{refuse, OrFail};
use crate::json::{FromJson, Json, Object};

/// What a null `limit` means.
const DEFAULT_LIMIT: u64 = 100;

/// A page has at most so many items, so that it stays within the 300 Tgas of a view: these don't tell a contract what gas
/// they have used, and an item takes up to 0.4 Tgas.
pub const MOST: u64 = 500;

/// Bytes of a page of up to 50 items, and for each item of a longer one: a byte takes up to 0.16 Ggas to read and to show, so
/// that a page of 50 stays within 30 Tgas, and any within 300.
const PAGE_BYTES: u64 = 90_000;
const ITEM_BYTES: u64 = 1_800;

/// A page of so many items ends with the one that reaches this length.
pub fn page_bytes(limit: u64) -> usize {
    PAGE_BYTES.max(limit * ITEM_BYTES) as usize
}

/// A position in an enumeration: NEP-181 sends a decimal string, the collection views a number; both are taken.
struct Index(u64);

impl<'a> FromJson<'a> for Index {
    const WHAT: &'static str = "a whole number or a string of decimal digits";
    fn from_json(json: Json<'a>) -> Option<Self> {
        let value = match json {
            Json::Number(_) => u128::from(u64::from_json(json)?),
            json => u128::from_json(json)?,
        };
        // More than any supply is past the end all the same.
        Some(Self(value.min(u128::from(u64::MAX)) as u64))
    }
}

/// Where a page of a list begins and how many it may have.
pub fn window(args: &mut Object) -> (u64, u64) {
    let from = args
        .optional::<Index>("from_index")
        .or_fail()
        .map_or(0, |index| index.0);
    let limit = args.optional("limit").or_fail().unwrap_or(DEFAULT_LIMIT);
    if limit == 0 {
        refuse(Code::InvalidArgument, "limit is at least 1.");
    }
    (from, limit.min(MOST))
}

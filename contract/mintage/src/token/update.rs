//! Changing what tokens show.

use super::id;
use super::overrides::{self, Override};
use crate::collection::header::{Header, ASSETS_LOCKED};
use crate::collection::locks::{self, LockedAssets};
use crate::collection::token_page::{Page, PAGE_TOKENS};
use crate::error::{Code, Outcome};
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Object;
use crate::prelude::*;
use crate::store::{self, key2, prefix};

/// Tokens that one call changes: as many as its event can name.
const TOKENS_PER_CALL: u32 = events::IDS_ALONE;

/// A page of tokens that was read.
struct Seen {
    index: u32,
    page: Page,
    /// Whether its marks have to be written.
    changed: bool,
}

/// Tokens of a collection while a call changes what they show: each page is read once, and written once if it changed.
struct Tokens {
    collection: u32,
    header: Header,
    locked: LockedAssets,
    pages: Vec<Seen>,
}

impl Tokens {
    fn of(collection: u32, header: Header) -> Self {
        Self {
            collection,
            locked: store::locked_assets(collection, &header),
            header,
            pages: Vec::new(),
        }
    }

    /// Whether the metadata of a token's asset are locked, or of one that it may have: which one a token of this block drew
    /// is not told.
    fn is_asset_locked(&self, number: u32, page: &Page, at: usize) -> bool {
        if self.header.is_minted_in(number, host::block_height()) {
            return self.header.is(ASSETS_LOCKED);
        }
        let slot = page.slot(at);
        slot.is_some_and(|slot| self.locked.contains(slot.asset))
    }

    /// Takes the page of a token out of those that were read, or reads it. `None` if there is no such token.
    fn take(&mut self, number: u32) -> Option<(Seen, usize)> {
        let index = number.checked_sub(1)? / PAGE_TOKENS;
        if number > self.header.minted {
            return None;
        }
        let known = self.pages.iter().rposition(|seen| seen.index == index);
        if let Some(known) = known {
            let at = ((number - 1) % PAGE_TOKENS) as usize;
            return Some((self.pages.swap_remove(known), at));
        }
        let (page, index, at) = store::token_page(&self.header, self.collection, number)?;
        let changed = false;
        let seen = Seen {
            index,
            page,
            changed,
        };
        Some((seen, at))
    }

    /// Applies a change in JSON to a token, whose number it returns. One that is refused changes nothing.
    fn change(&mut self, number: u32, json: Object) -> Outcome<u32> {
        let (mut seen, at) = self.take(number).ok_or_else(store::no_token)?;
        let result = self.change_on((&mut seen, at), number, json);
        self.pages.push(seen);
        result.map(|()| number)
    }

    fn change_on(&self, (seen, at): (&mut Seen, usize), number: u32, json: Object) -> Outcome<()> {
        seen.page.owner(at).ok_or_else(store::no_token)?;
        let key = key2(prefix::OVERRIDE, self.collection, number);
        let mark = 1 << at;
        let had = seen.page.overridden & mark != 0;
        let mut shown = match had {
            true => store::overrides(self.collection, number),
            false => Override::default(),
        };
        let locked = shown.locked || self.is_asset_locked(number, &seen.page, at);
        locks::check_metadata(self.header.flags, locked)?;
        overrides::apply(json, &mut shown)?;
        shown.updated_at = 0;
        let has = shown != Override::default();
        if has {
            shown.updated_at = host::now_s();
            host::write(&key, &shown.encode());
        } else if had {
            host::remove(&key);
        }
        if has != had {
            seen.page.overridden ^= mark;
            seen.changed = true;
        }
        Ok(())
    }

    /// Writes the pages that changed.
    fn put(mut self) {
        for seen in self.pages {
            if seen.changed {
                store::put_token_page(&mut self.header, self.collection, seen.index, seen.page);
            }
        }
    }
}

pub fn nft_update() {
    let mut args = host::args();
    let mut books = guard::signing_staff();
    let token_id: String = args.required("token_id").or_fail();
    let named = id::parse(&token_id).and_then(|(collection, number)| {
        Some((collection, number, store::find_header(collection)?))
    });
    let (collection, number, header) = named.ok_or_else(store::no_token).or_fail();
    let mut tokens = Tokens::of(collection, header);
    books.measure(|| tokens.change(number, args)).or_fail();
    tokens.put();
    events::metadata_update(collection, core::iter::once(number));
    books.settle();
}

/// Changes many tokens of a collection. Each has a result, in the order of the updates: `null`, or the text that `nft_update`
/// would fail with. One that is refused keeps no other from being changed.
pub fn nft_update_batch() {
    let mut args = host::args();
    let mut books = guard::signing_staff();
    let collection: u32 = args.required("collection_id").or_fail();
    let updates: Vec<Object> = args.required("updates").or_fail();
    args.finish().or_fail();
    if updates.is_empty() || updates.len() > TOKENS_PER_CALL as usize {
        refuse(Code::TooMany, "updates: 1 to 600 in a call.");
    }
    let mut tokens = Tokens::of(collection, store::header(collection));
    let mut change = |mut update: Object| -> Outcome<u32> {
        let token_id: String = update.required("token_id")?;
        let own = id::parse(&token_id).filter(|id| id.0 == collection);
        let (_, number) = own.ok_or_else(store::no_token)?;
        tokens.change(number, update)
    };
    let results: Vec<Outcome<u32>> =
        books.measure(|| updates.into_iter().map(&mut change).collect());
    tokens.put();
    let mut changed = results.iter().flatten().copied().peekable();
    if changed.peek().is_some() {
        events::metadata_update(collection, changed);
    }
    books.settle();
    host::return_json(|json| {
        json.open('[');
        for result in &results {
            let refusal = result.as_ref().err().map(|failure| failure.text());
            json.optional_text(refusal.as_deref());
        }
        json.close(']');
    });
}

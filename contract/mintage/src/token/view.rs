//! A token as the standards show it, put together from its page, its asset, its overrides and its collection.

use super::approval::Approval;
use super::id;
use super::overrides::{File, Override};
use crate::accounts;
use crate::collection::asset_pages::AssetPages;
use crate::collection::commitment::{given, Reveal};
use crate::collection::header::{Header, HIDDEN, METADATA_LOCKED};
use crate::collection::locks::{self, LockedAssets};
use crate::collection::settings::Details;
use crate::collection::token_page::{Page, PAGE_TOKENS};
use crate::files::{self, Shown};
use crate::host;
use crate::json::Writer;
use crate::prelude::*;
use crate::store;
use crate::title;

/// Reads tokens one after the other, keeping the records that others share with them.
#[derive(Default)]
pub struct TokenReader {
    collections: Vec<Known>,
    page: Option<((u32, u32), Page)>,
    assets: AssetPages,
}

/// What a collection's tokens share.
struct Known {
    collection: u32,
    header: Header,
    details: Details,
    locked: LockedAssets,
    /// Only while assets are hidden.
    reveal: Option<Reveal>,
}

/// A token as it is shown.
pub struct Token {
    token_id: String,
    owner_id: String,
    title: String,
    description: Option<String>,
    media: Shown,
    copies: u64,
    /// Unix milliseconds.
    issued_at: u64,
    updated_at: Option<u64>,
    extra: Option<String>,
    reference: Shown,
    approvals: Vec<Approval>,
    /// Flags of the locks that bind it.
    locks: u16,
}

/// Writes a token with the fields, names and order of the standards: NEP-171, NEP-177, NEP-178.
pub fn write_token(json: &mut Writer, token: &Token) {
    json.open('{')
        .key("token_id")
        .text(&token.token_id)
        .key("owner_id")
        .text(&token.owner_id);
    json.key("metadata").open('{');
    json.key("title").text(&token.title);
    json.key("description")
        .optional_text(token.description.as_deref());
    files::write(json, ["media", "media_hash"], &token.media);
    json.key("copies").number(token.copies);
    let time = |json: &mut Writer, time: u64| {
        json.amount(u128::from(time));
    };
    time(json.key("issued_at"), token.issued_at);
    json.raw("\"expires_at\":null,\"starts_at\":null");
    match token.updated_at {
        Some(updated_at) => time(json.key("updated_at"), updated_at),
        None => {
            json.key("updated_at").raw("null");
        }
    }
    json.key("extra").optional_text(token.extra.as_deref());
    files::write(json, ["reference", "reference_hash"], &token.reference);
    json.close('}').key("approved_account_ids").open('{');
    for approval in &token.approvals {
        json.key(&accounts::decode(&approval.account))
            .number(approval.id);
    }
    json.close('}');
    locks::write(json.key("locks"), token.locks);
    json.close('}');
}

pub fn write_optional_token(json: &mut Writer, token: Option<&Token>) {
    match token {
        Some(token) => write_token(json, token),
        None => {
            json.raw("null");
        }
    }
}

impl TokenReader {
    pub fn token(&mut self, id: &str) -> Option<Token> {
        let (collection, number) = id::parse(id)?;
        self.numbered(collection, number)
    }

    /// The place of a collection among those that were read.
    fn collection(&mut self, collection: u32) -> Option<usize> {
        let mut known = self.collections.iter();
        let known = known.rposition(|it| it.collection == collection);
        known.or_else(|| {
            let header = store::find_header(collection)?;
            let hides = header.is(HIDDEN);
            self.collections.push(Known {
                collection,
                details: store::details(collection),
                locked: store::locked_assets(collection, &header),
                reveal: store::reveal(collection, &header).filter(|_| hides),
                header,
            });
            Some(self.collections.len() - 1)
        })
    }

    pub fn numbered(&mut self, collection: u32, number: u32) -> Option<Token> {
        let at = self.collection(collection)?;
        let known = &self.collections[at];
        let (header, details) = (&known.header, &known.details);
        if number == 0 || number > header.minted {
            return None;
        }
        let key = (collection, (number - 1) / PAGE_TOKENS);
        if self.page.as_ref().is_none_or(|kept| kept.0 != key) {
            self.page = Some((key, store::token_page(header, collection, number)?.0));
        }
        let page = &self.page.as_ref()?.1;
        let at = ((number - 1) % PAGE_TOKENS) as usize;
        let slot = page.slot(at)?;
        let owner_id = accounts::decode(page.owner(at)?);
        let shown: Override = if page.overridden >> at & 1 == 1 {
            store::overrides(collection, number)
        } else {
            Override::default()
        };
        let approvals = if page.approved >> at & 1 == 1 {
            store::approvals(collection, number)
        } else {
            Vec::new()
        };
        let mut updated_at = shown.updated_at;
        let mut description = shown.description;
        // A locked token has its own copy of what the collection said.
        if !shown.locked {
            updated_at = updated_at.max(details.updated_at);
            description = description.or_else(|| details.description.clone());
        }
        let milliseconds = |seconds: u32| u64::from(seconds) * 1000;
        let (mut media, mut reference, mut subtitle) = (None, None, None);
        let mut locked = shown.locked;
        let new = header.is_minted_in(number, host::block_height());
        let reveal = known.reveal.as_ref();
        // While nothing is revealed all assets look the same, also to a token of this block.
        if let Some(reveal) = reveal.filter(|it| it.shown == 0 || (!new && slot.asset >= it.shown))
        {
            let placeholder = |digest| given(digest).map(<[u8]>::to_vec);
            media = file(shown.media.as_ref(), || placeholder(&reveal.media));
            reference = file(shown.reference.as_ref(), || placeholder(&reveal.reference));
            subtitle = shown.subtitle;
        } else if !new {
            let place = (collection, slot.asset);
            let assets = &mut self.assets;
            media = file(shown.media.as_ref(), || assets.media(place));
            reference = file(shown.reference.as_ref(), || assets.reference(place));
            subtitle = shown.subtitle.or_else(|| assets.info(place).1);
        }
        // A draw is not shown in its own block, so that no call beside it can look and fail.
        if !new {
            locked |= known.locked.contains(slot.asset);
        }
        let title = shown.title.as_deref().unwrap_or(&details.title);
        let mut token_id = String::with_capacity(16);
        id::put(&mut token_id, collection, number);
        Some(Token {
            token_id,
            owner_id,
            title: title::shown(title, subtitle.as_deref(), number, header.total),
            description,
            media,
            copies: u64::from(shown.copies.unwrap_or(header.total)),
            issued_at: milliseconds(slot.minted_at),
            updated_at: (updated_at > slot.minted_at).then(|| milliseconds(updated_at)),
            extra: shown.extra,
            reference,
            approvals,
            locks: header.flags | if locked { METADATA_LOCKED } else { 0 },
        })
    }
}

/// CID and hash of a file: the token's own, or else its asset's.
fn file(own: Option<&File>, asset: impl FnOnce() -> Option<Vec<u8>>) -> Shown {
    match own {
        Some(own) => Some(files::shown(&own.sha256, own.root.as_ref())),
        None => asset().map(|digest| files::single(&digest)),
    }
}

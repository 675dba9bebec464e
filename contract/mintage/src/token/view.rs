//! A token as the standards show it, put together from its page, its asset, its overrides and its collection.

use super::id;
use super::overrides::{File, Override};
use super::page::{Page, PAGE_TOKENS};
use crate::accounts;
use crate::base64;
use crate::cid;
use crate::collection::asset_pages::{self, AssetPages};
use crate::collection::header::Header;
use crate::collection::settings::Details;
use crate::host;
use crate::json::Writer;
use crate::store;
use crate::title;
use near_contract_standards::non_fungible_token::metadata::TokenMetadata;
use near_contract_standards::non_fungible_token::Token;
use near_sdk::json_types::Base64VecU8;
use near_sdk::AccountId;

/// Reads tokens one after the other, keeping the records that others share with them.
#[derive(Default)]
pub struct TokenReader {
    collections: Vec<(u32, Header, Details)>,
    page: Option<((u32, u32), Page)>,
    assets: AssetPages,
}

/// Where a file's identifiers come from.
pub enum FileRef<'a> {
    /// An asset's file, at most one block.
    Asset(&'a [u8]),
    /// A file set for one token.
    Own(&'a File),
}

impl FileRef<'_> {
    fn sha256(&self) -> &[u8] {
        match self {
            FileRef::Asset(digest) => digest,
            FileRef::Own(file) => &file.sha256,
        }
    }

    fn cid(&self) -> String {
        match self {
            FileRef::Own(File {
                root: Some(root), ..
            }) => cid::dag_pb(root),
            _ => cid::raw(self.sha256()),
        }
    }
}

/// Writes a file's CID and hash under two names, or null twice.
pub fn write_file(json: &mut Writer, names: [&str; 2], file: Option<FileRef>) {
    let cid = file.as_ref().map(FileRef::cid);
    let hash = file.as_ref().map(|file| base64::encode(file.sha256()));
    json.key(names[0])
        .optional_text(cid.as_deref())
        .key(names[1])
        .optional_text(hash.as_deref());
}

fn write_hash(json: &mut Writer, name: &str, hash: &Option<Base64VecU8>) {
    let hash = hash.as_ref().map(|hash| base64::encode(&hash.0));
    json.key(name).optional_text(hash.as_deref());
}

/// Writes a token with the fields, names and order of the standards' own types.
pub fn write_token(json: &mut Writer, token: &Token) {
    json.open('{')
        .key("token_id")
        .text(&token.token_id)
        .key("owner_id")
        .text(token.owner_id.as_str());
    if let Some(metadata) = &token.metadata {
        json.key("metadata").open('{');
        json.key("title").optional_text(metadata.title.as_deref());
        json.key("description")
            .optional_text(metadata.description.as_deref());
        json.key("media").optional_text(metadata.media.as_deref());
        write_hash(json, "media_hash", &metadata.media_hash);
        json.key("copies").optional_number(metadata.copies);
        json.key("issued_at")
            .optional_text(metadata.issued_at.as_deref());
        json.raw("\"expires_at\":null,\"starts_at\":null");
        json.key("updated_at")
            .optional_text(metadata.updated_at.as_deref());
        json.key("extra").optional_text(metadata.extra.as_deref());
        json.key("reference")
            .optional_text(metadata.reference.as_deref());
        write_hash(json, "reference_hash", &metadata.reference_hash);
        json.close('}');
    }
    json.key("approved_account_ids").open('{');
    for (account, id) in token.approved_account_ids.iter().flatten() {
        json.key(account.as_str()).number(*id);
    }
    json.close('}').close('}');
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
        let known = self.collections.iter().rposition(|it| it.0 == collection);
        known.or_else(|| {
            let header = store::find_header(collection)?;
            self.collections
                .push((collection, header, store::details(collection)));
            Some(self.collections.len() - 1)
        })
    }

    pub fn numbered(&mut self, collection: u32, number: u32) -> Option<Token> {
        let at = self.collection(collection)?;
        let (_, header, details) = &self.collections[at];
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
        let owner_id = account(page.owner(at)?);
        let shown: Override = if page.overridden >> at & 1 == 1 {
            store::overrides(collection, number)
        } else {
            Override::default()
        };
        let approved = if page.approved >> at & 1 == 1 {
            store::approvals(collection, number)
        } else {
            Vec::new()
        };
        let updated_at = shown.updated_at.max(details.updated_at);
        let milliseconds = |seconds: u32| (u64::from(seconds) * 1000).to_string();
        let mut metadata = TokenMetadata {
            description: shown.description.or_else(|| details.description.clone()),
            copies: Some(u64::from(shown.copies.unwrap_or(header.total))),
            issued_at: Some(milliseconds(slot.minted_at)),
            updated_at: (updated_at > slot.minted_at).then(|| milliseconds(updated_at)),
            extra: shown.extra,
            ..TokenMetadata::default()
        };
        let mut subtitle = shown.subtitle;
        // A draw is not shown in its own block, so that no call beside it can look and fail.
        if header.is_hidden(number, host::block_height()) {
            subtitle = None;
        } else {
            let place = asset_pages::Place::of(collection, header, slot.asset);
            let assets = &mut self.assets;
            let media = file(shown.media.as_ref(), || assets.media(place));
            (metadata.media, metadata.media_hash) = media;
            let reference = file(shown.reference.as_ref(), || assets.reference(place));
            (metadata.reference, metadata.reference_hash) = reference;
            subtitle = subtitle.or_else(|| assets.info(place).1);
        }
        let own = shown.title.as_deref().unwrap_or(&details.title);
        metadata.title = Some(title::shown(own, subtitle.as_deref(), number, header.total));
        let mut token_id = String::with_capacity(16);
        id::put(&mut token_id, collection, number);
        let approved = approved
            .into_iter()
            .map(|approval| (account(&approval.account), approval.id));
        Some(Token {
            token_id,
            owner_id,
            metadata: Some(metadata),
            approved_account_ids: Some(approved.collect()),
        })
    }
}

/// CID and hash of a file: the token's own, or else its asset's.
fn file(
    own: Option<&File>,
    asset: impl FnOnce() -> Option<Vec<u8>>,
) -> (Option<String>, Option<Base64VecU8>) {
    let shown = |file: FileRef| (file.cid(), Base64VecU8(file.sha256().to_vec()));
    match own {
        Some(own) => Some(shown(FileRef::Own(own))),
        None => asset().map(|digest| shown(FileRef::Asset(&digest))),
    }
    .unzip()
}

fn account(stored: &[u8]) -> AccountId {
    accounts::decode(stored)
        .parse()
        .unwrap_or_else(|_| host::corrupt())
}

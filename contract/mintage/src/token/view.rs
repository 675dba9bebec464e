//! A token as the standards show it, put together from its page, its asset, its overrides and its collection.

use super::id;
use super::overrides::{File, Override};
use super::page::Page;
use crate::accounts;
use crate::base64;
use crate::cid;
use crate::collection::assets::{PageInfo, ASSET_PAGE, HASH};
use crate::collection::header::Header;
use crate::collection::settings::Details;
use crate::host;
use crate::json::Writer;
use crate::store::{self, key2, prefix};
use crate::title;
use near_contract_standards::non_fungible_token::metadata::TokenMetadata;
use near_contract_standards::non_fungible_token::Token;
use near_sdk::json_types::Base64VecU8;
use near_sdk::AccountId;

/// A record kept for the next token that needs it.
type Kept<K, T> = Option<(K, T)>;

/// Reads tokens one after the other, keeping the records that neighbours share.
#[derive(Default)]
pub struct TokenReader {
    collection: Kept<u32, (Header, Details)>,
    page: Kept<(u32, u32), Page>,
    media: Kept<(u32, u32), Vec<u8>>,
    references: Kept<(u32, u32), Vec<u8>>,
    info: Kept<(u32, u32), Vec<u8>>,
}

fn keep<K: PartialEq, T>(
    slot: &mut Kept<K, T>,
    key: K,
    load: impl FnOnce() -> Option<T>,
) -> Option<&T> {
    if slot.as_ref().is_none_or(|kept| kept.0 != key) {
        *slot = Some((key, load()?));
    }
    slot.as_ref().map(|kept| &kept.1)
}

/// The 32 bytes at `at` of a page of digests; all zero stands for none.
pub fn digest(page: &[u8], at: u32) -> Option<&[u8]> {
    let from = at as usize * HASH;
    page.get(from..from + HASH)
        .filter(|digest| digest.iter().any(|&byte| byte != 0))
}

/// A page of digests or of copies and subtitles; absent pages are empty.
pub fn asset_record(prefix: u8, collection: u32, page: u32) -> Vec<u8> {
    host::read(&key2(prefix, collection, page)).unwrap_or_default()
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
        json.raw("\"expires_at\":null,\"starts_at\":null,\"updated_at\":null");
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

    pub fn numbered(&mut self, collection: u32, number: u32) -> Option<Token> {
        let (header, details) = keep(&mut self.collection, collection, || {
            Some((store::find_header(collection)?, store::details(collection)))
        })?;
        if number == 0 || number > header.minted {
            return None;
        }
        let index = (number - 1) / super::page::PAGE_TOKENS;
        let page = keep(&mut self.page, (collection, index), || {
            store::token_page(header, collection, number).map(|it| it.0)
        })?;
        let at = ((number - 1) % super::page::PAGE_TOKENS) as usize;
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

        let mut metadata = TokenMetadata {
            description: shown.description.or_else(|| details.description.clone()),
            copies: Some(u64::from(shown.copies.unwrap_or(header.total))),
            issued_at: Some((u64::from(slot.minted_at) * 1000).to_string()),
            extra: shown.extra,
            ..TokenMetadata::default()
        };
        let mut subtitle = shown.subtitle;
        // A draw is not shown in its own block, so that no call beside it can look and fail.
        if !header.is_hidden(number, host::block_height()) {
            let (page, at) = (slot.asset / ASSET_PAGE, slot.asset % ASSET_PAGE);
            let shown_file = |own: Option<&File>, digest: Option<&[u8]>| {
                let file = own.map(FileRef::Own).or(digest.map(FileRef::Asset));
                file.map(|file| (file.cid(), Base64VecU8(file.sha256().to_vec())))
                    .unzip()
            };
            let key = (collection, page);
            let media = keep(&mut self.media, key, || {
                Some(asset_record(prefix::MEDIA, collection, page))
            })?;
            (metadata.media, metadata.media_hash) =
                shown_file(shown.media.as_ref(), digest(media, at));
            let references = keep(&mut self.references, key, || {
                Some(asset_record(prefix::REFERENCES, collection, page))
            })?;
            (metadata.reference, metadata.reference_hash) =
                shown_file(shown.reference.as_ref(), digest(references, at));
            if subtitle.is_none() {
                let info = keep(&mut self.info, key, || {
                    Some(asset_record(prefix::ASSET_INFO, collection, page))
                })?;
                subtitle = PageInfo::decode(info)?.subtitle(at).map(str::to_owned);
            }
        } else {
            subtitle = None;
        }
        let own = shown.title.as_deref().unwrap_or(&details.title);
        metadata.title = Some(title::shown(own, subtitle.as_deref(), number, header.total));
        let mut token_id = String::with_capacity(16);
        id::put(&mut token_id, collection, number);
        Some(Token {
            token_id,
            owner_id,
            metadata: Some(metadata),
            approved_account_ids: Some(
                approved
                    .into_iter()
                    .map(|approval| (account(&approval.account), approval.id))
                    .collect(),
            ),
        })
    }

    /// The header of a collection, kept for its tokens.
    pub fn minted(&mut self, collection: u32) -> Option<u32> {
        keep(&mut self.collection, collection, || {
            Some((store::find_header(collection)?, store::details(collection)))
        })
        .map(|kept| kept.0.minted)
    }
}

fn account(stored: &[u8]) -> AccountId {
    accounts::decode(stored)
        .parse()
        .unwrap_or_else(|_| host::corrupt())
}

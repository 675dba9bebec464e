//! What the API sets for a single token instead of what its asset and collection say.

use crate::base64;
use crate::codec::{joined, put_option, put_text, put_varint, read_option, Reader};
use crate::collection::settings::{check_length, DESCRIPTION_LIMIT, TITLE_LIMIT};
use crate::error::{Failure, Outcome};
use crate::json::Object;
use crate::prelude::*;

/// A file: its SHA-256 and, when it is more than one block, the digest of its dag-pb root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub sha256: [u8; 32],
    pub root: Option<[u8; 32]>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    pub media: Option<File>,
    pub reference: Option<File>,
    pub extra: Option<String>,
    pub copies: Option<u32>,
    pub title: Option<String>,
    pub subtitle: Option<String>,
    pub description: Option<String>,
    /// When it was changed last, Unix seconds; 0: not since the mint.
    pub updated_at: u32,
    /// It stays as it is, and what it says is all that the token shows beside its asset.
    pub locked: bool,
}

/// The bit of the flags behind an override that says it is locked.
const LOCKED: u8 = 1;

fn digest(json: &mut Object, name: &str, part: &str) -> Outcome<Option<[u8; 32]>> {
    let Some(text) = json.optional::<String>(part)? else {
        return Ok(None);
    };
    match base64::decode(&text) {
        Some(digest) => Ok(Some(digest)),
        None => Err(Failure::argument(joined(&[
            name,
            ".",
            part,
            " has to be 32 bytes in base64.",
        ]))),
    }
}

fn file(name: &str, json: Option<Object>) -> Outcome<Option<File>> {
    let Some(mut json) = json else {
        return Ok(None);
    };
    let sha256 = digest(&mut json, name, "sha256")?;
    let root = digest(&mut json, name, "root")?;
    json.finish()?;
    let sha256 = sha256.ok_or_else(|| Failure::argument(joined(&[name, ".sha256 is missing."])))?;
    Ok(Some(File { sha256, root }))
}

/// Applies overrides in JSON: an absent field stays, `null` goes back to what the collection and the asset say.
pub fn apply(mut json: Object, to: &mut Override) -> Outcome<()> {
    for (name, slot) in [("media", &mut to.media), ("reference", &mut to.reference)] {
        if let Some(value) = json.field(name)? {
            *slot = file(name, value)?;
        }
    }
    if let Some(copies) = json.field("copies")? {
        to.copies = copies;
    }
    for (name, slot, limit) in [
        ("extra", &mut to.extra, EXTRA_LIMIT),
        ("title", &mut to.title, TITLE_LIMIT),
        ("subtitle", &mut to.subtitle, TITLE_LIMIT),
        ("description", &mut to.description, DESCRIPTION_LIMIT),
    ] {
        if let Some(value) = json.field::<String>(name)? {
            check_length(name, value.as_deref().unwrap_or_default(), limit)?;
            *slot = value;
        }
    }
    json.finish()
}

fn put_file(out: &mut Vec<u8>, file: &File) {
    out.extend_from_slice(&file.sha256);
    put_option(out, file.root, |out, root| out.extend_from_slice(&root));
}

fn read_digest(reader: &mut Reader) -> Option<[u8; 32]> {
    reader.take(32)?.try_into().ok()
}

fn read_file(reader: &mut Reader) -> Option<File> {
    Some(File {
        sha256: read_digest(reader)?,
        root: read_option(reader, read_digest)?,
    })
}

impl Override {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        put_option(&mut out, self.media.as_ref(), put_file);
        put_option(&mut out, self.reference.as_ref(), put_file);
        put_option(&mut out, self.copies, put_varint);
        for text in [&self.extra, &self.title, &self.subtitle, &self.description] {
            put_option(&mut out, text.as_deref(), put_text);
        }
        if self.updated_at > 0 || self.locked {
            out.push(if self.locked { LOCKED } else { 0 });
            out.extend_from_slice(&self.updated_at.to_le_bytes());
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let reader = &mut Reader::new(bytes);
        let text =
            |reader: &mut Reader| read_option(reader, |reader| reader.text().map(str::to_owned));
        let mut shown = Self {
            media: read_option(reader, read_file)?,
            reference: read_option(reader, read_file)?,
            copies: read_option(reader, Reader::varint)?,
            extra: text(reader)?,
            title: text(reader)?,
            subtitle: text(reader)?,
            description: text(reader)?,
            updated_at: 0,
            locked: false,
        };
        if let Some(flags) = reader.u8() {
            shown.locked = flags & LOCKED != 0;
            shown.updated_at = reader.u32()?;
        }
        Some(shown)
    }
}

/// The longest `extra`, in code points: a page of 100 tokens stays within the gas of a view.
pub const EXTRA_LIMIT: usize = 16_384;

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(to: &mut Override, json: &str) -> Outcome<()> {
        super::apply(Object::parse(json.as_bytes())?, to)?;
        assert_eq!(Override::decode(&to.encode()).as_ref(), Some(&*to));
        Ok(())
    }

    #[test]
    fn absent_stays_and_null_clears() {
        let mut value = Override::default();
        let hash = "A".repeat(43) + "=";
        apply(
            &mut value,
            &format!(r#"{{"media":{{"sha256":"{hash}"}},"extra":"{{}}","copies":3}}"#),
        )
        .unwrap();
        assert_eq!(
            value.media,
            Some(File {
                sha256: [0; 32],
                root: None
            })
        );
        value.updated_at = 7;
        apply(&mut value, r#"{"copies":null,"title":"T"}"#).unwrap();
        value.updated_at = 0;
        assert_eq!(
            (value.copies, value.title.as_deref(), value.extra.as_deref()),
            (None, Some("T"), Some("{}"))
        );
        apply(&mut value, r#"{"media":null,"title":null,"extra":null}"#).unwrap();
        assert_eq!(value, Override::default());
    }

    #[test]
    fn a_digest_has_32_bytes() {
        let failure =
            apply(&mut Override::default(), r#"{"media":{"sha256":"AAAA"}}"#).unwrap_err();
        assert_eq!(
            failure.text(),
            "E_INVALID_ARGUMENT: media.sha256 has to be 32 bytes in base64."
        );
    }
}

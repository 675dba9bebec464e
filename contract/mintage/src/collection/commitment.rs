//! A collection that hides its assets: it is made with the numbers of copies alone and commits to the assets, which are
//! brought later, in the order in which they were committed to, in one call or in several.
//!
//! A commitment is `sha256(sha256(assets) || next)`: the digest of the first batch of assets as it will be brought, and
//! 32 bytes. Behind the last batch those are the salt; before it they are the commitment to the batches that follow.

use super::header::Header;
use crate::base64;
use crate::codec::{joined, Reader};
use crate::error::{Code, Failure, Outcome};
use crate::json::Object;
use crate::prelude::*;

/// 32 zero bytes stand for none.
pub type Digest = [u8; 32];

/// What is known of the assets of a collection that hid them or does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reveal {
    /// What the collection was made with.
    pub commitment: Digest,
    /// What the next batch has to fit; the salt once all assets are shown.
    pub next: Digest,
    /// What a token shows until its asset is revealed: SHA-256 of a file of one block, and of a reference.
    pub media: Digest,
    pub reference: Digest,
    /// The assets before this number are shown.
    pub shown: u32,
}

impl Reveal {
    /// `reveal` of a new collection's settings.
    pub fn read(mut json: Object) -> Outcome<Self> {
        let mut digest = |name: &str| match json.optional::<String>(name)? {
            None => Ok(None),
            Some(text) => base64::decode(&text).map(Some).ok_or_else(|| {
                Failure::argument(joined(&["reveal.", name, " has to be 32 bytes in base64."]))
            }),
        };
        let commitment = digest("commitment")?;
        let (media, reference) = (digest("media")?, digest("reference")?);
        json.finish()?;
        let commitment =
            commitment.ok_or_else(|| Failure::argument("reveal.commitment is missing."))?;
        Ok(Self {
            commitment,
            next: commitment,
            media: media.unwrap_or_default(),
            reference: reference.unwrap_or_default(),
            shown: 0,
        })
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let mut digest = || reader.take(32)?.try_into().ok();
        let (commitment, next, media, reference) = (digest()?, digest()?, digest()?, digest()?);
        Some(Self {
            commitment,
            next,
            media,
            reference,
            shown: reader.u32()?,
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(132);
        for digest in [&self.commitment, &self.next, &self.media, &self.reference] {
            out.extend_from_slice(digest);
        }
        out.extend_from_slice(&self.shown.to_le_bytes());
        out
    }

    /// Notes that `count` more of the `assets` of a collection are shown; `fits` is the commitment that they fit, and
    /// `following` the 32 bytes that came with them. Returns whether all are shown now.
    pub fn advance(
        &mut self,
        (count, assets): (u32, u32),
        fits: &[u8],
        following: Digest,
    ) -> Outcome<bool> {
        if count == 0 || count > assets - self.shown {
            return Err(Failure::argument(
                "assets: at least one, and not more than are hidden.",
            ));
        }
        if fits != self.next {
            return Err(Failure::argument(
                "assets: these and next are not what the collection was committed to.",
            ));
        }
        self.next = following;
        self.shown += count;
        Ok(self.shown == assets)
    }
}

/// Refuses to reveal what is not hidden.
pub fn check_hidden(header: &Header) -> Outcome<()> {
    if header.is(super::header::HIDDEN) {
        return Ok(());
    }
    Err(Failure::new(
        Code::AlreadyRevealed,
        "The collection hides no assets.",
    ))
}

/// A digest that stands for something.
pub fn given(digest: &Digest) -> Option<&[u8]> {
    digest.iter().any(|&byte| byte != 0).then_some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_shown_in_the_order_they_were_committed_to() {
        let mut reveal = Reveal {
            commitment: [1; 32],
            next: [1; 32],
            media: [9; 32],
            ..Reveal::default()
        };
        assert!(reveal.advance((3, 5), &[2; 32], [2; 32]).is_err());
        assert!(reveal.advance((0, 5), &[1; 32], [2; 32]).is_err());
        assert!(reveal.advance((6, 5), &[1; 32], [2; 32]).is_err());
        assert_eq!(reveal.advance((3, 5), &[1; 32], [2; 32]), Ok(false));
        assert!(reveal.advance((2, 5), &[1; 32], [3; 32]).is_err());
        assert!(reveal.advance((3, 5), &[2; 32], [3; 32]).is_err());
        assert_eq!(Reveal::decode(&reveal.encode()), Some(reveal.clone()));
        assert_eq!(reveal.advance((2, 5), &[2; 32], [3; 32]), Ok(true));
        assert_eq!((reveal.next, reveal.commitment), ([3; 32], [1; 32]));
        assert_eq!(given(&reveal.reference), None);
        assert_eq!(given(&reveal.media), Some(&[9; 32][..]));
    }

    #[test]
    fn a_commitment_has_32_bytes() {
        let read = |json: &str| Reveal::read(Object::parse(json.as_bytes()).unwrap());
        let digest = "A".repeat(43) + "=";
        assert!(read(&format!("{{\"commitment\":\"{digest}\"}}")).is_ok());
        for wrong in [
            "{}".to_owned(),
            "{\"commitment\":\"AAAA\"}".to_owned(),
            format!("{{\"commitment\":\"{digest}\",\"media\":\"x\"}}"),
            format!("{{\"commitment\":\"{digest}\",\"salt\":\"x\"}}"),
        ] {
            let failure = read(&wrong).unwrap_err();
            assert_eq!(failure.code, Code::InvalidArgument, "{wrong}");
        }
    }
}

//! Files as views show them: by CID and hash.

use crate::base64;
use crate::cid;
use crate::json::Writer;
use crate::prelude::*;

/// CID and hash of a file, in base64, if there is one.
pub type Shown = Option<(String, String)>;

/// A file with this SHA-256, of one block unless it has the digest of a dag-pb root.
pub fn shown(sha256: &[u8], root: Option<&[u8; 32]>) -> (String, String) {
    let cid = match root {
        Some(root) => cid::dag_pb(root),
        None => cid::raw(sha256),
    };
    (cid, base64::encode(sha256))
}

/// A file of one block.
pub fn single(sha256: &[u8]) -> (String, String) {
    shown(sha256, None)
}

/// Writes a file's CID and hash under two names, or null twice.
pub fn write(json: &mut Writer, names: [&str; 2], file: &Shown) {
    let (cid, hash) = match file {
        Some((cid, hash)) => (Some(cid.as_str()), Some(hash.as_str())),
        None => (None, None),
    };
    json.key(names[0])
        .optional_text(cid)
        .key(names[1])
        .optional_text(hash);
}

//! External ids: no collection is made with one that another has.

use crate::error::{Code, Failure, Outcome};
use crate::host;
use crate::store::external_id_key;

/// Notes a new collection's id; refuses one that a collection has.
pub fn note(collection: u32, external_id: &[u8; 16]) -> Outcome<()> {
    let key = external_id_key(external_id);
    if host::replace(&key, &collection.to_le_bytes()).is_some() {
        return Err(Failure::new(
            Code::ExternalIdTaken,
            "external_id: a collection with it is there already.",
        ));
    }
    Ok(())
}

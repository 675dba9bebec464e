//! External ids: no collection is made with one that another has. Layout 2 asked nobody; the ids that it left behind are
//! noted collection by collection, and until that is done none is made.

use super::header::{Header, ID_UNKNOWN};
use crate::error::{Code, Failure, Outcome};
use crate::host;
use crate::store;

/// Refuses an id that a collection has, or that one of layout 2 may have.
pub fn check_new(external_id: &[u8; 16]) -> Outcome<()> {
    if host::read(&store::external_id_key(external_id)).is_some() {
        return Err(Failure::new(
            Code::ExternalIdTaken,
            "external_id: a collection with it is there already.",
        ));
    }
    match store::unknown_ids() {
        0 => Ok(()),
        left => Err(Failure::amount(
            Code::Migration,
            "external_id: who has it is not known before collection_migrate was called for all collections; left: ",
            u128::from(left),
        )),
    }
}

/// Notes a collection's id.
pub fn note(collection: u32, external_id: &[u8; 16]) {
    let key = store::external_id_key(external_id);
    host::write(&key, &collection.to_le_bytes());
}

/// Notes the id of a collection of layout 2; of two with one id the first that comes has it.
pub fn note_old(collection: u32, header: &mut Header) {
    if !header.is(ID_UNKNOWN) {
        return;
    }
    let external_id = store::external_id(collection);
    if host::read(&store::external_id_key(&external_id)).is_none() {
        note(collection, &external_id);
    }
    store::put_unknown_ids(store::unknown_ids().saturating_sub(1));
    header.set(ID_UNKNOWN, false);
}

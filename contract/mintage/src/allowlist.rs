//! The allowlist of a collection in storage: adding, removing, clearing, sweeping, asking.

use crate::accounts;
use crate::books::Books;
use crate::buckets::{self, Fingerprint, List, ENTRY};
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::prelude::*;
use crate::store::{self, key1, prefix};
use alloc::borrow::Cow;

const ACCOUNTS_PER_CALL: usize = 500;

pub fn list(collection: u32) -> List {
    host::read(&key1(prefix::ALLOWLIST, collection))
        .map(|bytes| List::decode(&bytes).unwrap_or_else(|| host::corrupt()))
        .unwrap_or_default()
}

fn put_list(collection: u32, list: &List) {
    host::write(&key1(prefix::ALLOWLIST, collection), &list.encode());
}

fn bucket_key(collection: u32, generation: u32, bucket: u32) -> [u8; 13] {
    let mut key = [prefix::BUCKET; 13];
    key[1..5].copy_from_slice(&collection.to_be_bytes());
    key[5..9].copy_from_slice(&generation.to_be_bytes());
    key[9..].copy_from_slice(&bucket.to_be_bytes());
    key
}

fn bucket(collection: u32, list: &List, number: u32) -> Vec<u8> {
    host::read(&bucket_key(collection, list.generation, number)).unwrap_or_default()
}

fn put_bucket(collection: u32, list: &List, number: u32, entries: &[u8]) {
    let key = bucket_key(collection, list.generation, number);
    if entries.is_empty() {
        host::remove(&key);
    } else {
        host::write(&key, entries);
    }
}

/// Whether the account, in its stored form, is on the list.
pub fn contains(collection: u32, stored: &[u8]) -> bool {
    let list = list(collection);
    if list.buckets == 0 {
        return false;
    }
    let print = accounts::fingerprint(stored);
    let number = buckets::bucket(&print, list.buckets);
    buckets::contains(&bucket(collection, &list, number), &print)
}

/// The arguments' collection and accounts.
fn change() -> (u32, Vec<Fingerprint>) {
    let mut args = host::args();
    let collection = args.required("collection_id").or_fail();
    let ids: Vec<Cow<str>> = args.required("account_ids").or_fail();
    args.finish().or_fail();
    if ids.len() > ACCOUNTS_PER_CALL {
        refuse(
            Code::TooMany,
            "account_ids: a call takes at most 500 accounts.",
        );
    }
    (
        collection,
        ids.iter()
            .map(|id| accounts::fingerprint(&guard::account("account_ids", id)))
            .collect(),
    )
}

/// Shell's sort with the gaps of Ciura, which are enough for the 500 accounts of a call: a twentieth of the code of the
/// standard library's, which every call of the contract would load.
fn sort(order: &mut [(u64, u32)]) {
    for gap in [301, 132, 57, 23, 10, 4, 1] {
        for from in gap..order.len() {
            let mut at = from;
            while at >= gap && order[at - gap] > order[at] {
                order.swap(at - gap, at);
                at -= gap;
            }
        }
    }
}

/// Pairs of bucket and fingerprint, by bucket, each once.
fn by_bucket(fingerprints: Vec<Fingerprint>, buckets: u32) -> Vec<(u32, Fingerprint)> {
    // Equal fingerprints have equal leading bytes, so they come to stand together.
    let mut order: Vec<(u64, u32)> = fingerprints
        .iter()
        .zip(0..)
        .map(|(print, at)| {
            let lead = u32::from_be_bytes([print[4], print[5], print[6], print[7]]);
            (
                u64::from(buckets::bucket(print, buckets)) << 32 | u64::from(lead),
                at,
            )
        })
        .collect();
    sort(&mut order);
    let mut pairs: Vec<(u32, Fingerprint)> = Vec::with_capacity(order.len());
    for (place, at) in order {
        let pair = ((place >> 32) as u32, fingerprints[at as usize]);
        let same_place =
            |other: &&(u32, Fingerprint)| other.0 == pair.0 && other.1[4..8] == pair.1[4..8];
        if !pairs
            .iter()
            .rev()
            .take_while(same_place)
            .any(|other| *other == pair)
        {
            pairs.push(pair);
        }
    }
    pairs
}

fn groups(pairs: &[(u32, Fingerprint)]) -> impl Iterator<Item = &[(u32, Fingerprint)]> {
    pairs.chunk_by(|a, b| a.0 == b.0)
}

pub fn allowlist_add() {
    guard::no_deposit();
    let mut books = guard::staff();
    let (collection, fingerprints) = change();
    store::header(collection);
    let added = books.measure(|| add(collection, fingerprints));
    books.settle();
    host::return_number(added);
}

/// Puts accounts on the list. Returns how many were not on it.
fn add(collection: u32, fingerprints: Vec<Fingerprint>) -> u32 {
    let mut list = list(collection);
    let mut added = 0u32;
    let mut left = fingerprints;
    // The list grows to what it wants if all are new; buckets that are split off first are written once.
    let wanted = buckets::wanted(list.accounts + left.len() as u32);
    if list.buckets == 0 {
        list.buckets = wanted;
        let pairs = by_bucket(core::mem::take(&mut left), list.buckets.max(1));
        for group in groups(&pairs) {
            let mut entries = Vec::with_capacity(group.len() * ENTRY);
            for (_, print) in group {
                entries.extend_from_slice(&print[..ENTRY]);
            }
            put_bucket(collection, &list, group[0].0, &entries);
            added += group.len() as u32;
        }
    } else {
        grow(collection, &mut list, wanted);
        let pairs = by_bucket(left, list.buckets);
        for group in groups(&pairs) {
            let mut entries = bucket(collection, &list, group[0].0);
            let before = entries.len();
            for (_, print) in group {
                if !buckets::contains(&entries[..before], print) {
                    entries.extend_from_slice(&print[..ENTRY]);
                }
            }
            if entries.len() > before {
                added += ((entries.len() - before) / ENTRY) as u32;
                put_bucket(collection, &list, group[0].0, &entries);
            }
        }
    }
    if added > 0 || list.accounts > 0 {
        list.accounts += added;
        put_list(collection, &list);
    }
    added
}

/// Adds buckets up to `wanted`, moving to each what belongs there from the one it is split off.
fn grow(collection: u32, list: &mut List, wanted: u32) {
    while list.buckets < wanted {
        let new = list.buckets;
        let parent = buckets::parent(new);
        let all = bucket(collection, list, parent);
        list.buckets += 1;
        let (mut stay, mut go) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
        for entry in all.chunks_exact(ENTRY) {
            let mut print = Fingerprint::default();
            print[..ENTRY].copy_from_slice(entry);
            if buckets::bucket(&print, list.buckets) == new {
                &mut go
            } else {
                &mut stay
            }
            .extend_from_slice(entry);
        }
        if !go.is_empty() {
            put_bucket(collection, list, parent, &stay);
            put_bucket(collection, list, new, &go);
        }
    }
}

pub fn allowlist_remove() {
    guard::no_deposit();
    let mut books = guard::staff();
    let (collection, fingerprints) = change();
    store::header(collection);
    let removed = books.measure(|| remove(collection, fingerprints));
    books.settle();
    host::return_number(removed);
}

/// Takes accounts off the list. Returns how many were on it.
fn remove(collection: u32, fingerprints: Vec<Fingerprint>) -> u32 {
    let mut list = list(collection);
    let mut removed = 0u32;
    if list.buckets > 0 {
        let pairs = by_bucket(fingerprints, list.buckets);
        for group in groups(&pairs) {
            let entries = bucket(collection, &list, group[0].0);
            let mut stay = Vec::with_capacity(entries.len());
            for entry in entries.chunks_exact(ENTRY) {
                if !group.iter().any(|pair| pair.1[..ENTRY] == *entry) {
                    stay.extend_from_slice(entry);
                }
            }
            if stay.len() < entries.len() {
                removed += ((entries.len() - stay.len()) / ENTRY) as u32;
                put_bucket(collection, &list, group[0].0, &stay);
            }
        }
        if removed > 0 {
            list.accounts -= removed;
            put_list(collection, &list);
        }
    }
    removed
}

pub fn allowlist_clear() {
    let mut args = host::args();
    guard::no_deposit();
    let mut books = guard::staff();
    let collection = args.required("collection_id").or_fail();
    args.finish().or_fail();
    store::header(collection);
    let mut list = list(collection);
    if list.buckets > 0 {
        list.clear();
        books.measure(|| put_list(collection, &list));
        books.settle();
    }
}

pub fn allowlist_sweep() {
    let mut args = host::args();
    guard::no_deposit();
    let collection = args.required("collection_id").or_fail();
    let limit: u32 = args.required("limit").or_fail();
    args.finish().or_fail();
    if limit == 0 {
        refuse(Code::InvalidArgument, "limit is at least 1.");
    }
    let mut books = Books::open();
    let freed = books.measure(|| sweep(collection, limit));
    books.settle();
    host::return_number(freed);
}

/// Removes up to `limit` buckets of lists that were cleared. Returns how many were.
fn sweep(collection: u32, limit: u32) -> u32 {
    let mut list = list(collection);
    let mut freed = 0;
    while freed < limit {
        let Some((generation, buckets)) = list.stale.last_mut() else {
            break;
        };
        *buckets -= 1;
        host::remove(&bucket_key(collection, *generation, *buckets));
        freed += 1;
        if *buckets == 0 {
            list.stale.pop();
        }
    }
    if freed > 0 {
        put_list(collection, &list);
    }
    freed
}

pub fn is_allowlisted() {
    let mut args = host::args();
    let collection = args.required("collection_id").or_fail();
    let stored = guard::required_account(&mut args, "account_id").1;
    store::header(collection);
    host::return_bool(contains(collection, &stored));
}

//! The lists of a collection's phases in storage: adding, removing, clearing, sweeping, asking.

use crate::accounts;
use crate::books::Books;
use crate::buckets::{self, Fingerprint, List, ENTRY};
use crate::collection::settings::{PHASES, PRIVATE, PUBLIC};
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Object;
use crate::prelude::*;
use crate::sorting::shell_sort;
use crate::store::{self, key1, prefix};
use alloc::borrow::Cow;

const ACCOUNTS_PER_CALL: usize = 500;

/// A list: the number of its collection, and the place of its phase.
type Name = (u32, usize);

/// A key of a list, behind which the place stands unless it is the first, the private price's.
fn key(begin: &[u8], place: usize) -> Vec<u8> {
    let mut key = begin.to_vec();
    if place > PRIVATE {
        key.push(place as u8);
    }
    key
}

fn list_key((collection, place): Name) -> Vec<u8> {
    key(&key1(prefix::ALLOWLIST, collection), place)
}

pub fn list(name: Name) -> List {
    host::read(&list_key(name))
        .map(|bytes| List::decode(&bytes).unwrap_or_else(|| host::corrupt()))
        .unwrap_or_default()
}

fn put_list(name: Name, list: &List) {
    host::write(&list_key(name), &list.encode());
}

fn bucket_key((collection, place): Name, generation: u32, bucket: u32) -> Vec<u8> {
    let mut begin = [prefix::BUCKET; 13];
    begin[1..5].copy_from_slice(&collection.to_be_bytes());
    begin[5..9].copy_from_slice(&generation.to_be_bytes());
    begin[9..].copy_from_slice(&bucket.to_be_bytes());
    key(&begin, place)
}

fn bucket(name: Name, list: &List, number: u32) -> Vec<u8> {
    host::read(&bucket_key(name, list.generation, number)).unwrap_or_default()
}

fn put_bucket(name: Name, list: &List, number: u32, entries: &[u8]) {
    let key = bucket_key(name, list.generation, number);
    if entries.is_empty() {
        host::remove(&key);
    } else {
        host::write(&key, entries);
    }
}

/// Whether the account, in its stored form, is on the list.
pub fn contains(name: Name, stored: &[u8]) -> bool {
    let list = list(name);
    if list.buckets == 0 {
        return false;
    }
    let print = accounts::fingerprint(stored);
    let number = buckets::bucket(&print, list.buckets);
    buckets::contains(&bucket(name, &list, number), &print)
}

/// The list that the arguments name: that of a phase, by its number, or of the private price.
fn named(args: &mut Object) -> Name {
    let collection = args.required("collection_id").or_fail();
    let number: Option<u32> = args.optional("phase").or_fail();
    let place = number.map_or(PRIVATE, |number| (number as usize).wrapping_sub(1));
    if place == PUBLIC || place >= PHASES {
        refuse(
            Code::InvalidArgument,
            "phase: the number of a phase that can have a list, 1 or 3 to 8.",
        );
    }
    (collection, place)
}

/// The arguments' list and accounts.
fn change() -> (Name, Vec<Fingerprint>) {
    let mut args = host::args();
    let name = named(&mut args);
    let ids: Vec<Cow<str>> = args.required("account_ids").or_fail();
    args.finish().or_fail();
    if ids.len() > ACCOUNTS_PER_CALL {
        refuse(
            Code::TooMany,
            "account_ids: a call takes at most 500 accounts.",
        );
    }
    store::header(name.0);
    (
        name,
        ids.iter()
            .map(|id| accounts::fingerprint(&guard::account("account_ids", id)))
            .collect(),
    )
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
    shell_sort(&mut order);
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

/// Changes a list by the accounts of the arguments, and returns how many it changed. A function-call key can't sign it: who
/// has stolen one would list accounts, which then mint past the staff's quota.
fn call(work: fn(Name, Vec<Fingerprint>) -> u32) {
    let mut books = guard::signing_staff();
    let (name, fingerprints) = change();
    let changed = books.measure(|| work(name, fingerprints));
    books.settle();
    host::return_number(changed);
}

pub fn allowlist_add() {
    call(add);
}

pub fn allowlist_remove() {
    call(remove);
}

/// Puts accounts on the list. Returns how many were not on it.
fn add(name: Name, fingerprints: Vec<Fingerprint>) -> u32 {
    let mut list = list(name);
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
                entries.extend_from_slice(print);
            }
            put_bucket(name, &list, group[0].0, &entries);
            added += group.len() as u32;
        }
    } else {
        grow(name, &mut list, wanted);
        let pairs = by_bucket(left, list.buckets);
        for group in groups(&pairs) {
            let mut entries = bucket(name, &list, group[0].0);
            let before = entries.len();
            for (_, print) in group {
                if !buckets::contains(&entries[..before], print) {
                    entries.extend_from_slice(print);
                }
            }
            if entries.len() > before {
                added += ((entries.len() - before) / ENTRY) as u32;
                put_bucket(name, &list, group[0].0, &entries);
            }
        }
    }
    if added > 0 || list.accounts > 0 {
        list.accounts += added;
        put_list(name, &list);
    }
    added
}

/// Adds buckets up to `wanted`, moving to each what belongs there from the one it is split off.
fn grow(name: Name, list: &mut List, wanted: u32) {
    while list.buckets < wanted {
        let new = list.buckets;
        let parent = buckets::parent(new);
        let all = bucket(name, list, parent);
        list.buckets += 1;
        let (mut stay, mut go) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
        for entry in all.chunks_exact(ENTRY) {
            let mut print = Fingerprint::default();
            print.copy_from_slice(entry);
            if buckets::bucket(&print, list.buckets) == new {
                &mut go
            } else {
                &mut stay
            }
            .extend_from_slice(entry);
        }
        if !go.is_empty() {
            put_bucket(name, list, parent, &stay);
            put_bucket(name, list, new, &go);
        }
    }
}

/// Takes accounts off the list. Returns how many were on it.
fn remove(name: Name, fingerprints: Vec<Fingerprint>) -> u32 {
    let mut list = list(name);
    let mut removed = 0u32;
    if list.buckets > 0 {
        let pairs = by_bucket(fingerprints, list.buckets);
        for group in groups(&pairs) {
            let entries = bucket(name, &list, group[0].0);
            let mut stay = Vec::with_capacity(entries.len());
            for entry in entries.chunks_exact(ENTRY) {
                if !group.iter().any(|pair| pair.1 == *entry) {
                    stay.extend_from_slice(entry);
                }
            }
            if stay.len() < entries.len() {
                removed += ((entries.len() - stay.len()) / ENTRY) as u32;
                put_bucket(name, &list, group[0].0, &stay);
            }
        }
        if removed > 0 {
            list.accounts -= removed;
            put_list(name, &list);
        }
    }
    removed
}

pub fn allowlist_clear() {
    let mut args = host::args();
    let mut books = guard::signing_staff();
    let name = named(&mut args);
    args.finish().or_fail();
    store::header(name.0);
    let mut list = list(name);
    if list.buckets > 0 {
        list.clear();
        books.measure(|| put_list(name, &list));
        books.settle();
    }
}

pub fn allowlist_sweep() {
    let mut args = host::args();
    guard::no_deposit();
    let name = named(&mut args);
    let limit: u32 = args.required("limit").or_fail();
    args.finish().or_fail();
    if limit == 0 {
        refuse(Code::InvalidArgument, "limit is at least 1.");
    }
    let mut books = Books::open();
    let freed = books.measure(|| sweep(name, limit));
    books.settle();
    host::return_number(freed);
}

/// Removes up to `limit` buckets of lists that were cleared. Returns how many were.
fn sweep(name: Name, limit: u32) -> u32 {
    let mut list = list(name);
    let mut freed = 0;
    while freed < limit {
        let Some((generation, buckets)) = list.stale.last_mut() else {
            break;
        };
        *buckets -= 1;
        host::remove(&bucket_key(name, *generation, *buckets));
        freed += 1;
        if *buckets == 0 {
            list.stale.pop();
        }
    }
    if freed > 0 {
        put_list(name, &list);
    }
    freed
}

pub fn is_allowlisted() {
    let mut args = host::args();
    let name = named(&mut args);
    let stored = guard::required_account(&mut args, "account_id").1;
    store::header(name.0);
    host::return_bool(contains(name, &stored));
}

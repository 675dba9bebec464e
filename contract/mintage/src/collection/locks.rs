//! One-way promises to holders: what the staff of the contract can't do any more once it is locked. Which locks are set
//! stands in the header's flags; assets that are locked one by one have a record.

use super::header::{
    ASSETS_LOCKED, CODE_LOCKED, HIDDEN, METADATA_LOCKED, ROYALTIES_LOCKED, SUPPLY_LOCKED,
    TRANSFERS_LOCKED, TRANSFERS_OFF,
};
use super::settings::{Details, Settings};
use crate::codec::{put_varint, Reader};
use crate::error::{Code, Failure, Outcome};
use crate::json::Writer;
use crate::prelude::*;
use crate::sorting::shell_sort;
use alloc::borrow::Cow;

/// Each lock of a collection: its flag, and its name as calls, views and events have it.
pub const NAMES: [(u16, &str); 5] = [
    (METADATA_LOCKED, "metadata"),
    (SUPPLY_LOCKED, "supply"),
    (ROYALTIES_LOCKED, "royalties"),
    (TRANSFERS_LOCKED, "transfers"),
    (CODE_LOCKED, "code"),
];

/// Assets that can be locked one by one; whoever locks more locks the collection.
const ASSETS_LIMIT: usize = 10_000;

/// What a mint is refused with where the supply is locked.
pub const SUPPLY: &str = "supply is locked: nothing is minted in this collection any more.";

fn locked(message: &str) -> Failure {
    Failure::new(Code::Locked, message)
}

/// The flags of the locks with these names.
pub fn flags(names: &[Cow<str>]) -> Outcome<u16> {
    let mut flags = 0;
    for name in names {
        let known = NAMES.iter().find(|lock| lock.1 == name);
        flags |= known
            .ok_or_else(|| {
                Failure::argument(
                    "locks: each is \"metadata\", \"supply\", \"royalties\", \"transfers\" or \"code\".",
                )
            })?
            .0;
    }
    Ok(flags)
}

/// Writes the names of the locks that are set.
pub fn write(json: &mut Writer, flags: u16) {
    json.open('[');
    for (flag, name) in NAMES {
        if flags & flag != 0 {
            json.text(name);
        }
    }
    json.close(']');
}

/// Refuses to lock metadata that a reveal has still to change, or that nobody can check.
pub fn check_revealed(header: u16) -> Outcome<()> {
    if header & HIDDEN != 0 {
        return Err(Failure::argument(
            "metadata are locked once all assets are revealed; whether a commitment can be opened is not known before.",
        ));
    }
    Ok(())
}

/// Refuses a lock that would promise nothing: of transfers that are off, or of metadata that are hidden. `assets` tells
/// whether some are locked one by one.
pub fn check_new(flags: u16, header: u16, assets: bool) -> Outcome<()> {
    if assets || flags & METADATA_LOCKED != 0 {
        check_revealed(header)?;
    }
    if flags & TRANSFERS_LOCKED != 0 && header & TRANSFERS_OFF != 0 {
        return Err(Failure::argument(
            "locks: \"transfers\" keeps transfers possible; allow_transfers has to be true first.",
        ));
    }
    Ok(())
}

/// Refuses to mint where the supply is locked.
pub fn check_supply(flags: u16) -> Outcome<()> {
    if flags & SUPPLY_LOCKED != 0 {
        return Err(locked(SUPPLY));
    }
    Ok(())
}

/// Whether both pay the same shares to the same accounts, in any order.
fn same_royalties(old: &Details, new: &Details) -> bool {
    let (old, new) = (&old.royalties, &new.royalties);
    old.len() == new.len() && old.iter().all(|share| new.contains(share))
}

/// Whether `list` names an account that `other` doesn't. One of them is sorted, because two lists of 1,000 accounts
/// compared each with each take more gas than a call may have.
fn names_more(list: &[String], other: &[String]) -> bool {
    if list == other {
        return false;
    }
    let mut known: Vec<&str> = other.iter().map(String::as_str).collect();
    shell_sort(&mut known);
    let mut names = list.iter().map(String::as_str);
    names.any(|name| known.binary_search(&name).is_err())
}

/// Whether a list of denied accounts names one that it did not name.
fn denies_more(before: &Option<Vec<String>>, after: &Option<Vec<String>>) -> bool {
    let before = before.as_deref().unwrap_or_default();
    names_more(after.as_deref().unwrap_or_default(), before)
}

/// Whether a list of allowed accounts, where none allows all, leaves one out that it allowed.
fn allows_fewer(before: &Option<Vec<String>>, after: &Option<Vec<String>>) -> bool {
    match (before, after) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(before), Some(after)) => names_more(before, after),
    }
}

/// Whether transfers or approvals are possible to fewer accounts than before.
fn narrower(before: &Settings, after: &Settings) -> bool {
    let (details, lists) = (&before.details, &before.lists);
    (after.details.transfers_off && !details.transfers_off)
        || (after.details.approvals_off && !details.approvals_off)
        || denies_more(&lists.transfers_denied, &after.lists.transfers_denied)
        || denies_more(&lists.approvals_denied, &after.lists.approvals_denied)
        || allows_fewer(&lists.approvals_allowed, &after.lists.approvals_allowed)
}

/// Refuses a change of settings that a lock forbids.
pub fn check_change(flags: u16, before: &Settings, after: &Settings) -> Outcome<()> {
    let (old, new) = (&before.details, &after.details);
    let same = old.title == new.title && old.description == new.description;
    // NFTs of a locked asset show both, too.
    if flags & (METADATA_LOCKED | ASSETS_LOCKED) != 0 && !same {
        return Err(locked(
            "metadata is locked, of this collection or of some of its assets: title and description stay as they are.",
        ));
    }
    if flags & ROYALTIES_LOCKED != 0 && !same_royalties(old, new) {
        return Err(locked(
            "royalties are locked: ongoing_royalties keep their accounts and their shares.",
        ));
    }
    if flags & TRANSFERS_LOCKED != 0 && narrower(before, after) {
        return Err(locked(
            "transfers are locked: transfers and approvals of this collection may only be allowed to more accounts.",
        ));
    }
    Ok(())
}

/// Refuses what gives tokens metadata of their own: `of_token` tells whether the token's are locked, or its asset's, or
/// those of an asset that it may have drawn.
pub fn check_metadata(flags: u16, of_token: bool) -> Outcome<()> {
    if flags & METADATA_LOCKED != 0 {
        return Err(locked(
            "metadata is locked: tokens of this collection show what they show for good.",
        ));
    }
    if of_token {
        return Err(locked(
            "metadata is locked: this token, or an asset that it may have, shows what it shows for good.",
        ));
    }
    Ok(())
}

/// Numbers of assets that are locked, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockedAssets(Vec<u32>);

impl LockedAssets {
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (mut all, mut last) = (Vec::new(), 0u32);
        while !reader.is_empty() {
            last = last.checked_add(reader.varint()?)?;
            all.push(last);
        }
        Some(Self(all))
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len() * 2);
        let mut last = 0;
        for &asset in &self.0 {
            put_varint(&mut out, asset - last);
            last = asset;
        }
        out
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn contains(&self, asset: u32) -> bool {
        self.0.binary_search(&asset).is_ok()
    }

    /// Adds assets of a collection that has `count`; they come in ascending order.
    pub fn add(&mut self, assets: &[u32], count: u32) -> Outcome<()> {
        let ascend = assets.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascend || assets.last().is_some_and(|&last| last >= count) {
            return Err(Failure::argument(
                "assets: numbers of assets of the collection, from 0, in ascending order.",
            ));
        }
        let before = core::mem::take(&mut self.0);
        let mut before = before.into_iter().peekable();
        for &asset in assets {
            while let Some(smaller) = before.next_if(|&other| other < asset) {
                self.0.push(smaller);
            }
            before.next_if_eq(&asset);
            self.0.push(asset);
        }
        self.0.extend(before);
        if self.0.len() > ASSETS_LIMIT {
            return Err(Failure::new(
                Code::TooMany,
                "assets: 10000 can be locked one by one; lock the collection's metadata instead.",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::Lists;
    use super::*;
    use proptest::prelude::*;

    const ALL: u16 =
        METADATA_LOCKED | SUPPLY_LOCKED | ROYALTIES_LOCKED | TRANSFERS_LOCKED | CODE_LOCKED;

    fn names(list: &[&str]) -> Option<Vec<String>> {
        Some(list.iter().map(|&name| name.to_owned()).collect())
    }

    fn before() -> Settings {
        let details = Details {
            title: "T".into(),
            royalties: vec![("a.near".into(), 500), ("b.near".into(), 100)],
            ..Details::default()
        };
        let lists = Lists {
            transfers_denied: names(&["x.near", "y.near"]),
            approvals_allowed: names(&["m.near"]),
            approvals_denied: names(&["n.near"]),
        };
        Settings {
            details,
            lists,
            ..Settings::default()
        }
    }

    /// What a change says of each lock, alone and without any.
    fn refused_by(change: impl Fn(&mut Settings)) -> Vec<&'static str> {
        let mut after = before();
        change(&mut after);
        assert_eq!(check_change(0, &before(), &after), Ok(()));
        let refuses = |lock: &&(u16, &str)| {
            let result = check_change(lock.0, &before(), &after);
            if let Err(failure) = &result {
                assert_eq!(failure.code, Code::Locked);
                assert!(failure.message.starts_with(lock.1), "{}", failure.message);
            }
            result.is_err()
        };
        NAMES.iter().filter(refuses).map(|lock| lock.1).collect()
    }

    #[test]
    fn each_lock_refuses_what_it_names_and_nothing_else() {
        assert_eq!(refused_by(|_| {}), [""; 0]);
        assert_eq!(refused_by(|d| d.details.title = "U".into()), ["metadata"]);
        assert_eq!(
            refused_by(|d| d.details.description = Some("D".into())),
            ["metadata"]
        );
        assert_eq!(
            refused_by(|d| d.details.royalties[1].1 = 101),
            ["royalties"]
        );
        assert_eq!(
            refused_by(|d| d.details.royalties.push(("c.near".into(), 1))),
            ["royalties"]
        );
        assert_eq!(
            refused_by(|d| d.details.royalties = vec![("c.near".into(), 600)]),
            ["royalties"]
        );
        assert_eq!(refused_by(|d| d.details.royalties.clear()), ["royalties"]);
        assert_eq!(refused_by(|d| d.details.royalties.reverse()), [""; 0]);
        assert_eq!(
            refused_by(|d| d.details.transfers_off = true),
            ["transfers"]
        );
        assert_eq!(
            refused_by(|d| d.details.approvals_off = true),
            ["transfers"]
        );
        assert_eq!(
            refused_by(|d| d.lists.transfers_denied = names(&["z.near"])),
            ["transfers"]
        );
        assert_eq!(
            refused_by(|d| d.lists.transfers_denied = names(&["y.near"])),
            [""; 0]
        );
        assert_eq!(refused_by(|d| d.lists.transfers_denied = None), [""; 0]);
        assert_eq!(
            refused_by(|d| d.lists.approvals_denied = names(&["n.near", "o.near"])),
            ["transfers"]
        );
        assert_eq!(
            refused_by(|d| d.lists.approvals_allowed = names(&[])),
            ["transfers"]
        );
        assert_eq!(
            refused_by(|d| d.lists.approvals_allowed = names(&["m.near", "o.near"])),
            [""; 0]
        );
        assert_eq!(refused_by(|d| d.lists.approvals_allowed = None), [""; 0]);
    }

    #[test]
    fn a_locked_asset_keeps_the_texts_that_its_tokens_show() {
        for change in [
            |it: &mut Settings| it.details.title = "U".into(),
            |it: &mut Settings| it.details.description = Some("D".into()),
        ] {
            let mut after = before();
            change(&mut after);
            let failure = check_change(ASSETS_LOCKED, &before(), &after).unwrap_err();
            assert_eq!(failure.code, Code::Locked);
        }
        let mut after = before();
        after.details.royalties.clear();
        assert_eq!(check_change(ASSETS_LOCKED, &before(), &after), Ok(()));
    }

    #[test]
    fn locks_have_names() {
        let all = ["metadata", "supply", "royalties", "transfers", "code"].map(Cow::from);
        assert_eq!(flags(&all), Ok(ALL));
        assert_eq!(flags(&[]), Ok(0));
        let wrong = flags(&["extra".into()]).unwrap_err();
        assert_eq!(wrong.code, Code::InvalidArgument);
        assert!(check_new(ALL, TRANSFERS_OFF, false).is_err());
        assert_eq!(check_new(ALL, 0, true), Ok(()));
        assert_eq!(check_new(SUPPLY_LOCKED, TRANSFERS_OFF, false), Ok(()));
        assert!(check_new(METADATA_LOCKED, HIDDEN, false).is_err());
        assert!(check_new(0, HIDDEN, true).is_err());
        assert_eq!(check_new(ROYALTIES_LOCKED, HIDDEN, false), Ok(()));
    }

    proptest! {
        #[test]
        fn a_list_names_more_where_one_of_its_accounts_is_not_in_the_other(list in prop::collection::vec("[ab]{0,3}", 0..9), other in prop::collection::vec("[ab]{0,3}", 0..20)) {
            let expected = list.iter().any(|name| !other.contains(name));
            prop_assert_eq!(names_more(&list, &other), expected);
        }

        #[test]
        fn locked_assets_come_back(some in prop::collection::vec(0u32..2_000, 0..60), more in prop::collection::vec(0u32..2_000, 0..60)) {
            let mut locked = LockedAssets::default();
            let ascending = |numbers: &[u32]| {
                let mut numbers = numbers.to_vec();
                numbers.sort_unstable();
                numbers.dedup();
                numbers
            };
            locked.add(&ascending(&some), 2_000).unwrap();
            let mut locked = LockedAssets::decode(&locked.encode()).unwrap();
            locked.add(&ascending(&more), 2_000).unwrap();
            for asset in 0..2_000 {
                let expected = some.contains(&asset) || more.contains(&asset);
                prop_assert_eq!(locked.contains(asset), expected);
            }
        }
    }

    #[test]
    fn an_asset_that_is_not_there_is_refused() {
        let mut locked = LockedAssets::default();
        for wrong in [[2, 3], [1, 1], [1, 0]] {
            assert!(locked.add(&wrong, 3).is_err(), "{wrong:?}");
        }
        assert_eq!(locked, LockedAssets::default());
        let all: Vec<u32> = (0..10_001).collect();
        let failure = LockedAssets::default().add(&all, 20_000).unwrap_err();
        assert_eq!(failure.code, Code::TooMany);
    }
}

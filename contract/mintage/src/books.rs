//! The root while a call changes it, and with it the sums of what the account has to hold.

use crate::error::{Code, Failure, Outcome};
use crate::host::{self, OrFail};
use crate::prelude::*;
use crate::root::Root;
use crate::solvency::{Shape, Sums, BYTE_PRICE};
use crate::store::{self, prefix};
use core::ops::{Deref, DerefMut};

/// The root as it was read and as it will be. Whoever changes it ends with [`Books::settle`].
pub struct Books {
    root: Root,
    /// The record as it lies in storage; empty before there is one.
    stored: Vec<u8>,
    /// Yoctonear by which the account held more than it has to before this call (negative: less); `None` where that
    /// can't be known.
    margin: Option<i128>,
}

impl Deref for Books {
    type Target = Root;
    fn deref(&self) -> &Root {
        &self.root
    }
}

impl DerefMut for Books {
    fn deref_mut(&mut self) -> &mut Root {
        &mut self.root
    }
}

fn uncovered(missing: u128) -> Failure {
    Failure::amount(
        Code::StorageBalance,
        "The contract's balance does not cover the storage; yoctonear missing: ",
        missing,
    )
}

/// Yoctonear that nothing is kept for.
pub fn free(sums: &Sums) -> u128 {
    host::account_balance().saturating_sub(sums.needed())
}

impl Books {
    pub fn open() -> Self {
        let (root, stored) = store::root();
        let held = host::account_balance() - host::attached_deposit();
        Self {
            margin: Some(held as i128 - root.sums.needed() as i128),
            root,
            stored,
        }
    }

    /// The books of a contract whose root has not been written in this layout. `stored` is the record that is there.
    pub fn begin(root: Root, stored: Vec<u8>) -> Self {
        Self {
            root,
            stored,
            margin: None,
        }
    }

    fn count(&mut self, bytes: i64) {
        let base = self.root.sums.base.checked_add_signed(bytes);
        self.root.sums.base = base.unwrap_or_else(|| host::corrupt());
    }

    /// Does what writes records that no token's promised bytes pay for, and counts what they grew by.
    pub fn measure<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let before = host::storage_usage();
        let result = work();
        self.count(host::storage_usage() as i64 - before as i64);
        result
    }

    /// Promises `cost` bytes to tokens that are about to be minted: from the collection's `credit`, and from what is
    /// free when that does not suffice. `outgoing` yoctonear of the balance leave with this call. Returns the credit
    /// that is left.
    pub fn promise(
        &mut self,
        shape: &Shape,
        (credit, cost): (u32, u64),
        remaining: u32,
        outgoing: u128,
    ) -> Outcome<u32> {
        let credit = u64::from(credit);
        let mut taken = 0;
        if credit < cost {
            let free = free(&self.root.sums).saturating_sub(outgoing);
            taken = shape
                .take(credit, cost, remaining, free)
                .ok_or_else(|| uncovered(u128::from(cost - credit) * BYTE_PRICE - free))?;
            self.root.sums.promised += taken;
        }
        Ok((credit + taken - cost) as u32)
    }

    /// Writes the root if it changed. Fails where the account would hold less than it has to; only a shortage that was
    /// there before, as an upgrade can bring to light, may stay as long as the call does not add to it.
    pub fn settle(mut self) {
        let mut bytes = self.root.encode();
        if bytes != self.stored {
            let longer = bytes.len() as i64 - self.stored.len() as i64;
            if longer != 0 {
                self.count(longer);
                bytes = self.root.encode();
            }
            host::write(&[prefix::ROOT], &bytes);
        }
        let margin = host::account_balance() as i128 - self.root.sums.needed() as i128;
        if margin < 0 && self.margin.is_some_and(|before| margin < before) {
            Err::<(), _>(uncovered(margin.unsigned_abs())).or_fail()
        }
    }
}

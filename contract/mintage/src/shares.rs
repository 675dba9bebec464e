//! Shares of mint fees that wait. A payment to an account that is not named carries the price of making it, 8.35 Tgas,
//! whether or not it is there already; a dozen of them would not fit the 100 Tgas that wallets attach. So a mint pays a
//! few of them, those that have waited longest, and the others wait in a record of the collection.

use crate::accounts;
use crate::codec::Reader;
use crate::prelude::*;

/// Payments to accounts without a name that one mint makes, beside the return of what was sent too much.
pub const AT_ONCE: usize = 4;

/// Bytes of the record at most, for each account that waits, and of the record itself.
const ENTRY_BYTES: u64 = 33 + 10 + 16;
const RECORD_BYTES: u64 = 40 + 5;

/// Accounts with what waits for each, in yoctonear, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue(Vec<(Vec<u8>, u128)>);

/// Bytes by which the record grows at most when shares of so many accounts are put into it.
pub fn growth(accounts: usize) -> u64 {
    RECORD_BYTES + accounts as u64 * ENTRY_BYTES
}

impl Queue {
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let mut waiting = Vec::new();
        while !reader.is_empty() {
            waiting.push((accounts::read(&mut reader)?.to_vec(), reader.u128()?));
        }
        Some(Self(waiting))
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len() * ENTRY_BYTES as usize);
        for (account, amount) in &self.0 {
            out.extend_from_slice(account);
            out.extend_from_slice(&amount.to_le_bytes());
        }
        out
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds to what waits for an account, or lets it wait behind the others.
    pub fn add(&mut self, account: &str, amount: u128) {
        let account = accounts::encode(account);
        match self.0.iter_mut().find(|waiting| waiting.0 == account) {
            Some(waiting) => waiting.1 += amount,
            None => self.0.push((account, amount)),
        }
    }

    /// Takes out those that have waited longest, `most` at most.
    pub fn take(&mut self, most: usize) -> Vec<(String, u128)> {
        let taken = self.0.drain(..most.min(self.0.len()));
        taken
            .map(|(account, amount)| (accounts::decode(&account), amount))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_paid_in_turn() {
        let payees: Vec<String> = (0..10u8).map(|n| format!("{n:064x}")).collect();
        let mut queue = Queue::default();
        let mut paid = [0u128; 10];
        for round in 1..=20u128 {
            payees.iter().for_each(|payee| queue.add(payee, 7));
            assert!(queue.encode().len() as u64 <= growth(10) - 45);
            for (account, amount) in queue.take(AT_ONCE) {
                let at = payees.iter().position(|payee| *payee == account);
                paid[at.unwrap()] += amount;
            }
            let back = Queue::decode(&queue.encode());
            assert_eq!(back.as_ref(), Some(&queue));
            // Nobody waits for longer than three mints.
            assert!(paid.iter().all(|&sum| sum + 3 * 7 >= round * 7), "{paid:?}");
        }
        let rest = queue.take(100);
        assert_eq!(
            paid.iter().sum::<u128>() + rest.iter().map(|one| one.1).sum::<u128>(),
            20 * 70
        );
        assert!(queue.is_empty());
    }
}

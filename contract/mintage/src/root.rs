//! The contract's own record: roles, the number of collections, and the sums of what it has to hold. Its first byte is
//! the version of the whole storage layout.

use crate::accounts;
use crate::codec::Reader;
use crate::prelude::*;
use crate::solvency::Sums;

/// The version of the storage layout that this code reads and writes.
pub const LAYOUT: u8 = 6;

/// Account ids are in their stored form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Root {
    pub collections: u32,
    /// Claim drops made so far.
    pub drops: u32,
    pub sums: Sums,
    /// The id of the next approval. Ids never repeat in the whole contract.
    pub next_approval: u64,
    /// The network's name, which signed messages begin with.
    pub network: String,
    pub owner: Vec<u8>,
    pub platform: Vec<u8>,
    pub proposed: Option<Vec<u8>>,
    pub admins: Vec<Vec<u8>>,
}

/// Reads the accounts that stand at the end of the record, and nothing behind them.
fn read_accounts(reader: &mut Reader, root: &mut Root) -> Option<()> {
    root.owner = accounts::read(reader)?.to_vec();
    root.platform = accounts::read(reader)?.to_vec();
    if reader.u8()? != 0 {
        root.proposed = Some(accounts::read(reader)?.to_vec());
    }
    while !reader.is_empty() {
        root.admins.push(accounts::read(reader)?.to_vec());
    }
    Some(())
}

impl Root {
    /// The record of a contract that has nothing yet.
    pub fn new(network: String, owner: Vec<u8>, platform: Vec<u8>, admins: Vec<Vec<u8>>) -> Self {
        Self {
            next_approval: 1,
            network,
            owner,
            platform,
            admins,
            ..Self::default()
        }
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        if reader.u8()? != LAYOUT {
            return None;
        }
        let mut root = Self::default();
        root.collections = reader.u32()?;
        root.drops = reader.u32()?;
        root.sums = Sums {
            owed: reader.u128()?,
            base: reader.u64()?,
            promised: reader.u64()?,
        };
        root.next_approval = reader.u64()?;
        let length = reader.u8()?;
        root.network = String::from_utf8(reader.take(length.into())?.to_vec()).ok()?;
        read_accounts(&mut reader, &mut root)?;
        Some(root)
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.push(LAYOUT);
        out.extend_from_slice(&self.collections.to_le_bytes());
        out.extend_from_slice(&self.drops.to_le_bytes());
        out.extend_from_slice(&self.sums.owed.to_le_bytes());
        for number in [self.sums.base, self.sums.promised, self.next_approval] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.push(self.network.len() as u8);
        out.extend_from_slice(self.network.as_bytes());
        out.extend_from_slice(&self.owner);
        out.extend_from_slice(&self.platform);
        out.push(u8::from(self.proposed.is_some()));
        out.extend_from_slice(self.proposed.as_deref().unwrap_or_default());
        for admin in &self.admins {
            out.extend_from_slice(admin);
        }
        out
    }

    pub fn is_staff(&self, account: &[u8]) -> bool {
        self.owner == account || self.admins.iter().any(|admin| admin == account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> Root {
        let mut root = Root::new(
            "testnet".into(),
            accounts::encode("shop.near"),
            accounts::encode(&"ab".repeat(32)),
            vec![accounts::encode("a.near"), accounts::encode("b.near")],
        );
        root.collections = 3;
        root.drops = 9;
        root.sums = Sums {
            base: 1 << 33,
            promised: 1 << 34,
            owed: 1 << 90,
        };
        root.next_approval = 1 << 40;
        root
    }

    #[test]
    fn roots_come_back() {
        let mut root = root();
        assert_eq!(Root::decode(&root.encode()), Some(root.clone()));
        root.proposed = Some(accounts::encode("next.near"));
        assert_eq!(Root::decode(&root.encode()), Some(root.clone()));
        assert!(
            root.is_staff(&root.owner)
                && root.is_staff(&root.admins[1])
                && !root.is_staff(&root.platform)
        );
        let mut other = root.encode();
        other[0] = LAYOUT + 1;
        assert_eq!(Root::decode(&other), None);
    }
}

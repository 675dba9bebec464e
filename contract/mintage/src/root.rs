//! The contract's own record: roles, the number of collections, and what is owed. Its first byte is the version of the
//! whole storage layout.

use crate::accounts;
use crate::codec::Reader;

/// The version of the storage layout that this code reads and writes.
pub const LAYOUT: u8 = 2;

/// Account ids are in their stored form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    pub collections: u32,
    /// Approvals' storage deposits, in yoctonear; they go back when the approvals end.
    pub owed: u128,
    /// The id of the next approval. Ids never repeat in the whole contract.
    pub next_approval: u64,
    pub owner: Vec<u8>,
    pub proposed: Option<Vec<u8>>,
    pub platform: Vec<u8>,
    pub admins: Vec<Vec<u8>>,
}

impl Root {
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        if reader.u8()? != LAYOUT {
            return None;
        }
        let (collections, owed, next_approval) = (reader.u32()?, reader.u128()?, reader.u64()?);
        let owner = accounts::read(&mut reader)?.to_vec();
        let platform = accounts::read(&mut reader)?.to_vec();
        let proposed = match reader.u8()? {
            0 => None,
            _ => Some(accounts::read(&mut reader)?.to_vec()),
        };
        let mut admins = Vec::new();
        while !reader.is_empty() {
            admins.push(accounts::read(&mut reader)?.to_vec());
        }
        Some(Self {
            collections,
            owed,
            next_approval,
            owner,
            proposed,
            platform,
            admins,
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![LAYOUT];
        out.extend_from_slice(&self.collections.to_le_bytes());
        out.extend_from_slice(&self.owed.to_le_bytes());
        out.extend_from_slice(&self.next_approval.to_le_bytes());
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

    #[test]
    fn roots_come_back() {
        let mut root = Root {
            collections: 3,
            owed: 1 << 90,
            next_approval: 1 << 40,
            owner: accounts::encode("shop.near"),
            proposed: None,
            platform: accounts::encode(&"ab".repeat(32)),
            admins: vec![accounts::encode("a.near"), accounts::encode("b.near")],
        };
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

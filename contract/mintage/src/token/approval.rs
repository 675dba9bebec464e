//! An approval as it is kept, and the deposit it carries.

use crate::accounts;
use crate::codec::Reader;
use crate::prelude::*;
use crate::solvency::BYTE_PRICE;

/// Bytes an approval takes beside the account id, and a little more: what the standard's example asks for, so that
/// front ends that attach a fixed amount have attached enough. The record around a token's approvals is paid from what
/// the token was promised.
const BYTES: u128 = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    pub account: Vec<u8>,
    pub id: u64,
}

/// The deposit of an approval of `account`, in yoctonear.
pub fn price(account: &[u8]) -> u128 {
    (BYTES + accounts::decode(account).len() as u128) * BYTE_PRICE
}

/// The deposits of all these approvals.
pub fn deposits(approvals: &[Approval]) -> u128 {
    let deposit = |approval: &Approval| price(&approval.account);
    approvals.iter().map(deposit).sum()
}

pub fn encode(approvals: &[Approval]) -> Vec<u8> {
    let mut out = Vec::with_capacity(approvals.len() * 32);
    for approval in approvals {
        out.extend_from_slice(&approval.id.to_le_bytes());
        out.extend_from_slice(&approval.account);
    }
    out
}

pub fn decode(bytes: &[u8]) -> Option<Vec<Approval>> {
    let mut reader = Reader::new(bytes);
    let mut out = Vec::new();
    while !reader.is_empty() {
        let id = reader.u64()?;
        out.push(Approval {
            account: accounts::read(&mut reader)?.to_vec(),
            id,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn approvals_come_back_and_their_deposits_pay_for_them(
            approvals in prop::collection::vec(("[a-z]{1,30}\\.near|[0-9a-f]{64}|[a-z]{64}", 5u64..), 0..5)
        ) {
            let approvals: Vec<Approval> = approvals
                .into_iter()
                .map(|(id_of, id)| Approval { account: accounts::encode(&id_of), id })
                .collect();
            let bytes = encode(&approvals);
            prop_assert!(deposits(&approvals) >= bytes.len() as u128 * BYTE_PRICE);
            prop_assert_eq!(decode(&bytes), Some(approvals));
        }
    }

    #[test]
    fn no_approval_takes_more_than_front_ends_attach() {
        let dearest = accounts::encode(&"m".repeat(64));
        assert!(price(&dearest) <= 800_000_000_000_000_000_000);
    }
}

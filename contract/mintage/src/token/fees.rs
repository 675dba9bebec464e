//! The shares of a mint fee.

use crate::accounts;
use crate::balance;
use crate::books::Books;
use crate::collection::header::Header;
use crate::collection::settings::Rules;
use crate::host;
use crate::prelude::*;
use crate::root::Root;
use crate::shares;
use crate::split;

/// Payments to accounts without a name that one mint makes at most, beside the return of what was sent too much: to owner,
/// platform, and the first of the royalties. Each is charged with making the account, 8.35 Tgas, and wallets attach 100.
const PAID_AT_ONCE: usize = 3;

/// Who is paid what of a sum.
fn divided(root: &Root, rules: &Rules, sum: u128) -> (String, Vec<(String, u128)>) {
    let (platform, owner) = (
        accounts::decode(&root.platform),
        accounts::decode(&root.owner),
    );
    let shares = split::fee_shares(sum, &platform, &rules.royalties, &owner);
    (owner, shares)
}

/// Who is owed what of a price in a token. What would be the contract's own, which can't withdraw, is the owner's.
fn owed(root: &Root, rules: &Rules, price: u128) -> Vec<(String, u128)> {
    let (owner, shares) = divided(root, rules, price);
    let contract = host::current_account();
    let mut owed = Vec::with_capacity(shares.len());
    for (account, share) in &shares {
        let account = if *account == contract {
            &owner
        } else {
            account
        };
        split::add(&mut owed, account, *share);
    }
    owed
}

/// Divides a price in a token. All shares wait: nothing is sent to an account that the token may not know.
pub(super) fn accrue_shares(books: &mut Books, rules: &Rules, currency: &str, price: u128) {
    for (account, share) in owed(books, rules, price) {
        shares::accrue(books, Some(currency), &account, share);
    }
}

/// Bytes of the records that a price in a token adds: those of payees that nothing of the token has waited for.
pub(super) fn share_records(root: &Root, rules: &Rules, currency: &str, price: u128) -> u64 {
    let owed = owed(root, rules, price);
    owed.iter()
        .map(|(account, _)| shares::new_record(currency, account))
        .sum()
}

/// Divides the `rest` of fees, without what is kept for the tokens' storage, and pays the shares; what is the contract's
/// own stays. Of accounts without a name the first few are paid, the owner always. The others' shares wait in the records
/// that [`shares::prepare`] made.
pub(super) fn pay_shares(books: &mut Books, header: &mut Header, rules: &Rules, rest: u128) {
    let (owner, shares) = divided(books, rules, rest);
    let contract = host::current_account();
    let mut unnamed = usize::from(!accounts::is_named(&owner));
    for (account, share) in shares {
        if account == owner {
            header.earned = header.earned.saturating_add(share);
        } else {
            unnamed += usize::from(!accounts::is_named(&account));
        }
        if account == contract {
            continue;
        }
        if account == owner || accounts::is_named(&account) || unnamed <= PAID_AT_ONCE {
            balance::pay(&account, share);
        } else {
            shares::accrue(books, None, &account, share);
        }
    }
}

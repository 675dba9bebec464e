//! The shares of a mint fee.

use crate::accounts;
use crate::balance;
use crate::books::Books;
use crate::collection::header::Header;
use crate::collection::settings::Rules;
use crate::host;
use crate::shares;
use crate::split;

/// Payments to accounts without a name that one mint makes, beside the return of what was sent too much: each is charged
/// with making the account, 8.35 Tgas, and wallets attach 100.
const PAID_AT_ONCE: usize = 3;

/// Divides the `rest` of fees, without what is kept for the tokens' storage, and pays the shares; what is the contract's
/// own stays. Of accounts without a name the first few are paid, and the others' shares wait.
pub(super) fn pay_shares(books: &mut Books, header: &mut Header, rules: &Rules, rest: u128) {
    let (platform, owner) = (
        accounts::decode(&books.platform),
        accounts::decode(&books.owner),
    );
    let contract = host::current_account();
    let mut unnamed = 0;
    for (account, share) in split::fee_shares(rest, &platform, &rules.royalties, &owner) {
        if account == owner {
            header.earned = header.earned.saturating_add(share);
        }
        if account == contract {
            continue;
        }
        unnamed += usize::from(!accounts::is_named(&account));
        if accounts::is_named(&account) || unnamed <= PAID_AT_ONCE {
            balance::pay(&account, share);
        } else {
            shares::accrue(books, &account, share);
        }
    }
}

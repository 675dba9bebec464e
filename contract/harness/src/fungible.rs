//! Fungible tokens of near-contract-standards, and what buyers do with them.

use crate::chain::{NEAR, TGAS};
use crate::mintage::{CONTRACT, Scene, workspace};
use crate::outcome::TransactionOutcome;
use crate::receipt::Action;
use serde_json::{Value, json};

/// Who has all units of a token at first.
const TREASURY: &str = "treasury.near";

impl Scene {
    /// Makes a token of which each holder has so many units. Mintage's contract is registered there.
    pub fn token_contract(&mut self, token: &str, holders: &[(&str, u128)]) {
        let wasm = std::fs::read(workspace("fungible/fungible.wasm")).expect("the token is built");
        self.chain.create_contract(token, 100 * NEAR, &wasm);
        if !self.chain.exists(TREASURY) {
            self.accounts([TREASURY]);
        }
        let args = json!({ "owner_id": TREASURY, "total_supply": u64::MAX.to_string() });
        self.chain.call(token, token, "new", args, 0).json();
        self.register(token, CONTRACT);
        for (holder, amount) in holders {
            self.register(token, holder);
            let args = json!({ "receiver_id": holder, "amount": amount.to_string() });
            let sent = self.chain.call(TREASURY, token, "ft_transfer", args, 1);
            sent.result().expect("a holder is registered");
        }
    }

    /// Registers an account at a token.
    pub fn register(&mut self, token: &str, account: &str) {
        let args = json!({ "account_id": account });
        self.chain
            .call(TREASURY, token, "storage_deposit", args, NEAR / 100)
            .json();
    }

    /// Units of a token that an account has.
    pub fn units(&self, token: &str, account: &str) -> u128 {
        let args = json!({ "account_id": account });
        let shown = self.chain.view(token, "ft_balance_of", args);
        let shown = shown.expect("a token shows balances");
        shown.as_str().expect("a string").parse().expect("digits")
    }

    /// Units of a token that wait for an account in the contract.
    pub fn waiting(&self, token: &str, account: &str) -> u128 {
        let args = json!({ "account_id": account, "currency": token });
        let shown = self.view("shares_of", args);
        shown.as_str().expect("a string").parse().expect("digits")
    }

    /// Sends units of a token to the contract, with 100 Tgas as wallets attach.
    pub fn buy(&mut self, token: &str, buyer: &str, amount: u128, msg: &str) -> TransactionOutcome {
        let call = purchase(amount, msg, 100 * TGAS);
        self.chain.transact(buyer, token, vec![call])
    }

    /// Asks for what waits for the signer in a token.
    pub fn withdraw_units(&mut self, signer: &str, token: &str) -> TransactionOutcome {
        self.sign(signer, "shares_withdraw", json!({ "currency": token }))
    }
}

/// The call by which a buyer sends units of a token to the contract.
pub fn purchase(amount: u128, msg: &str, gas: u64) -> Action {
    let args: Value = json!({ "receiver_id": CONTRACT, "amount": amount.to_string(), "msg": msg });
    Action::call("ft_transfer_call", args, gas, 1)
}

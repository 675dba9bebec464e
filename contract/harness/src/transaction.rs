//! Transactions: from submission to what came of them.

use crate::chain::{Chain, GAS_PRICE, TGAS, id};
use crate::fees;
use crate::outcome::TransactionOutcome;
use crate::receipt::{Action, Receipt};
use serde_json::Value;
use std::collections::BTreeMap;

/// Why a transaction never became a receipt.
#[derive(Debug, Clone, PartialEq)]
pub enum InvalidTransaction {
    SignerDoesNotExist,
    /// yoctoNEAR missing for deposits and gas.
    NotEnoughBalance(u128),
    TotalPrepaidGasExceeded,
    TooManyActions,
    TooLarge,
}

impl Chain {
    /// Turns a transaction into a receipt for the next block and returns its number.
    pub fn submit(
        &mut self,
        signer: &str,
        receiver: &str,
        actions: Vec<Action>,
    ) -> Result<u64, InvalidTransaction> {
        let (signer, receiver) = (id(signer), id(receiver));
        let limits = &self.config.wasm_config.limit_config;
        if actions.len() as u64 > limits.max_actions_per_receipt {
            return Err(InvalidTransaction::TooManyActions);
        }
        let attached: u64 = actions.iter().map(Action::gas).sum();
        if attached > limits.max_total_prepaid_gas.as_gas() {
            return Err(InvalidTransaction::TotalPrepaidGasExceeded);
        }
        let size: usize = actions
            .iter()
            .map(|action| {
                if let Action::FunctionCall { args, .. } = action {
                    args.len()
                } else {
                    0
                }
            })
            .sum();
        if size as u64 > limits.max_transaction_size {
            return Err(InvalidTransaction::TooLarge);
        }
        let sir = signer == receiver;
        let send = fees::receipt_send(&self.config, sir)
            + actions
                .iter()
                .map(|action| fees::send(&self.config, action, &receiver, sir))
                .sum::<u64>();
        let prepaid = fees::prepaid(&self.config, &actions, &receiver);
        let deposits: u128 = actions.iter().map(Action::deposit).sum();
        let cost = deposits + u128::from(send + prepaid) * GAS_PRICE;
        let account = self
            .accounts
            .get_mut(&signer)
            .ok_or(InvalidTransaction::SignerDoesNotExist)?;
        account.amount = account
            .amount
            .checked_sub(cost)
            .ok_or_else(|| InvalidTransaction::NotEnoughBalance(cost - account.amount))?;
        self.burnt += u128::from(send) * GAS_PRICE;
        self.next_id += 1;
        let number = self.next_id;
        self.outcomes.insert(
            number,
            TransactionOutcome {
                gas: send,
                bytes: BTreeMap::new(),
                receipts: vec![],
            },
        );
        self.queue.push(Receipt {
            id: number,
            transaction: number,
            predecessor: signer.clone(),
            signer,
            receiver,
            actions,
            input: vec![],
            output: vec![],
            refund_to: None,
            is_refund: false,
        });
        Ok(number)
    }

    /// Submits a transaction, produces blocks until nothing of it is left, and one more, as a client that waits for
    /// finality would see it.
    pub fn transact(
        &mut self,
        signer: &str,
        receiver: &str,
        actions: Vec<Action>,
    ) -> TransactionOutcome {
        let number = self
            .submit(signer, receiver, actions)
            .unwrap_or_else(|error| panic!("invalid transaction: {error:?}"));
        self.settle();
        self.advance(1);
        self.outcome(number)
    }

    /// A transaction of one call with JSON arguments; 300 Tgas are attached.
    pub fn call(
        &mut self,
        signer: &str,
        receiver: &str,
        method: &str,
        args: Value,
        deposit: u128,
    ) -> TransactionOutcome {
        self.transact(
            signer,
            receiver,
            vec![Action::call(method, args, 300 * TGAS, deposit)],
        )
    }

    /// What came of a transaction, handed out once.
    pub fn outcome(&mut self, number: u64) -> TransactionOutcome {
        self.outcomes
            .remove(&number)
            .expect("the transaction was submitted and not asked for before")
    }
}

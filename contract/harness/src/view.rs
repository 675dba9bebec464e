//! Views, and the surroundings that every call sees.

use crate::chain::{Account, Chain, id};
use crate::external::{Changes, ContractExternal};
use crate::outcome::Failure;
use crate::vm;
use near_primitives_core::config::ViewConfig;
use near_primitives_core::types::{AccountId, Balance, Gas};
use near_vm_runner::logic::{ReturnData, VMContext};
use serde_json::Value;
use std::sync::Arc;

impl Chain {
    /// Asks a view method on the newest block's state.
    pub fn view(&self, account: &str, method: &str, args: Value) -> Result<Value, Failure> {
        let (bytes, _) = self.view_raw(account, method, args.to_string().into_bytes())?;
        Ok(if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes).expect("a view answers JSON")
        })
    }

    /// As `view`, with raw arguments and result, and the gas it took.
    pub fn view_raw(
        &self,
        account: &str,
        method: &str,
        args: Vec<u8>,
    ) -> Result<(Vec<u8>, u64), Failure> {
        let account_id = id(account);
        let record = self
            .accounts
            .get(&account_id)
            .ok_or(Failure::AccountDoesNotExist)?;
        let code = self.code_of(record).ok_or(Failure::CodeDoesNotExist)?;
        let limit = self.config.wasm_config.limit_config.max_gas_burnt;
        let context = VMContext {
            view_config: Some(ViewConfig {
                max_gas_burnt: limit,
            }),
            prepaid_gas: limit,
            ..self.context(&account_id, record, args, &account_id, &account_id)
        };
        let (mut changes, mut next_data) = (Changes::new(), 0);
        let mut external =
            ContractExternal::new(&account_id, &self.trie, &mut changes, None, &mut next_data);
        let outcome = vm::run(&self.config, code, method, &mut external, &context);
        match (outcome.aborted, outcome.return_data) {
            (Some(error), _) => Err(Failure::Call(error)),
            (None, ReturnData::Value(value)) => Ok((value, outcome.burnt_gas.as_gas())),
            (None, _) => Ok((vec![], outcome.burnt_gas.as_gas())),
        }
    }

    /// The surroundings of a call, without deposit, gas, seed and results.
    pub(crate) fn context(
        &self,
        receiver: &AccountId,
        record: &Account,
        args: Vec<u8>,
        signer: &AccountId,
        predecessor: &AccountId,
    ) -> VMContext {
        VMContext {
            current_account_id: receiver.clone(),
            signer_account_id: signer.clone(),
            signer_account_pk: vec![0; 33],
            predecessor_account_id: predecessor.clone(),
            refund_to_account_id: predecessor.clone(),
            input: args.into(),
            promise_results: Arc::from(vec![]),
            block_height: self.height,
            block_timestamp: self.time,
            epoch_height: self.height / 43_200,
            account_balance: Balance::from_yoctonear(record.amount),
            account_locked_balance: Balance::ZERO,
            storage_usage: record.storage_usage,
            account_contract: record.contract.clone(),
            attached_deposit: Balance::ZERO,
            prepaid_gas: Gas::ZERO,
            random_seed: vec![0; 32],
            view_config: None,
            output_data_receivers: vec![],
        }
    }
}

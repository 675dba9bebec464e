//! The actions of a receipt, one by one.

use crate::chain::{Account, Chain, GAS_PRICE};
use crate::execute::Run;
use crate::external::ContractExternal;
use crate::outcome::Failure;
use crate::receipt::{Action, Receipt};
use crate::vm;
use enum_map::Enum;
use near_parameters::ExtCosts;
use near_primitives_core::account::AccountContract;
use near_primitives_core::account::id::AccountType;
use near_primitives_core::types::{Balance, Gas};
use near_vm_runner::logic::types::PromiseResult;
use near_vm_runner::logic::{ReturnData, VMContext};
use sha2::{Digest, Sha256};
use std::rc::Rc;
use std::sync::Arc;

impl Chain {
    pub(crate) fn apply(
        &mut self,
        run: &mut Run,
        receipt: &Receipt,
        index: usize,
        results: &[Option<Vec<u8>>],
    ) -> Result<(), Failure> {
        let action = &receipt.actions[index];
        let fresh = || Account {
            amount: 0,
            storage_usage: 100,
            contract: AccountContract::None,
        };
        match action {
            Action::CreateAccount => {
                if run.account.is_some() {
                    return Err(Failure::AccountAlreadyExists);
                }
                if !receipt.receiver.is_sub_account_of(&receipt.predecessor) {
                    return Err(Failure::CreateAccountNotAllowed);
                }
                run.account = Some(fresh());
                run.actor = receipt.receiver.clone();
                return Ok(());
            }
            Action::Transfer(amount) => {
                let implicit = receipt.receiver.get_account_type() != AccountType::NamedAccount;
                if run.account.is_none()
                    && implicit
                    && !receipt.is_refund
                    && receipt.actions.len() == 1
                {
                    run.account = Some(fresh());
                }
                run.account
                    .as_mut()
                    .ok_or(Failure::AccountDoesNotExist)?
                    .amount += amount;
                return Ok(());
            }
            Action::FunctionCall { .. } => return self.call_function(run, receipt, index, results),
            _ => {}
        }
        let mut account = run.account.take().ok_or(Failure::AccountDoesNotExist)?;
        if run.actor != receipt.receiver {
            return Err(Failure::ActorNoPermission);
        }
        match action {
            Action::Deploy(code) => {
                let hash = self.keep_code(code);
                self.replace_contract(&mut account, AccountContract::Local(hash));
            }
            Action::UseGlobal(hash) => {
                if !self.globals.contains(hash) {
                    return Err(Failure::GlobalContractDoesNotExist);
                }
                self.replace_contract(&mut account, AccountContract::Global(*hash));
            }
            Action::DeployGlobal(code) => run.published.push(Arc::clone(code)),
            Action::AddFullAccessKey => account.storage_usage += 82,
            Action::DeleteAccount(_) => unimplemented!("deleting accounts"),
            Action::CreateAccount | Action::Transfer(_) | Action::FunctionCall { .. } => {
                unreachable!("handled above")
            }
        }
        run.account = Some(account);
        Ok(())
    }

    fn replace_contract(&self, account: &mut Account, contract: AccountContract) {
        account.storage_usage = account.storage_usage - self.contract_bytes(&account.contract)
            + self.contract_bytes(&contract);
        account.contract = contract;
    }

    fn call_function(
        &mut self,
        run: &mut Run,
        receipt: &Receipt,
        index: usize,
        results: &[Option<Vec<u8>>],
    ) -> Result<(), Failure> {
        let Action::FunctionCall {
            method,
            args,
            gas,
            deposit,
        } = &receipt.actions[index]
        else {
            unreachable!("only calls come here")
        };
        let account = run.account.as_mut().ok_or(Failure::AccountDoesNotExist)?;
        let code = Arc::clone(self.code_of(account).ok_or(Failure::CodeDoesNotExist)?);
        let last = index + 1 == receipt.actions.len();
        let promise_results = results.iter().map(|result| match result {
            Some(value) => PromiseResult::Successful(Rc::from(value.as_slice())),
            None => PromiseResult::Failed,
        });
        let mut seed = Sha256::new();
        for part in [self.entropy, self.height, receipt.id, index as u64] {
            seed.update(part.to_le_bytes());
        }
        let refund_to = receipt
            .refund_to
            .clone()
            .unwrap_or_else(|| receipt.predecessor.clone());
        let context = VMContext {
            attached_deposit: Balance::from_yoctonear(*deposit),
            prepaid_gas: Gas::from_gas(*gas),
            random_seed: seed.finalize().to_vec(),
            promise_results: promise_results.collect(),
            refund_to_account_id: refund_to,
            output_data_receivers: if last {
                receipt
                    .output
                    .iter()
                    .map(|output| output.receiver.clone())
                    .collect()
            } else {
                vec![]
            },
            ..self.context(
                &receipt.receiver,
                account,
                args.clone(),
                &receipt.signer,
                &receipt.predecessor,
            )
        };
        let mut next_data = self.next_data;
        let proof = std::mem::take(&mut run.proof);
        let mut external = ContractExternal::new(
            &receipt.receiver,
            &self.trie,
            &mut run.changes,
            Some(proof),
            &mut next_data,
        );
        let outcome = vm::run(&self.config, &code, method, &mut external, &context);
        let burnt = outcome.burnt_gas.as_gas();
        run.burnt += burnt;
        run.logs.extend(outcome.logs);
        for cost in (0..ExtCosts::LENGTH).map(ExtCosts::from_usize) {
            let gas = outcome.profile.get_ext_cost(cost).as_gas();
            if gas > 0 {
                *run.profile.entry(cost.to_string()).or_default() += gas;
            }
        }
        *run.profile.entry("wasm_instruction".into()).or_default() +=
            outcome.profile.get_wasm_cost().as_gas();
        let reward = self.config.fees.burnt_gas_reward;
        run.reward +=
            u128::from(burnt) * GAS_PRICE * *reward.numer() as u128 / *reward.denom() as u128;
        if let Some(error) = outcome.aborted {
            return Err(Failure::Call(error));
        }
        let given = external.spread_gas(*gas - outcome.used_gas.as_gas());
        run.used += outcome.used_gas.as_gas() + given;
        let offset = run.drafts.len() as u64;
        run.drafts.append(&mut external.drafts);
        run.proof = external.into_proof();
        run.result = match outcome.return_data {
            ReturnData::ReceiptIndex(draft) => ReturnData::ReceiptIndex(draft + offset),
            other => other,
        };
        account.amount = outcome.balance.as_yoctonear();
        account.storage_usage = outcome.storage_usage;
        run.subsidy += outcome.subsidized_amount.as_yoctonear();
        self.next_data = next_data;
        Ok(())
    }
}

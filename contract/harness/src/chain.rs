//! A chain of one shard in memory: accounts, blocks, transactions and views.

use crate::external::{Changes, ContractExternal, data_prefix};
use crate::outcome::{Failure, TransactionOutcome};
use crate::receipt::{Action, Receipt};
use crate::trie::{Proof, Trie, column};
use crate::{fees, vm};
use near_parameters::RuntimeConfig;
use near_primitives_core::account::AccountContract;
use near_primitives_core::config::ViewConfig;
use near_primitives_core::hash::CryptoHash;
use near_primitives_core::types::{AccountId, Balance, Gas};
use near_vm_runner::ContractCode;
use near_vm_runner::logic::{ReturnData, VMContext};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// yoctoNEAR in a NEAR.
pub const NEAR: u128 = 1_000_000_000_000_000_000_000_000;
/// Gas in a Tgas.
pub const TGAS: u64 = 1_000_000_000_000;
/// yoctoNEAR a gas, the network's usual minimum.
pub const GAS_PRICE: u128 = 100_000_000;
/// yoctoNEAR a byte of storage.
pub const STORAGE_PRICE: u128 = 10_000_000_000_000_000_000;
/// Nanoseconds from block to block.
pub const BLOCK_TIME: u64 = 600_000_000;

/// An account's own record.
#[derive(Clone, Debug)]
pub struct Account {
    /// yoctoNEAR.
    pub amount: u128,
    /// Bytes, with the account's own 100.
    pub storage_usage: u64,
    pub contract: AccountContract,
}

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

/// The chain. Cloning it keeps a moment to come back to.
#[derive(Clone)]
pub struct Chain {
    pub config: Arc<RuntimeConfig>,
    /// Distinguishes the random seeds of one run from those of another.
    pub entropy: u64,
    pub(crate) accounts: BTreeMap<AccountId, Account>,
    pub(crate) trie: Trie,
    pub(crate) codes: HashMap<CryptoHash, Arc<ContractCode>>,
    pub(crate) globals: HashSet<CryptoHash>,
    pub(crate) height: u64,
    pub(crate) time: u64,
    pub(crate) queue: Vec<Receipt>,
    pub(crate) postponed: Vec<Receipt>,
    /// Results on their way: number and value, `None` for a failure.
    pub(crate) arriving: Vec<(u64, Option<Vec<u8>>)>,
    pub(crate) data: HashMap<u64, Option<Vec<u8>>>,
    pub(crate) next_id: u64,
    pub(crate) next_data: u64,
    pub(crate) burnt: u128,
    pub(crate) minted: u128,
    pub(crate) outcomes: BTreeMap<u64, TransactionOutcome>,
}

/// An account id from text. Panics if it is none.
pub fn id(text: &str) -> AccountId {
    text.parse()
        .unwrap_or_else(|error| panic!("{text} is no account id: {error}"))
}

impl Default for Chain {
    fn default() -> Self {
        Self::at_version(vm::PROTOCOL_VERSION)
    }
}

impl Chain {
    /// An empty chain with the configuration of a protocol version.
    pub fn at_version(protocol_version: u32) -> Self {
        Self {
            config: vm::config(protocol_version),
            entropy: 0,
            accounts: BTreeMap::new(),
            trie: Trie::default(),
            codes: HashMap::new(),
            globals: HashSet::new(),
            height: 1_000,
            time: 1_800_000_000_000_000_000,
            queue: vec![],
            postponed: vec![],
            arriving: vec![],
            data: HashMap::new(),
            next_id: 0,
            next_data: 0,
            burnt: 0,
            minted: 0,
            outcomes: BTreeMap::new(),
        }
    }

    /// Makes an account with one full-access key out of nothing.
    pub fn create_account(&mut self, account: &str, amount: u128) {
        let account_id = id(account);
        assert!(
            !self.accounts.contains_key(&account_id),
            "{account} exists already"
        );
        self.minted += amount;
        let key = [
            &[column::ACCESS_KEY],
            account.as_bytes(),
            &[column::ACCESS_KEY],
            &[0; 33],
        ]
        .concat();
        self.trie.set(key, Some(Arc::from(&b""[..])));
        self.accounts.insert(
            account_id.clone(),
            Account {
                amount,
                storage_usage: 182,
                contract: AccountContract::None,
            },
        );
        self.mark_account(&account_id);
    }

    /// Makes an account that holds code in its own storage.
    pub fn create_contract(&mut self, account: &str, amount: u128, wasm: &[u8]) {
        self.create_account(account, amount);
        let hash = self.keep_code(wasm);
        self.set_contract(&id(account), AccountContract::Local(hash));
    }

    /// Makes an account that uses a global contract.
    pub fn create_global_contract_user(&mut self, account: &str, amount: u128, wasm: &[u8]) {
        self.create_account(account, amount);
        let hash = self.publish(wasm);
        self.set_contract(&id(account), AccountContract::Global(hash));
    }

    /// Publishes code as a global contract and returns its hash.
    pub fn publish(&mut self, wasm: &[u8]) -> CryptoHash {
        let hash = self.keep_code(wasm);
        self.globals.insert(hash);
        hash
    }

    pub(crate) fn keep_code(&mut self, wasm: &[u8]) -> CryptoHash {
        let code = ContractCode::new(wasm.to_vec(), None);
        let hash = *code.hash();
        self.codes.entry(hash).or_insert_with(|| Arc::new(code));
        hash
    }

    fn set_contract(&mut self, account: &AccountId, contract: AccountContract) {
        let bytes = self.contract_bytes(&contract);
        let record = self.accounts.get_mut(account).expect("the account exists");
        record.storage_usage += bytes;
        record.contract = contract;
        self.mark_account(account);
    }

    /// Storage that an account pays for its contract: the code, or the identifier of a global one.
    pub(crate) fn contract_bytes(&self, contract: &AccountContract) -> u64 {
        match contract {
            AccountContract::None => 0,
            AccountContract::Local(hash) => self.codes[hash].code().len() as u64,
            AccountContract::Global(_) => 32,
            AccountContract::GlobalByAccount(account) => account.len() as u64,
        }
    }

    /// Keeps the account's own records in the trie, where they shape the paths of all others.
    pub(crate) fn mark_account(&mut self, account: &AccountId) {
        let there = self.accounts.get(account);
        let local =
            there.is_some_and(|record| matches!(record.contract, AccountContract::Local(_)));
        let marker = |kept: bool| kept.then(|| Arc::from(&b""[..]));
        let key = |column: u8| [&[column], account.as_bytes()].concat();
        self.trie.set(key(column::ACCOUNT), marker(there.is_some()));
        self.trie.set(key(column::CONTRACT_CODE), marker(local));
    }

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

    /// Produces blocks until no receipt is on its way.
    pub fn settle(&mut self) {
        while !self.queue.is_empty() || !self.arriving.is_empty() {
            self.produce_block();
        }
        assert!(
            self.postponed.is_empty(),
            "receipts wait for results that nobody brings"
        );
    }

    /// Lets `blocks` empty blocks pass.
    pub fn advance(&mut self, blocks: u64) {
        assert!(self.queue.is_empty(), "receipts are on their way");
        self.height += blocks;
        self.time += blocks * BLOCK_TIME;
    }

    /// Lets time pass until the given Unix milliseconds.
    pub fn advance_to(&mut self, unix_ms: u64) {
        assert!(
            unix_ms * 1_000_000 >= self.time,
            "time does not run backwards"
        );
        self.height += 1;
        self.time = unix_ms * 1_000_000;
    }

    pub fn height(&self) -> u64 {
        self.height
    }

    /// Unix milliseconds of the newest block.
    pub fn now_ms(&self) -> u64 {
        self.time / 1_000_000
    }

    /// yoctoNEAR; zero if there is no such account.
    pub fn balance(&self, account: &str) -> u128 {
        self.accounts
            .get(&id(account))
            .map_or(0, |record| record.amount)
    }

    /// Bytes; zero if there is no such account.
    pub fn storage_usage(&self, account: &str) -> u64 {
        self.accounts
            .get(&id(account))
            .map_or(0, |record| record.storage_usage)
    }

    pub fn contract_of(&self, account: &str) -> &AccountContract {
        &self.accounts[&id(account)].contract
    }

    /// A contract's records: key and value.
    pub fn records(&self, account: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
        let prefix = data_prefix(&id(account));
        self.trie
            .under(&prefix)
            .map(|(key, value)| (key[prefix.len()..].to_vec(), value.to_vec()))
            .collect()
    }

    /// Arguments of a call that waits for the next block, to see what a contract tells others.
    pub fn pending_args(&self, receiver: &str, method: &str) -> Option<Vec<u8>> {
        let to_receiver = self
            .queue
            .iter()
            .filter(|receipt| receipt.receiver == receiver);
        to_receiver
            .flat_map(|receipt| &receipt.actions)
            .find_map(|action| match action {
                Action::FunctionCall {
                    method: name, args, ..
                } if name == method => Some(args.clone()),
                _ => None,
            })
    }

    /// yoctoNEAR that went astray: what was made less what is held, on its way and burnt. Always zero.
    pub fn unaccounted(&self) -> i128 {
        let held: u128 = self.accounts.values().map(|record| record.amount).sum();
        let moving = self
            .queue
            .iter()
            .chain(&self.postponed)
            .map(|receipt| self.carried(receipt));
        self.minted as i128 - (held + moving.sum::<u128>() + self.burnt) as i128
    }

    /// yoctoNEAR a receipt carries: deposits, and the gas paid for ahead.
    pub(crate) fn carried(&self, receipt: &Receipt) -> u128 {
        let deposits: u128 = receipt.actions.iter().map(Action::deposit).sum();
        let prepaid = if receipt.is_refund {
            0
        } else {
            fees::prepaid(&self.config, &receipt.actions, &receipt.receiver)
        };
        deposits + u128::from(prepaid) * GAS_PRICE
    }

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
        let mut external = ContractExternal::new(
            &account_id,
            &self.trie,
            &mut changes,
            Proof::default(),
            &mut next_data,
        );
        let outcome = vm::run(&self.config, code, method, &mut external, &context);
        match (outcome.aborted, outcome.return_data) {
            (Some(error), _) => Err(Failure::Call(error)),
            (None, ReturnData::Value(value)) => Ok((value, outcome.burnt_gas.as_gas())),
            (None, _) => Ok((vec![], outcome.burnt_gas.as_gas())),
        }
    }

    pub(crate) fn code_of(&self, record: &Account) -> Option<&Arc<ContractCode>> {
        match &record.contract {
            AccountContract::Local(hash) | AccountContract::Global(hash) => self.codes.get(hash),
            _ => None,
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

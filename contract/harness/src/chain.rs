//! A chain in memory: accounts, blocks, transactions and views. It has one shard unless told otherwise.

use crate::external::data_prefix;
use crate::outcome::TransactionOutcome;
use crate::receipt::{Action, Receipt};
use crate::trie::{Trie, column};
use crate::{fees, vm};
use near_parameters::RuntimeConfig;
use near_primitives_core::account::AccountContract;
use near_primitives_core::hash::CryptoHash;
use near_primitives_core::types::AccountId;
use near_vm_runner::ContractCode;
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

/// The chain. Cloning it keeps a moment to come back to.
#[derive(Clone)]
pub struct Chain {
    pub config: Arc<RuntimeConfig>,
    /// Distinguishes the random seeds of one run from those of another.
    pub entropy: u64,
    /// Shards that accounts are spread over; receipts that wait for a shard come in the order of the shards that sent them.
    pub shards: u32,
    /// Every so many blocks a shard's chunk is missing, another shard's each time, and what it should have run waits; 0:
    /// never.
    pub gaps: u64,
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
            shards: 1,
            gaps: 0,
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

    /// Whether there is such an account.
    pub fn exists(&self, account: &str) -> bool {
        self.accounts.contains_key(&id(account))
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

    /// Gives a contract a record that no call of it has written.
    pub fn plant(&mut self, account: &str, key: &[u8], value: &[u8]) {
        let key = [&data_prefix(&id(account)), key].concat();
        self.trie.set(key, Some(Arc::from(value)));
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

    pub(crate) fn code_of(&self, record: &Account) -> Option<&Arc<ContractCode>> {
        match &record.contract {
            AccountContract::Local(hash) | AccountContract::Global(hash) => self.codes.get(hash),
            _ => None,
        }
    }
}

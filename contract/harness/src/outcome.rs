//! What came of transactions and receipts.

use near_primitives_core::types::AccountId;
use near_vm_runner::logic::HostError;
use near_vm_runner::logic::errors::FunctionCallError;
use serde_json::Value;
use std::collections::BTreeMap;

/// Why an action failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    AccountDoesNotExist,
    AccountAlreadyExists,
    /// The action is for the account itself alone.
    ActorNoPermission,
    /// Only an account itself makes accounts below its name.
    CreateAccountNotAllowed,
    /// The account holds no contract.
    CodeDoesNotExist,
    /// No global contract has that hash.
    GlobalContractDoesNotExist,
    /// yoctoNEAR missing for the account's storage.
    LackBalanceForState(u128),
    /// The protocol refuses receipts of more actions or gas than its limits.
    InvalidReceipt(String),
    Call(FunctionCallError),
}

impl Failure {
    /// The contract's own message, if it panicked with one.
    pub fn panic(&self) -> Option<&str> {
        match self {
            Self::Call(FunctionCallError::HostError(HostError::GuestPanic { panic_msg })) => {
                Some(panic_msg)
            }
            _ => None,
        }
    }

    /// The code before the colon of a panic of the form `E_CODE: sentence`.
    pub fn code(&self) -> Option<&str> {
        self.panic()?.split_once(": ").map(|(code, _)| code)
    }

    /// Whether the gas ran out, that attached to the call or the protocol's limit.
    pub fn out_of_gas(&self) -> bool {
        matches!(
            self,
            Self::Call(FunctionCallError::HostError(
                HostError::GasExceeded | HostError::GasLimitExceeded
            ))
        )
    }
}

/// How a receipt ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Status {
    Value(Vec<u8>),
    /// The result is that of another receipt.
    Receipt(u64),
    /// Index of the action that failed, and why.
    Failed(usize, Failure),
}

/// One executed receipt.
#[derive(Debug, Clone)]
pub struct ReceiptOutcome {
    pub id: u64,
    pub predecessor: AccountId,
    pub receiver: AccountId,
    /// Names of the functions called, in order.
    pub methods: Vec<String>,
    /// Gas burnt, with the receipt's and the actions' own fees.
    pub gas: u64,
    pub logs: Vec<String>,
    pub status: Status,
    pub block: u64,
    pub is_refund: bool,
    /// Gas by what it was burnt for, of the calls alone: names of host function costs, and `wasm_instruction`.
    pub profile: BTreeMap<String, u64>,
    /// Bytes of the storage proof, an upper estimate.
    pub proof: usize,
}

/// A whole transaction: all receipts that came of it.
#[derive(Debug, Clone)]
pub struct TransactionOutcome {
    /// Gas burnt to turn the transaction into a receipt and by all receipts but refunds.
    pub gas: u64,
    /// Bytes of storage by which each account grew or shrank.
    pub bytes: BTreeMap<AccountId, i64>,
    pub receipts: Vec<ReceiptOutcome>,
}

impl TransactionOutcome {
    /// 10^12 gas.
    pub fn tgas(&self) -> f64 {
        self.gas as f64 / 1e12
    }

    /// Gas burnt without the receipts that only hand money over. That is how the figures of other contracts were
    /// taken: what a payment burns at its receiver (0.223 Tgas) is left out, what sending it burns is in.
    pub fn gas_of_calls(&self) -> u64 {
        let passive = self
            .receipts
            .iter()
            .filter(|receipt| !receipt.is_refund && receipt.methods.is_empty());
        self.gas - passive.map(|receipt| receipt.gas).sum::<u64>()
    }

    /// Gas by what it was burnt for, over all calls; the rest is the fees of receipts and actions.
    pub fn profile(&self) -> BTreeMap<String, u64> {
        let mut sum = BTreeMap::new();
        for (cost, gas) in self.receipts.iter().flat_map(|receipt| &receipt.profile) {
            *sum.entry(cost.clone()).or_default() += gas;
        }
        sum
    }

    /// Bytes by which the account's storage grew.
    pub fn bytes_of(&self, account: &str) -> i64 {
        self.bytes
            .iter()
            .find(|(id, _)| id.as_str() == account)
            .map_or(0, |(_, bytes)| *bytes)
    }

    /// The result of the first receipt, following the promises it returned.
    pub fn result(&self) -> Result<&[u8], &Failure> {
        let mut receipt = self.receipts.first().expect("a transaction has a receipt");
        loop {
            match &receipt.status {
                Status::Value(value) => return Ok(value),
                Status::Failed(_, failure) => return Err(failure),
                Status::Receipt(id) => {
                    receipt = self
                        .receipts
                        .iter()
                        .find(|other| other.id == *id)
                        .expect("the receipt that was returned ran")
                }
            }
        }
    }

    /// The result as JSON. Panics with the failure if there is one.
    pub fn json(&self) -> Value {
        let bytes = self
            .result()
            .unwrap_or_else(|failure| panic!("the transaction failed: {failure:?}"));
        if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(bytes).expect("the result is JSON")
        }
    }

    pub fn succeeded(&self) -> bool {
        self.result().is_ok()
    }

    /// The failure. Panics if there is none.
    pub fn failure(&self) -> &Failure {
        match self.result() {
            Err(failure) => failure,
            Ok(value) => panic!(
                "the transaction succeeded with {:?}",
                String::from_utf8_lossy(value)
            ),
        }
    }

    /// The failure's `E_CODE`, or its whole description if it has none; empty if the transaction succeeded.
    pub fn code(&self) -> String {
        match self.result() {
            Ok(_) => String::new(),
            Err(failure) => failure
                .code()
                .map_or_else(|| format!("{failure:?}"), Into::into),
        }
    }

    /// Logs of all receipts in the order of execution.
    pub fn logs(&self) -> Vec<&str> {
        self.receipts
            .iter()
            .flat_map(|receipt| receipt.logs.iter().map(String::as_str))
            .collect()
    }

    /// NEP-297 events of all receipts.
    pub fn events(&self) -> Vec<Value> {
        let events = self
            .logs()
            .into_iter()
            .filter_map(|log| log.strip_prefix("EVENT_JSON:"));
        events
            .map(|json| serde_json::from_str(json).expect("an event is JSON"))
            .collect()
    }
}

//! Actions, receipts and the data that flows between them.

use near_primitives_core::hash::CryptoHash;
use near_primitives_core::types::AccountId;
use std::sync::Arc;

/// What a transaction or a promise asks of the receiving account.
#[derive(Clone, Debug)]
pub enum Action {
    CreateAccount,
    /// Contract code, kept in the account's own storage.
    Deploy(Arc<[u8]>),
    /// Publishes code as a global contract, by its hash (NEP-591).
    DeployGlobal(Arc<[u8]>),
    /// Uses a global contract by its hash.
    UseGlobal(CryptoHash),
    /// `gas` in gas units, `deposit` in yoctoNEAR.
    FunctionCall {
        method: String,
        args: Vec<u8>,
        gas: u64,
        deposit: u128,
    },
    /// yoctoNEAR.
    Transfer(u128),
    DeleteAccount(AccountId),
    /// Actions that change nothing which a contract could see here, such as keys; only their fee counts.
    AddFullAccessKey,
}

impl Action {
    /// A call with JSON arguments.
    pub fn call(method: &str, args: serde_json::Value, gas: u64, deposit: u128) -> Self {
        Self::FunctionCall {
            method: method.into(),
            args: args.to_string().into_bytes(),
            gas,
            deposit,
        }
    }

    /// A call with arguments as they are, such as borsh.
    pub fn call_raw(method: &str, args: Vec<u8>, gas: u64, deposit: u128) -> Self {
        Self::FunctionCall {
            method: method.into(),
            args,
            gas,
            deposit,
        }
    }

    /// yoctoNEAR that the action carries to the receiver.
    pub fn deposit(&self) -> u128 {
        match self {
            Self::FunctionCall { deposit, .. } => *deposit,
            Self::Transfer(amount) => *amount,
            _ => 0,
        }
    }

    /// Gas attached to the action.
    pub fn gas(&self) -> u64 {
        match self {
            Self::FunctionCall { gas, .. } => *gas,
            _ => 0,
        }
    }
}

/// Where the result of a receipt goes.
#[derive(Clone, Debug)]
pub struct DataReceiver {
    pub data: u64,
    pub receiver: AccountId,
}

/// Actions on their way to an account.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub id: u64,
    /// The transaction it stems from.
    pub transaction: u64,
    pub predecessor: AccountId,
    pub signer: AccountId,
    pub receiver: AccountId,
    pub actions: Vec<Action>,
    /// Results it waits for, in the order in which the contract sees them.
    pub input: Vec<u64>,
    pub output: Vec<DataReceiver>,
    /// Who gets the deposits back on failure, if not the predecessor.
    pub refund_to: Option<AccountId>,
    /// Money that comes back; it pays no gas and its failure burns it.
    pub is_refund: bool,
}

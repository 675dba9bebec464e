//! Runs NEAR contracts natively, with the protocol's exact gas, on a chain kept in memory.
//!
//! The virtual machine is nearcore's own (`near-vm-runner`), and so are all fees (`near-parameters`). What the node
//! adds around it is modelled here: accounts and their balances, receipts, promises with callbacks, refunds, storage
//! accounting, the shape of the trie where gas depends on it, global contracts, views. Every receipt runs in the block
//! after the one that made it, and within a block in the order of its making. Accounts may be spread over several shards,
//! whose chunks may be missing.
//!
//! Not modelled: congestion of shards, validators, access keys' permissions and nonces, yielded promises, state init, and
//! the price at which gas is bought ahead (what is bought above the burnt price comes back).

mod apply;
mod chain;
pub mod claims;
mod execute;
mod external;
mod fees;
pub mod fungible;
pub mod mintage;
mod outcome;
mod receipt;
pub mod stub;
mod transaction;
mod trie;
mod view;
mod vm;

pub use chain::{Account, BLOCK_TIME, Chain, GAS_PRICE, NEAR, STORAGE_PRICE, TGAS, id};
pub use near_primitives_core::account::AccountContract;
pub use near_primitives_core::hash::CryptoHash;
pub use outcome::{Failure, ReceiptOutcome, Status, TransactionOutcome};
pub use receipt::Action;
pub use transaction::InvalidTransaction;
pub use vm::PROTOCOL_VERSION;

//! Blocks and the execution of receipts, after nearcore's `Runtime::apply_action_receipt`.

use crate::chain::{Account, BLOCK_TIME, Chain, GAS_PRICE, STORAGE_PRICE};
use crate::external::{Changes, Draft};
use crate::fees;
use crate::outcome::{Failure, ReceiptOutcome, Status};
use crate::receipt::{Action, Receipt};
use crate::trie::Proof;
use near_primitives_core::types::AccountId;
use near_vm_runner::logic::ReturnData;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Accounts of at most this many bytes need no balance.
const FREE_STORAGE: u64 = 770;

/// A receipt while it runs. Nothing of it reaches the chain unless all its actions succeed.
pub struct Run {
    pub account: Option<Account>,
    /// Who acts: the predecessor, or the account itself once it was created here.
    pub actor: AccountId,
    pub changes: Changes,
    pub proof: Proof,
    pub burnt: u64,
    pub used: u64,
    pub logs: Vec<String>,
    pub profile: BTreeMap<String, u64>,
    pub drafts: Vec<Draft>,
    pub published: Vec<Arc<[u8]>>,
    pub result: ReturnData,
    /// yoctoNEAR for the contract's share of the gas, until protocol version 86.
    pub reward: u128,
    pub subsidy: u128,
}

impl Chain {
    /// Produces a block: everything on its way is executed, what comes of it waits for the next.
    pub fn produce_block(&mut self) {
        self.height += 1;
        self.time += BLOCK_TIME;
        self.data.extend(std::mem::take(&mut self.arriving));
        let all: Vec<_> = self
            .postponed
            .drain(..)
            .chain(self.queue.drain(..))
            .collect();
        // A stable sort: of one sender's shard they stay in the order in which they were made.
        let mut all = all;
        all.sort_by_key(|receipt| {
            let from = self.shard_of(&receipt.predecessor);
            (self.shard_of(&receipt.receiver), from)
        });
        for receipt in all {
            let ready = |data| self.data.contains_key(data);
            if self.is_missing(self.shard_of(&receipt.receiver)) {
                self.queue.push(receipt);
            } else if receipt.input.iter().all(ready) {
                self.execute(receipt);
            } else {
                self.postponed.push(receipt);
            }
        }
    }

    /// The shard that an account lives in.
    pub fn shard_of(&self, account: &AccountId) -> u32 {
        let sum: u32 = account.as_bytes().iter().map(|&byte| u32::from(byte)).sum();
        sum % self.shards
    }

    /// Whether a shard has no chunk in the block that is being produced.
    fn is_missing(&self, shard: u32) -> bool {
        self.gaps > 0 && (self.height + u64::from(shard)).is_multiple_of(self.gaps)
    }

    fn execute(&mut self, receipt: Receipt) {
        let fee = fees::receipt_exec(&self.config);
        let mut run = Run {
            account: self.accounts.get(&receipt.receiver).cloned(),
            actor: receipt.predecessor.clone(),
            changes: Changes::new(),
            proof: Proof::default(),
            burnt: fee,
            used: fee,
            logs: vec![],
            profile: BTreeMap::new(),
            drafts: vec![],
            published: vec![],
            result: ReturnData::None,
            reward: 0,
            subsidy: 0,
        };
        let results: Vec<_> = receipt
            .input
            .iter()
            .map(|data| self.data.remove(data).expect("all results are there"))
            .collect();
        let mut failed = None;
        for (index, action) in receipt.actions.iter().enumerate() {
            let fee = fees::exec(&self.config, action, &receipt.receiver);
            run.burnt += fee;
            run.used += fee;
            run.result = ReturnData::None;
            if let Err(failure) = self.apply(&mut run, &receipt, index, &results) {
                failed = Some((index, failure));
                break;
            }
        }
        if failed.is_none() {
            failed = self
                .check(&run)
                .err()
                .map(|failure| (receipt.actions.len() - 1, failure));
        }
        let methods = receipt.actions.iter().filter_map(|action| match action {
            Action::FunctionCall { method, .. } => Some(method.clone()),
            _ => None,
        });
        let mut outcome = ReceiptOutcome {
            id: receipt.id,
            predecessor: receipt.predecessor.clone(),
            receiver: receipt.receiver.clone(),
            methods: methods.collect(),
            gas: run.burnt,
            logs: std::mem::take(&mut run.logs),
            status: Status::Value(vec![]),
            block: self.height,
            is_refund: receipt.is_refund,
            profile: std::mem::take(&mut run.profile),
            proof: run.proof.bytes,
        };
        let (used, deposit_back) = match failed {
            Some((index, failure)) => {
                outcome.status = Status::Failed(index, failure);
                (run.burnt, receipt.actions.iter().map(Action::deposit).sum())
            }
            None => (run.used, 0),
        };
        self.pay(&receipt, &run, used, deposit_back);
        match outcome.status {
            Status::Failed(..) => self.deliver(&receipt, None),
            _ => outcome.status = self.commit(&receipt, run),
        }
        let transaction = self
            .outcomes
            .get_mut(&receipt.transaction)
            .expect("the transaction is known");
        if !receipt.is_refund {
            transaction.gas += outcome.gas;
        }
        transaction.receipts.push(outcome);
    }

    /// Burns the gas and sends back what was paid ahead and not used, and deposits that were not taken.
    fn pay(&mut self, receipt: &Receipt, run: &Run, used: u64, deposit_back: u128) {
        if receipt.is_refund {
            // Nobody is there to take it.
            self.burnt += deposit_back;
            return;
        }
        let prepaid = fees::prepaid(&self.config, &receipt.actions, &receipt.receiver);
        self.burnt += u128::from(run.burnt) * GAS_PRICE - run.reward;
        let gas_back = u128::from(prepaid - used) * GAS_PRICE;
        self.refund(
            receipt,
            receipt.refund_to.as_ref().unwrap_or(&receipt.predecessor),
            deposit_back,
        );
        self.refund(receipt, &receipt.signer, gas_back);
        if run.reward > 0
            && let Some(account) = self.accounts.get_mut(&receipt.receiver)
        {
            account.amount += run.reward;
        }
    }

    fn refund(&mut self, cause: &Receipt, to: &AccountId, amount: u128) {
        if amount == 0 {
            return;
        }
        self.next_id += 1;
        self.queue.push(Receipt {
            id: self.next_id,
            transaction: cause.transaction,
            predecessor: "system".parse().expect("system is an account id"),
            signer: cause.signer.clone(),
            receiver: to.clone(),
            actions: vec![Action::Transfer(amount)],
            input: vec![],
            output: vec![],
            refund_to: None,
            is_refund: true,
        });
    }

    /// Takes over what a successful receipt did and sends its receipts. Returns its status.
    fn commit(&mut self, receipt: &Receipt, mut run: Run) -> Status {
        let before = self.storage_usage(receipt.receiver.as_str()) as i64;
        for (key, value) in run.changes {
            self.trie.set(key, value);
        }
        for code in run.published {
            self.publish(&code);
        }
        self.minted += run.subsidy;
        match run.account {
            Some(mut account) => {
                account.amount += run.reward;
                self.accounts.insert(receipt.receiver.clone(), account);
            }
            None => {
                self.accounts.remove(&receipt.receiver);
            }
        }
        self.mark_account(&receipt.receiver);
        let grown = self.storage_usage(receipt.receiver.as_str()) as i64 - before;
        let bytes = &mut self
            .outcomes
            .get_mut(&receipt.transaction)
            .expect("the transaction is known")
            .bytes;
        *bytes.entry(receipt.receiver.clone()).or_default() += grown;
        let first = self.next_id + 1;
        self.next_id += run.drafts.len() as u64;
        let status = match run.result {
            ReturnData::Value(value) => Status::Value(value),
            ReturnData::None => Status::Value(vec![]),
            ReturnData::ReceiptIndex(index) => {
                run.drafts[index as usize]
                    .output
                    .extend(receipt.output.iter().cloned());
                Status::Receipt(first + index)
            }
        };
        for (position, draft) in run.drafts.into_iter().enumerate() {
            self.queue.push(Receipt {
                id: first + position as u64,
                transaction: receipt.transaction,
                predecessor: receipt.receiver.clone(),
                signer: receipt.signer.clone(),
                receiver: draft.receiver,
                actions: draft.actions,
                input: draft.input,
                output: draft.output,
                refund_to: draft.refund_to,
                is_refund: false,
            });
        }
        if let Status::Value(value) = &status {
            self.deliver(receipt, Some(value.clone()));
        }
        status
    }

    /// Sends a result to the receipts that wait for it; it arrives in the next block.
    fn deliver(&mut self, receipt: &Receipt, result: Option<Vec<u8>>) {
        let outputs = receipt
            .output
            .iter()
            .map(|output| (output.data, result.clone()));
        self.arriving.extend(outputs);
    }

    /// What the protocol demands of an account and of new receipts at the end.
    fn check(&self, run: &Run) -> Result<(), Failure> {
        let limit = self.config.wasm_config.limit_config.max_actions_per_receipt as usize;
        if let Some(draft) = run.drafts.iter().find(|draft| draft.actions.len() > limit) {
            return Err(Failure::InvalidReceipt(format!(
                "{} actions for {}",
                draft.actions.len(),
                draft.receiver
            )));
        }
        if let Some(account) = &run.account
            && account.storage_usage > FREE_STORAGE
        {
            let needed = u128::from(account.storage_usage) * STORAGE_PRICE;
            if account.amount < needed {
                return Err(Failure::LackBalanceForState(needed - account.amount));
            }
        }
        Ok(())
    }
}

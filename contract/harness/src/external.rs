//! What a running contract reaches: its records, and the receipts it makes.

use crate::receipt::{Action, DataReceiver};
use crate::trie::{Proof, Trie, column};
use near_crypto::PublicKey;
use near_primitives_core::hash::{CryptoHash, YieldId};
use near_primitives_core::types::{AccountId, Balance, Gas, GasWeight, Nonce, NonceIndex};
use near_primitives_core::universal_state_init::{
    DecodeMode, RawStateInit, StateInitError, UniversalStateInitCounts,
};
use near_vm_runner::logic::types::{
    ActionIndex, GlobalContractDeployMode, GlobalContractIdentifier, ReceiptIndex,
};
use near_vm_runner::logic::{External, HostError, StorageAccessTracker, VMLogicError, ValuePtr};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

type Outcome<T> = Result<T, VMLogicError>;

/// Changes of one receipt, not yet in the trie; `None` is a removal.
pub type Changes = BTreeMap<Vec<u8>, Option<Arc<[u8]>>>;

/// A receipt that the contract is making.
pub struct Draft {
    pub receiver: AccountId,
    pub actions: Vec<Action>,
    pub input: Vec<u64>,
    pub output: Vec<DataReceiver>,
    pub refund_to: Option<AccountId>,
}

/// The state and the drafts of one function call.
pub struct ContractExternal<'a> {
    trie: &'a Trie,
    changes: &'a mut Changes,
    /// `None`: nothing is recorded, as in views.
    proof: Option<RefCell<Proof>>,
    next_data: &'a mut u64,
    prefix: Vec<u8>,
    pub drafts: Vec<Draft>,
    /// Draft, action and weight of each call that shares in the gas left over.
    pub weights: Vec<(usize, usize, u64)>,
}

impl<'a> ContractExternal<'a> {
    pub fn new(
        account: &AccountId,
        trie: &'a Trie,
        changes: &'a mut Changes,
        proof: Option<Proof>,
        next_data: &'a mut u64,
    ) -> Self {
        Self {
            trie,
            changes,
            proof: proof.map(RefCell::new),
            next_data,
            prefix: data_prefix(account),
            drafts: vec![],
            weights: vec![],
        }
    }

    /// The storage proof recorded so far.
    pub fn into_proof(self) -> Proof {
        self.proof.map(RefCell::into_inner).unwrap_or_default()
    }

    /// Spreads gas that was not used over the calls that have a weight; what division leaves goes to the last.
    /// Returns the gas given out.
    pub fn spread_gas(&mut self, unused: u64) -> u64 {
        let total: u128 = self
            .weights
            .iter()
            .map(|(_, _, weight)| u128::from(*weight))
            .sum();
        if total == 0 {
            return 0;
        }
        let mut given = 0;
        for (position, (draft, action, weight)) in self.weights.iter().enumerate() {
            let share = (u128::from(unused) * u128::from(*weight) / total) as u64;
            let share = if position + 1 == self.weights.len() {
                unused - given
            } else {
                share
            };
            let Action::FunctionCall { gas, .. } = &mut self.drafts[*draft].actions[*action] else {
                unreachable!("only calls have a weight")
            };
            *gas += share;
            given += share;
        }
        given
    }

    fn key(&self, key: &[u8]) -> Vec<u8> {
        [&self.prefix, key].concat()
    }

    /// The value as this receipt sees it. The second part is the number of trie nodes on the path, when the trie had
    /// to be asked.
    fn look_up(&self, key: &[u8]) -> (Option<Arc<[u8]>>, Option<u64>) {
        if let Some(changed) = self.changes.get(key) {
            return (changed.clone(), None);
        }
        let path = self.trie.path(key);
        let value = self.trie.get(key).cloned();
        if let Some(proof) = &self.proof {
            let length = value.as_ref().map(|value| value.len());
            proof.borrow_mut().visit(key, &path, length);
        }
        (value, Some(path.nodes))
    }

    fn push(&mut self, draft: ReceiptIndex, action: Action) {
        self.drafts[draft as usize].actions.push(action);
    }
}

/// Start of the trie key of every record of a contract.
pub fn data_prefix(account: &AccountId) -> Vec<u8> {
    let mut prefix = vec![column::CONTRACT_DATA];
    prefix.extend_from_slice(account.as_bytes());
    prefix.push(b',');
    prefix
}

struct Value(Arc<[u8]>);

impl ValuePtr for Value {
    fn len(&self) -> u32 {
        self.0.len() as u32
    }

    fn deref(&self, _: &mut dyn StorageAccessTracker) -> Outcome<Vec<u8>> {
        Ok(self.0.to_vec())
    }
}

/// Pays for the nodes on a path, and for the value at its end if it was fetched.
fn charge(tracker: &mut dyn StorageAccessTracker, nodes: Option<u64>, value: bool) -> Outcome<()> {
    match nodes {
        Some(nodes) => tracker.trie_node_touched(nodes + u64::from(value)),
        None => Ok(()),
    }
}

impl External for ContractExternal<'_> {
    fn storage_set(
        &mut self,
        tracker: &mut dyn StorageAccessTracker,
        key: &[u8],
        value: &[u8],
    ) -> Outcome<Option<Vec<u8>>> {
        let key = self.key(key);
        let (old, nodes) = self.look_up(&key);
        if let Some(old) = &old {
            tracker.deref_write_evicted_value_bytes(old.len() as u64)?;
        }
        charge(tracker, nodes, old.is_some())?;
        self.changes.insert(key, Some(Arc::from(value)));
        Ok(old.map(|old| old.to_vec()))
    }

    fn storage_get<'b>(
        &'b self,
        _: &mut dyn StorageAccessTracker,
        key: &[u8],
    ) -> Outcome<Option<Box<dyn ValuePtr + 'b>>> {
        let (value, _) = self.look_up(&self.key(key));
        Ok(value.map(|value| Box::new(Value(value)) as Box<dyn ValuePtr>))
    }

    fn storage_remove(
        &mut self,
        tracker: &mut dyn StorageAccessTracker,
        key: &[u8],
    ) -> Outcome<Option<Vec<u8>>> {
        let key = self.key(key);
        let (old, nodes) = self.look_up(&key);
        if let Some(old) = &old {
            tracker.deref_removed_value_bytes(old.len() as u64)?;
        }
        charge(tracker, nodes, old.is_some())?;
        self.changes.insert(key, None);
        Ok(old.map(|old| old.to_vec()))
    }

    fn storage_has_key(&mut self, _: &mut dyn StorageAccessTracker, key: &[u8]) -> Outcome<bool> {
        Ok(self.look_up(&self.key(key)).0.is_some())
    }

    fn get_recorded_storage_size(&self) -> usize {
        self.proof.as_ref().map_or(0, |proof| proof.borrow().bytes)
    }

    fn storage_proof_size_before_receipt(&self) -> usize {
        0
    }

    fn generate_data_id(&mut self) -> CryptoHash {
        *self.next_data += 1;
        CryptoHash::hash_bytes(&self.next_data.to_le_bytes())
    }

    fn validator_stake(&self, _: &AccountId) -> Outcome<Option<Balance>> {
        Ok(None)
    }

    fn validator_total_stake(&self) -> Outcome<Balance> {
        Ok(Balance::ZERO)
    }

    fn chain_id(&self) -> String {
        "harness".into()
    }

    fn create_action_receipt(
        &mut self,
        dependencies: Vec<ReceiptIndex>,
        receiver: AccountId,
    ) -> Outcome<ReceiptIndex> {
        let mut input = vec![];
        for dependency in dependencies {
            *self.next_data += 1;
            input.push(*self.next_data);
            let receiver = DataReceiver {
                data: *self.next_data,
                receiver: receiver.clone(),
            };
            self.drafts[dependency as usize].output.push(receiver);
        }
        self.drafts.push(Draft {
            receiver,
            actions: vec![],
            input,
            output: vec![],
            refund_to: None,
        });
        Ok(self.drafts.len() as u64 - 1)
    }

    fn get_receipt_receiver(&self, draft: ReceiptIndex) -> &AccountId {
        &self.drafts[draft as usize].receiver
    }

    fn set_refund_to(&mut self, draft: ReceiptIndex, refund_to: AccountId) {
        self.drafts[draft as usize].refund_to = Some(refund_to);
    }

    fn append_action_create_account(&mut self, draft: ReceiptIndex) {
        self.push(draft, Action::CreateAccount);
    }

    fn append_action_deploy_contract(&mut self, draft: ReceiptIndex, code: Vec<u8>) {
        self.push(draft, Action::Deploy(code.into()));
    }

    fn append_action_deploy_global_contract(
        &mut self,
        draft: ReceiptIndex,
        code: Vec<u8>,
        mode: GlobalContractDeployMode,
    ) {
        assert_eq!(
            mode,
            GlobalContractDeployMode::CodeHash,
            "global contracts by account are not modelled"
        );
        self.push(draft, Action::DeployGlobal(code.into()));
    }

    fn append_action_use_global_contract(
        &mut self,
        draft: ReceiptIndex,
        contract: GlobalContractIdentifier,
    ) {
        let GlobalContractIdentifier::CodeHash(hash) = contract else {
            panic!("global contracts by account are not modelled")
        };
        self.push(draft, Action::UseGlobal(hash));
    }

    fn append_action_function_call_weight(
        &mut self,
        draft: ReceiptIndex,
        method: Vec<u8>,
        args: Vec<u8>,
        deposit: Balance,
        gas: Gas,
        weight: GasWeight,
    ) -> Outcome<()> {
        let method = String::from_utf8(method).map_err(|_| HostError::InvalidMethodName)?;
        self.push(
            draft,
            Action::FunctionCall {
                method,
                args,
                gas: gas.as_gas(),
                deposit: deposit.as_yoctonear(),
            },
        );
        if weight.0 > 0 {
            self.weights.push((
                draft as usize,
                self.drafts[draft as usize].actions.len() - 1,
                weight.0,
            ));
        }
        Ok(())
    }

    fn append_action_transfer(&mut self, draft: ReceiptIndex, amount: Balance) {
        self.push(draft, Action::Transfer(amount.as_yoctonear()));
    }

    fn append_action_add_key_with_full_access(
        &mut self,
        draft: ReceiptIndex,
        _: PublicKey,
        _: Nonce,
    ) {
        self.push(draft, Action::AddFullAccessKey);
    }

    fn append_action_delete_account(&mut self, draft: ReceiptIndex, beneficiary: AccountId) {
        self.push(draft, Action::DeleteAccount(beneficiary));
    }

    fn post_quantum_keys_enabled(&self) -> bool {
        true
    }

    // What follows no contract here imports; a contract that does stops the harness rather than being misjudged.

    fn create_promise_yield_receipt(
        &mut self,
        _: AccountId,
    ) -> Outcome<(ReceiptIndex, CryptoHash)> {
        unimplemented!("promise_yield_create")
    }

    fn create_promise_yield_receipt_with_id(
        &mut self,
        _: AccountId,
        _: YieldId,
    ) -> Outcome<Option<(ReceiptIndex, CryptoHash)>> {
        unimplemented!("promise_yield_create_with_id")
    }

    fn submit_promise_resume_data(&mut self, _: CryptoHash, _: Vec<u8>) -> Outcome<bool> {
        unimplemented!("promise_yield_resume")
    }

    fn submit_promise_resume_data_with_yield_id(
        &mut self,
        _: YieldId,
        _: Vec<u8>,
    ) -> Outcome<bool> {
        unimplemented!("promise_yield_resume_with_yield_id")
    }

    fn append_action_deterministic_state_init(
        &mut self,
        _: ReceiptIndex,
        _: GlobalContractIdentifier,
        _: Balance,
    ) -> ActionIndex {
        unimplemented!("promise_batch_action_state_init")
    }

    fn set_deterministic_state_init_data_entry(
        &mut self,
        _: ReceiptIndex,
        _: ActionIndex,
        _: Vec<u8>,
        _: Vec<u8>,
    ) -> Outcome<()> {
        unimplemented!("set_state_init_data_entry")
    }

    fn check_state_init(&self, _: &RawStateInit) -> Result<(), StateInitError> {
        unimplemented!("universal_state_init_to_account_id")
    }

    fn state_init_send_counts(&self, _: &RawStateInit, _: DecodeMode) -> UniversalStateInitCounts {
        unimplemented!("promise_batch_action_universal_state_init")
    }

    fn append_action_universal_state_init(&mut self, _: ReceiptIndex, _: RawStateInit, _: Balance) {
        unimplemented!("promise_batch_action_universal_state_init")
    }

    fn append_action_transfer_to_gas_key(&mut self, _: ReceiptIndex, _: PublicKey, _: Balance) {
        unimplemented!("promise_batch_action_transfer_to_gas_key")
    }

    fn append_action_add_gas_key_with_full_access(
        &mut self,
        _: ReceiptIndex,
        _: PublicKey,
        _: NonceIndex,
    ) {
        unimplemented!("promise_batch_action_add_gas_key_with_full_access")
    }

    fn append_action_add_gas_key_with_function_call(
        &mut self,
        _: ReceiptIndex,
        _: PublicKey,
        _: NonceIndex,
        _: Option<Balance>,
        _: AccountId,
        _: Vec<Vec<u8>>,
    ) -> Outcome<()> {
        unimplemented!("promise_batch_action_add_gas_key_with_function_call")
    }

    fn append_action_stake(&mut self, _: ReceiptIndex, _: Balance, _: PublicKey) {
        unimplemented!("promise_batch_action_stake")
    }

    fn append_action_add_key_with_function_call(
        &mut self,
        _: ReceiptIndex,
        _: PublicKey,
        _: Nonce,
        _: Option<Balance>,
        _: AccountId,
        _: Vec<Vec<u8>>,
    ) -> Outcome<()> {
        unimplemented!("promise_batch_action_add_key_with_function_call")
    }

    fn append_action_delete_key(&mut self, _: ReceiptIndex, _: PublicKey) {
        unimplemented!("promise_batch_action_delete_key")
    }
}

//! What actions cost to send and to execute, from the protocol's own table.

use crate::receipt::Action;
use near_parameters::{ActionCosts, RuntimeConfig, transfer_exec_fee, transfer_send_fee};
use near_primitives_core::types::AccountId;

/// Gas to send `action` to `receiver`; `sir`: the sender is the receiver.
pub fn send(config: &RuntimeConfig, action: &Action, receiver: &AccountId, sir: bool) -> u64 {
    let Some(parts) = parts(action) else {
        let wasm = &config.wasm_config;
        let (eth, universal) = (wasm.eth_implicit_accounts, wasm.universal_accounts);
        let kind = receiver.get_account_type();
        return transfer_send_fee(&config.fees, sir, eth, universal, kind)
            .gas
            .as_gas();
    };
    parts.total(|cost| config.fees.fee(cost).send_fee(sir).gas.as_gas())
}

/// Gas to execute `action` at `receiver`, without what a called function burns.
pub fn exec(config: &RuntimeConfig, action: &Action, receiver: &AccountId) -> u64 {
    let Some(parts) = parts(action) else {
        let wasm = &config.wasm_config;
        let (eth, universal) = (wasm.eth_implicit_accounts, wasm.universal_accounts);
        let kind = receiver.get_account_type();
        return transfer_exec_fee(&config.fees, eth, universal, kind)
            .gas
            .as_gas();
    };
    parts.total(|cost| config.fees.fee(cost).exec_fee().gas.as_gas())
}

/// What an action's fee is made of, be it to send or to execute: a base, and so much a byte.
struct Parts {
    base: ActionCosts,
    bytes: Option<(ActionCosts, usize)>,
}

impl Parts {
    fn total(&self, gas: impl Fn(ActionCosts) -> u64) -> u64 {
        let sized = |(cost, bytes): (ActionCosts, usize)| gas(cost) * bytes as u64;
        gas(self.base) + self.bytes.map_or(0, sized)
    }
}

/// None for a transfer, whose fee depends on the kind of account that receives it.
fn parts(action: &Action) -> Option<Parts> {
    use ActionCosts as Cost;
    let (base, bytes) = match action {
        Action::CreateAccount => (Cost::create_account, None),
        Action::Deploy(code) => (
            Cost::deploy_contract_base,
            Some((Cost::deploy_contract_byte, code.len())),
        ),
        Action::DeployGlobal(code) => (
            Cost::deploy_global_contract_base,
            Some((Cost::deploy_global_contract_byte, code.len())),
        ),
        Action::UseGlobal(_) => (
            Cost::use_global_contract_base,
            Some((Cost::use_global_contract_byte, 32)),
        ),
        Action::FunctionCall { method, args, .. } => (
            Cost::function_call_base,
            Some((Cost::function_call_byte, method.len() + args.len())),
        ),
        Action::DeleteAccount(_) => (Cost::delete_account, None),
        Action::AddFullAccessKey => (Cost::add_full_access_key, None),
        Action::Transfer(_) => return None,
    };
    Some(Parts { base, bytes })
}

/// Gas to send a receipt, without its actions.
pub fn receipt_send(config: &RuntimeConfig, sir: bool) -> u64 {
    config
        .fees
        .fee(ActionCosts::new_action_receipt)
        .send_fee(sir)
        .gas
        .as_gas()
}

/// Gas to execute a receipt, without its actions.
pub fn receipt_exec(config: &RuntimeConfig) -> u64 {
    config
        .fees
        .fee(ActionCosts::new_action_receipt)
        .exec_fee()
        .gas
        .as_gas()
}

/// Gas that a receipt has paid for ahead: fees of execution and gas attached to calls.
pub fn prepaid(config: &RuntimeConfig, actions: &[Action], receiver: &AccountId) -> u64 {
    receipt_exec(config)
        + actions
            .iter()
            .map(|action| exec(config, action, receiver) + action.gas())
            .sum::<u64>()
}

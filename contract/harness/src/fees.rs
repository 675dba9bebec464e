//! What actions cost to send and to execute, from the protocol's own table.

use crate::receipt::Action;
use near_parameters::{ActionCosts, RuntimeConfig, transfer_exec_fee, transfer_send_fee};
use near_primitives_core::types::AccountId;

/// Gas to send `action` to `receiver`; `sir`: the sender is the receiver.
pub fn send(config: &RuntimeConfig, action: &Action, receiver: &AccountId, sir: bool) -> u64 {
    let base = |cost| config.fees.fee(cost).send_fee(sir).gas.as_gas();
    let sized = |cost, per_byte, bytes: usize| base(cost) + base(per_byte) * bytes as u64;
    match action {
        Action::CreateAccount => base(ActionCosts::create_account),
        Action::Deploy(code) => sized(
            ActionCosts::deploy_contract_base,
            ActionCosts::deploy_contract_byte,
            code.len(),
        ),
        Action::DeployGlobal(code) => sized(
            ActionCosts::deploy_global_contract_base,
            ActionCosts::deploy_global_contract_byte,
            code.len(),
        ),
        Action::UseGlobal(_) => sized(
            ActionCosts::use_global_contract_base,
            ActionCosts::use_global_contract_byte,
            32,
        ),
        Action::FunctionCall { method, args, .. } => sized(
            ActionCosts::function_call_base,
            ActionCosts::function_call_byte,
            method.len() + args.len(),
        ),
        Action::Transfer(_) => {
            let wasm = &config.wasm_config;
            let kind = receiver.get_account_type();
            transfer_send_fee(
                &config.fees,
                sir,
                wasm.eth_implicit_accounts,
                wasm.universal_accounts,
                kind,
            )
            .gas
            .as_gas()
        }
        Action::DeleteAccount(_) => base(ActionCosts::delete_account),
        Action::AddFullAccessKey => base(ActionCosts::add_full_access_key),
    }
}

/// Gas to execute `action` at `receiver`, without what a called function burns.
pub fn exec(config: &RuntimeConfig, action: &Action, receiver: &AccountId) -> u64 {
    let base = |cost| config.fees.fee(cost).exec_fee().gas.as_gas();
    let sized = |cost, per_byte, bytes: usize| base(cost) + base(per_byte) * bytes as u64;
    match action {
        Action::CreateAccount => base(ActionCosts::create_account),
        Action::Deploy(code) => sized(
            ActionCosts::deploy_contract_base,
            ActionCosts::deploy_contract_byte,
            code.len(),
        ),
        Action::DeployGlobal(code) => sized(
            ActionCosts::deploy_global_contract_base,
            ActionCosts::deploy_global_contract_byte,
            code.len(),
        ),
        Action::UseGlobal(_) => sized(
            ActionCosts::use_global_contract_base,
            ActionCosts::use_global_contract_byte,
            32,
        ),
        Action::FunctionCall { method, args, .. } => sized(
            ActionCosts::function_call_base,
            ActionCosts::function_call_byte,
            method.len() + args.len(),
        ),
        Action::Transfer(_) => {
            let wasm = &config.wasm_config;
            let kind = receiver.get_account_type();
            transfer_exec_fee(
                &config.fees,
                wasm.eth_implicit_accounts,
                wasm.universal_accounts,
                kind,
            )
            .gas
            .as_gas()
        }
        Action::DeleteAccount(_) => base(ActionCosts::delete_account),
        Action::AddFullAccessKey => base(ActionCosts::add_full_access_key),
    }
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

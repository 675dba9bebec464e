//! The host functions this contract uses, as values. Registers are the protocol's scratch space; 0 is the only one that is
//! read.

use crate::error::{Code, Failure, Outcome};
use crate::json::{Object, Writer};
use crate::prelude::*;
use near_sys as sys;

const REGISTER: u64 = 0;
/// A register that nothing reads, for what is not asked for. It is one like the others: what is put there is paid for.
const NO_REGISTER: u64 = u64::MAX;

/// A failure's text ends here: it may repeat what the caller sent, and the protocol takes no more than 16 kB.
const FAILURE_LIMIT: usize = 1_024;

/// Ends the call with a failure; nothing of it stays.
pub fn fail(failure: Failure) -> ! {
    let text = failure.text();
    let mut length = text.len().min(FAILURE_LIMIT);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    unsafe { sys::panic_utf8(length as u64, text.as_ptr() as u64) }
}

/// `fail` with a code and a sentence.
pub fn refuse(code: Code, message: &str) -> ! {
    fail(Failure::new(code, message))
}

/// Refuses with a sentence that ends in an amount.
pub fn refuse_amount(code: Code, sentence: &str, amount: u128) -> ! {
    fail(Failure::amount(code, sentence, amount))
}

/// A record that can't be read: the code and the storage do not belong together.
pub fn corrupt() -> ! {
    refuse(Code::Internal, "A stored record can't be read.")
}

/// Turns what Rust itself refuses (overflow, an index out of range) into the contract's own failure.
#[panic_handler]
fn unexpected(info: &core::panic::PanicInfo) -> ! {
    let mut message = String::from("The contract met a state it does not expect, at ");
    if let Some(place) = info.location() {
        message.push_str(place.file());
        message.push(':');
        crate::codec::put_decimal(&mut message, u64::from(place.line()));
    }
    message.push('.');
    refuse(Code::Internal, &message)
}

fn register() -> Vec<u8> {
    unsafe {
        let length = sys::register_len(REGISTER) as usize;
        let mut bytes = Vec::with_capacity(length);
        sys::read_register(REGISTER, bytes.as_mut_ptr() as u64);
        bytes.set_len(length);
        bytes
    }
}

fn text(fill: unsafe extern "C" fn(u64)) -> String {
    unsafe {
        fill(REGISTER);
        // SAFETY: account ids are ASCII by the protocol.
        String::from_utf8_unchecked(register())
    }
}

fn amount(fill: unsafe extern "C" fn(u64)) -> u128 {
    let mut bytes = [0u8; 16];
    unsafe { fill(bytes.as_mut_ptr() as u64) };
    u128::from_le_bytes(bytes)
}

pub fn predecessor() -> String {
    text(sys::predecessor_account_id)
}

pub fn current_account() -> String {
    text(sys::current_account_id)
}

/// The call's arguments. They are never given back, which the allocator doesn't do anyway: the memory ends with the call.
pub fn input() -> &'static [u8] {
    unsafe {
        sys::input(REGISTER);
        register().leak()
    }
}

pub fn attached_deposit() -> u128 {
    amount(sys::attached_deposit)
}

/// Yoctonear on the account, with the attached deposit and without what this call has sent.
pub fn account_balance() -> u128 {
    amount(sys::account_balance)
}

pub fn storage_usage() -> u64 {
    unsafe { sys::storage_usage() }
}

pub fn block_height() -> u64 {
    unsafe { sys::block_index() }
}

/// Unix milliseconds of the block.
pub fn now_ms() -> u64 {
    unsafe { sys::block_timestamp() / 1_000_000 }
}

/// Unix seconds of the block.
pub fn now_s() -> u32 {
    (now_ms() / 1000) as u32
}

pub fn gas_left() -> u64 {
    unsafe { sys::prepaid_gas() - sys::used_gas() }
}

pub fn random_seed() -> Vec<u8> {
    unsafe {
        sys::random_seed(REGISTER);
        register()
    }
}

pub fn sha256(bytes: &[u8]) -> Vec<u8> {
    unsafe {
        sys::sha256(bytes.len() as u64, bytes.as_ptr() as u64, REGISTER);
        register()
    }
}

pub fn read(key: &[u8]) -> Option<Vec<u8>> {
    let found = unsafe { sys::storage_read(key.len() as u64, key.as_ptr() as u64, REGISTER) };
    (found == 1).then(register)
}

pub fn write(key: &[u8], value: &[u8]) {
    store(key, value, NO_REGISTER);
}

/// Writes and returns what was there before.
pub fn replace(key: &[u8], value: &[u8]) -> Option<Vec<u8>> {
    (store(key, value, REGISTER) == 1).then(register)
}

fn store(key: &[u8], value: &[u8], register: u64) -> u64 {
    unsafe {
        sys::storage_write(
            key.len() as u64,
            key.as_ptr() as u64,
            value.len() as u64,
            value.as_ptr() as u64,
            register,
        )
    }
}

pub fn remove(key: &[u8]) {
    unsafe { sys::storage_remove(key.len() as u64, key.as_ptr() as u64, NO_REGISTER) };
}

/// Whether `signature` is the ed25519 signature of `message` by the holder of `key`.
pub fn ed25519_verify(signature: &[u8; 64], message: &[u8], key: &[u8; 32]) -> bool {
    let verified = unsafe {
        sys::ed25519_verify(
            signature.len() as u64,
            signature.as_ptr() as u64,
            message.len() as u64,
            message.as_ptr() as u64,
            key.len() as u64,
            key.as_ptr() as u64,
        )
    };
    verified == 1
}

pub fn log(message: &str) {
    unsafe { sys::log_utf8(message.len() as u64, message.as_ptr() as u64) }
}

/// A rule's refusal ends the call.
pub trait OrFail<T> {
    fn or_fail(self) -> T;
}

impl<T> OrFail<T> for Outcome<T> {
    fn or_fail(self) -> T {
        self.unwrap_or_else(|failure| fail(failure))
    }
}

/// The call's arguments as JSON.
pub fn args() -> Object<'static> {
    Object::parse(input()).or_fail()
}

pub fn return_bytes(bytes: &[u8]) {
    unsafe { sys::value_return(bytes.len() as u64, bytes.as_ptr() as u64) }
}

/// Ends the call with a result in JSON, as `write` writes it.
pub fn return_json(write: impl FnOnce(&mut Writer)) {
    let mut writer = Writer::default();
    write(&mut writer);
    return_bytes(writer.into_string().as_bytes());
}

/// Ends the call with a list in JSON, which ends with the item that reaches `length` bytes. Whoever reads on begins behind
/// the items that came.
pub fn return_list<T>(
    length: usize,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Writer, T),
) {
    return_json(|json| {
        json.open('[');
        for item in items {
            write(json, item);
            if json.written() >= length {
                break;
            }
        }
        json.close(']');
    });
}

pub fn return_number(value: u32) {
    return_json(|json| {
        json.number(u64::from(value));
    });
}

pub fn return_bool(value: bool) {
    return_bytes(if value { b"true" } else { b"false" });
}

/// A receipt to an account, to which actions are added.
pub struct Receipt(u64);

impl Receipt {
    pub fn to(account: &str) -> Self {
        Self(unsafe { sys::promise_batch_create(account.len() as u64, account.as_ptr() as u64) })
    }

    /// A receipt that waits for this one.
    pub fn then(&self, account: &str) -> Self {
        Self(unsafe {
            sys::promise_batch_then(self.0, account.len() as u64, account.as_ptr() as u64)
        })
    }

    pub fn transfer(self, amount: u128) -> Self {
        let bytes = amount.to_le_bytes();
        unsafe { sys::promise_batch_action_transfer(self.0, bytes.as_ptr() as u64) };
        self
    }

    /// A call without deposit; `weight` is its share of the gas that this call leaves over.
    pub fn call(self, method: &str, args: &[u8], gas: u64, weight: u64) -> Self {
        self.call_with(0, method, args, (gas, weight))
    }

    /// A call with a deposit in yoctonear.
    pub fn call_with(
        self,
        deposit: u128,
        method: &str,
        args: &[u8],
        (gas, weight): (u64, u64),
    ) -> Self {
        let deposit = deposit.to_le_bytes();
        unsafe {
            sys::promise_batch_action_function_call_weight(
                self.0,
                method.len() as u64,
                method.as_ptr() as u64,
                args.len() as u64,
                args.as_ptr() as u64,
                deposit.as_ptr() as u64,
                gas,
                weight,
            )
        };
        self
    }

    pub fn use_global_contract(self, code_hash: &[u8; 32]) -> Self {
        unsafe {
            sys::promise_batch_action_use_global_contract(self.0, 32, code_hash.as_ptr() as u64)
        };
        self
    }

    /// Makes this receipt's result the call's result.
    pub fn return_it(self) {
        unsafe { sys::promise_return(self.0) }
    }
}

/// Whether the receipt this call waited for succeeded; what it returned is left alone.
pub fn promise_succeeded() -> bool {
    unsafe { sys::promise_result(0, NO_REGISTER) == 1 }
}

/// The result of the receipt this call waited for; `None` if it failed or is longer than `most` bytes.
pub fn promise_result(most: usize) -> Option<Vec<u8>> {
    unsafe {
        let success = sys::promise_result(0, REGISTER) == 1;
        (success && sys::register_len(REGISTER) as usize <= most).then(register)
    }
}

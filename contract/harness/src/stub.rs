//! Small contracts of fixed behaviour: receivers that keep, refuse, panic, burn their gas or call on.

/// What a method of a stub does.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// Returns these bytes.
    Return(Vec<u8>),
    /// Returns nothing.
    Nothing,
    /// Panics with this message.
    Panic(String),
    /// Loops until the gas is gone.
    BurnAllGas,
    /// Makes calls, each after the other, and then returns bytes.
    Calls(Vec<Call>, Vec<u8>),
    /// Makes two calls at once and one after both, whose result it returns.
    Join(Call, Call, Call),
    /// Returns the results that a callback was given, as `ok:<bytes>` or `failed`, joined by commas.
    Results,
    /// Makes a call and returns its result.
    Forward(Call),
    /// Writes a record: key and value.
    Write(Vec<u8>, Vec<u8>),
}

/// A call that a stub makes.
#[derive(Clone, Debug)]
pub struct Call {
    pub account: String,
    pub method: String,
    pub args: String,
    /// yoctoNEAR.
    pub deposit: u128,
    /// Gas attached.
    pub gas: u64,
}

impl Call {
    pub fn new(
        account: &str,
        method: &str,
        args: serde_json::Value,
        gas: u64,
        deposit: u128,
    ) -> Self {
        Self {
            account: account.into(),
            method: method.into(),
            args: args.to_string(),
            deposit,
            gas,
        }
    }
}

/// Writes the text of a module, with its constants in a data section.
struct Module {
    data: Vec<u8>,
    functions: String,
}

impl Module {
    /// Places constant bytes; returns length and address, as host functions take them.
    fn constant(&mut self, bytes: &[u8]) -> String {
        let at = self.data.len() + 4096;
        self.data.extend_from_slice(bytes);
        format!("(i64.const {}) (i64.const {at})", bytes.len())
    }

    fn call(&mut self, head: &str, call: &Call) -> String {
        let (account, method) = (
            self.constant(call.account.as_bytes()),
            self.constant(call.method.as_bytes()),
        );
        let (args, deposit) = (
            self.constant(call.args.as_bytes()),
            self.constant(&call.deposit.to_le_bytes()),
        );
        let deposit = deposit
            .split_once(") ")
            .expect("a length and an address")
            .1
            .to_owned();
        format!(
            "({head} {account} {method} {args} {deposit} (i64.const {}))",
            call.gas
        )
    }

    fn method(&mut self, name: &str, behaviour: &Behaviour) {
        let body = match behaviour {
            Behaviour::Nothing => String::new(),
            Behaviour::Return(bytes) => format!("(call $value_return {})", self.constant(bytes)),
            Behaviour::Panic(message) => {
                format!("(call $panic_utf8 {})", self.constant(message.as_bytes()))
            }
            Behaviour::BurnAllGas => "(loop $again (br $again))".into(),
            Behaviour::Calls(calls, bytes) => {
                let calls: String = calls
                    .iter()
                    .map(|call| format!("(drop {})", self.call("call $promise_create", call)))
                    .collect();
                format!("{calls} (call $value_return {})", self.constant(bytes))
            }
            Behaviour::Forward(call) => {
                format!(
                    "(call $promise_return {})",
                    self.call("call $promise_create", call)
                )
            }
            Behaviour::Join(first, second, then) => {
                let (first, second) = (
                    self.call("call $promise_create", first),
                    self.call("call $promise_create", second),
                );
                let joint = "(call $promise_and (i64.const 0) (i64.const 2))";
                let then = self.call(&format!("call $promise_then {joint}"), then);
                format!(
                    "(i64.store (i32.const 0) {first}) (i64.store (i32.const 8) {second}) (call $promise_return {then})"
                )
            }
            Behaviour::Write(key, value) => {
                let (key, value) = (self.constant(key), self.constant(value));
                format!("(drop (call $storage_write {key} {value} (i64.const 0)))")
            }
            Behaviour::Results => RESULTS.into(),
        };
        self.functions += &format!("(func (export \"{name}\") {body})\n");
    }
}

/// Appends each result to memory at 1024 and returns the whole.
const RESULTS: &str = r#"(local $at i32) (local $index i64)
  (local.set $at (i32.const 1024))
  (block $done (loop $next
    (br_if $done (i64.ge_u (local.get $index) (call $promise_results_count)))
    (if (i64.eqz (local.get $index)) (then) (else
      (i32.store8 (local.get $at) (i32.const 44))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    (if (i64.eq (call $promise_result (local.get $index) (i64.const 0)) (i64.const 1))
      (then
        (i32.store8 (local.get $at) (i32.const 111)) (i32.store8 (i32.add (local.get $at) (i32.const 1)) (i32.const 107))
        (i32.store8 (i32.add (local.get $at) (i32.const 2)) (i32.const 58))
        (local.set $at (i32.add (local.get $at) (i32.const 3)))
        (call $read_register (i64.const 0) (i64.extend_i32_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.wrap_i64 (call $register_len (i64.const 0))))))
      (else
        (i32.store (local.get $at) (i32.const 0x6c696166)) (i32.store16 (i32.add (local.get $at) (i32.const 4)) (i32.const 0x6465))
        (local.set $at (i32.add (local.get $at) (i32.const 6)))))
    (local.set $index (i64.add (local.get $index) (i64.const 1)))
    (br $next)))
  (call $value_return (i64.extend_i32_u (i32.sub (local.get $at) (i32.const 1024))) (i64.const 1024))"#;

const IMPORTS: &str = r#"
  (import "env" "value_return" (func $value_return (param i64 i64)))
  (import "env" "panic_utf8" (func $panic_utf8 (param i64 i64)))
  (import "env" "promise_create" (func $promise_create (param i64 i64 i64 i64 i64 i64 i64 i64) (result i64)))
  (import "env" "promise_then" (func $promise_then (param i64 i64 i64 i64 i64 i64 i64 i64 i64) (result i64)))
  (import "env" "promise_and" (func $promise_and (param i64 i64) (result i64)))
  (import "env" "promise_return" (func $promise_return (param i64)))
  (import "env" "promise_results_count" (func $promise_results_count (result i64)))
  (import "env" "promise_result" (func $promise_result (param i64 i64) (result i64)))
  (import "env" "read_register" (func $read_register (param i64 i64)))
  (import "env" "register_len" (func $register_len (param i64) (result i64)))
  (import "env" "storage_write" (func $storage_write (param i64 i64 i64 i64 i64) (result i64)))
"#;

/// The wasm of a contract with these methods.
pub fn contract(methods: &[(&str, Behaviour)]) -> Vec<u8> {
    let mut module = Module {
        data: vec![],
        functions: String::new(),
    };
    for (name, behaviour) in methods {
        module.method(name, behaviour);
    }
    let data: String = module
        .data
        .iter()
        .map(|byte| format!("\\{byte:02x}"))
        .collect();
    let text = format!(
        "(module {IMPORTS} (memory (export \"memory\") 2) (data (i32.const 4096) \"{data}\") {})",
        module.functions
    );
    wat::parse_str(text).expect("the module is well formed")
}

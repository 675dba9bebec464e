;; A contract for the conformance suite: one method for each behaviour of the runtime that a client can tell.
(module
  (import "env" "input" (func $input (param i64)))
  (import "env" "current_account_id" (func $current_account_id (param i64)))
  (import "env" "random_seed" (func $random_seed (param i64)))
  (import "env" "register_len" (func $register_len (param i64) (result i64)))
  (import "env" "read_register" (func $read_register (param i64 i64)))
  (import "env" "value_return" (func $value_return (param i64 i64)))
  (import "env" "log_utf8" (func $log_utf8 (param i64 i64)))
  (import "env" "panic_utf8" (func $panic_utf8 (param i64 i64)))
  (import "env" "storage_write" (func $storage_write (param i64 i64 i64 i64 i64) (result i64)))
  (import "env" "storage_read" (func $storage_read (param i64 i64 i64) (result i64)))
  (import "env" "storage_remove" (func $storage_remove (param i64 i64 i64) (result i64)))
  (import "env" "storage_usage" (func $storage_usage (result i64)))
  (import "env" "promise_create"
    (func $promise_create (param i64 i64 i64 i64 i64 i64 i64 i64) (result i64)))
  (import "env" "promise_then"
    (func $promise_then (param i64 i64 i64 i64 i64 i64 i64 i64 i64) (result i64)))
  (import "env" "promise_and" (func $promise_and (param i64 i64) (result i64)))
  (import "env" "promise_return" (func $promise_return (param i64)))
  (import "env" "promise_results_count" (func $promise_results_count (result i64)))
  (import "env" "promise_result" (func $promise_result (param i64 i64) (result i64)))
  (import "env" "promise_batch_create" (func $promise_batch_create (param i64 i64) (result i64)))
  (import "env" "promise_batch_action_transfer" (func $transfer (param i64 i64)))
  (import "env" "promise_yield_create" (func $yield_create (param i64 i64 i64 i64 i64 i64 i64) (result i64)))
  (import "env" "promise_yield_resume" (func $yield_resume (param i64 i64 i64 i64) (result i32)))
  (import "env" "used_gas" (func $used_gas (result i64)))
  (import "env" "ed25519_verify" (func $ed25519_verify (param i64 i64 i64 i64 i64 i64) (result i64)))

  (memory 1)
  (data (i32.const 0) "hello")
  (data (i32.const 16) "E_PROBE: it failed")
  (data (i32.const 48) "key")
  (data (i32.const 64) "echo")
  (data (i32.const 72) "fail")
  (data (i32.const 80) "collect")
  ;; 96: sixteen zero bytes, a deposit of nothing; 112: one yoctoNEAR
  (data (i32.const 112) "\01")
  ;; 128: indices of joined promises; 256: what is returned; 1024: results

  (func (export "log")
    (call $log_utf8 (i64.const 5) (i64.const 0)))

  (func (export "fail")
    (call $panic_utf8 (i64.const 18) (i64.const 16)))

  (func (export "trap") (unreachable))

  (func (export "spin") (loop $again (br $again)))

  (func $recurse (export "recurse") (call $recurse))

  (func $return_register (param $register i64)
    (call $value_return (i64.const -1) (local.get $register)))

  (func (export "echo")
    (call $input (i64.const 0))
    (call $return_register (i64.const 0)))

  (func (export "seed")
    (call $random_seed (i64.const 0))
    (call $return_register (i64.const 0)))

  (func (export "write")
    (call $input (i64.const 0))
    (drop (call $storage_write (i64.const 3) (i64.const 48) (i64.const -1) (i64.const 0) (i64.const 1))))

  (func (export "read")
    (if (i64.eqz (call $storage_read (i64.const 3) (i64.const 48) (i64.const 0))) (then (return)))
    (call $return_register (i64.const 0)))

  (func (export "remove")
    (drop (call $storage_remove (i64.const 3) (i64.const 48) (i64.const 0))))

  (func (export "usage")
    (i64.store (i32.const 256) (call $storage_usage))
    (call $value_return (i64.const 8) (i64.const 256)))

  ;; A call of this contract by itself: the account is in register 9.
  (func $ask (param $name_length i64) (param $name i64) (result i64)
    (call $current_account_id (i64.const 9))
    (call $promise_create (i64.const -1) (i64.const 9) (local.get $name_length) (local.get $name)
      (i64.const 5) (i64.const 0) (i64.const 96) (i64.const 5000000000000)))

  (func $then_collect (param $promise i64)
    (call $promise_return
      (call $promise_then (local.get $promise) (i64.const -1) (i64.const 9) (i64.const 7) (i64.const 80)
        (i64.const 0) (i64.const 0) (i64.const 96) (i64.const 10000000000000))))

  ;; echo, then collect
  (func (export "chain")
    (call $then_collect (call $ask (i64.const 4) (i64.const 64))))

  ;; echo and fail together, then collect
  (func (export "join")
    (i64.store (i32.const 128) (call $ask (i64.const 4) (i64.const 64)))
    (i64.store (i32.const 136) (call $ask (i64.const 4) (i64.const 72)))
    (call $then_collect (call $promise_and (i64.const 128) (i64.const 2))))

  ;; Returns a digit for each result (1 succeeded, 2 failed) and the data of the first.
  (func (export "collect")
    (local $index i64) (local $count i64) (local $at i32)
    (local.set $count (call $promise_results_count))
    (local.set $at (i32.const 1024))
    (block $done
      (loop $next
        (br_if $done (i64.ge_u (local.get $index) (local.get $count)))
        (i32.store8 (local.get $at)
          (i32.add (i32.const 48) (i32.wrap_i64 (call $promise_result (local.get $index) (local.get $index)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $index (i64.add (local.get $index) (i64.const 1)))
        (br $next)))
    (if (i64.ne (call $register_len (i64.const 0)) (i64.const -1))
      (then
        (call $read_register (i64.const 0) (i64.extend_i32_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.wrap_i64 (call $register_len (i64.const 0)))))))
    (call $value_return (i64.extend_i32_u (i32.sub (local.get $at) (i32.const 1024))) (i64.const 1024)))

  ;; Waits for the contract itself to resume it; the token to do so is stored.
  (func (export "wait")
    (local $promise i64)
    (local.set $promise
      (call $yield_create (i64.const 7) (i64.const 80) (i64.const 0) (i64.const 0)
        (i64.const 10000000000000) (i64.const 0) (i64.const 3)))
    (drop (call $storage_write (i64.const 3) (i64.const 48) (i64.const -1) (i64.const 3) (i64.const 1)))
    (call $promise_return (local.get $promise)))

  ;; Resumes what waits, with "hello"; returns 1 where something waited.
  (func (export "resume")
    (drop (call $storage_read (i64.const 3) (i64.const 48) (i64.const 0)))
    (i32.store (i32.const 256)
      (i32.add (i32.const 48)
        (call $yield_resume (i64.const -1) (i64.const 0) (i64.const 5) (i64.const 0))))
    (call $value_return (i64.const 1) (i64.const 256)))

  ;; Sends one yoctoNEAR to the account that the arguments name.
  (func (export "pay")
    (call $input (i64.const 0))
    (call $transfer (call $promise_batch_create (i64.const -1) (i64.const 0)) (i64.const 112)))

  ;; Whether a signature (64 bytes) by a key (32) of the rest of the arguments is valid: "1" or "0".
  (func (export "verify")
    (call $input (i64.const 0))
    (call $read_register (i64.const 0) (i64.const 1024))
    (i32.store (i32.const 256)
      (i32.add (i32.const 48)
        (i32.wrap_i64
          (call $ed25519_verify (i64.const 64) (i64.const 1024)
            (i64.sub (call $register_len (i64.const 0)) (i64.const 96)) (i64.const 1120)
            (i64.const 32) (i64.const 1088)))))
    (call $value_return (i64.const 1) (i64.const 256)))

  ;; Gas that sending one yoctoNEAR to the account that the arguments name takes.
  (func (export "price_of_payment")
    (local $before i64)
    (local $promise i64)
    (call $input (i64.const 0))
    (local.set $promise (call $promise_batch_create (i64.const -1) (i64.const 0)))
    (local.set $before (call $used_gas))
    (call $transfer (local.get $promise) (i64.const 112))
    (i64.store (i32.const 256) (i64.sub (call $used_gas) (local.get $before)))
    (call $value_return (i64.const 8) (i64.const 256)))

  ;; Gas that a known amount of work takes: 1,000 turns of four instructions.
  (func (export "work")
    (local $turns i32)
    (local $before i64)
    (local.set $before (call $used_gas))
    (local.set $turns (i32.const 1000))
    (loop $again
      (br_if $again (local.tee $turns (i32.sub (local.get $turns) (i32.const 1)))))
    (i64.store (i32.const 256) (i64.sub (call $used_gas) (local.get $before)))
    (call $value_return (i64.const 8) (i64.const 256))))

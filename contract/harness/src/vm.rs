//! The protocol's configuration and its virtual machine.

use near_parameters::{RuntimeConfig, RuntimeConfigStore};
use near_primitives_core::hash::CryptoHash;
use near_vm_runner::logic::{External, VMContext, VMOutcome};
use near_vm_runner::{
    Contract, ContractCode, FilesystemContractRuntimeCache, noop_background_spawner,
};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The newest protocol version whose configuration the pinned near-parameters holds as released.
pub const PROTOCOL_VERSION: u32 = 88;

/// The configuration of mainnet at a protocol version.
pub fn config(protocol_version: u32) -> Arc<RuntimeConfig> {
    static STORE: OnceLock<RuntimeConfigStore> = OnceLock::new();
    Arc::clone(
        STORE
            .get_or_init(|| RuntimeConfigStore::new(None))
            .get_config(protocol_version),
    )
}

/// Compiled contracts, on disk across runs and in memory across calls.
fn cache() -> &'static FilesystemContractRuntimeCache {
    static CACHE: OnceLock<FilesystemContractRuntimeCache> = OnceLock::new();
    CACHE.get_or_init(|| {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/compiled-contracts");
        std::fs::create_dir_all(&home).expect("the target directory can be written");
        let limit = 1 << 30;
        FilesystemContractRuntimeCache::with_memory_cache(
            &home,
            None::<&str>,
            "cache",
            64,
            None,
            limit,
            noop_background_spawner(),
        )
        .expect("the cache of compiled contracts can be opened")
    })
}

struct Code<'a>(&'a Arc<ContractCode>);

impl Contract for Code<'_> {
    fn hash(&self) -> CryptoHash {
        *self.0.hash()
    }

    fn get_code(&self) -> Option<Arc<ContractCode>> {
        Some(Arc::clone(self.0))
    }
}

/// Runs one method. The outcome's gas is the protocol's own.
pub fn run(
    config: &RuntimeConfig,
    code: &Arc<ContractCode>,
    method: &str,
    external: &mut (dyn External + Send),
    context: &VMContext,
) -> VMOutcome {
    let gas = context.make_gas_counter(&config.wasm_config);
    let prepared = near_vm_runner::prepare(
        &Code(code),
        Arc::clone(&config.wasm_config),
        Some(cache()),
        gas,
        method,
    );
    near_vm_runner::run(prepared, external, context, Arc::clone(&config.fees))
        .expect("the virtual machine works")
}

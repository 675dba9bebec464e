//! Mintage's contract on a chain: deployment, arguments and the calls that tests and the bench make most.

use crate::chain::{Chain, NEAR, TGAS};
use crate::claims::Issuer;
use crate::outcome::{Failure, TransactionOutcome};
use crate::receipt::Action;
use borsh::BorshSerialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// The accounts of a scene.
pub const CONTRACT: &str = "nft.mintage.near";
pub const OWNER: &str = "wallet.mintage.near";
pub const ADMIN: &str = "admin.near";
pub const PLATFORM: &str = "mintage.near";
/// The network's name that a scene's contract was told.
pub const NETWORK: &str = "testnet";

/// Assets as `collection_create` and `collection_add_assets` take them; see docs/contract.md.
#[derive(BorshSerialize, Clone, Debug, Default, PartialEq)]
pub struct AssetBatch {
    pub media: Vec<u8>,
    pub copies: Vec<(u32, u32)>,
    pub subtitles: Vec<String>,
    pub subtitle_runs: Vec<(u32, u32)>,
    pub references: Vec<u8>,
}

/// The SHA-256 of the asset `number` of these scenes.
pub fn digest(number: u32) -> [u8; 32] {
    Sha256::digest(number.to_le_bytes()).into()
}

impl AssetBatch {
    /// `count` assets from the number `first` on, each with as many copies.
    pub fn new(first: u32, count: u32, copies: u32) -> Self {
        Self {
            media: (first..first + count).flat_map(digest).collect(),
            copies: if count == 0 {
                vec![]
            } else {
                vec![(count, copies)]
            },
            ..Self::default()
        }
    }

    /// Assets with the copies given, one each.
    pub fn with_copies(copies: &[u32]) -> Self {
        Self {
            copies: copies.iter().map(|copies| (1, *copies)).collect(),
            ..Self::new(0, copies.len() as u32, 1)
        }
    }
}

#[derive(BorshSerialize)]
struct Create {
    settings: String,
    external_id: [u8; 16],
    publish: bool,
    assets: AssetBatch,
}

#[derive(BorshSerialize)]
struct AddAssets {
    collection_id: u32,
    offset: u32,
    assets: AssetBatch,
}

/// Arguments of `collection_create`, with an external id that no other has; each test counts for itself.
pub fn create_args(settings: &Value, publish: bool, assets: AssetBatch) -> Vec<u8> {
    thread_local!(static MADE: Cell<u32> = const { Cell::new(0) });
    let number = MADE.replace(MADE.get() + 1);
    let external_id = digest(number)[..16].try_into().expect("16 bytes");
    create_args_with(external_id, settings, publish, assets)
}

/// The same with an external id of the caller's.
pub fn create_args_with(
    external_id: [u8; 16],
    settings: &Value,
    publish: bool,
    assets: AssetBatch,
) -> Vec<u8> {
    let create = Create {
        settings: settings.to_string(),
        external_id,
        publish,
        assets,
    };
    borsh::to_vec(&create).expect("borsh writes to memory")
}

/// Arguments of `collection_add_assets`.
pub fn add_assets_args(collection_id: u32, offset: u32, assets: AssetBatch) -> Vec<u8> {
    borsh::to_vec(&AddAssets {
        collection_id,
        offset,
        assets,
    })
    .expect("borsh writes to memory")
}

/// A file of the contract's workspace.
pub fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// The built contract; `MINTAGE_WASM` names another file.
pub fn wasm() -> Vec<u8> {
    let path = std::env::var_os("MINTAGE_WASM")
        .map_or_else(|| workspace("wasm/mintage.wasm"), PathBuf::from);
    std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; build the contract first", path.display()))
}

/// A chain with Mintage's contract, its owner, an admin and the platform.
#[derive(Clone)]
pub struct Scene {
    pub chain: Chain,
}

impl Default for Scene {
    fn default() -> Self {
        Self::new(&wasm(), 100 * NEAR)
    }
}

impl Scene {
    /// Deploys `wasm` as a global contract to an account of `balance` yoctoNEAR.
    pub fn new(wasm: &[u8], balance: u128) -> Self {
        Self::on(Chain::default(), wasm, balance)
    }

    /// The same on a given chain, such as one of another protocol version.
    pub fn on(chain: Chain, wasm: &[u8], balance: u128) -> Self {
        Self::begin(chain, wasm, balance, 0)
    }

    /// A contract whose upgrades are announced so many blocks ahead.
    pub fn with_delay(wasm: &[u8], blocks: u64) -> Self {
        Self::begin(Chain::default(), wasm, 100 * NEAR, blocks)
    }

    fn begin(mut chain: Chain, wasm: &[u8], balance: u128, delay: u64) -> Self {
        for account in [OWNER, ADMIN, PLATFORM] {
            chain.create_account(account, 10_000 * NEAR);
        }
        chain.create_global_contract_user(CONTRACT, balance, wasm);
        let mut scene = Self { chain };
        let metadata = json!({ "spec": "nft-1.0.0", "name": "Mintage", "symbol": "MINT", "base_uri": "https://mint.example/ipfs" });
        let args = json!({ "network_id": NETWORK, "owner_id": OWNER, "admin_id": ADMIN, "platform_id": PLATFORM, "metadata": metadata, "upgrade_delay_blocks": delay });
        scene.call(CONTRACT, "new", args).json();
        scene
    }

    /// Makes accounts of 1,000 NEAR each.
    pub fn accounts<'a>(&mut self, accounts: impl IntoIterator<Item = &'a str>) {
        for account in accounts {
            self.chain.create_account(account, 1_000 * NEAR);
        }
    }

    /// A call without deposit.
    pub fn call(&mut self, signer: &str, method: &str, args: Value) -> TransactionOutcome {
        self.chain.call(signer, CONTRACT, method, args, 0)
    }

    /// A call with a deposit in yoctoNEAR.
    pub fn pay(
        &mut self,
        signer: &str,
        method: &str,
        args: Value,
        deposit: u128,
    ) -> TransactionOutcome {
        self.chain.call(signer, CONTRACT, method, args, deposit)
    }

    /// A call with one yoctoNEAR.
    pub fn sign(&mut self, signer: &str, method: &str, args: Value) -> TransactionOutcome {
        self.pay(signer, method, args, 1)
    }

    /// A call with borsh arguments.
    pub fn call_raw(&mut self, signer: &str, method: &str, args: Vec<u8>) -> TransactionOutcome {
        self.chain.transact(
            signer,
            CONTRACT,
            vec![Action::call_raw(method, args, 300 * TGAS, 0)],
        )
    }

    /// A published collection of which the staff may mint without end; `title` is added where the settings have none.
    /// Returns its id.
    pub fn collection(&mut self, settings: Value, assets: AssetBatch) -> u32 {
        let mut all = json!({ "title": "Title" });
        for (field, value) in settings.as_object().expect("settings are an object") {
            all[field] = value.clone();
        }
        let outcome = self.call_raw(OWNER, "collection_create", create_args(&all, true, assets));
        let collection = outcome.json().as_u64().expect("a collection id") as u32;
        let more = json!({ "collection_id": collection, "more": 1_000_000 });
        self.sign(OWNER, "staff_mints_allow", more).json();
        collection
    }

    /// Announces an upgrade and carries it out; scenes' contracts have no delay.
    pub fn upgrade(&mut self, hash: &str) -> TransactionOutcome {
        let args = json!({ "code_hash": hash });
        self.sign(OWNER, "upgrade_announce", args.clone()).json();
        self.sign(OWNER, "upgrade", args)
    }

    /// An API mint of one token a receiver.
    pub fn mint(&mut self, collection: u32, receivers: &[&str]) -> TransactionOutcome {
        self.call(
            OWNER,
            "nft_batch_mint",
            json!({ "collection_id": collection, "receiver_ids": receivers }),
        )
    }

    /// An API mint of `quantity` tokens to one receiver.
    pub fn mint_many(
        &mut self,
        collection: u32,
        receiver: &str,
        quantity: u32,
    ) -> TransactionOutcome {
        let args = json!({ "collection_id": collection, "receiver_ids": [receiver], "quantities": [quantity] });
        self.call(OWNER, "nft_batch_mint", args)
    }

    /// A collector's own mint, with 100 Tgas as wallets attach.
    pub fn public_mint(
        &mut self,
        signer: &str,
        collection: u32,
        deposit: u128,
    ) -> TransactionOutcome {
        let call = Action::call(
            "nft_mint",
            json!({ "collection_id": collection }),
            100 * TGAS,
            deposit,
        );
        self.chain.transact(signer, CONTRACT, vec![call])
    }

    /// A collector's own mint of several tokens, or for somebody else.
    pub fn public_mint_with(
        &mut self,
        signer: &str,
        collection: u32,
        more: Value,
        deposit: u128,
    ) -> TransactionOutcome {
        let mut args = more;
        args["collection_id"] = json!(collection);
        let call = Action::call("nft_mint", args, 100 * TGAS, deposit);
        self.chain.transact(signer, CONTRACT, vec![call])
    }

    /// Makes a claim drop of `links` links, `quantity` tokens each, that lasts for a day. Returns its number.
    pub fn drop(&mut self, collection: u32, issuer: &Issuer, links: u32, quantity: u32) -> u64 {
        let args = json!({
            "collection_id": collection, "issuer_public_key": issuer.public_key(), "links": links,
            "quantity": quantity, "expires_at_ms": self.chain.now_ms() + 86_400_000
        });
        let outcome = self.sign(OWNER, "drop_create", args);
        outcome.json().as_u64().expect("a drop's number")
    }

    pub fn transfer(&mut self, from: &str, to: &str, token: &str) -> TransactionOutcome {
        self.sign(
            from,
            "nft_transfer",
            json!({ "receiver_id": to, "token_id": token }),
        )
    }

    /// A view's answer. Panics with the failure.
    pub fn view(&self, method: &str, args: Value) -> Value {
        self.try_view(method, args)
            .unwrap_or_else(|failure| panic!("{method}: {failure:?}"))
    }

    pub fn try_view(&self, method: &str, args: Value) -> Result<Value, Failure> {
        self.chain.view(CONTRACT, method, args)
    }

    /// A token as `nft_token` shows it, or null.
    pub fn token(&self, token: &str) -> Value {
        self.view("nft_token", json!({ "token_id": token }))
    }

    /// The token's owner; panics if there is no such token.
    pub fn owner_of(&self, token: &str) -> String {
        self.token(token)["owner_id"]
            .as_str()
            .unwrap_or_else(|| panic!("no token {token}"))
            .to_owned()
    }
}

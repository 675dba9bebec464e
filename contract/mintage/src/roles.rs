//! Initialisation, roles, the contract's own metadata, and the change of its code.

use crate::accounts;
use crate::base64;
use crate::books::Books;
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::{Object, Writer};
use crate::prelude::*;
use crate::root::Root;
use crate::store::{self, prefix};
use crate::upgrade;

const ADMINS_LIMIT: usize = 100;
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of NEP-177 that contract metadata follow.
const NFT_METADATA_SPEC: &str = "nft-1.0.0";

/// The fields of NEP-177's contract metadata, in its order.
const METADATA_FIELDS: [&str; 7] = [
    "spec",
    "name",
    "symbol",
    "icon",
    "base_uri",
    "reference",
    "reference_hash",
];

/// Checks contract metadata and writes it as the very JSON that `nft_metadata` returns.
fn put_metadata(fields: [Option<String>; 7]) {
    let [spec, name, symbol, _, _, reference, hash] = &fields;
    if spec.as_deref() != Some(NFT_METADATA_SPEC) || name.is_none() || symbol.is_none() {
        refuse(
            Code::InvalidArgument,
            "metadata: spec is nft-1.0.0, and name and symbol are there.",
        );
    }
    let hash = hash.as_deref().map(base64::decode::<32>);
    if reference.is_some() != hash.is_some() || hash == Some(None) {
        refuse(
            Code::InvalidArgument,
            "metadata.reference comes with a reference_hash of 32 bytes in base64.",
        );
    }
    let mut json = Writer::default();
    json.open('{');
    for (name, value) in METADATA_FIELDS.iter().zip(&fields) {
        json.key(name).optional_text(value.as_deref());
    }
    json.close('}');
    host::write(&[prefix::METADATA], json.into_string().as_bytes());
}

fn metadata_fields(json: &mut Object) -> [Option<String>; 7] {
    METADATA_FIELDS.map(|name| json.optional(name).or_fail())
}

pub fn new() {
    let mut args = host::args();
    guard::itself_or_parent();
    if host::read(&[prefix::ROOT]).is_some() {
        refuse(
            Code::InvalidArgument,
            "The contract is initialised already.",
        );
    }
    let network: String = args.required("network_id").or_fail();
    if !(1..=64).contains(&network.len()) || !network.bytes().all(|byte| byte.is_ascii_graphic()) {
        refuse(
            Code::InvalidArgument,
            "network_id is the network's name, such as mainnet: 1 to 64 visible characters of ASCII.",
        );
    }
    let owner = guard::required_account(&mut args, "owner_id").1;
    let admin: Option<String> = args.optional("admin_id").or_fail();
    let admins = admin
        .iter()
        .map(|id| guard::account("admin_id", id))
        .collect();
    let platform = guard::required_account(&mut args, "platform_id").1;
    let delay: Option<u64> = args.optional("upgrade_delay_blocks").or_fail();
    let mut metadata: Object = args.required("metadata").or_fail();
    args.finish().or_fail();
    put_metadata(metadata_fields(&mut metadata));
    upgrade::begin(delay);
    // All that is there now is the contract's own, the root included.
    let mut root = Root::new(network, owner, platform, admins);
    let stored = root.encode();
    host::write(&[prefix::ROOT], &stored);
    root.sums.base = host::storage_usage();
    Books::begin(root, stored).settle();
}

pub fn nft_metadata() {
    // It was written by this contract as the very JSON that is asked for.
    host::return_bytes(&host::read(&[prefix::METADATA]).unwrap_or_else(|| host::corrupt()));
}

pub fn contract_metadata_update() {
    let mut args = host::args();
    let mut books = guard::owner();
    let stored = host::read(&[prefix::METADATA]).unwrap_or_else(|| host::corrupt());
    let mut fields = metadata_fields(&mut Object::parse(&stored).or_fail());
    for (at, name) in METADATA_FIELDS.iter().enumerate().skip(1).take(4) {
        if let Some(value) = args.field(name).or_fail() {
            fields[at] = value;
        }
    }
    args.finish().or_fail();
    books.measure(|| put_metadata(fields));
    events::contract_metadata_update();
    books.settle();
}

/// The only argument of a call that names an account.
fn account_argument() -> Vec<u8> {
    let mut args = host::args();
    let account = guard::required_account(&mut args, "account_id").1;
    args.finish().or_fail();
    account
}

pub fn admin_add() {
    let mut books = guard::owner();
    let account = account_argument();
    if !books.admins.contains(&account) {
        if books.admins.len() == ADMINS_LIMIT {
            refuse(Code::TooMany, "The contract has at most 100 admins.");
        }
        books.admins.push(account);
        books.settle();
    }
}

pub fn admin_remove() {
    let mut books = guard::owner();
    let account = account_argument();
    books.admins.retain(|admin| *admin != account);
    books.settle();
}

pub fn owner_propose() {
    let mut args = host::args();
    let account: Option<String> = args.optional("account_id").or_fail();
    args.finish().or_fail();
    let mut books = guard::owner();
    books.proposed = account.map(|id| guard::account("account_id", &id));
    books.settle();
}

pub fn owner_accept() {
    guard::one_yocto();
    let mut books = Books::open();
    let caller = accounts::encode(&host::predecessor());
    if books.proposed.as_ref() != Some(&caller) {
        refuse(Code::Unauthorized, "Only the proposed owner may accept.");
    }
    books.owner = caller;
    books.proposed = None;
    books.settle();
}

pub fn platform_set() {
    guard::one_yocto();
    let mut books = Books::open();
    if books.platform != accounts::encode(&host::predecessor()) {
        refuse(
            Code::Unauthorized,
            "Only the platform account may change itself.",
        );
    }
    books.platform = account_argument();
    books.settle();
}

pub fn contract_roles() {
    let root = store::root().0;
    host::return_json(|json| {
        json.open('{')
            .key("network_id")
            .text(&root.network)
            .key("owner_id")
            .text(&accounts::decode(&root.owner));
        let proposed = root.proposed.as_deref().map(accounts::decode);
        json.key("proposed_owner_id")
            .optional_text(proposed.as_deref())
            .key("admin_ids")
            .open('[');
        for admin in &root.admins {
            json.text(&accounts::decode(admin));
        }
        json.close(']')
            .key("platform_id")
            .text(&accounts::decode(&root.platform))
            .close('}');
    });
}

fn layout() -> Option<u8> {
    host::read(&[prefix::ROOT]).and_then(|bytes| bytes.first().copied())
}

pub fn contract_version() {
    host::return_json(|json| {
        json.open('{')
            .key("layout")
            .number(u64::from(layout().unwrap_or_default()));
        json.key("version").text(VERSION).close('}');
    });
}

/// Times of a token are strings, as near-contract-standards reads them and NEP-177 1.0.0 has them; in 2.0.0 they are numbers.
const STANDARDS: [(&str, &str); 7] = [
    ("nep171", "1.2.0"),
    ("nep177", "1.0.0"),
    ("nep178", "1.0.0"),
    ("nep181", "1.0.0"),
    ("nep199", "2.1.0"),
    ("nep297", "1.0.0"),
    ("nep330", "1.3.0"),
];

/// Where the sources are, and what they were built with and from, as `scripts/contract-wasm.mjs` sets it. Verifiers set the
/// same variables to what the contract that they build again says.
const LINK: Option<&str> = option_env!("NEP330_LINK");
const ENVIRONMENT: Option<&str> = option_env!("NEP330_BUILD_INFO_BUILD_ENVIRONMENT");
const SNAPSHOT: Option<&str> = option_env!("NEP330_BUILD_INFO_SOURCE_CODE_SNAPSHOT");
/// What a verifier runs in `contract_path`, the sources being at `/home/near/code`, and the module that comes of it.
const BUILD: &str = "\"build_command\":[\"sh\",\"-c\",\"cd ../.. && npm ci && npm run contract:build\"],\
\"contract_path\":\"contract/mintage\",\"output_wasm_path\":\"/home/near/code/contract/wasm/mintage.wasm\"";

/// NEP-330.
pub fn contract_source_metadata() {
    host::return_json(|json| {
        json.open('{').key("version").text(VERSION);
        json.key("link").optional_text(LINK);
        json.key("build_info")
            .open('{')
            .key("build_environment")
            .text(ENVIRONMENT.unwrap_or_default());
        json.raw(BUILD);
        json.key("source_code_snapshot")
            .text(SNAPSHOT.unwrap_or_default())
            .close('}');
        json.key("standards").open('[');
        for (standard, version) in STANDARDS {
            json.open('{')
                .key("standard")
                .text(standard)
                .key("version")
                .text(version)
                .close('}');
        }
        json.close(']').close('}');
    });
}

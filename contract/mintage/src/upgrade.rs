//! The change of the contract's code: announced ahead, so that holders can see it coming, and impossible once a collection's
//! holders were promised that.

use crate::base58;
use crate::books::Books;
use crate::codec::Reader;
use crate::error::{Code, Failure, Outcome};
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::{Object, Writer};
use crate::prelude::*;
use crate::store::prefix;

const GAS_FOR_CHECK: u64 = 10_000_000_000_000;
const GAS_FOR_MIGRATE: u64 = 20_000_000_000_000;
/// Blocks between an announcement and its upgrade where the contract was made without a number: three days of 0.6 s.
const DELAY: u64 = 432_000;

/// The record of what may become of the code.
#[derive(Default)]
struct Plan {
    locked: bool,
    /// Blocks between an announcement and its upgrade; fixed when the contract was made.
    delay: u64,
    /// The next code's hash, and the height from which it may be put in place.
    announced: Option<([u8; 32], u64)>,
}

impl Plan {
    fn read() -> Self {
        let bytes = host::read(&[prefix::UPGRADE]).unwrap_or_default();
        Self::decode(&mut Reader::new(&bytes)).unwrap_or_else(|| host::corrupt())
    }

    fn decode(reader: &mut Reader) -> Option<Self> {
        let (locked, delay) = (reader.u8()? != 0, reader.u64()?);
        let mut announced = None;
        if !reader.is_empty() {
            announced = Some((reader.take(32)?.try_into().ok()?, reader.u64()?));
        }
        Some(Self {
            locked,
            delay,
            announced,
        })
    }

    fn put(&self) {
        let mut out = vec![u8::from(self.locked)];
        out.extend_from_slice(&self.delay.to_le_bytes());
        if let Some((hash, height)) = &self.announced {
            out.extend_from_slice(hash);
            out.extend_from_slice(&height.to_le_bytes());
        }
        host::write(&[prefix::UPGRADE], &out);
    }

    fn check(&self) -> Outcome<()> {
        if self.locked {
            return Err(Failure::new(
                Code::Locked,
                "code is locked: this contract keeps the code that it has.",
            ));
        }
        Ok(())
    }

    /// Refuses code that isn't announced, or not for this height already.
    fn check_due(&self, hash: &[u8; 32]) -> Outcome<()> {
        self.check()?;
        let due = self
            .announced
            .filter(|announced| announced.0 == *hash && announced.1 <= host::block_height());
        due.map(|_| ()).ok_or_else(|| {
            Failure::new(
                Code::UpgradeNotDue,
                "upgrade_announce has to name this code_hash first, and contract_upgrade tells from which height on it may be used.",
            )
        })
    }
}

/// Writes the record of a new contract.
pub fn begin(delay: Option<u64>) {
    Plan {
        delay: delay.unwrap_or(DELAY),
        ..Plan::default()
    }
    .put();
}

/// Ends all changes of the code. One that is announced has to be taken back first, so that none is shown that can't happen.
pub fn lock(books: &mut Books) {
    let mut plan = Plan::read();
    if plan.announced.is_some() {
        refuse(
            Code::InvalidArgument,
            "locks: an upgrade is announced; call upgrade_announce without code_hash before the code is locked.",
        );
    }
    plan.locked = true;
    books.measure(|| plan.put());
}

fn required_code_hash() -> [u8; 32] {
    let mut args = host::args();
    let hash = code_hash(&mut args);
    args.finish().or_fail();
    hash.unwrap_or_else(|| refuse(Code::InvalidArgument, "code_hash is missing."))
}

fn code_hash(args: &mut Object) -> Option<[u8; 32]> {
    let text: Option<String> = args.optional("code_hash").or_fail();
    text.map(|text| {
        base58::decode(&text).unwrap_or_else(|| {
            refuse(
                Code::InvalidArgument,
                "code_hash has to be 32 bytes in base58.",
            )
        })
    })
}

/// Announces an upgrade, or takes the announcement back. Returns the height from which it may be carried out.
pub fn upgrade_announce() {
    let mut args = host::args();
    let hash = code_hash(&mut args);
    args.finish().or_fail();
    let mut books = guard::owner();
    let mut plan = Plan::read();
    plan.check().or_fail();
    let height = host::block_height().saturating_add(plan.delay);
    plan.announced = hash.map(|hash| (hash, height));
    books.measure(|| plan.put());
    events::of_contract("upgrade", |json| write_announced(json, &plan));
    books.settle();
    host::return_json(|json| {
        json.optional_number(plan.announced.map(|announced| announced.1));
    });
}

fn write_announced(json: &mut Writer, plan: &Plan) {
    let announced = plan.announced.as_ref();
    let hash = announced.map(|announced| base58::encode(&announced.0));
    json.key("code_hash").optional_text(hash.as_deref());
    json.key("earliest_height")
        .optional_number(announced.map(|announced| announced.1));
}

/// Puts announced code in place and migrates, in one batch: if the migration fails, the code stays as it was. The batch runs
/// in a later block, so it begins with the check once more, by the code that is still in place.
pub fn upgrade() {
    let hash = required_code_hash();
    guard::owner();
    Plan::read().check_due(&hash).or_fail();
    host::Receipt::to(&host::current_account())
        .call("upgrade_check", host::input(), GAS_FOR_CHECK, 0)
        .use_global_contract(&hash)
        .call("migrate", b"{}", GAS_FOR_MIGRATE, 1)
        .return_it();
}

/// Fails the batch of an upgrade that was locked out, taken back or announced anew since the batch began.
pub fn upgrade_check() {
    guard::itself();
    Plan::read().check_due(&required_code_hash()).or_fail();
}

/// Takes over the storage, of which this code knows one layout, and ends the announcement. Code whose upgrades checked the lock
/// at their beginning alone may have been locked since.
pub fn migrate() {
    guard::itself();
    let mut books = Books::open();
    let mut plan = Plan::read();
    plan.check().or_fail();
    plan.announced = None;
    books.measure(|| plan.put());
    books.settle();
}

/// What may become of the code.
pub fn contract_upgrade() {
    let plan = Plan::read();
    host::return_json(|json| {
        json.open('{').key("locked").bool(plan.locked);
        json.key("delay_blocks").number(plan.delay);
        write_announced(json, &plan);
        json.close('}');
    });
}

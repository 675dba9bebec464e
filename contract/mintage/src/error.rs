//! The closed list of failure codes, and how a failure leaves the contract.
//!
//! Rules are pure and return `Result<_, Failure>`; only the edge turns a failure into a panic, whose text is
//! `E_CODE: sentence`. The codes are part of the public interface (docs/contract.md) and never change meaning.

use crate::codec::{joined, put_amount};
use crate::prelude::*;

macro_rules! codes {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// A stable failure code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($name),* }

        impl Code {
            /// The code as it stands at the beginning of the panic's text.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text),* }
            }
        }
    };
}

codes! {
    Unauthorized = "E_UNAUTHORIZED",
    OneYocto = "E_ONE_YOCTO",
    InvalidArgument = "E_INVALID_ARGUMENT",
    CollectionNotFound = "E_COLLECTION_NOT_FOUND",
    TokenNotFound = "E_TOKEN_NOT_FOUND",
    NotPublished = "E_NOT_PUBLISHED",
    AlreadyPublished = "E_ALREADY_PUBLISHED",
    ExternalIdTaken = "E_EXTERNAL_ID_TAKEN",
    SoldOut = "E_SOLD_OUT",
    StorageBalance = "E_STORAGE_BALANCE",
    NoDirectMint = "E_NO_DIRECT_MINT",
    MintNotStarted = "E_MINT_NOT_STARTED",
    MintEnded = "E_MINT_ENDED",
    NotAllowlisted = "E_NOT_ALLOWLISTED",
    MintLimit = "E_MINT_LIMIT",
    OtherCurrency = "E_OTHER_CURRENCY",
    PriceTooHigh = "E_PRICE_TOO_HIGH",
    DepositTooSmall = "E_DEPOSIT_TOO_SMALL",
    GasTooLow = "E_GAS_TOO_LOW",
    StaffQuota = "E_STAFF_QUOTA",
    UpgradeNotDue = "E_UPGRADE_NOT_DUE",
    TransfersDisabled = "E_TRANSFERS_DISABLED",
    TransferDenied = "E_TRANSFER_DENIED",
    ApprovalsDisabled = "E_APPROVALS_DISABLED",
    ApprovalDenied = "E_APPROVAL_DENIED",
    ApprovalStale = "E_APPROVAL_STALE",
    TooMany = "E_TOO_MANY",
    Locked = "E_LOCKED",
    AlreadyRevealed = "E_ALREADY_REVEALED",
    DrawHidden = "E_DRAW_HIDDEN",
    DropNotFound = "E_DROP_NOT_FOUND",
    DropExpired = "E_DROP_EXPIRED",
    DropOpen = "E_DROP_OPEN",
    DropReserve = "E_DROP_RESERVE",
    LinkClaimed = "E_LINK_CLAIMED",
    ClaimInvalid = "E_CLAIM_INVALID",
    Migration = "E_MIGRATION",
    Internal = "E_INTERNAL",
}

/// Why a rule refused: a stable code and a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: Code,
    pub message: String,
}

impl Failure {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// An argument that can't be accepted; `message` names the field.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// A sentence that ends in an amount.
    pub fn amount(code: Code, sentence: &str, amount: u128) -> Self {
        let mut message = sentence.to_owned();
        put_amount(&mut message, amount);
        message.push('.');
        Self { code, message }
    }

    /// The panic's whole text.
    pub fn text(&self) -> String {
        joined(&[self.code.as_str(), ": ", &self.message])
    }
}

/// The result of a rule.
pub type Outcome<T> = Result<T, Failure>;

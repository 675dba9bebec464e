//! Claim links and vouchers as their issuer makes them and as their holders use them.

use crate::mintage::NETWORK;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer, SigningKey};
use near_crypto::{ED25519PublicKey, PublicKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A key pair that follows from a name.
fn key(name: &str) -> SigningKey {
    SigningKey::from_bytes(&Sha256::digest(name).into())
}

fn text(key: &SigningKey) -> String {
    let bytes = key.verifying_key().to_bytes();
    PublicKey::ED25519(ED25519PublicKey(bytes)).to_string()
}

fn signed(key: &SigningKey, message: &str) -> String {
    STANDARD.encode(key.sign(message.as_bytes()).to_bytes())
}

/// Whoever certifies links' keys.
pub struct Issuer {
    key: SigningKey,
    network: String,
}

/// What a voucher says, apart from who signed it.
#[derive(Clone)]
pub struct Terms<'a> {
    pub contract: &'a str,
    pub drop: u64,
    pub nonce: u32,
    pub receiver: &'a str,
    pub quantity: u32,
    /// For each token, in the smallest unit of the currency.
    pub price: u128,
    /// The account of a token; `None`: NEAR.
    pub currency: Option<&'a str>,
    pub expires_at_ms: u64,
}

/// A link: its place, its own key, and what the issuer signed.
#[derive(Clone)]
pub struct Link {
    network: String,
    contract: String,
    drop: u64,
    number: u32,
    key: SigningKey,
    certificate: String,
}

impl Issuer {
    pub fn new(name: &str) -> Self {
        Self::on(NETWORK, name)
    }

    /// The issuer of this name, who signs for another network.
    pub fn on(network: &str, name: &str) -> Self {
        Self {
            key: key(name),
            network: network.to_owned(),
        }
    }

    /// The public key as `drop_create` takes it.
    pub fn public_key(&self) -> String {
        text(&self.key)
    }

    /// The link of this number of a contract's drop.
    pub fn link(&self, contract: &str, drop: u64, number: u32) -> Link {
        let key = key(&format!("{} {contract} {drop} {number}", self.public_key()));
        self.certify(key, contract, drop, number)
    }

    /// A link of this place whose key is that of another link, whoever certified that.
    pub fn link_with_key_of(&self, other: &Link, contract: &str, drop: u64, number: u32) -> Link {
        self.certify(other.key.clone(), contract, drop, number)
    }

    /// The arguments of `voucher_mint`.
    pub fn voucher(&self, terms: &Terms) -> Value {
        let Terms {
            contract,
            drop,
            nonce,
            receiver,
            quantity,
            price,
            currency,
            expires_at_ms,
        } = terms;
        let (network, unit) = (&self.network, currency.unwrap_or("NEAR"));
        let message = format!(
            "mintage-voucher\n{network}\n{contract}\n{drop}\n{nonce}\n{receiver}\n{quantity}\n{price}\n{unit}\n{expires_at_ms}"
        );
        let mut args = json!({
            "drop_id": drop,
            "nonce": nonce,
            "receiver_id": receiver,
            "quantity": quantity,
            "price": price.to_string(),
            "expires_at_ms": expires_at_ms,
            "signature": signed(&self.key, &message),
        });
        if let Some(token) = currency {
            args["currency"] = json!(token);
        }
        args
    }

    fn certify(&self, key: SigningKey, contract: &str, drop: u64, number: u32) -> Link {
        let network = &self.network;
        let message = format!(
            "mintage-link\n{network}\n{contract}\n{drop}\n{number}\n{}",
            text(&key)
        );
        Link {
            network: network.clone(),
            contract: contract.to_owned(),
            drop,
            number,
            certificate: signed(&self.key, &message),
            key,
        }
    }
}

impl Link {
    /// The arguments of `nft_claim` for a receiver.
    pub fn claim(&self, receiver: &str) -> Value {
        let (contract, drop, number) = (&self.contract, self.drop, self.number);
        let network = &self.network;
        let message = format!("mintage-claim\n{network}\n{contract}\n{drop}\n{number}\n{receiver}");
        json!({
            "drop_id": drop,
            "link": number,
            "link_public_key": text(&self.key),
            "certificate": self.certificate,
            "receiver_id": receiver,
            "signature": signed(&self.key, &message),
        })
    }
}

//! A collection's settings: how they arrive as JSON, what is allowed, and the records they are kept in. `Rules` is what a
//! direct mint reads; `Details` is what views, approvals and payouts read; `Lists` is what approvals and filtered
//! transfers read.

use crate::accounts;
use crate::codec::{joined, put_decimal};
use crate::error::{Code, Failure, Outcome};
use crate::json::Object;
use crate::prelude::*;
use crate::solvency::TOKEN_PRICE;
use alloc::borrow::Cow;

pub const TITLE_LIMIT: usize = 256;
pub const DESCRIPTION_LIMIT: usize = 1024;
/// Initial royalties may total 95%, because the platform takes 5% first.
pub const INITIAL_ROYALTIES_TOTAL: u64 = 9_500;
pub const INITIAL_ROYALTIES_ACCOUNTS: usize = 10;
pub const ONGOING_ROYALTIES_TOTAL: u64 = 10_000;
/// Accounts of a list: a transfer or an approval looks through them, and each view of a token reads the record that they
/// stand in.
pub const LIST_ACCOUNTS: usize = 1_000;
/// NEP-199 guarantees ten entries of a payout, and the owner is one.
pub const ONGOING_ROYALTIES_ACCOUNTS: usize = 9;

/// Phases of a collection's direct mints at most.
pub const PHASES: usize = 8;
/// The places of the interface's two prices; the others follow.
pub const PRIVATE: usize = 0;
pub const PUBLIC: usize = 1;

/// When, for how much and how often an account may mint directly. Times are Unix milliseconds; the end is exclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// Of each token, in the smallest unit of the currency.
    pub fee: u128,
    /// The account of the NEP-141 token that the price is in; `None`: NEAR.
    pub currency: Option<String>,
    pub starts_at_ms: Option<u64>,
    pub ends_at_ms: Option<u64>,
    pub limit: Option<u32>,
    /// Tokens that all accounts together may mint in it.
    pub supply: Option<u32>,
    /// Whether only accounts on the phase's own list may mint.
    pub listed: bool,
}

/// Account and basis points.
pub type Royalties = Vec<(String, u16)>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// By their places, of which the last is used; what an account minted in a phase is counted by its place.
    pub phases: Vec<Option<Phase>>,
    pub bypass: Vec<String>,
    pub royalties: Royalties,
}

impl Rules {
    pub fn phase(&self, place: usize) -> Option<&Phase> {
        self.phases.get(place)?.as_ref()
    }

    /// The phases that there are, with their places.
    pub fn phases(&self) -> impl Iterator<Item = (usize, &Phase)> {
        let all = self.phases.iter().enumerate();
        all.filter_map(|(place, phase)| Some((place, phase.as_ref()?)))
    }

    /// Whether a phase has its price in this token.
    pub fn names_currency(&self, token: &str) -> bool {
        self.phases()
            .any(|(_, phase)| phase.currency.as_deref() == Some(token))
    }

    fn set_phase(&mut self, place: usize, phase: Option<Phase>) {
        if self.phases.len() <= place {
            self.phases.resize(place + 1, None);
        }
        self.phases[place] = phase;
        while self.phases.last() == Some(&None) {
            self.phases.pop();
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    pub external_id: [u8; 16],
    pub title: String,
    pub description: Option<String>,
    pub royalties: Royalties,
    pub approvals_off: bool,
    pub transfers_off: bool,
    /// Whether the collection has lists of accounts; no view of a token reads them.
    pub has_lists: bool,
    /// When what tokens show was changed last, Unix seconds; 0: never.
    pub updated_at: u32,
}

/// The lists of accounts that approvals and transfers look through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    pub approvals_allowed: Option<Vec<String>>,
    pub approvals_denied: Option<Vec<String>>,
    pub transfers_denied: Option<Vec<String>>,
}

/// All that `collection_create` and `collection_update` set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub rules: Rules,
    pub details: Details,
    pub lists: Lists,
}

/// Unicode code points of a text.
fn characters(text: &str) -> usize {
    text.bytes().filter(|byte| byte & 0xc0 != 0x80).count()
}

/// Refuses text over `limit` code points.
pub fn check_length(name: &str, text: &str, limit: usize) -> Outcome<()> {
    // Only a text of more bytes can have more code points.
    if text.len() > limit && characters(text) > limit {
        let mut message = joined(&[name, " may have this many characters at most: "]);
        put_decimal(&mut message, limit as u64);
        return Err(Failure::argument(message));
    }
    Ok(())
}

fn account_list(name: &str, list: Option<Vec<Cow<str>>>) -> Outcome<Option<Vec<String>>> {
    let Some(list) = list else { return Ok(None) };
    if list.len() > LIST_ACCOUNTS {
        return Err(Failure::new(
            Code::TooMany,
            joined(&[name, " names at most 1000 accounts."]),
        ));
    }
    let mut ids = Vec::with_capacity(list.len());
    for id in list {
        accounts::check(name, &id)?;
        ids.push(id.into_owned());
    }
    Ok(Some(ids))
}

fn royalties(
    name: &str,
    shares: Option<Vec<(String, u64)>>,
    most: usize,
    total: u64,
) -> Outcome<Royalties> {
    let shares = shares.unwrap_or_default();
    if shares.len() > most {
        return Err(Failure::argument(joined(&[
            name,
            " names too many accounts.",
        ])));
    }
    let mut sum = 0u64;
    let mut out = Vec::with_capacity(shares.len());
    for (id, points) in shares {
        accounts::check(name, &id)?;
        sum = sum.saturating_add(points);
        if points == 0 || sum > total {
            return Err(Failure::argument(joined(&[
                name,
                ": each share is at least 1 basis point, and all together are not over the limit.",
            ])));
        }
        out.push((id, points as u16));
    }
    Ok(out)
}

/// Refuses a price of a token that can't be paid in its currency. `name`: that of the argument, in parts.
pub fn check_price(name: &[&str; 2], price: u128, currency: Option<&str>) -> Outcome<()> {
    let wrong = match currency {
        None if price != 0 && price < TOKEN_PRICE => {
            " is 0 or at least 2700000000000000000000 yoctonear, the storage of a token."
        }
        Some(_) if price == 0 => " of a currency is at least 1; what is free is free in NEAR.",
        Some(account) => return accounts::check("currency", account),
        None => return Ok(()),
    };
    Err(Failure::argument(joined(&[name[0], name[1], wrong])))
}

/// Reads a phase; whether it has a list is `listed`, or said there.
fn phase(name: &str, json: Option<Object>, listed: Option<bool>) -> Outcome<Option<Phase>> {
    let Some(mut json) = json else {
        return Ok(None);
    };
    let fee: u128 = json.required("mint_fee")?;
    let currency: Option<String> = json.optional("currency")?;
    let starts_at_ms: Option<u64> = json.optional("starts_at_ms")?;
    let ends_at_ms: Option<u64> = json.optional("ends_at_ms")?;
    let limit: Option<u32> = json.optional("limit_per_account")?;
    let supply: Option<u32> = json.optional("supply")?;
    let listed = match listed {
        Some(listed) => listed,
        None => json.optional("allowlist")?.unwrap_or_default(),
    };
    json.finish()?;
    let wrong = |what: &str| Err(Failure::argument(joined(&[name, what])));
    check_price(&[name, ".mint_fee"], fee, currency.as_deref())?;
    if starts_at_ms
        .zip(ends_at_ms)
        .is_some_and(|(start, end)| start >= end)
    {
        return wrong(".ends_at_ms has to be after starts_at_ms.");
    }
    if limit == Some(0) || supply == Some(0) {
        return wrong(".limit_per_account and .supply are at least 1; null means no limit.");
    }
    Ok(Some(Phase {
        fee,
        currency,
        starts_at_ms,
        ends_at_ms,
        limit,
        supply,
        listed,
    }))
}

/// Reads the phases behind the interface's two.
fn further_phases(rules: &mut Rules, phases: Option<Vec<Option<Object>>>) -> Outcome<()> {
    let phases = phases.unwrap_or_default();
    if PUBLIC + 1 + phases.len() > PHASES {
        return Err(Failure::new(
            Code::TooMany,
            "phases: at most 6 beside the public and the private price.",
        ));
    }
    rules.phases.truncate(PUBLIC + 1);
    for (place, json) in (PUBLIC + 1..).zip(phases) {
        rules.set_phase(place, phase("phases", json, None)?);
    }
    Ok(())
}

/// Applies settings in JSON to those that there are: an absent field stays, `null` clears. Returns whether what a token
/// shows may have changed.
pub fn apply(mut json: Object, settings: &mut Settings) -> Outcome<bool> {
    let Settings {
        rules,
        details,
        lists,
    } = settings;
    let title = json.field::<String>("title")?;
    let description = json.field::<String>("description")?;
    let shown = title.is_some() || description.is_some();
    if let Some(title) = title {
        let title = title.filter(|title| !title.is_empty());
        details.title =
            title.ok_or_else(|| Failure::argument("title has at least 1 character."))?;
        check_length("title", &details.title, TITLE_LIMIT)?;
    }
    if let Some(description) = description {
        check_length(
            "description",
            description.as_deref().unwrap_or_default(),
            DESCRIPTION_LIMIT,
        )?;
        details.description = description;
    }
    for (name, place) in [
        ("public_mint_config", PUBLIC),
        ("private_mint_config", PRIVATE),
    ] {
        if let Some(config) = json.field(name)? {
            rules.set_phase(place, phase(name, config, Some(place == PRIVATE))?);
        }
    }
    if let Some(phases) = json.field("phases")? {
        further_phases(rules, phases)?;
    }
    for (name, slot, accounts, total) in [
        (
            "initial_royalties",
            &mut rules.royalties,
            INITIAL_ROYALTIES_ACCOUNTS,
            INITIAL_ROYALTIES_TOTAL,
        ),
        (
            "ongoing_royalties",
            &mut details.royalties,
            ONGOING_ROYALTIES_ACCOUNTS,
            ONGOING_ROYALTIES_TOTAL,
        ),
    ] {
        if let Some(shares) = json.field(name)? {
            *slot = royalties(name, shares, accounts, total)?;
        }
    }
    let mut bypass = Some(core::mem::take(&mut rules.bypass));
    for (name, slot) in [
        ("bypass_mint_fee_accounts", &mut bypass),
        ("approvals_allowed_accounts", &mut lists.approvals_allowed),
        ("approvals_denied_accounts", &mut lists.approvals_denied),
        ("transfers_denied_accounts", &mut lists.transfers_denied),
    ] {
        if let Some(list) = json.field(name)? {
            *slot = account_list(name, list)?;
        }
    }
    rules.bypass = bypass.unwrap_or_default();
    details.has_lists = *lists != Lists::default();
    for (name, off) in [
        ("allow_approvals", &mut details.approvals_off),
        ("allow_transfers", &mut details.transfers_off),
    ] {
        if let Some(allow) = json.field::<bool>(name)? {
            *off = allow == Some(false);
        }
    }
    json.finish()?;
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(json: &str) -> Outcome<Settings> {
        let mut settings = Settings::default();
        settings.details.description = Some("before".into());
        apply(Object::parse(json.as_bytes())?, &mut settings)?;
        let Settings {
            rules,
            details,
            lists,
        } = &settings;
        assert_eq!(Rules::decode(&rules.encode()).as_ref(), Some(rules));
        assert_eq!(Details::decode(&details.encode()).as_ref(), Some(details));
        assert_eq!(Lists::decode(&lists.encode()).as_ref(), Some(lists));
        assert_eq!(details.has_lists, *lists != Lists::default());
        Ok(settings)
    }

    fn applied(json: &str) -> Outcome<(Rules, Details)> {
        settings(json).map(|settings| (settings.rules, settings.details))
    }

    #[test]
    fn an_absent_field_stays_and_null_clears() {
        assert_eq!(
            applied(r#"{"title":"A"}"#)
                .unwrap()
                .1
                .description
                .as_deref(),
            Some("before")
        );
        assert_eq!(
            applied(r#"{"description":null}"#).unwrap().1.description,
            None
        );
        assert!(applied(r#"{"title":null}"#).is_err());
        assert!(
            !applied(r#"{"allow_transfers":null}"#)
                .unwrap()
                .1
                .transfers_off
        );
    }

    #[test]
    fn limits_are_in_code_points() {
        let title = "é".repeat(256);
        assert_eq!(
            applied(&format!(r#"{{"title":"{title}"}}"#))
                .unwrap()
                .1
                .title,
            title
        );
        let failure = applied(&format!(r#"{{"title":"{title}e"}}"#)).unwrap_err();
        assert!(failure.text().starts_with("E_INVALID_ARGUMENT: title "));
    }

    #[test]
    fn royalties_are_bounded() {
        assert!(applied(r#"{"initial_royalties":{"a.near":9500}}"#).is_ok());
        assert!(applied(r#"{"initial_royalties":{"a.near":9000,"b.near":501}}"#).is_err());
        assert!(applied(r#"{"ongoing_royalties":{"a.near":10000}}"#).is_ok());
        assert!(applied(r#"{"ongoing_royalties":{"a.near":4294967295,"b.near":2}}"#).is_err());
        let ten: Vec<String> = (0..10).map(|n| format!("\"a{n}.near\":1")).collect();
        let ten = ten.join(",");
        assert!(applied(&format!("{{\"initial_royalties\":{{{ten}}}}}")).is_ok());
        assert!(applied(&format!("{{\"ongoing_royalties\":{{{ten}}}}}")).is_err());
        assert!(applied(r#"{"initial_royalties":{"A":1}}"#).is_err());
    }

    #[test]
    fn a_fee_covers_the_tokens_storage() {
        assert!(applied(r#"{"public_mint_config":{"mint_fee":"0"}}"#).is_ok());
        assert!(applied(r#"{"public_mint_config":{"mint_fee":"1"}}"#).is_err());
        assert!(applied(r#"{"public_mint_config":{"mint_fee":"2700000000000000000000"}}"#).is_ok());
        assert!(applied(
            r#"{"public_mint_config":{"mint_fee":"0","starts_at_ms":5,"ends_at_ms":5}}"#
        )
        .is_err());
    }

    #[test]
    fn all_settings_come_back() {
        let all = settings(
            r#"{"title":"A","description":"B","public_mint_config":{"mint_fee":"3000000000000000000000","starts_at_ms":1,
            "ends_at_ms":1800000000000,"limit_per_account":300},"private_mint_config":{"mint_fee":"0"},
            "bypass_mint_fee_accounts":["b.near","a.near","b.near"],"initial_royalties":{"z.near":5,"y.near":6},
            "ongoing_royalties":{"x.near":1000},"allow_approvals":false,"approvals_allowed_accounts":[],
            "approvals_denied_accounts":["m.near"],"allow_transfers":false,"transfers_denied_accounts":["e.near"]}"#,
        )
        .unwrap();
        let (rules, details, lists) = (all.rules, all.details, all.lists);
        assert_eq!(rules.bypass, ["b.near", "a.near", "b.near"]);
        assert_eq!(rules.phase(PUBLIC).unwrap().limit, Some(300));
        assert!(rules.phase(PRIVATE).unwrap().listed && !rules.phase(PUBLIC).unwrap().listed);
        assert_eq!(
            rules.royalties,
            [("z.near".into(), 5), ("y.near".into(), 6)]
        );
        assert!(details.approvals_off && details.transfers_off);
        assert_eq!(
            (lists.approvals_allowed, details.description),
            (Some(vec![]), Some("B".into()))
        );
    }

    #[test]
    fn lists_have_a_thousand_accounts_at_most() {
        let list = |count: usize| {
            let ids: Vec<String> = (0..count).map(|n| format!("\"a{n}.near\"")).collect();
            format!("{{\"transfers_denied_accounts\":[{}]}}", ids.join(","))
        };
        assert!(applied(&list(1_000)).is_ok());
        let failure = applied(&list(1_001)).unwrap_err();
        assert_eq!(failure.code, Code::TooMany);
        assert!(failure.message.starts_with("transfers_denied_accounts "));
    }

    #[test]
    fn an_unknown_field_is_refused() {
        assert!(applied(r#"{"titel":"A"}"#)
            .unwrap_err()
            .text()
            .contains("titel"));
    }
}

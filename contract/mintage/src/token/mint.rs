//! Minting: the draw, the owners' lists, the token pages.

use super::overrides::{self, Override};
use super::page::PAGE_TOKENS;
use super::wallet;
use crate::accounts;
use crate::balance;
use crate::collection::eligibility::{self, Minter, Offer, Refusal};
use crate::collection::header::{pages, Copies, Header, PUBLISHED};
use crate::collection::settings::Rules;
use crate::draw::{distinct_ranks, Random};
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Object;
use crate::packed;
use crate::root::Root;
use crate::split;
use crate::store::{self, key2, prefix};
use crate::token::holdings::Head;
use std::borrow::Cow;

const TOKENS_PER_CALL: u32 = 100;
/// What a direct mint wants left before it draws: more than the rest of it can ever use, so that no limit of gas lets
/// a draw be seen and undone.
const GAS_BEFORE_DRAW: u64 = 40_000_000_000_000;

/// Who receives how many tokens.
struct Grant {
    account: String,
    stored: Vec<u8>,
    count: u32,
}

fn published(collection: u32) -> Header {
    let header = store::header(collection);
    if !header.is(PUBLISHED) {
        refuse(Code::NotPublished, "The collection is not published yet.");
    }
    header
}

fn check_supply(header: &Header, count: u32) {
    let left = header.remaining();
    if count > left {
        balance::refuse_amount(Code::SoldOut, "The collection has too few copies left: ", u128::from(left));
    }
}

pub fn nft_batch_mint() {
    let mut args = host::args();
    guard::no_deposit();
    let root = guard::staff();
    let collection: u32 = args.required("collection_id").or_fail();
    let receivers: Vec<Cow<str>> = args.required("receiver_ids").or_fail();
    let each: u32 = args.optional("quantity_per_receiver").or_fail().unwrap_or(1);
    let metadata: Option<Object> = args.optional("metadata").or_fail();
    let count = u32::try_from(receivers.len()).unwrap_or(u32::MAX).saturating_mul(each);
    if count == 0 {
        refuse(Code::InvalidArgument, "receiver_ids and quantity_per_receiver: at least one token is minted.");
    }
    if count > TOKENS_PER_CALL {
        refuse(Code::TooMany, "A call mints at most 100 tokens.");
    }
    let grants: Vec<Grant> = receivers
        .into_iter()
        .map(|account| Grant { stored: guard::account("receiver_ids", &account), account: account.into_owned(), count: each })
        .collect();
    let mut header = published(collection);
    check_supply(&header, count);

    let first = header.minted + 1;
    let assets = draw(collection, &mut header, count);
    let mut homes = Vec::with_capacity(count as usize);
    let mut next = first;
    for grant in &grants {
        let numbers = next..next + grant.count;
        wallet::receive(&grant.stored, collection, numbers, grants.len() > 1, &mut homes);
        next += grant.count;
    }
    let shown = metadata.map(|json| {
        let mut shown = Override::default();
        overrides::apply(json, &mut shown).or_fail();
        shown
    });
    place(collection, &mut header, &grants, &assets, &homes, shown.filter(|s| *s != Override::default()));
    balance::require_reserve(&root, 0);
    let mut ids = String::with_capacity(count as usize * 12 + 2);
    for number in first..first + count {
        ids.push_str(if number == first { "[\"" } else { "\",\"" });
        events::put_token_id(&mut ids, collection, number);
    }
    ids.push_str("\"]");
    host::return_bytes(ids.as_bytes());
}

/// Draws `count` assets among the remaining copies and takes those copies away.
fn draw(collection: u32, header: &mut Header, count: u32) -> Vec<u32> {
    let mut random = Random::new(&host::random_seed(), u64::from(header.minted));
    let ranks = distinct_ranks(&mut random, count as usize, header.remaining());
    let (assets, width) = (header.assets, header.width);
    match &mut header.copies {
        Copies::Inline(bytes) => take(bytes, width, &ranks),
        Copies::Paged(sums) => {
            let layout = pages(assets, width);
            let mut before = Vec::with_capacity(sums.len() + 1);
            let mut total = 0u32;
            for &sum in sums.iter() {
                before.push(total);
                total += sum;
            }
            let places: Vec<usize> = ranks.iter().map(|&rank| packed::last_at_most(&before, rank)).collect();
            let mut drawn = vec![0; ranks.len()];
            for page in 0..layout.pages {
                let here: Vec<usize> = (0..ranks.len()).filter(|&at| places[at] == page).collect();
                if here.is_empty() {
                    continue;
                }
                let key = key2(prefix::COPIES, collection, page as u32);
                let mut bytes = host::read(&key).unwrap_or_else(|| host::corrupt());
                let local: Vec<u32> = here.iter().map(|&at| ranks[at] - before[page]).collect();
                for (&at, asset) in here.iter().zip(take(&mut bytes, width, &local)) {
                    drawn[at] = (page * layout.assets) as u32 + asset;
                }
                sums[page] -= here.len() as u32;
                host::write(&key, &bytes);
            }
            drawn
        }
    }
}

fn take(bytes: &mut [u8], width: u8, ranks: &[u32]) -> Vec<u32> {
    let sums = packed::prefix_sums(bytes, width);
    let drawn: Vec<u32> = ranks.iter().map(|&rank| packed::locate(bytes, width, &sums, rank) as u32).collect();
    for &asset in &drawn {
        let left = packed::get(bytes, width, asset as usize);
        packed::set(bytes, width, asset as usize, left - 1);
    }
    drawn
}

/// Puts drawn tokens on their pages, stores the header and emits the event.
fn place(collection: u32, header: &mut Header, grants: &[Grant], assets: &[u32], homes: &[u16], shown: Option<Override>) {
    let first = header.minted + 1;
    let block = host::block_height();
    if header.last_block != block {
        header.last_block = block;
        header.last_first = first;
    }
    let minted_at = (host::now_ms() / 1000) as u32;
    let mut at = 0;
    for grant in grants {
        for _ in 0..grant.count {
            if shown.is_some() {
                header.page.overridden |= 1 << header.page.len();
            }
            header.page.push(&grant.stored, assets[at], homes[at], minted_at);
            header.minted += 1;
            at += 1;
            if let Some(shown) = &shown {
                host::write(&key2(prefix::OVERRIDE, collection, header.minted), &shown.encode());
            }
            if header.page.is_full() {
                let page = std::mem::take(&mut header.page);
                store::put_full_page(header, collection, header.minted / PAGE_TOKENS - 1, &page);
            }
        }
    }
    store::put_header(collection, header);
    events::mint(collection, first, grants.iter().map(|grant| (grant.account.as_str(), grant.count)));
}

/// What an account may do in a collection now.
struct Case {
    rules: Rules,
    head: Head,
    result: Result<Offer, Refusal>,
    bypass: bool,
}

fn case(root: &Root, collection: u32, account: &str, stored: &[u8]) -> Case {
    let rules = store::rules(collection);
    let head = store::find_head(stored).unwrap_or_default();
    let (public_minted, private_minted) = head.minted(collection);
    let minter = Minter {
        bypass: root.is_staff(stored) || rules.bypass.iter().any(|id| id == account),
        allowlisted: rules.private.is_some() && crate::allowlist::contains(collection, stored),
        public_minted,
        private_minted,
    };
    let result = eligibility::offer(&rules, &minter, host::now_ms());
    Case { rules, head, result, bypass: minter.bypass }
}

pub fn nft_mint() {
    let collection: u32 = host::args().required("collection_id").or_fail();
    let root = guard::root();
    let account = host::predecessor();
    let stored = accounts::encode(&account);
    let mut header = published(collection);
    check_supply(&header, 1);
    let case = case(&root, collection, &account, &stored);
    let offer = case.result.unwrap_or_else(|refusal| refuse(refusal.code, refusal.message));
    let deposit = host::attached_deposit();
    if deposit < offer.fee {
        balance::refuse_amount(Code::DepositTooSmall, "Attach the mint fee, in yoctonear: ", offer.fee);
    }
    if host::gas_left() < GAS_BEFORE_DRAW {
        refuse(Code::GasTooLow, "Attach 100 Tgas: a mint needs 40 Tgas left before it draws.");
    }
    let number = header.minted + 1;
    let drawn = draw(collection, &mut header, 1);
    let mut homes = Vec::with_capacity(1);
    wallet::receive_own(case.head, &stored, (collection, number), offer.private, &mut homes);
    let grant = Grant { account, stored, count: 1 };
    place(collection, &mut header, std::slice::from_ref(&grant), &drawn, &homes, None);
    let owner = accounts::decode(&root.owner);
    let contract = host::current_account();
    for (payee, amount) in split::mint_fee(offer.fee, &accounts::decode(&root.platform), &case.rules.royalties, &owner) {
        if payee != contract {
            balance::pay(&payee, amount);
        }
    }
    balance::pay(&grant.account, deposit - offer.fee);
    balance::require_reserve(&root, 0);
    let mut id = String::with_capacity(24);
    id.push('"');
    events::put_token_id(&mut id, collection, number);
    id.push('"');
    host::return_bytes(id.as_bytes());
}

pub fn mint_eligibility() {
    let mut args = host::args();
    let collection: u32 = args.required("collection_id").or_fail();
    let (account, stored) = guard::required_account(&mut args, "account_id");
    let root = guard::root();
    let header = store::header(collection);
    let refused = |code, message| Err(Refusal { code, message, opens_at_ms: None });
    let (result, bypass) = if !header.is(PUBLISHED) {
        (refused(Code::NotPublished, "The collection is not published yet."), false)
    } else if header.remaining() == 0 {
        (refused(Code::SoldOut, "The collection has no copies left."), false)
    } else {
        let case = case(&root, collection, &account, &stored);
        (case.result, case.bypass)
    };
    host::return_json(|json| {
        json.open('{').key("allowed").bool(result.is_ok());
        match result {
            Ok(offer) => {
                let price = if offer.private { "private" } else { "public" };
                json.key("via").text(if bypass { "bypass" } else { price }).key("mint_fee").amount(offer.fee);
                json.raw("\"code\":null,\"message\":null,\"opens_at_ms\":null");
                json.key("remaining_for_account").optional_number(offer.left.map(u64::from));
            }
            Err(refusal) => {
                json.raw("\"via\":null,\"mint_fee\":null").key("code").text(refusal.code.as_str());
                json.key("message").text(refusal.message);
                json.key("opens_at_ms").optional_number(refusal.opens_at_ms);
                let left = (refusal.code == Code::MintLimit).then_some(0);
                json.key("remaining_for_account").optional_number(left);
            }
        }
        json.close('}');
    });
}

pub fn nft_update() {
    let mut args = host::args();
    guard::no_deposit();
    let root = guard::staff();
    let id: String = args.required("token_id").or_fail();
    let (collection, number) = super::view::parse_or_fail(&id);
    let mut header = store::header_of_token(collection);
    let (mut page, index, at) =
        store::token_page(&header, collection, number).unwrap_or_else(|| super::view::token_missing());
    let key = key2(prefix::OVERRIDE, collection, number);
    let mut shown =
        if page.overridden >> at & 1 == 1 { store::overrides(collection, number) } else { Override::default() };
    overrides::apply(args, &mut shown).or_fail();
    let before = page.overridden;
    if shown == Override::default() {
        page.overridden &= !(1 << at);
        if before != page.overridden {
            host::remove(&key);
        }
    } else {
        page.overridden |= 1 << at;
        host::write(&key, &shown.encode());
    }
    if before != page.overridden {
        store::put_token_page(&mut header, collection, index, page);
    }
    events::metadata_update(collection, number..number + 1);
    balance::require_reserve(&root, 0);
}


//! Collections and their assets as views show them.

use super::asset_pages::AssetPages;
use super::commitment::{given, Reveal};
use super::header::{pages, Copies, Header, HIDDEN, PUBLISHED, ROYALTIES_LOCKED};
use super::locks;
use super::settings::{Royalties, Rules, Settings, PRIVATE, PUBLIC};
use crate::accounts;
use crate::base64;
use crate::files;
use crate::host::{self, OrFail};
use crate::json::Writer;
use crate::packed;
use crate::prelude::*;
use crate::store;
use crate::window::{page_bytes, window};

/// Writes a phase, and of one behind the interface's two what list it has.
fn write_phase(json: &mut Writer, (collection, place): (u32, usize), case: (&Rules, &Header)) {
    let Some(phase) = case.0.phase(place) else {
        json.raw("null");
        return;
    };
    json.open('{').key("mint_fee").amount(phase.fee);
    json.key("currency")
        .optional_text(phase.currency.as_deref());
    json.key("starts_at_ms").optional_number(phase.starts_at_ms);
    json.key("ends_at_ms").optional_number(phase.ends_at_ms);
    json.key("limit_per_account")
        .optional_number(phase.limit.map(u64::from));
    json.key("supply")
        .optional_number(phase.supply.map(u64::from));
    json.key("minted").number(u64::from(case.1.taken[place]));
    if place > PUBLIC {
        json.key("allowlist").bool(phase.listed);
        let accounts = crate::allowlist::list((collection, place)).accounts;
        json.key("allowlisted").number(u64::from(accounts));
    }
    json.close('}');
}

fn write_royalties(json: &mut Writer, royalties: &Royalties) {
    json.open('{');
    for (account, points) in royalties {
        json.key(account).number(u64::from(*points));
    }
    json.close('}');
}

fn write_list(json: &mut Writer, list: Option<&[String]>) {
    let Some(list) = list else {
        json.raw("null");
        return;
    };
    json.open('[');
    for account in list {
        json.plain(account);
    }
    json.close(']');
}

fn write(json: &mut Writer, collection: u32, header: &Header) {
    let Settings {
        rules,
        details,
        lists,
    } = store::settings(collection);
    let published = header.is(PUBLISHED);
    json.open('{')
        .key("collection_id")
        .number(u64::from(collection));
    json.key("external_id")
        .text(&accounts::hex(&details.external_id))
        .key("published")
        .bool(published);
    let allowlisted = crate::allowlist::list((collection, PRIVATE)).accounts;
    for (name, count) in [
        ("assets", header.assets),
        ("total", header.total),
        ("minted", header.minted),
        ("burnt", header.burnt),
        ("allowlisted", allowlisted),
        ("staff_mints_left", header.staff_left(host::now_ms())),
    ] {
        json.key(name).number(u64::from(count));
    }
    json.key("earned").amount(header.earned);
    json.key("title").text(&details.title);
    json.key("description")
        .optional_text(details.description.as_deref());
    let case = (&rules, header);
    for (name, place) in [
        ("public_mint_config", PUBLIC),
        ("private_mint_config", PRIVATE),
    ] {
        write_phase(json.key(name), (collection, place), case);
    }
    json.key("phases").open('[');
    for place in PUBLIC + 1..rules.phases.len() {
        write_phase(json, (collection, place), case);
    }
    json.close(']');
    write_list(json.key("bypass_mint_fee_accounts"), Some(&rules.bypass));
    write_royalties(json.key("initial_royalties"), &rules.royalties);
    write_royalties(json.key("ongoing_royalties"), &details.royalties);
    json.key("ongoing_royalties_can_change")
        .bool(!header.is(ROYALTIES_LOCKED));
    json.key("allow_approvals").bool(!details.approvals_off);
    write_list(
        json.key("approvals_allowed_accounts"),
        lists.approvals_allowed.as_deref(),
    );
    write_list(
        json.key("approvals_denied_accounts"),
        lists.approvals_denied.as_deref(),
    );
    json.key("allow_transfers").bool(!details.transfers_off);
    write_list(
        json.key("transfers_denied_accounts"),
        lists.transfers_denied.as_deref(),
    );
    locks::write(json.key("locks"), header.flags);
    json.key("locked_assets").number(u64::from(header.locked));
    write_reveal(
        json.key("reveal"),
        header,
        store::reveal(collection, header),
    );
    json.close('}');
}

/// How the collection's assets are hidden or were; null if they never were.
fn write_reveal(json: &mut Writer, header: &Header, reveal: Option<Reveal>) {
    let Some(reveal) = reveal else {
        json.raw("null");
        return;
    };
    let hides = header.is(HIDDEN);
    json.open('{')
        .key("state")
        .text(match (hides, reveal.shown) {
            (true, 0) => "hidden",
            (true, _) => "partly",
            (false, _) => "revealed",
        });
    json.key("shown").number(u64::from(reveal.shown));
    let digest = |digest: &[u8]| base64::encode(digest);
    json.key("commitment").text(&digest(&reveal.commitment));
    // What the last batch came with is the salt; before that it is the commitment to the rest.
    json.key("next").text(&digest(&reveal.next));
    let shown = |digest| given(digest).map(files::single);
    files::write(json, ["media", "media_hash"], &shown(&reveal.media));
    files::write(
        json,
        ["reference", "reference_hash"],
        &shown(&reveal.reference),
    );
    json.close('}');
}

pub fn collection() {
    let collection = host::args().required("collection_id").or_fail();
    host::return_json(|json| match store::find_header(collection) {
        Some(header) => write(json, collection, &header),
        None => {
            json.raw("null");
        }
    });
}

/// A page of collections ends at so many, or at a third of the bytes of another list: what is shown of one takes 0.4
/// Tgas, and 0.25 Ggas for each byte where its lists are of short names.
const COLLECTIONS: u64 = 250;

pub fn collections() {
    let (skip, limit) = window(&mut host::args());
    let count = u64::from(store::root().0.collections);
    let limit = limit.min(COLLECTIONS);
    let end = count.min(skip.saturating_add(limit));
    host::return_list(page_bytes(limit) / 3, skip..end, |json, index| {
        let collection = index as u32 + 1;
        write(json, collection, &store::header(collection));
    });
}

pub fn collection_assets() {
    let mut args = host::args();
    let (skip, limit) = window(&mut args);
    let collection = args.required("collection_id").or_fail();
    let header = store::header(collection);
    let end = u64::from(header.assets).min(skip.saturating_add(limit));
    let start = skip.min(end) as u32;
    let end = end as u32;
    let remaining = remaining(collection, &header, start, end);
    let mut pages = AssetPages::default();
    host::return_list(page_bytes(limit), start..end, |json, asset| {
        let place = (collection, asset);
        json.open('{');
        let shown = |digest: Option<Vec<u8>>| digest.map(|digest| files::single(&digest));
        let media = shown(pages.media(place));
        files::write(json, ["media", "media_hash"], &media);
        let reference = shown(pages.reference(place));
        files::write(json, ["reference", "reference_hash"], &reference);
        let (copies, subtitle) = pages.info(place);
        let left = remaining
            .as_ref()
            .map_or(copies, |left| left[(asset - start) as usize]);
        json.key("copies")
            .number(u64::from(copies))
            .key("remaining")
            .number(u64::from(left));
        json.key("subtitle")
            .optional_text(subtitle.as_deref())
            .close('}');
    });
}

/// The copies that assets have left; `None` before publication. Copies drawn in this very block count as there still,
/// and adding them back takes the same steps whatever was drawn.
fn remaining(collection: u32, header: &Header, from: u32, to: u32) -> Option<Vec<u32>> {
    if !header.is(PUBLISHED) {
        return None;
    }
    let width = header.width;
    let count = (to - from) as usize;
    let mut left = Vec::with_capacity(count + 1);
    match &header.copies {
        Copies::Inline(bytes) => {
            left.extend((from..to).map(|asset| packed::get(bytes, width, asset as usize)))
        }
        Copies::Paged(_) => {
            let layout = pages(header.assets, width);
            let all = store::copies_pages(collection, layout.pages);
            for asset in from as usize..to as usize {
                let (page, at) = (asset / layout.assets, asset % layout.assets);
                left.push(packed::get(&all[page], width, at));
            }
        }
    }
    // One place more catches what lies outside the range.
    left.push(0);
    for asset in store::assets_of_block(collection, header) {
        let place = (asset.wrapping_sub(from) as usize).min(count);
        left[place] = left[place].wrapping_add(1);
    }
    Some(left)
}

//! The records of a collection's settings as bytes.

use super::settings::{Details, Lists, Phase, Royalties, Rules};
use crate::codec::{put_option, put_text, put_varint, read_option, Reader};
use crate::prelude::*;

impl Rules {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.push(self.phases.len() as u8);
        for phase in &self.phases {
            put_option(&mut out, phase.as_ref(), put_phase);
        }
        put_list(&mut out, &self.bypass);
        put_royalties(&mut out, &self.royalties);
        out
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let reader = &mut Reader::new(bytes);
        let places = reader.u8()?;
        Some(Self {
            phases: (0..places)
                .map(|_| read_option(reader, read_phase))
                .collect::<Option<_>>()?,
            bypass: read_list(reader)?,
            royalties: read_royalties(reader)?,
        })
    }
}

/// Bits of the byte of flags.
const APPROVALS_OFF: u8 = 1;
const TRANSFERS_OFF: u8 = 2;
const HAS_LISTS: u8 = 4;

impl Details {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(1_024);
        out.extend_from_slice(&self.external_id);
        put_text(&mut out, &self.title);
        put_option(&mut out, self.description.as_deref(), put_text);
        put_royalties(&mut out, &self.royalties);
        let mut flags = 0;
        for (flag, on) in [
            (APPROVALS_OFF, self.approvals_off),
            (TRANSFERS_OFF, self.transfers_off),
            (HAS_LISTS, self.has_lists),
        ] {
            flags |= flag * u8::from(on);
        }
        out.push(flags);
        if self.updated_at > 0 {
            out.extend_from_slice(&self.updated_at.to_le_bytes());
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let reader = &mut Reader::new(bytes);
        let mut details = Self {
            external_id: reader.take(16)?.try_into().ok()?,
            title: reader.text()?.to_owned(),
            description: read_option(reader, read_text)?,
            royalties: read_royalties(reader)?,
            ..Self::default()
        };
        let flags = reader.u8()?;
        details.approvals_off = flags & APPROVALS_OFF != 0;
        details.transfers_off = flags & TRANSFERS_OFF != 0;
        details.has_lists = flags & HAS_LISTS != 0;
        details.updated_at = reader.u32().unwrap_or_default();
        Some(details)
    }
}

impl Lists {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(1_024);
        for list in [
            &self.approvals_allowed,
            &self.approvals_denied,
            &self.transfers_denied,
        ] {
            put_option(&mut out, list.as_deref(), put_list);
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let reader = &mut Reader::new(bytes);
        Some(Self {
            approvals_allowed: read_option(reader, read_list)?,
            approvals_denied: read_option(reader, read_list)?,
            transfers_denied: read_option(reader, read_list)?,
        })
    }
}

fn put_list(out: &mut Vec<u8>, list: &[String]) {
    put_varint(out, list.len() as u32);
    for item in list {
        put_text(out, item);
    }
}

fn read_text(reader: &mut Reader) -> Option<String> {
    reader.text().map(str::to_owned)
}

fn read_list(reader: &mut Reader) -> Option<Vec<String>> {
    (0..reader.varint()?).map(|_| read_text(reader)).collect()
}

fn put_royalties(out: &mut Vec<u8>, royalties: &Royalties) {
    out.push(royalties.len() as u8);
    for (account, points) in royalties {
        put_text(out, account);
        out.extend_from_slice(&points.to_le_bytes());
    }
}

fn read_royalties(reader: &mut Reader) -> Option<Royalties> {
    (0..reader.u8()?)
        .map(|_| Some((read_text(reader)?, reader.u16()?)))
        .collect()
}

fn put_phase(out: &mut Vec<u8>, phase: &Phase) {
    out.extend_from_slice(&phase.fee.to_le_bytes());
    put_option(out, phase.currency.as_deref(), put_text);
    for time in [phase.starts_at_ms, phase.ends_at_ms] {
        put_option(out, time, |out, time| {
            out.extend_from_slice(&time.to_le_bytes())
        });
    }
    put_option(out, phase.limit, put_varint);
    put_option(out, phase.supply, put_varint);
    out.push(u8::from(phase.listed));
}

fn read_phase(reader: &mut Reader) -> Option<Phase> {
    Some(Phase {
        fee: reader.u128()?,
        currency: read_option(reader, read_text)?,
        starts_at_ms: read_option(reader, Reader::u64)?,
        ends_at_ms: read_option(reader, Reader::u64)?,
        limit: read_option(reader, Reader::varint)?,
        supply: read_option(reader, Reader::varint)?,
        listed: reader.u8()? != 0,
    })
}

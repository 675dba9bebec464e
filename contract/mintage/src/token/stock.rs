//! The copies of a collection that are left, while one mint takes some: chosen ones, and drawn ones.
//!
//! A page that a receipt has written before costs less gas to write again. Which page a draw touched may not show in
//! that. So in a block only the first mint may write some of the pages, and only where it draws a single token or none:
//! all others write all pages.

use crate::collection::header::{pages, Copies, Header};
use crate::draw::{distinct_ranks, Random};
use crate::host;
use crate::packed;
use crate::prelude::*;
use crate::store::{self, key2, prefix};

/// Remaining copies, read and not written back yet.
pub(super) struct Stock {
    pages: Vec<Vec<u8>>,
    /// The copies on each page.
    sums: Vec<u32>,
    /// Bits an asset takes.
    width: u8,
    /// Assets of a page.
    assets: usize,
    /// The copies are in the header.
    inline: bool,
    /// Pages that copies were taken from.
    touched: Vec<bool>,
    /// All pages are written.
    all: bool,
}

impl Stock {
    /// Takes the copies out of the header, and reads all their pages.
    pub fn open(collection: u32, header: &mut Header) -> Self {
        let layout = pages(header.assets, header.width);
        let copies = core::mem::replace(&mut header.copies, Copies::Inline(Vec::new()));
        let (inline, pages, sums) = match copies {
            Copies::Inline(bytes) => (true, vec![bytes], vec![header.remaining()]),
            Copies::Paged(sums) => (false, store::copies_pages(collection, layout.pages), sums),
        };
        Self {
            touched: vec![false; pages.len()],
            all: header.last_block == host::block_height(),
            width: header.width,
            assets: layout.assets,
            inline,
            pages,
            sums,
        }
    }

    /// The page of an asset, and its place there.
    fn place(&self, asset: u32) -> (usize, usize) {
        let asset = asset as usize;
        (asset / self.assets, asset % self.assets)
    }

    /// The copies that an asset has left.
    pub fn left(&self, asset: u32) -> u32 {
        let (page, at) = self.place(asset);
        packed::get(&self.pages[page], self.width, at)
    }

    /// Takes copies of an asset that has as many.
    pub fn take(&mut self, asset: u32, count: u32) {
        let left = self.left(asset);
        let (page, at) = self.place(asset);
        packed::set(&mut self.pages[page], self.width, at, left - count);
        self.sums[page] -= count;
        self.touched[page] = true;
    }

    /// Draws `count` assets and takes a copy of each. Whatever comes out, as many instructions run.
    pub fn draw(&mut self, random: &mut Random, count: usize) -> Vec<u32> {
        let mut before = Vec::with_capacity(self.sums.len());
        let mut total = 0u32;
        for &sum in &self.sums {
            before.push(total);
            total += sum;
        }
        let ranks = distinct_ranks(random, count, total);
        let places: Vec<usize> = ranks
            .iter()
            .map(|&rank| packed::last_at_most(&before, rank))
            .collect();
        self.all |= count > 1 || self.touched.contains(&true);
        // A lone draw needs the table of its page only, and all pages are as long.
        let tables: Vec<Vec<u32>> = self
            .pages
            .iter()
            .enumerate()
            .map(|(page, bytes)| match count > 1 || places[0] == page {
                true => packed::prefix_sums(bytes, self.width),
                false => Vec::new(),
            })
            .collect();
        let drawn: Vec<u32> = ranks
            .iter()
            .zip(&places)
            .map(|(rank, &page)| {
                let rank = rank - before[page];
                let at = packed::locate(&self.pages[page], self.width, &tables[page], rank);
                (page * self.assets + at) as u32
            })
            .collect();
        drawn.iter().for_each(|&asset| self.take(asset, 1));
        drawn
    }

    /// Writes pages, and puts into the header what stands there.
    pub fn close(mut self, collection: u32, header: &mut Header) {
        if self.inline {
            header.copies = Copies::Inline(self.pages.swap_remove(0));
            return;
        }
        for (page, bytes) in self.pages.iter().enumerate() {
            if self.all || self.touched[page] {
                host::write(&key2(prefix::COPIES, collection, page as u32), bytes);
            }
        }
        header.copies = Copies::Paged(self.sums);
    }
}

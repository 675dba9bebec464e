import type { Mutant } from "../mutant.ts";

/** The contract; each is built to wasm and run by the harness. */
export const CONTRACT: readonly Mutant[] = [
  {
    id: "transfer: an approval that was replaced is taken",
    file: "contract/mintage/src/token/transfer.rs",
    search: "request.approval_id.is_some_and(|id| id != approval.id)",
    replacement: "request.approval_id.is_some_and(|id| id > approval.id)",
    tests: ["approvals"],
  },
  {
    id: "transfer: tokens of a closed collection are passed on",
    file: "contract/mintage/src/token/transfer.rs",
    search: "if place.header.is(header::TRANSFERS_OFF) {",
    replacement: "if place.header.is(header::TRANSFERS_OFF) && place.header.is(header::TRANSFERS_FILTERED) {",
    tests: ["core", "roles", "transfer_call", "minting", "collections"],
  },
  {
    id: "transfer: an account on the denied list gets tokens",
    file: "contract/mintage/src/token/transfer.rs",
    search: "if denied.contains(receiver_id) {",
    replacement: "if denied.len() > 1 && denied.contains(receiver_id) {",
    tests: ["core", "roles", "transfer_call", "minting", "collections"],
  },
  {
    id: "solvency: what is owed to others may be spent",
    file: "contract/mintage/src/solvency.rs",
    search: "* BYTE_PRICE + self.owed + CUSHION",
    replacement: "* BYTE_PRICE + CUSHION",
    tests: ["approvals", "storage", "money"],
  },
  {
    id: "solvency: a token's own storage is not reserved",
    file: "contract/mintage/src/solvency.rs",
    search: "u128::from(self.base + self.promised) * BYTE_PRICE",
    replacement: "u128::from(self.base) * BYTE_PRICE",
    tests: ["storage", "money"],
  },
  {
    id: "migration: what was taken over of a page stays on it too",
    file: "contract/mintage/src/collection/asset_pages.rs",
    search: "let needed = batch.needed_of(&info, assets);",
    replacement: "let needed = info.len();",
    tests: ["large_views"],
  },
  {
    id: "migration: a page is taken over whole, however long its subtitles are",
    file: "contract/mintage/src/collection/asset_pages.rs",
    search: "texts > TEXTS_AT_ONCE && left < media.len()",
    replacement: "texts > TEXTS_AT_ONCE && left > media.len()",
    tests: ["large_views"],
  },
  {
    id: "refusals: one is as long as what it repeats",
    file: "contract/mintage/src/host.rs",
    search: "text.len().min(FAILURE_LIMIT)",
    replacement: "text.len().min(FAILURE_LIMIT * FAILURE_LIMIT)",
    tests: ["refusals"],
  },
  {
    id: "locks: royalties that fell rise to where they were",
    file: "contract/mintage/src/collection/locks.rs",
    search: "points(after) > points(before)",
    replacement: "points(after) > points(before).max(500)",
    tests: ["attacks"],
  },
];

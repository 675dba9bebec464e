import { RECORD_BYTES } from "../../domain/promised-bytes.ts";
import type { ContractSettings, ContractSettingsView } from "../contract/settings.ts";
import type { ContractCollection, ContractToken } from "../contract/views.ts";
import { callGas, logGas, readGas, removeGas, writeGas } from "./protocol.ts";
import {
  COLLECTION_KEY,
  detailsBytes,
  headerBytes,
  idsBytes,
  listsBytes,
  onOpenPage,
  pageBytes,
  ROOT,
  ROOT_KEY,
  rootGas,
  rulesBytes,
  slotOf,
} from "./records.ts";
import { type Place, wayToCollection, wayToOwn } from "./trie.ts";
import { lackOf, type Work } from "./work.ts";

/** Ids of one event; above it the event names none. */
const MOST_TOLD = 600;
const EVENT = 92;
const EVENT_OF_ALL = 81;
/** When what tokens show was changed: there once it was. */
const UPDATED_AT = 4;

/** What the gas of a change of settings depends on. */
export interface SettingsFacts {
  readonly collection: ContractCollection;
  readonly place: Place;
  readonly mostCopies: number;
  /** The tokens of the page that is being filled, or the last one before it. */
  readonly newest: readonly ContractToken[];
}

/** Arguments of `collection_update`. */
export type SettingsArguments = ContractSettings & { readonly collection_id: number };

/** Bytes of the records of settings. */
interface Records {
  readonly rules: number;
  readonly details: number;
  readonly lists: number | null;
}

const recordsOf = (settings: ContractSettingsView, isUpdated: boolean): Records => ({
  rules: rulesBytes(settings),
  details: detailsBytes(settings) + (isUpdated ? UPDATED_AT : 0),
  lists: listsBytes(settings),
});

const sizeOf = ({ rules, details, lists }: Records): number =>
  rules + details + (lists === null ? 0 : lists + RECORD_BYTES + COLLECTION_KEY);

/** What a change of a collection's settings does. */
export const settingsWork = (args: SettingsArguments, bytes: number, facts: SettingsFacts): Work => {
  const { collection, place, newest } = facts;
  const { collection_id: id, ...changes } = args;
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const after = { ...collection, ...given } as ContractSettingsView;
  const isShown = "title" in given || "description" in given;
  const wasShown = newest.some(({ metadata }) => metadata.updated_at !== null);
  const [old, next] = [recordsOf(collection, wasShown), recordsOf(after, wasShown || isShown)];
  const page = onOpenPage(collection.minted) === 0 ? [] : newest;
  const header =
    headerBytes(collection.assets, facts.mostCopies) + pageBytes(page.map(slotOf), collection.assets);
  const nodes = wayToCollection(place);
  const write = (value: number, before: number | null) =>
    writeGas({ key: COLLECTION_KEY, value, old: before, nodes });
  const isResized = sizeOf(old) !== sizeOf(next);
  const isFlagged =
    collection.allow_transfers !== after.allow_transfers || filters(collection) !== filters(after);
  const logged = isShown ? loggedOf(id, collection.minted) : 0;
  const host =
    callGas("collection_update", bytes) +
    readGas(ROOT_KEY, ROOT) +
    [header, old.details, old.rules].reduce((sum, value) => sum + readGas(COLLECTION_KEY, value), 0) +
    write(next.rules, old.rules) +
    write(next.details, old.details) +
    listsGas(place, old.lists, next.lists) +
    (isFlagged ? write(header, header) : 0) +
    (logged > 0 ? logGas(logged) : 0) +
    (isResized ? rootGas(place) : 0);
  return {
    host,
    counts: {
      argument: bytes,
      records: sizeOf(old) + sizeOf(next),
      accounts: accountsOf(collection) + accountsOf(after),
      shares: sharesOf(collection) + sharesOf(after),
      changed: Object.keys(given).length,
      header,
      slots: page.length,
      logged,
      flagged: isFlagged ? 1 : 0,
    },
    lack: lackOf(sizeOf(next) - sizeOf(old)),
  };
};

/** Reading the lists where there are some, and writing or removing their record. */
const listsGas = (place: Place, old: number | null, next: number | null): number => {
  const key = COLLECTION_KEY;
  const nodes = wayToOwn(place, [], old === null ? [] : [[]]);
  const read = old === null ? 0 : readGas(key, old);
  return read + (next === null ? removeGas({ key, old, nodes }) : writeGas({ key, value: next, old, nodes }));
};

/** Bytes of the event that tells what tokens show now. */
const loggedOf = (id: number, minted: number): number => {
  if (minted === 0) return 0;
  return minted > MOST_TOLD ? EVENT_OF_ALL : EVENT + idsBytes(id, 1, minted);
};

const filters = ({ transfers_denied_accounts: denied }: ContractSettingsView): boolean =>
  denied !== null && denied.length > 0;

const accountsOf = (settings: ContractSettingsView): number =>
  [
    settings.bypass_mint_fee_accounts,
    settings.approvals_allowed_accounts,
    settings.approvals_denied_accounts,
    settings.transfers_denied_accounts,
  ].reduce((sum, list) => sum + (list?.length ?? 0), 0);

const sharesOf = ({ initial_royalties: initial, ongoing_royalties: ongoing }: ContractSettingsView): number =>
  Object.keys(initial ?? {}).length + Object.keys(ongoing ?? {}).length;

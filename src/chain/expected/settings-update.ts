import type { ContractSettings, ContractSettingsView } from "../contract/settings.ts";
import type { ContractCollection, ContractToken } from "../contract/views.ts";
import { callGas, logGas, readGas, writeGas } from "./protocol.ts";
import {
  COLLECTION_KEY,
  detailsBytes,
  headerBytes,
  idsBytes,
  onOpenPage,
  pageBytes,
  ROOT,
  ROOT_KEY,
  rulesBytes,
  slotOf,
} from "./records.ts";
import type { Work } from "./work.ts";

/** Ids of one event; above it the event names none. */
const MOST_TOLD = 600;
const EVENT = 81;
/** When what tokens show was changed: there once it was. */
const UPDATED_AT = 4;

/** What the gas of a change of settings depends on. */
export interface SettingsFacts {
  readonly collection: ContractCollection;
  /** The tokens of the page that is being filled, or the last one before it. */
  readonly newest: readonly ContractToken[];
}

/** What a change of a collection's settings does. */
/** Arguments of `collection_update`. */
export type SettingsArguments = ContractSettings & { readonly collection_id: number };

export const settingsWork = (
  args: SettingsArguments,
  bytes: number,
  { collection, newest }: SettingsFacts,
): Work => {
  const { collection_id: id, ...changes } = args;
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const after = { ...collection, ...given } as ContractSettingsView;
  const isShown = "title" in given || "description" in given;
  const wasShown = newest.some(({ metadata }) => metadata.updated_at !== null);
  const page = onOpenPage(collection.minted) === 0 ? [] : newest;
  const header = headerBytes(collection) + pageBytes(page.map(slotOf), collection.assets);
  const [rules, newRules] = [rulesBytes(collection), rulesBytes(after)];
  const details = detailsBytes(collection) + (wasShown ? UPDATED_AT : 0);
  const newDetails = detailsBytes(after) + (wasShown || isShown ? UPDATED_AT : 0);
  let host = callGas("collection_update", bytes) + readGas(ROOT_KEY, ROOT) + readGas(COLLECTION_KEY, header);
  host += readGas(COLLECTION_KEY, rules) + readGas(COLLECTION_KEY, details);
  host += writeGas(COLLECTION_KEY, newRules, rules) + writeGas(COLLECTION_KEY, newDetails, details);
  if (rules + details !== newRules + newDetails) host += writeGas(ROOT_KEY, ROOT, ROOT);
  const isFlagged =
    collection.allow_transfers !== after.allow_transfers || filters(collection) !== filters(after);
  if (isFlagged) host += writeGas(COLLECTION_KEY, header, header);
  const told = isShown && collection.minted > 0;
  const logged = !told
    ? 0
    : collection.minted > MOST_TOLD
      ? EVENT
      : EVENT + idsBytes(id, 1, collection.minted);
  if (told) host += logGas(logged);
  return {
    host,
    counts: {
      argument: bytes,
      records: rules + details + newRules + newDetails,
      accounts: accountsOf(collection) + accountsOf(after),
      logged,
      flagged: isFlagged ? 1 : 0,
      rooted: rules + details !== newRules + newDetails ? 1 : 0,
    },
  };
};

const filters = ({ transfers_denied_accounts: denied }: ContractSettingsView): boolean =>
  denied !== null && denied.length > 0;

const accountsOf = (settings: ContractSettingsView): number =>
  [
    settings.bypass_mint_fee_accounts,
    settings.approvals_allowed_accounts,
    settings.approvals_denied_accounts,
    settings.transfers_denied_accounts,
    Object.keys(settings.initial_royalties ?? {}),
    Object.keys(settings.ongoing_royalties ?? {}),
  ].reduce((sum, list) => sum + (list?.length ?? 0), 0);

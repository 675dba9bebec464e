import type { Collection, CollectionDraftInput } from "../../client/src/index.ts";
import { PHASE_NUMBERS, phaseName } from "./phase-settings.ts";
import { type Currencies, priceText } from "./prices.ts";

/** Settings of a draft or a collection, as far as a folder can name them. */
type Settings = CollectionDraftInput | Collection;

const NONE = "none";

/** A phase of either, with the token of its price. */
type Phase = Omit<Collection["phases"][number], "phase" | "minted" | "allowlisted">;

const IN_NEAR = { currency: null, supply: null };

/** The phases of settings, by their names in collection.yaml. */
function phasesOf(settings: Settings, currencies: Currencies): ReadonlyMap<string, Phase> {
  if ("collection_uuid" in settings)
    return new Map(settings.phases.map((phase) => [phaseName(phase.phase), phase]));
  const { public_mint_config: open, private_mint_config: listed, phases } = settings;
  const none = { starts_at: null, ends_at: null, limit_per_account: null, supply: null };
  const further = (phases ?? []).map(({ phase, kind, currency: account, ...rest }): [string, Phase] => {
    const unread = { contract_id: account ?? "", symbol: null, decimals: null };
    const currency = account ? (currencies.get(account) ?? unread) : null;
    return [phaseName(phase), { ...none, ...rest, kind: kind ?? "public", currency }];
  });
  return new Map<string, Phase>([
    ...(open ? [["public", { ...none, ...open, ...IN_NEAR, kind: "public" }] as const] : []),
    ...(listed ? [["allowlist", { ...none, ...listed, ...IN_NEAR, kind: "allowlist" }] as const] : []),
    ...further,
  ]);
}

/** What each field of collection.yaml would say. */
function fieldsOf(settings: Settings, currencies: Currencies): ReadonlyMap<string, string> {
  const phases = phasesOf(settings, currencies);
  const phase = (number: number): [string, string][] => {
    const name = phaseName(number);
    const shown = phases.get(name);
    return [
      [`phases.${name}.price`, shown ? priceText(shown.mint_fee, shown.currency) : NONE],
      [`phases.${name}.starts`, timeText(shown?.starts_at)],
      [`phases.${name}.ends`, timeText(shown?.ends_at)],
      [`phases.${name}.per_account`, String(shown?.limit_per_account ?? NONE)],
      [`phases.${name}.supply`, String(shown?.supply ?? NONE)],
      [`phases.${name}.allowlist`, shown?.kind === "allowlist" ? "yes" : "no"],
    ];
  };
  return new Map([
    ["title", settings.title],
    ["description", settings.description ?? NONE],
    ["contract", settings.contract_uuid],
    ...PHASE_NUMBERS.flatMap(phase),
    ["royalties.sales", sharesText(settings.initial_royalties)],
    ["royalties.resales", sharesText(settings.ongoing_royalties)],
    ["mint_free", (settings.bypass_mint_fee_accounts ?? []).toSorted().join(", ") || NONE],
    ["reveal", revealText(settings.reveal)],
    ["transfers", settings.allow_transfers === false ? "no" : "yes"],
  ]);
}

const timeText = (time: string | null | undefined): string => (time ? new Date(time).toISOString() : NONE);

const revealText = (reveal: Settings["reveal"]): string => {
  if (typeof reveal === "string") return timeText(reveal);
  if (typeof reveal === "object" && reveal?.at) return timeText(reveal.at);
  return reveal ? "yes" : "no";
};

const sharesText = (shares: Settings["initial_royalties"]): string =>
  Object.entries(shares ?? {})
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([account, percent]) => `${account}: ${percent}%`)
    .join(", ") || NONE;

/** Long texts are cut: the change stands in the file. */
const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

/**
 * Fields that a folder has changed since its launch began, and that the collection doesn't have as the folder says; each a
 * line with both values.
 * @param begun what the launch began with
 * @param current what the collection has now; null: it isn't on-chain yet
 * @param currencies the tokens of the folder's prices
 */
export function changedSettings(
  folder: CollectionDraftInput,
  begun: CollectionDraftInput,
  current: Collection | null,
  currencies: Currencies,
): readonly string[] {
  const [before, now] = [fieldsOf(begun, currencies), fieldsOf(current ?? begun, currencies)];
  return [...fieldsOf(folder, currencies)].flatMap(([field, value]) =>
    value === before.get(field) || value === now.get(field)
      ? []
      : [`${field}: ${cut(value)} in the folder, ${cut(now.get(field) ?? NONE)} in the collection`],
  );
}

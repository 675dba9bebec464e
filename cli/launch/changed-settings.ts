import type { Collection, CollectionDraftInput } from "../../client/src/index.ts";
import { nearText } from "./prices.ts";

/** Settings of a draft or a collection, as far as a folder can name them. */
type Settings = CollectionDraftInput | Collection;

const NONE = "none";

/** What each field of collection.yaml would say. */
function fieldsOf(settings: Settings): ReadonlyMap<string, string> {
  const phase = (name: string, config: Settings["public_mint_config"]): [string, string][] => [
    [`phases.${name}.price`, config ? nearText(config.mint_fee) : NONE],
    [`phases.${name}.starts`, timeText(config?.starts_at)],
    [`phases.${name}.ends`, timeText(config?.ends_at)],
    [`phases.${name}.per_account`, String(config?.limit_per_account ?? NONE)],
  ];
  return new Map([
    ["title", settings.title],
    ["description", settings.description ?? NONE],
    ["contract", settings.contract_uuid],
    ...phase("public", settings.public_mint_config),
    ...phase("allowlist", settings.private_mint_config),
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
 */
export function changedSettings(
  folder: CollectionDraftInput,
  begun: CollectionDraftInput,
  current: Collection | null,
): readonly string[] {
  const [before, now] = [fieldsOf(begun), fieldsOf(current ?? begun)];
  return [...fieldsOf(folder)].flatMap(([field, value]) =>
    value === before.get(field) || value === now.get(field)
      ? []
      : [`${field}: ${cut(value)} in the folder, ${cut(now.get(field) ?? NONE)} in the collection`],
  );
}

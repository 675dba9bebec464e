import type { ContractAsset, ContractCollection, ContractToken } from "../contract/views.ts";

/** What tells a token's own metadata from its asset's and its collection's. */
export interface Beside {
  readonly collection: ContractCollection;
  /** The collection's assets; null: they are too many to be looked at. */
  readonly assets: readonly ContractAsset[] | null;
  /** Tokens around it. */
  readonly page: readonly ContractToken[];
}

/** A token's own metadata, as they are stored; null: it shows something else. */
export type Own = Readonly<Record<string, string | number | object | null>>;

/** A file of a token's own, whose digests count by their lengths alone. */
const FILE = { sha256: "", root: null };

const timeOf = ({ metadata: { updated_at: time } }: ContractToken): number => Number(time ?? 0);

/** Whether a token was changed by itself: one that is as old would show a change of its collection as well. */
export const isChanged = (token: ContractToken, page: readonly ContractToken[]): boolean =>
  page.some((other) => Number(other.metadata.issued_at) < timeOf(token) && timeOf(other) < timeOf(token));

/** What a token has of its own, as far as views tell; null: nothing. */
export const ownOf = (token: ContractToken, { collection, assets, page }: Beside): Own | null => {
  const { metadata } = token;
  const isShown = metadata.media !== null && collection.reveal?.state !== "hidden";
  const asset = assets?.find(({ media }) => media === metadata.media);
  const { title, subtitle } = titlesOf(token, collection, asset ? [asset] : (assets ?? []));
  const own: Own = {
    title,
    subtitle: assets === null ? null : subtitle,
    description: metadata.description === collection.description ? null : metadata.description,
    extra: metadata.extra,
    copies: metadata.copies === collection.total ? null : metadata.copies,
    media: isShown && assets !== null && !asset ? FILE : null,
    reference: asset && metadata.reference !== asset.reference ? FILE : null,
  };
  if (Object.values(own).some((value) => value !== null)) return own;
  // What was changed and isn't gone has something of its own.
  return isChanged(token, page)
    ? { ...own, [assets === null ? "media" : "description"]: assets === null ? FILE : "" }
    : null;
};

/** A token's own title and subtitle; null: those of its collection, and of its asset, which is one of these. */
const titlesOf = (
  { token_id: id, metadata: { title } }: ContractToken,
  { title: collectionTitle, total }: ContractCollection,
  assets: readonly ContractAsset[],
): { readonly title: string | null; readonly subtitle: string | null } => {
  if (title === null) return { title: null, subtitle: null };
  const filled = (text: string) =>
    text.replaceAll("$TOKEN_NUM", id.slice(id.indexOf(":") + 1)).replaceAll("$TOTAL_NUM", String(total));
  const known = assets.map(({ subtitle }) => filled(subtitle?.trimStart() ?? ""));
  const begin = filled(collectionTitle);
  if (title === begin)
    return { title: null, subtitle: known.every((text) => text !== "") && known.length > 0 ? "" : null };
  const rest = title.startsWith(`${begin.trimEnd()} `) ? title.slice(begin.trimEnd().length + 1) : null;
  if (rest !== null) return { title: null, subtitle: known.includes(rest) ? null : rest };
  const end = known.find((text) => text !== "" && title.endsWith(` ${text}`));
  return { title: end === undefined ? title : title.slice(0, -end.length - 1), subtitle: null };
};

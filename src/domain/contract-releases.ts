/** Earlier releases of the contract, which the service adopts and upgrades. Add the previous one with each new release. */
interface Release {
  /** Lower-case hexadecimal of the code's SHA-256. */
  readonly codeHash: string;
  /** Version of its storage layout (docs/contract.md). */
  readonly layout: number;
}

const FORMER_RELEASES: readonly Release[] = [
  { codeHash: "cb8825e0caac50ac806de9c00e493a02a4af8b44a7c2b30e8c76af8c4d55090a", layout: 2 },
];

const layoutOf = (codeHash: string): number | undefined =>
  FORMER_RELEASES.find((release) => release.codeHash === codeHash)?.layout;

/** The layout that leaves no pages of assets to be taken over. */
const LAYOUT_WITHOUT_OLD_PAGES = 3;

/** Whether a code is a release of ours from before the present one. */
export const isFormerRelease = (codeHash: string): boolean => layoutOf(codeHash) !== undefined;

/** Whether an upgrade has to migrate collections' pages. It does so if the layout isn't known, which is harmless. */
export const hasOldPages = (codeHash: string): boolean =>
  (layoutOf(codeHash) ?? 0) < LAYOUT_WITHOUT_OLD_PAGES;

/** From this layout on `collection_update` and `nft_update` take one yoctoNEAR; before it they refuse every deposit. */
const LAYOUT_WITH_DEPOSITS = 3;

/** Codes that are known to refuse updates as they are sent today; lower-case hexadecimal. */
export const BEFORE_DEPOSITS: readonly string[] = FORMER_RELEASES.filter(
  ({ layout }) => layout < LAYOUT_WITH_DEPOSITS,
).map(({ codeHash }) => codeHash);

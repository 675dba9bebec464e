/**
 * Lower-case hexadecimal SHA-256 of earlier releases of the contract, which the service adopts and upgrades. With a new
 * release of the contract, add the previous one here.
 */
const FORMER_RELEASES: readonly string[] = [
  "252a9cfdab4c96b1a95e337b0c4a505ef592c4bbe26a670ef728104f154dab63",
];

/** Whether a code is a release of ours from before the present one. */
export const isFormerRelease = (codeHash: string): boolean => FORMER_RELEASES.includes(codeHash);

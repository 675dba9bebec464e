/**
 * Lower-case hexadecimal SHA-256 of earlier releases of the contract, which the service adopts and upgrades. With a new
 * release of the contract, add the previous one here.
 */
const FORMER_RELEASES: readonly string[] = [
  "a6f3c5be2e129065da6862f98249383627bcd0c09699b03ee33ef44fd619c5d3",
];

/** Whether a code is a release of ours from before the present one. */
export const isFormerRelease = (codeHash: string): boolean => FORMER_RELEASES.includes(codeHash);

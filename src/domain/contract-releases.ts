/**
 * Lower-case hexadecimal SHA-256 of earlier releases of the contract, which the service adopts and upgrades. With a new
 * release of the contract, add the previous one here.
 */
const FORMER_RELEASES: readonly string[] = [
  "aa42410e3e7254980d0f00e12cec0d41da860060adfe00a89443167b478745bf",
];

/** Whether a code is a release of ours from before the present one. */
export const isFormerRelease = (codeHash: string): boolean => FORMER_RELEASES.includes(codeHash);

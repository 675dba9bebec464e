/**
 * Lower-case hexadecimal SHA-256 of earlier releases of the contract, which the service adopts and upgrades. With a new
 * release of the contract, add the previous one here.
 */
const FORMER_RELEASES: readonly string[] = [
  "af2c8776c9b9418624c37d0747b5a1ed082befb29434afddadff09832ca2fd66",
];

/** Whether a code is a release of ours from before the present one. */
export const isFormerRelease = (codeHash: string): boolean => FORMER_RELEASES.includes(codeHash);

/**
 * Lower-case hexadecimal SHA-256 of earlier releases of the contract, which the service adopts and upgrades. With a new
 * release of the contract, add the previous one here.
 */
const FORMER_RELEASES: readonly string[] = [
  "80f0997c8f523c4be40d93fd0b081a734be85374093be3f7ee74816a3b751590",
];

/** Whether a code is a release of ours from before the present one. */
export const isFormerRelease = (codeHash: string): boolean => FORMER_RELEASES.includes(codeHash);

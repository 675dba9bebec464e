import { base64Decode } from "near-api-js";

/** A sealed seed: 12 bytes nonce, ciphertext and tag of AES-256-GCM, and the version of the secret. */
export interface Sealed {
  readonly bytes: Uint8Array;
  readonly version: number;
}

/** Versions of the secret under which keys are sealed, as WALLET_SECRETS gives them: version to base64 of 32 bytes. */
export type WalletSecrets = Readonly<Record<string, string>>;

const NONCE_BYTES = 12;
const SECRET_BYTES = 32;

export const newestVersion = (secrets: WalletSecrets): number =>
  Math.max(...Object.keys(secrets).map(Number));

/** Seals a key's seed under the newest secret, bound to the account id, so that one wallet's copy can't pass for another's. */
export const seal = async (seed: Uint8Array, accountId: string, secrets: WalletSecrets): Promise<Sealed> => {
  const version = newestVersion(secrets);
  const key = await sealingKey(secrets, version);
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const ciphertext = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: boundTo(accountId) },
    key,
    seed,
  );
  const bytes = new Uint8Array(NONCE_BYTES + ciphertext.byteLength);
  bytes.set(iv);
  bytes.set(new Uint8Array(ciphertext), NONCE_BYTES);
  return { bytes, version };
};

/** Opens a sealed seed. @throws Error that names the version when its secret is missing or the copy does not fit */
export const unseal = async (
  sealed: Sealed,
  accountId: string,
  secrets: WalletSecrets,
): Promise<Uint8Array> => {
  const key = await sealingKey(secrets, sealed.version);
  const iv = sealed.bytes.slice(0, NONCE_BYTES);
  try {
    const seed = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv, additionalData: boundTo(accountId) },
      key,
      sealed.bytes.slice(NONCE_BYTES),
    );
    return new Uint8Array(seed);
  } catch {
    throw new Error(
      `the sealed key of ${accountId} does not open with version ${sealed.version} of WALLET_SECRETS`,
    );
  }
};

/** The version of an error of `unseal` whose secret is missing; null: another error. It keeps only its message between objects. */
export const missingVersion = (error: unknown): string | null =>
  error instanceof Error ? (/WALLET_SECRETS has no version (\d+)/.exec(error.message)?.[1] ?? null) : null;

const boundTo = (accountId: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`mintage wallet ${accountId}`) as Uint8Array<ArrayBuffer>;

/** AES-256 key of one version: HKDF-SHA-256 (RFC 5869) of the secret. */
const sealingKey = async (secrets: WalletSecrets, version: number): Promise<CryptoKey> => {
  const text = secrets[String(version)];
  if (text === undefined) throw new Error(`WALLET_SECRETS has no version ${version}`);
  const secret = base64Decode(text);
  if (secret.length !== SECRET_BYTES) {
    throw new Error(`version ${version} of WALLET_SECRETS has to be ${SECRET_BYTES} bytes`);
  }
  const material = await crypto.subtle.importKey("raw", secret as Uint8Array<ArrayBuffer>, "HKDF", false, [
    "deriveKey",
  ]);
  return crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(),
      info: new TextEncoder().encode("mintage wallet sealing"),
    },
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
};

/**
 * Keys that a passkey keeps: its authenticator has a secret, of which it tells a pseudo-random function (WebAuthn level 3,
 * extension `prf`). The same passkey gives the same key again, on this service's pages alone. What a passkey tells
 * anybody, such as the credential's id, has no part in it.
 */

/** What the function is asked for: another text would be another key, so that it never changes. */
const ASKED = new TextEncoder().encode("mintage account key 1");
const ALGORITHMS = [-8, -7, -257].map((alg) => ({ type: "public-key" as const, alg }));
/** Nobody checks an answer of the passkey, whose secret is all that counts; a challenge must be there. */
const challenge = (): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(32));

/** Whether this browser knows the extension; a passkey may still lack it. */
export async function knowsPasskeys(): Promise<boolean> {
  const ask = globalThis.PublicKeyCredential?.getClientCapabilities;
  return ask !== undefined && (await PublicKeyCredential.getClientCapabilities())["extension:prf"] === true;
}

/** 32 bytes of the function's answer. @throws Error where there is none */
async function secretOf(credential: Credential | null): Promise<Uint8Array> {
  const { prf } = (credential as PublicKeyCredential).getClientExtensionResults();
  if (!prf?.results) throw new Error("This passkey can't keep a key. Choose another one, or another way.");
  const source = await crypto.subtle.importKey("raw", prf.results.first, "HKDF", false, ["deriveBits"]);
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: ASKED };
  return new Uint8Array(await crypto.subtle.deriveBits(how, source, 256));
}

const extensions = { prf: { eval: { first: ASKED } } };

/**
 * The secret of a passkey that the collector chooses.
 * @param id of the passkey; absent: any of this service's
 * @throws Error if they choose none, or it has no secret
 */
export async function secretOfPasskey(id?: ArrayBuffer): Promise<Uint8Array> {
  const allowCredentials = id ? [{ type: "public-key" as const, id }] : [];
  return secretOf(
    await navigator.credentials.get({
      publicKey: { challenge: challenge(), allowCredentials, userVerification: "required", extensions },
    }),
  );
}

/** Makes a passkey and gives its secret. @param name under which the collector's device lists it @throws Error */
export async function secretOfNewPasskey(name: string): Promise<Uint8Array> {
  const made = (await navigator.credentials.create({
    publicKey: {
      challenge: challenge(),
      rp: { name: location.hostname },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
      pubKeyCredParams: ALGORITHMS,
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      extensions,
    },
  })) as PublicKeyCredential;
  const { prf } = made.getClientExtensionResults();
  // Many authenticators evaluate the function at a later question only.
  return prf?.enabled && !prf.results ? secretOfPasskey(made.rawId) : secretOf(made);
}

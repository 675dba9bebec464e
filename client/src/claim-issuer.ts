/**
 * Claim links and vouchers as their issuer makes them (docs/contract.md, "Claim drops" and "Vouchers"), with WebCrypto alone. No key of this file is
 * ever sent: the service is told the issuer's public key.
 */

const SEED_BYTES = 32;
/** What stands before the 32 bytes of an ed25519 seed in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** base58 as NEAR writes keys. */
const base58 = (bytes: Uint8Array): string => {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let digits = "";
  for (; number > 0n; number /= 58n) digits = ALPHABET[Number(number % 58n)] + digits;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + digits;
};

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> => {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new Uint8Array([...binary].map((letter) => letter.charCodeAt(0)));
};

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));

interface KeyPair {
  readonly signing: CryptoKey;
  /** `ed25519:` and base58. */
  readonly publicKey: string;
}

const keyPairOf = async (seed: Uint8Array): Promise<KeyPair> => {
  const signing = await crypto.subtle.importKey("pkcs8", Uint8Array.of(...PKCS8, ...seed), "Ed25519", true, [
    "sign",
  ]);
  const { x = "" } = (await crypto.subtle.exportKey("jwk", signing)) as JsonWebKey;
  return { signing, publicKey: `ed25519:${base58(fromBase64Url(x))}` };
};

/** A link of a drop. Whoever has the fragment can redeem the link. */
export interface ClaimLink {
  /** Its number, from 0. */
  readonly link: number;
  /** `ed25519:` and base58. */
  readonly publicKey: string;
  /** What stands behind `#` in the link's address: `{claim_url}#{fragment}`. */
  readonly fragment: string;
}

/** What a voucher grants. */
export interface VoucherTerms {
  /** The network's name, as `me()` shows it. */
  readonly network: string;
  /** The contract's account. */
  readonly contract: string;
  readonly dropId: number;
  /** A number of the drop, from 0 and below its `links`; each is used once, by a voucher or by a link. */
  readonly nonce: number;
  /** The account that gets the NFTs, whoever pays. */
  readonly receiver: string;
  /** NFTs, at most the drop's `quantity`; default: 1. */
  readonly quantity?: number;
  /** For each NFT: in yoctoNEAR 0, or at least 0.0027 NEAR; of a currency at least 1 of its smallest unit. */
  readonly price: bigint;
  /** The account of a NEP-141 token that a phase of the collection has its price in; null or absent: NEAR. */
  readonly currency?: string | null;
  readonly expiresAt: Date;
}

/** A signed voucher, and the call by which a wallet redeems it. */
export interface Voucher {
  readonly args: {
    readonly drop_id: number;
    readonly nonce: number;
    readonly receiver_id: string;
    readonly quantity: number;
    readonly price: string;
    /** Absent: NEAR. */
    readonly currency?: string;
    readonly expires_at_ms: number;
    /** base64 of 64 bytes. */
    readonly signature: string;
  };
  /** `voucher_mint` of the contract, or the token's `ft_transfer_call`, which sends the price of all NFTs. */
  readonly call: {
    readonly contract: string;
    readonly method: "voucher_mint" | "ft_transfer_call";
    readonly args: Readonly<Record<string, unknown>>;
  };
  /** yoctoNEAR to attach to the call: the price of all NFTs, or 1 where a token is sent. */
  readonly deposit: string;
  /** What stands behind `#` in the voucher's link: `{mint_url}#{fragment}`. No browser sends it to anybody. */
  readonly fragment: string;
}

/** Who certifies the links of a drop and signs vouchers for it: a key, from which the links' keys are derived, so that it alone is kept. */
export class ClaimIssuer {
  /** For `issuer_public_key` of a drop. */
  readonly publicKey: string;
  /** Secret: 32 bytes in base64url. Whoever has it can redeem every link of its drops and make vouchers of any price. */
  readonly seed: string;
  readonly #signing: CryptoKey;
  readonly #deriving: CryptoKey;

  private constructor(seed: string, { signing, publicKey }: KeyPair, deriving: CryptoKey) {
    this.seed = seed;
    this.publicKey = publicKey;
    this.#signing = signing;
    this.#deriving = deriving;
  }

  /** A new one. Keep its seed before a drop is opened for it. */
  static create(): Promise<ClaimIssuer> {
    return ClaimIssuer.fromSeed(base64Url(crypto.getRandomValues(new Uint8Array(SEED_BYTES))));
  }

  /** One that was kept. @throws Error if the seed is not 32 bytes in base64url */
  static async fromSeed(seed: string): Promise<ClaimIssuer> {
    const bytes = fromBase64Url(seed);
    if (bytes.length !== SEED_BYTES) throw new Error("The seed of a ClaimIssuer has 32 bytes.");
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const deriving = await crypto.subtle.importKey("raw", bytes, hmac, false, ["sign"]);
    return new ClaimIssuer(seed, await keyPairOf(bytes), deriving);
  }

  /**
   * A link of a drop: the same each time.
   * @param network the network's name, as `me()` shows it
   * @param contract the contract's account
   */
  async link(network: string, contract: string, dropId: number, link: number): Promise<ClaimLink> {
    const place = `${network}\n${contract}\n${dropId}\n${link}`;
    const derived = await crypto.subtle.sign("HMAC", this.#deriving, utf8(`mintage-link-seed\n${place}`));
    const seed = new Uint8Array(derived);
    const { publicKey } = await keyPairOf(seed);
    const certificate = await crypto.subtle.sign(
      "Ed25519",
      this.#signing,
      utf8(`mintage-link\n${place}\n${publicKey}`),
    );
    const fragment = [dropId, link, base64Url(seed), base64Url(new Uint8Array(certificate))].join(".");
    return { link, publicKey, fragment };
  }

  /** Signs that a receiver may mint at a price: anyone may bring the voucher to the contract, once, and pays. */
  async voucher(terms: VoucherTerms): Promise<Voucher> {
    const { network, contract, dropId, nonce, receiver, quantity = 1, currency, expiresAt } = terms;
    const [price, end] = [terms.price.toString(), expiresAt.getTime()];
    const place = [network, contract, dropId, nonce];
    const text = ["mintage-voucher", ...place, receiver, quantity, price, currency ?? "NEAR", end].join("\n");
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", this.#signing, utf8(text)));
    const args = {
      drop_id: dropId,
      nonce,
      receiver_id: receiver,
      quantity,
      price,
      ...(currency && { currency }),
      expires_at_ms: end,
      signature: btoa(String.fromCharCode(...signature)),
    };
    const total = (terms.price * BigInt(quantity)).toString();
    const sent = { receiver_id: contract, amount: total, msg: JSON.stringify({ voucher: args }) };
    const numbers = ["voucher", dropId, nonce, quantity, price, end, base64Url(signature)].join(".");
    return {
      args,
      call: currency
        ? { contract: currency, method: "ft_transfer_call", args: sent }
        : { contract, method: "voucher_mint", args },
      deposit: currency ? "1" : total,
      fragment: `${numbers}.${receiver}${currency ? `:${currency}` : ""}`,
    };
  }
}

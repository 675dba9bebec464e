/** Claim links (docs/contract.md, "Claim drops"): what issuers and holders sign, and the part of an address after `#`. */

/** Most links of a drop, and most tokens of a link. */
export const MOST_LINKS = 10_000;
export const MOST_PER_LINK = 25;

export interface LinkPlace {
  /** The network's name, such as testnet. */
  readonly network: string;
  readonly contract: string;
  readonly drop: number;
  /** From 0. */
  readonly link: number;
}

const lines = (kind: string, { network, contract, drop, link }: LinkPlace, last: string): string =>
  [kind, network, contract, drop, link, last].join("\n");

/** What the issuer signs for the key of a link. @param publicKey `ed25519:` and base58 */
export const certificateText = (place: LinkPlace, publicKey: string): string =>
  lines("mintage-link", place, publicKey);

/** What a link's key signs for the account that receives. */
export const claimText = (place: LinkPlace, receiver: string): string =>
  lines("mintage-claim", place, receiver);

/** What `nft_claim` takes: the link's key with its certificate, and the receiver with the link's signature. */
export interface ClaimProof {
  readonly drop_id: number;
  /** From 0. */
  readonly link: number;
  /** `ed25519:` and base58. */
  readonly link_public_key: string;
  /** base64 of 64 bytes, as the signature. */
  readonly certificate: string;
  readonly receiver_id: string;
  readonly signature: string;
}

export interface LinkSecret {
  readonly drop: number;
  readonly link: number;
  /** Seed of the link's ed25519 key: 32 bytes. */
  readonly seed: Uint8Array;
  /** The issuer's signature of the link's key: 64 bytes. */
  readonly certificate: Uint8Array;
}

const SEED_BYTES = 32;
const CERTIFICATE_BYTES = 64;

const fromBase64Url = (text: string): Uint8Array | null => {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
};

/** What a fragment carries; null if it is of no link, or not whole. */
export const readLinkFragment = (fragment: string): LinkSecret | null => {
  const [drop, link, seedText, certificateText, ...more] = fragment.replace(/^#/, "").split(".");
  if (!drop || !link || !seedText || !certificateText || more.length > 0) return null;
  if (!/^[1-9]\d{0,9}$/.test(drop) || !/^(0|[1-9]\d{0,4})$/.test(link)) return null;
  const [seed, certificate] = [fromBase64Url(seedText), fromBase64Url(certificateText)];
  if (seed?.length !== SEED_BYTES || certificate?.length !== CERTIFICATE_BYTES) return null;
  return { drop: Number(drop), link: Number(link), seed, certificate };
};

/** A voucher as `voucher_mint` takes it: its issuer signed that a receiver may mint at a price. */
export interface SignedVoucher {
  readonly drop_id: number;
  /** From 0. */
  readonly nonce: number;
  readonly receiver_id: string;
  readonly quantity: number;
  /** For each: yoctoNEAR, or the smallest units of the currency. */
  readonly price: string;
  /** Account of the NEP-141 token that the price is in; absent: NEAR. */
  readonly currency?: string;
  readonly expires_at_ms: number;
  /** base64 of 64 bytes. */
  readonly signature: string;
}

const VOUCHER =
  /^#?voucher\.([1-9]\d{0,8})\.(0|[1-9]\d{0,3})\.([1-9]\d?)\.(0|[1-9]\d{0,38})\.([1-9]\d{0,14})\.([\w-]{86})\.([a-z0-9._-]{2,64})(?::([a-z0-9._-]{2,64}))?$/;

/** The voucher that a fragment carries; null if it is of none, or not whole. */
export const readVoucherFragment = (fragment: string): SignedVoucher | null => {
  const [, drop, nonce, quantity, price, end, signed = "", receiver = "", currency] =
    VOUCHER.exec(fragment) ?? [];
  const signature = fromBase64Url(signed);
  if (signature?.length !== CERTIFICATE_BYTES || Number(quantity) > MOST_PER_LINK) return null;
  return {
    drop_id: Number(drop),
    nonce: Number(nonce),
    receiver_id: receiver,
    quantity: Number(quantity),
    price: String(price),
    ...(currency && { currency }),
    expires_at_ms: Number(end),
    signature: btoa(String.fromCharCode(...signature)),
  };
};

/** Which links of a drop were claimed, in ascending order. @param bits one a link, the lowest of the first byte first */
export const claimedLinks = (bits: Uint8Array): number[] =>
  [...bits].flatMap((byte, index) =>
    Array.from({ length: 8 }, (_, bit) => bit)
      .filter((bit) => (byte >> bit) & 1)
      .map((bit) => index * 8 + bit),
  );

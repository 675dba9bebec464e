/** Claim links as their issuer makes them and as their holders use them; docs/contract.md, "Claim drops". */
import { KeyPair } from "near-api-js";
import {
  type ClaimProof,
  certificateText,
  claimText,
  type LinkPlace,
} from "../../src/domain/claim-proofs.ts";

const signed = (pair: KeyPair, text: string): string =>
  Buffer.from(pair.sign(new TextEncoder().encode(text)).signature).toString("base64");

/** A link, by its holder. */
export interface Link {
  readonly drop_id: number;
  readonly link: number;
  readonly link_public_key: string;
  readonly certificate: string;
  /** What `nft_claim` takes for a receiver. */
  proofFor(receiver: string): ClaimProof;
}

/** A key pair as near-api-js makes one. */
export type Issuer = KeyPair;

export const newIssuer = (): Issuer => KeyPair.fromRandom("ed25519");

/** A link of an issuer's drop, whose key is new. */
export function makeLink(issuer: Issuer, place: LinkPlace): Link {
  const pair = KeyPair.fromRandom("ed25519");
  const key = pair.getPublicKey().toString();
  const shown = {
    drop_id: place.drop,
    link: place.link,
    link_public_key: key,
    certificate: signed(issuer, certificateText(place, key)),
  };
  return {
    ...shown,
    proofFor: (receiver) => ({
      ...shown,
      receiver_id: receiver,
      signature: signed(pair, claimText(place, receiver)),
    }),
  };
}

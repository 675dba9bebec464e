/** Claim links as their issuer makes them and as their holders use them; docs/contract.md, "Claim drops". */
import { KeyPair } from "near-api-js";

export interface LinkPlace {
  contract: string;
  drop_id: number;
  link: number;
}

const signed = (pair: KeyPair, lines: readonly (string | number)[]): string =>
  Buffer.from(pair.sign(new TextEncoder().encode(lines.join("\n"))).signature).toString("base64");

/** The arguments of `nft_claim` for a link of this issuer's, whose key is new. */
export function claimArgs(issuer: KeyPair, { contract, drop_id, link }: LinkPlace, receiver_id: string) {
  const pair = KeyPair.fromRandom("ed25519");
  const link_public_key = pair.getPublicKey().toString();
  return {
    drop_id,
    link,
    link_public_key,
    certificate: signed(issuer, ["mintage-link", contract, drop_id, link, link_public_key]),
    receiver_id,
    signature: signed(pair, ["mintage-claim", contract, drop_id, link, receiver_id]),
  };
}

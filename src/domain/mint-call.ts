/** The call of `nft_mint` that a collector's wallet signs, the same in the Worker's words and in the browser's. */
import type { SignedVoucher } from "./claim-proofs.ts";

/** Gas that is attached: what the contract asks to have left before it draws, and all that may follow (docs/contract.md). */
export const MINT_GAS = 150_000_000_000_000n;

/** yoctoNEAR that have to be there for gas at the price of 1e8 a unit; what isn't used comes back. */
export const GAS_SET_ASIDE = MINT_GAS * 100_000_000n;

/** Most tokens that one signature mints. */
export const MOST_AT_ONCE = 25;

/** What is minted: how many, and for whom where it is a gift. */
export interface MintWish {
  readonly collectionId: number;
  readonly quantity: number;
  readonly receiver: string | null;
}

/**
 * Arguments of a token's `ft_transfer_call` that mints, or gives everything back: what one NFT may cost at most is told.
 * @param paid units of the token, for one NFT and for all
 */
export const purchaseArguments = (
  contract: string,
  wish: MintWish,
  paid: { readonly each: string; readonly total: string },
) => ({
  receiver_id: contract,
  amount: paid.total,
  msg: JSON.stringify({ ...mintArguments(wish), max_price: paid.each }),
});

/** Arguments of a token's `ft_transfer_call` that redeems a voucher, or gives everything back. @param total units for all */
export const redemptionArguments = (contract: string, voucher: SignedVoucher, total: string) => ({
  receiver_id: contract,
  amount: total,
  msg: JSON.stringify({ voucher }),
});

export const mintArguments = ({ collectionId, quantity, receiver }: MintWish) => ({
  collection_id: collectionId,
  quantity,
  ...(receiver !== null && { receiver_id: receiver }),
});

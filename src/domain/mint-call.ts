/** The call of `nft_mint` that a collector's wallet signs, the same in the Worker's words and in the browser's. */
import type { SignedVoucher } from "./claim-proofs.ts";

/** Gas attached to a mint that is paid in NEAR (docs/contract.md). */
const MINT_GAS = 100_000_000_000_000n;

/** Gas attached to a mint that is paid in a token: its `ft_transfer_call` passes on what its own work leaves. */
const TOKEN_MINT_GAS = 150_000_000_000_000n;

/** Gas of the transaction and its receipt themselves, rounded up. */
const TRANSACTION_GAS = 1_000_000_000_000n;

/** yoctoNEAR a unit at which gas is bought at least, from protocol version 85 (`min_gas_purchase_price`). */
const PURCHASE_PRICE = 1_000_000_000n;

/** Gas attached to a mint that is paid in a token, or in NEAR. */
export const mintGas = (inToken: boolean): bigint => (inToken ? TOKEN_MINT_GAS : MINT_GAS);

/** yoctoNEAR that an account must have for the gas of a mint, in addition to its price. What isn't burnt is refunded. */
export const setAside = (inToken: boolean): bigint => (mintGas(inToken) + TRANSACTION_GAS) * PURCHASE_PRICE;

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

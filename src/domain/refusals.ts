import { codeIn } from "./contract-failures.ts";

/** What the contract's refusals (docs/contract.md, "Failures") mean to a collector: what has happened, and what to do. */
const MEANT: Readonly<Record<string, string>> = {
  E_SOLD_OUT:
    "Fewer are left than you chose: others were faster. Choose a smaller number, or look at the gallery.",
  E_NO_DIRECT_MINT: "This collection can't be minted from a wallet now. Ask the artist how to get one.",
  E_MINT_NOT_STARTED: "The mint hasn't opened yet. This page offers it once it has.",
  E_MINT_ENDED: "The mint is over. Look at the gallery, or at where its NFTs are traded.",
  E_NOT_ALLOWLISTED:
    "This account isn't on the allowlist. Connect another one, or come back when the mint is open to everybody.",
  E_MINT_LIMIT:
    "This account has minted as many as one account may. Choose a smaller number, or another account.",
  E_OTHER_CURRENCY: "The price is in another currency. Choose that one.",
  E_PRICE_TOO_HIGH: "The price has changed. Look at the new one, and mint again if you agree.",
  E_DEPOSIT_TOO_SMALL: "The price has changed. Look at the new one, and mint again if you agree.",
  E_GAS_TOO_LOW: "The wallet attached too little gas. Try again with fewer at once.",
  E_STORAGE_BALANCE:
    "The artist's contract can't hold more NFTs until it is topped up. Tell the artist, and come back later.",
  E_DROP_RESERVE: "What was set aside for this gift is used up. Tell whoever gave you the link.",
  E_DROP_NOT_FOUND: "The artist has closed this gift. Tell whoever gave you the link.",
  E_DROP_EXPIRED: "This link has expired. Ask whoever gave it to you for another one.",
  E_LINK_CLAIMED:
    "This link was used already, or is no longer valid. Ask whoever gave it to you for another one.",
  E_CLAIM_INVALID: "This link is incomplete. Copy all of it, including everything after the #.",
  E_LOCKED: "The artist has ended the mint for ever. Look at the gallery, or at where its NFTs are traded.",
};

const OTHERS = "The contract refused this. Reload the page; if it happens again, tell the artist.";

/** A refusal in a collector's words. @param code the contract's; null: the message has it, or it is of somebody else */
export function plainRefusal(code: string | null, message: string | null): string {
  const found = code ?? codeIn(message ?? "");
  if (found === null) return message ?? OTHERS;
  return MEANT[found] ?? OTHERS;
}

import type { PublicEligibility } from "../src/api/resources/public-collection.ts";
import { readVoucherFragment, type SignedVoucher } from "../src/domain/claim-proofs.ts";
import { shownAmount } from "../src/domain/prices.ts";
import type { Currency } from "../src/domain/settings.ts";
import { isWalletChosen } from "./connecting.ts";
import { localTimes } from "./countdown.ts";
import { keptInWindow } from "./kept.ts";
import { pause, type readsOf, Unanswered } from "./service.ts";
import { countNfts, find, say } from "./shown.ts";

type Reads = ReturnType<typeof readsOf>;

/** How long before it is asked again what a voucher gives. Milliseconds. */
const AGAIN = 3_000;

/** The voucher in the page's address, behind `#`; a wallet that is chosen by another address finds it in the window. */
export function voucherHere(slug: string): SignedVoucher | null {
  const kept = `mintage:${slug}:voucher`;
  const isHere = location.hash.startsWith("#voucher.");
  const fragment = isHere ? location.hash : isWalletChosen() ? (keptInWindow.get(kept) ?? "") : "";
  const voucher = readVoucherFragment(fragment);
  if (isHere) {
    keptInWindow.set(kept, voucher && fragment);
    // Where nothing is left to mint, the page has no place for vouchers.
    const place = document.getElementById("voucher");
    if (!voucher && place)
      say(place, "This voucher is not whole. Copy the whole link, with everything behind the #.", "bad");
  }
  // Another voucher of the same page, put into this window, loads nothing by itself.
  addEventListener("hashchange", () => {
    if (readVoucherFragment(location.hash)) location.reload();
  });
  return voucher;
}

/** Says what a voucher gives, or why nothing. Where nobody answers for now, it asks again. */
export async function showVoucher(reads: Reads, voucher: SignedVoucher): Promise<void> {
  const place = find("voucher");
  for (;;) {
    try {
      const shown = await reads.voucher(voucher);
      const { receiver_id: receiver, quantity, price, currency, expires_at: end } = shown;
      const cost =
        price === "0" ? "for free" : `for ${shownAmount(price, currency)}${quantity > 1 ? " each" : ""}`;
      say(place, `This voucher gives ${receiver} ${countNfts(quantity)} ${cost}. It is good until `);
      const time = document.createElement("time");
      time.dateTime = end;
      place.firstElementChild?.append(time, ".");
      return localTimes();
    } catch (error) {
      say(place, (error as Error).message, "bad");
      if (!(error instanceof Unanswered)) return;
      await pause(Math.max(error.after, AGAIN));
    }
  }
}

/** Shows the call that redeems a voucher in place of those of the phases. */
export function showVoucherCall(contract: string, voucher: SignedVoucher): void {
  const call = document.createElement("p");
  const code = (text: string) => Object.assign(document.createElement("code"), { textContent: text });
  const { currency } = voucher;
  const [method, account] = currency ? ["ft_transfer_call", currency] : ["voucher_mint", contract];
  call.append("One transaction: a call of ", code(method), " on ", code(account), " with ");
  call.append(
    code(JSON.stringify(currency ? { voucher } : voucher)),
    currency ? " as its message, which sends the price to " : " and the price attached.",
    ...(currency ? [code(contract), ": it mints, or all of it comes back."] : []),
    " It can move nothing else from your account.",
  );
  const signs = find("signs");
  signs.hidden = false;
  for (const other of signs.querySelectorAll(".call")) other.remove();
  signs.querySelector("summary")?.after(call);
}

/** What a voucher costs an account that brings it, and in which currency. @throws Refusal if it can't be redeemed, Unanswered */
export async function voucherTerms(
  reads: Reads,
  voucher: SignedVoucher,
  account: string,
): Promise<{ readonly found: PublicEligibility; readonly currency: Currency | null }> {
  const [shown, asked] = await Promise.all([
    reads.voucher(voucher),
    reads.eligibility(account, 1, voucher.currency),
  ]);
  const { quantity, price, currency, total_fee } = shown;
  const open = { allowed: true, code: null, message: null, opens_at: null, remaining_for_account: null };
  return { found: { ...asked, ...open, quantity, mint_fee: price, total_fee }, currency };
}

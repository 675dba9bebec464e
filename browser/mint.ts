import type {
  PublicCollection,
  PublicEligibility,
  PublicPhase,
} from "../src/api/resources/public-collection.ts";
import { isAccountId, isImplicitAccountId } from "../src/domain/account-ids.ts";
import { exactNear } from "../src/domain/amounts.ts";
import { grouped, supplyMinted } from "../src/domain/counted.ts";
import {
  MOST_AT_ONCE,
  mintArguments,
  mintGas,
  purchaseArguments,
  redemptionArguments,
  setAside,
} from "../src/domain/mint-call.ts";
import { shownAmount } from "../src/domain/prices.ts";
import { plainRefusal } from "../src/domain/refusals.ts";
import type { Currency } from "../src/domain/settings.ts";
import { type Connection, offerWallets } from "./connecting.ts";
import { countDown, localTimes } from "./countdown.ts";
import { type Intent, intentOf, outcomeOf } from "./outcome.ts";
import { keepPixels } from "./pixels.ts";
import { awaitReveal, mainAt } from "./reveal.ts";
import { readsOf } from "./service.ts";
import { sharing } from "./share.ts";
import { accountIn, clearProblem, find, refreshGiven, say, showGiven } from "./shown.ts";
import { playSounds } from "./sound.ts";
import { showVoucher, showVoucherCall, voucherHere, voucherTerms } from "./voucher.ts";
import { hashIn, reasonOf } from "./wallets.ts";

const page = find("page");
const { slug = "", title = "", by = "", network = "", contract = "", collection = "" } = page.dataset;
const currencies = JSON.parse(page.dataset.currencies ?? "[]") as readonly (Currency | null)[];
const reads = readsOf(slug);
const intents = intentOf(slug);
/** What is minted instead of the phases' offers. */
const voucher = voucherHere(slug);
/** The server's clock, whatever this machine's says. */
const offset = Number(page.dataset.now) - Date.now();
const now = () => Date.now() + offset;

const outcome = find("outcome");
/** What is left out once nothing can be minted. */
const wish = find<HTMLFormElement>("wish");
const go = find<HTMLButtonElement>("go");
const terms = find("terms");
const gift = find("gift");
const quantityField = find<HTMLInputElement>("quantity");
const currencyField = find<HTMLSelectElement>("currency");
const receiverField = find<HTMLInputElement>("receiver");
/** How long before this page is read again that couldn't be read. Milliseconds. */
const AGAIN = 5_000;
/** The longest that a browser's timer lasts. Milliseconds. */
const MOST_TIMER = 2 ** 31;

interface Agreed {
  readonly quantity: number;
  readonly fee: string;
  /** For one. */
  readonly each: string;
  /** Null: NEAR. */
  readonly currency: Currency | null;
}

/** Whether anything is minted from here: a phase is open or comes, or there is a voucher. */
const isOffered = voucher !== null || currencies.length > 0;

let connected: Connection | null = null;
/** Says whether a mint is on its way, while which nothing can be changed. */
function setBusy(is: boolean): void {
  busy = is;
  if (!wish) return;
  wish.parentElement?.setAttribute("aria-busy", String(is));
  terms.hidden = is;
  for (const id of ["less", "more", "quantity", "currency"]) find<HTMLButtonElement>(id).disabled = is;
  if (is) go.textContent = "Minting …";
}

/** What is shown to the collector; nothing else is signed. */
let agreed: Agreed | null = null;
let busy = false;
/** Whether nothing is left. */
let isOver = false;
/** The highest number of an NFT that this page has shown as minted. */
let lastShown = 0;
/** Of the newest block that this page has shown: NFTs that are minted, and that are left. */
let shownMinted = Number(page.dataset.minted);
let shownLeft = Number.MAX_SAFE_INTEGER;

const near = (yocto: string | bigint) => `${exactNear(String(yocto))} NEAR`;
/** A balance need not be exact to the last digit. */
const about = (yocto: string) => `${(Number(BigInt(yocto) / 10n ** 20n) / 10_000).toString()} NEAR`;

/** The currency that is chosen; null: NEAR. A voucher's is known once its terms are. */
const currencyWanted = (): Currency | null =>
  currencies.find((one) => one?.contract_id === currencyField?.value) ?? null;

interface Explained {
  readonly sentence: string;
  readonly tone: string;
  /** Null: nothing can be signed. */
  readonly fee: string | null;
}

/** Whether nothing but the moment stands against it. */
const opensLater = ({ allowed, opens_at: opens }: PublicEligibility): boolean => !allowed && opens !== null;

const bad = (sentence: string): Explained => ({ sentence, tone: "bad", fee: null });

/** What the contract's answer means to the collector. @param currency that was asked for */
function explain(found: PublicEligibility, currency: Currency | null): Explained {
  const { available, quantity, account_id: account, total_fee: fee } = found;
  if (available === null) return bad(`There is no account ${account} on this network.`);
  if (!found.allowed && found.remaining_for_account) {
    return bad(`You can mint ${found.remaining_for_account} more.`);
  }
  if (!found.allowed && opensLater(found)) {
    return { sentence: "You are connected. This page offers the mint once it opens.", tone: "", fee: null };
  }
  if (!found.allowed || fee === null) return bad(plainRefusal(found.code, found.message));
  const each = quantity > 1 ? `, ${shownAmount(found.mint_fee ?? "0", currency)} each` : "";
  const price = fee === "0" ? "Free" : `${shownAmount(fee, currency)}${each}`;
  const needed = setAside(currency !== null) + (currency === null ? BigInt(fee) : 0n);
  const units = currency === null ? null : (found.currency_available ?? "0");
  if (currency !== null && units !== null && BigInt(units) < BigInt(fee)) {
    return bad(`${price}. Your account has ${shownAmount(units, currency)}.`);
  }
  if (BigInt(available) < needed) {
    return bad(
      `${price}. Your account can spend ${about(available)}; ${near(needed)} have to be there${currency === null ? "" : " for the network"}.`,
    );
  }
  const has = currency !== null && units !== null ? shownAmount(units, currency) : null;
  return {
    sentence: `${price}, and a network fee usually below 0.001 NEAR. Your account ${has === null ? `can spend ${about(available)}` : `has ${has}`}.`,
    tone: "",
    fee,
  };
}

/** The button says what it costs once that is known. */
const nameButton = (quantity: number | null, fee: string | null, currency: Currency | null): void => {
  const price = fee === "0" ? " for free" : fee === null ? "" : ` for ${shownAmount(fee, currency)}`;
  go.textContent = `Mint${quantity === null ? "" : ` ${quantity}`}${price}`;
};

/** The number that is asked for; null if it is none. */
const quantityWanted = (): number | null => {
  if (voucher) return voucher.quantity;
  const quantity = Number(quantityField.value);
  return Number.isInteger(quantity) && quantity >= 1 && quantity <= MOST_AT_ONCE ? quantity : null;
};

/** What holds for an account now, in the currency that is asked for or that a voucher names. @throws Refusal, Unanswered */
const termsFor = async (account: string, quantity: number, currency: Currency | null) =>
  voucher
    ? voucherTerms(reads, voucher, account)
    : { found: await reads.eligibility(account, quantity, currency?.contract_id), currency };

let asking: ReturnType<typeof setTimeout> | undefined;

/** Asks again once the mint should be open. The chain's clock is that of its last block, some seconds behind. */
const askAgainAt = (opens: number): void => {
  clearTimeout(asking);
  const wait = Math.max(opens - now(), 0) + 2_000;
  if (wait < MOST_TIMER) asking = setTimeout(() => void refreshTerms(), wait);
};

let asked = 0;

/** Asks the contract again what holds for this account and number, and shows it. */
async function refreshTerms(): Promise<void> {
  if (!connected || busy) return;
  const quantity = quantityWanted();
  go.disabled = true;
  agreed = null;
  asked += 1;
  nameButton(quantity, null, null);
  if (quantity === null) return say(terms, `Give a whole number from 1 to ${MOST_AT_ONCE}.`, "bad");
  const own = asked;
  // Another answer may be on its way, for the account and the number that are there by now.
  const isOld = () => own !== asked || connected === null || busy;
  try {
    // Together, so that the number that is left and the button say the same.
    const [{ found, currency }, supply] = await Promise.all([
      termsFor(connected.account, quantity, currencyWanted()),
      reads.collection().catch(() => null),
    ]);
    if (isOld()) return;
    if (supply) showSupply(supply);
    if (isOver) return;
    // The number was too high for what is left, and is asked for again.
    if (isOld()) return;
    const { sentence, tone, fee } = explain(found, currency);
    // One of the two answers is older than the other: neither is more than some seconds old.
    if (found.code === "E_SOLD_OUT" && found.quantity <= shownLeft) askAgainAt(now());
    say(terms, sentence, tone);
    if (!found.allowed && found.opens_at !== null) askAgainAt(Date.parse(found.opens_at));
    agreed = fee === null ? null : { quantity, fee, each: found.mint_fee ?? fee, currency };
    if (opensLater(found) && wish.contains(document.activeElement)) find("leave").focus();
    wish.hidden = opensLater(found);
    // What it costs stands in the terms by then.
    const offer = find("offer");
    if (offer) offer.hidden = agreed !== null || voucher !== null;
    nameButton(quantity, fee, currency);
    go.disabled = agreed === null;
  } catch (error) {
    if (!isOld()) say(terms, (error as Error).message, "bad");
  }
}

/** Leads to the gallery, where nothing can be minted any more. */
function close(): void {
  isOver = true;
  if (!wish) return;
  for (const part of document.querySelectorAll<HTMLElement>(
    "#offer, #voucher, #terms, #connect, #wish, #gift, #phases",
  ))
    part.hidden = true;
  find("closed").hidden = false;
}

/** Shows how many are left, and asks for no more than these. An answer of an earlier block than what is shown says nothing. */
function showSupply(collection: PublicCollection): void {
  const { left, minted, phases } = collection;
  if (minted < shownMinted) return;
  shownMinted = minted;
  shownLeft = left;
  find("left").textContent = `${supplyMinted(collection, isOffered)}.`;
  find<HTMLProgressElement>("minted").value = minted;
  if (left === 0) close();
  else showPhases(phases);
  const most = Math.min(left, MOST_AT_ONCE);
  if (!wish || voucher || isOver) return;
  quantityField.max = String(most);
  if (Number(quantityField.value) <= most) return;
  quantityField.value = String(most);
  void refreshTerms();
}

/** How many each phase has left. Where one has sold out, another one's price stands beside the button. */
function showPhases(phases: readonly PublicPhase[]): void {
  for (const { phase, supply, minted } of phases) {
    const place = document.querySelector(`[data-left="${phase}"]`);
    if (!place || supply === null) continue;
    const before = place.textContent;
    place.textContent = grouped(Math.max(supply - minted, 0));
    if (place.textContent === "0" && before !== "0") void refreshOffer();
  }
}

/** What can't be read now stays as it is. */
const refreshLeft = (): Promise<void> => reads.collection().then(showSupply, () => undefined);

/** Shows what has opened or ended by the newest answer of this page, without loading it again. */
async function refreshOffer(): Promise<void> {
  void refreshTerms();
  if (voucher || isOver) return;
  const fresh = await mainAt(location.href).catch(() => null);
  // A page that can't be read now is as it was until then; the contract is asked before anything is signed.
  if (fresh === null) {
    setTimeout(() => void refreshOffer(), AGAIN);
    return;
  }
  for (const id of ["offer", "phases", "closed"]) {
    const [old, part] = [document, fresh].map((page) => page.querySelector(`#${id}`));
    if (old && part)
      old.replaceChildren(...[...part.childNodes].map((node) => document.importNode(node, true)));
  }
  localTimes();
  if (!fresh.querySelector("#offer")) close();
}

/** What became of the money of a refused mint: a token tells, and NEAR comes back with the transaction. */
const KEPT = {
  true: " All that you sent came back to your account.",
  false: " The token doesn't say that all came back: look at what your account has.",
  null: "",
} as const;

/** Follows an intent to its end on the chain, and forgets it there. @param told hash that the page's address names */
async function follow(intent: Intent, told: string | null = null): Promise<void> {
  const end = await outcomeOf(reads, intent, told, (sentence) => say(outcome, sentence));
  if (end.kind === "unclear") {
    return say(outcome, "That isn't known yet. Load this page again later to see what became of it.", "bad");
  }
  intents.keep(null);
  if (end.kind === "minted") {
    lastShown = Math.max(lastShown, ...end.tokens.map(({ number }) => number));
    outcome.replaceChildren();
    const { owner: account } = intent;
    await showGiven(reads, { slug, title, by, ...end, account, isOwn: account === intent.account });
  } else if (end.kind === "refused") {
    say(outcome, `Nothing was minted. ${end.message}${KEPT[`${end.returned}`]}`, "bad");
  } else {
    say(outcome, "The chain shows no mint so far. Look into your wallet before you try again.", "bad");
  }
}

/** The call that mints: with NEAR attached, or by the token that it is paid in. */
const callFor = ({ quantity, fee, each, currency }: Agreed, receiver: string | null) => {
  const wish = { collectionId: Number(collection), quantity, receiver };
  const gas = String(mintGas(currency !== null));
  if (currency === null) {
    const call = voucher
      ? { methodName: "voucher_mint", args: voucher }
      : { methodName: "nft_mint", args: mintArguments(wish) };
    return { receiverId: contract, params: { ...call, gas, deposit: fee } };
  }
  const args = voucher
    ? redemptionArguments(contract, voucher, fee)
    : purchaseArguments(contract, wish, { each, total: fee });
  return {
    receiverId: currency.contract_id,
    params: { methodName: "ft_transfer_call", args, gas, deposit: "1" },
  };
};

/** How wallets say that the collector didn't want to sign. */
const DECLINED = /\b(?:you|user)(?: have| has)? (?:declined|rejected|denied)\b/i;

async function sign({ wallet, account }: Connection, wanted: Agreed, receiver: string | null): Promise<void> {
  const { quantity, fee, currency } = wanted;
  const owner = voucher?.receiver_id ?? receiver ?? account;
  const token = currency?.contract_id ?? null;
  const [{ minted }, { available, currency_available: units }] = await Promise.all([
    reads.collection(),
    reads.eligibility(account, quantity, token),
  ]);
  const intent: Intent = {
    account,
    owner,
    quantity,
    fee,
    currency: token,
    available: (token === null ? available : units) ?? "0",
    // What was read may be two seconds old, and what this page has shown is not.
    minted: Math.max(minted, lastShown),
    hash: null,
  };
  intents.keep(intent);
  const { name } = wallet.manifest;
  say(outcome, `Confirm in ${name} …`);
  const { receiverId, params } = callFor(wanted, receiver);
  const answer = await wallet
    .signAndSendTransaction({
      network,
      signerId: account,
      receiverId,
      actions: [{ type: "FunctionCall", params }],
    })
    .catch((error: unknown) => {
      intents.keep(null);
      // A wallet may fail after it has sent the transaction: only the chain and its own list know.
      const reason = reasonOf(error);
      if (DECLINED.test(reason)) return null;
      throw new Error(`${name} says: ${reason} Look into your wallet before you try again.`);
    });
  if (answer === null) return say(outcome, `You declined in ${name}. Nothing was sent.`, "soft");
  const sent = { ...intent, hash: hashIn(answer) };
  intents.keep(sent);
  await follow(sent);
}

/** Why an account can't be given what is minted; null if it can. */
async function problemOf(receiver: string): Promise<string | null> {
  if (!isAccountId(receiver)) return `${receiver} is no account of NEAR.`;
  // These come into being with what they are given.
  if (isImplicitAccountId(receiver)) return null;
  const { available } = await reads.eligibility(receiver, 1);
  return available === null ? `There is no account ${receiver} on this network.` : null;
}

/** Mints for the terms that are shown; others are shown first. */
async function mint(): Promise<void> {
  if (!connected || !agreed || busy) return;
  const { wallet, account } = connected;
  const wanted = agreed;
  const receiver = accountIn(receiverField) || null;
  const hasFocus = document.activeElement === go;
  setBusy(true);
  go.disabled = true;
  outcome.replaceChildren();
  try {
    const problem = receiver === null ? null : await problemOf(receiver);
    if (problem !== null) throw new Error(`${problem} Nothing was signed: correct the receiver of the gift.`);
    const { quantity, currency } = wanted;
    const { found } = await termsFor(account, quantity, currency);
    const { fee, sentence } = explain(found, currency);
    if (fee === wanted.fee && found.mint_fee === wanted.each)
      await sign({ wallet, account }, wanted, receiver);
    else say(outcome, `That has just changed, and nothing was signed: ${sentence}`, "bad");
  } catch (error) {
    say(outcome, (error as Error).message, "bad");
  }
  setBusy(false);
  await Promise.all([refreshTerms(), refreshLeft()]);
  // A disabled button loses it.
  if (hasFocus && document.activeElement === document.body) go.focus({ preventScroll: true });
}

/** Steps the number by one. */
const step = (by: 1 | -1): void => {
  quantityField.value = String(
    Math.min(Math.max((quantityWanted() ?? 1) + by, 1), Number(quantityField.max)),
  );
  quantityField.dispatchEvent(new Event("input", { bubbles: true }));
};

/** A voucher is good for what its issuer signed: nothing is left to choose, and the phases say nothing of it. */
if (wish && voucher) {
  for (const part of document.querySelectorAll<HTMLElement>("#offer, #closed, #wish > div"))
    part.hidden = true;
  find("connect").hidden = false;
  showVoucherCall(contract, voucher);
  void showVoucher(reads, voucher);
}
if (wish && isOffered) {
  wish.addEventListener("submit", (event) => {
    event.preventDefault();
    void mint();
  });
  find("mint").addEventListener("input", () => clearProblem(outcome));
  quantityField.addEventListener("input", () => void refreshTerms());
  currencyField.addEventListener("change", () => void refreshTerms());
  find("less").addEventListener("click", () => step(-1));
  find("more").addEventListener("click", () => step(1));
  offerWallets(
    network,
    (connection) => {
      connected = connection;
      const isShown = connection !== null && !isOver;
      wish.hidden = !isShown;
      gift.hidden = !isShown || voucher !== null;
      find("connect").hidden ||= isOver;
      const offer = find("offer");
      if (offer) offer.hidden = voucher !== null;
      if (connection === null) terms.replaceChildren();
      void refreshTerms();
    },
    voucher ? go : quantityField,
  );
}
localTimes();
countDown(now, () => void refreshOffer());
keepPixels();
sharing(find("share"), title, `/m/${slug}`);
playSounds();
awaitReveal(async () => {
  playSounds(find("cover"));
  await refreshGiven(reads);
});

/** Whoever comes back from a wallet that left the page finds what became of it; the address only says where to look. */
const address = new URL(location.href);
const told = address.searchParams.get("transactionHashes")?.split(",")[0] ?? null;
for (const name of ["transactionHashes", "account_id", "errorCode", "errorMessage"])
  address.searchParams.delete(name);
history.replaceState(null, "", address);
const left = intents.kept();
if (left) {
  setBusy(true);
  void follow(left, told).finally(() => {
    setBusy(false);
    void refreshTerms();
  });
}

setInterval(() => {
  if (document.visibilityState !== "visible" || busy) return;
  void refreshLeft();
  // A refusal may be lifted: the account is listed, or has more to spend.
  if (agreed === null && !isOver) void refreshTerms();
}, 10_000);

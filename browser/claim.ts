import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import type { PublicClaim } from "../src/api/resources/public-collection.ts";
import { isAccountId } from "../src/domain/account-ids.ts";
import { type ClaimProof, claimText, readLinkFragment } from "../src/domain/claim-proofs.ts";
import { type Connection, isWalletChosen, offerWallets } from "./connecting.ts";
import { localTimes } from "./countdown.ts";
import { keptForGood, keptInWindow } from "./kept.ts";
import { keyOf, type NewKey, offerKey } from "./new-key.ts";
import { knowsPasskeys, secretOfNewPasskey, secretOfPasskey } from "./passkey.ts";
import { keepPixels } from "./pixels.ts";
import { pause, Refusal, readsOf, sendClaim, Unanswered } from "./service.ts";
import { accountIn, clearProblem, countNfts, find, say, shortAccount, showGiven } from "./shown.ts";

const { slug = "", title = "", by = "", network = "", contract = "" } = find("page").dataset;
const reads = readsOf(slug);
const form = find<HTMLFormElement>("claim");
const go = find<HTMLButtonElement>("go");
const gift = find("gift");
const outcome = find("outcome");
const accountField = find<HTMLInputElement>("receiver");
const accountSays = find("receiver-says");
const kept = find<HTMLInputElement>("kept");

/** Keeps the link for this window alone while a wallet's code may read the page's address. */
const KEPT = `mintage:${slug}:link`;
/** The part behind `#`, which no browser sends to anybody. */
const isHere = location.hash.includes(".");
const secret = readLinkFragment(isHere ? location.hash : (keptInWindow.get(KEPT) ?? ""));
if (isHere && secret) keptInWindow.set(KEPT, location.hash);
// near-connect tells a wallet the whole address, and the key in it is nobody else's.
if (isWalletChosen()) history.replaceState(null, "", location.pathname + location.search);
/** What was asked for on this page, so that a visitor who comes back finds what became of it. */
const INTENT = `mintage:${slug}:claim:${secret?.drop}:${secret?.link}`;
/** How often a claim is asked after, and for how long. Milliseconds. */
const PAUSE = 1_500;
const PATIENCE = 90_000;
/** How long before it is asked again what a link gives. Milliseconds. */
const AGAIN = 3_000;

let connected: Connection | null = null;
let made: NewKey | null = null;
/** Of the passkey that was asked for last: a claim that failed is tried again with it. */
let byPasskey: NewKey | null = null;
let busy = false;

/** Says what becomes of a claim, where it is seen. */
function tell(sentence: string, tone = ""): void {
  say(outcome, sentence, tone);
  outcome.scrollIntoView({ block: "nearest", behavior: "instant" });
}

const bytesToBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const publicKeyOf = (seed: Uint8Array): string => `ed25519:${base58.encode(ed25519.getPublicKey(seed))}`;

/** What the link shows of itself. */
const linkOf = ({ drop, link, seed, certificate }: NonNullable<typeof secret>) => ({
  drop_id: drop,
  link,
  link_public_key: publicKeyOf(seed),
  certificate: bytesToBase64(certificate),
});

/** The link's own signature for a receiver: whoever carries it can't change whom it is for. */
function proofFor(found: NonNullable<typeof secret>, receiver: string): ClaimProof {
  const text = claimText({ network, contract, drop: found.drop, link: found.link }, receiver);
  const signature = ed25519.sign(new TextEncoder().encode(text), found.seed);
  return { ...linkOf(found), receiver_id: receiver, signature: bytesToBase64(signature) };
}

const way = (): string => new FormData(form).get("way") as string;

/** Chooses a wallet as the receiver, among the ways that are folded away. */
function chooseWallet(): void {
  find<HTMLDetailsElement>("others").open = true;
  const choice = form.querySelector<HTMLInputElement>('[name="way"][value="wallet"]');
  if (choice) choice.checked = true;
}

/** The account that is to receive; null while none is chosen. */
function chosen(): string | null {
  const typed = accountIn(accountField);
  switch (way()) {
    case "wallet":
      return connected?.account ?? null;
    case "account":
      return isAccountId(typed) ? typed : null;
    default:
      return made && kept.checked ? made.accountId : null;
  }
}

function refresh(): void {
  for (const name of ["wallet", "account", "key"]) find(`way-${name}`).hidden = way() !== name;
  go.disabled = busy || chosen() === null;
  for (const name of ["claim-passkey", "claim-known"]) find<HTMLButtonElement>(name).disabled = busy;
  find("claim-passkey").textContent = busy ? "Claiming …" : "Claim with a passkey";
  go.textContent = busy ? "Claiming …" : "Claim";
  if (chosen() !== null) accountSays.replaceChildren();
}

/** Sends a claim until the service tells its outcome. A lost answer is asked for again: a link works once. */
async function redeem(proof: ClaimProof): Promise<PublicClaim> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    let wait = PAUSE;
    let so = "Sent. This takes a few seconds …";
    try {
      const found = await sendClaim(slug, proof);
      if (found.state === "succeeded") return found;
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      wait = Math.max(wait, error.after);
      so = `${error.message} Asking again …`;
    }
    if (Date.now() + wait > end)
      throw new Error("It takes longer than usual. Load this page again to see what became of it.");
    tell(so);
    await pause(wait);
  }
}

/**
 * Claims for an account, and says what came of it. @param isOwn an account that was typed may be somebody else's
 * @returns whether that is known for good
 */
async function claim(found: NonNullable<typeof secret>, receiver: string, isOwn: boolean): Promise<boolean> {
  busy = true;
  refresh();
  keptForGood.set(INTENT, receiver);
  tell(`Claiming for ${shortAccount(receiver)} …`);
  let known = true;
  try {
    const claimed = await redeem(proofFor(found, receiver));
    const { tokens, transaction_hash: hash, explorer_url: explorer } = claimed;
    outcome.replaceChildren();
    form.hidden = true;
    gift.replaceChildren();
    if (receiver === byPasskey?.accountId) head("Your new account");
    else nameCollection();
    lead(isOwn ? "My NFTs" : "See its NFTs", `/g/${slug}?${new URLSearchParams({ owner: receiver })}`);
    await showGiven(reads, { slug, title, by, account: receiver, isOwn, tokens, hash, explorer });
  } catch (error) {
    known = error instanceof Refusal;
    if (known) keptForGood.set(INTENT, null);
    tell((error as Error).message, "bad");
  }
  busy = false;
  refresh();
  return known;
}

/** Goes on with a claim that was asked for on an earlier visit. What it said of the link is said once there is something. */
async function takeUp(found: NonNullable<typeof secret>, receiver: string): Promise<void> {
  const known = await claim(found, receiver, true);
  // Refused: the link may be good for another account.
  if (known && keptForGood.get(INTENT) === null) await look(found);
  else if (!known) gift.replaceChildren();
}

/** Says what the link gives, or why nothing. Where nobody answers for now, it asks again. */
async function look(found: NonNullable<typeof secret>): Promise<void> {
  for (;;) {
    try {
      return await show(found);
    } catch (error) {
      if (!(error instanceof Unanswered) && (await showUsed(found))) return;
      say(gift, (error as Error).message, "bad");
      if (!(error instanceof Unanswered)) return leadToGallery();
      await pause(Math.max(error.after, AGAIN));
    }
  }
}

/** Shows what a link has given before. @returns whether the service knows that */
async function showUsed(found: NonNullable<typeof secret>): Promise<boolean> {
  try {
    const claimed = await reads.claimed(linkOf(found));
    const { state, tokens, receiver_id: account, transaction_hash: hash, explorer_url: explorer } = claimed;
    if (state === "pending") {
      say(
        gift,
        `This link is being redeemed for ${shortAccount(account)}. Load the page again to see what it gives.`,
      );
      return true;
    }
    if (tokens.length === 0) return false;
    nameCollection();
    say(gift, "A link works once.");
    leadToGallery();
    await showGiven(reads, {
      slug,
      title,
      by,
      account,
      isOwn: false,
      isBefore: true,
      tokens,
      hash,
      explorer,
    });
    return true;
  } catch (error) {
    // If the service can't tell, the refusal stays.
    if (error instanceof Refusal || error instanceof Unanswered) return false;
    throw error;
  }
}

/** Says in the page's heading what has become of the link. */
function head(sentence: string): void {
  const heading = document.querySelector("h1");
  if (heading) heading.textContent = sentence;
}

/** What has become of the link is said above, so that the page's heading names the collection. */
function nameCollection(): void {
  head(title);
  find("of").hidden = true;
}

function lead(text: string, href: string): void {
  const link = document.createElement("a");
  Object.assign(link, { href, textContent: text });
  gift.append(link);
}

/** Where a link gives nothing, there are still works to see. */
const leadToGallery = (): void => lead("See the gallery", `/g/${slug}`);

async function show(found: NonNullable<typeof secret>): Promise<void> {
  const { quantity, expires_at: end } = await reads.claimable(linkOf(found));
  say(gift, `This link gives ${countNfts(quantity)}, and costs nothing. It is good until `);
  const time = document.createElement("time");
  time.dateTime = end;
  gift.firstElementChild?.append(time, ".");
  localTimes();
  const isKnown = await knowsPasskeys();
  find("by-passkey").hidden = !isKnown;
  if (!isKnown) find<HTMLDetailsElement>("others").open = true;
  form.hidden = false;
  refresh();
}

form.addEventListener("input", () => {
  clearProblem(outcome);
  refresh();
});
accountField.addEventListener("change", () => {
  const typed = accountIn(accountField);
  if (typed !== "" && chosen() === null) say(accountSays, `${typed} is no account of NEAR.`, "bad");
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const receiver = chosen();
  if (secret && receiver !== null && !busy) void claim(secret, receiver, way() !== "account");
});
/** Takes a key, and shows it for the collector to keep. @param isKept whether a passkey keeps it already @param place where */
function take(key: NewKey, isKept: boolean, place: Element): void {
  made = key;
  kept.checked = isKept;
  find("keep").hidden = isKept;
  find("kept-by-passkey").hidden = !isKept;
  place.append(find("key"));
  offerKey(key);
  refresh();
}

/** The key of a passkey; null, with a sentence that says why, where there is none. */
async function keyOfPasskey(secret: Promise<Uint8Array>): Promise<NewKey | null> {
  try {
    return keyOf(await secret);
  } catch (error) {
    tell((error as Error).message, "bad");
    return null;
  }
}

/** Claims for the account of a passkey, and shows its key. @param ask for the passkey's secret, once for all tries */
async function claimByPasskey(ask: () => Promise<Uint8Array>): Promise<void> {
  if (!secret || busy) return;
  busy = true;
  outcome.replaceChildren();
  refresh();
  byPasskey ??= await keyOfPasskey(ask());
  busy = false;
  refresh();
  if (byPasskey === null) return;
  await claim(secret, byPasskey.accountId, true);
  if (form.hidden) take(byPasskey, true, gift);
}

/** Lets a passkey tell its key where there are any. */
async function offerPasskeys(): Promise<void> {
  find("passkeys").hidden = !(await knowsPasskeys());
}

find("make-key").addEventListener("click", () => take(keyOf(), false, find("way-key")));
find("claim-passkey").addEventListener("click", () => {
  void claimByPasskey(() => secretOfNewPasskey(`NFTs of ${title}`));
});
find("claim-known").addEventListener("click", () => void claimByPasskey(() => secretOfPasskey()));
find("show-passkey").addEventListener("click", async () => {
  const key = await keyOfPasskey(secretOfPasskey());
  if (key) take(key, true, find("passkeys"));
});

// To skip to the content must not put another address in the link's place.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  const content = find("content");
  content.tabIndex = -1;
  content.focus();
});
// Another link of the same page, put into this window, loads nothing by itself.
addEventListener("hashchange", () => {
  if (readLinkFragment(location.hash)) location.reload();
});

keepPixels();
if (secret) {
  if (isWalletChosen()) chooseWallet();
  offerWallets(
    network,
    (connection) => {
      connected = connection;
      if (connection) chooseWallet();
      refresh();
    },
    go,
  );
  const before = keptForGood.get(INTENT);
  // Passkeys come last: the form has its place by then, or none, and nothing moves.
  void (before ? takeUp(secret, before) : look(secret)).then(offerPasskeys);
} else {
  const sentence = "This address has no claim link in it. Copy the whole link, with everything behind the #.";
  say(gift, sentence, "bad");
  void offerPasskeys();
}

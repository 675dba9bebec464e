/**
 * The development wallet: served by `npm start` alone, and marked as what it is. It makes accounts on the chain of this
 * machine or takes those whose private key it is given, keeps the keys in this browser, and asks before it signs. It
 * announces itself as near-connect's injected wallets do.
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { base58 } from "@scure/base";
import { BorshWriter } from "../src/chain/contract/borsh-writer.ts";
import { exactNear } from "../src/domain/amounts.ts";
import { keptForGood } from "./kept.ts";
import { accountIn } from "./shown.ts";
import type { FunctionCall, Wallet } from "./wallets.ts";

const NAME = "Development wallet";
const KEPT = "mintage:development-wallet";
const SERVICE = "/public/v1/development";

interface Kept {
  readonly account_id: string;
  /** Seed of its key, 32 bytes as base58. Worth nothing. */
  readonly seed: string;
}

/** The accounts that were connected, the last one first. */
const kept = (): readonly Kept[] => JSON.parse(keptForGood.get(KEPT) ?? "[]") as Kept[];

function keep(account: Kept): void {
  const others = kept().filter(({ account_id: id }) => id !== account.account_id);
  keptForGood.set(KEPT, JSON.stringify([account, ...others]));
}

/** The service's own sentence on what it refuses. */
class Refused extends Error {}

async function ask<T>(path: string, body: object): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${SERVICE}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const found = (await answer.json()) as T & { message?: string };
  const sentence = found.message ?? `The service answered ${answer.status}.`;
  if (answer.status === 400) throw new Refused(sentence);
  if (!answer.ok) throw new Error(sentence);
  return found;
}

/** The seed of a private key as near-cli and `npm run chain` write it: 64 bytes in base58, the public key behind the seed. */
function seedOf(secret: string): Uint8Array {
  const [, text] = /^ed25519:([1-9A-HJ-NP-Za-km-z]{80,88})$/.exec(secret) ?? [];
  if (text === undefined) throw new Error("Give the whole private key: it begins with ed25519:.");
  return base58.decode(text).slice(0, 32);
}

/** An unsigned integer of so many bytes, the lowest first. */
const littleEndian = (value: bigint, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));

const ED25519 = 0;
const FUNCTION_CALL = 2;

interface Unsigned {
  readonly signer: string;
  readonly publicKey: Uint8Array;
  readonly nonce: bigint;
  readonly receiver: string;
  readonly blockHash: string;
  readonly actions: readonly FunctionCall[];
}

/** A transaction in borsh (https://nomicon.io/RuntimeSpec/Transactions). */
function serialise({ signer, publicKey, nonce, receiver, blockHash, actions }: Unsigned): Uint8Array {
  const writer = new BorshWriter();
  writer.text(signer);
  writer.raw(Uint8Array.of(ED25519));
  writer.raw(publicKey);
  writer.raw(littleEndian(nonce, 8));
  writer.text(receiver);
  writer.raw(base58.decode(blockHash));
  writer.u32(actions.length);
  for (const { params } of actions) {
    writer.raw(Uint8Array.of(FUNCTION_CALL));
    writer.text(params.methodName);
    writer.text(JSON.stringify(params.args));
    writer.raw(littleEndian(BigInt(params.gas), 8));
    writer.raw(littleEndian(BigInt(params.deposit), 16));
  }
  return writer.finish();
}

/** Shows a dialog. @throws Error if the collector declines */
function agreed(title: string, content: readonly HTMLElement[], yes: string): Promise<void> {
  const dialog = document.createElement("dialog");
  const form = document.createElement("form");
  const heading = document.createElement("h2");
  heading.textContent = `${NAME}: ${title}`;
  dialog.setAttribute("aria-label", heading.textContent);
  const [accept, decline] = [document.createElement("button"), document.createElement("button")];
  accept.textContent = yes;
  decline.textContent = "Decline";
  decline.type = "button";
  decline.className = "plain";
  decline.addEventListener("click", () => dialog.close());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close(yes);
  });
  const row = document.createElement("div");
  row.className = "row";
  row.append(accept, decline);
  form.append(heading, ...content, row);
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve, reject) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue === yes) resolve();
      else reject(new Error("You have declined."));
    });
  });
}

const confirmed = (receiver: string, actions: readonly FunctionCall[]): Promise<void> => {
  const lines = actions.map(({ params }) => {
    const line = document.createElement("p");
    line.textContent = `Call ${params.methodName} of ${receiver} with ${JSON.stringify(params.args)}, and ${exactNear(params.deposit)} NEAR attached.`;
    return line;
  });
  return agreed("sign this?", lines, "Sign");
};

function field(label: string, value: string): readonly [HTMLElement, HTMLInputElement] {
  const [place, text] = [document.createElement("p"), document.createElement("label")];
  const input = document.createElement("input");
  input.value = value;
  input.autocomplete = "off";
  input.autocapitalize = "none";
  input.spellcheck = false;
  text.append(label, input);
  place.append(text);
  return [place, input];
}

/** Asks which account to connect. @param offered its default @throws Error if the collector declines, or the key is none */
async function chosen(offered: string): Promise<Kept> {
  const [named, name] = field("Account, made if it doesn't exist", offered);
  const [given, secret] = field("Its private key, if npm run chain made it", "");
  await agreed("which account?", [named, given], "Connect");
  const accountId = accountIn(name);
  const text = secret.value.trim();
  const known = kept().find(({ account_id: id }) => id === accountId);
  if (text === "" && known) return known;
  const seed = text === "" ? ed25519.utils.randomSecretKey() : seedOf(text);
  return { account_id: accountId, seed: base58.encode(seed) };
}

const keyOf = ({ account_id, seed }: Kept) => ({
  account_id,
  public_key: `ed25519:${base58.encode(ed25519.getPublicKey(base58.decode(seed)))}`,
});

/** The key that signs for an account, as the chain has it. @throws Refused where the chain has no such account */
const keyOnChain = (account: Kept): Promise<{ nonce: string; block_hash: string }> =>
  ask("/key", keyOf(account));

/** Whether the account has its key on the chain, which may have begun again since. */
async function isOnChain(account: Kept): Promise<boolean> {
  try {
    await keyOnChain(account);
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

async function connect(): Promise<readonly { readonly accountId: string }[]> {
  const account = await chosen(kept()[0]?.account_id ?? `collector-${Date.now().toString(36)}.near`);
  if (!(await isOnChain(account))) await ask("/account", keyOf(account));
  keep(account);
  return [{ accountId: account.account_id }];
}

const wallet: Wallet = {
  manifest: { id: "mintage-development", name: NAME },
  signIn: connect,
  getAccounts: async () => {
    const [last] = kept();
    return last && (await isOnChain(last)) ? [{ accountId: last.account_id }] : [];
  },
  signOut: async () => undefined,
  async signAndSendTransaction({ signerId, receiverId: receiver, actions }) {
    const account = kept().find(({ account_id: id }) => id === signerId);
    if (!account) throw new Error("Connect it first.");
    await confirmed(receiver, actions);
    const seed = base58.decode(account.seed);
    const access = await keyOnChain(account);
    const unsigned = serialise({
      signer: account.account_id,
      publicKey: ed25519.getPublicKey(seed),
      nonce: BigInt(access.nonce) + 1n,
      receiver,
      blockHash: access.block_hash,
      actions,
    });
    const digest = sha256(unsigned);
    const writer = new BorshWriter();
    writer.raw(unsigned);
    writer.raw(Uint8Array.of(ED25519));
    writer.raw(ed25519.sign(digest, seed));
    const signed = btoa(String.fromCharCode(...writer.finish()));
    await ask("/transaction", { signed_transaction: signed });
    return { transaction: { hash: base58.encode(digest) } };
  },
};

const announce = () => window.dispatchEvent(new CustomEvent("near-wallet-injected", { detail: wallet }));
window.addEventListener("near-selector-ready", announce);
announce();

/**
 * The development wallet: served by `npm start` alone, and marked as what it is. It makes accounts on the chain of this
 * machine, keeps their keys in this browser, and asks before it signs. It announces itself as near-connect's injected
 * wallets do.
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { base58 } from "@scure/base";
import { BorshWriter } from "../src/chain/contract/borsh-writer.ts";
import { exactNear } from "../src/domain/amounts.ts";
import { keptForGood } from "./kept.ts";
import type { FunctionCall, Wallet } from "./wallets.ts";

const NAME = "Development wallet";
const KEPT = "mintage:development-wallet";
const SERVICE = "/public/v1/development";

interface Kept {
  readonly account_id: string;
  /** Seed of its key, 32 bytes as base58. Worth nothing. */
  readonly seed: string;
}

const kept = (): Kept | null => JSON.parse(keptForGood.get(KEPT) ?? "null") as Kept | null;

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

const publicKeyOf = (seed: Uint8Array): string => `ed25519:${base58.encode(ed25519.getPublicKey(seed))}`;

async function makeAccount(): Promise<Kept> {
  const seed = ed25519.utils.randomSecretKey();
  const made = await ask<{ account_id: string }>("/account", { public_key: publicKeyOf(seed) });
  const account = { account_id: made.account_id, seed: base58.encode(seed) };
  keptForGood.set(KEPT, JSON.stringify(account));
  return account;
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

/** Asks the collector. @throws Error if they decline */
function confirmed(receiver: string, actions: readonly FunctionCall[]): Promise<void> {
  const dialog = document.createElement("dialog");
  const heading = document.createElement("h2");
  heading.textContent = `${NAME}: sign this?`;
  dialog.setAttribute("aria-label", heading.textContent);
  const lines = actions.map(({ params }) => {
    const line = document.createElement("p");
    line.textContent = `Call ${params.methodName} of ${receiver} with ${JSON.stringify(params.args)}, and ${exactNear(params.deposit)} NEAR attached.`;
    return line;
  });
  const [sign, decline] = ["Sign", "Decline"].map((text) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.className = text === "Decline" ? "plain" : "";
    button.addEventListener("click", () => dialog.close(text));
    return button;
  });
  const row = document.createElement("div");
  row.className = "row";
  row.append(...[sign, decline].filter((button) => button !== undefined));
  dialog.append(heading, ...lines, row);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve, reject) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue === "Sign") resolve();
      else reject(new Error("You have declined."));
    });
  });
}

/** The key that signs for an account, as the chain has it. @throws Refused where the chain has no such account */
const keyOnChain = (account: Kept): Promise<{ nonce: string; block_hash: string }> => {
  const publicKey = publicKeyOf(base58.decode(account.seed));
  return ask("/key", { account_id: account.account_id, public_key: publicKey });
};

/** The account that this browser keeps, unless it was of a chain that has begun again since. */
async function keptOnChain(): Promise<Kept | null> {
  const account = kept();
  try {
    if (account) await keyOnChain(account);
    return account;
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

const listed = (account: Kept | null) => (account ? [{ accountId: account.account_id }] : []);

const wallet: Wallet = {
  manifest: { id: "mintage-development", name: NAME },
  signIn: async () => listed((await keptOnChain()) ?? (await makeAccount())),
  getAccounts: async () => listed(await keptOnChain()),
  signOut: async () => undefined,
  async signAndSendTransaction({ receiverId: receiver, actions }) {
    const account = kept();
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

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../command.ts";

/** What a folder of claim links is made from. The seed is secret: it stands for all links. */
export interface IssuedDrop {
  readonly base_url: string;
  readonly collection_uuid: string;
  readonly network: string;
  readonly contract_address: string;
  /** Of the `ClaimIssuer`, whose only drop this is. */
  readonly issuer_seed: string;
  readonly issuer_public_key: string;
  /** What was asked for when the drop was opened. */
  readonly links: number;
  readonly quantity: number;
  readonly expires_at: string;
  /** Which attempt to open it counts, from 1: one is followed by another only where it had no effect. */
  readonly attempt: number;
  /** null: nobody knows yet whether it was opened. */
  readonly drop_id: number | null;
  /** Whether the service has refused the last attempt; absent in folders of former releases. */
  readonly refused?: boolean;
  /** Address of the claim page that the codes are of; absent where there are none, and in folders of former releases. */
  readonly drawn_for?: string;
  /** The issuer that is to take this one's place; absent: none is. */
  readonly next?: { readonly seed: string; readonly publicKey: string };
}

const FILE = "issuer.json";
/** Its owner alone reads a file with secrets, and lists a folder of them. */
const SECRET = 0o600;
const SECRET_FOLDER = 0o700;

/** What a folder holds; null where it holds nothing. @throws UsageError if the file is of something else */
export function readIssued(folder: string): IssuedDrop | null {
  const file = join(folder, FILE);
  if (!existsSync(file)) return null;
  const found = jsonIn(file) as Partial<IssuedDrop> | null;
  if (typeof found?.issuer_seed === "string" && typeof found.network === "string") {
    return found as IssuedDrop;
  }
  throw new UsageError(`${file} is not what npm run claim writes. Give another folder.`);
}

/** null where it is no JSON. */
function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Where the codes of a folder's links are. */
export const codesIn = (folder: string): string => join(folder, "qr");

/** Has a folder's codes be of a claim page's address: those of another one lead nowhere, and are taken away. */
export function drawFor(folder: string, issued: IssuedDrop, claimUrl: string): void {
  if (issued.drawn_for === claimUrl) return;
  if (issued.drawn_for !== undefined) rmSync(codesIn(folder), { recursive: true, force: true });
  keepIssued(folder, { ...issued, drawn_for: claimUrl });
}

/** Keeps it, whole or not at all. Git ignores a folder that is made for it, so that its secrets are never committed. */
export function keepIssued(folder: string, issued: IssuedDrop): void {
  if (makeSecretFolder(folder)) writeFileSync(join(folder, ".gitignore"), "*\n");
  writeSecret(join(folder, FILE), `${JSON.stringify(issued, null, 2)}\n`);
}

/** Puts the next issuer in a folder's place, and takes away the codes of the former one's links. */
export function renewIssuer<T extends IssuedDrop>(folder: string, { next, ...issued }: T): Omit<T, "next"> {
  const renewed = { ...issued, issuer_seed: next!.seed, issuer_public_key: next!.publicKey };
  rmSync(codesIn(folder), { recursive: true, force: true });
  keepIssued(folder, renewed);
  return renewed;
}

/** Makes a folder that only its owner enters; one that is there stays as it is. @returns whether it was made */
export const makeSecretFolder = (folder: string): boolean =>
  mkdirSync(folder, { recursive: true, mode: SECRET_FOLDER }) !== undefined;

/** Writes a file that only its owner reads; what was there before stays until all is written. */
export function writeSecret(file: string, text: string | Uint8Array): void {
  writeFileSync(`${file}.new`, text, { mode: SECRET });
  renameSync(`${file}.new`, file);
}

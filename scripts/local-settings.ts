import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import { EMBEDDED_NETWORK, PUBLIC_RPC_URLS, PUBLIC_URL_MISSING, settingsOf } from "../src/env.ts";

export const ROOT = join(import.meta.dirname, "..");

/** Settings of the Worker that the environment or .dev.vars may give; docs/deploying.md explains each. */
export const WORKER_SETTINGS = [
  "NEAR_NETWORK",
  "NEAR_RPC_URL",
  "NEAR_ARCHIVAL_RPC_URL",
  "DEVELOPMENT_WALLET",
  "LOCAL_WEBHOOKS",
  "EXPLORER_URL",
  "MARKETPLACES",
  "PUBLIC_URL",
  "PLATFORM_ACCOUNT_ID",
  "PLATFORM_PRIVATE_KEY",
  "WALLET_SECRETS",
  "ADMIN_TOKEN",
  "OPERATOR_INTEGRATION",
  "DATABASE_LIMIT",
  "SYNC_WAIT_MS",
  "WALLET_FUNDING",
  "CONTRACT_FUNDING",
  "LANE_DEPTH",
  "MAX_LANES",
  "MAX_QUEUE",
  "OPERATIONS_KEPT_DAYS",
  "EVENTS_KEPT_DAYS",
  "KEYS_KEPT_HOURS",
  "JOURNAL_KEPT_DAYS",
  "KUBO_RPC_URL",
  "KUBO_RPC_AUTHORIZATION",
  "CORS_ORIGINS",
] as const;

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Setting = (typeof WORKER_SETTINGS)[number];
type Given = Partial<Record<Setting, string>>;

/** A wrong or missing setting; shown without a stack trace. */
export class SetupError extends Error {}

/** Where wrangler looks for settings of a Worker on this machine. */
const DEV_VARS = join(ROOT, ".dev.vars");

/** Whether settings are of the embedded chain, as `npm run dev` writes them. */
const areEmbedded = ({ NEAR_NETWORK, PLATFORM_ACCOUNT_ID }: Environment): boolean =>
  NEAR_NETWORK === EMBEDDED_NETWORK && PLATFORM_ACCOUNT_ID === EMBEDDED_PLATFORM;

/** What names a chain. */
const CHAIN_SETTINGS = ["NEAR_NETWORK", "NEAR_RPC_URL", "PLATFORM_ACCOUNT_ID"] as const;

/**
 * The configuration: .dev.vars, overridden by the environment. Empty means absent. Of a file of the embedded chain nothing is
 * taken where the environment names another one.
 */
export function givenSettings(env: Environment = process.env, devVars = DEV_VARS): Given {
  const inFile: Environment = existsSync(devVars) ? parseEnv(readFileSync(devVars, "utf8")) : {};
  const namesAnother = CHAIN_SETTINGS.some((name) => env[name] && env[name] !== inFile[name]);
  const fromFile = namesAnother && areEmbedded(inFile) ? {} : inFile;
  const given: Given = {};
  for (const name of WORKER_SETTINGS) {
    const value = env[name] || fromFile[name];
    if (value) given[name] = value;
  }
  return given;
}

/** A port from the environment. */
const portSetting = (name: string, fallback: number, env: Environment): number =>
  wholeNumber(name, { what: "a port", most: 65_535, fallback }, env);

/** A whole number of the environment, from 1. */
function wholeNumber(
  name: string,
  { what, most, fallback }: { readonly what: string; readonly most: number; readonly fallback: number },
  env: Environment,
): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new SetupError(`${name} must be ${what} from 1 to ${most}, such as ${fallback}; it is "${text}".`);
}

/** Account of the embedded chain that creates wallets and contracts. */
export const EMBEDDED_PLATFORM = "mintage.near";

/** yoctoNEAR: a thousand NEAR, enough for collections of tens of thousands, where NEAR costs nothing. */
const EMBEDDED_WALLET_FUNDING = `${10n ** 27n}`;

/** Secrets that are made on the first start and kept, so that the next start opens the same wallets. */
export interface LocalSecrets {
  /** `{"1": "<base64>"}`, as WALLET_SECRETS. */
  readonly walletSecrets: string;
  readonly adminToken: string;
  /** Full-access key of the embedded chain's platform account, `ed25519:<base58>`. */
  readonly platformPrivateKey: string;
}

/** The public key of a key pair, both as `ed25519:<base58>`. */
export function publicKeyOf(privateKey: string): string {
  const [, pair = ""] = privateKey.split(":");
  return `ed25519:${base58.encode(base58.decode(pair).slice(32))}`;
}

/**
 * Reads the secrets of a state directory, or makes them. The file is readable by its owner alone.
 * @param given what new ones are taken from as far as it has them, so that the data stays readable without it
 */
export function localSecrets(stateDir: string, given: Given = {}): LocalSecrets {
  const file = join(stateDir, "secrets.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as LocalSecrets;
  const seed = randomBytes(32);
  const publicKey = ed25519.getPublicKey(seed);
  const secrets: LocalSecrets = {
    walletSecrets: given.WALLET_SECRETS ?? JSON.stringify({ 1: randomBytes(32).toString("base64") }),
    adminToken: given.ADMIN_TOKEN ?? `mat_${randomBytes(32).toString("base64url")}`,
    platformPrivateKey:
      given.PLATFORM_PRIVATE_KEY ?? `ed25519:${base58.encode(Buffer.concat([seed, publicKey]))}`,
  };
  writePrivately(file, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** Writes a file whole or not at all, for its owner's eyes alone. */
export function writePrivately(file: string, text: string): void {
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Writes the settings of the embedded chain's service for `npx wrangler dev`, unless there is a file.
 * @returns whether it wrote one
 */
export function writeDevVars({ embedded, worker }: StartPlan): boolean {
  if (embedded === null || existsSync(DEV_VARS)) return false;
  // The port differs from one start to the next; without PUBLIC_URL it is the request's.
  const { PUBLIC_URL: _, ...settings } = worker;
  writePrivately(DEV_VARS, `# Written by npm run dev, for the embedded chain.\n${workerEnvFile(settings)}`);
  return true;
}

/** Where `npm start` runs, and on which chain. */
export interface StartPlan {
  /** Address to listen on. */
  readonly host: string;
  readonly port: number;
  /** Of the debugger, which `npm run dev` alone has. */
  readonly inspectorPort: number;
  readonly url: string;
  /** Null if the settings name a chain of their own. */
  readonly embedded: { readonly port: number; readonly blockMs: number } | null;
  readonly network: string;
  readonly stateDir: string;
  /** All that the Worker is configured with. */
  readonly worker: Given;
}

/**
 * Decides what `npm start` does from what was configured: with NEAR_RPC_URL the chain it names, with NEAR_NETWORK alone
 * that network through its public endpoints, otherwise the embedded chain, as with the settings that `npm run dev` writes.
 * Each network has a state directory of its own, because contracts and wallets exist on one network only.
 * @throws SetupError that names the setting at fault
 */
export function planStart(given: Given, env: Environment = process.env): StartPlan {
  const port = portSetting("PORT", 8787, env);
  const url = given.PUBLIC_URL ?? `http://localhost:${port}`;
  const isWritten = areEmbedded(given);
  const named = given.NEAR_RPC_URL ?? PUBLIC_RPC_URLS.get(given.NEAR_NETWORK ?? "")?.join(",");
  const rpcUrl = isWritten ? undefined : named;
  if (given.NEAR_NETWORK && given.NEAR_NETWORK !== EMBEDDED_NETWORK && rpcUrl === undefined) {
    throw new SetupError(
      `NEAR_NETWORK is ${given.NEAR_NETWORK}, which has no public endpoints. Set it to ${[...PUBLIC_RPC_URLS.keys()].join(" or ")}, or ` +
        "NEAR_RPC_URL to the address of a node of that network; or leave it out to use the embedded chain.",
    );
  }
  const blockMs = wholeNumber("NEAR_BLOCK_MS", { what: "milliseconds", most: 60_000, fallback: 600 }, env);
  const embedded = rpcUrl === undefined ? { port: portSetting("NEAR_PORT", 3030, env), blockMs } : null;
  if (embedded?.port === port)
    throw new SetupError(`PORT and NEAR_PORT have to differ, such as PORT=${port} NEAR_PORT=${port + 1}.`);
  if (embedded && !isWritten && (given.PLATFORM_ACCOUNT_ID || given.PLATFORM_PRIVATE_KEY)) {
    throw new SetupError(
      "PLATFORM_ACCOUNT_ID or PLATFORM_PRIVATE_KEY is set, but no network is named. Set NEAR_NETWORK to " +
        `${[...PUBLIC_RPC_URLS.keys()].join(" or ")}, or NEAR_RPC_URL to a node's address such as https://test.rpc.fastnear.com; or leave all of them out ` +
        "to use the embedded chain.",
    );
  }
  if (!embedded) {
    const missing = (["PLATFORM_ACCOUNT_ID", "PLATFORM_PRIVATE_KEY"] as const).filter((name) => !given[name]);
    if (missing.length > 0) {
      const set = given.NEAR_RPC_URL ? "NEAR_RPC_URL" : "NEAR_NETWORK";
      throw new SetupError(
        `${set} is set, so ${missing.join(" and ")} must be too, such as PLATFORM_ACCOUNT_ID=shop.testnet and PLATFORM_PRIVATE_KEY=ed25519:…: that account makes wallets and contracts.`,
      );
    }
  }
  if (!embedded && !given.PUBLIC_URL)
    throw new SetupError(`PUBLIC_URL is missing: it ${PUBLIC_URL_MISSING}.`);
  const network = embedded ? EMBEDDED_NETWORK : (given.NEAR_NETWORK ?? networkOf(rpcUrl ?? ""));
  const stateDir = join(env.MINTAGE_DATA || join(ROOT, ".mintage"), network.replace(/[^a-z0-9-]/gi, "_"));
  const secrets = localSecrets(stateDir, isWritten ? given : {});
  const worker: Given = {
    WALLET_SECRETS: secrets.walletSecrets,
    ADMIN_TOKEN: secrets.adminToken,
    LOCAL_WEBHOOKS: "on",
    ...(embedded && {
      PLATFORM_ACCOUNT_ID: EMBEDDED_PLATFORM,
      PLATFORM_PRIVATE_KEY: secrets.platformPrivateKey,
      WALLET_FUNDING: EMBEDDED_WALLET_FUNDING,
      DEVELOPMENT_WALLET: "on",
    }),
    ...given,
    // The data's own: .dev.vars may have been written for another directory.
    ...(isWritten && {
      WALLET_SECRETS: env.WALLET_SECRETS || secrets.walletSecrets,
      PLATFORM_PRIVATE_KEY: env.PLATFORM_PRIVATE_KEY || secrets.platformPrivateKey,
    }),
    NEAR_RPC_URL: rpcUrl ?? `http://127.0.0.1:${embedded?.port}`,
    NEAR_NETWORK: network,
    PUBLIC_URL: url,
  };
  refuseWrong(worker);
  const inspectorPort = portSetting("INSPECTOR_PORT", 9229, env);
  return { host: env.HOST || "127.0.0.1", port, inspectorPort, url, embedded, network, stateDir, worker };
}

/** @throws SetupError if the Worker would refuse its settings, so that this is known before anything starts */
function refuseWrong(worker: Given): void {
  try {
    settingsOf(worker);
  } catch (error) {
    throw new SetupError((error as Error).message);
  }
}

/** Whether only this machine reaches what listens on an address (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3). */
export const isThisMachine = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);

function networkOf(rpcUrl: string): string {
  const known = [...PUBLIC_RPC_URLS].find(([, urls]) => urls.some((url) => rpcUrl.includes(url)));
  if (known) return known[0];
  if (rpcUrl.includes("mainnet")) return "mainnet";
  if (rpcUrl.includes("testnet")) return "testnet";
  throw new SetupError(
    "NEAR_NETWORK is missing: name the network that NEAR_RPC_URL belongs to, such as testnet.",
  );
}

/** The settings as a file that wrangler reads. Values are in single quotes, so that JSON passes untouched. */
export function workerEnvFile(settings: Given): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (/['\n\r]/.test(value))
      throw new SetupError(`${name} must contain no single quote and no line break; remove them.`);
    return `${name}='${value}'`;
  });
  return `${lines.join("\n")}\n`;
}

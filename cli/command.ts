import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FolderError } from "../client/src/folder/index.ts";
import { ApiError, ConnectionError } from "../client/src/index.ts";
import { near } from "./table.ts";

/** A command was called wrongly; shown without a stack trace. */
export class UsageError extends Error {}

/** What `npm start` left for the commands of this machine. */
export interface LocalService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly contractUuid: string;
  readonly adminToken: string;
  /** The first of the nodes that the service uses. */
  readonly rpcUrl: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where `npm start` keeps what it made, a folder for each network. */
export const stateOf = (env: Environment = process.env): string =>
  env.MINTAGE_DATA || join(import.meta.dirname, "..", ".mintage");

/** The service that `npm start` runs here: the one of MINTAGE_NETWORK, or the only one there is. */
export function localService(env: Environment = process.env): LocalService | null {
  const network = localNetwork(env);
  if (network === null) return null;
  return JSON.parse(readFileSync(join(stateOf(env), network, "demo.json"), "utf8")) as LocalService;
}

/**
 * The data that `npm start` keeps here, of the network that `localService` takes.
 * @throws UsageError where there is none, or of several networks none is named
 */
export function localData(env: Environment = process.env): {
  readonly folder: string;
  readonly network: string;
} {
  const network = localNetwork(env);
  if (network === null)
    throw new UsageError(
      `${stateOf(env)} has no data of npm start, or of several networks: MINTAGE_NETWORK then names one.`,
    );
  return { folder: join(stateOf(env), network), network };
}

/** Names of networks' folders; what a restoration moved aside has a dot in its name. */
const NETWORK = /^[\w-]+$/;

/** The name of that network's folder; null where there is none, or of several none is named or running. */
function localNetwork(env: Environment): string | null {
  const state = stateOf(env);
  const networks = existsSync(state)
    ? readdirSync(state).filter((name) => NETWORK.test(name) && existsSync(join(state, name, "demo.json")))
    : [];
  // Of several networks, the one whose service is running.
  const running = networks.find((name) => existsSync(join(state, name, "start.pid")));
  const network = env.MINTAGE_NETWORK || (networks.length > 1 ? running : networks[0]);
  return network !== undefined && networks.includes(network) ? network : null;
}

/** Name of the network that `npm start` runs by itself. */
const EMBEDDED_NETWORK = "devchain";

/** The chain that `npm start` runs on this machine, and where the keys of accounts made there are kept. */
export function localChain(env: Environment = process.env): { rpcUrl: string; accounts: string } {
  const folder = join(stateOf(env), EMBEDDED_NETWORK);
  const file = join(folder, "demo.json");
  if (!existsSync(file)) throw new UsageError("There is no chain on this machine: run npm start first.");
  const { rpcUrl } = JSON.parse(readFileSync(file, "utf8")) as LocalService;
  return { rpcUrl, accounts: join(folder, "accounts") };
}

/** Whether two addresses are the same service of this machine, or the same address elsewhere. */
function sameService(one: string, other: string): boolean {
  const place = (text: string) => {
    const { protocol, hostname, port } = new URL(text);
    return `${protocol}//${/^(127\.0\.0\.1|\[::1\])$/.test(hostname) ? "localhost" : hostname}:${port}`;
  };
  return URL.canParse(one) && URL.canParse(other) && place(one) === place(other);
}

/** The service that a command is for, and what `npm start` left of it. Never gives one service's key to another. */
function chosenService(env: Environment): { baseUrl: string | undefined; local: LocalService | null } {
  const local = localService(env);
  const given = env.MINTAGE_URL;
  if (!given) return { baseUrl: local?.baseUrl, local };
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new UsageError(
      `MINTAGE_URL has to be an address such as https://mint.example.com; it is "${given}".`,
    );
  // Under one name only: what commands keep in files is of a service by its address.
  if (local && sameService(given, local.baseUrl)) return { baseUrl: local.baseUrl, local };
  return { baseUrl: given, local: null };
}

/** An address and a key, from the environment or from what `npm start` left. */
export function keyAccess(env: Environment = process.env): {
  baseUrl: string;
  apiKey: string;
  contractUuid: string | null;
} {
  const { baseUrl, local } = chosenService(env);
  const apiKey = env.MINTAGE_API_KEY || local?.apiKey;
  if (!baseUrl || !apiKey) {
    throw new UsageError(
      "Set MINTAGE_URL and MINTAGE_API_KEY, or run npm start first: its address and key are then used.",
    );
  }
  // The contract of npm start is its own key's.
  const ofKey = env.MINTAGE_API_KEY ? null : (local?.contractUuid ?? null);
  return { baseUrl, apiKey, contractUuid: env.MINTAGE_CONTRACT || ofKey };
}

/** An address and the operator's token, from the environment or from what `npm start` left. */
export function adminAccess(env: Environment = process.env): { baseUrl: string; adminToken: string } {
  const { baseUrl, local } = chosenService(env);
  const adminToken = env.MINTAGE_ADMIN_TOKEN || local?.adminToken;
  if (!baseUrl || !adminToken) {
    throw new UsageError(
      "Set MINTAGE_URL and MINTAGE_ADMIN_TOKEN, or run npm start first: its address and token are then used.",
    );
  }
  return { baseUrl, adminToken };
}

/** How to make an account that is missing, where the chain is the one of `npm start`; elsewhere empty. */
export function accountAdvice(env: Environment = process.env): string {
  const { local } = chosenService(env);
  const file = join(stateOf(env), EMBEDDED_NETWORK, "demo.json");
  const isEmbedded =
    local !== null &&
    existsSync(file) &&
    (JSON.parse(readFileSync(file, "utf8")) as LocalService).baseUrl === local.baseUrl;
  return isEmbedded ? "\nOn the chain of npm start: npm run chain -- account <account>" : "";
}

/** Runs a command: prints errors for people, and sets the exit status for scripts. */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.stderr.write(`${sentence(error)}\n`);
    process.exitCode = error instanceof UsageError || isArgumentError(error) ? 2 : 1;
  }
}

/** The service's words with their amounts in NEAR, rounded up: what it names is to be paid or allowed. */
export const inNear = (message: string): string =>
  message.replaceAll(/\b(\d+) yoctoNEAR/g, (_, yocto: string) => `${near(yocto, "up")} NEAR`);

/** What parseArgs throws; its first sentence says what is wrong with an argument. */
const isArgumentError = (error: unknown): error is TypeError =>
  error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");

/** What a refusal of a key or token means for whoever runs a command: the API's own sentence explains a header. */
const REFUSED: Readonly<Partial<Record<ApiError["code"], string>>> = {
  api_key_invalid:
    "The service doesn't know this key. Set MINTAGE_API_KEY to a key of the service at MINTAGE_URL.",
  api_key_expired: "The key has expired. Set MINTAGE_API_KEY to another one.",
  api_key_revoked: "The key was revoked. Set MINTAGE_API_KEY to another one.",
  read_only_key: "The key can only read. Set MINTAGE_API_KEY to a key of role full.",
  admin_token_invalid:
    "The service refuses this token. Set MINTAGE_ADMIN_TOKEN to the operator's token of the service at MINTAGE_URL.",
};

function sentence(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (error instanceof FolderError)
    return `${error.message}\nNothing was sent. Correct this and run it again.`;
  if (error instanceof ConnectionError)
    return `${error.message}\nStart the service with npm start, or set MINTAGE_URL to the address of another one.`;
  if (error instanceof ApiError) {
    const request = error.requestId ? ` Request ${error.requestId}.` : "";
    const advice = error.code === "unknown_account" ? accountAdvice() : "";
    const refused = REFUSED[error.code];
    if (refused !== undefined) return `${refused}\n(${error.code}, status ${error.status}.${request})`;
    return `${inNear(error.message)}${advice}\n(${error.code}, status ${error.status}.${request})`;
  }
  if (isArgumentError(error)) return `${error.message.split(". ")[0]}.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

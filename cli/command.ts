import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AdminClient } from "../client/src/admin.ts";
import { FolderError } from "../client/src/folder/index.ts";
import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  type Me,
  MintageClient,
} from "../client/src/index.ts";
import type { Read } from "./launch/prices.ts";
import { near } from "./table.ts";

/** What the service calls most things by. */
export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A command was called wrongly; shown without a stack trace. */
export class UsageError extends Error {}

/** What a file of JSON has. @throws UsageError where it isn't JSON */
export function readJson<T>(file: string): T {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch (error) {
    // The error's own message has a part of the file, which may be a secret.
    throw error instanceof SyntaxError ? new UsageError(`${file} is not JSON.`) : error;
  }
}

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
  return readJson<LocalService>(join(stateOf(env), network, "demo.json"));
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
  if (network === null) throw new UsageError(noData(env));
  return { folder: join(stateOf(env), network), network };
}

const noData = (env: Environment): string =>
  env.MINTAGE_NETWORK
    ? `${stateOf(env)} has no data of MINTAGE_NETWORK "${env.MINTAGE_NETWORK}".`
    : `${stateOf(env)} has no data, or of several networks: MINTAGE_NETWORK then names one.`;

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
  const { rpcUrl } = readJson<LocalService>(file);
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
      `MINTAGE_URL must be an address such as https://mint.example.com; it is "${given}".`,
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
  const { baseUrl = "", local } = chosenService(env);
  const apiKey = env.MINTAGE_API_KEY || local?.apiKey || "";
  requireAccess(env, { MINTAGE_URL: baseUrl, MINTAGE_API_KEY: apiKey });
  // The contract of npm start is its own key's.
  const ofKey = env.MINTAGE_API_KEY ? null : (local?.contractUuid ?? null);
  return { baseUrl, apiKey, contractUuid: env.MINTAGE_CONTRACT || ofKey };
}

/** An address and the operator's token, from the environment or from what `npm start` left. */
export function adminAccess(env: Environment = process.env): { baseUrl: string; adminToken: string } {
  const { baseUrl = "", local } = chosenService(env);
  const adminToken = env.MINTAGE_ADMIN_TOKEN || local?.adminToken || "";
  requireAccess(env, { MINTAGE_URL: baseUrl, MINTAGE_ADMIN_TOKEN: adminToken });
  return { baseUrl, adminToken };
}

/** @throws UsageError that names the variables to set, or the one with what no HTTP header can have */
function requireAccess(env: Environment, access: Readonly<Record<string, string>>): void {
  const missing = Object.keys(access).filter((variable) => !access[variable]);
  if (missing.length > 0) {
    const why = env.MINTAGE_URL
      ? "MINTAGE_URL is the address of a service other than that of npm start."
      : `Or run npm start: ${noData(env)}`;
    throw new UsageError(`Set ${missing.join(" and ")}. ${why}`);
  }
  for (const [variable, value] of Object.entries(access)) {
    if (/[^\x21-\x7e]/.test(value))
      throw new UsageError(`${variable} has spaces or other invalid characters. Copy it again.`);
  }
}

/** Says that a call is sent again. */
const tellRetry: NonNullable<ClientOptions["onRetry"]> = ({ reason, pauseMs }) => {
  process.stderr.write(`\n${reason} Again in ${(pauseMs / 1000).toFixed(1)} s.\n`);
};

/** The client of a command, for the service that `keyAccess` finds. */
export const commandClient = (options: Partial<ClientOptions> = {}): MintageClient =>
  new MintageClient({ ...keyAccess(), onRetry: tellRetry, ...options });

/** The client of an operator's command. */
export const commandAdmin = (): AdminClient => new AdminClient({ ...adminAccess(), onRetry: tellRetry });

/** How to make an account that is missing, where the chain is the one of `npm start`; elsewhere empty. */
export function accountAdvice(env: Environment = process.env): string {
  const { local } = chosenService(env);
  const file = join(stateOf(env), EMBEDDED_NETWORK, "demo.json");
  const isEmbedded =
    local !== null && existsSync(file) && readJson<LocalService>(file).baseUrl === local.baseUrl;
  return isEmbedded ? "\nOn the chain of npm start: npm run chain -- account <account>" : "";
}

/** What an option says; undefined where it isn't given. @throws UsageError that names it */
export function option<T>(
  name: string,
  text: string | undefined,
  read: (text: string) => Read<T>,
): T | undefined {
  if (text === undefined) return undefined;
  const found = read(text);
  if ("value" in found) return found.value;
  throw new UsageError(`--${name}: ${found.problem}.`);
}

/** A uuid of a command's words. @param name of the word or option. @throws UsageError */
export function uuidOf(name: string, text: string): string {
  if (UUID.test(text)) return text.toLowerCase();
  throw new UsageError(`${name}: give a uuid; it is "${text}".`);
}

/** A collection's uuid of a command's words. @throws UsageError */
export const collectionOf = (text: string): string => uuidOf("<collection>", text);

/**
 * The contract that is named, or the key's only one.
 * @param place where it can be named beside MINTAGE_CONTRACT
 * @throws UsageError that lists the key's contracts
 */
export function contractOf({ contracts }: Me, named: string | null, place: string): Me["contracts"][number] {
  const [contract, other] = contracts.filter(({ contract_uuid: uuid }) => named === null || uuid === named);
  if (contract && !other) return contract;
  const list = contracts.map((one) => `\n  ${one.contract_uuid}  ${one.account_id}`).join("") || " none";
  const problem = named === null ? "Name the contract" : `This key has no contract ${named}. Correct it`;
  throw new UsageError(`${problem}: ${place}, or MINTAGE_CONTRACT. The key's contracts are:${list}`);
}

/** A folder of a command's words, as a whole path. @throws UsageError where there is none */
export function folderOf(text: string): string {
  const folder = resolve(text);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return folder;
  throw new UsageError(found ? `${folder} is a file: give a folder.` : `There is no folder ${folder}.`);
}

/** Runs a command: prints errors for people, and sets the exit status for scripts. */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    // Commands throw their usage, which is what --help asks for.
    if (error instanceof UsageError && process.argv.includes("--help")) {
      process.stdout.write(`${error.message}\n`);
      return;
    }
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
  api_key_invalid: "isn't known to the service",
  api_key_expired: "has expired",
  api_key_revoked: "was revoked",
  scope_missing: "lacks the scope that this needs",
  collection_not_allowed: "is limited to other collections",
  admin_token_invalid: "is refused by the service",
};

/** The variable to change where a service refuses a key, a token or is none of ours; null for other answers. */
export function accessProblem({ code, status }: ApiError, env: Environment = process.env): string | null {
  const { baseUrl } = chosenService(env);
  // A proxy of the service answers without a code too, but with a status of its own fault.
  if (code === "http_error" && status < 500)
    return `${baseUrl} responds, but isn't a Mintage service. Set MINTAGE_URL to the address of one.`;
  const why = REFUSED[code];
  if (why === undefined) return null;
  const [variable, what] =
    code === "admin_token_invalid" ? ["MINTAGE_ADMIN_TOKEN", "token"] : ["MINTAGE_API_KEY", "key"];
  return env[variable]
    ? `The ${what} in ${variable} ${why}. Set it to a ${what} of the service at ${baseUrl}.`
    : `The ${what} that npm start left in ${stateOf(env)} ${why}. Run npm start again, or set ${variable}.`;
}

function adviceOn({ code }: ApiError): string {
  if (code === "unknown_account") return accountAdvice();
  if (code === "payout_account_missing")
    return "\nThe operator's command: npm run admin -- payout account <integration> <account>";
  return "";
}

function sentence(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (error instanceof FolderError)
    return `${error.message}\nNothing was sent. Correct this and run it again.`;
  if (error instanceof ConnectionError)
    return `${error.message}\nStart the service with npm start, or set MINTAGE_URL to another service's address.`;
  if (error instanceof ApiError) {
    const request = error.requestId ? ` Request ${error.requestId}.` : "";
    const text = accessProblem(error) ?? `${inNear(error.message)}${adviceOn(error)}`;
    return `${text}\n(${error.code}, status ${error.status}.${request})`;
  }
  if (isArgumentError(error)) return `${error.message.split(". ")[0]}. --help lists the options.`;
  // Of a file that can't be read or written the system's message says all.
  if (error instanceof Error && "syscall" in error && "path" in error) return `${error.message}.`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

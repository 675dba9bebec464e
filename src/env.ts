import { z } from "zod";
import { isAccountId } from "./domain/account-ids.ts";
import { seedOf } from "./domain/private-keys.ts";

/** Settings and secrets of the Worker, parsed once an isolate. docs/deploying.md lists them in one table. */
const rpcUrls = z
  .string()
  .transform((list) =>
    list
      .split(",")
      .map((url) => url.trim())
      .filter(Boolean),
  )
  .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1))
  .optional()
  .describe("addresses of nodes, separated by commas, such as https://free.rpc.fastnear.com");

/**
 * Default endpoints by network: public ones of two providers from NEAR's own list (https://docs.near.org/api/rpc/providers,
 * November 2026). docs/deploying.md says what their plans carry.
 */
export const PUBLIC_RPC_URLS: ReadonlyMap<string, readonly string[]> = new Map([
  ["mainnet", ["https://free.rpc.fastnear.com", "https://near.drpc.org"]],
  ["testnet", ["https://test.rpc.fastnear.com", "https://near-testnet.drpc.org"]],
]);

const numberFrom = (least: number, fallback: number, most = Infinity) => {
  const schema = z.coerce.number().int().min(least).max(most).default(fallback);
  const bounds = most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  return schema.describe(`a whole number, ${bounds}, such as ${fallback}`);
};

const amount = (fallback: string) =>
  z.string().regex(/^\d+$/).default(fallback).describe(`yoctoNEAR in digits, such as ${fallback}`);

const flag = z.literal("on").optional().describe("`on`, or absent");

/** An address without trailing slashes, so that paths can be appended. */
const withoutSlash = (url: string): string => {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
};

const SECRET_BYTES = 32;

/** Why secrets can't seal; looked at as they are read, since the first wallet that needs them may come months later. */
const refuseSecrets = (secrets: Readonly<Record<string, string>>, context: z.RefinementCtx): void => {
  const entries = Object.entries(secrets);
  if (entries.length === 0) context.addIssue({ code: "custom", message: "has to have a version" });
  for (const [version, text] of entries) {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: [version], message });
    if (!/^[1-9]\d{0,5}$/.test(version)) refuse("a version has to be a whole number from 1 to 999999");
    if (bytesOfBase64(text) !== SECRET_BYTES)
      refuse(
        `has to be ${SECRET_BYTES} bytes as base64, such as openssl rand -base64 ${SECRET_BYTES} prints`,
      );
  }
};

/** How many bytes base64 encodes; null if it isn't base64. */
const bytesOfBase64 = (text: string): number | null =>
  z.base64().safeParse(text).success ? atob(text).length : null;

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: "invalid_format", format: "json" });
    return z.NEVER;
  }
});

const address = (name: string) => z.url({ protocol: /^https$/ }).includes(name);
const marketplace = z.strictObject({
  name: z.string().min(1).max(40),
  contract: address("{contract}"),
  token: address("{token}"),
});

/** Name of the network that `npm start` and the tests bring with them. */
export const EMBEDDED_NETWORK = "devchain";

const PUBLIC_ADDRESS =
  "this service's public address, such as https://mint.example.com: every contract keeps it as its base_uri permanently";

/** Every setting, each with a description of what to give, which completes "must be". */
const fieldsSchema = z.object({
  /** Name of the network, for explorer links and logs: mainnet, testnet, or any other. */
  NEAR_NETWORK: z.string().min(1).describe("a network's name, such as testnet"),
  /** JSON-RPC endpoints, separated by commas, in order of preference. Mainnet and testnet have public ones by default. */
  NEAR_RPC_URL: rpcUrls,
  /** Endpoints that keep all history, asked when the others have forgotten. */
  NEAR_ARCHIVAL_RPC_URL: rpcUrls,
  /** `on`: pages on the embedded chain offer a wallet for trying out. `npm start` sets it; elsewhere it does nothing. */
  DEVELOPMENT_WALLET: flag,
  /** Set by `npm start` alone: webhooks may be on this machine, over http. */
  LOCAL_WEBHOOKS: flag,
  /** Address of a transaction in an explorer with `{hash}` in it. */
  EXPLORER_URL: z
    .string()
    .includes("{hash}")
    .optional()
    .describe("an address with {hash} in it, such as https://nearblocks.io/txns/{hash}"),
  /** Where pages say that NFTs are traded, in place of the network's marketplaces (src/domain/marketplaces.ts). */
  MARKETPLACES: json
    .pipe(z.array(marketplace).max(4))
    .optional()
    .describe(
      'a JSON array of at most 4, such as [{"name": "TradePort", "contract": "https://…/{contract}", "token": "https://…/{contract}/{token}"}]',
    ),
  /**
   * The service's public address, base of gateway URLs, which contracts keep as `base_uri` for good. On the
   * embedded chain the request's origin is the default.
   */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform(withoutSlash)
    .optional()
    .describe(PUBLIC_ADDRESS),
  /** The account that creates wallets and deploys contracts. */
  PLATFORM_ACCOUNT_ID: z
    .stringFormat("account_id", isAccountId)
    .describe("a NEAR account, such as shop.testnet"),
  /** Its full-access key, `ed25519:<base58>`; read as its seed. */
  PLATFORM_PRIVATE_KEY: z
    .string()
    .transform((text, context) => {
      const seed = seedOf(text);
      if (seed !== null) return seed;
      context.addIssue({ code: "invalid_format", format: "private_key" });
      return z.NEVER;
    })
    .describe(
      "the whole full-access key of that account, 64 bytes in base58, such as ed25519:3D4YudUahN1nawWogh8pAKSj92s…",
    ),
  /** `{"<version>": "<base64 of 32 bytes>"}`; the highest version seals, all of them open. */
  WALLET_SECRETS: json
    .pipe(z.record(z.string(), z.string()).superRefine(refuseSecrets))
    .describe('a JSON object, such as {"1": "<32 bytes as base64, as openssl rand -base64 32 prints them>"}'),
  /** Bearer token of /admin/v1; without it that surface answers 404. */
  ADMIN_TOKEN: z
    .string()
    .min(32)
    .optional()
    .describe("at least 32 characters, such as openssl rand -hex 32 prints"),
  /** The integration that receives the operator events (docs/running.md). */
  OPERATOR_INTEGRATION: z
    .uuid()
    .toLowerCase()
    .optional()
    .describe("an integration's uuid, such as 0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11"),
  /** What the database may store at most, bytes: D1's limit of the account's plan. */
  DATABASE_LIMIT: numberFrom(1, 10_000_000_000),
  /** Longest wait for finality inside a request, milliseconds. */
  SYNC_WAIT_MS: numberFrom(1, 25_000),
  /** What a new integration wallet is funded with, yoctoNEAR. */
  WALLET_FUNDING: amount("5000000000000000000000000"),
  /** What a new contract account is given, yoctoNEAR. */
  CONTRACT_FUNDING: amount("2000000000000000000000000"),
  /** Transactions of one lane that may be on their way at once. */
  LANE_DEPTH: numberFrom(1, 1),
  /** Most lanes a wallet grows to. */
  MAX_LANES: numberFrom(1, 64, 64),
  MAX_QUEUE: numberFrom(1, 5_000),
  /** Days after its end after which an operation is moved from D1 to R2, with its transactions; not before its keys end. */
  OPERATIONS_KEPT_DAYS: numberFrom(1, 30),
  EVENTS_KEPT_DAYS: numberFrom(1, 90),
  /** Hours that an Idempotency-Key is kept; the interface promises 24. */
  KEYS_KEPT_HOURS: numberFrom(24, 25),
  /** Days that a wallet's journal has an operation after its end, while the object has room. */
  JOURNAL_KEPT_DAYS: numberFrom(1, 1, 31),
  /** Kubo RPC for pinning, and the value of its Authorization header. */
  KUBO_RPC_URL: z
    .url()
    .transform(withoutSlash)
    .optional()
    .describe("the address of a Kubo node's RPC, such as http://127.0.0.1:5001"),
  KUBO_RPC_AUTHORIZATION: z.string().optional(),
  /** Origins that browsers may call from, separated by commas; `*` for all; absent: none. */
  CORS_ORIGINS: z.string().optional(),
});

/** A key's operation must be in the database as long as the key is kept. */
const requireKeptForKeys = (
  { OPERATIONS_KEPT_DAYS: days, KEYS_KEPT_HOURS: hours }: z.infer<typeof fieldsSchema>,
  context: z.RefinementCtx,
): void => {
  if (days * 24 >= hours) return;
  const message = `has to be as long as KEYS_KEPT_HOURS, which is ${hours} hours`;
  context.addIssue({ code: "custom", path: ["OPERATIONS_KEPT_DAYS"], message });
};

const settingsSchema = fieldsSchema.superRefine(requireKeptForKeys).transform((fields, context) => {
  const endpoints = fields.NEAR_RPC_URL ?? PUBLIC_RPC_URLS.get(fields.NEAR_NETWORK);
  if (endpoints) return { ...fields, NEAR_RPC_URL: [...endpoints] };
  context.addIssue({
    code: "custom",
    path: ["NEAR_RPC_URL"],
    message: `must be set: network ${fields.NEAR_NETWORK} has no default endpoints`,
  });
  return z.NEVER;
});

export type Settings = z.infer<typeof settingsSchema>;

/** The bindings. `IMAGES` makes thumbnails, where a deployment has it. */
export type Bindings = Env & { readonly IMAGES?: ImagesBinding };

/** Settings are missing or wrong. The message names each with what is wrong, for the operator's log. */
export class SettingsError extends Error {
  readonly names: readonly string[];

  constructor(faults: readonly (readonly [path: string, message: string])[]) {
    super(`settings are missing or wrong: ${faults.map((fault) => fault.join(": ")).join("; ")}`);
    this.names = [...new Set(faults.map(([path]) => path.split(".")[0]!))];
  }
}

const parsed = new WeakMap<object, Settings>();

export function settingsOf(env: object): Settings {
  const known = parsed.get(env);
  if (known) return known;
  const result = settingsSchema.safeParse(withoutEmpty(env));
  const faults = result.error?.issues.map(faultOf) ?? [];
  if (needsPublicUrl(env)) faults.push(["PUBLIC_URL", PUBLIC_URL_MISSING]);
  if (!result.success || faults.length > 0) throw new SettingsError(faults);
  parsed.set(env, result.data);
  return result.data;
}

export const PUBLIC_URL_MISSING = `must be ${PUBLIC_ADDRESS}`;

/** What is wrong with a setting. zod's own messages say what a value is; the descriptions say what to give. */
const faultOf = ({ code, path, message }: z.core.$ZodIssue): readonly [path: string, message: string] => {
  const { description } = fieldsSchema.shape[path[0] as keyof typeof fieldsSchema.shape];
  return [path.join("."), code === "custom" || !description ? message : `must be ${description}`];
};

const needsPublicUrl = (env: object): boolean => {
  const { NEAR_NETWORK, PUBLIC_URL } = env as Record<string, unknown>;
  return NEAR_NETWORK !== EMBEDDED_NETWORK && !PUBLIC_URL;
};

/** An empty variable means the same as an absent one, as `.dev.vars` and dashboards leave them. */
const withoutEmpty = (env: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));

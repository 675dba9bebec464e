/** What a deployment needs, and what of it is missing. Pure: findings in, sentences out. */

import type { Unstable_Config } from "wrangler";
import { PUBLIC_RPC_URLS, PUBLIC_URL_MISSING } from "../src/env.ts";

/** Whether it can be built, and how large it is then. */
export type Bundle =
  /** Bytes, compressed. */
  { readonly gzip: number } | { readonly problem: string };

/** What is known before anything is sent. Null: it could not be asked. */
export interface Findings {
  /** From wrangler.toml. */
  readonly vars: Readonly<Record<string, unknown>>;
  readonly databaseId: string | undefined;
  /** Addresses that wrangler.toml leads to the Worker; it has none of workers.dev. */
  readonly routes: number;
  /** Whether the account has the R2 bucket that wrangler.toml names. */
  readonly bucketExists: boolean | null;
  readonly bucketName: string;
  /** Environment of wrangler.toml that is deployed; absent: what stands above all of them. */
  readonly environment?: string | undefined;
  /** Bindings that wrangler.toml has above its environments and not in the one that is deployed. */
  readonly unbound: readonly string[];
  /** Names of the secrets that the account has for the Worker. */
  readonly secrets: readonly string[] | null;
  readonly loggedIn: boolean | null;
  readonly wasmDigestMatches: boolean;
  readonly bundle: Bundle;
}

/** The result of one check. */
export interface Check {
  readonly what: string;
  readonly state: "ok" | "missing" | "unknown" | "optional";
  readonly remedy: string;
}

/** Names of the bindings that environments of wrangler.toml don't inherit. */
export const bindingsOf = ({
  d1_databases,
  r2_buckets,
  durable_objects,
  ratelimits = [],
}: Pick<Unstable_Config, "d1_databases" | "r2_buckets" | "durable_objects" | "ratelimits">): string[] => [
  ...[...d1_databases, ...r2_buckets].map(({ binding }) => binding),
  ...[...durable_objects.bindings, ...ratelimits].map(({ name }) => name),
];

const PLACEHOLDER = "00000000-0000-0000-0000-000000000000";
/** Compressed bytes of a Worker on a paid plan (https://developers.cloudflare.com/workers/platform/limits/). */
const LARGEST_BUNDLE = 10 * 1024 * 1024;

const check = (what: string, fine: boolean | null, remedy: string): Check => ({
  what,
  state: fine === null ? "unknown" : fine ? "ok" : "missing",
  remedy: fine ? "" : remedy,
});

const bundleCheck = (what: string, bundle: Bundle): Check =>
  "problem" in bundle
    ? check(what, false, bundle.problem)
    : check(
        what,
        bundle.gzip <= LARGEST_BUNDLE,
        `${bundle.gzip} bytes compressed; at most ${LARGEST_BUNDLE}`,
      );

const set = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

/** Every check, in the order in which somebody would set things up. */
export function checksOf(found: Findings): Check[] {
  const { vars, secrets, environment } = found;
  // Without it a secret would go to the Worker of no environment, which may be another one that serves.
  const put = (name: string): string =>
    `npx wrangler secret put ${name}${environment === undefined ? "" : ` --env ${environment}`}`;
  const secret = (name: string, how: string): Check =>
    check(name, secrets === null ? null : secrets.includes(name), `${put(name)}   (${how})`);
  const somewhere = (name: string): boolean | null =>
    set(vars[name]) || (secrets === null ? null : secrets.includes(name));
  const optional = (name: string, what: string): Check => ({
    what: name,
    state: somewhere(name) ? "ok" : "optional",
    remedy: somewhere(name) ? "" : what,
  });
  return [
    check(
      "Cloudflare account",
      found.loggedIn,
      "npx wrangler login, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID",
    ),
    check(
      "D1 database",
      set(found.databaseId) && found.databaseId !== PLACEHOLDER,
      "npx wrangler d1 create mintage, then put its id into wrangler.toml as database_id",
    ),
    ...found.unbound.map((name) =>
      check(`binding ${name}`, false, `environments inherit none: repeat it under [env.${environment}]`),
    ),
    check("R2 bucket", found.bucketExists, `npx wrangler r2 bucket create ${found.bucketName}`),
    check("NEAR_NETWORK", set(vars.NEAR_NETWORK), "name the network in wrangler.toml: mainnet or testnet"),
    check(
      "NEAR_RPC_URL",
      somewhere("NEAR_RPC_URL") || PUBLIC_RPC_URLS.has(String(vars.NEAR_NETWORK)),
      "put the node's address into wrangler.toml; several with commas",
    ),
    check(
      "PLATFORM_ACCOUNT_ID",
      somewhere("PLATFORM_ACCOUNT_ID"),
      "put the platform account's id into wrangler.toml",
    ),
    check("PUBLIC_URL", somewhere("PUBLIC_URL"), `put it into wrangler.toml; it ${PUBLIC_URL_MISSING}`),
    check(
      "route",
      found.routes > 0,
      'add [[routes]] with pattern = "mint.example.com" and custom_domain = true to wrangler.toml',
    ),
    secret("PLATFORM_PRIVATE_KEY", "ed25519:…, a full-access key that nothing else signs with"),
    secret(
      "WALLET_SECRETS",
      `{"1":"<openssl rand -base64 32>"}; keep a copy, wallets can't be opened without it`,
    ),
    optional(
      "ADMIN_TOKEN",
      `without it /admin/v1 answers 404: ${put("ADMIN_TOKEN")}   (openssl rand -hex 32)`,
    ),
    check(
      "contract/wasm/mintage.wasm",
      found.wasmDigestMatches,
      "it is not the file of its .sha256: npm run contract:build",
    ),
    bundleCheck("bundle", found.bundle),
  ];
}

/** The checks that failed. */
export const missing = (checks: readonly Check[]): Check[] =>
  checks.filter(({ state }) => state === "missing");

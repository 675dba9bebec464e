/**
 * The two Workers of a deployment whose writes run near the database (`WRITES_PLACEMENT`): each one's configuration, from
 * what wrangler.toml says. Pure.
 */
import { isAbsolute, join } from "node:path";
import type { Unstable_Config } from "wrangler";

/** Where a Worker runs, as wrangler's `placement` has it. */
export type Placement = { readonly mode: "smart" } | { readonly region: string };

/** A configuration that can be written to a file of its own, wherever that is. */
export type WorkerConfig = Partial<Unstable_Config>;

/** A cloud's region by the names that Cloudflare takes (https://developers.cloudflare.com/workers/configuration/placement/). */
const REGION = /^(aws|gcp|azure):[a-z0-9-]+$/;

/**
 * What `WRITES_PLACEMENT` asks for.
 * @returns null if it is absent or empty: one Worker does everything
 * @throws Error that says what may be given
 */
export function placementOf(setting: unknown): Placement | null {
  if (setting === undefined || setting === "") return null;
  if (setting === "smart") return { mode: "smart" };
  if (typeof setting === "string" && REGION.test(setting)) return { region: setting };
  throw new Error('give "smart", or a cloud region near the database such as "aws:eu-central-1"');
}

/** Name of the Worker for writes beside a Worker of this name. */
export const writesName = (name: string): string => `${name}-writes`;

/** Characters of a Worker's name (https://developers.cloudflare.com/workers/tooling/api/scripts/, "Script naming conventions"). */
const LONGEST_NAME = 63;

/** The first Worker's binding (src/http/request.ts). */
const BINDING = "WRITES";

/** What wrangler adds as it reads a configuration, and doesn't take back. */
const READ_ONLY = [
  "configPath",
  "userConfigPath",
  "topLevelName",
  "definedEnvironments",
  "targetEnvironment",
  "dev",
] as const;

/**
 * What only the first Worker has: its addresses, so that nothing but its binding leads to the other; the schedule; the
 * classes of the objects, whose code runs in the first; the script of /docs.
 */
const OF_THE_FIRST = ["route", "routes", "triggers", "migrations", "assets", "placement"] as const;

/** An empty list or table: wrangler reads one for whatever wrangler.toml says nothing of. */
const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

const without = (config: Unstable_Config, names: readonly string[]): WorkerConfig =>
  Object.fromEntries(
    Object.entries(config).filter(([name, value]) => !names.includes(name) && !isEmpty(value)),
  );

/**
 * Both configurations, of one source.
 * @param config wrangler.toml as wrangler reads it, for the environment that is deployed
 * @param root folder of wrangler.toml
 * @throws Error that says what to change where the second one's name is too long
 */
export function twoWorkers(
  config: Unstable_Config,
  placement: Placement,
  root: string,
): { readonly first: WorkerConfig; readonly writes: WorkerConfig } {
  const name = config.name ?? "mintage";
  const over = writesName(name).length - LONGEST_NAME;
  if (over > 0) {
    throw new Error(
      `shorten the Worker's name ${name} to ${name.length - over} characters: ${writesName(name)} has ${over} more than a name may have`,
    );
  }
  const { assets } = config;
  const placed = (path: string) => (isAbsolute(path) ? path : join(root, path));
  return {
    first: {
      ...without(config, READ_ONLY),
      ...(assets?.directory && { assets: { ...assets, directory: placed(assets.directory) } }),
      services: [...(config.services ?? []), { binding: BINDING, service: writesName(name) }],
    },
    writes: {
      ...without(config, [...READ_ONLY, ...OF_THE_FIRST]),
      name: writesName(name),
      placement,
      workers_dev: false,
      preview_urls: false,
      durable_objects: {
        bindings: config.durable_objects.bindings.map((binding) => ({ script_name: name, ...binding })),
      },
    },
  };
}

/** A configuration of the two, or wrangler.toml itself: the first Worker without its binding. */
export type Deployed = "first" | "writes" | "alone";

/**
 * In which order they are deployed. The second needs the classes of the first, and the first's binding needs the second:
 * a first Worker that isn't bound yet is deployed without its binding before. One that is bound comes first too, with
 * the classes of its release; until the second follows, requests meet one release there and the one before here.
 * @param isBound whether the first Worker that serves now hands requests to the second
 */
export const orderOf = (isBound: boolean): readonly Deployed[] =>
  isBound ? ["first", "writes"] : ["alone", "writes", "first"];

/** What is used of a version as `wrangler versions view --json` shows it. */
export interface ShownVersion {
  readonly resources?: {
    readonly bindings?: readonly {
      readonly type: string;
      readonly name: string;
      readonly service?: string;
    }[];
  };
}

/** Whether a version of the first Worker hands requests to a Worker of this name. */
export const isBoundTo = (version: ShownVersion, service: string): boolean =>
  (version.resources?.bindings ?? []).some(
    (binding) => binding.type === "service" && binding.name === BINDING && binding.service === service,
  );

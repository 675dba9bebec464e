import type { Context } from "hono";
import { rateLimited } from "../domain/errors.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * The network that an address counts for: an IPv4 address, or the first 64 bits of an IPv6 one, the least that a
 * customer of a network is given (RFC 6177); anything else stays as it is.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const left = groupsOf(head);
  const right = groupsOf(tail ?? "");
  const zeros = tail === undefined ? 0 : Math.max(8 - left.length - right.length, 0);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  const first = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(":")}::/64`;
}

/** The groups of 16 bits in a part of an IPv6 address; an IPv4 address at its end stands for two. */
const groupsOf = (text: string): string[] =>
  text === "" ? [] : text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));

/** The network that a request comes from. Cloudflare sets the header, whatever the client sends. */
export const addressOf = (c: Context<AppEnv>): string =>
  clientNetwork(c.req.header("CF-Connecting-IP") ?? "");

/** The network that the audit log shows of an address: the first 24 bits of an IPv4 one, 48 of an IPv6 one; "" if unknown. */
export const changeNetwork = (address: string): string => {
  const network = clientNetwork(address);
  const v4 = /^(\d+\.\d+\.\d+)\.\d+$/.exec(network)?.[1];
  if (v4 !== undefined) return `${v4}.0/24`;
  const v6 = /^(\w+:\w+:\w+):\w+::\/64$/.exec(network)?.[1];
  return v6 === undefined ? "" : `${v6}::/48`;
};

/** The same of a request. */
export const changeNetworkOf = (c: Context<AppEnv>): string =>
  changeNetwork(c.req.header("CF-Connecting-IP") ?? "");

/** Seconds in which the bindings of wrangler.toml count an address, at each location of the network. */
export const ADDRESS_PERIOD_S = 10;

/** What an address does without a known key, with the binding that counts it. */
const WORK = {
  /** A key that this isolate hasn't seen, or a wrong token of the operator. */
  attempt: "ADDRESS_LIMIT",
  /** A file or a block that the cache doesn't have. */
  file: "ADDRESS_LIMIT",
  /** Uncached reads of pages for collectors, and claims. */
  page: "PAGE_LIMIT",
  ready: "PAGE_LIMIT",
  /** The page of a directory, which reads many blocks. */
  walk: "WALK_LIMIT",
} as const;

/** Counts a request against its address. If the count fails, it passes. @throws ServiceError rate_limited */
export async function countAddress(c: Context<AppEnv>, work: keyof typeof WORK): Promise<void> {
  try {
    const { success } = await c.env[WORK[work]].limit({ key: `${work}:${addressOf(c)}` });
    if (success) return;
  } catch (error) {
    c.get("context").log("address_limit.failed", { error });
    return;
  }
  throw rateLimited("This address sends too many requests.", ADDRESS_PERIOD_S);
}

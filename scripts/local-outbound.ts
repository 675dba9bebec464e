import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { ROOT } from "./local-settings.ts";

/** The settings that name servers which the service may ask wherever they are. */
const ADDRESSES = ["NEAR_RPC_URL", "NEAR_ARCHIVAL_RPC_URL", "KUBO_RPC_URL"];

/**
 * Networks that aren't public although workerd's `public` has them: IANA's special-purpose registries of IPv4 and IPv6
 * addresses (RFC 6890), with those that lead to IPv4 addresses (IPv4-compatible, NAT64, 6to4).
 */
const SPECIAL_NETWORKS = [
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4", "::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64"],
  ...["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10", "ff00::/8"],
];

/** The networks that this machine is in, its public ones included. */
const ownNetworks = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).flatMap(({ cidr }) => cidr ?? []),
  );

/**
 * The Worker that the service's requests go through, for Miniflare (`outboundService`).
 * @param settings the service's, whose servers may have private addresses
 */
export function outboundWorker(name: string, settings: Readonly<Record<string, string | undefined>>) {
  const urls = ADDRESSES.flatMap((setting) => (settings[setting] ?? "").split(","));
  const origins = urls.flatMap((url) => URL.parse(url.trim())?.origin ?? []);
  return {
    name,
    compatibilityDate: "2026-10-20",
    modules: true as const,
    script: readFileSync(join(ROOT, "scripts", "local-outbound.mjs"), "utf8"),
    bindings: { ORIGINS: origins },
    serviceBindings: {
      PUBLIC: {
        network: {
          allow: ["public"],
          deny: [...SPECIAL_NETWORKS, ...ownNetworks()],
          tlsOptions: { trustBrowserCas: true },
        },
      },
    },
  };
}

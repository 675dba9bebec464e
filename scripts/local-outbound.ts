import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EMBEDDED_NETWORK } from "../src/env.ts";
import { ROOT } from "./local-settings.ts";

/** The settings that name servers which the service may ask wherever they are. */
const ADDRESSES = ["NEAR_RPC_URL", "NEAR_ARCHIVAL_RPC_URL", "KUBO_RPC_URL"];

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
    bindings: { ORIGINS: origins, LOCAL: settings.NEAR_NETWORK === EMBEDDED_NETWORK },
    serviceBindings: {
      PUBLIC: { network: { allow: ["public"], tlsOptions: { trustBrowserCas: true } } },
    },
  };
}

import type { D1Migration } from "cloudflare:test";

declare global {
  namespace Cloudflare {
    /** What vitest.config.ts adds to the bindings of wrangler.toml. */
    interface Env {
      TEST_MIGRATIONS: D1Migration[];
      ADMIN_TOKEN: string;
      PLATFORM_PRIVATE_KEY: string;
      WALLET_SECRETS: string;
    }
  }
}

import type { D1Migration } from "cloudflare:test";

declare global {
  namespace Cloudflare {
    /** What vitest.config.ts adds to the bindings of wrangler.toml. */
    interface Env {
      /** Address at the farm of this file's chain, to be ended with DELETE. */
      TEST_CHAIN: string;
      TEST_IMAGES: ImagesBinding;
      TEST_MIGRATIONS: D1Migration[];
      NEAR_RPC_URL: string;
      ADMIN_TOKEN: string;
      OPERATOR_INTEGRATION: string;
      PLATFORM_PRIVATE_KEY: string;
      WALLET_SECRETS: string;
    }
  }
}

import type { Endpoint } from "../endpoint.ts";
import { contractEndpoints } from "./contracts.ts";
import { integrationEndpoints } from "./integrations.ts";
import { keyEndpoints } from "./keys.ts";
import { limitEndpoints } from "./limits.ts";
import { adminOperationEndpoints } from "./operations.ts";
import { hiddenOrderRead } from "./reveals.ts";
import { stateEndpoints } from "./service.ts";
import { platformEndpoints, walletEndpoints } from "./wallets.ts";

/** Everything under /admin/v1, in the order in which the reference shows it. */
export const ADMIN_ENDPOINTS: readonly Endpoint[] = [
  ...integrationEndpoints,
  ...limitEndpoints,
  ...keyEndpoints,
  ...walletEndpoints,
  ...contractEndpoints,
  ...platformEndpoints,

  hiddenOrderRead,
  ...adminOperationEndpoints,
  ...stateEndpoints,
];

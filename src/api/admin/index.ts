import type { Endpoint } from "../endpoint.ts";
import { contractUpgradesPlan, contractUpgradesRun, everyContractList } from "./contract-upgrades.ts";
import {
  contractsAccept,
  contractsAdopt,
  contractsDeploy,
  contractsHandOver,
  contractsList,
  contractsRead,
} from "./contracts.ts";
import { databaseRecover } from "./database.ts";
import {
  integrationsChange,
  integrationsCreate,
  integrationsDelete,
  integrationsList,
  integrationsRead,
  payoutAccountSet,
} from "./integrations.ts";
import { keysIssue, keysList, keysRevoke } from "./keys.ts";
import { limitsChange, limitsRead } from "./limits.ts";
import { metricsRead } from "./metrics.ts";
import { adminOperationsRead, adminOperationsSettle } from "./operations.ts";
import { overviewRead } from "./overview.ts";
import {
  platformRead,
  secretsRotate,
  stuckList,
  walletsActivate,
  walletsCreate,
  walletsRead,
  walletsRestore,
} from "./wallets.ts";

/** Everything under /admin/v1. */
export const ADMIN_ENDPOINTS: readonly Endpoint[] = [
  integrationsCreate,
  integrationsList,
  integrationsRead,
  payoutAccountSet,
  integrationsChange,
  integrationsDelete,
  limitsRead,
  limitsChange,
  keysIssue,
  keysList,
  keysRevoke,
  walletsCreate,
  walletsRead,
  walletsRestore,
  walletsActivate,
  contractsDeploy,
  contractsList,
  contractsAdopt,
  contractsAccept,
  everyContractList,
  contractsRead,
  contractUpgradesPlan,
  contractUpgradesRun,
  contractsHandOver,
  platformRead,
  stuckList,
  secretsRotate,
  databaseRecover,
  adminOperationsRead,
  adminOperationsSettle,
  metricsRead,
  overviewRead,
];

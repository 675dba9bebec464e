import { existsSync, readFileSync } from "node:fs";
import { AdminClient } from "../client/src/admin.ts";
import { AuthenticationError, NotFoundError } from "../client/src/errors.ts";
import { MintageClient } from "../client/src/index.ts";
import { writePrivately } from "./local-settings.ts";

/** The integration that `npm start` prepares, as the demo and the terminal read it from .mintage/. */
export interface DemoIntegration {
  readonly baseUrl: string;
  readonly integrationUuid: string;
  readonly apiKey: string;
  readonly contractUuid: string;
  readonly contractAccountId: string;
  readonly adminToken: string;
  readonly rpcUrl: string;
}

interface Options {
  /** Where the service answers on this machine. */
  readonly baseUrl: string;
  /** The address that others see, and that is written down. */
  readonly publicUrl: string;
  readonly adminToken: string;
  readonly rpcUrl: string;
  /** File that keeps what was made. */
  readonly file: string;
}

const NAME = "Demo";

/**
 * The demo integration with its wallet, key and contract: the last start's if its key still works, otherwise a new
 * one. Each step may be interrupted: the next start finds it done or repeats it.
 */
export async function demoIntegration({
  baseUrl,
  publicUrl,
  adminToken,
  rpcUrl,
  file,
}: Options): Promise<DemoIntegration> {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as DemoIntegration) : null;
  if (known && (await stillWorks(baseUrl, known))) {
    const current = { ...known, baseUrl: publicUrl, adminToken, rpcUrl };
    writePrivately(file, `${JSON.stringify(current, null, 2)}\n`);
    return current;
  }
  const admin = new AdminClient({ baseUrl, adminToken });
  const integrations = await admin.integrations.list();
  const integration =
    integrations.find((one) => one.name === NAME && one.wallet_state === "ready") ??
    (await admin.integrations.create(NAME));
  const { integration_uuid: integrationUuid } = integration;
  const contracts = await admin.contracts.list(integrationUuid);
  const contract =
    contracts.find((one) => one.state === "ready") ??
    (await admin.contracts.deploy(integrationUuid, { name: "Mintage demo", symbol: "DEMO" }));
  const { api_key: apiKey } = await admin.keys.issue(integrationUuid, { name: "npm start", role: "full" });
  const made: DemoIntegration = {
    baseUrl: publicUrl,
    integrationUuid,
    apiKey,
    contractUuid: contract.contract_uuid,
    contractAccountId: contract.account_id,
    adminToken,
    rpcUrl,
  };
  writePrivately(file, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** Whether the key of the last start is still a key of this database. */
async function stillWorks(baseUrl: string, known: DemoIntegration): Promise<boolean> {
  const client = new MintageClient({ baseUrl, apiKey: known.apiKey });
  try {
    for await (const _ of client.collections.list()) break;
    return true;
  } catch (error) {
    if (error instanceof AuthenticationError || error instanceof NotFoundError) return false;
    throw error;
  }
}

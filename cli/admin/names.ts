import type { AdminClient } from "../../client/src/admin.ts";
import { UsageError, UUID } from "../command.ts";

/** The uuid of the only integration with this name. @throws UsageError where there is none, or several */
const integrationUuid = async (admin: AdminClient, name: string): Promise<string> => {
  const found = await admin.integrations.list(name);
  const [only, ...others] = found.map(({ integration_uuid: uuid }) => uuid);
  if (only === undefined) {
    throw new UsageError(`No integration has the name "${name}". npm run admin -- integrations lists them.`);
  }
  if (others.length === 0) return only;
  throw new UsageError(
    `${found.length} integrations have the name "${name}"; give the uuid of one: ${[only, ...others].join(", ")}`,
  );
};

/** The uuid of an integration's only valid key with this name. @throws UsageError where there is none, or several */
export const keyUuid = async (admin: AdminClient, integration: string, key: string): Promise<string> => {
  if (UUID.test(key)) return key;
  const keys = await admin.keys.list(integration);
  const found = keys.filter(({ name, revoked_at: revoked }) => name === key && revoked === null);
  const [only, ...others] = found.map(({ key_uuid: uuid }) => uuid);
  if (only === undefined) {
    const names = keys.map(({ name }) => `"${name}"`).join(", ") || "none";
    throw new UsageError(`The integration has no valid key with the name "${key}". Its keys: ${names}.`);
  }
  if (others.length === 0) return only;
  throw new UsageError(
    `${found.length} valid keys have the name "${key}"; give the uuid of one: ${[only, ...others].join(", ")}`,
  );
};

/** The uuid of the contract at this account. @throws UsageError where the service has none there */
const contractUuid = async (admin: AdminClient, account: string): Promise<string> => {
  const found = await admin.contracts.at(account);
  if (found) return found.contract_uuid;
  throw new UsageError(
    `There is no contract "${account}". npm run admin -- contracts <integration> lists them.`,
  );
};

/**
 * A command's words, those as uuids that name an integration or a contract: an integration may be given by its name, a
 * contract by its account.
 * @throws UsageError where none has this name, or several have it
 */
export const withUuid = async (
  admin: AdminClient,
  { takes }: { readonly takes: string },
  words: readonly string[],
): Promise<readonly string[]> => {
  const places = [...takes.matchAll(/<([a-z-]+)>/g)].map(([, what]) => what);
  return Promise.all(
    words.map((word, place) => {
      if (UUID.test(word)) return word;
      if (places[place] === "integration") return integrationUuid(admin, word);
      return places[place] === "contract" ? contractUuid(admin, word) : word;
    }),
  );
};

import type { AdminClient } from "../../client/src/admin.ts";
import { UsageError } from "../command.ts";

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * An integration's uuid, given itself or the integration's name.
 * @throws UsageError where no integration has this name, or several have it
 */
const integrationUuid = async (admin: AdminClient, word: string): Promise<string> => {
  if (UUID.test(word)) return word;
  const found = await admin.integrations.list(word);
  const [only, ...others] = found.map(({ integration_uuid: uuid }) => uuid);
  if (only === undefined) {
    throw new UsageError(`No integration has the name "${word}". npm run admin -- integrations lists them.`);
  }
  if (others.length === 0) return only;
  throw new UsageError(
    `${found.length} integrations have the name "${word}"; give the uuid of one: ${[only, ...others].join(", ")}`,
  );
};

/** A command's words, with the uuid of the integration that the first of them names where the command takes one. */
export const withIntegration = async (
  admin: AdminClient,
  { takes }: { readonly takes: string },
  words: readonly string[],
): Promise<readonly string[]> => {
  const [first, ...rest] = words;
  if (first === undefined || !takes.startsWith("<integration>")) return words;
  return [await integrationUuid(admin, first), ...rest];
};

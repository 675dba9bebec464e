import { env } from "cloudflare:workers";
import { changeIntegration } from "../../src/api/admin/integrations.ts";
import { openDatabase } from "../../src/db/client.ts";
import type { Uuid } from "../../src/domain/ids.ts";
import { type Counter, counterOf as counterOfKey } from "../../src/http/request-counter.ts";

// What another isolate of the service does: this one, which has a key in its cache, isn't told.

export type { Counter };

/** Suspends an integration. */
export const suspendElsewhere = (integrationUuid: string): Promise<void> =>
  changeIntegration({ env, db: openDatabase(env.DB), now: () => new Date() }, integrationUuid as Uuid, {
    suspended: true,
  });

/** Revokes a key. */
export const revokeElsewhere = async (keyUuid: string): Promise<void> => {
  const revoked = env.DB.prepare("UPDATE api_keys SET revoked_at = 1 WHERE id = unhex(?)");
  await revoked.bind(keyUuid.replaceAll("-", "")).run();
};

/** The object that grants isolates a key's requests. */
export const counterOf = (keyUuid: string): Counter => counterOfKey(env, keyUuid);

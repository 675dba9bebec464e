import type { Integration, Key, KeyInput } from "../../client/src/index.ts";
import { option, UsageError } from "../command.ts";
import { readTime } from "../launch/times.ts";
import { type Command, needed } from "./command.ts";
import { limitSet, limitsShown } from "./limits.ts";
import { keyUuid } from "./names.ts";
import { listed, shown } from "./result.ts";

const integrationRow = (one: Integration) => ({
  integration: one.integration_uuid,
  name: one.name,
  state: one.state,
  wallet: one.wallet_account_id,
  "wallet is": one.wallet_state,
  created: one.created_at,
});

const keyRow = (one: Key) => ({
  key: one.key_uuid,
  name: one.name,
  prefix: one.prefix,
  scopes: one.scopes.join(" "),
  expires: one.expires_at,
  "last used": one.last_used_at,
  revoked: one.revoked_at,
});

function roleOf(text: string | undefined): "full" | "read" {
  if (text === undefined || text === "full" || text === "read") return text ?? "full";
  throw new UsageError(`--role must be full or read; it is "${text}".`);
}

/** Scopes with commas between them; the service refuses unknown ones. */
const scopesOf = (text: string) => text.split(",") as NonNullable<KeyInput["scopes"]>;

/** Commands on integrations, their limits and keys. */
export const INTEGRATION_COMMANDS: Readonly<Record<string, Command>> = {
  integrations: {
    takes: "[--deleted]",
    does: "lists integrations with their wallets, or deleted ones",
    run: async (admin, _, { deleted }) =>
      listed(await (deleted ? admin.integrations.listDeleted() : admin.integrations.list()), integrationRow),
  },
  "integration create": {
    takes: "--name TEXT",
    does: "creates an integration and its funded wallet",
    run: async (admin, _, { name }) => shown(await admin.integrations.create(needed(name, "--name"))),
  },
  "integration show": {
    takes: "<integration>",
    does: "shows one integration",
    run: async (admin, [uuid = ""]) => shown(await admin.integrations.get(uuid)),
  },
  "integration rename": {
    takes: "<integration> --name TEXT",
    does: "gives it another name",
    run: async (admin, [uuid = ""], { name }) =>
      shown(await admin.integrations.change(uuid, { name: needed(name, "--name") })),
  },
  "integration suspend": {
    takes: "<integration>",
    does: "rejects its keys until it is resumed; accepted operations continue",
    run: async (admin, [uuid = ""]) => shown(await admin.integrations.change(uuid, { suspended: true })),
  },
  "integration resume": {
    takes: "<integration>",
    does: "takes its keys again",
    run: async (admin, [uuid = ""]) => shown(await admin.integrations.change(uuid, { suspended: false })),
  },
  "integration delete": {
    takes: "<integration> [--leave-funds]",
    does: "deletes a suspended integration; what is on the chain stays",
    run: async (admin, [uuid = ""], options) =>
      shown(await admin.integrations.delete(uuid, options["leave-funds"])),
  },
  limits: {
    takes: "<integration>",
    does: "shows its limits and their current use",
    run: async (admin, [uuid = ""]) => limitsShown(await admin.limits.get(uuid)),
  },
  "payout account": {
    takes: "<integration> <account>",
    does: "sets its payout account, or removes it",
    run: async (admin, [uuid = "", account = ""]) =>
      shown(await admin.integrations.setPayoutAccount(uuid, account === "none" ? null : account)),
  },
  "limits set": {
    takes: "<integration> <limit> <value>",
    does: "sets a limit: a number (NEAR for spending_per_day), or default",
    run: async (admin, [uuid = "", name = "", value = ""]) =>
      limitsShown(await admin.limits.set(uuid, limitSet(name, value))),
  },
  keys: {
    takes: "<integration>",
    does: "lists its keys",
    run: async (admin, [uuid = ""]) => listed(await admin.keys.list(uuid), keyRow),
  },
  "key issue": {
    takes: "<integration> --name TEXT [--role full|read | --scopes LIST] [--expires TIME]",
    does: "issues a key and shows it once",
    run: async (admin, [uuid = ""], { name, role, scopes, expires }) =>
      shown(
        await admin.keys.issue(uuid, {
          name: needed(name, "--name"),
          ...((scopes === undefined || role !== undefined) && { role: roleOf(role) }),
          ...(scopes !== undefined && { scopes: scopesOf(scopes) }),
          expires_at: option("expires", expires, readTime),
        }),
      ),
  },
  "key revoke": {
    takes: "<integration> <key>",
    does: "revokes a key, by its name or its uuid",
    run: async (admin, [uuid = "", key = ""]) =>
      shown(await admin.keys.revoke(uuid, await keyUuid(admin, uuid, key))),
  },
};

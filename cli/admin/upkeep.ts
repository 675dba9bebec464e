import type { StuckTransaction } from "../../client/src/index.ts";
import { UsageError } from "../command.ts";
import { counted } from "../table.ts";
import type { Command } from "./command.ts";
import { listed, shown } from "./result.ts";
import { rotateAll } from "./secret-rotation.ts";

const stuckRow = (one: StuckTransaction) => ({
  integration: one.integration_uuid ?? "platform",
  operation: one.operation_uuid,
  step: one.step,
  state: one.state,
  transaction: one.transaction?.transaction_hash,
});

function effectOf(text: string | undefined): boolean {
  if (text === "yes" || text === "no") return text === "yes";
  throw new UsageError("--effect must be yes or no: whether the operation took effect on the chain.");
}

/** Commands on what went wrong, and on secrets. */
export const UPKEEP_COMMANDS: Readonly<Record<string, Command>> = {
  stuck: {
    takes: "",
    does: "lists transactions that need an operator",
    run: async (admin) => listed(await admin.transactions.stuck(), stuckRow),
  },
  operation: {
    takes: "<operation> [<integration>]",
    does: "shows an operation and its transactions; an archived one needs its integration",
    run: async (admin, [uuid = "", integration]) => shown(await admin.operations.get(uuid, integration)),
  },
  "operation settle": {
    takes: "<operation> [<integration>] --effect yes|no [--transaction HASH]",
    does: "ends an operation with an unknown outcome as you found it on the chain; with the transaction's hash its caller gets its results",
    run: async (admin, [uuid = "", integration], { effect, transaction }) =>
      shown(
        await admin.operations.settle(
          uuid,
          {
            had_effect: effectOf(effect),
            ...(transaction !== undefined && { transaction_hash: transaction }),
          },
          integration,
        ),
      ),
  },
  "order export": {
    takes: "<collection>",
    does: "prints the secret order of hidden assets, to be kept like WALLET_SECRETS",
    run: async (admin, [uuid = ""]) => {
      const order = await admin.collections.hiddenOrder(uuid);
      return { data: order, text: JSON.stringify(order, null, 2) };
    },
  },
  "secret rotate": {
    takes: "",
    does: "seals all wallets, webhooks and orders of hidden assets under the newest version of WALLET_SECRETS",
    run: async (admin) => {
      const rotation = await rotateAll(admin);
      const left = rotation.remaining + rotation.webhooks.remaining + rotation.reveals.remaining;
      return {
        ...shown(rotation),
        ...(left > 0 && {
          failure: `${counted(left, "secret is", "secrets are")} still sealed under an older version of WALLET_SECRETS. Keep that version, mend what the failures name, and run the command again.`,
        }),
      };
    },
  },
};

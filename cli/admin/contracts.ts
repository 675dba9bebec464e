import type { AdminClient } from "../../client/src/admin.ts";
import type { ContractWithRoles } from "../../client/src/index.ts";
import { type Command, needed } from "./command.ts";
import { handOverContract } from "./contract-hand-over.ts";
import { upgradeContracts } from "./contract-upgrade.ts";
import { listed, shown } from "./result.ts";

const contractRow = (one: ContractWithRoles) => ({
  contract: one.contract_uuid,
  account: one.account_id,
  owner: one.owner_id,
  "proposed owner": one.proposed_owner_id,
  state: one.state,
  code: one.code_hash,
});

/** Blocks between the announcement of an upgrade and the upgrade, of contracts that the service deploys: three days. */
const USUAL_DELAY = 432_000;

/** Adopts a contract, and warns of keys that could replace its code and of a short delay of upgrades. */
const adopted = async (admin: AdminClient, uuid: string, account: string) => {
  const contract = await admin.contracts.adopt(uuid, account);
  if (contract.full_access_keys.length > 0)
    process.stderr.write(
      `Delete the full-access keys of ${account}: whoever has one can deploy other code there, so nothing can be locked.\n`,
    );
  if (contract.upgrade_delay_blocks < USUAL_DELAY)
    process.stderr.write(
      `Unless its code is locked, ${account} can be upgraded after ${contract.upgrade_delay_blocks} blocks (0.6 s each) from the announcement. Contracts that the service deploys wait ${USUAL_DELAY}, three days. This delay can't be changed; mint pages show it.\n`,
    );
  return contract;
};

/** Commands on contracts. */
export const CONTRACT_COMMANDS: Readonly<Record<string, Command>> = {
  contracts: {
    takes: "<integration>",
    does: "lists its contracts and their owners",
    run: async (admin, [uuid = ""]) => listed(await admin.contracts.listWithRoles(uuid), contractRow),
  },
  "contract show": {
    takes: "<contract>",
    does: "shows one contract: code, owner, proposed owner",
    run: async (admin, [uuid = ""]) => shown(await admin.contracts.get(uuid)),
  },
  "contract deploy": {
    takes: "<integration> --name TEXT --symbol TEXT [--admin ACCOUNT]",
    does: "deploys a contract",
    run: async (admin, [uuid = ""], { name, symbol, admin: adminId }) =>
      shown(
        await admin.contracts.deploy(uuid, {
          name: needed(name, "--name"),
          symbol: needed(symbol, "--symbol"),
          ...(adminId && { admin_id: adminId }),
        }),
      ),
  },
  "contract adopt": {
    takes: "<integration> <account>",
    does: "takes over a contract after checking its code",
    run: async (admin, [uuid = "", account = ""]) => shown(await adopted(admin, uuid, account)),
  },
  "contract hand-over": {
    takes: "<contract> --to ACCOUNT [--leave] | --withdraw",
    does: "proposes another owner, who must accept; --leave removes the service as admin",
    run: (admin, [uuid = ""], options) => handOverContract(admin, uuid, options),
  },
  "contract accept": {
    takes: "<integration> <account>",
    does: "has the integration's wallet accept a contract, and takes it over",
    run: async (admin, [uuid = "", account = ""]) => {
      await admin.contracts.accept(uuid, account);
      // It was adopted before: by this command, or because it went from here to somebody who gives it back.
      const known = await admin.contracts.at(account);
      return shown(known ?? (await adopted(admin, uuid, account)));
    },
  },
  "contract upgrade": {
    takes: "[<contract>] [--all] [--dry-run]",
    does: "upgrades one contract or all to this release, or shows the plan",
    run: (admin, [uuid], options) => upgradeContracts(admin, uuid, options),
  },
};

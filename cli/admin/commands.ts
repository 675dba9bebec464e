import type { Command } from "./command.ts";
import { CONTRACT_COMMANDS } from "./contracts.ts";
import { INTEGRATION_COMMANDS } from "./integrations.ts";
import { UPKEEP_COMMANDS } from "./upkeep.ts";
import { WALLET_COMMANDS } from "./wallets.ts";

/** Every command by the words that call it. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...INTEGRATION_COMMANDS,
  ...WALLET_COMMANDS,
  ...CONTRACT_COMMANDS,
  ...UPKEEP_COMMANDS,
};

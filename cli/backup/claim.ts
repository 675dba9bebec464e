import { claimState, LEFTOVERS } from "../../scripts/state-claim.ts";
import { UsageError } from "../command.ts";

/**
 * Claims the data of npm start until this process ends, once nothing of a start that was killed writes to it any more.
 * @param why what the data has to lie still for
 * @throws UsageError while a service runs on it
 */
export async function claimStill(stateDir: string, why: string): Promise<void> {
  const claimed = claimState(stateDir);
  if (claimed === null) {
    throw new UsageError(
      `Mintage runs on ${stateDir}. End npm start first (Ctrl-C in its terminal), ${why}.`,
    );
  }
  if (!claimed.killed) return;
  process.stderr.write(`The last npm start was killed; what it left ends within ${LEFTOVERS / 1000} s …\n`);
  await new Promise((resolve) => setTimeout(resolve, LEFTOVERS));
}

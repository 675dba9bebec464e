import type { ClientOptions } from "../client/src/index.ts";

/** Says that a call is sent again. */
export const tellRetry: NonNullable<ClientOptions["onRetry"]> = ({ reason, pauseMs }) => {
  process.stderr.write(`\n${reason} Again in ${(pauseMs / 1000).toFixed(1)} s.\n`);
};

import { openContext, type ServiceContext } from "../context.ts";
import { logLine } from "../domain/log-line.ts";

/** A logger that writes one JSON object a line, each with `fields`. Nothing secret is ever passed to it. */
export const logger =
  (fields: Readonly<Record<string, unknown>>): ServiceContext["log"] =>
  (event, more = {}) => {
    const line = logLine(new Date(), event, { ...fields, ...more });
    if ("error" in more) console.error(line);
    else console.log(line);
  };

/** A context whose log lines carry `fields`. */
export const loggedContext = (
  env: Env,
  execution: Pick<ExecutionContext, "waitUntil">,
  fields: Readonly<Record<string, unknown>>,
): ServiceContext => openContext(env, logger(fields), (work) => execution.waitUntil(work));

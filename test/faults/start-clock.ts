/** Imported first by the Worker under faults, so that nothing of it ever sees the machine's clock. */
import { env } from "cloudflare:workers";
import { type Clock, goBy } from "./clock.ts";

/** The machine's clock, and this run's. */
export const realNow = Date.now.bind(Date);
export const clock = JSON.parse((env as unknown as { FAULT_CLOCK: string }).FAULT_CLOCK) as Clock;
goBy(clock);

/** `npm run check`: types and lint, without the tests. */
import { runStaticSteps } from "./steps.ts";

const failures = await runStaticSteps();
process.exit(failures.length === 0 ? 0 : 1);

/** `npm run check`: types and lint, without the tests. */
import { runStep, STATIC_STEPS } from "./steps.ts";

const failed = STATIC_STEPS.filter((step) => !runStep(step));
process.exit(failed.length === 0 ? 0 : 1);

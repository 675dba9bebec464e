/** `npm run test:pages`: the pages for collectors in a real browser. Arguments go to vitest. */
import { runStep } from "./steps.ts";

const passed = runStep({
  name: "pages in a browser",
  command: ["vitest", "run", "--project", "pages", ...process.argv.slice(2)],
});
process.exit(passed ? 0 : 1);

/** `npm run admin -- …`: what an operator does, from a terminal. */
import { readCall, USAGE } from "./admin/call.ts";
import { withUuid } from "./admin/names.ts";
import { commandAdmin, run } from "./command.ts";

await run(async () => {
  const call = readCall(process.argv.slice(2));
  if (call === null) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const { command, words, options, isJson } = call;
  const admin = commandAdmin();
  const result = await command.run(admin, await withUuid(admin, command, words), options);
  process.stdout.write(`${isJson ? JSON.stringify(result.data) : result.text}\n`);
  if (result.failure !== undefined) {
    process.stderr.write(`${result.failure}\n`);
    process.exitCode = 1;
  }
});

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT } from "../support/imports.ts";

/** `npx vitest run --project unit test/unit/client-types.test.ts -u` writes them again. */
test("the client's types are those of the OpenAPI document", async () => {
  const { stdout, stderr, status } = spawnSync("node", ["tools/client-types/main.ts"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(status, stderr).toBe(0);
  await expect(stdout).toMatchFileSnapshot("../../client/src/schema.ts");
});

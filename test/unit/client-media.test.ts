import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/imports.ts";

/**
 * The published client imports nothing of the project; `npx vitest run --project unit test/unit/client-media.test.ts
 * -u` copies it again.
 */
test("the client recognises media files as the service does", async () => {
  const service = readFileSync(join(ROOT, "src/domain/media-sniffing.ts"), "utf8");
  await expect(`// A copy of the service's own.\n\n${service}`).toMatchFileSnapshot(
    "../../client/src/folder/media-sniffing.ts",
  );
});

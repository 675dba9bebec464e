import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OPERATION_KINDS } from "../../src/domain/operations.ts";
import { ROOT } from "../support/imports.ts";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

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

test("the client has a method for each address of the API", () => {
  const documented = read("client/src/schema.ts").matchAll(/^ {4}"\/api\/v1(\/[^"]*)": \{$/gm);
  const files = readdirSync(join(ROOT, "client/src")).filter(
    (file) => file.endsWith(".ts") && file !== "schema.ts",
  );
  // An address ends where its text does, or at a query.
  const called = files
    .map((file) => read(`client/src/${file}`))
    .join("\n")
    .replaceAll(/\$\{[^}]+\}/g, "{}");
  const missing = Array.from(documented, ([, path = ""]) => path).filter(
    (path) =>
      !["`", '"', "?", "{}"].some((end) => called.includes(`${path.replaceAll(/\{\w+\}/g, "{}")}${end}`)),
  );
  expect(missing).toEqual([]);
});

test("docs/transactions.md lists the steps of each kind of operation", () => {
  const table = read("docs/transactions.md").split("## Kinds and their steps")[1] ?? "";
  expect(
    OPERATION_KINDS.filter((kind) => !table.includes(`\`${kind.replace(/^allowlist_.*/, "allowlist_…")}\``)),
  ).toEqual([]);
});

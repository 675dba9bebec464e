import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFormerRelease } from "../../src/domain/contract-releases.ts";
import { ROOT } from "../support/imports.ts";

const digestOf = (path: string) =>
  createHash("sha256")
    .update(readFileSync(join(ROOT, "contract", path)))
    .digest("hex");

test("the build that the upgrade tests start from is of a former release, and differs from the present one", () => {
  expect(isFormerRelease(digestOf("harness/fixtures/previous.wasm"))).toBe(true);
  expect(isFormerRelease(digestOf("wasm/mintage.wasm"))).toBe(false);
});

import { expect, test } from "vitest";
import { readDocument } from "../support/openapi.ts";
import { apiReference, errorReference } from "../support/reference.ts";

/**
 * docs/api.md and docs/errors.md are written by this test: `npx vitest run --project api test/api/reference.test.ts
 * -u` updates them. Without `-u` it fails if they are out of date.
 */

test("docs/api.md is generated from the OpenAPI document", async () => {
  await expect(apiReference(await readDocument())).toMatchFileSnapshot("../../docs/api.md");
});

test("docs/errors.md has every error code", async () => {
  await expect(errorReference()).toMatchFileSnapshot("../../docs/errors.md");
});

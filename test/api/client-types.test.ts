import { expect, test } from "vitest";
import { type OpenApiDocument, typesOf } from "../../tools/openapi-types.ts";
import { api, bodyOf } from "../support/api.ts";

/** `npx vitest run --project api test/api/client-types.test.ts -u` writes them anew. */
test("the client's types are those of the OpenAPI document", async () => {
  const document = await bodyOf<OpenApiDocument>(await api("/openapi.json"), 200);
  await expect(typesOf(document)).toMatchFileSnapshot("../../client/src/schema.ts");
});

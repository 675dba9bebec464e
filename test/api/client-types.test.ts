import { expect, test } from "vitest";
import written from "../../client/src/schema.ts?raw";
import { type OpenApiDocument, typesOf } from "../../scripts/openapi-types.ts";
import { api, bodyOf } from "../support/api.ts";

test("the client's types are those of the OpenAPI document (scripts/client-types.ts writes them anew)", async () => {
  const document = await bodyOf<OpenApiDocument>(await api("/openapi.json"), 200);
  expect(written).toBe(typesOf(document));
});

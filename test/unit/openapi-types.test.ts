import { expect, test } from "vitest";
import { typesOf } from "../../tools/openapi-types.ts";

test("components and operations become types", () => {
  const document = {
    components: {
      schemas: {
        Draft: {
          type: "object",
          description: "A draft.",
          properties: {
            title: { type: "string" },
            fee: { type: ["string", "null"], description: "yoctoNEAR." },
            state: { enum: ["draft", "finalized"] },
            royalties: { type: "object", additionalProperties: { type: "number" } },
            next: { anyOf: [{ $ref: "#/components/schemas/Draft" }, { type: "null" }] },
            "content-type": { type: "array", items: { type: "integer" } },
          },
          required: ["title", "fee"],
        },
      },
    },
    paths: {
      "/draft/{id}": {
        put: {
          operationId: "updateDraft",
          summary: "Changes a draft",
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "string" } },
            { name: "limit", in: "query", schema: { type: "integer" } },
          ],
          requestBody: {
            content: { "application/json": { schema: { $ref: "#/components/schemas/Draft" } } },
          },
          responses: {
            200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Draft" } } } },
            400: {},
          },
        },
      },
    },
  };
  expect(
    typesOf(document),
  ).toBe(`/* Made from /openapi.json; test/api/client-types.test.ts keeps it in step and writes it anew. */

/** A draft. */
export type Draft = {
  title: string;
  /** yoctoNEAR. */
  fee: string | null;
  state?: "draft" | "finalized";
  royalties?: Record<string, number>;
  next?: Draft | null;
  "content-type"?: Array<number>;
};

/** Every operation by its id: what it takes and what it answers. */
export interface Operations {
  /** Changes a draft */
  updateDraft: {
    method: "PUT";
    path: "/draft/{id}";
    query: {
      limit?: number;
    };
    body: Draft;
    answer: Draft;
  };
}
`);
});

test("a schema that can't be expressed is an error, not a guess", () => {
  const document = { components: { schemas: { Odd: { type: "tuple" } } }, paths: {} };
  expect(() => typesOf(document)).toThrow("tuple");
});

type Json = Readonly<Record<string, unknown>>;

/** As much of an OpenAPI document as is read here. */
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Json };
}

interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: unknown; readonly example?: unknown }>>;
  };
}

/** A schema with those that it refers to in place; the schemas of request bodies have no cycles. */
const inlined = (schema: unknown, schemas: Json): unknown => {
  if (Array.isArray(schema)) return schema.map((entry) => inlined(entry, schemas));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref: reference } = schema as { readonly $ref?: string };
  if (reference !== undefined) return inlined(schemas[reference.split("/").at(-1)!], schemas);
  return Object.fromEntries(Object.entries(schema).map(([name, field]) => [name, inlined(field, schemas)]));
};

/** As much of a field's schema as its short form has. */
interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly { readonly type?: string }[];
  readonly description?: string;
}

/** A body's fields, a line each. */
const fieldsOf = (body: unknown): Json => {
  const { properties = {}, required = [] } = (body ?? {}) as {
    readonly properties?: Readonly<Record<string, FieldSchema>>;
    readonly required?: readonly string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, anyOf, description = "" }]) => {
      const types = type ?? anyOf?.map((option) => option.type) ?? "any";
      const need = required.includes(name) ? "required " : "";
      return [name, `${need}${[types].flat().join(" or ")}. ${description}`.trim()];
    }),
  );
};

/**
 * A write as the API's document describes it: what it does, its ids, its body's fields and an example.
 * @param isFull whether with the body's whole schema
 */
export const describeOperation = (document: unknown, operationId: string, isFull: boolean) => {
  const { paths, components } = document as ApiDocument;
  const all = Object.values(paths).flatMap((methods) => Object.values(methods));
  const found = all.find((operation) => operation.operationId === operationId)!;
  const { summary, description, parameters = [], requestBody } = found;
  const content = requestBody?.content["application/json"];
  const body = inlined(content?.schema, components.schemas);
  const ids = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  return {
    ...{ write: operationId, summary, description, ids, example: content?.example },
    ...(isFull ? { body } : { fields: fieldsOf(body), more: "With full: true the schema of the body." }),
  };
};

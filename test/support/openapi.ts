import { Validator } from "@cfworker/json-schema";
import { api, bodyOf } from "./api.ts";

/** The parts of a JSON Schema that tests need. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly default?: unknown;
  /** Schema of the JSON that a text holds. */
  readonly contentSchema?: JsonSchema;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly example?: unknown;
}

interface Media {
  readonly schema?: JsonSchema;
  readonly example?: unknown;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

/** An operation with its address. */
export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly headers?: Readonly<Record<string, unknown>>;
        readonly content?: Readonly<Record<string, Media>>;
      }
    >
  >;
}

/** The service's own document. */
export interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, "path" | "method">>>>>;
  /** What the service sends, by the types of events. */
  readonly webhooks: OpenApi["paths"];
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** Reads the document from the service. */
export const readDocument = async (): Promise<OpenApi> => bodyOf<OpenApi>(await api("/openapi.json"), 200);

/** All operations of a document. */
export const operationsOf = (document: OpenApi): Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );

/** Follows a reference. */
export const resolved = (document: OpenApi, schema: JsonSchema): JsonSchema => {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : resolved(document, document.components.schemas[name]!);
};

/** What is wrong with a JSON body by the document's schema for it; empty if nothing is. */
export const problemsOf = (document: OpenApi, schema: JsonSchema, body: unknown): string[] => {
  const root = { ...schema, components: document.components } as ConstructorParameters<typeof Validator>[0];
  const result = new Validator(root, "2020-12", false).validate(body);
  return result.errors.map((error) => `${error.instanceLocation}: ${error.error}`);
};

/** Compares an answer with the document: status, media type, and the body's schema. Returns what is wrong. */
export const undocumented = async (
  document: OpenApi,
  operation: Operation,
  response: Response,
): Promise<string[]> => {
  const said = operation.responses[String(response.status)];
  const text = await response.text();
  if (!said) return [`status ${response.status} is not documented: ${text.slice(0, 300)}`];
  if (!said.content) return text === "" ? [] : [`a body where none is documented: ${text.slice(0, 300)}`];
  const type = response.headers.get("content-type")?.split(";")[0] ?? "none";
  const media = said.content[type];
  if (!media) return [`media type ${type} is not documented`];
  if (!media.schema) return [];
  const body = /\bjson$/.test(type) ? (JSON.parse(text) as unknown) : text;
  return [...problemsOf(document, media.schema, body), ...misplaced(document, media.schema, body)];
};

/** Fields of an answer in another order than the document's. People who read raw JSON rely on the order. */
const misplaced = (document: OpenApi, schema: JsonSchema, body: unknown): string[] => {
  const { items, properties = {} } = resolved(document, schema);
  if (Array.isArray(body)) return items ? body.flatMap((item) => misplaced(document, items, item)) : [];
  if (typeof body !== "object" || body === null) return [];
  const fields = Object.keys(body);
  const documented = Object.keys(properties).filter((name) => fields.includes(name));
  const order = fields.filter((name) => documented.includes(name)).join(", ");
  const wrong = order === documented.join(", ") ? [] : [`the order of fields is ${order}`];
  const nested = Object.entries(properties).flatMap(([name, property]) =>
    misplaced(document, property, (body as Record<string, unknown>)[name]),
  );
  return [...wrong, ...nested];
};

/** Turns the OpenAPI document into the types of the client: one name a component, one entry an operation. */

type Schema = boolean | SchemaObject;
interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** The part of an OpenAPI 3.1 document that types are made from. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const HEADER = `/* Made from /openapi.json; test/api/client-types.test.ts keeps it in step and writes it anew. */

`;
const METHODS = ["get", "post", "put", "delete", "patch"];

/**
 * The client's types.
 * @throws Error at a part of JSON Schema that it doesn't know, rather than guess a type
 */
export function typesOf(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components?.schemas ?? {}).toSorted(byName);
  const components = schemas.map(
    ([name, schema]) => `${comment(schema, "")}export type ${identifier(name)} = ${typeOf(schema, "")};\n`,
  );
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      METHODS.flatMap((method) => {
        const operation = methods[method] as Operation | undefined;
        return operation?.operationId ? [operationType(path, method, operation, operation.operationId)] : [];
      }),
    )
    .toSorted();
  return `${HEADER}${components.join("\n")}\n/** Every operation by its id: what it takes and what it answers. */\nexport interface Operations {\n${operations.join("")}}\n`;
}

function operationType(path: string, method: string, operation: Operation, id: string): string {
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status === "200" || status === "201")
    .map(([, response]) => jsonType(response));
  const lines = [
    `    method: ${JSON.stringify(method.toUpperCase())};`,
    `    path: ${JSON.stringify(path)};`,
    `    query: ${query.length > 0 ? objectOf(query, "    ") : "never"};`,
    `    body: ${operation.requestBody ? jsonType(operation.requestBody) : "never"};`,
    `    answer: ${unionOf(answers)};`,
  ];
  return `${comment({ description: operation.summary }, "  ")}  ${key(id)}: {\n${lines.join("\n")}\n  };\n`;
}

/** Schema of the JSON content; other content is none that a type could say. */
function jsonType(content: Content): string {
  const schema = content.content?.["application/json"]?.schema;
  return schema === undefined ? "unknown" : typeOf(schema, "    ");
}

function objectOf(parameters: readonly Parameter[], indent: string): string {
  const lines = parameters.map(
    ({ name, required, schema, description }) =>
      `${comment({ description }, `${indent}  `)}${indent}  ${key(name)}${required ? "" : "?"}: ${typeOf(schema ?? true, `${indent}  `)};`,
  );
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema === true) return "unknown";
  if (schema === false) return "never";
  if (schema.$ref !== undefined) return identifier(schema.$ref.split("/").at(-1) ?? "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return unionOf(alternatives.map((part) => typeOf(part, indent)));
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part, indent)})`).join(" & ");
  if (Array.isArray(schema.type)) {
    return unionOf(schema.type.map((type: string) => typeOf({ ...schema, type }, indent)));
  }
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return arrayType(schema, indent);
    case "object":
      return objectType(schema, indent);
    case undefined:
      return schema.properties ? objectType(schema, indent) : "unknown";
    default:
      throw new Error(`a schema has the type ${String(schema.type)}, which has no counterpart yet`);
  }
}

function arrayType(schema: SchemaObject, indent: string): string {
  if (schema.prefixItems) return `[${schema.prefixItems.map((item) => typeOf(item, indent)).join(", ")}]`;
  return `Array<${typeOf(schema.items ?? true, indent)}>`;
}

function objectType(schema: SchemaObject, indent: string): string {
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, value]) =>
      `${comment(value, inner)}${inner}${key(name)}${required.has(name) ? "" : "?"}: ${typeOf(value, inner)};`,
  );
  const rest = schema.additionalProperties;
  if (fields.length === 0) {
    return rest === undefined || rest === true || rest === false || Object.keys(rest).length === 0
      ? "Record<string, unknown>"
      : `Record<string, ${typeOf(rest, indent)}>`;
  }
  return `{\n${fields.join("\n")}\n${indent}}`;
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);
const unionOf = (types: readonly string[]) => [...new Set(types)].join(" | ") || "never";
const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function identifier(name: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(name))
    throw new Error(`a component is called ${name}, which is no name for a type`);
  return name;
}

function comment(schema: Schema, indent: string): string {
  const text = typeof schema === "object" ? schema.description : undefined;
  return text ? `${indent}/** ${text.replaceAll("*/", "*\\/").replaceAll(/\s+/g, " ").trim()} */\n` : "";
}

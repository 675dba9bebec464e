import { z } from "@hono/zod-openapi";
import { TrieRouter } from "hono/router/trie-router";
import { isUuid } from "../../domain/ids.ts";
import type { Issue } from "../../domain/issues.ts";
import { type Definition, errorSchema } from "../endpoint.ts";
import { API_ENDPOINTS } from "../index.ts";

/** As much of a JSON Schema as says which texts a value has. */
interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** A text that somebody else wrote, as results show it. */
export const untrusted = (text: string) => ({ untrusted_text: text });

const jsonSchema = (schema: z.ZodType, io: "input" | "output") =>
  z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Schema;

const schemas = new WeakMap<z.ZodType, Schema>();

const schemaOf = (view: z.ZodType): Schema => {
  const schema = schemas.get(view) ?? jsonSchema(view, "output");
  schemas.set(view, schema);
  return schema;
};

/** What a request or an answer has. */
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: z.ZodType } | undefined>>;
}

const jsonOf = (part: unknown): z.ZodType | undefined =>
  (part as Content).content?.["application/json"]?.schema;

const successOf = ({ success }: Definition): Schema[] =>
  Object.values(success).flatMap((answer) => {
    const view = jsonOf(answer);
    return view ? [schemaOf(view)] : [];
  });

const routes = new TrieRouter<Definition>();
for (const { definition } of API_ENDPOINTS) {
  const path = definition.path.replaceAll(/\{(\w+)\}/g, ":$1");
  routes.add(definition.method.toUpperCase(), path, definition);
}

/** Numbers, times and NFT ids. */
const WORDLESS = /^[\d.:+TZ-]*$/;

/** Whether a text has a form in which nobody else's words are, by itself or by one of these schemas. */
const isFormed = (text: string, options: readonly Schema[]): boolean =>
  WORDLESS.test(text) ||
  isUuid(text) ||
  options.some(
    ({ pattern, enum: names, const: only }) =>
      names?.includes(text) || only === text || (pattern !== undefined && new RegExp(pattern).test(text)),
  );

/** The schemas that a value may have; none: what a write was answered, which the schema of operations leaves open. */
const optionsOf = (schema: Schema): readonly Schema[] => {
  const options = schema.anyOf?.flatMap(optionsOf) ?? [schema];
  return Object.keys(schema).length > 0 ? options : writeAnswers();
};

const writeAnswers = (): readonly Schema[] => [
  schemaOf(errorSchema),
  ...API_ENDPOINTS.filter(({ definition }) => definition.operation).flatMap(({ definition }) =>
    successOf(definition),
  ),
];

const markedBy = (value: unknown, given: readonly Schema[]): unknown => {
  const options = given.flatMap(optionsOf);
  if (typeof value === "string") return isFormed(value, options) ? value : untrusted(value);
  if (Array.isArray(value)) {
    const items = options.flatMap((option) => option.items ?? []);
    return value.map((entry) => markedBy(entry, items));
  }
  if (typeof value !== "object" || value === null) return value;
  const names = options.flatMap((option) => option.propertyNames ?? []);
  const fields: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const own = options.flatMap((option) => option.properties?.[name] ?? []);
    // A name of which the schema says nothing may be a sentence as well.
    if (own.length === 0 && !isFormed(name, names)) return untrusted(JSON.stringify(value));
    const others = options.flatMap(({ additionalProperties: more }) =>
      typeof more === "object" ? more : [],
    );
    fields.push([name, markedBy(field, own.length > 0 ? own : others)]);
  }
  return Object.fromEntries(fields);
};

/** An answer of the API in which each text is marked that its schema gives no form: others may have written it. */
export const markedAnswer = <Body>(method: string, path: string, body: unknown): Body => {
  const [pathname] = path.split("?");
  const definition = routes.match(method, pathname!)[0][0]?.[0];
  return markedBy(body, definition ? successOf(definition) : []) as Body;
};

/** Names of fields that requests have. */
const fieldNames = (schema: Schema): string[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [name, ...fieldNames(field)]),
  ...[schema.items ?? [], ...(schema.anyOf ?? [])].flat().flatMap(fieldNames),
];

let requestNames: ReadonlySet<string> | undefined;

const namesOfRequests = (): ReadonlySet<string> => {
  requestNames ??= new Set(
    API_ENDPOINTS.flatMap(({ definition: { request } }) =>
      [jsonOf(request?.body ?? {}), request?.query, request?.params]
        .filter((schema) => schema instanceof z.ZodType)
        .flatMap((schema) => fieldNames(jsonSchema(schema, "input"))),
    ),
  );
  return requestNames;
};

/** An error's body, marked like an answer. @param known names of fields beside those of requests */
export const markedError = (
  { issues, ...rest }: { readonly issues?: readonly Issue[]; readonly [field: string]: unknown },
  known: readonly string[],
): object => {
  const isOwn = (name: Issue["path"][number]) =>
    typeof name === "number" || known.includes(name) || namesOfRequests().has(name);
  const shown = issues?.map(({ path, message }) => ({
    path: path.map((name) => (isOwn(name) ? name : untrusted(String(name)))),
    message: untrusted(message),
  }));
  return { ...(markedBy(rest, [schemaOf(errorSchema)]) as object), ...(shown && { issues: shown }) };
};

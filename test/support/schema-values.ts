import fc from "fast-check";
import { type JsonSchema, type OpenApi, resolved } from "./openapi.ts";

/** Values that a schema allows, and values close to them that it doesn't. */

const INSTANT = fc
  .date({ min: new Date(0), max: new Date("2100-01-01T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Addresses that lead nowhere, because tests must not fetch anything. */
const ADDRESSES = [
  "https://nothing.invalid/a.png",
  "https://127.0.0.1/",
  "http://mintage.test/ipfs/x",
  "https://x",
];

const ACCOUNTS = [
  "alice.near",
  "a".repeat(64),
  "0xabcdefabcdefabcdefabcdefabcdefabcdefabcd",
  "00",
  "platform.test",
];

/** Strings of a schema: by format, by pattern, by length. */
const strings = (schema: JsonSchema): fc.Arbitrary<string> => {
  const { minLength = 0, maxLength = 40 } = schema;
  if (schema.format === "uuid") return fc.uuid();
  if (schema.format === "date-time") return INSTANT;
  if (schema.format === "uri") return fc.constantFrom(...ADDRESSES);
  if (schema.pattern?.includes("[-_]")) return fc.constantFrom(...ACCOUNTS);
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  const long = fc.constantFrom(minLength, maxLength, maxLength + 1).map((length) => "ü".repeat(length));
  const short = fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 40) });
  return fc.oneof(
    { weight: 5, arbitrary: short },
    { weight: 1, arbitrary: long },
    { weight: 1, arbitrary: JSON_TEXT },
  );
};

const JSON_TEXT = fc.json({ maxDepth: 1 });

const objects = (document: OpenApi, schema: JsonSchema): fc.Arbitrary<unknown> => {
  const { properties, additionalProperties } = schema;
  if (properties === undefined) {
    const values =
      typeof additionalProperties === "object" ? valuesOf(document, additionalProperties) : fc.jsonValue();
    return fc.dictionary(fc.constantFrom(...ACCOUNTS), values, { maxKeys: 4 });
  }
  const known = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, valuesOf(document, value)]),
  );
  return fc.record(known, { requiredKeys: [...(schema.required ?? [])] });
};

const ofType = (document: OpenApi, schema: JsonSchema, type: string): fc.Arbitrary<unknown> => {
  const { minimum = 0, maximum = 1_000_000 } = schema;
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.oneof(
        fc.integer({ min: minimum, max: Math.min(maximum, 30) }),
        fc.constantFrom(minimum, maximum),
      );
    case "number":
      // Shares of 100% each would always exceed the sum's limit.
      return fc.integer({ min: 1, max: Math.min(maximum, 20) * 100 }).map((hundredths) => hundredths / 100);
    case "string":
      return strings(schema);
    case "array":
      return fc.array(valuesOf(document, schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: 4,
      });
    case "object":
      return objects(document, schema);
    default:
      return fc.jsonValue();
  }
};

/** Values that a schema allows, nearly always. */
export const valuesOf = (document: OpenApi, given: JsonSchema): fc.Arbitrary<unknown> => {
  const schema = resolved(document, given);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((option) => valuesOf(document, option)));
  const types = [schema.type ?? "any"].flat();
  return fc.oneof(...types.map((type) => ofType(document, schema, type)));
};

const NAMES = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom("__proto__", "constructor", "toString", ""),
);

/** A value with one field replaced, removed or added. Values without fields don't change. */
const spoiled = (value: unknown): fc.Arbitrary<unknown> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fc.jsonValue();
  const keys = Object.keys(value);
  const extra = fc.tuple(NAMES, fc.jsonValue()).map(([name, more]) => ({ ...value, [name]: more }));
  if (keys.length === 0) return extra;
  const replaced = fc
    .tuple(fc.constantFrom(...keys), fc.jsonValue())
    .map(([key, other]) => ({ ...value, [key]: other }));
  const removed = fc.constantFrom(...keys).map((key) => ({ ...value, [key]: undefined }));
  return fc.oneof(replaced, removed, extra);
};

/** Bodies for a schema: valid, nearly valid, and arbitrary ones. */
export const bodiesFor = (document: OpenApi, schema: JsonSchema): fc.Arbitrary<unknown> => {
  const right = valuesOf(document, schema);
  return fc.oneof(
    { weight: 4, arbitrary: right },
    { weight: 4, arbitrary: right.chain(spoiled) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
};

import { spawnSync } from "node:child_process";
import { createConfig, lintFromString, stringifyYaml } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "../support/imports.ts";

/** The OpenAPI document by two validators that share no code: one by the standard's JSON schema, one by its own rules. */

let text: string;

beforeAll(() => {
  const program =
    'import { document } from "./tools/client-types/document.ts"; process.stdout.write(JSON.stringify(document));';
  const args = ["--input-type=module", "-e", program];
  const { stdout, stderr, status } = spawnSync("node", args, {
    ...{ cwd: ROOT, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 },
  });
  if (status !== 0) throw new Error(stderr);
  // As it is served: with the address that was asked.
  text = JSON.stringify({ ...JSON.parse(stdout), servers: [{ url: "https://mint.example.com" }] });
}, 120_000);

/** What each of them finds; empty if nothing. */
const schemaProblems = async (source: string) =>
  (await new Validator().validate(JSON.parse(source))).errors ?? [];

const ruleProblems = async (source: string) => {
  const rules = {
    struct: "error",
    "no-unresolved-refs": "error",
    "operation-operationId-unique": "error",
    "operation-parameters-unique": "error",
    "path-parameters-defined": "error",
    "no-identical-paths": "error",
    "no-schema-type-mismatch": "error",
    "security-defined": "error",
  } as const;
  const found = await lintFromString({ source, config: await createConfig(stringifyYaml({ rules })) });
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
};

test("two independent validators accept the OpenAPI document", async () => {
  expect(await schemaProblems(text)).toEqual([]);
  expect(await ruleProblems(text)).toEqual([]);
});

test("both validators find a parameter in an unknown place", async () => {
  const broken = text.replace('"in":"path"', '"in":"nowhere"');
  expect(broken).not.toBe(text);
  expect(await schemaProblems(broken)).not.toEqual([]);
  expect(await ruleProblems(broken)).not.toEqual([]);
});

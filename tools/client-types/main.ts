/** Prints the client's types. test/unit/client-types.test.ts keeps client/src/schema.ts equal to them. */
import openapiTypes, { astToString, type OpenAPI3 } from "openapi-typescript";
import { document } from "./document.ts";

const HEADER = "/* Made from the OpenAPI document by tools/client-types. Don't edit. */\n\n";

/** Errors are left out: each has the component `Error` as its body. */
function withoutErrors(whole: OpenAPI3): OpenAPI3 {
  for (const item of Object.values(whole.paths ?? {})) {
    for (const operation of Object.values(item)) {
      for (const status of Object.keys(operation.responses ?? {})) {
        if (!status.startsWith("2")) delete operation.responses[status];
      }
    }
  }
  return whole;
}

const types = await openapiTypes(withoutErrors(document), {
  alphabetize: true,
  defaultNonNullable: false,
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
});
process.stdout.write(HEADER + astToString(types));

/**
 * Writes client/src/schema.ts from the service's own OpenAPI document: `node scripts/client-types.ts [address]`, with
 * the service running there (default http://localhost:8787).
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./local-settings.ts";
import { type OpenApiDocument, typesOf } from "./openapi-types.ts";

const base = process.argv[2] ?? "http://localhost:8787";
const response = await fetch(new URL("/openapi.json", base));
if (!response.ok) throw new Error(`${base}/openapi.json answered ${response.status}`);
writeFileSync(join(ROOT, "client", "src", "schema.ts"), typesOf((await response.json()) as OpenApiDocument));

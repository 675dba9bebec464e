/** The service's OpenAPI document without a running service: the app's own routes make it. */
import { registerHooks } from "node:module";

/** Modules that only workerd or wrangler's bundler has. The document needs none of what they do. */
const STUBS: readonly (readonly [RegExp, string])[] = [
  [/^cloudflare:/, "export class DurableObject {} export class WorkerEntrypoint {}"],
  [/\.wasm$/, "export default new ArrayBuffer(0);"],
  // Node runs no JSX; pages add nothing to the document.
  [
    /\/src\/api\/pages\/routes\.ts$/,
    "export const servePages = () => {}; export const otherAddress = () => {};",
  ],
  [/\/src\/operator\/page\.tsx$/, "export const serveOperatorPage = () => {};"],
];

registerHooks({
  resolve(specifier, context, next) {
    return specifier.startsWith("cloudflare:")
      ? { url: specifier, shortCircuit: true }
      : next(specifier, context);
  },
  load(url, context, next) {
    const stub = STUBS.find(([pattern]) => pattern.test(url));
    return stub ? { format: "module", source: stub[1], shortCircuit: true } : next(url, context);
  },
});

const { app } = await import("../../src/app.ts");
const { ABOUT } = await import("../../src/api/openapi.ts");

/** Written out and parsed, as a client receives it, but for its servers, which are the address that is asked. */
export const document = JSON.parse(JSON.stringify(app.getOpenAPI31Document(ABOUT)));

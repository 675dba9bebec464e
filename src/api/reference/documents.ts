import type { Context } from "hono";
import { type AppEnv, baseUrl } from "../../http/app-env.ts";
import { noSuchAddress } from "../../http/error-responses.ts";
import type { Api } from "../endpoint.ts";
import { withServedLinks } from "./served-links.ts";

/** Documents for who uses the service, by the names of their files in docs/, with what each is about. */
const FOR_USERS: Readonly<Record<string, string>> = {
  near: "NEAR for people who know web APIs: accounts, gas, finality",
  api: "Every endpoint with its fields, examples, limits and conventions",
  keys: "Scopes and limits of keys, their rotation, and the audit log",
  agents: "POST /mcp: the Model Context Protocol's tools, and what protects the money",
  outcomes: "What to do after each outcome of a request",
  errors: "The closed list of error codes, with causes and remedies",
  webhooks: "Events by page, long poll, stream and signed webhooks",
  launching: "Launching a collection from a folder of pictures",
  pages: "The pages for collectors: mint, gallery, claim links",
};

/** Documents for who runs or changes the service. */
const FOR_OPERATORS =
  "deploying running scaling architecture transactions storage contract design devchain measurements glossary";

const linked = (base: string, name: string): string => `[${name}](${base}/docs/${name}.md)`;

/** https://llmstxt.org */
const llmsText = (base: string): string => `# Mintage

> An open-source service that makes NFT collections on NEAR: an HTTP API with exactly-once writes, and tools for agents.

The base of the API is ${base}/api/v1, its OpenAPI document ${base}/openapi.json. All documents for users in one file: ${base}/llms-full.txt

## For users

${Object.entries(FOR_USERS)
  .map(([name, about]) => `- ${linked(base, name)}: ${about}`)
  .join("\n")}

## Optional

${FOR_OPERATORS.split(" ")
  .map((name) => `- ${linked(base, name)}`)
  .join("\n")}
`;

const CACHED = "public, max-age=3600";
const TEXT = { "Content-Type": "text/markdown; charset=utf-8", "Cache-Control": CACHED };

/** A file of docs/, which `[assets]` of wrangler.toml serves to the Worker. @throws ServiceError not_found */
const fileOf = async (c: Context<AppEnv>, name: string, like = c.req.raw): Promise<Response> => {
  const asset = await c.env.ASSETS.fetch(new Request(new URL(`/${name}`, c.req.url), like));
  if (asset.status === 404) throw noSuchAddress();
  const answer = new Response(asset.body, asset);
  answer.headers.set("Cache-Control", CACHED);
  return answer;
};

/** A text of several documents, whose links to other documents name their addresses. */
const absoluteLinks = (text: string, base: string): string =>
  text.replaceAll(/\]\((?!https?:|#|\/)/g, `](${base}/docs/`);

/** Serves the files of docs/ at /docs/, with the reference's script, and lists them for language models. */
export const serveDocuments = (api: Api): void => {
  api.get("/llms.txt", (c) => c.text(llmsText(baseUrl(c)), 200, TEXT));
  api.get("/llms-full.txt", async (c) => {
    // Without the caller's headers: a condition or a range is about another file.
    const plain = new Request(c.req.url);
    const names = Object.keys(FOR_USERS);
    const files = await Promise.all(names.map(async (name) => (await fileOf(c, `${name}.md`, plain)).text()));
    return c.body(absoluteLinks(withServedLinks(files.join("\n")), baseUrl(c)), 200, TEXT);
  });
  api.get("/docs/:file{.+}", async (c) => {
    const file = await fileOf(c, c.req.param("file"));
    const isText = file.status === 200 && c.req.param("file").endsWith(".md");
    return isText ? new Response(withServedLinks(await file.text()), file) : file;
  });
};

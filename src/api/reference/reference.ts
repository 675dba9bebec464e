import type { Api } from "../endpoint.ts";

/** The page of /docs: Scalar (https://scalar.com) over the service's own document. What asks another host is off. */
const SETTINGS = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  authentication: {
    preferredSecurityScheme: "ApiKey",
    // Scalar writes an API key into the header as it was typed; before a bearer token it writes the scheme's name itself.
    securitySchemes: {
      ApiKey: {
        type: "http",
        scheme: "bearer",
        description:
          "The key alone, which begins with `mk_live_`, or with `mk_test_` on testnet. `Bearer <API_KEY>` is the same as `Api-Key <API_KEY>`.",
      },
    },
  },
} as const;

/** Gives the style elements that Scalar makes the page's nonce, so that no other inline style is needed. */
const NONCE_STYLES = `const create = Document.prototype.createElement;
const { nonce } = document.currentScript;
Document.prototype.createElement = function (...named) {
  const element = create.apply(this, named);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
};`;

/** Requests go to the origin that the page came from, which is all that its policy allows. */
const start = `Scalar.createApiReference("#reference", {
  ...${JSON.stringify(SETTINGS)},
  servers: [{ url: location.origin }],
});`;

/** The page. @param nonce of this answer; nothing but what carries it runs @param script address of Scalar's script */
const referencePage = (nonce: string, script: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}">
<title>Mintage API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The document that it shows is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script nonce="${nonce}">${NONCE_STYLES}</script>
<script nonce="${nonce}" src="${script}"></script>
<script nonce="${nonce}">${start}</script>
</body>
</html>
`;

/** A link in docs/ to the package. */
const SCRIPT = "/docs/reference.js";

/** What the page may do. Scalar sets `style` attributes, which can't carry a nonce. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src-elem 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Serves the reference at /docs. Its script comes from this service too (documents.ts). */
export const serveReference = (api: Api): void => {
  api.get("/docs", (c) => {
    const nonce = crypto.randomUUID();
    c.header("Content-Security-Policy", policy(nonce));
    return c.html(referencePage(nonce, SCRIPT));
  });
};

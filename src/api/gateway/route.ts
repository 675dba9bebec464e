import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import { ServiceError } from "../../domain/errors.ts";
import { listing, type Resolved, resolvePath, type ShownEntry } from "../../files/gateway/contents.ts";
import { blockBytes, openBytes } from "../../files/gateway/stored-blocks.ts";
import { type Thumbnail, thumbnailOf } from "../../files/gateway/thumbnail.ts";
import { namesEtag } from "../../http/acceptance.ts";
import { countAddress } from "../../http/address-limit.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { refuseInvalid } from "../../http/validation.ts";
import type { Api } from "../endpoint.ts";
import {
  type Content,
  cacheKey,
  findKept,
  type GatewayRequest,
  gatewayQuery,
  IMMUTABLE,
  readGatewayRequest,
  sendContent,
} from "./cache.ts";

/** A plain page that lists a directory. It has no script and loads nothing. */
function directoryPage(path: string, entries: readonly ShownEntry[], more: boolean): string {
  const title = escapeHtml(path);
  const rows = entries
    .map(({ name, cid, size }) => {
      const target = `${path.replace(/\/$/, "")}/${encodeURIComponent(name)}`;
      return `<tr><td><a href="${escapeHtml(target)}">${escapeHtml(name)}</a></td><td>${size}</td><td><code>${cid}</code></td></tr>`;
    })
    .join("\n");
  const rest = more ? "<p>The directory has more entries. Open each by its name.</p>" : "";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<h1>${title}</h1>
<table>
<tr><th>Name</th><th>Bytes</th><th>CID</th></tr>
${rows}
</table>
${rest}
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);

/**
 * The IPFS gateway over what the service stores (https://specs.ipfs.tech/http-gateways/), by CID and by path. Public,
 * read-only, and never a page of the API's own origin: what it serves is sandboxed.
 */
export const registerGateway = (api: Api): void => {
  api.get("/ipfs/:path{.+}", zValidator("query", gatewayQuery, refuseInvalid), (c) =>
    serve(c, readGatewayRequest(c.req.valid("query"), c.req.header("Accept"))),
  );
};

/** A page about content is the gateway's own and may change with it. */
const LISTING = "public, max-age=604800, stale-while-revalidate=2678400";

/** Nothing in an answer runs, also where it is a document such as an SVG. */
const SANDBOX =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; font-src data:; media-src 'self'; sandbox";

const COMMON = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Content-Length, Content-Range, Content-Disposition, ETag, X-Ipfs-Path, X-Ipfs-Roots",
  "Content-Security-Policy": SANDBOX,
  "Cross-Origin-Resource-Policy": "cross-origin",
  "X-Content-Type-Options": "nosniff",
} as const;

async function serve(c: Context<AppEnv>, request: GatewayRequest): Promise<Response> {
  const url = new URL(c.req.url);
  const [cid = "", ...names] = segments(url.pathname);
  const kept = await findKept(cacheKey(url, request));
  const answer = (kept && (await sendContent(c, kept, null))) ?? (await fromStore(c, request, cid, names));
  if (request.negotiated) answer.headers.set("Content-Location", locationOf(url, request.format));
  return answer;
}

async function fromStore(
  c: Context<AppEnv>,
  asked: GatewayRequest,
  cid: string,
  names: readonly string[],
): Promise<Response> {
  await countAddress(c, "file");
  const url = new URL(c.req.url);
  const resolved = await resolvePath(c.get("context"), cid, names);
  const isPage = isListing(asked, resolved);
  const { width } = asked;
  const thumbnail =
    width === null || asked.format === "raw"
      ? null
      : await thumbnailOf(c.get("context"), resolved.stored, { width, avif: asked.avif });
  const isThumbnail = thumbnail !== null && typeof thumbnail !== "string";
  const request = isThumbnail ? asked : { ...asked, width: null };
  const headers = new Headers({
    ...COMMON,
    ETag: isThumbnail ? `"${resolved.cid}.${width}.${thumbnail.type.slice(6)}"` : etagOf(request, resolved),
    Vary: "Accept",
    "X-Ipfs-Path": url.pathname,
    "X-Ipfs-Roots": resolved.roots.join(","),
    "Cache-Control": isPage ? LISTING : IMMUTABLE,
  });
  if (isPage) {
    if (namesEtag(c.req.header("If-None-Match"), headers.get("ETag") ?? "")) {
      return new Response(null, { status: 304, headers });
    }
    return sendListing(c, url.pathname, resolved, headers);
  }
  const content =
    request.format === "raw"
      ? await blockContent(c, request, { ...resolved, names }, headers)
      : isThumbnail
        ? thumbnailContent(thumbnail, headers)
        : wholeContent(c, request, { ...resolved, names }, headers);
  // A picture that is its own thumbnail is kept under the address that was asked for.
  const answer = await sendContent(c, content, thumbnail === "busy" ? null : cacheKey(url, asked));
  if (answer === null) throw new Error("stored content can't be opened");
  if (thumbnail === "busy") answer.headers.set("Cache-Control", "no-store");
  return answer;
}

function thumbnailContent({ bytes, type }: Exclude<Thumbnail, string>, headers: Headers): Content {
  headers.set("Content-Type", type);
  return { headers, size: bytes.length, open: async () => new Response(bytes as BodyInit).body };
}

/** The segments after `/ipfs/`, decoded; a trailing slash is ignored. */
function segments(pathname: string): string[] {
  try {
    return pathname.split("/").slice(2).filter(Boolean).map(decodeURIComponent);
  } catch (cause) {
    throw new ServiceError("invalid_request", "The path has an invalid percent encoding.", { cause });
  }
}

const isListing = (request: GatewayRequest, { stored }: Resolved): boolean =>
  request.format === "content" && stored.kind === "directory";

function etagOf(request: GatewayRequest, resolved: Resolved): string {
  const { cid } = resolved;
  if (isListing(request, resolved)) return `"DirIndex-1_CID-${cid}"`;
  if (request.format === "content") return `"${cid}"`;
  return `"${cid}.raw"`;
}

function locationOf(url: URL, format: string): string {
  const query = new URLSearchParams(url.searchParams);
  query.set("format", format);
  return `${url.pathname}?${query}`;
}

type Named = Resolved & { readonly names: readonly string[] };

function wholeContent(
  c: Context<AppEnv>,
  request: GatewayRequest,
  { stored, cid, names }: Named,
  headers: Headers,
): Content {
  const { bytes } = stored;
  headers.set("Accept-Ranges", "bytes");
  headers.set("Content-Type", stored.kind === "directory" ? "application/octet-stream" : stored.mediaType);
  const filename = request.filename ?? names.at(-1) ?? null;
  if (request.download || request.filename !== null) {
    const kind = request.download ? "attachment" : "inline";
    headers.set("Content-Disposition", disposition(kind, filename ?? cid));
  }
  return {
    headers,
    size: bytes.size,
    open: (range) => {
      const part = range && { ...bytes, offset: bytes.offset + range.offset, size: range.length };
      return openBytes(c.get("context"), part ?? bytes);
    },
  };
}

async function blockContent(
  c: Context<AppEnv>,
  request: GatewayRequest,
  resolved: Named,
  headers: Headers,
): Promise<Content> {
  if (resolved.names.length > 0) {
    throw new ServiceError("invalid_request", "A single block has no path: request it by its own CID.");
  }
  const block = await blockBytes(c.get("context"), resolved.stored);
  headers.set("Content-Type", "application/vnd.ipld.raw");
  headers.set("Content-Disposition", disposition("attachment", request.filename ?? `${resolved.cid}.bin`));
  return { headers, size: block.length, open: async () => new Response(block as BodyInit).body };
}

async function sendListing(
  c: Context<AppEnv>,
  path: string,
  resolved: Resolved,
  headers: Headers,
): Promise<Response> {
  headers.set("Content-Type", "text/html; charset=utf-8");
  if (c.req.method === "HEAD") return new Response(null, { headers });
  await countAddress(c, "walk");
  const { entries, more } = await listing(c.get("context"), resolved);
  return new Response(directoryPage(path, entries, more), { headers });
}

/** RFC 6266 and RFC 8187: a name in ASCII for old clients, and the exact one. */
function disposition(kind: "inline" | "attachment", filename: string): string {
  const ascii = filename.replace(/[^ !#-.0-[\]-~]/g, "_");
  const exact = encodeURIComponent(filename).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

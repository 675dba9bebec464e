import type { Context } from "hono";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { namesEtag, parseRange } from "../http/byte-range.ts";
import { directoryPage } from "../http/directory-page.ts";
import { type GatewayRequest, readGatewayRequest } from "../http/gateway-request.ts";
import { streamOf } from "../http/generated-stream.ts";
import { carStream, listing, type Resolved, rawBlock, resolvePath } from "../services/gateway.ts";
import { openBytes } from "../services/stored-blocks.ts";
import type { Api } from "./endpoint.ts";

/**
 * The IPFS gateway over what the service stores (https://specs.ipfs.tech/http-gateways/): content by CID and by path
 * through directories, single blocks and CARs. Public, read-only, and never a page of the API's own origin: what it
 * serves is sandboxed.
 */
export const registerGateway = (api: Api): void => {
  api.get("/ipfs/:path{.+}", serve);
};

/** Content never changes under its CID. 29,030,400 s is what the path gateway specification recommends. */
const IMMUTABLE = "public, max-age=29030400, immutable";
/** A page about content is the gateway's own and may change with it. */
const LISTING = "public, max-age=604800, stale-while-revalidate=2678400";

/**
 * Nothing in an answer runs, also where it is a document of its own, such as an SVG: no script, no form, no frame, and
 * an origin that is nobody's. What a picture or a player needs of itself is let in.
 */
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

async function serve(c: Context<AppEnv>): Promise<Response> {
  const url = new URL(c.req.url);
  const [cid = "", ...names] = segments(url.pathname);
  const request = readGatewayRequest(url.searchParams, c.req.header("Accept"));
  const resolved = await resolvePath(c.get("context"), cid, names);
  const etag = etagOf(request, resolved);
  const headers = new Headers({
    ...COMMON,
    ETag: etag,
    Vary: "Accept",
    "X-Ipfs-Path": url.pathname,
    "X-Ipfs-Roots": resolved.roots.join(","),
    "Cache-Control": isListing(request, resolved) ? LISTING : IMMUTABLE,
  });
  if (request.negotiated) headers.set("Content-Location", locationOf(url, request.format));
  if (namesEtag(c.req.header("If-None-Match"), etag)) return new Response(null, { status: 304, headers });
  if (request.format === "car") return sendCar(c, request, resolved, headers);
  if (request.format === "raw") return sendBlock(c, request, resolved, names.length, headers);
  return isListing(request, resolved)
    ? sendListing(c, url.pathname, resolved, headers)
    : sendContent(c, request, resolved, names.at(-1) ?? null, headers);
}

/** The segments behind `/ipfs/`, decoded; a slash at the end is no segment. */
function segments(pathname: string): string[] {
  try {
    return pathname.split("/").slice(2).filter(Boolean).map(decodeURIComponent);
  } catch (cause) {
    throw new ServiceError("invalid_request", "The path has a percent sign that encodes nothing.", { cause });
  }
}

const isListing = (request: GatewayRequest, { stored }: Resolved): boolean =>
  request.format === "content" && stored.kind === "directory";

function etagOf(request: GatewayRequest, resolved: Resolved): string {
  const { cid, roots } = resolved;
  if (isListing(request, resolved)) return `"DirIndex-1_CID-${cid}"`;
  if (request.format === "content") return `"${cid}"`;
  if (request.format === "raw") return `"${cid}.raw"`;
  const range = request.range ? `.${request.range.from}-${request.range.to ?? "end"}` : "";
  // Blocks have an order of our own, and the proof differs with the path, so the tag is weak and names the root.
  return `W/"${roots[0]}.${cid}.${request.scope}${range}.car"`;
}

function locationOf(url: URL, format: string): string {
  const query = new URLSearchParams(url.searchParams);
  query.set("format", format);
  return `${url.pathname}?${query}`;
}

/** HEAD answers as GET does, without the body. */
const withoutBody = (c: Context): boolean => c.req.method === "HEAD";

async function sendContent(
  c: Context<AppEnv>,
  request: GatewayRequest,
  { stored, cid }: Resolved,
  name: string | null,
  headers: Headers,
): Promise<Response> {
  const { bytes } = stored;
  headers.set("Accept-Ranges", "bytes");
  headers.set("Content-Type", stored.kind === "directory" ? "application/octet-stream" : stored.mediaType);
  const filename = request.filename ?? name;
  if (request.download || request.filename !== null) {
    headers.set(
      "Content-Disposition",
      disposition(request.download ? "attachment" : "inline", filename ?? cid),
    );
  }
  const ifRange = c.req.header("If-Range");
  const wanted = ifRange === undefined || ifRange === headers.get("ETag") ? c.req.header("Range") : undefined;
  const range = parseRange(wanted, bytes.size);
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${bytes.size}`);
    headers.set("Cache-Control", "no-store");
    return new Response(null, { status: 416, headers });
  }
  const { offset, length } = range ?? { offset: 0, length: bytes.size };
  headers.set("Content-Length", String(length));
  if (range) headers.set("Content-Range", `bytes ${offset}-${offset + length - 1}/${bytes.size}`);
  const body = withoutBody(c)
    ? null
    : await openBytes(c.get("context"), { ...bytes, offset: bytes.offset + offset, size: length });
  return new Response(body, { status: range ? 206 : 200, headers });
}

async function sendBlock(
  c: Context<AppEnv>,
  request: GatewayRequest,
  resolved: Resolved,
  depth: number,
  headers: Headers,
): Promise<Response> {
  if (depth > 0) {
    throw new ServiceError("invalid_request", "A single block has no path: ask for it by its own CID.");
  }
  const block = await rawBlock(c.get("context"), resolved);
  headers.set("Content-Type", "application/vnd.ipld.raw");
  headers.set("Content-Length", String(block.length));
  headers.set("Content-Disposition", disposition("attachment", request.filename ?? `${resolved.cid}.bin`));
  return new Response(withoutBody(c) ? null : (block as BodyInit), { headers });
}

function sendCar(
  c: Context<AppEnv>,
  request: GatewayRequest,
  resolved: Resolved,
  headers: Headers,
): Response {
  headers.set("Content-Type", "application/vnd.ipld.car; version=1; order=dfs; dups=n");
  headers.set("Content-Disposition", disposition("attachment", request.filename ?? `${resolved.cid}.car`));
  headers.set("Accept-Ranges", "none");
  const { scope, range } = request;
  const body = withoutBody(c) ? null : streamOf(carStream(c.get("context"), resolved, { scope, range }));
  return new Response(body, { headers });
}

async function sendListing(
  c: Context<AppEnv>,
  path: string,
  resolved: Resolved,
  headers: Headers,
): Promise<Response> {
  headers.set("Content-Type", "text/html; charset=utf-8");
  if (withoutBody(c)) return new Response(null, { headers });
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

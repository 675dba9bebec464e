/** The port of `npm start` and `npm run dev`: it passes requests on to the service as the edge does, and to nothing else. */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { isIP, Socket, type SocketConnectOpts } from "node:net";
import { databaseUnavailable, errorBody } from "../src/domain/errors.ts";
import { newUuid } from "../src/domain/ids.ts";

/** Headers of one connection only (RFC 9110, section 7.6.1), and what this side answers by itself. */
const OF_CONNECTION = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Names and values in turn, as Node has them, without those of one connection only. */
function passedOn(raw: readonly string[], also: (name: string) => boolean = () => true): string[] {
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (!OF_CONNECTION.has(name) && also(name)) headers.push(raw[at]!, raw[at + 1]!);
  }
  return headers;
}

/** The edge says where a request comes from, whatever the request says itself; `MF-…` means something to the runtime. */
const ofClient = (name: string): boolean => name !== "cf-connecting-ip" && !name.startsWith("mf-");

/**
 * Whether a request has exactly one valid Host header and a path (RFC 9112, section 3.2); the edge refuses others too, and
 * the runtime would answer them with an error of its own.
 */
function saysWhere({ rawHeaders, url = "", headers: { host = "" } }: IncomingMessage): boolean {
  const times = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  return times === 1 && url.startsWith("/") && /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`);
}

/**
 * Whether a request names this service as its host: by an address, by a name that always means this machine (RFC 6761,
 * section 6.3), or by a name of its own. Any other name may be one that a page's owner made resolve to this machine, so that
 * the page reads this service's answers as its own (DNS rebinding).
 * @param hosts the service's own hosts
 */
function isMeant({ headers }: IncomingMessage, hosts: readonly string[]): boolean {
  const { hostname } = new URL(`http://${headers.host}`);
  const name = hostname.replace(/\.$/, "");
  return isIP(name.replace(/^\[|\]$/g, "")) !== 0 || /(?:^|\.)localhost$/.test(name) || hosts.includes(name);
}

function refuse(answer: ServerResponse, status: number, sentence: string): void {
  answer.writeHead(status, { "Content-Type": "text/plain", Connection: "close" }).end(`${sentence}\n`);
}

/** Answers for a service that has ended, with the service's own error for a database that doesn't answer. */
function unanswered({ method }: IncomingMessage, answer: ServerResponse, cause: Error): void {
  const mayWrite = method !== "GET" && method !== "HEAD";
  const error = databaseUnavailable(mayWrite, cause, "The service");
  const requestId = newUuid();
  const headers = {
    "Content-Type": "application/json",
    "Retry-After": error.details.retryAfter,
    "X-Request-Id": requestId,
  };
  answer.writeHead(error.status, headers).end(JSON.stringify(errorBody(error, requestId)));
}

/**
 * Listens for requests to the service.
 * @param service where the service listens
 * @param hosts names that the service has beside those of this machine
 * @throws the system's error where the address can't be listened on
 */
export function listen(
  service: SocketConnectOpts,
  { host, port, hosts = [] }: { host: string; port: number; hosts?: readonly string[] },
): Promise<Server> {
  const server = createServer((incoming, answer) => {
    if (!saysWhere(incoming))
      return refuse(answer, 400, "Send a path, and one Host header with a host name.");
    if (!isMeant(incoming, hosts))
      return refuse(
        answer,
        421,
        "This service answers at localhost, at IP addresses and at the host of PUBLIC_URL. Set PUBLIC_URL to use another name.",
      );
    return pass(service, incoming, answer);
  });
  // An upload of 100 MB may take its time.
  server.requestTimeout = 0;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(server));
  });
}

/**
 * A connection to the service whose answer stays readable after a write has failed. The service may answer and close
 * before it has read the body; Node would drop that answer when the next write fails.
 */
class ServiceSocket extends Socket {
  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    super._write(chunk, encoding, () => done());
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: Done): void {
    super._writev?.(chunks, () => done());
  }
}

type Done = (error?: Error | null) => void;

function pass(service: SocketConnectOpts, incoming: IncomingMessage, answer: ServerResponse): void {
  const address = incoming.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  // Node adds no chunks to a GET or DELETE by itself: its body would be read as the next request.
  const framing = "transfer-encoding" in incoming.headers ? ["Transfer-Encoding", "chunked"] : [];
  const outgoing = request({
    createConnection: () => new ServiceSocket().connect(service),
    method: incoming.method,
    path: incoming.url,
    // On a connection that stays open the runtime goes on reading for a while after an early answer.
    headers: [
      ...passedOn(incoming.rawHeaders, ofClient),
      ...framing,
      "CF-Connecting-IP",
      address,
      "Connection",
      "keep-alive",
    ],
  });
  outgoing.once("response", (response) => {
    answer.writeHead(response.statusCode ?? 502, response.statusMessage, passedOn(response.rawHeaders));
    response.once("error", () => answer.destroy());
    response.pipe(answer);
  });
  outgoing.on("error", (cause) => {
    if (!answer.headersSent && !answer.destroyed) unanswered(incoming, answer, cause);
  });
  // The rest of a body is read and dropped: a caller reads the answer after it has sent everything.
  outgoing.once("close", () => incoming.unpipe(outgoing).resume());
  incoming.once("error", () => outgoing.destroy());
  answer.once("close", () => outgoing.destroy());
  const hasBody = "content-length" in incoming.headers || "transfer-encoding" in incoming.headers;
  if (!hasBody) return void outgoing.end();
  // Node would keep them back until the body begins, and the service closes a connection that sends nothing for 15 s.
  outgoing.flushHeaders();
  incoming.pipe(outgoing);
}

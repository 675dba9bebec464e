/** The port of `npm start`: it passes requests on to the service's socket as the edge does, and to nothing else. */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { Transform } from "node:stream";

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

/** Names and values in turn, as node has them, without those that don't go beyond a connection. */
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

/** Whether a request says once and well where it goes (RFC 9112, section 3.2); the edge refuses others with 400 too. */
function saysHost({ rawHeaders, headers: { host = "" } }: IncomingMessage): boolean {
  const times = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  return times === 1 && !/[/\\?#@]/.test(host) && URL.canParse(`http://${host}`);
}

/**
 * Listens for requests to the service.
 * @param socketPath where the service listens
 * @throws the system's error where the address can't be listened on
 */
export function listen(socketPath: string, host: string, port: number): Promise<Server> {
  const server = createServer((incoming, answer) => {
    if (saysHost(incoming)) return pass(socketPath, incoming, answer);
    answer.writeHead(400, { "Content-Type": "text/plain", Connection: "close" });
    answer.end("Send one Host header with a host name.\n");
  });
  // An upload of 100 MB may take its time.
  server.requestTimeout = 0;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(server));
  });
}

function pass(socketPath: string, incoming: IncomingMessage, answer: ServerResponse): void {
  const address = incoming.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
  const outgoing = request({
    socketPath,
    agent: false,
    method: incoming.method,
    path: incoming.url,
    // To a connection that is kept the runtime goes on listening for a while after an answer that needed no body; one
    // that is not kept it closes at once, and what is still being written then fails before the answer is read.
    headers: [
      ...passedOn(incoming.rawHeaders, ofClient),
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
  outgoing.on("error", () => {
    incoming.resume();
    if (!answer.headersSent && !answer.destroyed) answer.writeHead(502).end();
  });
  incoming.once("error", () => outgoing.destroy());
  answer.once("close", () => outgoing.destroy());
  const hasBody = "content-length" in incoming.headers || "transfer-encoding" in incoming.headers;
  if (hasBody) passBody(incoming, outgoing);
  else outgoing.end();
}

/**
 * Writes what comes until the service answers, which it may do before it has read all; the rest is dropped. A write that
 * fails takes an unread answer with it, so that a turn in which an answer can be read comes right before each.
 */
function passBody(incoming: IncomingMessage, outgoing: ClientRequest): void {
  let answered = false;
  const body = new Transform({
    transform(chunk, _encoding, done) {
      setImmediate(() => setImmediate(() => done(null, answered ? undefined : chunk)));
    },
  });
  outgoing.once("response", () => {
    answered = true;
  });
  outgoing.once("error", () => body.unpipe(outgoing).resume());
  incoming.pipe(body).pipe(outgoing);
}

/** A shop's endpoint as endpoints are: it fails in every way that one may, and notes what it has taken. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pause } from "./client.ts";

/** An event as it was sent. */
export interface Sent {
  readonly seq: number;
  readonly event_uuid: string;
  readonly type: string;
}

/** What befalls an attempt, by its place among those of a round. The others are taken. */
const MISHAPS: Readonly<Record<number, string>> = {
  3: "webhook_500",
  6: "webhook_unread",
  8: "webhook_broken_off",
  13: "webhook_301",
  19: "webhook_slow",
  24: "webhook_429",
  29: "webhook_broken_answer",
  34: "webhook_410",
};
/** Attempts of a round, and that of the whole run which is never answered. */
const ROUND = 120;
const HANGS = 16;
/** Milliseconds of the machine that a slow answer takes. */
const SLOW_MS = 500;

/** Listens on this machine. */
export class Receiver {
  readonly #server: Server;
  readonly #sockets = new Set<IncomingMessage["socket"]>();
  #attempts = 0;
  /** Nothing goes wrong any more. */
  isCalm = false;
  /** First attempts in the order of their arrival, but for events of which one was not read. */
  readonly firsts: Sent[] = [];
  /** Uuids of the events that it has taken. */
  readonly taken = new Set<string>();
  readonly #seen = new Set<string>();
  /** How often each mishap befell an attempt. */
  readonly mishaps: Record<string, number> = {};

  private constructor() {
    // It closes no connection by itself: the next attempt could be lost with it, and nobody would know.
    const options = { keepAliveTimeout: 0 };
    this.#server = createServer(options, (request, response) => void this.#take(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const place = this.#attempts++;
    const mishap = this.isCalm ? undefined : place === HANGS ? "webhook_hung" : MISHAPS[place % ROUND];
    if (mishap !== undefined) this.mishaps[mishap] = (this.mishaps[mishap] ?? 0) + 1;
    const text = mishap === "webhook_unread" ? null : await textOf(request);
    // Not read, or the service was killed while it sent.
    if (text === null) {
      this.#seen.add(String(request.headers["webhook-id"]));
      response.destroy();
      return;
    }
    const event = JSON.parse(text) as Sent;
    if (!this.#seen.has(event.event_uuid)) this.firsts.push(event);
    this.#seen.add(event.event_uuid);
    switch (mishap) {
      case "webhook_hung":
        return;
      case "webhook_broken_off":
        response.destroy();
        return;
      case "webhook_broken_answer":
        response.writeHead(500, { "content-length": 1_000 }).write("half");
        response.destroy();
        return;
      case "webhook_500":
      case "webhook_410":
        response.writeHead(Number(mishap.slice(-3))).end("no");
        return;
      case "webhook_301":
        response.writeHead(301, { location: this.url }).end();
        return;
      case "webhook_429":
        response.writeHead(429, { "retry-after": "20" }).end();
        return;
      case "webhook_slow":
        await pause(SLOW_MS);
    }
    this.taken.add(event.event_uuid);
    response.writeHead(204).end();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** The text of a request; null: its connection broke before all of it had come. */
const textOf = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch (error) {
    if (request.complete) throw error;
    return null;
  }
  return Buffer.concat(chunks).toString();
};

import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServiceContext } from "../../src/context.ts";
import { openDatabase } from "../../src/db/client.ts";
import { draftAssets } from "../../src/db/schema/index.ts";
import { rawCid } from "../../src/files/ipfs/cid.ts";
import { cleanUp } from "../../src/operator/jobs/clean-up.ts";
import { newDraft, openShop, type Shop } from "../../testing/bench-integration.ts";
import { picture } from "../../testing/pictures.ts";
import { type BenchService, startService } from "../../testing/service.ts";
import { formOf } from "../../testing/upload-forms.ts";

const HOUR = 3_600_000;
const CUTS = 50;
const PICTURES = { seed: 40_000, count: 40, size: 100_000 };

let service: BenchService;
let shop: Shop;
let draft: string;
let storage: Awaited<ReturnType<BenchService["storage"]>>;

beforeAll(async () => {
  service = await startService({ entry: "src/index.ts", blockMs: 100, quiet: true });
  shop = await openShop(service);
  draft = await newDraft(service, shop);
  storage = await service.storage();
});
afterAll(async () => {
  await service?.stop();
});

const form = formOf(PICTURES);
const cids = Array.from({ length: PICTURES.count }, (_, index) =>
  rawCid(
    createHash("sha256")
      .update(picture("png", PICTURES.seed + index, PICTURES.size))
      .digest(),
  ),
);

/** The request's head. Without a length the body is chunked. */
function head(length: number | null): string {
  const lines = [
    `POST /api/v1/collection-draft/${draft}/asset-bulk HTTP/1.1`,
    `Host: ${new URL(service.url).host}`,
    `Authorization: Api-Key ${shop.key}`,
    `Content-Type: ${form.contentType}`,
    length === null ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

const CHUNK = 30_000;

/** A body in chunks of HTTP/1.1 (RFC 9112, section 7.1). */
function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += CHUNK) {
    const chunk = body.subarray(at, at + CHUNK);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

function open(): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once("error", reject);
  });
}

/** Everything that the server says until it closes. */
function heard(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(text));
  });
}

/** Writes bytes as fast as the server takes them, or in small pieces with a breath between them. */
async function write(socket: Socket, bytes: Buffer, slowly: boolean): Promise<void> {
  const piece = slowly ? Math.ceil(bytes.length / 20) : 65_536;
  const lost = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  for (let at = 0; at < bytes.length && !socket.destroyed; at += piece) {
    const taken = new Promise<void>((resolve) => {
      socket.write(bytes.subarray(at, at + piece), () => resolve());
    });
    await Promise.race([taken, lost]);
    if (slowly) await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** Sends a request up to a byte and goes away. */
async function cut(message: Buffer, at: number, slowly: boolean): Promise<void> {
  const socket = await open();
  const closed = heard(socket);
  await write(socket, message.subarray(0, at), slowly);
  socket.destroy();
  await closed;
}

const assets = async (): Promise<unknown[]> => {
  const { DB } = storage;
  return openDatabase(DB).select({ id: draftAssets.id }).from(draftAssets);
};

const objects = async (): Promise<number> => (await storage.BUCKET.list({ prefix: "blob/" })).objects.length;

const rows = async (condition: string): Promise<number> => {
  const row = await storage.DB.prepare(`SELECT COUNT(*) AS n FROM blobs WHERE ${condition}`).first<{
    n: number;
  }>();
  return row?.n ?? 0;
};

const servedStatuses = async (): Promise<Set<number>> => {
  const statuses = new Set<number>();
  for (const cid of cids) {
    const response = await fetch(`${service.url}/ipfs/${cid}`);
    await response.body?.cancel();
    statuses.add(response.status);
  }
  return statuses;
};

/** One run of the scheduled collection of files, so many hours later. */
async function collectLater(hours: number): Promise<void> {
  const context = {
    env: { BUCKET: storage.BUCKET },
    db: openDatabase(storage.DB),
    settings: {},
    now: () => new Date(Date.now() + hours * HOUR),
    log: () => undefined,
  };
  await cleanUp(context as unknown as ServiceContext);
}

/** How long what was broken off may take until all of it is dealt with. Milliseconds. */
const SETTLED_MS = 240_000;

/** How long a form may wait until others are in (src/files/uploads/receive-form.ts), and more. Milliseconds. */
const FORM_WAITS_MS = 22_000;

/**
 * Waits until every object is known to be of no use, and none comes any more: the service has dealt with all that was
 * broken off.
 * @param waitMs how long forms that were broken off may still wait for their turn
 */
async function settled(waitMs = 0): Promise<void> {
  let before = -1;
  const until = Date.now() + SETTLED_MS;
  for (let since = Date.now(); Date.now() < until; ) {
    const now = await objects();
    if (now !== before) since = Date.now();
    // Where there is none, a slow service hasn't begun yet: each upload that is waited for brings some.
    else if (now > 0 && Date.now() - since >= waitMs && (await rows("going = 'marked'")) >= now) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error("objects are left that nothing marks as of no use");
}

/** What a request leaves behind that was not carried out: nothing that anybody sees, and in the end nothing at all. */
async function expectNothing(): Promise<void> {
  expect(await assets()).toEqual([]);
  expect(await rows("going IS NULL")).toBe(0);
  expect(await servedStatuses()).toEqual(new Set([404]));
  // Marked files go after an hour, tombstones after a day; a run has done its round by the third.
  for (const hours of [2, 2, 28, 28]) await collectLater(hours);
  expect(await objects()).toBe(0);
  expect(await rows("true")).toBe(0);
}

describe("an upload over TCP", () => {
  test("that is cut at 50 random points leaves no data", async () => {
    const whole = {
      length: Buffer.concat([Buffer.from(head(form.body.length)), form.body]),
      chunks: Buffer.concat([Buffer.from(head(null)), chunked(form.body)]),
    };
    const work = Array.from({ length: CUTS }, (_, index) => {
      const message = index % 2 === 0 ? whole.length : whole.chunks;
      return { message, at: Math.floor(Math.random() * message.length), slowly: index % 5 === 0 };
    });
    // The very last byte as well, and the first after the head.
    work.push({ message: whole.length, at: whole.length.length - 1, slowly: false });
    work.push({ message: whole.chunks, at: whole.chunks.length - 5, slowly: false });
    work.push({ message: whole.length, at: head(form.body.length).length, slowly: false });
    const clients = Array.from({ length: 4 }, async () => {
      for (let next = work.pop(); next !== undefined; next = work.pop()) {
        await cut(next.message, next.at, next.slowly);
      }
    });
    await Promise.all(clients);
    await settled(FORM_WAITS_MS);
    // Something was under way: else nothing would be shown.
    expect(await objects()).toBeGreaterThan(0);
    await expectNothing();
  });

  test("with a Content-Length larger than its body is refused", async () => {
    const socket = await open();
    const answer = heard(socket);
    await write(socket, Buffer.concat([Buffer.from(head(form.body.length + 1000)), form.body]), false);
    socket.end();
    expect(await answer).not.toContain(" 201 ");
    await settled();
    await expectNothing();
  });

  test("with a Content-Length smaller than its body is refused, naming the mistake", async () => {
    const socket = await open();
    const answer = heard(socket);
    await write(socket, Buffer.concat([Buffer.from(head(form.body.length - 1000)), form.body]), false);
    socket.end();
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain("invalid_multipart");
    await settled();
    await expectNothing();
  });

  test("that ends after its headers, or is half-closed in the middle, leaves no data", async () => {
    for (const bytes of [0, Math.floor(form.body.length / 2)]) {
      const socket = await open();
      const answer = heard(socket);
      const message = Buffer.concat([Buffer.from(head(form.body.length)), form.body.subarray(0, bytes)]);
      await write(socket, message, false);
      socket.end();
      expect(await answer).not.toContain(" 201 ");
    }
    await settled();
    await expectNothing();
  });

  test("that is sent whole is stored once, whatever follows it on the connection", async () => {
    const socket = await open();
    const answer = heard(socket);
    const garbage = Buffer.from("\0\0GARBAGE / HTTP/9.9\r\n: :\r\n\r\n");
    await write(socket, Buffer.concat([Buffer.from(head(null)), chunked(form.body), garbage]), false);
    socket.end();
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 201 /);
    expect(text.match(/HTTP\/1\.1 201 /g)).toHaveLength(1);
    expect(await assets()).toHaveLength(PICTURES.count);
    expect(await servedStatuses()).toEqual(new Set([200]));
    for (const hours of [2, 2, 28, 28]) await collectLater(hours);
    expect(await objects()).toBe(PICTURES.count);
    expect(await servedStatuses()).toEqual(new Set([200]));
  });
});

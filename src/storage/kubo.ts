/** A Kubo node's RPC, as far as pinning needs it (https://docs.ipfs.tech/reference/kubo/rpc/). */
export interface Kubo {
  /** Base address, such as `http://127.0.0.1:5001`. */
  readonly url: string;
  /** Value of the Authorization header, where the node wants one. */
  readonly authorization?: string;
}

/** Longest time for a call, in milliseconds; Kubo is told as well, so that it gives up looking for blocks. */
const IMPORT_TIMEOUT = 600_000;
const PIN_TIMEOUT = 120_000;

/** What a Kubo node answered instead of success. */
export class KuboFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "KuboFailure";
  }
}

/**
 * Has the node take a CAR's blocks in.
 * @param length of the CAR, in bytes
 * @throws KuboFailure
 */
export async function importCar(kubo: Kubo, car: AsyncIterable<Uint8Array>, length: number): Promise<void> {
  const boundary = `car-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const opening = encoder.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="blocks.car"\r\nContent-Type: application/vnd.ipld.car\r\n\r\n`,
  );
  const closing = encoder.encode(`\r\n--${boundary}--\r\n`);
  const { readable, writable } = new FixedLengthStream(opening.length + length + closing.length);
  const writer = writable.getWriter();
  const writing = writeAll(writer, [opening], car, [closing]).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  const command = { command: "dag/import", query: { "pin-roots": "false" }, timeout: IMPORT_TIMEOUT };
  const answered = await call(kubo, command, {
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
    body: readable,
  }).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  // A node may answer before it has read everything: then nobody takes the rest, and writing has to end as well.
  if (answered !== null) await writer.abort(answered.error).catch(() => undefined);
  const written = await writing;
  // Blocks that can't be read matter more than the node's complaint about what it got of them.
  if (written?.error instanceof UnreadableBlocks) throw written.error;
  if (answered !== null) throw answered.error;
  if (written !== null) throw new KuboFailure("The node did not take all blocks.", written.error);
}

/** The CAR could not be made; `cause` says why. */
class UnreadableBlocks extends Error {}

async function writeAll(
  writer: WritableStreamDefaultWriter<Uint8Array>,
  before: readonly Uint8Array[],
  car: AsyncIterable<Uint8Array>,
  after: readonly Uint8Array[],
): Promise<void> {
  for (const bytes of before) await writer.write(bytes);
  const pieces = car[Symbol.asyncIterator]();
  for (;;) {
    const piece = await pieces.next().catch(async (cause: unknown) => {
      const failure = new UnreadableBlocks("the blocks of a CAR can't be read", { cause });
      await writer.abort(failure);
      throw failure;
    });
    if (piece.done) break;
    await writer.write(piece.value);
  }
  for (const bytes of after) await writer.write(bytes);
  await writer.close();
}

/** Pins a DAG all of whose blocks the node has. @throws KuboFailure */
export async function pinRoot(kubo: Kubo, cid: string): Promise<void> {
  const answer = await call(kubo, {
    command: "pin/add",
    query: { arg: cid, recursive: "true" },
    timeout: PIN_TIMEOUT,
  });
  if (!answer.includes(cid)) throw new KuboFailure("The node did not confirm the pin.");
}

/** A command of the RPC API. */
interface Command {
  readonly command: string;
  readonly query: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
}

async function call(
  { url, authorization }: Kubo,
  { command, query, timeout }: Command,
  init: RequestInit = {},
): Promise<string> {
  const address = new URL(`${url}/api/v0/${command}`);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  address.searchParams.set("timeout", `${timeout / 1000}s`);
  const headers = new Headers(init.headers);
  if (authorization !== undefined) headers.set("Authorization", authorization);
  const response = await fetch(address, {
    ...init,
    method: "POST",
    headers,
    signal: AbortSignal.timeout(timeout),
  }).catch((error: unknown) => {
    throw new KuboFailure("The node can't be reached.", error);
  });
  const text = await response.text();
  if (!response.ok) throw new KuboFailure(`The node answered ${response.status}: ${text.slice(0, 300)}`);
  return text;
}

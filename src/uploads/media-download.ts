import { MAX_REDIRECTS, mediaUrlFault } from "../domain/media-url.ts";

/** Longest time for a whole download, redirects and body, in milliseconds. */
const TIMEOUT = 120_000;

/** Why a file can't be had from an address, as a sentence for the caller. */
export class DownloadFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DownloadFailure";
  }
}

/** A body that streams in. Reading it throws DownloadFailure where it breaks off, lasts too long or is too large. */
export interface Download {
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Opens an address and follows its redirects, each checked as the address itself.
 * @param maxBytes of the body
 * @throws DownloadFailure
 */
export async function download(address: string, maxBytes: number): Promise<Download> {
  const signal = AbortSignal.timeout(TIMEOUT);
  let url = address;
  for (let redirects = 0; ; redirects++) {
    const fault = mediaUrlFault(url);
    if (fault !== null)
      throw new DownloadFailure(redirects === 0 ? fault : `It redirects to ${quoted(url)}. ${fault}`);
    const response = await request(url, signal);
    const location = redirectOf(response);
    if (location === null) return { chunks: limited(bodyOf(response, maxBytes), maxBytes, signal) };
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS)
      throw new DownloadFailure(`It redirects more than ${MAX_REDIRECTS} times.`);
    const next = URL.parse(location, url);
    if (next === null) throw new DownloadFailure("It redirects to an invalid URL.");
    url = next.href;
  }
}

async function request(url: string, signal: AbortSignal): Promise<Response> {
  try {
    const headers = { Accept: "*/*", "Accept-Encoding": "identity", "User-Agent": "Mintage" };
    return await fetch(url, { redirect: "manual", headers, signal });
  } catch (error) {
    throw failure(error, signal, "The host can't be reached.");
  }
}

const failure = (error: unknown, signal: AbortSignal, otherwise: string): DownloadFailure =>
  new DownloadFailure(signal.aborted ? `It took longer than ${TIMEOUT / 1000} seconds.` : otherwise, error);

function redirectOf({ status, headers }: Response): string | null {
  return [301, 302, 303, 307, 308].includes(status) ? headers.get("Location") : null;
}

function bodyOf(response: Response, maxBytes: number): ReadableStream<Uint8Array> {
  if (response.status !== 200)
    throw new DownloadFailure(`It answers with status ${response.status} instead of 200.`);
  if (response.body === null) throw new DownloadFailure("It answers with an empty body.");
  if (Number(response.headers.get("Content-Length")) > maxBytes) throw tooLarge(maxBytes);
  return response.body;
}

async function* limited(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof DownloadFailure) throw error;
    throw failure(error, signal, "The connection ended before the file was complete.");
  }
}

const tooLarge = (maxBytes: number): DownloadFailure =>
  new DownloadFailure(`The file is larger than ${maxBytes} bytes (${maxBytes / 1_048_576} MB).`);

const quoted = (url: string): string => JSON.stringify(url.slice(0, 200));

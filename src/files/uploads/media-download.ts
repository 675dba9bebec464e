import { ServiceError } from "../../domain/errors.ts";
import type { Issue } from "../../domain/issues.ts";
import { MAX_REDIRECTS, mediaUrlFault } from "../../domain/media-url.ts";
import { within } from "../../waiting.ts";

/** Deadline of all downloads of a request, with redirects and bodies, in milliseconds. */
const TIMEOUT = 120_000;

export const downloadDeadline = (): AbortSignal => AbortSignal.timeout(TIMEOUT);

/** Longest time between two chunks of the body, in milliseconds. */
export const STALL_MS = 30_000;

/** Why a file can't be fetched, as a sentence for the caller. */
export class DownloadFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DownloadFailure";
  }
}

/** The caller's error for a failure; other errors are returned as they are. @param path of the URL in the request */
export const unusableUrl = (error: unknown, what: string, path: Issue["path"]): unknown => {
  if (!(error instanceof DownloadFailure)) return error;
  return new ServiceError("asset_url_failed", `${what} can't be used. ${error.message} Nothing was sent.`, {
    issues: [{ path, message: error.message }],
    cause: error.cause,
  });
};

interface Download {
  /** The body. It throws DownloadFailure if it breaks off, stalls, or is too large. @param moved called for every chunk */
  chunks(moved: () => void): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Opens a URL and follows its redirects, each checked as the URL itself. @throws DownloadFailure */
export async function download(
  address: string,
  maxBytes: number,
  signal = downloadDeadline(),
): Promise<Download> {
  let url = address;
  for (let redirects = 0; ; redirects++) {
    const fault = mediaUrlFault(url);
    if (fault !== null)
      throw new DownloadFailure(redirects === 0 ? fault : `It redirects to ${quoted(url)}. ${fault}`);
    const response = await request(url, signal);
    const location = redirectOf(response);
    if (location === null) return downloadOf(response, maxBytes, signal);
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS)
      throw new DownloadFailure(`It redirects more than ${MAX_REDIRECTS} times.`);
    const next = URL.parse(location, url);
    if (next === null) throw new DownloadFailure("It redirects to an invalid URL.");
    url = next.href;
  }
}

function downloadOf(response: Response, maxBytes: number, signal: AbortSignal): Download {
  const reader = bodyOf(response, maxBytes).getReader();
  return {
    chunks: (moved) => limited(reader, maxBytes, signal, moved),
    // A host that fails after the file was read makes no difference.
    close: () => reader.cancel().catch(() => undefined),
  };
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
  new DownloadFailure(
    signal.aborted ? `It wasn't complete after ${TIMEOUT / 1000} seconds.` : otherwise,
    error,
  );

function redirectOf({ status, headers }: Response): string | null {
  return [301, 302, 303, 307, 308].includes(status) ? headers.get("Location") : null;
}

function bodyOf(response: Response, maxBytes: number): ReadableStream<Uint8Array> {
  if (response.status !== 200)
    throw new DownloadFailure(`The host responds with status ${response.status} instead of 200.`);
  if (response.body === null) throw new DownloadFailure("The host responds with an empty body.");
  if (Number(response.headers.get("Content-Length")) > maxBytes) throw tooLarge(maxBytes);
  return response.body;
}

async function* limited(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
  moved: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  for (let size = 0; ; ) {
    const part = await within(STALL_MS, reader.read()).catch((error: unknown) => {
      throw failure(error, signal, "The connection ended before the file was complete.");
    });
    if (part === null) throw new DownloadFailure(`The host sent nothing for ${STALL_MS / 1000} seconds.`);
    if (part.done) return;
    size += part.value.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    moved();
    yield part.value;
  }
}

const tooLarge = (maxBytes: number): DownloadFailure =>
  new DownloadFailure(`The file is larger than ${maxBytes} bytes (${maxBytes / 1_048_576} MB).`);

const quoted = (url: string): string => JSON.stringify(url.slice(0, 200));

import type { FormPart } from "../../domain/assets-detail.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type Parametrised, parametrised } from "../header-parameters.ts";
import { ByteWindow } from "./byte-window.ts";

export interface PartHeaders {
  readonly name: string;
  readonly filename: string | null;
}

const malformed = (message: string): ServiceError => new ServiceError("invalid_multipart", message);

/**
 * The boundary of a multipart/form-data body: 1 to 70 characters of a certain set (RFC 2046, section 5.1.1). @throws
 * ServiceError unsupported_content_type, invalid_multipart
 */
export function boundaryOf(contentType: string | null | undefined): string {
  const type = closed(parametrised(contentType ?? ""));
  if (type.value.toLowerCase() !== "multipart/form-data") {
    throw new ServiceError("unsupported_content_type", "Send the files as multipart/form-data.");
  }
  const boundary = type.parameters.get("boundary");
  if (boundary === undefined) {
    throw malformed("The Content-Type has no boundary. Let your HTTP client set the header.");
  }
  if (!/^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/.test(boundary)) {
    throw malformed("The boundary in the Content-Type must be 1 to 70 characters that RFC 2046 allows.");
  }
  return boundary;
}

/** Reads the header block of a part, without the empty line that ends it. @throws ServiceError invalid_multipart */
export function parsePartHeaders(block: Uint8Array): PartHeaders {
  let disposition: string | undefined;
  for (const line of decode(block).split("\r\n").filter(Boolean)) {
    const colon = line.indexOf(":");
    if (colon < 1) throw malformed("A part of the form has a header line without a colon.");
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "content-disposition") disposition = value;
    if (name === "content-transfer-encoding" && !/^(binary|7bit|8bit)$/i.test(value)) {
      throw malformed("A part of the form has a Content-Transfer-Encoding. Send its bytes as they are.");
    }
  }
  if (disposition === undefined) throw malformed("A part of the form has no Content-Disposition.");
  const { value: kind, parameters } = closed(parametrised(disposition));
  if (kind.toLowerCase() !== "form-data") {
    throw malformed("A part of the form has a Content-Disposition other than form-data.");
  }
  const name = parameters.get("name");
  if (name === undefined) throw malformed("A part of the form has no name.");
  const filename = parameters.get("filename");
  return {
    name: detached(unescapeName(name)),
    filename: filename === undefined ? null : detached(unescapeName(filename)),
  };
}

function closed(header: Parametrised): Parametrised {
  if (header.unclosed) throw malformed("A quoted value in a header of the form has no closing quote.");
  return header;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Copies a substring, which would keep the whole text in memory; names are kept for the whole form. */
const detached = (text: string): string => Buffer.from(text).toString();

function decode(block: Uint8Array): string {
  try {
    return decoder.decode(block);
  } catch (cause) {
    throw new ServiceError("invalid_multipart", "The headers of a part of the form are not UTF-8.", {
      cause,
    });
  }
}

/** Browsers write a quote, CR and LF in names as percent signs (HTML standard, multipart/form-data encoding). */
const unescapeName = (name: string): string =>
  name.replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Bytes that the headers of one part may have. */
const MAX_HEADER_BYTES = 16_384;
const CRLF = "\r\n";

/** The empty line behind the headers of a part. */
const END_OF_HEADERS = Buffer.from(CRLF + CRLF);

/**
 * Reads a multipart/form-data body (RFC 7578, RFC 2046) in one pass, part by part, in a window of fixed size. The body
 * is cancelled when reading ends early. @param moved is called with every piece that comes @throws ServiceError
 * invalid_multipart if it is malformed, breaks off or stands still for a minute, payload_too_large
 */
export async function* readForm(
  body: ReadableStream<Uint8Array>,
  boundary: string,
  maxBytes: number,
  moved: () => void = () => undefined,
): AsyncGenerator<FormPart, void, void> {
  const window = new ByteWindow(body, maxBytes, moved);
  const delimiter = Buffer.from(`${CRLF}--${boundary}`);
  let whole = false;
  try {
    // The first delimiter may stand at the very beginning, without the line break that belongs to the others.
    window.prepend(Buffer.from(CRLF));
    await skipPast(window, delimiter);
    while (await startsPart(window)) {
      const headers = parsePartHeaders(await readHeaders(window));
      const part = new StreamedPart(headers, window, delimiter);
      yield part;
      while ((await part.read()) !== null);
    }
    await window.skipAll();
    whole = true;
  } finally {
    if (!whole) await window.cancel();
  }
}

/** Reads on to what follows the next delimiter. A form may begin with a preamble that means nothing. */
async function skipPast(window: ByteWindow, delimiter: Buffer): Promise<void> {
  for (;;) {
    const found = window.indexOf(delimiter);
    if (found >= 0) return window.consume(found + delimiter.length);
    window.consume(Math.max(0, window.length - delimiter.length + 1));
    if (!(await window.fill())) {
      throw new ServiceError(
        "invalid_multipart",
        "The body doesn't contain the boundary that its Content-Type names.",
      );
    }
  }
}

/** Behind a delimiter: true if another part follows, before its line break; false at the closing `--`. */
async function startsPart(window: ByteWindow): Promise<boolean> {
  await need(window, 2);
  if (window.startsWith("--")) return false;
  // Padding that means nothing (RFC 2046, section 5.1.1), read byte by byte.
  for (let padding = 0; window.startsWith(" ") || window.startsWith("\t"); padding += 1) {
    if (padding === MAX_HEADER_BYTES) {
      throw new ServiceError(
        "invalid_multipart",
        "A boundary of the form is followed by over 16 kB of spaces.",
      );
    }
    window.consume(1);
    await need(window, 2);
  }
  if (!window.startsWith(CRLF)) {
    throw new ServiceError("invalid_multipart", "A boundary of the form is not followed by a line break.");
  }
  // The line break stays: a part without headers has nothing else before the empty line.
  return true;
}

/** The header block of a part, without its surrounding line breaks. */
async function readHeaders(window: ByteWindow): Promise<Uint8Array> {
  for (;;) {
    const found = window.indexOf(END_OF_HEADERS);
    if (found > MAX_HEADER_BYTES || (found < 0 && window.length > MAX_HEADER_BYTES)) {
      throw new ServiceError("invalid_multipart", "The headers of a part of the form are longer than 16 kB.");
    }
    if (found >= 0) {
      const block = window.first(found).slice();
      window.consume(found + END_OF_HEADERS.length);
      return block;
    }
    await need(window, window.length + 1);
  }
}

async function need(window: ByteWindow, length: number): Promise<void> {
  while (window.length < length) {
    if (!(await window.fill())) throw brokenOff();
  }
}

const brokenOff = (): ServiceError =>
  new ServiceError(
    "invalid_multipart",
    "The body ends before its closing boundary. Send the whole form again.",
  );

class StreamedPart implements FormPart {
  readonly name: string;
  readonly filename: string | null;
  readonly #window: ByteWindow;
  readonly #delimiter: Buffer;
  /** Bytes at the window's start that were handed out by the last read. */
  #lent = 0;
  #ended = false;

  constructor(headers: { name: string; filename: string | null }, window: ByteWindow, delimiter: Buffer) {
    this.name = headers.name;
    this.filename = headers.filename;
    this.#window = window;
    this.#delimiter = delimiter;
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#ended) return null;
    this.#window.consume(this.#lent);
    this.#lent = 0;
    for (;;) {
      const found = this.#window.indexOf(this.#delimiter);
      if (found === 0) {
        this.#window.consume(this.#delimiter.length);
        this.#ended = true;
        return null;
      }
      // Without a delimiter in sight its first bytes may still be the last ones here.
      const length = found > 0 ? found : this.#window.length - this.#delimiter.length + 1;
      if (length > 0) {
        this.#lent = length;
        return this.#window.first(length);
      }
      if (!(await this.#window.fill())) throw brokenOff();
    }
  }
}

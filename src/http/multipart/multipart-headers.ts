import { ServiceError } from "../../domain/errors.ts";
import { type Parametrised, parametrised } from "../header-parameters.ts";

/** What the headers of a part say. */
export interface PartHeaders {
  readonly name: string;
  readonly filename: string | null;
}

const malformed = (message: string): ServiceError => new ServiceError("invalid_multipart", message);

/**
 * The boundary of a multipart/form-data body.
 * @throws ServiceError unsupported_content_type for another type, invalid_multipart where there is no usable boundary
 *   (RFC 2046, section 5.1.1: 1 to 70 characters of a certain set)
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

/**
 * Reads the header block of a part, without the empty line that ends it.
 * @throws ServiceError invalid_multipart
 */
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

/** A text of its own: a part of a text keeps all of that text in memory, and names are kept for the whole form. */
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

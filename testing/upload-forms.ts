import { picture } from "./pictures.ts";

/** A form as a client sends it. */
export interface Form {
  readonly contentType: string;
  readonly body: Buffer;
  /** Bytes of the files alone. */
  readonly fileBytes: number;
}

const BOUNDARY = "mintage-bench-boundary";

interface FormOptions {
  /** Number of the first picture; each has its own, so that no bytes repeat. */
  readonly seed: number;
  readonly count: number;
  /** Bytes of each picture. */
  readonly size: number;
  /** Whether each asset has a reference file. */
  readonly references?: boolean;
}

/** A form of different pictures, in the order that most clients write: files, then details. */
export function formOf({ seed, count, size, references = false }: FormOptions): Form {
  const parts: Uint8Array[] = [];
  const details: object[] = [];
  let fileBytes = 0;
  const add = (kind: string, name: string, type: string, bytes: Uint8Array): void => {
    parts.push(head(`name="${kind}"; filename="${name}"\r\nContent-Type: ${type}`), bytes, CRLF);
    fileBytes += bytes.length;
  };
  for (let number = seed; number < seed + count; number++) {
    add("asset_file", `${number}.png`, "image/png", picture("png", number, size));
    if (references) add("reference_file", `${number}.json`, "application/json", reference(number));
    const reference_filename = references ? `${number}.json` : undefined;
    details.push({ asset_filename: `${number}.png`, copies: 1, reference_filename });
  }
  parts.push(head('name="assets_detail"'), Buffer.from(JSON.stringify(details)), CRLF);
  parts.push(Buffer.from(`--${BOUNDARY}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${BOUNDARY}`, body: Buffer.concat(parts), fileBytes };
}

const reference = (number: number): Buffer =>
  Buffer.from(JSON.stringify({ title: `#${number}`, attributes: [{ trait_type: "Number", value: number }] }));

const CRLF = Buffer.from("\r\n");
const head = (disposition: string): Buffer =>
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`);

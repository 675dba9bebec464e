import { createHash, hash as digestOf } from "node:crypto";
import {
  type AssetsDetail,
  type FileKind,
  type FormPart,
  NO_DETAILS,
  readAssetsDetail,
} from "../../domain/assets-detail.ts";
import { ServiceError } from "../../domain/errors.ts";
import { filenameFault } from "../../domain/filenames.ts";
import { quotedText } from "../../domain/issues.ts";
import { type MediaType, mediaFault, mediaType } from "../../domain/media-sniffing.ts";
import { JSON_TYPE, referenceFault, UNKNOWN_TYPE } from "../../domain/media-types.ts";
import { PictureStructure } from "../../domain/picture-structure.ts";
import { type Problem, Problems } from "../../domain/problems.ts";
import { MAX_DETAIL_BYTES, MAX_FILE_BYTES, MAX_UPLOAD_FILES } from "../../domain/quota.ts";
import type { BlobWriter, FileBuffer } from "../storage/blob-writer.ts";

/** Most memory of a form in bytes: the window, six buffers, and the data of 20,000 files (docs/measurements.md). */
export const FORM_MEMORY = 16 * 1_048_576;

export interface ReceivedFile {
  readonly kind: FileKind;
  /** Lower-case hexadecimal; empty if the file has a problem. */
  readonly sha256: string;
  readonly size: number;
  readonly mediaType: string;
}

export interface ReceivedForm {
  readonly files: ReadonlyMap<string, ReceivedFile>;
  readonly detail: AssetsDetail;
  /** Problems of parts and files. After the first, no file is put. */
  readonly problems: Problems;
  /** SHA-256 over the sorted part names, file names and digests, equal for equal forms. */
  readonly digest: Uint8Array;
}

/** The files and assets_detail. */
const MAX_PARTS = MAX_UPLOAD_FILES + 1;

/** The largest file and one byte more, which detects one that is too large. */
export const FILE_BUFFER = MAX_FILE_BYTES + 1;
const KINDS: ReadonlySet<string> = new Set([
  "asset_file",
  "reference_file",
  "asset_placeholder",
] satisfies FileKind[]);
const isFileKind = (name: string): name is FileKind => KINDS.has(name);

/**
 * Reads a form's parts, in any order, and puts each file as it arrives. @param keeps whether files are put, or only
 * checked @throws ServiceError for a malformed body, or one above a limit
 */
export async function receiveForm(
  parts: AsyncIterable<FormPart>,
  writer: BlobWriter,
  keeps: boolean,
): Promise<ReceivedForm> {
  const files = new Map<string, ReceivedFile>();
  const problems = new Problems();
  let detailText: string | null = null;
  let detailPrint = "";
  let count = 0;
  let hasPlaceholder = false;

  for await (const part of parts) {
    // Unknown parts count too: a form could have a million of them.
    if (++count > MAX_PARTS) {
      const message = `The form has more than ${MAX_UPLOAD_FILES} files and assets_detail. Send them in several requests; they add up in the draft.`;
      throw new ServiceError("payload_too_large", message);
    }
    if (part.name === "assets_detail") {
      if (detailText !== null) problems.add(twice(["assets_detail"], "part assets_detail"));
      const { text, sha256 } = await readDetail(part);
      detailPrint = print(part.name, part.filename, sha256);
      detailText = text;
      continue;
    }
    if (!isFileKind(part.name)) {
      const message =
        "Unknown part. A form has asset_file, reference_file, asset_placeholder and assets_detail.";
      problems.add(fault([part.name], message));
      continue;
    }
    const nameFault = part.filename === null ? "is missing" : filenameFault(part.filename);
    if (part.filename === null || nameFault !== null) {
      problems.add(fault([part.name, part.filename ?? ""], `The file name ${nameFault}.`));
      continue;
    }
    if (files.has(part.filename)) {
      const named = `file named ${JSON.stringify(quotedText(part.filename))}`;
      problems.add(twice([part.name, part.filename], named));
      continue;
    }
    if (part.name === "asset_placeholder" && hasPlaceholder) {
      problems.add(twice([part.name, part.filename], "part asset_placeholder"));
      continue;
    }
    hasPlaceholder ||= part.name === "asset_placeholder";
    files.set(part.filename, await receiveFile(part, part.name, part.filename, { writer, problems, keeps }));
  }

  const digest = formDigest(detailPrint, files);
  const isAlone = detailText === null && files.size === 1 && hasPlaceholder;
  const detail = isAlone ? NO_DETAILS : readAssetsDetail(detailText, problems);
  return { files, detail, problems, digest };
}

/** The file that NFTs show until a reveal. */
export const placeholderIn = (files: ReadonlyMap<string, ReceivedFile>): ReceivedFile | undefined =>
  Array.from(files.values()).find(({ kind }) => kind === "asset_placeholder");

/** Reads and checks a file, and begins to put it. */
async function receiveFile(
  part: FormPart,
  kind: FileKind,
  filename: string,
  { writer, problems, keeps }: { writer: BlobWriter; problems: Problems; keeps: boolean },
): Promise<ReceivedFile> {
  const buffer = await writer.buffer();
  let kept = false;
  try {
    await gather(part, buffer);
    const { bytes } = buffer;
    const media = kind === "reference_file" ? null : mediaType(bytes);
    const problem = problemOf(kind, filename, bytes, media);
    if (problem !== null) {
      problems.add(problem);
      return { kind, sha256: "", size: bytes.length, mediaType: UNKNOWN_TYPE };
    }
    const file = {
      kind,
      sha256: digestOf("sha256", bytes, "hex"),
      size: bytes.length,
      mediaType: media ?? JSON_TYPE,
    };
    if (keeps && problems.count === 0) {
      kept = true;
      await writer.put(file.sha256, buffer, file.mediaType);
    }
    return file;
  } finally {
    if (!kept) writer.release(buffer);
  }
}

async function gather(part: FormPart, buffer: FileBuffer): Promise<void> {
  while (!buffer.full) {
    const chunk = await part.read();
    if (chunk === null) break;
    buffer.append(chunk);
  }
}

function problemOf(
  kind: FileKind,
  filename: string,
  bytes: Uint8Array,
  media: MediaType | null,
): Problem | null {
  const path = [kind, filename];
  if (bytes.length > MAX_FILE_BYTES) {
    const message = `Too large: a file may have at most ${MAX_FILE_BYTES} bytes (1 MB).`;
    return { kind: "size", path, message };
  }
  if (bytes.length === 0) return fault(path, "The file is empty.");
  if (kind !== "reference_file") {
    if (media === null) return { kind: "media", path, message: mediaFault(bytes) };
    const structure = new PictureStructure();
    structure.push(bytes);
    const broken = structure.end();
    return broken === null ? null : fault(path, broken);
  }
  const wrong = referenceFault(bytes);
  return wrong === null ? null : fault(path, `A reference file has to be a JSON object; this one ${wrong}.`);
}

/** Decodes assets_detail chunk by chunk, so that its bytes are never all in memory. */
async function readDetail(part: FormPart): Promise<{ text: string; sha256: string }> {
  const hash = createHash("sha256");
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: false });
  let text = "";
  let size = 0;
  for (let chunk = await part.read(); chunk !== null; chunk = await part.read()) {
    size += chunk.length;
    if (size > MAX_DETAIL_BYTES) {
      const message = `assets_detail is larger than ${MAX_DETAIL_BYTES} bytes (8 MB).`;
      throw new ServiceError("payload_too_large", message, {
        issues: [{ path: ["assets_detail"], message: "Too large: attach the assets in several requests." }],
      });
    }
    hash.update(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), sha256: hash.digest("hex") };
}

const print = (part: string, filename: string | null, sha256: string): string =>
  JSON.stringify([part, filename, sha256]);

/** The details, then the files of each kind in the order of their names. */
function formDigest(detail: string, files: ReadonlyMap<string, ReceivedFile>): Uint8Array {
  const hash = createHash("sha256").update(detail);
  const names = Array.from(files.keys()).sort();
  for (const kind of KINDS) {
    for (const name of names) {
      const file = files.get(name)!;
      if (file.kind === kind) hash.update(print(kind, name, file.sha256));
    }
  }
  return new Uint8Array(hash.digest());
}

const fault = (path: readonly string[], message: string): Problem => ({ kind: "invalid", path, message });

const twice = (path: readonly string[], what: string): Problem =>
  fault(path, `The form has more than one ${what}.`);

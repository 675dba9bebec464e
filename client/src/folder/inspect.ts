import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { mediaFault, mediaType, SNIFFED_BYTES } from "./media-sniffing.ts";
import { type FolderPlan, MAX_FILE } from "./plan.ts";

/**
 * Looks into the files of a folder as the service will, so that what is wrong is known before anything is sent.
 * @returns sentences that say what to do
 */
export async function inspectFiles(folder: string, { assets, placeholder }: FolderPlan): Promise<string[]> {
  const problems: string[] = [];
  const reject = (path: string, fault: string | null) => {
    if (fault !== null) problems.push(`${path} ${fault}`);
  };
  for (const { media, reference } of [
    ...assets,
    ...(placeholder ? [{ media: placeholder, reference: null }] : []),
  ]) {
    if (isSized(media.size)) reject(media.path, await unknownMedia(join(folder, media.path)));
    if (reference && isSized(reference.size)) {
      reject(reference.path, referenceFault(await readFile(join(folder, reference.path))));
    }
  }
  return problems;
}

/** Whether a file's size is allowed; `planFolder` reports the others. */
const isSized = (size: number): boolean => size > 0 && size <= MAX_FILE;

async function unknownMedia(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    const start = buffer.subarray(0, bytesRead);
    return mediaType(start) === null ? `can't be used: ${mediaFault(start)} Export it again.` : null;
  } finally {
    await file.close();
  }
}

function referenceFault(bytes: Uint8Array): string | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return "is not UTF-8 text; save it as UTF-8.";
  }
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? null : "is not a JSON object; metadata is one object a file.";
  } catch (error) {
    return `is not JSON: ${(error as SyntaxError).message}`;
  }
}

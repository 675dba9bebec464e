import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FolderPlan, MAX_FILE } from "./plan.ts";

/** First bytes of the pictures that the service takes; `.` is any byte (https://mimesniff.spec.whatwg.org/, 6.1). */
const SIGNATURES = ["\xff\xd8\xff", "\x89PNG\r\n\x1a\n", "GIF87a", "GIF89a", "RIFF....WEBPVP"];
const LONGEST = 14;

/**
 * Looks into the files of a folder as the service will, so that what is wrong is known before anything is sent.
 * @returns sentences that say what to do
 */
export async function inspectFiles(folder: string, { assets }: FolderPlan): Promise<string[]> {
  const problems: string[] = [];
  const reject = (path: string, fault: string | null) => {
    if (fault !== null) problems.push(`${path} ${fault}`);
  };
  for (const { picture, reference } of assets) {
    if (isSized(picture.size)) reject(picture.path, await pictureFault(join(folder, picture.path)));
    if (reference && isSized(reference.size)) {
      reject(reference.path, referenceFault(await readFile(join(folder, reference.path))));
    }
  }
  return problems;
}

/** Files of other sizes are refused for that. */
const isSized = (size: number): boolean => size > 0 && size <= MAX_FILE;

async function pictureFault(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST), 0, LONGEST, 0);
    const start = buffer.subarray(0, bytesRead).toString("latin1");
    const known = SIGNATURES.some((signature) =>
      signature.split("").every((mark, index) => mark === "." || start[index] === mark),
    );
    return known ? null : "is no PNG, JPEG, GIF or WebP picture by its bytes; export it anew.";
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

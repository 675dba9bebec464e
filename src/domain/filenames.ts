import { MAX_FILENAME_BYTES } from "./quota.ts";
import { controlCharacter } from "./texts.ts";

/** Why a name can't be that of a file, as a sentence's end; null if it can. A name is one segment of a path. */
export function filenameFault(name: string): string | null {
  if (name === "") return "is empty";
  if (name === "." || name === "..") return "is a relative path";
  if (/[/\\]/.test(name)) return "has a slash or backslash; send the bare file name";
  if (controlCharacter(name) !== null) return "has a control character";
  if (!name.isWellFormed()) return "is not valid Unicode";
  if (new TextEncoder().encode(name).length > MAX_FILENAME_BYTES) {
    return `is longer than ${MAX_FILENAME_BYTES} bytes`;
  }
  return null;
}

/** A file under the name it was uploaded by. */
interface NamedFile {
  readonly name: string;
  /** The same for the same bytes. */
  readonly digest: string;
}

/**
 * Names for a directory: the first file of a name keeps it, the same bytes under the same name are one entry, and a later file
 * has a number before its extension (`1.png`, `1-2.png`) that is still free. Depends on the order of the files alone.
 */
export function directoryNames<File extends NamedFile>(files: Iterable<File>): Map<string, File> {
  const named = new Map<string, File>();
  const later: File[] = [];
  for (const file of files) {
    const first = named.get(file.name);
    if (first === undefined) named.set(file.name, file);
    else if (first.digest !== file.digest) later.push(file);
  }
  const placed = new Set<string>();
  const lastNumber = new Map<string, number>();
  for (const file of later) {
    const identity = `${file.digest} ${file.name}`;
    if (placed.has(identity)) continue;
    placed.add(identity);
    let number = lastNumber.get(file.name) ?? 1;
    do number++;
    while (named.has(numberedName(file.name, number)));
    lastNumber.set(file.name, number);
    named.set(numberedName(file.name, number), file);
  }
  return named;
}

/** Characters of an extension with its dot; what is longer counts as part of the name. */
const MAX_EXTENSION = 20;

/**
 * `1.png` with 2 is `1-2.png`; a name without an extension has the number at its end. Where it would become longer than a name
 * may be, the part before the number is cut.
 */
function numberedName(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  const hasExtension = dot > 0 && name.length - dot <= MAX_EXTENSION;
  const end = `-${number}${hasExtension ? name.slice(dot) : ""}`;
  const stem = [...(hasExtension ? name.slice(0, dot) : name)];
  let excess = Buffer.byteLength(name) + `-${number}`.length - MAX_FILENAME_BYTES;
  while (excess > 0) excess -= Buffer.byteLength(stem.pop()!);
  return stem.join("") + end;
}

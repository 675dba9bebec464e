import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { beginFile } from "./begun-file.ts";

/**
 * A file of JSON, one value a line, that an interrupted command resumes from: a head that says what it is for, and what was
 * done. Lines are only ever added, so that a killed run leaves at most one that is cut off; what it told was not yet relied
 * on, and it is removed.
 */
export class LineFile<Head, Line> {
  readonly head: Head;
  /** What earlier runs have written. */
  readonly lines: readonly Line[];
  readonly #file: string;

  private constructor(file: string, [head, ...lines]: readonly unknown[]) {
    this.#file = file;
    this.head = head as Head;
    this.lines = lines as readonly Line[];
  }

  /** Opens what an earlier run left, or begins with this head. */
  static open<Head, Line>(file: string, begun: Head): LineFile<Head, Line> {
    if (!existsSync(file)) beginFile(file, `${JSON.stringify(begun)}\n`);
    const bytes = readFileSync(file);
    const whole = bytes.lastIndexOf(0x0a) + 1;
    if (whole < bytes.length) truncateSync(file, whole);
    const lines = bytes.subarray(0, whole).toString().split("\n").filter(Boolean);
    return new LineFile(
      file,
      lines.map((line) => JSON.parse(line) as unknown),
    );
  }

  write(line: Line): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** What a run over the rows of a file was started for, so that another run can't mistake another one for it. */
export interface RowsHead {
  readonly base_url: string;
  readonly collection_uuid: string;
  /** SHA-256 of the file of rows. */
  readonly rows_sha256: string;
}

/** How a head differs from what is wanted now, as the rest of a sentence; null: it doesn't. @param name of the file of rows */
export function differenceOf(head: RowsHead, wanted: RowsHead, name: string): string | null {
  if (head.base_url !== wanted.base_url) return `was started at ${head.base_url}`;
  if (head.collection_uuid !== wanted.collection_uuid)
    return `was started for collection ${head.collection_uuid}`;
  return head.rows_sha256 === wanted.rows_sha256 ? null : `was started with other rows in ${name}`;
}

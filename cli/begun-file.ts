import { randomUUID } from "node:crypto";
import { linkSync, rmSync, writeFileSync } from "node:fs";

/**
 * Makes a file that appears with all of its text or not at all. Of two runs that begin at once, one wins.
 * @returns whether this one made it; false: it was there
 */
export function beginFile(file: string, text: string): boolean {
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, text);
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(own);
  }
}

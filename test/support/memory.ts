import { isolateMemory } from "../../src/files/isolate-memory.ts";

/**
 * Takes memory that requests of this isolate share, as other requests of an integration would. Null: there is no room.
 * @param owner the integration, or any name @returns gives it back
 */
export const takeMemory = (bytes: number, owner: string, now = Date.now()): (() => void) | null => {
  const share = isolateMemory.take(bytes, owner, now);
  return share && (() => isolateMemory.giveBack(share));
};

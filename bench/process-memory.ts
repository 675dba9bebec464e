import { readFileSync, writeFileSync } from "node:fs";

/** Bytes of a process that are in memory, as Linux counts them (proc(5)). */
const residentBytes = (pid: number): number => field(pid, "VmRSS");

/** Forgets the peak so far. */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5");

/** The most bytes that were in memory since the last reset. */
export const peakBytes = (pid: number): number => field(pid, "VmHWM");

function field(pid: number, name: string): number {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (!match) throw new Error(`the kernel doesn't say ${name} of process ${pid}`);
  return Number(match[1]) * 1024;
}

/** Waits until a process's memory has come to rest. @returns bytes in memory then */
export async function idleBytes(pid: number): Promise<number> {
  for (let before = residentBytes(pid); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const now = residentBytes(pid);
    if (Math.abs(now - before) < 262_144) return now;
    before = now;
  }
}

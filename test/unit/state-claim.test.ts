import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimState, holderOf } from "../../scripts/state-claim.ts";

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mintage-state-"));
});
afterEach(() => {
  child?.kill();
  rmSync(folder, { recursive: true });
});

/** Runs a file that does nothing and doesn't end, and notes it as the one that uses the data. */
const running = (file: string): ChildProcess => {
  mkdirSync(join(folder, dirname(file)), { recursive: true });
  writeFileSync(join(folder, file), "setInterval(() => undefined, 1_000);");
  const started = spawn(process.execPath, [join(folder, file)], { stdio: "ignore" });
  writeFileSync(join(folder, "start.pid"), String(started.pid));
  child = started;
  return started;
};

test.each(["scripts/start.ts", "cli/backup.ts", "cli/restore.ts"])(
  "while %s uses the data, nothing else may, and once it was killed it may",
  async (file) => {
    const user = running(file);
    expect(holderOf(folder)).toBe(user.pid);
    expect(claimState(folder)).toBeNull();
    user.kill("SIGKILL");
    await once(user, "exit");
    expect(holderOf(folder)).toBeNull();
    expect(claimState(folder)).toEqual({ killed: true });
  },
);

test("data is free if another program has got the number of the process that used it", () => {
  running("cli/upload.ts");
  expect(holderOf(folder)).toBeNull();
});

test("data that nothing has used is free", () => {
  expect(claimState(folder)).toEqual({ killed: false });
  expect(holderOf(folder)).toBeNull();
});

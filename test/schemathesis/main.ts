/**
 * `npm run test:schemathesis [-- --seed 1]`: the fuzzer Schemathesis (https://schemathesis.readthedocs.io) sends to a service of
 * its own what the OpenAPI document allows and forbids, and checks the answers against the document. Needs Python 3.10 with
 * venv. Ends with 1 if an answer is wrong.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endScripts, freePort, said, startScript } from "../support/npm-start.ts";

const VERSION = "4.32.5";

/** They would revoke the key, lower the limits or delete the integration, so they are tried last. */
const DESTRUCTIVE = ["adminRevokeKey", "adminSetLimits", "adminChangeIntegration", "adminDeleteIntegration"];

const { seed } = parseArgs({ options: { seed: { type: "string", default: "1" } } }).values;

const scratch = mkdtempSync(join(tmpdir(), "mintage-schemathesis-"));
const environment = {
  MINTAGE_DATA: join(scratch, "data"),
  PORT: String(await freePort()),
  NEAR_PORT: String(await freePort()),
};

/** @returns what it wrote to the output. @throws with what it wrote to the errors where it fails */
function output(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? stderr}`);
  return stdout;
}

/** Tries some operations for at most so many seconds. @returns whether every answer was right */
function fuzz(seconds: number, which: "exclude" | "include"): Promise<boolean> {
  const args = [
    ["run", `http://localhost:${environment.PORT}/openapi.json`, "--seed", seed, "--continue-on-failure"],
    ["-n", "25", "-w", "2", "--rate-limit", "auto", "--max-time", `${seconds}`, "--request-timeout", "40"],
    // Few of its random header values fit their patterns.
    ["--suppress-health-check", "filter_too_much"],
    // It expects success of each request that fits the schema: one with a used Idempotency-Key fits, and is refused rightly.
    ["--exclude-checks", "positive_data_acceptance"],
    ...DESTRUCTIVE.map((operation) => [`--${which}-operation-id`, operation]),
  ].flat();
  const child = spawn(join(scratch, "venv/bin/schemathesis"), args, { cwd: scratch, stdio: "inherit" });
  return new Promise((resolve, reject) =>
    child.once("exit", (code) => resolve(code === 0)).once("error", reject),
  );
}

const service = startScript("scripts/start.ts", environment);
let passed = false;
try {
  output("python3", "-m", "venv", join(scratch, "venv"));
  output(join(scratch, "venv/bin/pip"), "install", "--quiet", `schemathesis==${VERSION}`);
  await said(service, "Ctrl-C");
  const settings = output(process.execPath, join(import.meta.dirname, "settings.ts"));
  writeFileSync(join(scratch, "schemathesis.toml"), settings, { mode: 0o600 });
  passed = await fuzz(240, "exclude");
  passed = (await fuzz(60, "include")) && passed;
} finally {
  await endScripts([service]);
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(passed ? 0 : 1);

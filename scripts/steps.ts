import { spawnSync } from "node:child_process";
import { ROOT } from "./local-settings.ts";

/** A command that has to succeed, by the name a reader knows it by. */
export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

/** Something that failed, and the first line of why. */
export interface Failure {
  readonly name: string;
  readonly error: string;
}

/** Runs a step in the foreground. @returns whether it succeeded */
export function runStep({ name, command: [program, ...args], env }: Step): boolean {
  process.stdout.write(`\n── ${name}\n`);
  const started = performance.now();
  const { status, error } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  if (error) process.stdout.write(`${error.message}\n`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`── ${name}: ${status === 0 ? "passed" : "FAILED"} in ${seconds} s\n`);
  return status === 0;
}

/** wrangler reports usage and asks questions unless told not to. */
export const QUIET_WRANGLER = { WRANGLER_SEND_METRICS: "false", CI: "true" };

/** Types and lint: what can be said about the code without running it. */
export const STATIC_STEPS: readonly Step[] = [
  {
    name: "binding types",
    command: ["wrangler", "types", "--env-file", "/dev/null", "--strict-vars", "false"],
    env: QUIET_WRANGLER,
  },
  { name: "types", command: ["tsc", "--noEmit", "-p", "."] },
  { name: "client package", command: ["tsc", "--noEmit", "-p", "client"] },
  { name: "lint", command: ["biome", "check", "--error-on-warnings", "."] },
];

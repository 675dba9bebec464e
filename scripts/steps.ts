import { spawn, spawnSync } from "node:child_process";
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

/** Writes the types of what wrangler.toml binds, which all other types rest on. */
const BINDING_TYPES: Step = {
  name: "binding types",
  command: ["wrangler", "types", "--env-file", "/dev/null", "--strict-vars", "false"],
  env: QUIET_WRANGLER,
};
const TYPES: Step = { name: "types", command: ["tsc", "--noEmit", "--pretty", "false", "-p", "."] };
const CLIENT_TYPES: Step = {
  name: "client package",
  command: ["tsc", "--noEmit", "--pretty", "false", "-p", "client"],
};
const BROWSER_TYPES: Step = {
  name: "browser scripts",
  command: ["tsc", "--noEmit", "--pretty", "false", "-p", "browser"],
};
const LINT: Step = { name: "lint", command: ["biome", "check", "--error-on-warnings", "."] };

/** How many static steps there are. */
export const STATIC_STEPS = 5;

/** Types and lint, side by side. @returns what failed */
export async function runStaticSteps(): Promise<Failure[]> {
  const typed = async () => {
    const bindings = await runQuietly(BINDING_TYPES);
    return [
      bindings,
      ...(await Promise.all([runQuietly(TYPES), runQuietly(CLIENT_TYPES), runQuietly(BROWSER_TYPES)])),
    ];
  };
  const [lint, types] = await Promise.all([runQuietly(LINT), typed()]);
  return [...types, lint].filter((failure) => failure !== null);
}

/** The first line of an output that says what is wrong. */
const reasonIn = (output: string): string => {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => /\berror\b|━━/i.test(line)) ?? lines[0] ?? "it said nothing";
};

/** Runs a step beside others. Its output is shown as a whole, and only if it failed. @returns null if it succeeded */
async function runQuietly({ name, command: [program, ...args], env }: Step): Promise<Failure | null> {
  const started = performance.now();
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const status = await new Promise<number | null>((resolve) => {
    child.on("error", (error) => {
      output += `${error.message}\n`;
      resolve(null);
    });
    child.on("close", resolve);
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (status === 0) {
    process.stdout.write(`── ${name}: passed in ${seconds} s\n`);
    return null;
  }
  process.stdout.write(`\n${output}── ${name}: FAILED in ${seconds} s\n`);
  return { name, error: reasonIn(output) };
}

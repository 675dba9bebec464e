import { spawn } from "node:child_process";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type Seen, uncalled } from "./statement-census.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the process that starts embedded chains (chain-farm.ts). */
    chainFarm: string;
  }
}

/** Projects of the API tests. */
const API = ["api", "api-alone"];

/** Projects whose tests use embedded chains. */
const NEED_CHAINS = [...API, "chain", "faults"];

/** Starts the farm of embedded chains once a run, if a project of the run needs it. */
export default async function setup(root: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { projects } = root.vitest;
  if (!projects.some(({ name }) => NEED_CHAINS.includes(name))) return undefined;
  const farm = spawn(process.execPath, [join(import.meta.dirname, "chain-farm.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => farm.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    farm.once("exit", (code) =>
      reject(new Error(`the chain farm ended with ${code} before it was listening`)),
    );
    farm.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /listening on (\S+)\n/.exec(said);
      if (found?.[1]) resolve(found[1]);
    });
  });
  root.provide("chainFarm", url);
  return async () => {
    try {
      const api = projects.filter(({ name }) => API.includes(name));
      if (api.length === API.length) await requireAllStatements(api, url);
    } finally {
      farm.stdin.end();
      await exited;
    }
  };
}

/** Once all API tests have run, one of them has called each function that sends statements, or the run fails. */
const requireAllStatements = async (projects: readonly TestProject[], farm: string): Promise<void> => {
  const files = await Promise.all(projects.map(async (project) => (await project.globTestFiles()).testFiles));
  const said = (await (await fetch(`${farm}/census`)).json()) as string[];
  const filtered = projects[0]?.vitest.config.testNamePattern !== undefined;
  if (said.length < files.flat().length || filtered) return;
  const missing = uncalled(said.map((report) => JSON.parse(report) as Seen));
  if (missing.length === 0) return;
  process.exitCode = 1;
  throw new Error(
    `no API test calls these, so that nobody knows what their statements read:\n${missing.join("\n")}`,
  );
};

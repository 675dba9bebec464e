import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type Seen, uncalled } from "./statement-census.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the process that starts embedded chains (chain-farm.ts). */
    chainFarm: string;
  }
}

/** Starts the farm of embedded chains once a run, whatever projects need it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
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
  project.provide("chainFarm", url);
  return async () => {
    try {
      if (CENSUS.includes(project.name)) await requireAllStatements(project, url);
    } finally {
      farm.stdin.end();
      await exited;
    }
  };
}

/** Projects whose tests together call each function that sends statements. */
const CENSUS = ["api", "api-slow"];

/** Where a project leaves what its tests saw. */
const censusOf = (name: string) => join(import.meta.dirname, `../../.vite/census-${name}.json`);

/**
 * Once all tests of both projects have run, in one run or in two, one of them has called each function that sends statements, or the
 * later run fails. A run of some files says nothing.
 */
const requireAllStatements = async (project: TestProject, farm: string): Promise<void> => {
  const { testFiles } = await project.globTestFiles();
  const said = (await (await fetch(`${farm}/census`)).json()) as string[];
  if (said.length < testFiles.length || project.vitest.config.testNamePattern !== undefined) return;
  const seen = said.map((report) => JSON.parse(report) as Seen);
  if (seen.every(({ statements }) => statements === 0)) {
    process.exitCode = 1;
    throw new Error("no API test has seen a statement of the service: statements.ts finds none");
  }
  writeFileSync(censusOf(project.name), JSON.stringify(seen));
  if (!CENSUS.every((name) => existsSync(censusOf(name)))) return;
  const reports = CENSUS.flatMap((name) => JSON.parse(readFileSync(censusOf(name), "utf8")) as Seen[]);
  for (const name of CENSUS) rmSync(censusOf(name));
  const missing = uncalled(reports);
  if (missing.length === 0) return;
  process.exitCode = 1;
  throw new Error(
    `no API test calls these, so that nobody knows what their statements read:\n${missing.join("\n")}`,
  );
};

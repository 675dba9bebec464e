import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/imports.ts";

/** An entry of package-lock.json (https://docs.npmjs.com/cli/configuring-npm/package-lock-json). */
interface Entry {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  /** A folder of this repository. */
  readonly link?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
}

const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Entry> };
const entries = Object.entries(packages).filter(
  ([path, { link }]) => path.includes("node_modules/") && link !== true,
);
const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string | boolean>>;
const pathsOf = (found: (entry: Entry) => boolean) =>
  entries.filter(([, entry]) => found(entry)).map(([path]) => path);

describe("the packages that npm ci installs", () => {
  test("are pinned by the digest of their contents, for every platform", () => {
    expect(entries.length).toBeGreaterThan(200);
    expect(pathsOf(({ integrity }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""))).toEqual([]);
  });

  test("come from the registry that the machine is configured with", () => {
    expect(pathsOf(({ resolved }) => resolved !== undefined)).toEqual([]);
    expect(read(".npmrc")).toContain("omit-lockfile-registry-resolved=true\n");
  });

  test("run no script during the installation", () => {
    expect(read(".npmrc")).toContain("ignore-scripts=true\n");
    const withScripts = pathsOf(({ hasInstallScript }) => hasInstallScript === true);
    const names = new Set(withScripts.map((path) => path.split("node_modules/").at(-1) ?? ""));
    // Packages with such a script work without it, because their binaries are separate packages.
    expect(Object.keys(manifest.allowScripts ?? {}).toSorted()).toEqual([...names].toSorted());
    expect(Object.values(manifest.allowScripts ?? {}).every((allowed) => allowed === false)).toBe(true);
  });

  test("have exactly the versions of package.json", () => {
    for (const kind of ["dependencies", "devDependencies", "optionalDependencies"]) {
      for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
        expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
      }
    }
  });

  test.each([
    ["linux", "x64"],
    ["linux", "arm64"],
    ["darwin", "x64"],
    ["darwin", "arm64"],
  ])("have one Node that runs TypeScript on %s %s", (os, cpu) => {
    const nodes = entries.filter(
      ([path, entry]) =>
        !path.includes("/node_modules/", 1) &&
        entry.bin?.node !== undefined &&
        [entry.os].flat().includes(os) &&
        [entry.cpu].flat().includes(cpu),
    );
    expect(nodes).toHaveLength(1);
    expect(Number(nodes[0]?.[1].version.split(".")[0])).toBeGreaterThanOrEqual(24);
  });

  test("have the runtime and its tools once", () => {
    for (const name of ["workerd", "miniflare", "wrangler"]) {
      expect(entries.filter(([path]) => path.endsWith(`node_modules/${name}`))).toHaveLength(1);
    }
  });
});

describe("the table of pinned packages in SECURITY.md", () => {
  const rows = [...read("SECURITY.md").matchAll(/^\| (\S+) \| (\d[\d.]*) \| (\d[\d.]*) \| GHSA/gm)];
  const numbers = (version: string) => version.split(".").map(Number);
  const isAtLeast = (version: string, least: string) => {
    const [have, want] = [numbers(version), numbers(least)];
    const at = want.findIndex((part, index) => part !== have[index]);
    return at === -1 || (have[at] ?? 0) > (want[at] ?? 0);
  };

  test("has a row for each package with a known advisory", () => {
    expect(rows.length).toBeGreaterThanOrEqual(7);
  });

  test.each(rows.map(([, name = "", pinned = "", mended = ""]) => ({ name, pinned, mended })))(
    "names $name, which is pinned at $pinned everywhere, with the fix of $mended",
    ({ name, pinned, mended }) => {
      const found = entries.filter(([path]) => path.endsWith(`node_modules/${name}`));
      expect(found.map(([, { version }]) => version)).toEqual([pinned]);
      expect(isAtLeast(pinned, mended)).toBe(true);
    },
  );
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { isBoundTo, orderOf, placementOf, twoWorkers, writesName } from "../../scripts/two-workers.ts";
import { ROOT } from "../support/imports.ts";

const folder = mkdtempSync(join(tmpdir(), "mintage-two-workers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
const REGION = { region: "aws:eu-central-1" } as const;

/** What wrangler makes of a configuration in a file of another folder. */
const read = (name: string, config: object) => {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(config));
  return unstable_readConfig({ config: file });
};

/** What a deployment sends, without the names of files that wrangler adds as it reads. */
const sent = (config: object) => {
  const { configPath, userConfigPath, assets, ...others } = config as typeof source;
  return others;
};

const routed = { ...source, routes: [{ pattern: "mint.example.com", custom_domain: true }] };

describe("the configurations of two Workers", () => {
  const { first, writes } = twoWorkers(routed, REGION, ROOT);

  test("give the first Worker wrangler.toml and a binding to the second", () => {
    const services = [{ binding: "WRITES", service: "mintage-writes" }];
    expect(sent(read("first", first))).toEqual({ ...sent(routed), services });
    expect(first.assets).toEqual({ ...source.assets, directory: join(ROOT, source.assets!.directory!) });
  });

  test("give the second the same code, settings and storage, and its placement", () => {
    const config = read("writes", writes);
    expect(config.name).toBe("mintage-writes");
    expect(config.placement).toEqual(REGION);
    for (const name of [
      "main",
      "compatibility_date",
      "compatibility_flags",
      "keep_vars",
      "minify",
      "vars",
      "rules",
      "limits",
      "observability",
      "d1_databases",
      "r2_buckets",
      "ratelimits",
    ] as const) {
      expect(config[name], name).toEqual(source[name]);
      expect(config[name], name).toBeDefined();
    }
  });

  test("bind only the first Worker to the second, and the second to none", () => {
    const { routes, route, workers_dev, preview_urls, triggers, services } = read("closed", writes);
    expect([routes, route, workers_dev, preview_urls, services]).toEqual([
      undefined,
      undefined,
      false,
      false,
      [],
    ]);
    expect(triggers.crons ?? []).toEqual([]);
    const open = { ...routed, workers_dev: true, preview_urls: true };
    expect(twoWorkers(open, REGION, ROOT).writes).toMatchObject({ workers_dev: false, preview_urls: false });
  });

  test("leave the classes of all objects to the first Worker", () => {
    const { durable_objects, migrations } = read("objects", writes);
    expect(durable_objects.bindings).toEqual(
      source.durable_objects.bindings.map((each: object) => ({ ...each, script_name: "mintage" })),
    );
    expect(durable_objects.bindings.length).toBeGreaterThan(2);
    expect(migrations).toEqual([]);
  });

  test("name the Workers of an environment differently from others", () => {
    const { first: staging, writes: second } = twoWorkers(
      { ...source, name: "mintage-staging" },
      REGION,
      ROOT,
    );
    expect(staging.services).toEqual([{ binding: "WRITES", service: "mintage-staging-writes" }]);
    expect(
      second.durable_objects?.bindings.map((each: { script_name?: string }) => each.script_name),
    ).toEqual(source.durable_objects.bindings.map(() => "mintage-staging"));
  });

  test("are refused for a name with which the second Worker's would be too long", () => {
    const named = (length: number) => twoWorkers({ ...source, name: "n".repeat(length) }, REGION, ROOT);
    expect(named(56).writes.name).toHaveLength(63);
    expect(() => named(57)).toThrow(/^shorten the Worker's name n+ to 56 characters: n+-writes has 1 more /);
  });
});

describe("WRITES_PLACEMENT", () => {
  test("is a cloud's region, smart, or empty", () => {
    expect(placementOf("smart")).toEqual({ mode: "smart" });
    expect(placementOf("gcp:us-east4")).toEqual({ region: "gcp:us-east4" });
    expect(placementOf("")).toBeNull();
    expect(placementOf(undefined)).toBeNull();
  });

  test("is refused with the accepted values if it is anything else", () => {
    const meant = (text: string) =>
      text === "" || text === "smart" || /^(aws|gcp|azure):[a-z0-9-]+$/.test(text);
    const given = fc.oneof(
      fc.string().filter((text) => !meant(text)),
      fc.constantFrom("Smart", "eu-central-1", "aws:", "aws:eu central", "weur", 'aws:a\nname = "x"'),
      fc.integer(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(given, (value) => {
        expect(() => placementOf(value)).toThrow('give "smart"');
      }),
    );
  });
});

test("wherever a deployment stops, a bound Worker finds the second one, and its classes exist", () => {
  fc.assert(
    fc.property(fc.boolean(), fc.nat(3), (isBound, steps) => {
      let hasClasses = isBound;
      let hasSecond = isBound;
      for (const each of orderOf(isBound).slice(0, steps)) {
        if (each === "writes") {
          expect(hasClasses).toBe(true);
          hasSecond = true;
        } else {
          if (each === "first") expect(hasSecond).toBe(true);
          hasClasses = true;
        }
      }
    }),
  );
  for (const isBound of [true, false]) {
    expect(orderOf(isBound)).toContain("writes");
    expect(
      orderOf(isBound)
        .filter((each) => each !== "writes")
        .at(-1),
    ).toBe("first");
  }
  // `wrangler rollback` goes to the deployment before, which has to be the release before.
  expect(orderOf(true).filter((each) => each !== "writes")).toHaveLength(1);
});

test("a version is bound to the second Worker only by a service binding named WRITES", () => {
  const bound = (...bindings: { type: string; name: string; service?: string }[]) =>
    isBoundTo({ resources: { bindings } }, writesName("mintage"));
  expect(
    bound({ type: "d1", name: "DB" }, { type: "service", name: "WRITES", service: "mintage-writes" }),
  ).toBe(true);
  expect(bound({ type: "service", name: "WRITES", service: "other-writes" })).toBe(false);
  expect(bound({ type: "service", name: "OTHER", service: "mintage-writes" })).toBe(false);
  expect(bound({ type: "plain_text", name: "WRITES" })).toBe(false);
  expect(isBoundTo({}, "mintage-writes")).toBe(false);
});

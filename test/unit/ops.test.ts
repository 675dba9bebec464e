import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { openMetrics } from "../../src/domain/open-metrics.ts";
import { ROOT } from "../support/imports.ts";

const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
const told = new Set(
  read("src/operator/metrics.ts")
    .match(/"mintage_[a-z_]+"/g)
    ?.map((name) => name.slice(1, -1)),
);
/** Metrics that a query names, without what the format adds to their names. */
const asked = (query: string): string[] =>
  (query.match(/\bmintage_[a-z_]+/g) ?? []).map((name) => name.replace(/_(total|bucket|gcount|gsum)$/, ""));

describe("ops/", () => {
  test("the alert rules ask for metrics that the service tells, and each says what it means", () => {
    const { groups } = parse(read("ops/alerts.yml")) as {
      groups: { rules: { alert: string; expr: string; for: string; annotations: { summary: string } }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, annotations, for: duration } of rules) {
      expect(
        asked(expr).filter((name) => !told.has(name)),
        alert,
      ).toEqual([]);
      expect(asked(expr), alert).not.toEqual([]);
      expect(annotations.summary, alert).toMatch(/\.$/);
      expect(duration, alert).toMatch(/^\d+[mh]$/);
    }
  });

  test("the dashboard shows metrics that the service tells, and every one that isn't for alerts alone", () => {
    const { panels } = JSON.parse(read("ops/grafana-dashboard.json")) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    const shown = new Set(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => asked(expr))));
    expect([...shown].filter((name) => !told.has(name))).toEqual([]);
    const hidden = ["mintage_archive_refused", "mintage_node_height", "mintage_wallet_low"];
    expect([...told].filter((name) => !shown.has(name)).toSorted()).toEqual(hidden);
  });
});

describe("the text of OpenMetrics", () => {
  test("is as its specification has it", () => {
    const text = openMetrics([
      {
        name: "a",
        type: "counter",
        help: 'Says "a"\\b\nc.',
        samples: [{ labels: { l: 'x"\\\ny' }, value: 5 }],
      },
      { name: "b_seconds", unit: "seconds", type: "gauge", help: "B.", samples: [{ value: 0.25 }] },
      {
        name: "c",
        type: "gaugehistogram",
        help: "C.",
        distributions: [
          {
            labels: { k: "v" },
            buckets: [
              { atMost: 1, count: 2 },
              { atMost: Number.POSITIVE_INFINITY, count: 3 },
            ],
            sum: 4.5,
          },
        ],
      },
    ]);
    expect(text.split("\n")).toEqual([
      "# TYPE a counter",
      '# HELP a Says \\"a\\"\\\\b\\nc.',
      'a_total{l="x\\"\\\\\\ny"} 5.0',
      "# TYPE b_seconds gauge",
      "# UNIT b_seconds seconds",
      "# HELP b_seconds B.",
      "b_seconds 0.25",
      "# TYPE c gaugehistogram",
      "# HELP c C.",
      'c_bucket{k="v",le="1.0"} 2.0',
      'c_bucket{k="v",le="+Inf"} 3.0',
      'c_gcount{k="v"} 3.0',
      'c_gsum{k="v"} 4.5',
      "# EOF",
      "",
    ]);
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { RULES } from "../../src/operator/attention.ts";
import { metricText, numberText } from "../../src/operator/metrics.ts";
import { ROOT } from "../support/imports.ts";

const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
/** Metrics that the service has. */
const reported = new Set(
  read("src/operator/metrics.ts")
    .match(/"mintage_[a-z_]+"/g)
    ?.map((name) => name.slice(1, -1)),
);
/** Metrics that a query names, without what the format adds to their names. */
const asked = (query: string): string[] =>
  (query.match(/\bmintage_[a-z_]+/g) ?? []).map((name) => name.replace(/_(total|bucket)$/, ""));

describe("the files of ops/", () => {
  const { groups } = parse(read("ops/alerts.yml")) as {
    groups: {
      rules: {
        alert: string;
        expr: string;
        for: string;
        labels: { severity: string };
        annotations: { summary: string };
      }[];
    }[];
  };
  const alerts = groups.flatMap(({ rules }) => rules);

  test("alert on existing metrics only, and each alert has an entry in docs/running.md", () => {
    const [, entries = ""] = read("docs/running.md").split("\n## Alerts\n");
    expect(alerts.length).toBeGreaterThan(5);
    for (const { alert, expr, annotations, for: duration } of alerts) {
      expect(
        asked(expr).filter((name) => !reported.has(name)),
        alert,
      ).toEqual([]);
      expect(asked(expr), alert).not.toEqual([]);
      expect(annotations.summary, alert).toMatch(/\.$/);
      expect(duration, alert).toMatch(/^\d+[mh]$/);
      expect(entries.split("\n## ")[0]).toMatch(new RegExp(`^\\| \`${alert}\` \\| .+\\. \\| .+ \\|$`, "m"));
    }
  });

  test("have an alert for each attention rule, with the rule's name and severity", () => {
    const found = alerts.flatMap(({ alert, expr, labels }) => {
      const [, rule] = /^mintage_attention\{rule="(\w+)"\} > 0$/.exec(expr) ?? [];
      return rule === undefined ? [] : [[rule, alert, labels.severity]];
    });
    const pascal = (rule: string) =>
      rule.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    expect(found).toEqual(
      Object.entries(RULES).map(([rule, { severity }]) => [rule, `Mintage${pascal(rule)}`, severity]),
    );
  });

  test("show every metric of the service on the dashboard, and no other", () => {
    const { panels } = JSON.parse(read("ops/grafana-dashboard.json")) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    const shown = new Set(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => asked(expr))));
    expect([...shown].toSorted()).toEqual([...reported].toSorted());
  });
});

describe("the metrics as text", () => {
  test("follow the OpenMetrics specification", () => {
    const text = [
      metricText("counter", "a", 'Says "a"\\b\nc.', [[5, { l: 'x"\\\ny' }], [null]]),
      metricText("gauge", "b_seconds", "B.", [[0.25]]),
      metricText("histogram", "c", "C.", [
        [2, { k: "v", le: numberText(1) }],
        [3, { k: "v", le: numberText(Number.POSITIVE_INFINITY) }],
      ]),
    ].join("");
    expect(text.split("\n")).toEqual([
      "# TYPE a counter",
      '# HELP a Says \\"a\\"\\\\b\\nc.',
      'a_total{l="x\\"\\\\\\ny"} 5.0',
      "# TYPE b_seconds gauge",
      "# HELP b_seconds B.",
      "b_seconds 0.25",
      "# TYPE c histogram",
      "# HELP c C.",
      'c_bucket{k="v",le="1.0"} 2.0',
      'c_bucket{k="v",le="+Inf"} 3.0',
      "",
    ]);
  });
});

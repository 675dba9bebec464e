/**
 * The text format of OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/), which Prometheus and
 * compatible collectors read.
 */

/** Media type of the text. */
export const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** What a sample is told apart by. */
export type Labels = Readonly<Record<string, string>>;

/** A value with its labels. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** Values of one distribution: bounds in rising order with the count of values at or below each; the last is infinity. */
export interface Distribution {
  readonly labels?: Labels;
  readonly buckets: readonly { readonly atMost: number; readonly count: number }[];
}

/** A metric: its name, what it means, and its samples. */
export type Metric = { readonly name: string; readonly help: string } & (
  | { readonly type: "gauge" | "counter"; readonly samples: readonly Sample[] }
  | { readonly type: "histogram"; readonly distributions: readonly Distribution[] }
);

/** The text of all metrics. */
export const openMetrics = (metrics: readonly Metric[]): string =>
  `${metrics.map(metricText).join("")}# EOF\n`;

const metricText = (metric: Metric): string => {
  const { name, type, help } = metric;
  const lines = [`# TYPE ${name} ${type}`, `# HELP ${name} ${escaped(help)}`];
  if (metric.type === "histogram")
    lines.push(...metric.distributions.flatMap((one) => distributionLines(name, one)));
  else {
    const suffix = metric.type === "counter" ? "_total" : "";
    lines.push(...metric.samples.map(({ labels, value }) => sampleLine(`${name}${suffix}`, labels, value)));
  }
  return lines.map((line) => `${line}\n`).join("");
};

const distributionLines = (name: string, { labels, buckets }: Distribution): string[] =>
  buckets.map(({ atMost, count }) =>
    sampleLine(`${name}_bucket`, { ...labels, le: numberText(atMost) }, count),
  );

const sampleLine = (name: string, labels: Labels | undefined, value: number): string => {
  const pairs = Object.entries(labels ?? {}).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${numberText(value)}`;
};

/** Bounds of buckets have to be written as floating-point numbers. */
const numberText = (value: number): string => {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
};

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

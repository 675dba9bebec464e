import type { Hono } from "hono";
import type { Child } from "hono/jsx";
import type { Overview } from "../api/resources/overview.ts";
import { Frame, page, type Setting, scriptOf } from "../collections/pages/frame.tsx";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { operatorOnly } from "../http/operator.ts";
import { readOverview } from "./overview.ts";

/** The frame of the operator's page. What it shows comes once the token is entered, and stays in the tab. */
const OperatorFrame = ({ setting, script }: { setting: Setting; script: string }) => (
  <Frame setting={setting} title="Operator" scripts={[script]} hasScripted>
    <h1>Operator</h1>
    <noscript>
      <p>This page needs a script. GET /admin/v1/overview has the same as JSON.</p>
    </noscript>
    <div class="scripted">
      <form id="enter" class="row">
        <div class="wide">
          <label for="token">Operator's token</label>
          <input id="token" type="password" autocomplete="off" spellcheck={false} required />
        </div>
        <button type="submit">Show</button>
      </form>
      <p id="inside" class="row" hidden>
        <button id="leave" class="plain" type="button">
          Forget the token
        </button>
      </p>
      <p id="says" role="status" />
    </div>
    <div id="view" />
  </Frame>
);

/** yoctoNEAR as NEAR to four decimals, for people; exact amounts are those of the API. */
const near = (yocto: string | null): string =>
  yocto === null ? "–" : `${(Number(BigInt(yocto) / 10n ** 20n) / 10_000).toFixed(4)} NEAR`;

const days = (runway: number | null): string =>
  runway === null ? "–" : runway > 9_999 ? "years" : `${runway} days`;

const seconds = (value: number | null): string => (value === null ? "–" : `${value} s`);

const UNITS = ["B", "kB", "MB", "GB", "TB"];

const size = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${Number((bytes / 1_000 ** power).toPrecision(3))} ${UNITS[power]}`;
};

/** A moment, in UTC; the page's script shows the reader's own time, and keeps this as the title. */
const Time = ({ at }: { at: string }) => (
  <time datetime={at} title={at}>
    {at}
  </time>
);

interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  readonly none: string;
  /** Where to find what the table leaves out; undefined: it shows everything. */
  readonly rest?: string | undefined;
}

const Table = ({ caption, columns, rows, none, rest }: TableProps) => (
  <section>
    <h2>{caption}</h2>
    {rows.length === 0 ? (
      <p class="soft">{none}</p>
    ) : (
      // Wider than a phone: it scrolls by itself, by keys too.
      <section class="scrolls" tabindex={0} aria-label={caption}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col">{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells) => (
              <tr>
                {cells.map((cell) => (
                  <td>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    )}
    {rest && <p class="soft">{rest}</p>}
  </section>
);

type Day = Overview["operations"]["days"][number];

/** A series of a chart: what it shows, and its bars' class. */
interface Series {
  readonly label: string;
  readonly style: "bar" | "bar-bad" | "bar-soft";
  readonly of: (day: Day) => number;
}

/** Measures of a chart: the plot's height, the width of a day, and the room for the labels of its axes. */
const [HEIGHT, DAY, LEFT, BELOW] = [120, 26, 44, 22];

/** The least of 1, 2 and 5 times a power of ten that is not below a value: where an axis ends. */
const axisEnd = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((end) => end >= value) ?? value;
};

/** Bars of each day. Those of a later series stand in front of those before. */
const Chart = ({
  title,
  unit,
  data,
  series,
}: {
  title: string;
  unit: string;
  data: readonly Day[];
  series: readonly Series[];
}) => {
  const end = axisEnd(Math.max(...series.flatMap(({ of }) => data.map(of)), 0));
  const heightOf = (value: number) => (value / end) * HEIGHT;
  const width = LEFT + data.length * DAY;
  return (
    <figure class="plot">
      <svg
        role="img"
        aria-label={`${title} (${unit}), the last ${data.length} days`}
        viewBox={`0 -16 ${width} ${HEIGHT + BELOW + 16}`}
      >
        {[0, 0.5, 1].map((part) => (
          <>
            <line x1={LEFT} x2={width} y1={HEIGHT * (1 - part)} y2={HEIGHT * (1 - part)} class="axis" />
            <text x={LEFT - 6} y={HEIGHT * (1 - part) + 4} text-anchor="end">
              {(end * part).toLocaleString("en")}
            </text>
          </>
        ))}
        <text x={0} y={-6}>
          {unit}
        </text>
        {data.map((day, index) => (
          <>
            {series.map(({ of, style }) => (
              <rect
                x={LEFT + index * DAY + 3}
                width={DAY - 6}
                y={HEIGHT - heightOf(of(day))}
                height={heightOf(of(day))}
                class={style}
              />
            ))}
            {(data.length - 1 - index) % 3 === 0 && (
              <text x={LEFT + (index + 0.5) * DAY} y={HEIGHT + 16} text-anchor="middle">
                {day.date.slice(5)}
              </text>
            )}
          </>
        ))}
      </svg>
      <figcaption>
        {title}, by day (UTC):{" "}
        {series.map(({ label, style }) => (
          <span class={`key ${style}`}>{label} </span>
        ))}
      </figcaption>
    </figure>
  );
};

const OperationCharts = ({ operations: { days: data } }: Overview) => (
  <section>
    <h2>Last 14 days</h2>
    <div class="two">
      <Chart
        title="Operations that ended"
        unit="operations"
        data={data}
        series={[
          { label: "all", style: "bar", of: (day) => day.succeeded + day.failed },
          { label: "failed", style: "bar-bad", of: (day) => day.failed },
        ]}
      />
      <Chart
        title="Time from acceptance to the end"
        unit="seconds"
        data={data}
        series={[
          { label: "p95", style: "bar-soft", of: (day) => day.p95_seconds ?? 0 },
          { label: "p50", style: "bar", of: (day) => day.p50_seconds ?? 0 },
        ]}
      />
    </div>
  </section>
);

/** Marks what needs attention by one of the rules: nothing else on the page is red. */
const Marked = ({
  overview,
  subject,
  rules,
  children,
}: {
  overview: Overview;
  subject: string | null;
  rules: readonly string[];
  children?: Child;
}) => {
  const isBad = overview.attention.some((one) => one.subject === subject && rules.includes(one.rule));
  return <span class={isBad ? "bad" : ""}>{children}</span>;
};

const Parts = (overview: Overview) => {
  const { database, bucket, schedule, platform, writes } = overview;
  const part = (subject: string, children: Child) => (
    <Marked
      overview={overview}
      subject={subject}
      rules={["part_down", "database_behind", "database_filling", "platform_low"]}
    >
      {children}
    </Marked>
  );
  return (
    <section>
      <h2>Parts</h2>
      <dl>
        <dt>Database</dt>
        <dd>
          {part(
            "database",
            database.size_bytes === null
              ? "down"
              : `${size(database.size_bytes)} of ${size(database.limit_bytes)}, ${database.full_percent} %`,
          )}
          {database.full_at !== null && (
            <>
              , full at <Time at={database.full_at} />
            </>
          )}
        </dd>
        <dt>Bucket</dt>
        <dd>{part("bucket", bucket.state)}</dd>
        <dt>Scheduled job</dt>
        <dd>
          {part("schedule", schedule.state)}, last run{" "}
          {schedule.last_run_at === null ? "never" : <Time at={schedule.last_run_at} />}
        </dd>
        <dt>Platform's account</dt>
        <dd>
          {part(platform.account_id, platform.state)}, {platform.account_id} can spend{" "}
          {near(platform.available)}
        </dd>
        {writes.state !== "here" && (
          <>
            <dt>Worker for writes</dt>
            <dd>{part("writes", writes.state)}</dd>
          </>
        )}
      </dl>
    </section>
  );
};

const code = (text: string) => <code>{text}</code>;

/** Wallets in the page's table. */
const WALLETS = 50;

const Wallets = (overview: Overview) => (
  <Table
    caption="Integrations"
    columns={["name", "state", "wallet", "balance", "runway", "open operations", "integration"]}
    none="None yet: npm run admin -- integration create --name TEXT"
    rest={
      overview.wallets.length > WALLETS
        ? `These ${WALLETS} have the shortest runway: npm run admin -- integrations lists all.`
        : undefined
    }
    rows={overview.wallets.slice(0, WALLETS).map((one) => [
      one.name,
      one.state,
      one.account_id === null ? "–" : code(one.account_id),
      <Marked overview={overview} subject={one.account_id} rules={["wallet_low"]}>
        {near(one.balance)}
      </Marked>,
      <Marked overview={overview} subject={one.account_id} rules={["wallet_low", "wallet_runway_short"]}>
        {days(one.runway_days)}
      </Marked>,
      one.operations_open,
      code(one.integration_uuid),
    ])}
  />
);

/** An overview for people: what `GET /admin/v1/overview` answers. */
const OperatorView = (overview: Overview) => (
  <>
    <p class="soft">
      As of <Time at={overview.at} />. Times are yours; point at one for UTC.
    </p>
    <Table
      caption="Needs attention"
      columns={["rule", "what", "subject", "what to do"]}
      none="Nothing."
      rows={overview.attention.map((one) => [
        <span class="bad">{one.rule.replaceAll("_", " ")}</span>,
        one.message,
        code(one.subject),
        one.what_to_do,
      ])}
    />
    <Parts {...overview} />
    <OperationCharts {...overview} />
    <Table
      caption="Ended today (UTC)"
      columns={["kind", "succeeded", "failed", "p50", "p95"]}
      none="No operation."
      rows={overview.operations.today.map((one) => [
        one.kind,
        one.succeeded,
        one.failed,
        seconds(one.p50_seconds),
        seconds(one.p95_seconds),
      ])}
    />
    <Table
      caption="Open operations"
      columns={["kind", "state", "count", "oldest accepted"]}
      none="No operation."
      rows={overview.operations.open.map((one) => [
        one.kind,
        one.state,
        one.count,
        <Time at={one.oldest_at} />,
      ])}
    />
    <Table
      caption="Nodes"
      columns={["node", "state", "final height", "age", "latency"]}
      none="No node is configured."
      rows={overview.nodes.map((node) => [
        node.host,
        <Marked overview={overview} subject={node.host} rules={["node_down"]}>
          {node.state}
        </Marked>,
        node.height ?? "–",
        seconds(node.age_seconds),
        node.latency_ms === null ? "–" : `${node.latency_ms} ms`,
      ])}
    />
    <Wallets {...overview} />
  </>
);

const PATH = "/operator";

/**
 * Serves the operator's page. The page itself says nothing of the service: its script asks for the view with the token
 * that was entered. Without a token in the settings there is no such page.
 */
export const serveOperatorPage = (app: Hono<AppEnv>): void => {
  app.get(PATH, (c) =>
    page(c, async (setting) => {
      if (c.get("context").settings.ADMIN_TOKEN === undefined) {
        throw new ServiceError("not_found", "Nothing exists at this address.");
      }
      return OperatorFrame({ setting, script: scriptOf("operator") });
    }),
  );
  app.get(`${PATH}/view`, operatorOnly, async (c) => {
    const view = await OperatorView(await readOverview(c.get("context"))).toString();
    return c.html(view);
  });
};

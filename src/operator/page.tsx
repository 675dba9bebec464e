import type { Hono } from "hono";
import type { Child } from "hono/jsx";
import type { Overview } from "../api/resources/overview.ts";
import { Frame, page, type Setting, scriptOf } from "../collections/pages/frame.tsx";
import { ServiceError } from "../domain/errors.ts";
import type { AppEnv } from "../http/app-env.ts";
import { requireOperator } from "../http/authentication.ts";
import { Chart } from "./chart.tsx";
import { readOverview } from "./overview.ts";

/** The frame of the operator's page. Its content is loaded once the token is entered, which the tab keeps. */
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
        <button id="leave" class="mini" type="button">
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
const Time = ({ at }: { at: string | null }) =>
  at === null ? (
    <>never</>
  ) : (
    <time datetime={at} title={at}>
      {at}
    </time>
  );

interface TableProps {
  readonly caption: string;
  /** Charts of its numbers. */
  readonly charts?: Child;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  readonly none?: string;
  /** Where to find what the table leaves out; undefined: it shows everything. */
  readonly rest?: string | undefined;
}

const Table = ({ caption, charts, columns, rows, none, rest }: TableProps) => (
  <section>
    <h2>{caption}</h2>
    {charts}
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

const ENDED = ["succeeded", "failed", "p50", "p95"];

const ended = (one: Overview["operations"]["days"][number] | Overview["operations"]["today"][number]) => [
  one.succeeded,
  one.failed,
  seconds(one.p50_seconds),
  seconds(one.p95_seconds),
];

/** Marks subjects that need attention; nothing else on the page is red. */
const marked = ({ attention }: Overview, subject: string | null, text: Child) => (
  <span class={attention.some((one) => one.subject === subject) ? "bad" : ""}>{text}</span>
);

const Parts = (overview: Overview) => {
  const { database, bucket, schedule, platform } = overview;
  const { size_bytes: bytes, limit_bytes: limit, full_at: fullAt } = database;
  const filled = bytes === null ? "down" : `${size(bytes)} of ${size(limit)}, ${database.full_percent} %`;
  const row = (name: string, subject: string, state: string, more: Child): Child[] => [
    name,
    marked(overview, subject, state),
    more,
  ];
  return (
    <Table
      caption="Parts"
      columns={["part", "state", "more"]}
      rows={[
        row("database", "database", filled, fullAt === null ? "–" : ["full at ", <Time at={fullAt} />]),
        row("bucket", "bucket", bucket.state, "–"),
        row("scheduled job", "schedule", schedule.state, ["last run ", <Time at={schedule.last_run_at} />]),
        row("platform's account", platform.account_id, platform.state, [
          code(platform.account_id),
          ` can spend ${near(platform.available)}`,
        ]),
      ]}
    />
  );
};

const code = (text: string) => <code>{text}</code>;

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
    rows={overview.wallets
      .slice(0, WALLETS)
      .map((one) => [
        one.name,
        one.state,
        one.account_id === null ? "–" : code(one.account_id),
        marked(overview, one.account_id, near(one.balance)),
        marked(overview, one.account_id, days(one.runway_days)),
        one.operations_open,
        code(one.integration_uuid),
      ])}
  />
);

/** The last days, as the table below has them. */
const Charts = ({ operations: { days } }: Overview) => {
  const dates = days.map(({ date }) => date);
  return (
    <div class="charts">
      <Chart
        caption="Operations that ended"
        unit="operations"
        dates={dates}
        series={[
          { name: "succeeded", values: days.map(({ succeeded }) => succeeded) },
          { name: "failed", values: days.map(({ failed }) => failed) },
        ]}
      />
      <Chart
        caption="From acceptance to the end"
        unit="seconds"
        dates={dates}
        series={[
          { name: "p50", values: days.map(({ p50_seconds: p50 }) => p50) },
          { name: "p95", values: days.map(({ p95_seconds: p95 }) => p95) },
        ]}
      />
    </div>
  );
};

/** An overview for people: what `GET /admin/v1/overview` answers. */
const OperatorView = (overview: Overview) => (
  <>
    <p class="soft">
      As of <Time at={overview.at} />. Times are local; hover over one for UTC.
    </p>
    <Table
      caption="Needs attention"
      columns={["rule", "subject", "what is wrong, and what to do"]}
      none="Nothing."
      rows={overview.attention.map((one) => [
        <span class="bad">{one.rule.replaceAll("_", " ")}</span>,
        code(one.subject),
        one.message,
      ])}
    />
    <Parts {...overview} />
    <Table
      caption="Ended in the last 14 days (UTC)"
      charts={<Charts {...overview} />}
      columns={["day", ...ENDED]}
      rows={overview.operations.days.map((day) => [day.date, ...ended(day)]).toReversed()}
    />
    <Table
      caption="Ended today (UTC)"
      columns={["kind", ...ENDED]}
      none="No operation."
      rows={overview.operations.today.map((one) => [one.kind, ...ended(one)])}
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
        marked(overview, node.host, node.state),
        node.height ?? "–",
        seconds(node.age_seconds),
        node.latency_ms === null ? "–" : `${node.latency_ms} ms`,
      ])}
    />
    <Wallets {...overview} />
  </>
);

const PATH = "/operator";

/** Serves the operator's page, which has no data: its script loads the view with the entered token. */
export const serveOperatorPage = (app: Hono<AppEnv>): void => {
  app.get(PATH, (c) =>
    page(c, async (setting) => {
      if (c.get("context").settings.ADMIN_TOKEN === undefined) {
        throw new ServiceError("not_found", "Nothing exists at this address.");
      }
      return OperatorFrame({ setting, script: scriptOf("operator") });
    }),
  );
  app.get(`${PATH}/view`, async (c) => {
    await requireOperator(c);
    const view = await OperatorView(await readOverview(c.get("context"))).toString();
    return c.html(view);
  });
};

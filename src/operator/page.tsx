import type { Hono } from "hono";
import type { Child } from "hono/jsx";
import type { Overview } from "../api/resources/overview.ts";
import { Frame, page, type Setting, scriptOf } from "../collections/pages/frame.tsx";
import { ServiceError } from "../domain/errors.ts";
import { MOST_SHOWN } from "../domain/overview.ts";
import type { AppEnv } from "../http/app-env.ts";
import { operatorOnly } from "../http/operator.ts";
import { readOverview } from "./overview.ts";

/** The frame of the operator's page. What it shows comes once the token is entered, and stays in the tab. */
const OperatorFrame = ({ setting, script }: { setting: Setting; script: string }) => (
  <Frame setting={setting} title="Operator" scripts={[script]} hasScripted>
    <h1>Operator</h1>
    <noscript>
      <p>This page needs a script. Everything on it is in GET /admin/v1/overview too.</p>
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

const UNITS = ["B", "kB", "MB", "GB", "TB"];

const size = (bytes: number | null): string => {
  if (bytes === null) return "–";
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${Number((bytes / 1_000 ** power).toPrecision(3))} ${UNITS[power]}`;
};

/** A runway of less is shown as bad. Days. */
const SHORT_RUNWAY = 7;

const Runway = ({ value }: { value: number | null }) => (
  <span class={value !== null && value < SHORT_RUNWAY ? "bad" : ""}>{days(value)}</span>
);

interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  readonly none: string;
  /** What isn't among the rows, and where it is; undefined: nothing is left out. */
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

type Slots = Overview["last_hour"];

const HEIGHT = 60;
const BAR = 12;

/** Bars of one value a slot; `bad` is the part of it that is shown as bad. */
const Plot = ({
  label,
  slots,
  heightOf,
  badOf = () => 0,
}: {
  label: string;
  slots: Slots;
  heightOf: (slot: Slots[number]) => number;
  badOf?: (slot: Slots[number]) => number;
}) => {
  const most = Math.max(...slots.map(heightOf), 0);
  const tall = (value: number) => (most === 0 ? 0 : (value / most) * HEIGHT);
  return (
    <figure class="plot">
      <svg
        role="img"
        aria-label={`${label}; at most ${most}`}
        viewBox={`0 0 ${slots.length * BAR} ${HEIGHT}`}
      >
        {slots.map((slot, index) => {
          const [all, bad] = [tall(heightOf(slot)), tall(badOf(slot))];
          const place = { x: index * BAR + 1, width: BAR - 2 };
          return (
            <>
              <rect {...place} y={HEIGHT - all} height={all} class="bar" />
              <rect {...place} y={HEIGHT - bad} height={bad} class="bar-bad" />
            </>
          );
        })}
      </svg>
      <figcaption>
        {label}; at most {most}
      </figcaption>
    </figure>
  );
};

const Plots = ({ title, slots, width }: { title: string; slots: Slots; width: string }) => {
  const sum = (heightOf: (slot: Slots[number]) => number) =>
    slots.reduce((total, slot) => total + heightOf(slot), 0);
  const [accepted, failed] = [sum((slot) => slot.accepted), sum((slot) => slot.failed)];
  return (
    <section>
      <h2>{title}</h2>
      <div class="two">
        <Plot
          label={`${accepted} operations, ${failed} failed, by ${width}`}
          slots={slots}
          heightOf={(slot) => slot.accepted}
          badOf={(slot) => slot.failed}
        />
        <Plot
          label={`Seconds to finality, mean by ${width}`}
          slots={slots}
          heightOf={(slot) => slot.seconds ?? 0}
        />
      </div>
    </section>
  );
};

const State = ({ state, good }: { state: string; good: readonly string[] }) => (
  <span class={good.includes(state) ? "good" : "bad"}>{state}</span>
);

const Parts = ({ database, bucket, schedule, platform, writes }: Overview) => {
  const filled = database.size_bytes === null ? null : database.size_bytes / database.limit_bytes;
  return (
    <section>
      <h2>Parts</h2>
      <dl>
        <dt>Database</dt>
        <dd class={filled === null || filled >= 0.8 || database.behind === true ? "bad" : ""}>
          {filled === null
            ? "does not answer"
            : `${size(database.size_bytes)} of ${size(database.limit_bytes)}, ${(filled * 100).toFixed(1)} %`}
          {database.behind && "; it was rolled back: npm run admin -- database recover"}
        </dd>
        <dt>Bucket</dt>
        <dd>
          <State state={bucket.state} good={["up"]} />, {size(bucket.stored_bytes)} of files
        </dd>
        <dt>Scheduled job</dt>
        <dd>
          <State state={schedule.state} good={["running"]} />, last ran {schedule.last_run_at ?? "never"}
        </dd>
        <dt>Platform's account</dt>
        <dd>
          <State state={platform.state} good={["funded"]} />, {platform.account_id} can spend{" "}
          {near(platform.available)}
        </dd>
        {writes.state !== "here" && (
          <>
            <dt>Worker for writes</dt>
            <dd>
              <State state={writes.state} good={["up"]} />
              {writes.state === "differs" && "; the log line ready.writes_differ names what"}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
};

const code = (text: string) => <code>{text}</code>;

/** Where the others are of a list that has reached its length. */
const newest = (shown: readonly unknown[], most: number, command: string): string | undefined =>
  shown.length < most ? undefined : `These are the newest ${most}: npm run admin -- ${command} lists all.`;

const Waiting = ({ stuck, stuck_goes_on }: Overview) => (
  <Table
    caption="Waits for you"
    columns={["state", "integration", "operation", "step", "what to do"]}
    none={
      stuck_goes_on ? "Nothing was found in the wallets that were asked." : "Nothing is stuck or unknown."
    }
    rest={stuck_goes_on ? "There may be more: npm run admin -- stuck asks all wallets." : undefined}
    rows={stuck.map((one) => [
      <span class="bad">{one.state}</span>,
      code(one.integration_uuid ?? "platform"),
      code(one.operation_uuid),
      one.step,
      one.what_to_do,
    ])}
  />
);

const Webhooks = ({ webhooks }: Overview) => (
  <Table
    caption="Webhooks that fail"
    columns={["address", "state", "what went wrong", "integration"]}
    none="None fails."
    rest={`Looked at: the newest ${MOST_SHOWN.webhooks} that are enabled, and as many that the service has disabled.`}
    rows={webhooks.map((one) => [
      one.url,
      <State state={one.enabled ? "tried again" : "disabled"} good={["tried again"]} />,
      one.trouble,
      code(one.integration_uuid),
    ])}
  />
);

/** What the operator sees: everything of GET /admin/v1/overview. */
const OperatorView = (overview: Overview) => (
  <>
    <p class="soft">As of {overview.at}</p>
    <Waiting {...overview} />
    <Parts {...overview} />
    <Plots title="Last hour" slots={overview.last_hour} width="five minutes" />
    <Plots title="Last day" slots={overview.last_day} width="hour" />
    <Table
      caption="Nodes"
      columns={["node", "state", "final height", "its age", "latency"]}
      none="No node is configured."
      rows={overview.nodes.map((node) => [
        node.host,
        <State state={node.state} good={["up"]} />,
        node.height ?? "–",
        node.age_seconds === null ? "–" : `${node.age_seconds} s`,
        node.latency_ms === null ? "–" : `${node.latency_ms} ms`,
      ])}
    />
    <Table
      caption="Integrations"
      columns={["name", "state", "wallet", "balance", "runway", "integration"]}
      none="There is none yet: npm run admin -- integration create --name TEXT"
      rest={newest(overview.integrations, MOST_SHOWN.integrations, "integrations")}
      rows={overview.integrations.map((one) => [
        one.name,
        <State state={one.state} good={["active"]} />,
        one.wallet_account_id === null ? "–" : code(one.wallet_account_id),
        <span class={one.low ? "bad" : ""}>
          {near(one.balance)}
          {one.low && ", low"}
        </span>,
        <Runway value={one.runway_days} />,
        code(one.integration_uuid),
      ])}
    />
    <Table
      caption="Contracts"
      columns={["account", "free balance", "minted in a day", "runway", "integration"]}
      none="There is none yet."
      rest={newest(overview.contracts, MOST_SHOWN.contracts, "contracts <integration>")}
      rows={overview.contracts.map((one) => [
        code(one.account_id),
        near(one.balance_free),
        one.minted_last_day,
        <Runway value={one.runway_days} />,
        code(one.integration_uuid),
      ])}
    />
    <Webhooks {...overview} />
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

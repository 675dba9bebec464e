import { parseArgs } from "node:util";
import {
  type Collection,
  type CollectionChanges,
  type Currency,
  type MintageClient,
  NotFoundError,
} from "../../client/src/index.ts";
import { claimsText, openClaims } from "../claim/open.ts";
import { commandClient, folderOf, keyAccess, option, UsageError } from "../command.ts";
import { copiesLeft } from "../copies-left.ts";
import { agreed } from "../questions.ts";
import { near, table } from "../table.ts";
import { LISTED, OPEN, phaseName, phaseNumber } from "./phase-settings.ts";
import { priceText, type Read, readPrice, readPriceIn } from "./prices.ts";
import { earlierRun } from "./run.ts";
import { readAccount, wholeNumber } from "./settings-reader.ts";
import { readTime } from "./times.ts";

type Shown = Collection["phases"][number];
type Phases = NonNullable<CollectionChanges["phases"]>;

/** What a phase may become. */
type Settings = Omit<Shown, "phase" | "kind" | "minted" | "allowlisted">;

/** The fields of the API for phases in NEAR that have names. */
const CONFIGS = new Map([
  [OPEN, "public_mint_config"],
  [LISTED, "private_mint_config"],
] as const);

const NONE = "none";

const orNone =
  <T>(read: (text: string) => Read<T>) =>
  (text: string): Read<T | null> =>
    text === NONE ? { value: null } : read(text);

function readArguments(args: readonly string[], usage: string) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      phase: { type: "string", default: "public" },
      price: { type: "string" },
      currency: { type: "string" },
      "per-account": { type: "string" },
      supply: { type: "string" },
      starts: { type: "string" },
      ends: { type: "string" },
      yes: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [named] = positionals;
  if (values.help || named === undefined || positionals.length !== 1) throw new UsageError(usage);
  const folder = folderOf(named);
  const phase = phaseNumber(values.phase);
  if (phase === null) {
    throw new UsageError(
      `--phase must be public or allowlist, or a number from 3 to 8; it is "${values.phase}".`,
    );
  }
  const given = {
    limit_per_account: option("per-account", values["per-account"], orNone(wholeNumber)),
    supply: option("supply", values.supply, orNone(wholeNumber)),
    starts_at: option("starts", values.starts, orNone(readTime)),
    ends_at: option("ends", values.ends, orNone(readTime)),
  };
  const limits = Object.entries(given).filter(([, value]) => value !== undefined);
  const currency = option("currency", values.currency, orNone(readAccount));
  if (currency !== undefined && values.price === undefined)
    throw new UsageError("Give --price as well: an amount in one currency means nothing in another.");
  if (limits.length === 0 && values.price === undefined)
    throw new UsageError(`Give --price, --per-account, --supply, --starts or --ends.\n\n${usage}`);
  const { price, yes, json } = values;
  return {
    folder,
    phase,
    price,
    currency,
    limits: Object.fromEntries(limits) as Partial<Settings>,
    yes,
    json,
  };
}

/** The token that a price is in from now on; null: NEAR. */
async function currencyOf(
  client: MintageClient,
  account: string | null | undefined,
  before: Shown | undefined,
): Promise<Currency | null> {
  if (account === undefined) return before?.currency ?? null;
  if (account === null) return null;
  return client.currency(account).catch((error: unknown) => {
    throw error instanceof NotFoundError ? new UsageError(`--currency: ${error.message}`) : error;
  });
}

/** The same phase as a change takes it. */
const asInput = ({ minted: _, allowlisted: __, currency, ...phase }: Shown): Phases[number] => ({
  ...phase,
  currency: currency?.contract_id ?? null,
});

/** The change that makes a phase so. A phase in NEAR that has a name changes by its fields alone. */
function bodyOf(phases: readonly Shown[], after: Shown, changes: Partial<Settings>): CollectionChanges {
  const before = phases.find(({ phase }) => phase === after.phase);
  const config = CONFIGS.get(after.phase as typeof OPEN | typeof LISTED);
  const isPlain = [before, after].every((phase) => !phase?.currency && !phase?.supply);
  const { supply: _, currency: __, ...fields } = changes;
  if (config && isPlain) return { [config]: fields };
  const others = phases.filter(({ phase }) => phase !== after.phase);
  return { phases: [...others, after].map(asInput) };
}

/** Who may mint in a phase of each kind. */
const WHO = { public: "everyone", allowlist: "accounts on its allowlist" } as const;

/** Names of a phase's settings, and how a person reads them. */
const SETTINGS: readonly [string, (shown: Shown | undefined) => string][] = [
  ["who", (shown) => (shown ? WHO[shown.kind] : "nobody")],
  ["price", (shown) => (shown ? priceText(shown.mint_fee, shown.currency) : "no such phase")],
  ["per account", (shown) => String(shown?.limit_per_account ?? "any number")],
  ["in all", (shown) => String(shown?.supply ?? "any number")],
  ["starts", (shown) => shown?.starts_at ?? "open"],
  ["ends", (shown) => shown?.ends_at ?? "open"],
];

/**
 * `npm run launch -- set <folder>`: changes single settings of a mint phase of the collection that a folder became. The
 * others stay as they are.
 * @param usage of the whole command
 */
export async function changePhase(args: readonly string[], usage: string): Promise<void> {
  const { folder, phase: number, price, currency: account, limits, yes, json } = readArguments(args, usage);
  const { baseUrl } = keyAccess();
  const uuid = earlierRun(folder, baseUrl)?.collection_uuid;
  if (!uuid) {
    throw new UsageError(
      `${folder} hasn't been launched. Change its collection.yaml and run npm run launch -- ${folder}.`,
    );
  }
  const client = commandClient();
  const name = phaseName(number);
  const [collection, claims] = await Promise.all([client.collections.get(uuid), openClaims(client, uuid)]);
  const before = collection.phases.find(({ phase }) => phase === number);
  if (before === undefined && price === undefined)
    throw new UsageError(`Give --price: ${collection.title} has no ${name} phase yet.`);
  const currency = await currencyOf(client, account, before);
  const fee = option("price", price, currency === null ? readPrice : readPriceIn(currency));
  const changes = { ...(fee !== undefined && { mint_fee: fee, currency }), ...limits };
  const after: Shown = {
    ...{ phase: number, kind: number === LISTED ? "allowlist" : "public", minted: 0, allowlisted: null },
    ...{
      mint_fee: "0",
      currency: null,
      starts_at: null,
      ends_at: null,
      limit_per_account: null,
      supply: null,
    },
    ...before,
    ...changes,
  };
  const rows = SETTINGS.filter(([, text]) => text(before) !== text(after) || before === undefined).map(
    ([what, text]) => ({ what: `${name} ${what}`, now: text(before), after: text(after) }),
  );
  const body = bodyOf(collection.phases, after, changes);
  if (rows.length > 0) {
    const quote = await client.quote({ method: "PUT", path: `/collection/${uuid}`, body });
    const cost = `It costs at most ${near(quote.cost.at_most)} NEAR.`;
    const left = copiesLeft(collection);
    const told = [cost, claimsText(claims, left)].filter(Boolean);
    process.stderr.write(`${collection.title}\n\n${table(rows)}\n\n${told.join("\n")}\n`);
    if (!yes && !(await agreed("Change it?"))) {
      process.stderr.write("Nothing was sent.\n");
      return;
    }
    const changed = await client.collections.update(uuid, body, { quote: quote.quote_uuid });
    if (json) process.stdout.write(`${JSON.stringify(changed)}\n`);
    else process.stdout.write("Changed on-chain. collection.yaml keeps the settings of the launch.\n");
    return;
  }
  process.stdout.write(
    json ? `${JSON.stringify(collection)}\n` : "The collection already has these settings.\n",
  );
}

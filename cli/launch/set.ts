import { parseArgs } from "node:util";
import type { Collection, CollectionChanges } from "../../client/src/index.ts";
import { claimsText, openClaims } from "../claim/open.ts";
import { commandClient, folderOf, keyAccess, option, UsageError } from "../command.ts";
import { agreed } from "../questions.ts";
import { near, table } from "../table.ts";
import { wholeNumber } from "./collection-file.ts";
import { nearText, type Read, readPrice } from "./prices.ts";
import { earlierRun } from "./run.ts";
import { readTime } from "./times.ts";

type Changes = NonNullable<CollectionChanges["public_mint_config"]>;
type Shown = Collection["public_mint_config"];

/** The phases as collection.yaml has them, and the field of the API that each is. */
const PHASES = { public: "public_mint_config", allowlist: "private_mint_config" } as const;

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
      "per-account": { type: "string" },
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
  const phase = values.phase as keyof typeof PHASES;
  if (!Object.hasOwn(PHASES, phase))
    throw new UsageError(`--phase must be ${Object.keys(PHASES).join(" or ")}; it is "${phase}".`);
  const given: Changes = {
    mint_fee: option("price", values.price, readPrice),
    limit_per_account: option("per-account", values["per-account"], orNone(wholeNumber)),
    starts_at: option("starts", values.starts, orNone(readTime)),
    ends_at: option("ends", values.ends, orNone(readTime)),
  };
  const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (Object.keys(changes).length === 0)
    throw new UsageError(`Give --price, --per-account, --starts or --ends.\n\n${usage}`);
  return { ...values, folder, phase, changes: changes as Changes };
}

/** Names of a phase's settings, and how a person reads them. */
const SETTINGS: readonly [keyof NonNullable<Shown>, string, (shown: Shown) => string][] = [
  ["mint_fee", "price", (shown) => (shown ? nearText(shown.mint_fee) : "no such phase")],
  ["limit_per_account", "per account", (shown) => String(shown?.limit_per_account ?? "any number")],
  ["starts_at", "starts", (shown) => shown?.starts_at ?? "open"],
  ["ends_at", "ends", (shown) => shown?.ends_at ?? "open"],
];

/**
 * `npm run launch -- set <folder>`: changes single settings of a mint phase of the collection that a folder became. The
 * others stay as they are.
 * @param usage of the whole command
 */
export async function changePhase(args: readonly string[], usage: string): Promise<void> {
  const { folder, phase, changes, yes, json } = readArguments(args, usage);
  const { baseUrl } = keyAccess();
  const uuid = earlierRun(folder, baseUrl)?.collection_uuid;
  if (!uuid) {
    throw new UsageError(
      `${folder} hasn't been launched. Change its collection.yaml and run npm run launch -- ${folder}.`,
    );
  }
  const client = commandClient();
  const field = PHASES[phase];
  const [collection, claims] = await Promise.all([client.collections.get(uuid), openClaims(client, uuid)]);
  const before = collection[field];
  if (before === null && changes.mint_fee === undefined)
    throw new UsageError(`Give --price: ${collection.title} has no ${phase} phase yet.`);
  const after = {
    ...{ mint_fee: "0", starts_at: null, ends_at: null, limit_per_account: null },
    ...before,
    ...changes,
  } as NonNullable<Shown>;
  const rows = SETTINGS.filter(([name]) => before === null || before[name] !== after[name]).map(
    ([, what, text]) => ({ what: `${phase} ${what}`, now: text(before), after: text(after) }),
  );
  const body = { [field]: changes };
  if (rows.length > 0) {
    const quote = await client.quote({ method: "PUT", path: `/collection/${uuid}`, body });
    const left = collection.total_copies - collection.minted;
    const told = [`It costs at most ${near(quote.cost.at_most)} NEAR.`, claimsText(claims, left)].filter(
      Boolean,
    );
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

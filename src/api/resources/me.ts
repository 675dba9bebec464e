import { z } from "@hono/zod-openapi";
import { DEFAULT_LIMITS, type LimitName, REQUEST_PERIOD_S, USED_NAMES } from "../../domain/quota.ts";
import { keyRightsFields } from "./key.ts";
import { account, CONTRACT, ownName, type Shown, text, WALLET, whole } from "./samples.ts";
import { WALLET_STATES } from "./wallet.ts";

export const MEANINGS: Readonly<Record<LimitName, string>> = {
  requests: `Requests of one key in any ${REQUEST_PERIOD_S} seconds.`,
  drafts: "Drafts that are not finalized.",
  stored_bytes: "Bytes of the files that assets and collections refer to, counted once per reference.",
  database_bytes:
    "Approximate bytes of drafts, assets and stored responses in the database. Stored responses above 64 kB count too, although they are in the bucket.",
  keys: "Keys that are neither revoked nor expired.",
  operations_waiting: "Operations that are accepted and not yet over.",
  audit_entries:
    "Entries of the audit log. Beyond it a key's changes that are recorded are refused, but for deletions, and rotations up to twice as many. Mints aren't recorded.",
};

export const SPENDING_MEANING =
  "What the integration's wallet may spend in a day (UTC): gas, and all that leaves it, top-ups of contracts included.";

export const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as LimitName[];

export const each = <Names extends string, Schema extends z.ZodType>(
  names: readonly Names[],
  schema: (name: Names) => Schema,
) => Object.fromEntries(names.map((name) => [name, schema(name)])) as Record<Names, Schema>;

const shown = (name: LimitName) => whole(MEANINGS[name], DEFAULT_LIMITS[name]);

const { requests, ...others } = each(LIMIT_NAMES, shown);

export const limitsView = z
  .object({
    requests,
    period_s: whole("Seconds in which `requests` are counted.", 10),
    ...others,
    spending_per_day: text(
      `${SPENDING_MEANING} yoctoNEAR; null: no limit.`,
      "5000000000000000000000000",
    ).nullable(),
    used: z.object({
      ...each(USED_NAMES, () => z.int().openapi({ example: 12 })),
      spending_per_day: text(
        "What the wallet has spent since the day (UTC) began, yoctoNEAR.",
        "120000000000000000000000",
      ),
    }),
  })
  .openapi("Limits");
export type LimitsShown = Shown<typeof limitsView>;

const amount = (description: string) =>
  z.string().nullable().openapi({ description, example: "4871520000000000000000000" });

export const meView = z
  .object({
    integration_uuid: z.uuid(),
    name: z.string().openapi({ example: "Heron shop" }),
    key: z.object({
      key_uuid: z.uuid(),
      name: z.string().openapi({ example: "Shop server" }),
      ...keyRightsFields,
      spent_today: text(
        "What its writes have spent since the day (UTC) began, the storage that they have taken included, yoctoNEAR; null without `spending_per_day`.",
        "0",
      ).nullable(),
    }),
    wallet: z.object({
      account_id: account(WALLET).nullable(),
      state: z.enum(WALLET_STATES).openapi({
        description: "The wallet signs only while it is active. In any other state the operator has to act.",
        example: "active",
      }),
      balance: amount("yoctoNEAR; null if no node responds."),
      available: amount("Available to new writes, yoctoNEAR; null if no node responds."),
      unpaid_sales: text(
        "What collections have `earned` and no payout has taken, yoctoNEAR. Read from the contracts every minute and at each payout.",
        "947435000000000000000000",
      ),
      queued: whole("Transactions that wait to be signed.", 0),
    }),
    contracts: z.array(
      z.object({
        contract_uuid: z.uuid(),
        account_id: account(CONTRACT),
        name: z.string().nullable().openapi({ example: "Herons" }),
        symbol: z.string().nullable().openapi({ example: "HERON" }),
        balance_free: amount("Available for further storage, yoctoNEAR; null if no node responds."),
      }),
    ),
    network: ownName("testnet"),
    platform_fee_percent: z.number().openapi({ example: 5 }),
    limits: limitsView,
  })
  .openapi("Me");
export type Me = Shown<typeof meView>;

import type { Me, Quote } from "../../client/src/index.ts";
import { costText, requireMoney } from "../cost.ts";
import { size } from "../progress.ts";
import { counted, listed, near, table } from "../table.ts";
import type { CheckedFolder } from "./folder.ts";
import type { WantedPayout } from "./payout.ts";
import { LISTED, OPEN, type WantedPhase } from "./phase-settings.ts";
import { smallestPrice } from "./phases.ts";
import { type Currencies, priceText } from "./prices.ts";

const NOBODY = "nobody; only you mint, through the API";

/** What a launch will do, for a person to agree to. */
export function planText(
  checked: CheckedFolder,
  me: Me,
  {
    contract,
    payout,
    currencies,
  }: {
    readonly contract: string;
    readonly payout: WantedPayout | null;
    readonly currencies: Currencies;
  },
): string {
  const { file, plan, lists, leftOut } = checked;
  const { draft, copies } = file;
  const bytes = plan.assets.reduce(
    (sum, { media, reference }) => sum + media.size + (reference?.size ?? 0),
    0,
  );
  const count = plan.assets.length;
  const rows = [
    { what: "title", value: draft.title },
    { what: "contract", value: `${contract} on ${me.network}` },
    {
      what: "media files",
      value: `${count}, ${size(bytes)}, ${plan.assets[0]?.reference ? "with" : "without"} metadata`,
    },
    ...(draft.reveal
      ? [{ what: "hidden", value: `until ${revealText(draft.reveal)}; NFTs show ${plan.placeholder?.path}` }]
      : []),
    ...(leftOut.length > 0 ? [{ what: "files left out", value: listed(leftOut) }] : []),
    { what: "NFTs", value: `${count * copies}, ${copies} of each file` },
    ...(file.phases.some(({ list }) => list === null) ? [] : [{ what: "who may mint", value: NOBODY }]),
    ...file.phases.toSorted(publicFirst).map((phase) => ({
      what: phaseTitle(phase, lists.get(phase.phase)?.length ?? 0),
      value: phaseText(phase, currencies),
    })),
    { what: "of each price", value: splitText(draft.initial_royalties ?? {}, me.platform_fee_percent) },
    { what: "of each resale", value: sharesText(draft.ongoing_royalties ?? {}) || "nothing" },
    ...(payout === null ? [] : [{ what: "sales are paid out to", value: payoutText(payout) }]),
    { what: "pages", value: pageText(file.page) },
    {
      what: "the wallet may spend",
      value: me.wallet.available === null ? "unknown: no node answers" : `${near(me.wallet.available)} NEAR`,
    },
  ];
  return `${table(rows)}\n\nThe wallet ${me.wallet.account_id} pays for gas and for the storage of the files' records and NFTs. A step that it
can't pay for is refused before anything is sent, and says how much is missing.`;
}

/**
 * What putting the collection on-chain costs, for a person to agree to.
 * @throws UsageError where the wallet lacks money for it
 */
export function quoteText(quote: Quote, me: Me): string {
  const state = "All is uploaded; nothing was put on-chain.";
  requireMoney(quote, me, { what: "putting the collection on-chain", state });
  return `Putting the collection on-chain costs ${costText(quote)}. Transactions: ${quote.transactions}.`;
}

const revealText = (reveal: string | true): string =>
  reveal === true ? "you reveal them (npm run collection -- reveal)" : reveal;

const payoutText = ({ account, instead }: WantedPayout): string =>
  instead === null ? account : `${account}, no longer ${instead}, from all collections of this integration`;

const pageText = (page: CheckedFolder["file"]["page"]): string =>
  page === "none"
    ? "none"
    : page === "by_title"
      ? "mint page and gallery"
      : `/m/${page.slug} and /g/${page.slug}`;

/** The two phases that have names first, in the order that they always had. */
const publicFirst = (one: WantedPhase, other: WantedPhase): number =>
  Number(other.phase === OPEN) - Number(one.phase === OPEN) || one.phase - other.phase;

function phaseTitle({ phase, list }: WantedPhase, accounts: number): string {
  if (phase === OPEN) return "who may mint";
  const who = list === null ? "everyone" : counted(accounts, "account");
  return phase === LISTED ? `${who} on the allowlist` : `phase ${phase}, ${who}`;
}

function phaseText(phase: WantedPhase, currencies: Currencies): string {
  const price = smallestPrice(phase, currencies);
  const currency = phase.currency && (currencies.get(phase.currency.account) ?? null);
  return [
    "value" in price ? priceText(price.value, currency) : price.problem,
    phase.starts_at && `from ${phase.starts_at}`,
    phase.ends_at && `until ${phase.ends_at}`,
    phase.limit_per_account ? `at most ${phase.limit_per_account} an account` : "any number an account",
    phase.supply && `at most ${phase.supply} in all`,
  ]
    .filter(Boolean)
    .join(", ");
}

const sharesText = (shares: Readonly<Record<string, number>>): string =>
  Object.entries(shares)
    .map(([account, percent]) => `${percent}% to ${account}`)
    .join(", ");

/** Where a mint's price goes, after the storage of its token. */
function splitText(shares: Readonly<Record<string, number>>, platform: number): string {
  const points = Object.values(shares).reduce(
    (sum, percent) => sum + Math.round(percent * 100),
    platform * 100,
  );
  return [
    `${platform}% to the platform`,
    sharesText(shares),
    `${(10_000 - points) / 100}% to the contract's owner`,
  ]
    .filter(Boolean)
    .join(", ");
}

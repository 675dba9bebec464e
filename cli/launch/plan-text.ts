import type { Me, Quote } from "../../client/src/index.ts";
import { costText, requireMoney } from "../cost.ts";
import { size } from "../progress.ts";
import { counted, listed, near, table } from "../table.ts";
import type { CheckedFolder } from "./folder.ts";
import type { WantedPayout } from "./payout.ts";
import { nearText } from "./prices.ts";

type Phase = NonNullable<CheckedFolder["file"]["draft"]["public_mint_config"]>;

const NOBODY = "nobody; only you mint, through the API";

/** What a launch will do, for a person to agree to. */
export function planText(
  checked: CheckedFolder,
  me: Me,
  contractAccount: string,
  payout: WantedPayout | null,
): string {
  const { file, plan, accounts, leftOut } = checked;
  const { draft, copies } = file;
  const bytes = plan.assets.reduce(
    (sum, { media, reference }) => sum + media.size + (reference?.size ?? 0),
    0,
  );
  const count = plan.assets.length;
  const rows = [
    { what: "title", value: draft.title },
    { what: "contract", value: `${contractAccount} on ${me.network}` },
    {
      what: "media files",
      value: `${count}, ${size(bytes)}, ${plan.assets[0]?.reference ? "with" : "without"} metadata`,
    },
    ...(draft.reveal
      ? [{ what: "hidden", value: `until ${revealText(draft.reveal)}; NFTs show ${plan.placeholder?.path}` }]
      : []),
    ...(leftOut.length > 0 ? [{ what: "files left out", value: listed(leftOut) }] : []),
    { what: "NFTs", value: `${count * copies}, ${copies} of each file` },
    { what: "who may mint", value: phaseText(draft.public_mint_config) ?? NOBODY },
    ...(draft.private_mint_config
      ? [
          {
            what: `${counted(accounts.length, "account")} on the allowlist`,
            value: phaseText(draft.private_mint_config),
          },
        ]
      : []),
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

const phaseText = (phase: Phase | null | undefined): string | null =>
  phase
    ? [
        nearText(phase.mint_fee),
        phase.starts_at && `from ${phase.starts_at}`,
        phase.ends_at && `until ${phase.ends_at}`,
        phase.limit_per_account ? `at most ${phase.limit_per_account} an account` : "any number an account",
      ]
        .filter(Boolean)
        .join(", ")
    : null;

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

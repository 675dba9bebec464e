import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { counted, grouped } from "../../domain/counted.ts";
import { Moment } from "./moment.tsx";

type Lock = PublicCollection["locks"][number];

type Traded = Pick<PublicCollection, "locks" | "transfers" | "contract_code">;

/** What each lock promises to whoever holds an NFT. */
const PROMISES: Readonly<Record<Exclude<Lock, "transfers">, string>> = {
  metadata: "Titles, descriptions and pictures never change.",
  supply: "No more NFTs are ever minted.",
  royalties: "Royalties stay as they are.",
  code: "The contract's code never changes.",
};

/** What the lock of transfers promises: what the collection allows now, it allows for ever. */
const keptTransfers = ({ allow_approvals: isSold, has_lists: isLimited }: PublicCollection["transfers"]) => {
  const what = isSold ? "NFTs can always be given away and sold" : "NFTs can always be given away";
  const limit = isLimited ? ", but not to accounts that the collection's lists exclude" : "";
  return `${what}${limit}.${isSold ? "" : " Marketplaces can't sell them."}`;
};

/** What can be changed as long as it isn't locked, by the contract's owner and admins (docs/contract.md, "Locks"). */
const OPEN: Readonly<Record<Exclude<Lock, "code">, string>> = {
  metadata: "titles and pictures",
  supply: "prices and phases of the mint",
  royalties: "royalties",
  transfers: "who can receive and sell",
};

/** Blocks a day, of 0.6 seconds each. */
const BLOCKS_A_DAY = 144_000;

/** How long so many blocks take: `around 3 days`, or `20 blocks`. */
const timeOf = (blocks: number): string => {
  const days = Math.floor(blocks / BLOCKS_A_DAY);
  return days === 0 ? counted(blocks, "block") : `around ${counted(days, "day")}`;
};

/** What isn't locked, and who can change it; nothing where all is. @param own as in `Promises` */
export const Changeable = ({
  collection: { locks, contract_code: code },
  own,
}: {
  readonly collection: Traded;
  readonly own?: string | undefined;
}) => {
  const open = (["metadata", "supply", "royalties", "transfers"] as const)
    .filter((lock) => !locks.includes(lock) && !(lock === "metadata" && own !== undefined))
    .map((lock) => OPEN[lock]);
  if (open.length === 0 && locks.includes("code")) return null;
  return (
    <details class="fold changes">
      <summary>What can still change</summary>
      {open.length > 0 && <p>By the artist, or admins that they name: {open.join(", ")}.</p>}
      {!locks.includes("code") && (
        <p>
          By the contract's owner, {timeOf(code.delay_blocks)} after an announcement on the chain: its code.
        </p>
      )}
    </details>
  );
};

/** What is locked for ever: parts of a list. @param own what an NFT's own lock promises, in place of the collection's metadata */
export const Promises = ({
  collection: { locks, transfers, contract_code: code },
  own,
}: {
  readonly collection: Traded;
  readonly own?: string | undefined;
}) => {
  const kept = locks
    .filter((lock) => own === undefined || lock !== "metadata")
    .map((lock) => (lock === "transfers" ? keptTransfers(transfers) : PROMISES[lock]));
  const all = own === undefined ? kept : [own, ...kept];
  if (all.length === 0) return null;
  return (
    <>
      <dt>Locked for ever</dt>
      <dd>
        {all.map((promise) => (
          <div>{promise}</div>
        ))}
        <div class="small soft">
          {code.locked && !code.has_full_access_key
            ? "The contract keeps this. Nobody can undo it."
            : "The contract keeps this as long as its code isn't replaced."}
        </div>
      </dd>
    </>
  );
};

/** What is hidden, until when, and what it is committed to. The script shows what a reveal has changed. */
export const Secret = ({
  collection,
  now,
}: {
  readonly collection: PublicCollection;
  readonly now: Date;
}) => {
  const { reveal, total_assets: total, slug, locks } = collection;
  if (reveal === null) return null;
  const { state, shown, at, commitment } = reveal;
  return (
    <section
      data-fresh="secret"
      data-slug={slug}
      data-shown={String(shown)}
      data-left={String(total - shown)}
      data-now={String(now.getTime())}
      aria-live="polite"
    >
      {state === "revealed" ? (
        <p>
          Revealed: the works and their order are those committed to before the first mint.
          {!locks.includes("metadata") && " The artist can still change what NFTs show."}
        </p>
      ) : (
        <p>
          <b>
            {at === null ? (
              "Hidden until the artist reveals it"
            ) : (
              <>
                Hidden until <Moment at={at} /> <span class="countdown" data-until={at} />
              </>
            )}
          </b>
          <br />
          {state === "partly" && `${grouped(shown)} of ${grouped(total)} works are shown. `}
          Until then NFTs show a placeholder. The artist can still change what NFTs show.
        </p>
      )}
      <details class="fold">
        <summary>Why nobody can choose</summary>
        <p>
          The contract has had this commitment to all works and their order since before the first mint. A
          reveal that doesn't fit it is refused: <code>{commitment}</code>
        </p>
      </details>
    </section>
  );
};

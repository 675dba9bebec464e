/** `npm run airdrop -- <collection> receivers.csv`: mints to many accounts, to each row of a file once. */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { FolderError } from "../client/src/folder/index.ts";
import { assetsOf } from "./airdrop/assets.ts";
import { atOnce, BALANCE_LASTS_MS, costRows, quoteRun, requireFunds } from "./airdrop/cost.ts";
import { AirdropJournal } from "./airdrop/journal.ts";
import { MAX_MINTS, planMints } from "./airdrop/plan.ts";
import { lostAccounts, readReceivers } from "./airdrop/receivers.ts";
import {
  type Airdrop,
  inDoubt,
  MINT_RETRIES,
  mintAll,
  mintedSoFar,
  type RefusedRow,
  receiptsCsv,
  sendAnew,
} from "./airdrop/run.ts";
import { claimsText, openClaims } from "./claim/open.ts";
import { collectionOf, commandClient, keyAccess, run, UsageError } from "./command.ts";
import { copiesLeft } from "./copies-left.ts";
import { byLine, firstProblems } from "./csv.ts";
import { differenceOf } from "./line-file.ts";
import { pacedFetch } from "./paced-fetch.ts";
import { ProgressLine } from "./progress.ts";
import { agreed } from "./questions.ts";
import { counted, near, table } from "./table.ts";

const USAGE = `npm run airdrop -- <collection> receivers.csv [options]

Mints to the accounts of a CSV with the columns account, quantity (1 without it)
and asset (a file name of the collection; drawn without it), and writes
receivers.receipts.csv. It prints the cost of the whole run and asks for
confirmation. Each row is minted once. An interrupted airdrop resumes: run the
command again. What it has done is in receivers.csv.airdrop.

  --parallel N  requests of ${MAX_MINTS} NFTs at a time (16)
  --allow-unknown  mints to accounts that don't exist as well
  --resend      sends again what a run sent over 23 hours ago without learning
                what became of it; look at the chain first
  --yes         skips the confirmation
  --json        one line of JSON at the end instead of a table

MINTAGE_URL and MINTAGE_API_KEY name another service than the one of npm start.`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      parallel: { type: "string", default: "16" },
      "allow-unknown": { type: "boolean", default: false },
      resend: { type: "boolean", default: false },
      yes: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [collectionUuid, name] = positionals;
  if (values.help || positionals.length !== 2 || !collectionUuid || !name) throw new UsageError(USAGE);
  if (!/^[1-9]\d?$/.test(values.parallel)) {
    throw new UsageError(`--parallel must be a whole number from 1 to 99; it is "${values.parallel}".`);
  }
  const file = resolve(name);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`There is no file ${file}.`);
  return { ...values, parallel: Number(values.parallel), collectionUuid: collectionOf(collectionUuid), file };
}

type Arguments = ReturnType<typeof readArguments>;

/** What an earlier run left. @throws UsageError if that was for other rows, another collection or another service */
function journalOf({ file, collectionUuid }: Arguments, baseUrl: string, text: string): AirdropJournal {
  const wanted = {
    base_url: baseUrl,
    collection_uuid: collectionUuid,
    rows_sha256: createHash("sha256").update(text).digest("hex"),
  };
  const path = `${file}.airdrop`;
  const journal = AirdropJournal.open(path, wanted);
  const what = differenceOf(journal.head, wanted, basename(file));
  if (what === null) return journal;
  throw new UsageError(
    `The airdrop in ${path} ${what}. Continue it as it was started, or use a new file of receivers for a new airdrop.`,
  );
}

async function airdrop(): Promise<void> {
  const args = readArguments();
  const text = readFileSync(args.file, "utf8");
  const name = basename(args.file);
  const { receivers, problems } = readReceivers(name, text);
  const { baseUrl } = keyAccess();
  const client = commandClient({
    fetch: pacedFetch(),
    retry: { retries: MINT_RETRIES },
    onRetry: undefined,
  });
  // Whether there is such a service at all is found out sooner.
  const reader = commandClient();
  const [me, collection, claims] = await Promise.all([
    reader.me(),
    reader.collections.get(args.collectionUuid),
    openClaims(reader, args.collectionUuid),
  ]);
  const draft = { draftUuid: collection.collection_draft_uuid, name };
  const named = await assetsOf(client, draft, receivers);
  const wrong = [
    ...problems,
    ...lostAccounts(name, receivers, collection.contract_address),
    ...named.problems,
  ];
  if (wrong.length > 0) throw new FolderError(byLine(name, wrong));
  const parts = planMints(receivers);
  const total = receivers.reduce((sum, { quantity }) => sum + quantity, 0);
  const journal = journalOf(args, baseUrl, text);
  const minted = mintedSoFar({ receivers, parts, journal });
  const left = copiesLeft(collection);
  if (minted === 0 && total > left && parts.every((_, index) => journal.part(index).sent === null)) {
    throw new UsageError(
      `The collection has ${counted(left, "NFT")} left, and ${name} asks for ${total}. Nothing was sent.`,
    );
  }
  const line = new ProgressLine();
  const work: Airdrop = {
    client,
    collectionUuid: args.collectionUuid,
    receivers,
    parts,
    assets: named.uuids,
    journal,
    parallel: args.parallel,
    allowsUnknown: args["allow-unknown"],
    onProgress: (count) => line.show(count / total, `${count} of ${counted(total, "NFT")}`),
  };
  settleDoubts(work, args.resend);
  let cost = await quoteRun(work, me, collection.contract_address);
  if (cost.missing > 0n) {
    // A transfer may not be final yet, and the contract's balance may not show what it was just topped up with.
    await pause(BALANCE_LASTS_MS);
    cost = await quoteRun(work, await reader.me(), collection.contract_address);
  }
  const unanswered = parts.filter((_, index) => journal.part(index).sent !== null).length;
  process.stderr.write(
    `${table([
      { what: "collection", value: collection.title },
      { what: "rows", value: String(receivers.length) },
      { what: "NFTs", value: minted > 0 ? `${total}, ${minted} of them minted before` : String(total) },
      ...(unanswered > 0
        ? [
            {
              what: "sent before",
              value: `${counted(unanswered, "request")} without a response; repeating costs nothing`,
            },
          ]
        : []),
      ...costRows(cost),
    ])}\n\n`,
  );
  requireFunds(cost, me, `minting all ${counted(cost.nfts, "NFT")}`);
  const ofLinks = claimsText(claims, left, total - minted);
  if (ofLinks) process.stderr.write(`${ofLinks}\n`);
  if (!args.yes && !(await agreed("Mint them?"))) {
    process.stderr.write("Nothing was sent.\n");
    return;
  }
  const started = performance.now();
  const refused = await mintAll({ ...work, parallel: atOnce(cost, args.parallel) }).finally(() => {
    line.end();
    writeReceipts(args, work);
  });
  report(args, work, { seconds: (performance.now() - started) / 1000, before: minted, refused });
}

/** @throws UsageError if requests are in doubt and nobody has looked what became of them */
function settleDoubts(work: Airdrop, isResend: boolean): void {
  const doubts = inDoubt(work, Date.now());
  if (doubts.length === 0) return;
  if (isResend) {
    sendAnew(work, doubts);
    return;
  }
  const lines = doubts.flatMap(
    (index) => work.parts[index]?.rows.map((row) => work.receivers[row]?.line) ?? [],
  );
  throw new UsageError(
    `Requests for these lines were sent over 23 hours ago, and their outcome isn't known: ${lines.join(", ")}. ` +
      "Check whether these accounts have their NFTs (GET /collection/{uuid}/token?owner=). If none of them does, give --resend.",
  );
}

const receiptsOf = ({ file }: Arguments): string => `${file.replace(/\.csv$/i, "")}.receipts.csv`;

function writeReceipts(args: Arguments, work: Airdrop): void {
  const receipts = receiptsOf(args);
  writeFileSync(`${receipts}.new`, receiptsCsv(work));
  renameSync(`${receipts}.new`, receipts);
}

function report(
  args: Arguments,
  work: Airdrop,
  { seconds, before, refused }: { seconds: number; before: number; refused: readonly RefusedRow[] },
): void {
  const receipts = receiptsOf(args);
  const minted = mintedSoFar(work);
  // Requests that came together may share a transaction.
  const burnt = new Map<string | null, bigint>();
  for (const index of work.parts.keys()) {
    for (const receipt of work.journal.part(index).receipts)
      burnt.set(receipt.transaction, BigInt(receipt.burnt ?? 0));
  }
  const result = {
    rows: work.receivers.length,
    minted,
    minted_before: before,
    refused,
    requests: work.parts.length,
    tokens_burnt: [...burnt.values()].reduce((sum, each) => sum + each, 0n).toString(),
    seconds,
    receipts,
  };
  if (args.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    const rows = [
      { what: "rows", value: String(result.rows) },
      { what: "NFTs minted", value: `${minted}, ${minted - before} of them now` },
      { what: "gas", value: `${near(result.tokens_burnt)} NEAR` },
      { what: "seconds", value: seconds.toFixed(1) },
      { what: "receipts", value: receipts },
    ];
    process.stdout.write(`\n${table(rows)}\n`);
  }
  if (refused.length === 0) return;
  process.stderr.write(`${refusedText(basename(args.file), refused)}\n`);
  process.exitCode = 1;
}

/** What a person can do about rows that got nothing. @param name of the receivers' file */
function refusedText(name: string, refused: readonly RefusedRow[]): string {
  const lines = refused.map(({ line, account, reason }) => `  ${name}:${line} ${account}: ${reason}`);
  return `${counted(lines.length, "row")} got nothing; all others have theirs.
${firstProblems(`  ${name}`, lines, "row").join("\n")}
Run it again once their owners have created these accounts, or give --allow-unknown to mint to them all the same.
Where the account or the asset is wrong, put the corrected row into a new file.`;
}

await run(airdrop);

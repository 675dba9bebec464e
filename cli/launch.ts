/** `npm run launch -- ./folder`: takes a folder of pictures to a collection on the chain. */
import { parseArgs } from "node:util";
import { commandClient, contractOf, folderOf, keyAccess, run, UsageError } from "./command.ts";
import { checkFolder } from "./launch/folder.ts";
import { initFolder } from "./launch/init.ts";
import { wantedPayout } from "./launch/payout.ts";
import { draftRequest, readCurrencies, requireOpenPhases } from "./launch/phases.ts";
import { planText, quoteText } from "./launch/plan-text.ts";
import { previewFolder } from "./launch/preview.ts";
import { earlierRun, type Launched, launchFolder } from "./launch/run.ts";
import { changePhase } from "./launch/set.ts";
import { shrinkPictures } from "./launch/shrink.ts";
import { ProgressLine, size } from "./progress.ts";
import { agreed, terminalQuestions } from "./questions.ts";
import { counted, near, table } from "./table.ts";

const USAGE = `npm run launch -- ./folder [options]
npm run launch -- preview ./folder [--port 4000]
npm run launch -- set ./folder [--phase allowlist] --price 3 …

Takes a folder of pictures, with 0.json for 0.png or without, to a collection
on the chain, as collection.yaml (or .json) in the folder says: title, prices,
times, royalties, allowlist. docs/launching.md has every field.
It prints the plan and asks for confirmation. An interrupted launch resumes:
run the command again.

  --shrink re-encodes pictures of more than 1 MB as WebP, and keeps the originals
           in originals/
  --init   asks a few questions and writes collection.yaml
  --yes    skips the confirmations
  --json   one line of JSON at the end instead of a table

preview serves mint page, gallery and NFTs as they will be, before anything is
uploaded or signed.

set changes single settings of a phase on-chain: --price, --currency, --per-account,
--supply, --starts and --ends; "none" takes one of the last five away. --phase is
public, allowlist or a number from 3 to 8. It shows what changes and asks.

MINTAGE_URL, MINTAGE_API_KEY and MINTAGE_CONTRACT name another service than the
one of npm start.`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      init: { type: "boolean", default: false },
      shrink: { type: "boolean", default: false },
      yes: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help || positionals.length !== 1) throw new UsageError(USAGE);
  return { ...values, folder: folderOf(positionals[0] ?? "") };
}

async function launch(): Promise<void> {
  const args = readArguments();
  if (args.init) {
    const questions = terminalQuestions();
    process.stdout.write(`${await initFolder(args.folder, questions).finally(() => questions.close())}\n`);
    return;
  }
  if (args.shrink) {
    await shrinkPictures(args.folder, ({ from, to, was, is }) =>
      process.stderr.write(`${from}: ${size(was)}, now ${to}: ${size(is)}\n`),
    );
  }
  const checked = await checkFolder(args.folder);
  const { baseUrl, contractUuid } = keyAccess();
  const isResumed = earlierRun(args.folder, baseUrl) !== null;
  // What an earlier run has put on-chain may be over by now.
  if (!isResumed) requireOpenPhases(checked, Date.now());
  const client = commandClient();
  const me = await client.me();
  const contract = contractOf(me, checked.file.contract ?? contractUuid, "contract in the folder's settings");
  const payout = await wantedPayout(checked.file.payout, me);
  const currencies = await readCurrencies(client, checked.file.phases);
  process.stderr.write(`${planText(checked, me, { contract: contract.account_id, payout, currencies })}\n\n`);
  if (isResumed) process.stderr.write("An earlier run was interrupted; this one resumes it.\n");
  if (!args.yes && !(await agreed(isResumed ? "Go on?" : "Launch it?"))) {
    process.stderr.write("Nothing was sent.\n");
    return;
  }
  await payout?.set?.();
  const line = new ProgressLine();
  const launched = await launchFolder({
    client,
    baseUrl,
    folder: args.folder,
    checked,
    currencies,
    request: draftRequest(contract.contract_uuid, checked.file, currencies),
    onUpload: ({ assets, totalAssets, bytes, totalBytes }) => {
      const text = `${assets} of ${counted(totalAssets, "media file")}, ${size(bytes)} of ${size(totalBytes)}`;
      line.show(bytes / Math.max(1, totalBytes), text);
      if (assets === totalAssets) line.end();
    },
    onAllowlist: (accounts, total) => {
      line.show(accounts / total, `${accounts} of ${counted(total, "account")} on the allowlist`);
      if (accounts === total) line.end();
    },
    onStep: (what) => process.stderr.write(`${what} …\n`),
    onQuote: async (quote) => {
      process.stderr.write(`${quoteText(quote, me)}\n`);
      return args.yes || agreed("Put it on-chain?");
    },
  });
  if (launched === null) {
    process.stderr.write("Nothing was put on-chain. The draft is kept: run the command again to continue.\n");
    return;
  }
  const result = resultOf(launched, checked.plan.assets.length);
  process.stdout.write(args.json ? `${JSON.stringify(result)}\n` : `\n${resultText(result)}\n`);
}

function resultOf(
  { finalized, draftUuid, reveal, page, allowlisted, transactions }: Launched,
  assets: number,
) {
  const { near_collection: collection, ipfs_result: files } = finalized;
  const burnt = transactions.reduce((sum, { tokens_burnt }) => sum + BigInt(tokens_burnt ?? 0), 0n);
  return {
    collection_uuid: finalized.collection_uuid,
    collection_id: collection.collection_id,
    contract_address: finalized.contract_address,
    collection_draft_uuid: draftUuid,
    assets,
    total_copies: collection.total_copies,
    allowlisted,
    reveal,
    mint_url: page?.mint_url ?? null,
    gallery_url: page?.gallery_url ?? null,
    files_url: files.root_url,
    explorer_url: finalized.tx_results[0]?.explorer_url ?? null,
    tokens_burnt: burnt.toString(),
  };
}

function resultText(result: ReturnType<typeof resultOf>): string {
  const rows = [
    { what: "collection", value: result.collection_uuid },
    { what: "on-chain", value: `collection ${result.collection_id} of ${result.contract_address}` },
    { what: "NFTs", value: `${result.total_copies} of ${counted(result.assets, "media file")}` },
    ...(result.allowlisted > 0
      ? [{ what: "put on the allowlist", value: counted(result.allowlisted, "account") }]
      : []),
    ...(result.reveal ? [{ what: "revealed", value: revealedText(result) }] : []),
    ...(result.mint_url ? [{ what: "mint page", value: result.mint_url }] : []),
    ...(result.gallery_url ? [{ what: "gallery", value: result.gallery_url }] : []),
    { what: "files", value: result.files_url },
    ...(result.explorer_url ? [{ what: "explorer", value: result.explorer_url }] : []),
    { what: "gas", value: `${near(result.tokens_burnt)} NEAR` },
  ];
  return `${table(rows)}

Collectors mint ${result.mint_url ? "on the mint page, or " : ""}from a wallet: for NEAR by nft_mint of ${result.contract_address} with {"collection_id":${result.collection_id}}.
You mint to many: npm run airdrop -- ${result.collection_uuid} receivers.csv`;
}

const revealedText = ({ reveal, collection_uuid: uuid }: ReturnType<typeof resultOf>): string =>
  typeof reveal === "string"
    ? `at ${reveal}, by itself`
    : `when you run npm run collection -- reveal ${uuid}`;

const [first, ...rest] = process.argv.slice(2);
await run(() => {
  if (first === "preview") return previewFolder(rest, USAGE);
  return first === "set" ? changePhase(rest, USAGE) : launch();
});

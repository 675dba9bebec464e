import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { FolderError } from "../../client/src/folder/index.ts";
import {
  ApiError,
  type Collection,
  type MintageClient,
  type NftUpdateBulkAnswer,
  type NftUpdateBulkInput,
} from "../../client/src/index.ts";
import { assetsOf } from "../airdrop/assets.ts";
import { costOfRun, costRows, type QuotedRequests, type RunCost, requireFunds } from "../airdrop/cost.ts";
import { MINT_RETRIES } from "../airdrop/run.ts";
import { commandClient, UsageError } from "../command.ts";
import { byLine, cellProblem, csvText, firstProblems } from "../csv.ts";
import { differenceOf, type RowsHead } from "../line-file.ts";
import { hadNoEffect } from "../no-effect.ts";
import { pacedFetch } from "../paced-fetch.ts";
import { ProgressLine } from "../progress.ts";
import { agreed } from "../questions.ts";
import { counted, near, table } from "../table.ts";
import { UpdateJournal } from "./update-journal.ts";
import { planUpdates, readUpdates, type UpdateRow } from "./updates.ts";

/** What an update works with. */
interface Update {
  readonly client: MintageClient;
  readonly collection: Collection;
  readonly file: string;
  readonly parts: readonly (readonly UpdateRow[])[];
  /** Uuids of the assets that rows name. */
  readonly assets: ReadonlyMap<string, string>;
  readonly journal: UpdateJournal;
}

/** A row whose NFT stays as it is, and why. */
interface FailedRow {
  readonly line: number;
  readonly token_id: string;
  readonly reason: string;
}

type Options = { readonly yes: boolean; readonly json: boolean };

/**
 * Changes the NFTs that the rows of a file name, each once: a request that was sent before is looked up by its reference,
 * and one that the service doesn't know is sent under the Idempotency-Key that it had.
 * @throws FolderError that names all mistakes of the file, UsageError
 */
export async function updateFromFile(
  { file, collectionUuid, baseUrl }: { file: string; collectionUuid: string; baseUrl: string },
  options: Options,
): Promise<void> {
  const client = commandClient({
    fetch: pacedFetch(),
    retry: { retries: MINT_RETRIES },
    onRetry: undefined,
  });
  const [text, name] = [readFileSync(file, "utf8"), basename(file)];
  // Whether there is such a service at all is found out sooner.
  const reader = commandClient();
  const [me, collection] = await Promise.all([reader.me(), reader.collections.get(collectionUuid)]);
  const { rows, problems } = readUpdates(name, text, collection.collection_id);
  const draft = { draftUuid: collection.collection_draft_uuid, name };
  const named = await assetsOf(client, draft, rows);
  const wrong = [...problems, ...named.problems];
  if (wrong.length > 0) throw new FolderError(byLine(name, wrong));
  const wanted = {
    base_url: baseUrl,
    collection_uuid: collectionUuid,
    rows_sha256: createHash("sha256").update(text).digest("hex"),
  };
  const journal = journalOf(file, wanted);
  const update: Update = { client, collection, file, parts: planUpdates(rows), assets: named.uuids, journal };
  const before = changedSoFar(update);
  const { quoted, refused } = await quoteParts(update);
  const contract = me.contracts.find(({ account_id }) => account_id === collection.contract_address);
  const requests = [...quoted.values()];
  const available = requests[0]?.quote.wallet.available ?? me.wallet.available;
  const cost = costOfRun(requests, BigInt(contract?.balance_free ?? 0), BigInt(available ?? 0));
  const total = counted(rows.length, "NFT");
  const plan = [
    { what: "collection", value: collection.title },
    { what: "NFTs", value: before > 0 ? `${rows.length}, ${before} of them changed before` : total },
    ...costRows(cost),
  ];
  process.stderr.write(`${table(plan)}\n\n`);
  requireFunds(cost, me, `changing all ${counted(cost.nfts, "NFT")}`);
  if (!options.yes && !(await agreed("Change them?"))) {
    process.stderr.write("Nothing was sent.\n");
    return;
  }
  const line = new ProgressLine();
  const failed = await changeAll(update, { limits: limitsOf(quoted, cost), refused }, (changed) =>
    line.show(changed / rows.length, `${changed} of ${total}`),
  ).finally(() => {
    line.end();
    writeReceipts(update, [...refused.values()].flat());
  });
  report(update, options, { before, failed });
}

/** What an earlier run left; one that has sent nothing counts for none. @throws UsageError if it was for something else */
function journalOf(file: string, wanted: RowsHead): UpdateJournal {
  const path = `${file}.update`;
  const journal = UpdateJournal.open(path, wanted);
  const difference = differenceOf(journal.head, wanted, basename(file));
  if (difference === null) return journal;
  if (!journal.isBegun) {
    rmSync(path);
    return UpdateJournal.open(path, wanted);
  }
  throw new UsageError(
    `The update in ${path} ${difference}. Continue it as it was started, or use a new file of rows for a new update.`,
  );
}

/** Rows of a part that are still to be changed. */
function rowsLeft({ parts, journal }: Pick<Update, "parts" | "journal">, index: number): UpdateRow[] {
  const { left } = journal.part(index);
  return (parts[index] ?? []).filter(({ tokenId }) => left === null || left.includes(tokenId));
}

const changedSoFar = (update: Pick<Update, "parts" | "journal">): number =>
  update.parts.reduce((sum, rows, index) => sum + rows.length - rowsLeft(update, index).length, 0);

const updatesOf = ({ assets }: Update, rows: readonly UpdateRow[]): NftUpdateBulkInput["updates"] =>
  rows.map(({ tokenId, asset, metadata }) => ({
    token_id: tokenId,
    ...(asset !== undefined && { asset_uuid: assets.get(asset) ?? asset }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }));

/**
 * Has each request that is to come quoted, which checks it. One that was sent before without an answer costs nothing more.
 * @returns the rows of requests that can change none of their NFTs too, by part: they aren't sent
 * @throws FolderError that names the cells that the service refuses
 */
async function quoteParts(
  update: Update,
): Promise<{ quoted: QuotedParts; refused: ReadonlyMap<number, readonly FailedRow[]> }> {
  const { client, collection, parts, journal, file } = update;
  const path = `/collection/${collection.collection_uuid}/nft-update-bulk`;
  const quoted = new Map<number, QuotedRequests>();
  const refused = new Map<number, readonly FailedRow[]>();
  for (const index of parts.keys()) {
    const rows = rowsLeft(update, index);
    if (rows.length === 0 || journal.part(index).sentAtMost !== null) continue;
    try {
      const body = { updates: updatesOf(update, rows) };
      quoted.set(index, {
        count: 1,
        nfts: rows.length,
        quote: await client.quote({ method: "POST", path, body }),
      });
    } catch (error) {
      const faulty = error instanceof ApiError ? faultyCells(error, rows) : [];
      if (!(error instanceof ApiError) || faulty.length === 0) throw error;
      // Only `conflict` is about every row: the service would change none of these NFTs.
      if (error.code !== "conflict") {
        const name = basename(file);
        const problems = faulty.map(({ line, cell, message }) => ({
          ...cellProblem(name, line, cell, message.replace(/\.$/, "")),
        }));
        throw new FolderError(byLine(name, problems));
      }
      const reasons = new Map(faulty.map(({ tokenId, message }) => [tokenId, message]));
      const [reason = ""] = error.message.split("\n");
      refused.set(
        index,
        // An answer names the first problems alone.
        rows.map(({ line, tokenId }) => ({
          ...{ line, token_id: tokenId },
          reason: reasons.get(tokenId) ?? reason,
        })),
      );
    }
  }
  return { quoted, refused };
}

/** Quotes of requests, by part. */
type QuotedParts = ReadonlyMap<number, QuotedRequests>;

/**
 * yoctoNEAR that each request may cost: what its quote says, and in place of its own top-up those of the whole run, because
 * each quote takes what the contract has for itself.
 */
function limitsOf(quoted: QuotedParts, { most }: RunCost): Map<number, string> {
  const gasOf = ({ quote }: QuotedRequests) => BigInt(quote.cost.at_most) - BigInt(quote.top_up);
  const topUps = [...quoted.values()].reduce((left, one) => left - gasOf(one), most);
  return new Map([...quoted].map(([index, one]) => [index, `${gasOf(one) + topUps}`]));
}

/** What a refusal says of rows: paths of its issues are `body?, updates, index, …`. */
function faultyCells({ issues }: ApiError, rows: readonly UpdateRow[]) {
  return issues.flatMap(({ path, message }) => {
    const at = path.indexOf("updates");
    const row = at < 0 ? undefined : rows[Number(path[at + 1])];
    const field = String(path.at(-1));
    return row ? [{ ...row, message, cell: String(row.metadata[field] ?? row.tokenId) }] : [];
  });
}

/**
 * Changes what isn't changed yet, a request after the other.
 * @returns rows whose NFTs stay as they are because of themselves; another run tries them again
 * @throws the first other failure
 */
async function changeAll(
  update: Update,
  {
    limits,
    refused,
  }: {
    readonly limits: ReadonlyMap<number, string>;
    readonly refused: ReadonlyMap<number, readonly FailedRow[]>;
  },
  onProgress: (changed: number) => void,
): Promise<FailedRow[]> {
  const { parts, journal } = update;
  const failed: FailedRow[] = [...refused.values()].flat();
  onProgress(changedSoFar(update));
  for (const index of parts.keys()) {
    const rows = rowsLeft(update, index);
    if (rows.length === 0 || refused.has(index)) continue;
    const { attempt } = journal.part(index);
    try {
      const answer = await changePart(update, index, { rows, atMost: limits.get(index) });
      const reasons = Object.fromEntries(
        answer.results.flatMap(({ token_id: id, status, message }) =>
          status === "failed" ? [[id, message ?? ""]] : [],
        ),
      );
      journal.write({ part: index, attempt, failed: reasons, ...receiptOf(answer) });
      failed.push(
        ...rows.flatMap(({ line, tokenId }) => {
          const reason = reasons[tokenId];
          return reason === undefined ? [] : [{ line, token_id: tokenId, reason }];
        }),
      );
    } catch (error) {
      if (hadNoEffect(error)) journal.write({ part: index, attempt, refused: error.code });
      throw error;
    }
    onProgress(changedSoFar(update));
  }
  return failed;
}

/** The answer to a request: of the operation that an earlier run has begun, if there is one. */
async function changePart(
  update: Update,
  index: number,
  { rows, atMost }: { readonly rows: readonly UpdateRow[]; readonly atMost: string | undefined },
): Promise<NftUpdateBulkAnswer> {
  const { client, collection, journal } = update;
  const { attempt, sentAtMost } = journal.part(index);
  const maxCost = sentAtMost ?? atMost;
  if (maxCost === undefined) throw new Error(`Request ${index} has no quote.`);
  const reference = `update-${journal.head.update}-${index}-${attempt}`;
  if (sentAtMost !== null) {
    for await (const { operation_uuid: uuid } of client.operations.list({ reference }))
      return client.operations.wait<NftUpdateBulkAnswer>(uuid);
  } else journal.write({ part: index, attempt, at_most: maxCost });
  return client.collections.updateNfts(collection.collection_uuid, updatesOf(update, rows), {
    idempotencyKey: reference,
    reference,
    maxCost,
  });
}

const receiptOf = ({ tx_results: results }: NftUpdateBulkAnswer) => ({
  transactions: results.map(({ transaction_hash: hash }) => hash),
  burnt: results.reduce((sum, { tokens_burnt }) => sum + BigInt(tokens_burnt ?? 0), 0n).toString(),
});

const receiptsFile = (file: string): string => `${file.replace(/\.csv$/i, "")}.receipts.csv`;

/** Writes a line for each row: whether its NFT was changed, and if not, why. @param refused rows that weren't sent */
function writeReceipts({ file, parts, journal }: Update, refused: readonly FailedRow[]): void {
  const refusals = new Map(refused.map(({ token_id: id, reason }) => [id, reason]));
  const lines = parts.flatMap((rows, index) => {
    const { left, receipts } = journal.part(index);
    const reasons: Readonly<Record<string, string>> = receipts.at(-1)?.failed ?? {};
    return rows.map(({ line, tokenId }) => {
      const isChanged = left !== null && !left.includes(tokenId);
      return [
        line,
        tokenId,
        isChanged ? "changed" : "",
        isChanged ? "" : (refusals.get(tokenId) ?? reasons[tokenId] ?? ""),
      ];
    });
  });
  const target = receiptsFile(file);
  writeFileSync(`${target}.new`, csvText(["line", "token_id", "status", "reason"], lines));
  renameSync(`${target}.new`, target);
}

function report(
  update: Update,
  { json }: Options,
  { before, failed }: { readonly before: number; readonly failed: readonly FailedRow[] },
): void {
  const { file, parts, journal } = update;
  const receipts = [...parts.keys()].flatMap((index) => journal.part(index).receipts);
  const changed = changedSoFar(update);
  const result = {
    rows: parts.reduce((sum, rows) => sum + rows.length, 0),
    changed,
    changed_before: before,
    failed,
    requests: parts.length,
    transactions: receipts.reduce((sum, { transactions }) => sum + transactions.length, 0),
    tokens_burnt: receipts.reduce((sum, { burnt }) => sum + BigInt(burnt), 0n).toString(),
    receipts: receiptsFile(file),
  };
  const rows = [
    { what: "NFTs changed", value: `${changed}, ${changed - before} of them now` },
    { what: "transactions", value: String(result.transactions) },
    { what: "gas", value: `${near(result.tokens_burnt)} NEAR` },
    { what: "receipts", value: result.receipts },
  ];
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `\n${table(rows)}\n`);
  if (failed.length === 0) return;
  const name = basename(file);
  const lines = failed.map(({ line, token_id: id, reason }) => `  ${name}:${line} ${id}: ${reason}`);
  process.stderr.write(`${counted(failed.length, "NFT")} couldn't be changed; all others are.
${firstProblems(`  ${name}`, lines, "row").join("\n")}
Another run tries them again.\n`);
  process.exitCode = 1;
}

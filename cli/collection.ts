/** `npm run collection -- …`: reveals, locks, transfers, burns and changes what a collection has on the chain. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type {
  ChainCallOptions,
  Collection,
  LockInput,
  MintageClient,
  QuoteInput,
} from "../client/src/index.ts";
import { ACCOUNT_ID_RULE, isAccountId } from "./account-ids.ts";
import { assetUuids } from "./airdrop/assets.ts";
import { earlierMove, newMove, sendMove } from "./collection/moves.ts";
import { updateFromFile } from "./collection/update.ts";
import { collectionOf, commandClient, keyAccess, option, run, UsageError } from "./command.ts";
import { costText, requireMoney } from "./cost.ts";
import { wholeNumber } from "./launch/settings-reader.ts";
import { agreed } from "./questions.ts";
import { counted, listed, near, table } from "./table.ts";

const LOCKS = ["metadata", "supply", "royalties", "transfers", "code"] as const;

const USAGE = `npm run collection -- <command> <collection> [options]

  reveal <collection> [--shown N]           shows hidden assets: all, or until N are shown
  lock <collection> <lock> …                locks ${LOCKS.join(", ")}, for ever
      --asset A      locks what NFTs of this asset show, by file name or uuid; repeatable
  lock <collection> --nft <token>           locks what one NFT shows, for ever
  transfer <collection> <token> … --to <account> [--memo <text>]
                                            gives NFTs of the integration's wallet to an account
  burn <collection> <token> …               burns NFTs of the integration's wallet, for ever
  update <collection> updates.csv           changes what many NFTs show: a column token_id, and
                                            title, subtitle, description, extra, copies, asset,
                                            asset_file_url or reference_file_url; an empty cell
                                            changes nothing, "null" takes the NFT's own value away

  --yes    skips the confirmation
  --json   one line of JSON at the end instead of a table

Each command prints the cost and what can't be undone, and asks for confirmation.
An interrupted update resumes: run the command again. What it has done is in
updates.csv.update. After another command was interrupted, run it again: a reveal up
to a number and a lock have no second effect, and a transfer or burn that was sent is
looked up and carried out once.

MINTAGE_URL and MINTAGE_API_KEY name another service than the one of npm start.`;

const COMMANDS = ["reveal", "lock", "transfer", "burn", "update"] as const;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      shown: { type: "string" },
      asset: { type: "string", multiple: true, default: [] },
      nft: { type: "string" },
      to: { type: "string" },
      memo: { type: "string" },
      yes: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [name, collection, ...words] = positionals;
  if (values.help || name === undefined) throw new UsageError(USAGE);
  const command = COMMANDS.find((each) => each === name);
  if (command === undefined) throw new UsageError(`There is no command "${name}".\n\n${USAGE}`);
  if (!collection) throw new UsageError(USAGE);
  const shown = option("shown", values.shown, wholeNumber);
  return { ...values, command, collectionUuid: collectionOf(collection), words, shown };
}

type Arguments = ReturnType<typeof readArguments>;

/** A write, as it is quoted and sent. */
interface Write<Answer> {
  /** As the subject of a sentence. */
  readonly what: string;
  readonly method: QuoteInput["method"];
  /** Below the collection's. */
  readonly path: string;
  readonly body: NonNullable<QuoteInput["body"]>;
  readonly rows: Readonly<Record<string, string>>;
  readonly question: string;
  readonly send: (options: ChainCallOptions) => Promise<Answer>;
  /** Whether it can't be sent twice, so that what an earlier run sent is looked up. */
  readonly isMove?: boolean;
  /** What a person is told of the answer. */
  readonly told: (answer: Answer) => string;
}

/** Has a write quoted, shows what it costs and can't undo, asks, and sends it at no more than this cost. */
async function carryOut<Answer>(
  { yes, json }: Arguments,
  { client, collection }: { readonly client: MintageClient; readonly collection: Collection },
  { what, method, path, body, rows, question, send, told, isMove = false }: Write<Answer>,
): Promise<void> {
  const uuid = collection.collection_uuid;
  const tell = (answer: Answer) =>
    void process.stdout.write(json ? `${JSON.stringify(answer)}\n` : `${told(answer)}\n`);
  const earlier = isMove ? await earlierMove(client, uuid, { path, body }, send) : null;
  if (earlier !== null) return tell(earlier);
  const move = isMove ? newMove() : undefined;
  const named = move === undefined ? body : { ...body, reference: move };
  const quoted = { method, path: `/collection/${uuid}/${path}`, body: named };
  const [quote, me] = await Promise.all([client.quote(quoted), client.me()]);
  requireMoney(quote, me, { what, state: "Nothing was sent." });
  const shown = {
    collection: collection.title,
    ...rows,
    "cost in all": costText(quote),
    "the wallet may spend": `${near(quote.wallet.available)} NEAR`,
  };
  process.stderr.write(`${table(Object.entries(shown).map(([name, value]) => ({ what: name, value })))}\n\n`);
  if (quote.permanent.length > 0)
    process.stderr.write(`Nobody can undo this:\n${quote.permanent.map((each) => `  ${each}\n`).join("")}\n`);
  if (!yes && !(await agreed(question))) {
    process.stderr.write("Nothing was sent.\n");
    return;
  }
  tell(
    await (move === undefined
      ? send({ quote: quote.quote_uuid })
      : sendMove(uuid, { path, body, move }, quote, send)),
  );
}

type Place = Parameters<typeof carryOut>[1];

async function reveal(args: Arguments, place: Place): Promise<void> {
  const { client, collection } = place;
  const { reveal: now, total_assets: all, collection_uuid: uuid } = collection;
  if (args.words.length > 0) throw new UsageError(USAGE);
  if (now === null) throw new UsageError(`${collection.title} hides no assets.`);
  const wanted = Math.min(args.shown ?? all, all);
  if (now.shown >= wanted) {
    process.stdout.write(
      args.json ? `${JSON.stringify(collection)}\n` : `${now.shown} of ${all} assets are shown already.\n`,
    );
    return;
  }
  const assets = wanted < all ? wanted - now.shown : undefined;
  await carryOut(args, place, {
    what: "revealing the assets",
    method: "POST",
    path: "reveal",
    body: { assets },
    rows: { assets: `${now.shown} of ${all} are shown; afterwards at least ${wanted}` },
    question: "Reveal them?",
    // A run that reads before another one's reveal has ended sends the same request under the same key.
    send: (options) =>
      client.collections.reveal(uuid, assets, {
        ...options,
        idempotencyKey: `reveal-${uuid}-${now.shown}-${wanted}`,
      }),
    told: ({ revealed }) => `${revealed.reveal?.shown} of ${all} assets are shown.`,
  });
}

async function lock(args: Arguments, place: Place): Promise<void> {
  const { client, collection } = place;
  const { words, asset: names, nft } = args;
  const uuid = collection.collection_uuid;
  if ((nft === undefined) === (words.length + names.length === 0)) throw new UsageError(USAGE);
  if (nft !== undefined)
    return carryOut(args, place, {
      what: "locking the NFT",
      method: "PUT",
      path: "nft-lock",
      body: { token_id: nft },
      rows: { NFT: nft },
      question: "Lock it for ever?",
      send: (options) => client.collections.lockNft(uuid, nft, options),
      told: () => `${nft} is locked.`,
    });
  const locks = words.map((word) => LOCKS.find((each) => each === word) ?? unknownLock(word));
  const found = await assetUuids(client, collection.collection_draft_uuid, new Set(names));
  const missing = names.filter((name) => !found.has(name));
  if (missing.length > 0)
    throw new UsageError(`--asset: the collection has no asset ${listed(missing)}. Nothing was sent.`);
  const assets = [...new Set(found.values())];
  const body: LockInput = { locks, asset_uuids: assets };
  const parts = [
    ...locks,
    ...(assets.length > 0 ? [`what NFTs of ${counted(assets.length, "asset")} show`] : []),
  ].join(", ");
  await carryOut(args, place, {
    what: "locking the collection",
    method: "PUT",
    path: "lock",
    body: { ...body },
    rows: { "to be locked": parts },
    question: "Lock it for ever?",
    send: (options) => client.collections.lock(uuid, body, options),
    told: () => `Locked for ever: ${parts}.`,
  });
}

function unknownLock(word: string): never {
  throw new UsageError(`There is no lock "${word}": give ${LOCKS.join(", ")}. Nothing was sent.`);
}

async function transfer(args: Arguments, place: Place): Promise<void> {
  const { words: tokens, to, memo } = args;
  if (!to || tokens.length === 0) throw new UsageError(`Give tokens and --to.\n\n${USAGE}`);
  if (!isAccountId(to)) throw new UsageError(`--to "${to}": ${ACCOUNT_ID_RULE}.`);
  const body = { token_ids: tokens, receiver_address: to, ...(memo !== undefined && { memo }) };
  await carryOut(args, place, {
    what: "transferring them",
    method: "POST",
    path: "nft-transfer",
    body,
    rows: { NFTs: `${tokens.length}: ${listed(tokens)}`, receiver: to },
    question: `Give ${counted(tokens.length, "NFT")} to ${to}?`,
    send: (options) => place.client.collections.transferNfts(place.collection.collection_uuid, body, options),
    isMove: true,
    told: () => `${to} has ${counted(tokens.length, "NFT")} more.`,
  });
}

async function burn(args: Arguments, place: Place): Promise<void> {
  const { words: tokens } = args;
  if (tokens.length === 0) throw new UsageError(`Give tokens.\n\n${USAGE}`);
  await carryOut(args, place, {
    what: "burning them",
    method: "POST",
    path: "nft-burn",
    body: { token_ids: tokens },
    rows: { NFTs: `${tokens.length}: ${listed(tokens)}` },
    question: `Burn ${counted(tokens.length, "NFT")} for ever?`,
    send: (options) => place.client.collections.burnNfts(place.collection.collection_uuid, tokens, options),
    isMove: true,
    told: () => `${counted(tokens.length, "NFT")} burnt.`,
  });
}

async function update({ words, collectionUuid, ...options }: Arguments): Promise<void> {
  const [name, ...others] = words;
  if (!name || others.length > 0) throw new UsageError(USAGE);
  const file = resolve(name);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`There is no file ${file}.`);
  await updateFromFile({ file, collectionUuid, baseUrl: keyAccess().baseUrl }, options);
}

async function collectionCommand(): Promise<void> {
  const args = readArguments();
  if (args.command === "update") return update(args);
  const client = commandClient();
  const place = { client, collection: await client.collections.get(args.collectionUuid) };
  switch (args.command) {
    case "reveal":
      return reveal(args, place);
    case "lock":
      return lock(args, place);
    case "transfer":
      return transfer(args, place);
    case "burn":
      return burn(args, place);
  }
}

await run(collectionCommand);

/** `npm run claim -- …`: links that give NFTs to whoever holds them, with their QR codes, and vouchers that sell them. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  ClaimIssuer,
  type CollectionPage,
  type Drop,
  type MintageClient,
  NotFoundError,
  type Quote,
} from "../client/src/index.ts";
import { ACCOUNT_ID_RULE, isAccountId } from "./account-ids.ts";
import { continued, dropInput, inOptions, newDrop, type OpenedDrop, openDrop } from "./claim/drop.ts";
import { drawFor, keepIssued, readIssued, renewIssuer } from "./claim/folder.ts";
import { QR_FORMATS, type QrFormat, writeLinks } from "./claim/links.ts";
import { claimsText, openClaims } from "./claim/open.ts";
import { collectionOf, commandClient, keyAccess, option, run, UsageError } from "./command.ts";
import { copiesLeft } from "./copies-left.ts";
import { costText, requireMoney } from "./cost.ts";
import { priceText, readPrice, readPriceIn } from "./launch/prices.ts";
import { readTime } from "./launch/times.ts";
import { ProgressLine } from "./progress.ts";
import { agreed } from "./questions.ts";
import { near, table } from "./table.ts";

const USAGE = `npm run claim -- <command> [options]

  create <collection> --links N --expires <time>   opens a drop and makes its links
      --quantity N   NFTs of each link (1)
      --folder F     where the links go (claims-<slug>)
  top-up <folder> [--links N] [--expires <time>]   more links in all, or more time
  status <folder>                                  how many were redeemed, and which
  voucher <folder> <link> --to <account> --price <price> --expires <time>
                                                   signs that the account may mint at this price,
                                                   --quantity NFTs, in place of this link, and
                                                   makes a link of it to the mint page; --currency
                                                   <account>: the price is in this token, in which
                                                   a phase of the collection has its price
  revoke <folder> <link> …                         ends single links, by their numbers in links.csv
  close <folder>                                   ends the drop: no link can be redeemed any more
  renew <folder>                                   ends all links and vouchers, and makes others of
                                                   another key: for one that has leaked

  --qr svg|png|none   how the links' QR codes are drawn (svg)
  --yes               skips the confirmation
  --json              one line of JSON at the end instead of a table

Keys are made on this machine and never sent. The folder has them: whoever has
it, or a link of it, can redeem the links. An interrupted command resumes: run
it again. A time is as "2026-12-24 18:00 Europe/Berlin".

MINTAGE_URL and MINTAGE_API_KEY name another service than the one of npm start.`;

const NOTHING_SENT = "Nothing was sent.";

const MOST_LINKS = 10_000;
const MOST_PER_LINK = 25;

function whole(name: string, text: string, most: number): number {
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${name} must be a whole number from 1 to ${most}; it is "${text}".`);
}

const COMMANDS = ["create", "top-up", "status", "voucher", "revoke", "close", "renew"] as const;

/** Commands that take numbers of links. */
const OF_LINKS: readonly string[] = ["voucher", "revoke"];

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      links: { type: "string" },
      expires: { type: "string" },
      quantity: { type: "string", default: "1" },
      folder: { type: "string" },
      to: { type: "string" },
      price: { type: "string" },
      currency: { type: "string" },
      qr: { type: "string", default: "svg" },
      yes: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [name, subject, ...numbers] = positionals;
  if (values.help || name === undefined) throw new UsageError(USAGE);
  const command = COMMANDS.find((each) => each === name);
  if (command === undefined) throw new UsageError(`There is no command "${name}".\n\n${USAGE}`);
  if (!subject || numbers.length > 0 !== OF_LINKS.includes(command)) throw new UsageError(USAGE);
  const format = QR_FORMATS.find((each) => each === values.qr);
  if (!format) throw new UsageError(`--qr must be one of ${QR_FORMATS.join(", ")}; it is "${values.qr}".`);
  return {
    ...values,
    command,
    subject,
    numbers,
    format,
    links: values.links === undefined ? null : whole("--links", values.links, MOST_LINKS),
    expires: option("expires", values.expires, readTime) ?? null,
    quantity: whole("--quantity", values.quantity, MOST_PER_LINK),
  };
}

type Arguments = ReturnType<typeof readArguments>;

/** The page on which links are redeemed. @throws UsageError if there is none */
async function pageOf(client: MintageClient, uuid: string): Promise<CollectionPage> {
  const page = await client.collections.page(uuid).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  if (page?.enabled) return page;
  throw new UsageError(
    "Links are redeemed on the collection's page, which doesn't exist yet. Create it first: PUT /collection/{uuid}/page (docs/pages.md).",
  );
}

async function mayGoOn({ yes }: Arguments, rows: Record<string, string>, question: string): Promise<boolean> {
  process.stderr.write(`${table(Object.entries(rows).map(([what, value]) => ({ what, value })))}\n\n`);
  if (yes || (await agreed(question))) return true;
  process.stderr.write(`${NOTHING_SENT}\n`);
  return false;
}

function report(
  { json }: Arguments,
  result: Readonly<Record<string, string | number | readonly number[] | null>>,
) {
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    const rows = Object.entries(result).map(([what, value]) => ({
      what: what.replaceAll("_", " "),
      value: Array.isArray(value) ? value.join(" ") || "–" : (value as string | number | null),
    }));
    process.stdout.write(`${table(rows)}\n`);
  }
}

async function write(
  client: MintageClient,
  folder: string,
  issued: OpenedDrop,
  format: QrFormat,
): Promise<Record<string, string | number | null>> {
  const [drop, page] = await Promise.all([
    client.drops.get(issued.collection_uuid, issued.drop_id),
    pageOf(client, issued.collection_uuid),
  ]);
  const line = new ProgressLine();
  const wanted = { links: drop.links, claimUrl: page.claim_url, format };
  if (format !== "none") drawFor(folder, issued, page.claim_url);
  const { table: links, codes } = await writeLinks(folder, issued, wanted, line).finally(() => line.end());
  return {
    drop_id: drop.drop_id,
    links: drop.links,
    nfts_of_a_link: drop.quantity,
    expires_at: drop.expires_at,
    reserve_near: near(drop.reserve),
    file: links,
    codes,
  };
}

/** Says what open links need of the copies that are left, with the links that are to come. */
async function tellOpen(
  client: MintageClient,
  uuid: string,
  left: number,
  added = 0,
  quantity = 0,
): Promise<void> {
  const { links, copies } = await openClaims(client, uuid);
  const text = claimsText({ links: links + added, copies: copies + added * quantity }, left);
  if (text) process.stderr.write(`${text}\n`);
}

async function create(args: Arguments, client: MintageClient): Promise<void> {
  const { subject, links, expires, quantity } = args;
  const uuid = collectionOf(subject);
  const { baseUrl } = keyAccess();
  if (links === null || expires === null) throw new UsageError(`Give --links and --expires.\n\n${USAGE}`);
  // First whether there is such a collection: one that isn't there has no page either.
  const collection = await client.collections.get(uuid);
  const [page, me] = await Promise.all([pageOf(client, uuid), client.me()]);
  const folder = resolve(args.folder ?? `claims-${page.slug}`);
  const wanted = { links, quantity, expires_at: expires };
  const before = readIssued(folder);
  if (before && (before.collection_uuid !== uuid || before.base_url !== baseUrl))
    throw new UsageError(`${folder} has the links of another collection. Give another --folder.`);
  const issued = before
    ? continued(folder, before, wanted)
    : await newDrop({ baseUrl, network: me.network }, collection, wanted);
  let quote: Quote | null = null;
  // What an earlier run may have sent was agreed to.
  if (!before || before.refused) {
    quote = await client.quote({ method: "POST", path: `/collection/${uuid}/drop`, body: dropInput(issued) });
    requireMoney(quote, me, { what: "opening the drop", state: NOTHING_SENT });
    const rows = {
      collection: collection.title,
      links: `${links}, of ${quantity} each, until ${expires}`,
      "copies left": String(copiesLeft(collection)),
      folder,
      "cost in all": costText(quote),
      "the wallet may spend": `${near(quote.wallet.available)} NEAR`,
    };
    await tellOpen(client, uuid, copiesLeft(collection), links, quantity);
    if (!(await mayGoOn(args, rows, "Open the drop and create the links?"))) return;
  }
  const drop = await openDrop(client, folder, issued, quote?.quote_uuid ?? null);
  report(args, await write(client, folder, drop, args.format));
}

/** The drop of a folder, as it is known there and on the chain. */
async function opened(args: Arguments, client: MintageClient): Promise<[OpenedDrop, string, Drop]> {
  const folder = resolve(args.subject);
  const issued = readIssued(folder);
  if (!issued)
    throw new UsageError(`There are no claim links in ${folder}. npm run claim -- create creates some.`);
  if (issued.drop_id === null) {
    throw new UsageError(`It isn't known whether the drop of ${folder} was opened: run create again first.`);
  }
  const known = issued as OpenedDrop;
  const drop = await client.drops.get(known.collection_uuid, known.drop_id);
  // A renewal that was broken off behind its success.
  const isRenewed = known.next !== undefined && known.next.publicKey === drop.issuer_public_key;
  return [isRenewed ? renewIssuer(folder, known) : known, folder, drop];
}

async function topUp(args: Arguments, client: MintageClient): Promise<void> {
  const { links, expires } = args;
  if (links === null && expires === null) throw new UsageError("Give --links, --expires or both.");
  const [issued, folder, drop] = await opened(args, client);
  if (links !== null && links < drop.links) {
    throw new UsageError(
      `--links: the drop has ${drop.links} links. Give a higher number, or end single links with revoke.`,
    );
  }
  if (expires !== null && Date.parse(expires) < Date.parse(drop.expires_at)) {
    throw new UsageError(
      `--expires: links are valid until ${drop.expires_at}. Give a later time, or end the drop now with close.`,
    );
  }
  const changes = {
    ...(links !== null && links !== drop.links && { links }),
    ...(expires !== null && expires !== drop.expires_at && { expires_at: expires }),
  };
  if (Object.keys(changes).length > 0) {
    const path = `/collection/${issued.collection_uuid}/drop/${issued.drop_id}`;
    const [quote, me] = await Promise.all([
      client.quote({ method: "PUT", path, body: changes }),
      client.me(),
    ]);
    requireMoney(quote, me, { what: "changing the drop", state: NOTHING_SENT });
    const rows = {
      links: `${drop.links}${links === null ? "" : `, then ${links}`}`,
      until: `${drop.expires_at}${expires === null ? "" : `, then ${expires}`}`,
      "cost in all": costText(quote),
      "the wallet may spend": `${near(quote.wallet.available)} NEAR`,
    };
    const added = (links ?? drop.links) - drop.links;
    await tellOpen(client, issued.collection_uuid, drop.copies_left, added, drop.quantity);
    if (!(await mayGoOn(args, rows, "Change the drop?"))) return;
    await client.drops.update(issued.collection_uuid, issued.drop_id, changes, { quote: quote.quote_uuid });
  }
  report(args, await write(client, folder, issued, args.format));
}

/** Numbers as `links.csv` has them. @param bits base64 of one bit a link */
const numbersOf = (bits: string): number[] =>
  [...Buffer.from(bits, "base64")].flatMap((byte, index) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => (byte >> bit) & 1).map((bit) => index * 8 + bit + 1),
  );

async function status(args: Arguments, client: MintageClient): Promise<void> {
  const [issued, , drop] = await opened(args, client);
  await tellOpen(client, issued.collection_uuid, drop.copies_left);
  report(args, {
    drop_id: drop.drop_id,
    links: drop.links,
    claimed: drop.claimed,
    revoked: drop.revoked,
    copies_left: drop.copies_left,
    expires_at: drop.expires_at,
    reserve_near: near(drop.reserve),
    claimed_links: numbersOf(drop.claimed_links),
    revoked_links: numbersOf(drop.revoked_links),
  });
}

/** Signs a voucher in place of a link. Nothing is sent: the issuer's key is in the folder. */
async function voucher(args: Arguments, client: MintageClient): Promise<void> {
  const { to, expires, quantity, numbers, currency } = args;
  if (!to || args.price === undefined || expires === null || numbers.length !== 1)
    throw new UsageError(`Give one link, --to, --price and --expires.\n\n${USAGE}`);
  if (!isAccountId(to)) throw new UsageError(`--to "${to}": ${ACCOUNT_ID_RULE}.`);
  const token = currency === undefined ? null : await client.currency(currency);
  const price = option("price", args.price, token ? readPriceIn(token) : readPrice) ?? "0";
  const [issued, , drop] = await opened(args, client);
  const link = whole("A link's number", numbers[0] ?? "", drop.links);
  if (quantity > drop.quantity)
    throw new UsageError(`--quantity: the drop has at most ${drop.quantity} for a link or voucher.`);
  if ([drop.claimed_links, drop.revoked_links].some((bits) => numbersOf(bits).includes(link)))
    throw new UsageError(`Link ${link} was redeemed or ended. Give another one.`);
  const issuer = await ClaimIssuer.fromSeed(issued.issuer_seed);
  const signed = await issuer.voucher({
    ...{ network: issued.network, contract: issued.contract_address, dropId: issued.drop_id },
    ...{ nonce: link - 1, receiver: to, quantity, price: BigInt(price), currency: currency ?? null },
    expiresAt: new Date(expires),
  });
  const { mint_url: page } = await pageOf(client, issued.collection_uuid);
  report(args, {
    link: `${page}#${signed.fragment}`,
    contract: signed.call.contract,
    method: signed.call.method,
    args: JSON.stringify(signed.call.args),
    deposit_near: token ? "1 yoctoNEAR" : near(signed.deposit),
    ...(token && { price: priceText((BigInt(price) * BigInt(quantity)).toString(), token) }),
  });
}

/** Links of one request. */
const MOST_REVOKED = 1_000;

async function revoke(args: Arguments, client: MintageClient): Promise<void> {
  const [issued, , drop] = await opened(args, client);
  const numbers = args.numbers.map((text) => whole("A link's number", text, drop.links));
  const used = new Set([...numbersOf(drop.claimed_links), ...numbersOf(drop.revoked_links)]);
  const open = [...new Set(numbers)].filter((number) => !used.has(number));
  if (open.length > MOST_REVOKED) throw new UsageError(`Give at most ${MOST_REVOKED} links at once.`);
  if (open.length > 0) {
    const before = String(numbers.length - open.length);
    const rows = { "links to end": open.join(" "), "redeemed or ended before": before };
    if (!(await mayGoOn(args, rows, "End these links?"))) return;
    const links = open.map((number) => number - 1);
    await client.drops.update(issued.collection_uuid, issued.drop_id, { revoke: links });
  }
  report(args, { drop_id: issued.drop_id, revoked_links: open });
}

/** Further back than clocks differ: the drop has then ended for every node. Milliseconds. */
const CLOCKS_DIFFER_MS = 60_000;

async function close(args: Arguments, client: MintageClient): Promise<void> {
  const [issued, , drop] = await opened(args, client);
  const left = drop.links - drop.claimed - drop.revoked;
  const isOpen = left > 0 && Date.parse(drop.expires_at) > Date.now();
  const rows = { links: `${drop.claimed} of ${drop.links} redeemed`, until: drop.expires_at };
  const question = isOpen
    ? `End the drop? ${left} links can't be redeemed any more then.`
    : "Close the drop?";
  if (!(await mayGoOn(args, rows, question))) return;
  if (isOpen) {
    const ended = new Date(Date.now() - CLOCKS_DIFFER_MS).toISOString();
    await client.drops.update(issued.collection_uuid, issued.drop_id, { expires_at: ended });
  }
  const { returned } = await client.drops.close(issued.collection_uuid, issued.drop_id);
  report(args, { drop_id: issued.drop_id, returned_near: near(returned) });
}

/** Gives the drop another issuer's key, which is in the folder before it is sent. */
async function renew(args: Arguments, client: MintageClient): Promise<void> {
  const [issued, folder, drop] = await opened(args, client);
  const rows = { links: `${drop.claimed} of ${drop.links} redeemed`, until: drop.expires_at };
  if (!(await mayGoOn(args, rows, "End all links that aren't redeemed, and make others?"))) return;
  const { seed, publicKey } = issued.next ?? (await ClaimIssuer.create());
  const begun = { ...issued, next: { seed, publicKey } };
  keepIssued(folder, begun);
  const change = { issuer_public_key: publicKey };
  await client.drops.update(issued.collection_uuid, issued.drop_id, change);
  report(args, await write(client, folder, renewIssuer(folder, begun), args.format));
}

async function claim(): Promise<void> {
  const args = readArguments();
  const client = commandClient();
  switch (args.command) {
    case "create":
      return create(args, client);
    case "top-up":
      return topUp(args, client);
    case "status":
      return status(args, client);
    case "voucher":
      return voucher(args, client);
    case "revoke":
      return revoke(args, client);
    case "close":
      return close(args, client);
    case "renew":
      return renew(args, client);
  }
}

await run(() =>
  claim().catch((error: unknown) => {
    throw inOptions(error);
  }),
);

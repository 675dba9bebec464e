/** `npm run upload -- ./folder`: brings a folder of media and metadata into a draft. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type FolderPlan, readFolder, type UploadResult, uploadFolder } from "../client/src/folder/index.ts";
import { type Me, type MintageClient, NotFoundError } from "../client/src/index.ts";
import {
  commandClient,
  contractOf,
  folderOf,
  keyAccess,
  readJson,
  run,
  UsageError,
  uuidOf,
} from "./command.ts";
import { requireDecodable } from "./decode-pictures.ts";
import { ProgressLine, size } from "./progress.ts";
import { counted, listed, table } from "./table.ts";

const USAGE = `npm run upload -- ./folder [options]

Uploads 0.png with 0.json, 1.jpg with 1.json, … (PNG, JPEG, GIF, WebP, AVIF, SVG,
MP4, WebM, MP3, WAV, OGG, GLB; also images/ and json/ apart) into a draft.
Run it again after a break: it asks what the draft has and uploads the rest.

  --draft UUID       into this draft; otherwise the one of the last run on this folder, or a new one
  --title TEXT       title of a new draft; default: name in the folder's collection.json
  --description TEXT likewise
  --contract UUID    contract of a new draft; default: MINTAGE_CONTRACT, or npm start's
  --copies N         NFTs of each media file (1)
  --subtitle TEXT    such as '#$TOKEN_NUM', appended to the title
  --parallel N       requests at a time (3)
  --finalize         puts the collection on-chain when everything is up
  --json             one line of JSON at the end instead of a table

MINTAGE_URL and MINTAGE_API_KEY name another service than the one of npm start.`;

/** Where the folder's draft is remembered between runs; a dot keeps it out of the upload. */
const MEMORY = ".mintage-upload.json";

interface Memory {
  readonly base_url: string;
  readonly collection_draft_uuid: string;
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      draft: { type: "string" },
      title: { type: "string" },
      description: { type: "string" },
      contract: { type: "string" },
      copies: { type: "string", default: "1" },
      subtitle: { type: "string" },
      parallel: { type: "string", default: "3" },
      finalize: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help || positionals.length !== 1) throw new UsageError(USAGE);
  return {
    ...values,
    folder: folderOf(positionals[0] ?? ""),
    draft: values.draft === undefined ? undefined : uuidOf("--draft", values.draft),
    contract: values.contract === undefined ? undefined : uuidOf("--contract", values.contract),
    copies: count("--copies", values.copies),
    parallel: count("--parallel", values.parallel),
  };
}

function count(name: string, text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new UsageError(`${name} must be a whole number above 0; it is "${text}".`);
  return Number(text);
}

type Arguments = ReturnType<typeof readArguments>;

/** The draft to continue, or a new one; the choice is stored in the folder. */
async function draftFor(
  client: MintageClient,
  baseUrl: string,
  plan: FolderPlan,
  args: Arguments,
  contract: string | null,
) {
  const file = join(args.folder, MEMORY);
  const memory = existsSync(file) ? readJson<Memory>(file) : null;
  const known = args.draft ?? (memory?.base_url === baseUrl ? memory.collection_draft_uuid : undefined);
  if (known !== undefined) {
    try {
      return await client.drafts.get(known);
    } catch (error) {
      // If the remembered draft was deleted, a new one is made; a draft that was asked for has to exist.
      if (!(error instanceof NotFoundError) || args.draft !== undefined) throw error;
    }
  }
  const draft = await client.drafts.create(newDraft(plan, args, contract, await client.me()));
  const remembered: Memory = { base_url: baseUrl, collection_draft_uuid: draft.collection_draft_uuid };
  writeFileSync(file, `${JSON.stringify(remembered, null, 2)}\n`);
  return draft;
}

function newDraft({ collectionFile }: FolderPlan, args: Arguments, contract: string | null, me: Me) {
  const described = collectionFile
    ? readJson<{ name?: string; description?: string }>(join(args.folder, collectionFile.path))
    : {};
  const title = args.title ?? described.name;
  if (!title)
    throw new UsageError("The draft needs a title: --title, or a name in the folder's collection.json.");
  return {
    contract_uuid: contractOf(me, args.contract ?? contract, "--contract").contract_uuid,
    title,
    description: args.description ?? described.description ?? null,
  };
}

async function upload(): Promise<void> {
  const args = readArguments();
  const { baseUrl, contractUuid } = keyAccess();
  const line = new ProgressLine();
  const client = commandClient();
  const plan = await readFolder(args.folder);
  await requireDecodable(args.folder, plan);
  const draft = await draftFor(client, baseUrl, plan, args, contractUuid);
  const result = await uploadFolder(client, draft.collection_draft_uuid, args.folder, {
    copies: args.copies,
    subtitle: args.subtitle,
    parallel: args.parallel,
    onProgress: (progress) =>
      line.show(
        progress.bytes / Math.max(1, progress.totalBytes),
        `${progress.assets} of ${counted(progress.totalAssets, "media file")}, ${size(progress.bytes)} of ${size(progress.totalBytes)}`,
      ),
  });
  line.end();
  const finalized = args.finalize ? await client.drafts.finalize(draft.collection_draft_uuid) : null;
  const aside = plan.ignored.filter((path) => path !== MEMORY);
  report(args, draft.collection_draft_uuid, result, finalized?.collection_uuid ?? null, aside);
}

function report(
  args: Arguments,
  draftUuid: string,
  result: UploadResult,
  collectionUuid: string | null,
  ignored: readonly string[],
) {
  if (args.json) {
    const { assets, alreadyThere, bytes, requests, seconds } = result;
    const line = {
      collection_draft_uuid: draftUuid,
      collection_uuid: collectionUuid,
      assets,
      already_there: alreadyThere,
      bytes,
      requests,
      seconds,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const uploaded = result.assets - result.alreadyThere;
  const rows = [
    { what: "draft", value: draftUuid },
    ...(collectionUuid ? [{ what: "collection", value: collectionUuid }] : []),
    { what: "media files in the draft", value: String(result.assets) },
    { what: "uploaded now", value: String(uploaded) },
    { what: "there before", value: String(result.alreadyThere) },
    { what: "bytes", value: size(result.totalBytes) },
    { what: "requests", value: String(result.requests) },
    { what: "seconds", value: result.seconds.toFixed(1) },
    ...(ignored.length > 0 ? [{ what: "left aside", value: listed(ignored) }] : []),
  ];
  process.stdout.write(`\n${table(rows)}\n`);
  if (!collectionUuid)
    process.stdout.write("\nNext: run it again with --finalize, or POST the draft's finalize.\n");
}

await run(upload);

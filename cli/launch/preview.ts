import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { FolderError } from "../../client/src/folder/index.ts";
import { mediaType, SNIFFED_BYTES } from "../../client/src/folder/media-sniffing.ts";
import { folderOf, UsageError } from "../command.ts";
import { type CheckedFolder, checkFolder } from "./folder.ts";
import { smallestPrice, writtenCurrencies } from "./phases.ts";
import { subtitleOf } from "./titles.ts";

/** The pages' own code, which renders a collection that is on no chain yet. */
interface Pages {
  readonly previewPage: (previewed: object, path: string) => string | null;
  readonly PREVIEW_FONT: { readonly path: string; readonly base64: string };
}

/** What is served, and to whom. */
interface Preview {
  readonly pages: Pages;
  readonly folder: string;
  readonly port: number;
  /** The folder as the last page shows it; null: no page was asked for. */
  shown: CheckedFolder | null;
}

const MINT_PAGE = "/m/preview";
const CREATOR = "/creator";
const FILE = "/file/";

/** What a page may do: style what carries the pages' nonce, and show the preview's files. Previews have no scripts. */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'nonce-preview'",
  "img-src 'self' data:",
  "media-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * `npm run launch -- preview <folder>`: serves mint page, gallery and NFTs as they will be, until it is stopped. It reads the
 * folder again for each page, and calls no service.
 * @param usage of the whole command
 */
export async function previewFolder(args: readonly string[], usage: string): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { port: { type: "string", default: "0" }, help: { type: "boolean", default: false } },
  });
  const [named] = positionals;
  if (values.help || named === undefined || positionals.length !== 1) throw new UsageError(usage);
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535)
    throw new UsageError(`--port must be a number up to 65535; it is "${values.port}".`);
  const folder = folderOf(named);
  // What is wrong with the folder is said here, and not only in the browser.
  await checkFolder(folder);
  const { address } = await servePreview(folder, Number(values.port));
  process.stdout.write(
    `${address}${MINT_PAGE}\nNothing is uploaded or signed. A change in the folder shows when the page is loaded again. Ctrl-C stops it.\n`,
  );
}

/** Serves a folder's preview on this machine. @param port 0: any that is free */
export async function servePreview(
  folder: string,
  port = 0,
): Promise<{ readonly address: string; readonly server: Server }> {
  const pages = await loadPages();
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const preview: Preview = { pages, folder, port: (server.address() as AddressInfo).port, shown: null };
  server.on("request", async (request, response) => {
    const answer = await answerTo(preview, request).catch(faultOf);
    response.writeHead(answer.status, {
      "Content-Type": answer.type,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...answer.headers,
    });
    response.end(answer.body);
  });
  return { address: `http://127.0.0.1:${preview.port}`, server };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

const TEXT = "text/plain; charset=utf-8";
const MISSING: Answer = { status: 404, type: TEXT, body: "The preview has no such page." };

/** The browser shows an error, such as a problem with the folder; the preview continues. */
const faultOf = (error: unknown): Answer => {
  if (error instanceof FolderError) return { status: 400, type: TEXT, body: error.problems.join("\n") };
  const status = error instanceof UsageError ? 400 : 500;
  return { status, type: TEXT, body: error instanceof Error ? error.message : String(error) };
};

/** Bundles the pages' code, as the build of the Worker does. */
async function loadPages(): Promise<Pages> {
  // Loaded only here: no other command needs it.
  const { build } = await import("esbuild");
  const folder = mkdtempSync(join(tmpdir(), "mintage-preview-pages-"));
  const outfile = join(folder, "pages.cjs");
  try {
    await build({
      entryPoints: [join(import.meta.dirname, "..", "..", "src", "collections", "pages", "preview.tsx")],
      bundle: true,
      outfile,
      platform: "node",
      format: "cjs",
      logLevel: "silent",
    });
    return createRequire(import.meta.url)(outfile) as Pages;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function answerTo(preview: Preview, { headers, url = "/" }: IncomingMessage): Promise<Answer> {
  const { pages, folder, port } = preview;
  const { host = "" } = headers;
  // Another name may be one of a website that points to this machine, whose scripts could read what is not revealed yet.
  if (!["127.0.0.1", "localhost"].some((name) => host === new URL(`http://${name}:${port}`).host))
    return { status: 403, type: TEXT, body: `Open http://127.0.0.1:${port}${MINT_PAGE}.` };
  const address = `http://${host}`;
  const { pathname: path } = new URL(url, address);
  if (path === "/") return { status: 302, type: TEXT, body: "", headers: { Location: MINT_PAGE } };
  if (path === pages.PREVIEW_FONT.path)
    return { status: 200, type: "font/woff2", body: Buffer.from(pages.PREVIEW_FONT.base64, "base64") };
  if (path === CREATOR || path.startsWith(FILE)) {
    // Checking decodes all pictures, so that a page's files are those that it was made of.
    preview.shown ??= await checkFolder(folder);
    return fileAnswer(preview.shown, folder, path);
  }
  const checked = await checkFolder(folder);
  const page = pages.previewPage(previewedOf(checked, folder, address), path);
  if (page === null) return MISSING;
  preview.shown = checked;
  const policy = { "Content-Security-Policy": PAGE_POLICY };
  return { status: 200, type: "text/html; charset=utf-8", body: page, headers: policy };
}

function fileAnswer(checked: CheckedFolder, folder: string, path: string): Answer {
  const picture = checked.page.creator?.picture;
  if (path === CREATOR) return picture ? { status: 200, type: "image/webp", body: picture } : MISSING;
  const file = fileAt(checked, path);
  if (file === undefined) return MISSING;
  const body = readFileSync(join(folder, file));
  return {
    status: 200,
    type: mediaType(body) ?? TEXT,
    body,
    headers: { "Content-Security-Policy": "sandbox" },
  };
}

const filesOf = ({ plan }: CheckedFolder): string[] => [
  ...plan.assets.map(({ media }) => media.path),
  ...(plan.placeholder ? [plan.placeholder.path] : []),
];

const fileAt = (checked: CheckedFolder, path: string): string | undefined => {
  const number = path.slice(FILE.length);
  return /^\d{1,6}$/.test(number) ? filesOf(checked)[Number(number)] : undefined;
};

/** The first bytes of a file, which tell its type. */
function startOf(file: string): Uint8Array {
  const opened = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(SNIFFED_BYTES);
    return bytes.subarray(0, readSync(opened, bytes));
  } finally {
    closeSync(opened);
  }
}

/** What the pages show of a folder. */
function previewedOf(checked: CheckedFolder, folder: string, base: string): object {
  const { file, plan, page } = checked;
  const { draft } = file;
  const files = filesOf(checked);
  const urlOf = (path: string): string => `${base}${FILE}${files.indexOf(path)}`;
  const assets = plan.assets.map(({ media, reference }) => {
    const metadata = reference && JSON.parse(readFileSync(join(folder, reference.path), "utf8"));
    return {
      subtitle: file.subtitle ?? subtitleOf(draft.title, metadata),
      url: urlOf(media.path),
      mediaType: mediaType(startOf(join(folder, media.path))),
      metadata,
    };
  });
  const cover = plan.assets.find(({ media }) => basename(media.path) === page.cover)?.media.path;
  const currencies = writtenCurrencies(file.phases);
  const phases = file.phases.map((wanted) => {
    const price = smallestPrice(wanted, currencies);
    if ("problem" in price) throw new FolderError([price.problem]);
    return {
      phase: wanted.phase,
      kind: wanted.list === null ? "public" : "allowlist",
      mint_fee: price.value,
      currency: wanted.currency && currencies.get(wanted.currency.account),
      starts_at: wanted.starts_at,
      ends_at: wanted.ends_at,
      limit_per_account: wanted.limit_per_account,
      supply: wanted.supply,
    };
  });
  return {
    title: draft.title,
    description: draft.description ?? null,
    contract: "your contract",
    copies: file.copies,
    assets,
    placeholder: plan.placeholder && {
      url: urlOf(plan.placeholder.path),
      at: typeof draft.reveal === "string" ? draft.reveal : null,
    },
    phases,
    royalties: draft.ongoing_royalties ?? {},
    coverUrl: cover === undefined ? null : urlOf(cover),
    accent: page.accent,
    creator: page.creator && {
      name: page.creator.name,
      url: page.creator.url,
      picture_url: page.creator.picture && `${base}${CREATOR}`,
    },
    about: page.about,
    links: page.links ?? [],
    base,
    now: new Date(),
  };
}

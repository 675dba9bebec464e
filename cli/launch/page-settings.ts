import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { FolderPlan } from "../../client/src/folder/index.ts";
import type { CollectionPage, CollectionPageInput } from "../../client/src/index.ts";
import { decodeProblem } from "../decode-pictures.ts";
import type { Read } from "./prices.ts";
import { line, lines, type SettingsReader } from "./settings-reader.ts";

/** What `page` in the folder says: no page, one at this last part of an address, or one whose address the title gives. */
export type WantedPage = { readonly slug: string } | "none" | "by_title";

/** Characters of an address's last part, at most. */
export const LONGEST = 64;
const SHORTEST = 3;

/** The service's rule for slugs. */
export const readPage = (text: string): Read<WantedPage> => {
  if (/^(no|false)$/i.test(text)) return { value: "none" };
  if (/^(yes|true)$/i.test(text)) return { value: "by_title" };
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) && text.length >= SHORTEST && text.length <= LONGEST)
    return { value: { slug: text } };
  return {
    problem: `give the last part of the pages' address: ${SHORTEST} to ${LONGEST} lower-case letters and digits with single hyphens between them, or no; it is "${text}"`,
  };
};

/** What `page` of collection.yaml says beside the address; null: nothing. */
export interface PageFields {
  readonly accent: string | null;
  /** Name of a media file. */
  readonly cover: string | null;
  readonly creator: {
    readonly name: string;
    readonly url: string | null;
    /** Path below the folder. */
    readonly picture: string | null;
  } | null;
  /** Markdown, or the path of a file with it in page/. */
  readonly about: string | null;
  readonly links: readonly { readonly label: string; readonly url: string }[] | null;
}

/** The same with what the files have. */
export interface PageSettings extends Omit<PageFields, "creator"> {
  readonly creator: {
    readonly name: string;
    readonly url: string | null;
    /** WebP. */
    readonly picture: Uint8Array | null;
  } | null;
}

const FIELDS = ["address", "accent", "cover", "creator", "about", "links"];
/** The limits of the service, whose rules a test compares. */
const MOST_LINKS = 8;
const MOST_LABEL = 60;
const MOST_NAME = 100;
const MOST_URL = 2_048;
const MOST_ABOUT = 4_000;
const MOST_MARKS = 500;
const MOST_DEEP = 10;
/** Pixels of a side of the creator's picture: four for each that it is shown with. */
const PICTURE_SIDE = 192;

/** A page of which nothing but the address is given. */
export const NO_PAGE_FIELDS: PageFields = {
  accent: null,
  cover: null,
  creator: null,
  about: null,
  links: null,
};

/** Reads `page`: the last part of an address, yes or no, or fields. */
export function readPageFields(reader: SettingsReader): {
  readonly page: WantedPage;
  readonly fields: PageFields;
} {
  const path = ["page"];
  if (!reader.isFields(path))
    return { page: reader.value(path, readPage) ?? "by_title", fields: NO_PAGE_FIELDS };
  reader.onlyFields(path, FIELDS);
  return {
    page: reader.value([...path, "address"], readPage) ?? "by_title",
    fields: {
      accent: reader.value([...path, "accent"], colour),
      cover: reader.text([...path, "cover"]),
      creator: readCreator(reader, [...path, "creator"]),
      about: reader.value([...path, "about"], readAbout),
      links: readLinks(reader, [...path, "links"]),
    },
  };
}

function readCreator(reader: SettingsReader, path: readonly string[]): PageFields["creator"] {
  if (reader.fields(path) === null) return null;
  reader.onlyFields(path, ["name", "url", "picture"]);
  const name = reader.value([...path, "name"], line(MOST_NAME));
  if (name === null) reader.problem([...path, "name"], "missing: give the creator a name");
  return {
    name: name ?? "",
    url: reader.value([...path, "url"], httpsUrl),
    picture: reader.value([...path, "picture"], belowPage),
  };
}

function readLinks(reader: SettingsReader, path: readonly string[]): PageFields["links"] {
  const labels = reader.fields(path);
  if (labels === null) return null;
  if (labels.length > MOST_LINKS)
    reader.problem(path, `give at most ${MOST_LINKS} links; there are ${labels.length}`);
  return labels.flatMap((label) => {
    const named: Read<string> = label === "" ? { problem: "give the link a label" } : line(MOST_LABEL)(label);
    if ("problem" in named) reader.problem([...path, label], `label: ${named.problem}`);
    const url = reader.value([...path, label], httpsUrl);
    return url === null ? [] : [{ label, url }];
  });
}

const colour = (text: string): Read<string> =>
  /^#[0-9a-f]{6}$/i.test(text)
    ? { value: text.toLowerCase() }
    : { problem: `give a colour in quotes, such as "#1f6f54"; it is "${text}"` };

function httpsUrl(text: string): Read<string> {
  if (text.length > MOST_URL)
    return { problem: `use at most ${MOST_URL} characters; there are ${text.length}` };
  // What a URL parser would put right by itself.
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text) || !text.isWellFormed())
    return { problem: "write it without spaces, control characters, backslashes and invisible characters" };
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.username === "" && url.password === ""
    ? { value: text }
    : { problem: `give a complete https address without user name and password; it is "${text}"` };
}

/** Markdown that the service shows: a parser's time grows with the square of the marks of emphasis, and its stack with the depth. */
function markdown(text: string): Read<string> {
  const read = lines(MOST_ABOUT)(text);
  if ("problem" in read) return read;
  const marks = text.match(/[*_]/g)?.length ?? 0;
  if (marks > MOST_MARKS)
    return { problem: `use at most ${MOST_MARKS} asterisks and underscores; there are ${marks}` };
  const isDeep = text.split("\n").some((each) => depthOf(each) > MOST_DEEP);
  return isDeep ? { problem: `nest at most ${MOST_DEEP} quotations and lists in a line` } : read;
}

/** How many quotations and lists may begin with a line. */
const depthOf = (text: string): number =>
  (/^[\s>*+\-\d.)]*/.exec(text)?.[0] ?? "").match(/>|[*+\-.)](?=\s)/g)?.length ?? 0;

/** Pictures beside the media files would become NFTs. */
const belowPage = (text: string): Read<string> =>
  /^page\/[^/\\]+\.(png|jpe?g|webp|avif|gif)$/i.test(text)
    ? { value: text }
    : { problem: `name a picture in the folder's page/, such as page/ada.jpg; it is "${text}"` };

const isFile = (about: string): boolean => /^page\/[^/\\\n]+\.md$/i.test(about);

/** One word that ends like a file's name is meant as a file. */
function readAbout(text: string): Read<string> {
  if (isFile(text)) return { value: text };
  return /^\S+\.md$/i.test(text)
    ? { problem: `name a file in the folder's page/, such as page/about.md; it is "${text}"` }
    : markdown(text);
}

/** Paths below the folder that the page's settings name. */
export const filesOfPage = ({ creator, about }: PageFields): string[] =>
  [creator?.picture, about !== null && isFile(about) ? about : null].filter(
    (path) => typeof path === "string",
  );

/** Reads what the page's settings name. @returns the settings, or all that is wrong */
export async function resolvePage(
  folder: string,
  fields: PageFields,
  plan: FolderPlan | null,
): Promise<PageSettings | { readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const collect = <T>(read: Read<T>): T | null => {
    if ("value" in read) return read.value;
    problems.push(read.problem);
    return null;
  };
  const { creator, cover } = fields;
  const about =
    fields.about !== null && isFile(fields.about) ? collect(textOf(folder, fields.about)) : fields.about;
  const picture = creator?.picture ? collect(await circlePicture(folder, creator.picture)) : null;
  if (cover !== null && plan && !plan.assets.some(({ media }) => basename(media.path) === cover))
    problems.push(`page.cover: there is no media file ${cover} in the folder.`);
  return problems.length > 0
    ? { problems }
    : { ...fields, about, creator: creator && { ...creator, picture } };
}

const missing = (path: string): { readonly problem: string } => ({
  problem: `page: there is no file ${path} in the folder.`,
});

/** The text of a file. */
function textOf(folder: string, path: string): Read<string> {
  const file = join(folder, path);
  if (!existsSync(file)) return missing(path);
  const text = readFileSync(file, "utf8").replaceAll("\r\n", "\n").replaceAll("\t", "    ").trim();
  const read = markdown(text);
  return "problem" in read ? { problem: `${path}: ${read.problem}.` } : read;
}

/** A picture's middle, as small as it is shown. */
async function circlePicture(folder: string, path: string): Promise<Read<Uint8Array>> {
  const file = join(folder, path);
  if (!existsSync(file)) return missing(path);
  // Loaded only here: it is a large library, and most folders don't need it.
  const { default: sharp } = await import("sharp");
  const bytes = readFileSync(file);
  try {
    // From bytes: libvips caches by file name, and a preview's picture may change.
    const circle = sharp(bytes).autoOrient().resize(PICTURE_SIDE, PICTURE_SIDE, { fit: "cover" });
    return { value: await circle.webp({ quality: 80 }).toBuffer() };
  } catch (error) {
    return { problem: decodeProblem(path, error as Error) };
  }
}

/** What a page's address ends with that has this picture. */
const digestOf = (picture: Uint8Array): string =>
  createHash("sha256").update(picture).digest("hex").slice(0, 16);

type Changes = Omit<CollectionPageInput, "slug" | "enabled">;

/** What a page is sent for these settings. @param coverUuid the asset of the cover; null: none is named */
export const pageChanges = (settings: PageSettings, coverUuid: string | null): Changes => {
  const { accent, creator, about, links } = settings;
  return {
    ...(accent !== null && { theme: { accent } }),
    ...(coverUuid !== null && { cover_asset_uuid: coverUuid }),
    ...(creator && {
      creator: {
        name: creator.name,
        url: creator.url,
        picture: creator.picture && Buffer.from(creator.picture).toString("base64"),
      },
    }),
    ...(about !== null && { about }),
    ...(links !== null && { links: [...links] }),
  };
};

/** Whether a page shows something else than a change says. */
export const differs = (page: CollectionPage, { creator, ...changes }: Changes): boolean => {
  const picture = creator?.picture ? digestOf(Buffer.from(creator.picture, "base64")) : null;
  const shown = page.creator?.picture_url?.split("/").at(-1) ?? null;
  const isCreator =
    !creator ||
    (page.creator?.name === creator.name && page.creator.url === (creator.url ?? null) && shown === picture);
  return (
    !isCreator ||
    Object.entries(changes).some(
      ([name, value]) => JSON.stringify(page[name as keyof typeof changes]) !== JSON.stringify(value),
    )
  );
};

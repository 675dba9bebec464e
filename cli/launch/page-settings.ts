import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FolderPlan } from "../../client/src/folder/index.ts";
import type { CollectionPage, CollectionPageInput } from "../../client/src/index.ts";
import type { Read } from "./prices.ts";
import type { SettingsReader } from "./settings-reader.ts";

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
  /** Markdown, or the path of a file with it. */
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
const MOST_LINKS = 8;
const MOST_ABOUT = 4_000;
/** Pixels of a side of the creator's picture: four for each that it is shown with. */
const PICTURE_SIDE = 192;

const NOTHING: PageFields = { accent: null, cover: null, creator: null, about: null, links: null };

/** Reads `page`: the last part of an address, yes or no, or fields. */
export function readPageFields(reader: SettingsReader): {
  readonly page: WantedPage;
  readonly fields: PageFields;
} {
  const path = ["page"];
  if (!reader.isFields(path)) return { page: reader.value(path, readPage) ?? "by_title", fields: NOTHING };
  reader.onlyFields(path, FIELDS);
  return {
    page: reader.value([...path, "address"], readPage) ?? "by_title",
    fields: {
      accent: reader.value([...path, "accent"], colour),
      cover: reader.text([...path, "cover"]),
      creator: readCreator(reader, [...path, "creator"]),
      about: reader.value([...path, "about"], atMost(MOST_ABOUT)),
      links: readLinks(reader, [...path, "links"]),
    },
  };
}

function readCreator(reader: SettingsReader, path: readonly string[]): PageFields["creator"] {
  if (reader.fields(path) === null) return null;
  reader.onlyFields(path, ["name", "url", "picture"]);
  const name = reader.value([...path, "name"], atMost(100));
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
    const url = reader.value([...path, label], httpsUrl);
    return url === null ? [] : [{ label, url }];
  });
}

const colour = (text: string): Read<string> =>
  /^#[0-9a-f]{6}$/i.test(text)
    ? { value: text.toLowerCase() }
    : { problem: `give a colour in quotes, such as "#1f6f54"; it is "${text}"` };

const httpsUrl = (text: string): Read<string> =>
  URL.parse(text)?.protocol === "https:"
    ? { value: text }
    : { problem: `give a complete https address; it is "${text}"` };

const atMost =
  (most: number) =>
  (text: string): Read<string> => {
    const length = [...text].length;
    return length <= most
      ? { value: text }
      : { problem: `use at most ${most} characters; there are ${length}` };
  };

/** Pictures beside the media files would become NFTs. */
const belowPage = (text: string): Read<string> =>
  /^page\/[^/\\]+\.(png|jpe?g|webp|avif|gif)$/i.test(text)
    ? { value: text }
    : { problem: `name a picture in the folder's page/, such as page/ada.jpg; it is "${text}"` };

const isFile = (about: string): boolean => /^[^\n]+\.md$/i.test(about);

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
  const problems = filesOfPage(fields)
    .filter((path) => !existsSync(join(folder, path)))
    .map((path) => `page: there is no file ${path} in the folder.`);
  const names = plan?.assets.map(({ media }) => nameOf(media.path));
  if (fields.cover !== null && names && !names.includes(fields.cover))
    problems.push(`page.cover: there is no media file ${fields.cover} in the folder.`);
  if (problems.length > 0) return { problems };
  const about =
    fields.about !== null && isFile(fields.about) ? textOf(join(folder, fields.about)) : fields.about;
  const read = about === null ? { value: null } : atMost(MOST_ABOUT)(about);
  if ("problem" in read) return { problems: [`${fields.about}: ${read.problem}.`] };
  const { creator } = fields;
  const picture = creator?.picture && (await circlePicture(join(folder, creator.picture)));
  return { ...fields, about, creator: creator && { ...creator, picture: picture || null } };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const textOf = (file: string): string =>
  readFileSync(file, "utf8").replaceAll("\r\n", "\n").replaceAll("\t", "    ").trim();

/** A picture's middle, as small as it is shown. */
async function circlePicture(file: string): Promise<Uint8Array> {
  // Loaded only here: it is a large library, and most folders don't need it.
  const { default: sharp } = await import("sharp");
  return sharp(file)
    .autoOrient()
    .resize(PICTURE_SIDE, PICTURE_SIDE, { fit: "cover" })
    .webp({ quality: 80 })
    .toBuffer();
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

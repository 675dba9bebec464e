import { MEDIA_NAMES } from "./media-sniffing.ts";

/** A file of a folder, before its bytes are read. */
export interface FolderFile {
  /** Path below the folder, with `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** A media file with the reference file that belongs to it. */
export interface PlannedAsset {
  readonly media: FolderFile;
  readonly reference: FolderFile | null;
}

/** What a folder holds, and what is wrong with it. */
export interface FolderPlan {
  readonly assets: readonly PlannedAsset[];
  /** Name and description for the collection, where the folder has them (`collection.json`). */
  readonly collectionFile: FolderFile | null;
  /** What NFTs show until a reveal, where the folder has it (`placeholder.png`). */
  readonly placeholder: FolderFile | null;
  /** Sentences that say what to do; nothing is uploaded while there are any. */
  readonly problems: readonly string[];
  /** Files that are left where they are. */
  readonly ignored: readonly string[];
}

/** Most bytes of one uploaded file (1 MB). */
export const MAX_FILE = 1_048_576;

/** Endings of what the service takes; what a file really is, its bytes tell. */
const MEDIA = /\.(png|jpe?g|gif|webp|avif|svg|mp4|webm|mp3|wav|og[gva]|opus|glb)$/i;
/** Folders in which generative tools keep media and metadata apart. */
const MEDIA_FOLDERS = ["", "images", "assets"];
const REFERENCE_FOLDERS = [...MEDIA_FOLDERS, "json", "metadata"];

/** The name without its extension of the file that NFTs show until a reveal. */
const PLACEHOLDER = "placeholder";

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
/** The name without its extension; what a media file and its reference have in common. */
const stemOf = (path: string) => nameOf(path).replace(/\.[^.]*$/, "");

/**
 * Pairs media files with their metadata: `0.png` with `0.json`, side by side or in `images/` and `json/`, in the order
 * of their numbers. `collection.json` and its media file describe the collection and are not assets, nor is `placeholder`,
 * which NFTs show until a reveal; names that begin with a dot or an underscore are the tools' own.
 */
export function planFolder(files: readonly FolderFile[]): FolderPlan {
  const problems: string[] = [];
  const ignored: string[] = [];
  const media = new Map<string, FolderFile>();
  const references = new Map<string, FolderFile>();
  let collectionFile: FolderFile | null = null;
  let placeholder: FolderFile | null = null;
  for (const file of files.toSorted((a, b) => naturalOrder(a.path, b.path))) {
    const stem = stemOf(file.path);
    if (/^[._]/.test(nameOf(file.path))) ignored.push(file.path);
    else if (stem === "collection") {
      if (file.path === "collection.json") collectionFile = file;
      else ignored.push(file.path);
    } else if (MEDIA.test(file.path) && MEDIA_FOLDERS.includes(folderOf(file.path))) {
      const twin = stem === PLACEHOLDER ? placeholder : media.get(stem);
      if (twin) problems.push(`${twin.path} and ${file.path} have the same name; rename one of them.`);
      else if (stem === PLACEHOLDER) placeholder = file;
      else media.set(stem, file);
    } else if (/\.json$/i.test(file.path) && REFERENCE_FOLDERS.includes(folderOf(file.path))) {
      const twin = references.get(stem);
      if (twin) problems.push(`${twin.path} and ${file.path} have the same name; rename one of them.`);
      else references.set(stem, file);
    } else ignored.push(file.path);
  }
  // Beside a folder of media files, tools keep JSON of their own: Sugar's config.json and cache.json.
  const isApart = media.size > 0 && [...media.values()].every(({ path }) => folderOf(path) !== "");
  for (const [stem, file] of references) {
    if (!isApart || media.has(stem) || folderOf(file.path) !== "") continue;
    references.delete(stem);
    ignored.push(file.path);
  }
  for (const file of [...media.values(), ...references.values(), ...(placeholder ? [placeholder] : [])]) {
    if (file.size > MAX_FILE)
      problems.push(`${file.path} has ${file.size} bytes; make it ${MAX_FILE} or fewer.`);
    if (file.size === 0) problems.push(`${file.path} is empty.`);
  }
  for (const [stem, file] of references) {
    if (!media.has(stem))
      problems.push(`${file.path} has no media file beside it, such as ${stem}.png or ${stem}.mp4.`);
  }
  const without = [...media].filter(([stem]) => !references.has(stem)).map(([, file]) => file.path);
  if (references.size > 0 && without.length > 0) {
    problems.push(`${listed(without)} ${without.length === 1 ? "has" : "have"} no JSON file; others do.`);
  }
  if (media.size === 0) problems.push(noMedia(ignored));
  const assets = [...media].map(([stem, file]) => ({
    media: file,
    reference: references.get(stem) ?? null,
  }));
  return { assets, collectionFile, placeholder, problems, ignored };
}

/** Says where media files are looked for, and the folder to name where they are deeper: generative tools make `build/images/`. */
function noMedia(ignored: readonly string[]): string {
  const where = "in the folder, its images/ or assets/";
  const deeper = ignored.filter((path) => MEDIA.test(path) && path.includes("/") && !/(^|\/)[._]/.test(path));
  const found = deeper.find((path) => /\/(images|assets)\/[^/]*$/.test(path)) ?? deeper[0];
  if (found === undefined) return `There is no media file ${where}: ${MEDIA_NAMES}.`;
  const folder = folderOf(found).replace(/\/(images|assets)$/, "");
  return `There is no media file ${where}, but there is ${found}: give the folder ${folder} in it.`;
}

/** A request's worth of assets. */
export interface Batch {
  readonly assets: readonly PlannedAsset[];
  /** Bytes of all its files. */
  readonly size: number;
}

/** How large a request may become. The service takes 100 MB and 20,000 files; smaller ones lose less when cut. */
export interface BatchLimits {
  readonly bytes: number;
  readonly assets: number;
}

/** Large enough to make a request's fixed cost small, small enough to hold several in memory. */
export const DEFAULT_BATCH: BatchLimits = { bytes: 16 * 1_048_576, assets: 500 };

/** Cuts the assets into requests, in order; the same assets are always cut alike. */
export function batches(assets: readonly PlannedAsset[], limits: BatchLimits = DEFAULT_BATCH): Batch[] {
  const cut: { assets: PlannedAsset[]; size: number }[] = [];
  for (const asset of assets) {
    const size = asset.media.size + (asset.reference?.size ?? 0);
    const last = cut.at(-1);
    if (last && last.size + size <= limits.bytes && last.assets.length < limits.assets) {
      last.assets.push(asset);
      last.size += size;
    } else cut.push({ assets: [asset], size });
  }
  return cut;
}

const numbers = new Intl.Collator("en", { numeric: true });
/** 2.png before 10.png; ties, which collation has, by code units. */
const naturalOrder = (a: string, b: string) => numbers.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);

function listed(names: readonly string[]): string {
  const SHOWN = 5;
  if (names.length <= SHOWN) return names.join(", ");
  return `${names.slice(0, SHOWN).join(", ")} and ${names.length - SHOWN} more`;
}

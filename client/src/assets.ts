/** Bytes of a file to be uploaded. */
export type FileData = Uint8Array | ArrayBuffer | Blob;

/** A media file and what belongs to it. */
export interface NewAsset {
  /** Its name, unlike that of any other file of the same call. */
  readonly filename: string;
  /** PNG, JPEG, GIF, WebP, AVIF, SVG, MP4, WebM, MP3, WAV, OGG or GLB, at most 1,048,576 bytes. */
  readonly data: FileData;
  /** NFTs that are made of it; default 1. */
  readonly copies?: number;
  /** Appended to the collection's title; `$TOKEN_NUM` and `$TOTAL_NUM` are filled in when viewed. */
  readonly subtitle?: string;
  /** Metadata: a JSON object. */
  readonly reference?: { readonly filename: string; readonly data: FileData };
}

/** One element of assets_detail. */
interface AssetDetail {
  readonly asset_filename: string;
  readonly copies: number;
  readonly reference_filename?: string;
  readonly asset_subtitle?: string;
}

/** The multipart form of asset-bulk. The details come first, so that a bad one is found before the files are read. */
export function assetForm(assets: readonly NewAsset[]): FormData {
  const form = new FormData();
  const details = assets.map(
    ({ filename, copies = 1, subtitle, reference }): AssetDetail => ({
      asset_filename: filename,
      copies,
      ...(reference && { reference_filename: reference.filename }),
      ...(subtitle !== undefined && { asset_subtitle: subtitle }),
    }),
  );
  form.append("assets_detail", JSON.stringify(details));
  const references = new Map<string, FileData>();
  for (const { filename, data, reference } of assets) {
    form.append("asset_file", blobOf(data), filename);
    // Several assets may share one reference file, which is then one part.
    if (reference) references.set(reference.filename, reference.data);
  }
  for (const [filename, data] of references) form.append("reference_file", blobOf(data), filename);
  return form;
}

/** The multipart form of what NFTs show until a reveal. */
export function placeholderForm({ filename, data }: Pick<NewAsset, "filename" | "data">): FormData {
  const form = new FormData();
  form.append("asset_placeholder", blobOf(data), filename);
  return form;
}

const blobOf = (data: FileData): Blob => (data instanceof Blob ? data : new Blob([data as ArrayBuffer]));

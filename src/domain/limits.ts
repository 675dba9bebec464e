/** Limits of uploads and media. 1 MB is 1,048,576 bytes and 100 MB is 104,857,600, here and in every message. */

const MB = 1_048_576;

/** Bytes of an uploaded file, and of a JSON file at a URL. It is one IPFS block as well. */
export const MAX_FILE_BYTES = MB;

/** Bytes of an asset-bulk body with all its boundaries and headers. */
export const MAX_UPLOAD_BYTES = 100 * MB;

/** Files in one asset-bulk. */
export const MAX_UPLOAD_FILES = 20_000;

/** Asset details in one asset-bulk: as many as files, though several may share a file. */
export const MAX_ASSET_DETAILS = MAX_UPLOAD_FILES;

/** Bytes of `assets_detail`. */
export const MAX_DETAIL_BYTES = 8 * MB;

/** Bytes of a media file at a URL. */
export const MAX_MEDIA_URL_BYTES = 100 * MB;

/** Bytes of a file's name in UTF-8, as file systems and UnixFS tools take it. */
export const MAX_FILENAME_BYTES = 255;

/** Copies of one asset, and of all assets of a draft: the contract counts tokens in 32 bits. */
export const MAX_COPIES = 4_294_967_295;

/** Unicode code points of a subtitle. */
export const MAX_SUBTITLE_LENGTH = 256;

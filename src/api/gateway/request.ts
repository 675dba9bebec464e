import { z } from "zod";
import { THUMBNAIL_WIDTHS } from "../../domain/thumbnails.ts";
import { parametrisedList } from "../../http/header-parameters.ts";

export type Format = "content" | "raw";

export interface GatewayRequest {
  readonly format: Format;
  /** Whether only the Accept header named the format. */
  readonly negotiated: boolean;
  readonly filename: string | null;
  readonly download: boolean;
  /** `?img-width=`, width of a thumbnail in pixels; null: the stored picture. */
  readonly width: number | null;
}

const WIDTHS = THUMBNAIL_WIDTHS.map(String);

/** The query of the gateway specifications, and the width of a thumbnail. Other parameters are ignored. */
export const gatewayQuery = z.object({
  format: z
    .literal("raw", "This gateway has the format raw; without a format it sends the content itself.")
    .optional(),
  filename: z.string().optional(),
  download: z.string().optional(),
  "img-width": z.enum(WIDTHS, `Give one of the widths ${WIDTHS.join(", ")}, once.`).optional(),
});

/** Parses a request; the query's `format` takes precedence over the Accept header. */
export function readGatewayRequest(
  { format, filename, download, "img-width": width }: z.infer<typeof gatewayQuery>,
  accept: string | undefined,
): GatewayRequest {
  const accepted =
    format === undefined &&
    parametrisedList(accept ?? "").some(({ value }) => value.toLowerCase() === RAW_BLOCK);
  return {
    format: format ?? (accepted ? "raw" : "content"),
    negotiated: accepted,
    filename: filename ?? null,
    download: download === "true",
    width: width === undefined ? null : Number(width),
  };
}

const RAW_BLOCK = "application/vnd.ipld.raw";

import { existsSync } from "node:fs";
import { join } from "node:path";
import encodeQR from "qr";
import sharp from "sharp";
import { ClaimIssuer } from "../../client/src/index.ts";
import type { ProgressLine } from "../progress.ts";
import { counted } from "../table.ts";
import { codesIn, type IssuedDrop, makeSecretFolder, writeSecret } from "./folder.ts";

/** How QR codes are drawn; `none`: not at all. */
export const QR_FORMATS = ["svg", "png", "none"] as const;

export type QrFormat = (typeof QR_FORMATS)[number];

/** Pixels of a module in a PNG, and modules of the white frame that readers want (ISO/IEC 18004). */
const SCALE = 8;
const BORDER = 4;

async function drawn(url: string, format: "svg" | "png"): Promise<string | Uint8Array> {
  const svg = encodeQR(url, "svg", { ecc: "medium", border: BORDER });
  if (format === "svg") return svg;
  const rows = encodeQR(url, "raw", { ecc: "medium", border: BORDER });
  const pixels = Uint8Array.from(rows.flat(), (dark) => (dark ? 0 : 255));
  const side = rows.length;
  return sharp(pixels, { raw: { width: side, height: side, channels: 1 } })
    .resize(side * SCALE, side * SCALE, { kernel: "nearest" })
    .png({ compressionLevel: 9 })
    .toBuffer();
}

/** Where a link's code is drawn: numbers of one length, so that files sort. */
const codeFile = (link: number, format: QrFormat) => `${String(link + 1).padStart(5, "0")}.${format}`;

interface Written {
  readonly table: string;
  readonly codes: string | null;
}

/**
 * Writes all links of a drop into its folder: `links.csv`, and a code each that isn't there yet.
 * @param claimUrl address of the collection's claim page
 */
export async function writeLinks(
  folder: string,
  issued: IssuedDrop & { readonly drop_id: number },
  {
    links,
    claimUrl,
    format,
  }: { readonly links: number; readonly claimUrl: string; readonly format: QrFormat },
  line: ProgressLine,
): Promise<Written> {
  const issuer = await ClaimIssuer.fromSeed(issued.issuer_seed);
  const codes = codesIn(folder);
  if (format !== "none") makeSecretFolder(codes);
  const rows = ["link,url"];
  for (let number = 0; number < links; number++) {
    const { fragment } = await issuer.link(issued.network, issued.contract_address, issued.drop_id, number);
    const url = `${claimUrl}#${fragment}`;
    rows.push(`${number + 1},${url}`);
    const file = join(codes, codeFile(number, format));
    if (format !== "none" && !existsSync(file)) writeSecret(file, await drawn(url, format));
    line.show((number + 1) / links, `${number + 1} of ${counted(links, "link")}`);
  }
  const table = join(folder, "links.csv");
  writeSecret(table, `${rows.join("\n")}\n`);
  return { table, codes: format === "none" ? null : codes };
}

import { initWasm, Resvg } from "@resvg/resvg-wasm";
import resvgModule from "@resvg/resvg-wasm/index_bg.wasm";
import { CARD, type CardTexts, cardSvg, type Measure, pictureOf } from "../../domain/share-card.ts";
import { drawInto } from "../../domain/thumbnails.ts";
import { asWebp, decode, decoderMemory } from "./shrunk-webp.ts";

let started: Promise<void> | undefined;

/** A card as WebP. @param picture the work, a small file; null: its sign is drawn @param how `font`: TrueType; `quality`: 0 to 100 */
export async function drawnCard(
  texts: CardTexts,
  picture: Uint8Array | null,
  how: { readonly font: Uint8Array; readonly quality: number },
): Promise<Uint8Array> {
  const { font, quality } = how;
  // It can't be started twice.
  started ??= initWasm(resvgModule);
  await started;
  const options = { font: { fontBuffers: [font], loadSystemFonts: false } };
  const measure: Measure = (text, size) => {
    const one = new Resvg(cardSvgOf(text, size), options);
    const width = one.getBBox()?.width ?? 0;
    one.free();
    return width;
  };
  if (picture) await decoderMemory();
  const work = picture && decode(picture);
  const drawn = new Resvg(cardSvg(texts, work !== null, measure), options);
  const image = drawn.render();
  const canvas = { data: image.pixels.slice(), ...CARD };
  image.free();
  drawn.free();
  if (work) drawInto(canvas, work, pictureOf(texts));
  return asWebp(canvas, quality);
}

/** A text alone, to be measured. */
const cardSvgOf = (text: string, size: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><text font-size="${size}">${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text></svg>`;

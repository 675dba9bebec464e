/**
 * Draws the pictures that the demo mints, with their reference files, into cli/pictures/. They are committed; this is
 * kept so that they can be drawn again: `node tools/demo-pictures.ts`. Same seed, same picture.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";

const SIZE = 480;
const OUT = join(import.meta.dirname, "..", "cli", "pictures");

/** A small generator of numbers from 0 to 1 (mulberry32), so that the pictures don't depend on the machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Palette {
  readonly name: string;
  /** What some have in common, so that NFTs differ in how rare they are. */
  readonly colours: string;
  readonly ground: string;
  readonly inks: readonly string[];
}

const PALETTES: readonly Palette[] = [
  { name: "Harbour", colours: "Cool", ground: "#0b2545", inks: ["#8da9c4", "#eef4ed", "#f6ae2d", "#134074"] },
  {
    name: "Terracotta",
    colours: "Warm",
    ground: "#f4ece1",
    inks: ["#c8553d", "#588b8b", "#f28f3b", "#2d3047"],
  },
  { name: "Orchard", colours: "Cool", ground: "#f1faee", inks: ["#2a9d8f", "#e76f51", "#e9c46a", "#264653"] },
  { name: "Dusk", colours: "Cool", ground: "#231942", inks: ["#be95c4", "#e0b1cb", "#9f86c0", "#ffd6a5"] },
];

type Motif = (random: () => number, inks: readonly string[]) => string;
const pick = (random: () => number, inks: readonly string[]) =>
  inks[Math.floor(random() * inks.length)] ?? "#000";

const tiles: Motif = (random, inks) => {
  const step = SIZE / 6;
  let shapes = "";
  for (let x = 0; x < 6; x++) {
    for (let y = 0; y < 6; y++) {
      const turn = Math.floor(random() * 4) * 90;
      const arc = `M0 0 H${step} A${step} ${step} 0 0 1 0 ${step} Z`;
      shapes += `<path d="${arc}" fill="${pick(random, inks)}" transform="translate(${x * step} ${y * step}) rotate(${turn} ${step / 2} ${step / 2})"/>`;
    }
  }
  return shapes;
};

const rings: Motif = (random, inks) => {
  const x = SIZE * (0.35 + random() * 0.3);
  const y = SIZE * (0.35 + random() * 0.3);
  return Array.from({ length: 9 }, (_, index) => {
    const radius = SIZE * (0.62 - index * 0.065);
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${inks[index % inks.length]}"/>`;
  }).join("");
};

const hills: Motif = (random, inks) => {
  const sun = `<circle cx="${SIZE * (0.2 + random() * 0.6)}" cy="${SIZE * 0.3}" r="${SIZE * 0.13}" fill="${inks[2]}"/>`;
  const layers = [0, 1, 3, 0].map((ink, index) => {
    const level = SIZE * (0.42 + index * 0.14);
    const points = Array.from(
      { length: 9 },
      (_, step) => `${(step * SIZE) / 8},${level - random() * SIZE * 0.16}`,
    );
    return `<polygon points="0,${SIZE} ${points.join(" ")} ${SIZE},${SIZE}" fill="${inks[ink]}" opacity="0.92"/>`;
  });
  return sun + layers.join("");
};

const draw = (motif: Motif, palette: Palette, seed: number): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}">` +
      `<rect width="${SIZE}" height="${SIZE}" fill="${palette.ground}"/>${motif(randomFrom(seed), palette.inks)}</svg>`,
  );

const MOTIFS = [
  { name: "Tiles", lines: "Curved", motif: tiles },
  { name: "Rings", lines: "Curved", motif: rings },
  { name: "Hills", lines: "Straight", motif: hills },
] as const;
const FORMATS = ["png", "jpg", "gif", "webp"] as const;

mkdirSync(OUT, { recursive: true });
let number = 0;
for (const { name, lines, motif } of MOTIFS) {
  for (const palette of PALETTES) {
    const format = FORMATS[number % FORMATS.length] ?? "png";
    const picture = sharp(draw(motif, palette, 1000 + number));
    const encoded = {
      png: () => picture.png({ palette: true, compressionLevel: 9 }),
      jpg: () => picture.jpeg({ quality: 84 }),
      gif: () => picture.gif({ colours: 16, effort: 10 }),
      webp: () => picture.webp({ quality: 84 }),
    }[format]();
    writeFileSync(join(OUT, `${number}.${format}`), await encoded.toBuffer());
    const reference = {
      title: `${name} in ${palette.name}`,
      description: `A study of ${name.toLowerCase()} in the palette ${palette.name}.`,
      attributes: [
        { trait_type: "Motif", value: name },
        { trait_type: "Palette", value: palette.name },
        { trait_type: "Lines", value: lines },
        { trait_type: "Colours", value: palette.colours },
      ],
    };
    writeFileSync(join(OUT, `${number}.json`), `${JSON.stringify(reference, null, 2)}\n`);
    number++;
  }
}

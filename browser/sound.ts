/**
 * A sound's own picture: how loud it is from its beginning to its end, over its cover, once somebody plays it. Browsers can decode
 * it, and the service can't (docs/design.md). It needs the whole file, which the browser then has.
 */

import { loudnessOf, ringsOf } from "../src/domain/sound-cover.ts";

const BARS = 72;
/** Samples a second: loudness needs no more, and ten minutes of it take 38 MB. */
const RATE = 8_000;
/** Files that are decoded: bytes, and seconds. */
const MOST_BYTES = 24 * 1_048_576;
const MOST_SECONDS = 900;
const SVG = "http://www.w3.org/2000/svg";

/** The file's samples; null where it is too large. @throws Error where the browser can't decode it, or has no answer */
async function samplesOf(audio: HTMLAudioElement): Promise<Float32Array[] | null> {
  if (audio.duration > MOST_SECONDS) return null;
  // By this page's own host, which the policy allows: the Worker answers under each of its names.
  const answer = await fetch(new URL(audio.src).pathname);
  if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
  if (Number(answer.headers.get("Content-Length") ?? 0) > MOST_BYTES) {
    await answer.body?.cancel();
    return null;
  }
  const decoder = new OfflineAudioContext(1, 1, RATE);
  const sound = await decoder.decodeAudioData(await answer.arrayBuffer());
  return Array.from({ length: sound.numberOfChannels }, (_, channel) => sound.getChannelData(channel));
}

/** An element of a drawing. */
const shape = <K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>>,
): SVGElementTagNameMap[K] => {
  const element = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
};

/** The cover that the service's pages show of a sound (src/collections/pages/media.tsx). */
export function soundCover(url: string): HTMLElement {
  const face = document.createElement("span");
  face.className = "picture blank sign";
  const drawing = { viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "aria-hidden": "true" };
  const cover = shape("svg", drawing);
  for (const { radius: r, width, opacity } of ringsOf(url))
    cover.append(shape("circle", { cx: "12", cy: "12", r, "stroke-width": width, opacity }));
  face.append(cover);
  return face;
}

/** Bars in place of the cover's rings. */
function drawnBars(face: Element, loudness: readonly number[]): SVGRectElement[] {
  const wave = shape("svg", { viewBox: `0 0 ${BARS * 2} 100`, class: "wave", "aria-hidden": "true" });
  const bars = loudness.map((loud, place) => {
    const height = 1 + 63 * loud;
    const y = (50 - height / 2).toFixed(2);
    return shape("rect", { x: `${place * 2 + 0.35}`, y, width: "1.3", height: height.toFixed(2), rx: "0.6" });
  });
  wave.append(...bars);
  face.replaceChildren(wave);
  return bars;
}

/** Draws a sound over its cover, and shows how far it has been played. */
async function draw(audio: HTMLAudioElement, face: Element): Promise<void> {
  const samples = await samplesOf(audio);
  if (samples === null) return;
  const bars = drawnBars(face, loudnessOf(samples, BARS));
  const mark = () => {
    const played = (audio.currentTime / audio.duration) * BARS;
    for (const [place, bar] of bars.entries()) bar.classList.toggle("played", place < played);
  };
  audio.addEventListener("timeupdate", mark);
  audio.addEventListener("seeking", mark);
  mark();
}

/** The covers of a page's sounds play them, and show them from then on; a press on the picture goes to that place. */
export function playSounds(within: ParentNode = document): void {
  for (const sound of within.querySelectorAll(".sound")) {
    const audio = sound.querySelector("audio");
    const face = sound.querySelector<HTMLElement>(".picture");
    if (!audio || !face) continue;
    // What can't be decoded keeps its cover; the player says itself what it can't play.
    audio.addEventListener("play", () => void draw(audio, face).catch(() => undefined), { once: true });
    face.classList.add("playable");
    face.addEventListener("click", ({ clientX }) => {
      const wave = face.querySelector(".wave");
      if (wave && Number.isFinite(audio.duration)) {
        const { left, width } = wave.getBoundingClientRect();
        audio.currentTime = audio.duration * Math.min(Math.max((clientX - left) / width, 0), 1);
      }
      void audio.play();
    });
  }
}

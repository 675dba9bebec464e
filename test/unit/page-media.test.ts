import { expect, test } from "vitest";
import { Media } from "../../src/collections/pages/media.tsx";

const shown = (type: string | null, isLink: boolean): string =>
  String(
    Media({
      base: "https://mint.test",
      url: "https://mint.test/ipfs/x",
      type,
      ground: null,
      alt: "A heron",
      isLink,
    }),
  );

test.each(["video/mp4", "audio/mpeg", "model/gltf-binary"])("%s in a link has no controls", (type) => {
  expect(shown(type, true)).not.toMatch(/controls|<audio/);
});

test("a video or audio outside a link has controls, and a picture loads lazily", () => {
  expect(shown("video/mp4", false)).toMatch(/<video .*controls.*aria-label="A heron"/);
  expect(shown("audio/mpeg", false)).toMatch(/<audio .*controls.*aria-label="A heron"/);
  for (const type of ["image/png", null]) expect(shown(type, true)).toMatch(/<img .*loading="lazy"/);
});

test("a picture of this service's gateway is shown by thumbnails, and one of another host unchanged", () => {
  expect(shown("image/png", true)).toMatch(
    /srcset="https:\/\/mint.test\/ipfs\/x\?img-width=320 320w, .*1280w" sizes="[^"]+40vw" src="https:\/\/mint.test\/ipfs\/x"/,
  );
  const other = { base: "https://mint.test", type: "image/png", ground: null, alt: "" };
  for (const url of ["https://ipfs.test/ipfs/x", "https://mint.test/other/x", "https://mint.test/ipfs/x?a=1"])
    expect(String(Media({ ...other, url }))).not.toContain("srcset");
});

test("an animation moves on its own page, and is a still thumbnail in a list", () => {
  expect(shown("image/gif", true)).toContain("srcset");
  expect(shown("image/gif", false)).not.toContain("srcset");
});

test("a film begins with a frame that is not its first, and a sound has a cover", () => {
  for (const isLink of [true, false]) {
    expect(shown("video/mp4", isLink)).toContain('src="https://mint.test/ipfs/x#t=0.1"');
    expect(shown("audio/mpeg", isLink)).toContain('class="picture blank sign"');
  }
});

test("a picture whose colour is known has a place in it, of its shape", () => {
  const known = { base: "https://mint.test", url: "https://mint.test/ipfs/x", type: "image/png", alt: "" };
  const ground = { width: 300, height: 200, colour: "#1b4173" };
  expect(String(Media({ ...known, ground }))).toMatch(
    /<svg class="picture" viewBox="0 0 300 200" width="4000" height="2667" aria-hidden="true"><rect [^>]*fill="#1b4173".*<img/,
  );
  expect(String(Media({ ...known, ground: null }))).not.toContain("<svg");
});

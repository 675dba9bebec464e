import { expect, test } from "vitest";
import { Media } from "../../src/collections/pages/media.tsx";

const shown = (type: string | null, isLink: boolean): string =>
  String(Media({ base: "https://mint.test", url: "https://mint.test/ipfs/x", type, alt: "A heron", isLink }));

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
  const other = { base: "https://mint.test", type: "image/png", alt: "" };
  for (const url of ["https://ipfs.test/ipfs/x", "https://mint.test/other/x", "https://mint.test/ipfs/x?a=1"])
    expect(String(Media({ ...other, url }))).not.toContain("srcset");
});

test("an animation moves on its own page, and is a still thumbnail in a list", () => {
  expect(shown("image/gif", true)).toContain("srcset");
  expect(shown("image/gif", false)).not.toContain("srcset");
});

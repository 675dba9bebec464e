import { expect, test } from "vitest";
import { Media } from "../../src/collections/pages/media.tsx";

const shown = (type: string | null, isLink: boolean): string =>
  String(Media({ url: "https://mint.test/ipfs/x", type, alt: "A heron", isLink }));

test.each(["video/mp4", "audio/mpeg", "model/gltf-binary"])("%s in a link has nothing to press", (type) => {
  expect(shown(type, true)).not.toMatch(/controls|<audio/);
});

test("a film or a sound that stands for itself can be played, and a picture waits until it is near", () => {
  expect(shown("video/mp4", false)).toMatch(/<video .*controls.*aria-label="A heron"/);
  expect(shown("audio/mpeg", false)).toMatch(/<audio .*controls.*aria-label="A heron"/);
  for (const type of ["image/png", null]) expect(shown(type, true)).toMatch(/<img .*loading="lazy"/);
});

/** Pictures of so few pixels a side, which are shown larger than they are. */
const MOST = 128;

/** How wide the file of a picture is, about. Browsers tell its width by what `srcset` says of the file. */
function widthOf({ currentSrc, naturalWidth, clientWidth }: HTMLImageElement): number {
  const said = /[?&]img-width=(\d+)/.exec(currentSrc)?.[1];
  return said === undefined ? naturalWidth : (naturalWidth / clientWidth) * Number(said);
}

/** Loaded pictures that weren't looked at yet. */
const loaded = new Set<HTMLImageElement>();

/** Reads all widths before it changes anything, because each change makes the next width another layout. */
function sharpen(): void {
  const small = [...loaded].filter((picture) => picture.naturalWidth > 0 && widthOf(picture) <= MOST);
  loaded.clear();
  for (const picture of small) picture.classList.add("pixels");
}

const note = (picture: unknown): void => {
  if (!(picture instanceof HTMLImageElement) || !picture.matches(".picture")) return;
  if (loaded.size === 0) requestAnimationFrame(sharpen);
  loaded.add(picture);
};

/** Has small pictures keep their pixels sharp, also those that come later. */
export function keepPixels(): void {
  // It doesn't bubble.
  document.addEventListener("load", ({ target }) => note(target), true);
  for (const picture of document.images) if (picture.complete) note(picture);
}

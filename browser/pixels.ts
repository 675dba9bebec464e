/** Pictures of so few pixels a side, which are shown larger than they are. */
const MOST = 128;

/** How wide the file of a picture is, about. Browsers tell its width by what `srcset` says of the file. */
function widthOf({ currentSrc, naturalWidth, clientWidth }: HTMLImageElement): number {
  const said = /[?&]img-width=(\d+)/.exec(currentSrc)?.[1];
  return said === undefined ? naturalWidth : (naturalWidth / clientWidth) * Number(said);
}

const sharpen = (picture: unknown): void => {
  if (!(picture instanceof HTMLImageElement) || !picture.matches(".picture")) return;
  if (picture.naturalWidth > 0 && widthOf(picture) <= MOST) picture.classList.add("pixels");
};

/** Has small pictures keep their pixels sharp, also those that come later. */
export function keepPixels(): void {
  // It doesn't bubble.
  document.addEventListener("load", ({ target }) => sharpen(target), true);
  for (const picture of document.images) if (picture.complete) sharpen(picture);
}

interface MediaProps {
  /** null: the token is of the block that is being made, in which its asset does not show. */
  readonly url: string | null;
  readonly type: string | null;
  readonly alt: string;
  /** Whether it is what the page is about, and seen at once. */
  readonly eager?: boolean;
  /** Whether it is a link's, in which nothing else can be pressed: a film shows a picture of itself, a sound its type. */
  readonly isLink?: boolean;
}

/** A picture, film or sound, as its type says; of what no browser shows, the type. */
export const Media = ({ url, type, alt, eager = false, isLink = false }: MediaProps) => {
  if (url === null) return <span class="picture blank">Being drawn …</span>;
  if (type?.startsWith("video/")) {
    return isLink ? (
      <video class="picture" src={url} muted playsinline preload="metadata" />
    ) : (
      <video class="picture" src={url} controls muted loop playsinline preload="metadata" aria-label={alt} />
    );
  }
  if (type?.startsWith("audio/") && !isLink) {
    // biome-ignore lint/a11y/useMediaCaption: an NFT is one file, and has no captions
    return <audio src={url} controls preload="none" aria-label={alt} />;
  }
  if (type !== null && !type.startsWith("image/")) return <span class="picture blank">{type}</span>;
  const loading = eager ? ({ fetchpriority: "high" } as const) : ({ loading: "lazy" } as const);
  return <img class="picture" src={url} alt={alt} width="600" height="600" decoding="async" {...loading} />;
};

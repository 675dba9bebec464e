import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { thumbnailsOf } from "../../domain/thumbnails.ts";

/** How wide a picture is on the pages, as their styles say (frame.tsx): one of a grid, and one that a page is about. */
const TILE =
  "(min-width: 72rem) 11rem, (min-width: 64rem) 16vw, (min-width: 43rem) 24vw, (min-width: 32.5rem) 32vw, 48vw";
const WHOLE = "(min-width: 72rem) 34rem, (min-width: 48rem) 48vw, 96vw";

interface MediaProps {
  /** The service's address, whose pictures have thumbnails. */
  readonly base: string;
  /** null: the token is of the block that is being made, in which its asset does not show. */
  readonly url: string | null;
  readonly type: string | null;
  readonly alt: string;
  /** Whether it is the page's main picture, visible without scrolling. */
  readonly eager?: boolean;
  /** Whether it is a link's, in which nothing else can be pressed: a film shows a picture of itself, a sound its type. */
  readonly isLink?: boolean;
}

/** A picture, video or audio by its media type; for others, the type as text. */
export const Media = ({ base, url, type, alt, eager = false, isLink = false }: MediaProps) => {
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
  // A thumbnail of an animation doesn't move.
  const srcset = type === "image/gif" && !isLink ? undefined : thumbnailsOf(url, base);
  const sources = srcset && { srcset, sizes: isLink ? TILE : WHOLE };
  return (
    <img
      class="picture"
      {...sources}
      src={url}
      alt={alt}
      width="600"
      height="600"
      decoding="async"
      {...loading}
    />
  );
};

/** The cover of a collection as its page's main picture. */
export const Cover = ({ base, collection }: { base: string; collection: PublicCollection }) => {
  const { cover, title } = collection;
  return (
    cover && <Media base={base} url={cover.url} type={cover.media_type} alt={`Cover of ${title}`} eager />
  );
};

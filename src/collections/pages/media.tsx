import type { PublicCollection } from "../../api/resources/public-collection.ts";
import { ringsOf } from "../../domain/sound-cover.ts";
import { type PictureGround, thumbnailsOf } from "../../domain/thumbnails.ts";

/**
 * How wide a picture is on the pages, as styles.ts says: one of a grid, and one that a page is about. A tile of a phone is
 * 44vw wide; at two pixels a point, 320 px are still enough for it, and a third of 640 px in bytes.
 */
const TILE = "(min-width: 80rem) 18rem, (min-width: 60rem) 24vw, (min-width: 43rem) 32vw, 40vw";
const WHOLE =
  "(min-width: 80rem) 46rem, (min-width: 60rem) calc(100vw - 32rem), (min-width: 48rem) 48vw, 96vw";

/** What isn't a picture, by the beginning of its media type: what it is called, and its sign (24 × 24). */
const OTHERS = {
  video: ["Video", "M7 4.5v15l12-7.5z"],
  audio: ["Audio", "M4 10v4M8 6v12M12 3v18M16 7v10M20 10v4"],
  model: ["3D model", "M12 2.5l8.5 4.8v9.4L12 21.5l-8.5-4.8V7.3zM3.5 7.3l8.5 4.8 8.5-4.8M12 12.1v9.4"],
} as const;

const PICTURE = ["Picture", "M3.5 4.5h17v15h-17zM3.5 16l5-5 4 4 3-3 5 5M15.5 9h.01"] as const;

/** The sort of file that isn't a picture; undefined: it is one, or nothing is known of it. */
const otherOf = (type: string | null) => {
  const start = type?.split("/")[0] ?? "image";
  if (start === "image") return undefined;
  return Object.hasOwn(OTHERS, start)
    ? OTHERS[start as keyof typeof OTHERS]
    : (["File", "M6 3h9l4 4v14H6z"] as const);
};

/** The sign of a file on a card, where the file itself can't be drawn. @param type null: not known */
export const signOf = (type: string | null): string => (otherOf(type) ?? PICTURE)[1];

/** In place of a picture: the sort of file, by sign and name. */
const Sign = ({ of: [name, sign] }: { of: readonly [string, string] }) => (
  <span class="picture blank sign">
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true">
      <path d={sign} stroke-linecap="round" stroke-linejoin="round" />
    </svg>
    {name}
  </span>
);

/**
 * In place of a sound's picture: rings that its file's address decides, so that sounds differ. The page's script draws the sound
 * itself over them, once it is played (browser/sound.ts).
 */
const SoundCover = ({ url }: { url: string }) => (
  <span class="picture blank sign">
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
      {ringsOf(url).map(({ radius, width, opacity }) => (
        <circle cx="12" cy="12" r={radius} stroke-width={width} opacity={opacity} />
      ))}
      <path
        d={OTHERS.audio[1]}
        transform="translate(7.2 7.2) scale(.4)"
        stroke-width="2"
        stroke-linecap="round"
      />
    </svg>
  </span>
);

/** Wider than any place for a picture, so that styles alone limit it. Pixels. */
const WIDEST = 4_000;

/**
 * Where an opaque picture is going to be, in its mean colour. @param isWhole it takes as much of the page as the picture is going to
 */
const Ground = ({
  ground: { width, height, colour },
  isWhole,
}: {
  ground: PictureGround;
  isWhole: boolean;
}) => (
  <svg
    class="picture"
    viewBox={`0 0 ${width} ${height}`}
    {...(isWhole && { width: String(WIDEST), height: String(Math.round((WIDEST * height) / width)) })}
    aria-hidden="true"
  >
    <rect x="0.5%" y="0.5%" width="99%" height="99%" fill={colour} />
  </svg>
);

interface MediaProps {
  /** The service's address, whose pictures have thumbnails. */
  readonly base: string;
  /** null: the token is of the block that is being made, in which its asset does not show. */
  readonly url: string | null;
  readonly type: string | null;
  readonly ground: PictureGround | null;
  readonly alt: string;
  /** Whether it is visible without scrolling. */
  readonly eager?: boolean;
  /** Whether it is a link's, in which nothing else can be pressed: a film shows a picture of itself, others their sort. */
  readonly isLink?: boolean;
}

/** A picture, video or sound by its media type; others by the name of their sort. */
export const Media = ({ base, url, type, ground, alt, eager = false, isLink = false }: MediaProps) => {
  if (url === null) return <span class="picture blank">Being drawn …</span>;
  const other = otherOf(type);
  if (type?.startsWith("video/")) {
    // Browsers show the frame of this moment until it plays; the first ones of many films are black.
    const poster = `${url}#t=0.1`;
    return isLink ? (
      <span class="stage">
        <video class="picture" src={poster} muted playsinline preload="metadata" />
        <span class="mark">Video</span>
      </span>
    ) : (
      <video
        class="picture"
        src={poster}
        controls
        muted
        loop
        playsinline
        preload="metadata"
        aria-label={alt}
      />
    );
  }
  if (type?.startsWith("audio/")) {
    return isLink ? (
      <span class="stage">
        <SoundCover url={url} />
        <span class="mark">Audio</span>
      </span>
    ) : (
      <div class="sound">
        <SoundCover url={url} />
        {/* biome-ignore lint/a11y/useMediaCaption: an NFT is one file, and has no captions */}
        <audio src={url} controls preload="none" aria-label={alt} />
      </div>
    );
  }
  if (other) {
    return isLink ? (
      <Sign of={other} />
    ) : (
      <a href={url}>
        <Sign of={[`Open the ${other[0]} file`, other[1]]} />
      </a>
    );
  }
  const picture = { base, url, type, ground, alt, eager, isLink };
  return isLink ? <Picture {...picture} /> : <Enlarged {...picture} />;
};

type PictureProps = MediaProps & { readonly url: string };

const Picture = ({ base, url, type, ground, alt, eager, isLink }: PictureProps) => {
  const loading = eager ? ({ fetchpriority: "high" } as const) : ({ loading: "lazy" } as const);
  // A thumbnail of an animation doesn't move.
  const srcset = type === "image/gif" && !isLink ? undefined : thumbnailsOf(url, base);
  const sources = srcset && { srcset, sizes: isLink ? TILE : WHOLE };
  return (
    <span class={ground && !isLink ? "ground whole" : "ground"}>
      {ground && <Ground ground={ground} isWhole={!isLink} />}
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
    </span>
  );
};

/** The picture that a page is about; pressed, its original fills the screen, which is loaded by then only. */
const Enlarged = (picture: PictureProps) => (
  <>
    <button type="button" class="enlarge" popovertarget="original" title="Show it whole">
      <Picture {...picture} />
    </button>
    <div id="original" popover="auto" role="dialog" aria-label="The original">
      <button type="button" popovertarget="original" popovertargetaction="hide" title="Close" autofocus>
        <img src={picture.url} alt={picture.alt} loading="lazy" />
      </button>
      <p>
        <button
          type="button"
          class="close"
          popovertarget="original"
          popovertargetaction="hide"
          aria-label="Close"
        >
          ×
        </button>
        <a href={picture.url}>Open the file</a>
      </p>
    </div>
  </>
);

/** The cover of a collection as its page's main picture. */
export const Cover = ({ base, collection }: { base: string; collection: PublicCollection }) => {
  const { cover, title } = collection;
  return (
    cover && (
      <Media
        base={base}
        url={cover.url}
        type={cover.media_type}
        ground={cover.ground}
        alt={`Cover of ${title}`}
        eager
      />
    )
  );
};

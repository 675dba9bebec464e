import { z } from "@hono/zod-openapi";
import {
  aboutFault,
  MOST_ABOUT,
  MOST_PICTURE_BYTES,
  SLUG,
  SLUG_LENGTH,
} from "../../domain/collector-pages.ts";
import { mediaType } from "../../domain/media-sniffing.ts";
import { spellingFault } from "../../domain/media-url.ts";
import { linesField, textField, uuidField } from "../schemas/fields.ts";

const MOST_LINKS = 8;

const httpsUrl = z
  .string()
  .max(2_048)
  .refine(
    (text) => spellingFault(text) === null,
    "Write the URL without spaces, control characters, backslashes and invisible characters.",
  )
  .refine((text) => {
    const url = URL.parse(text);
    return url?.protocol === "https:" && url.username === "" && url.password === "";
  }, "Give a complete https address without user name and password.")
  .openapi({ format: "uri", example: "https://example.com" });

const PICTURES: readonly (string | null)[] = ["image/png", "image/jpeg", "image/webp"];

/** Characters of base64 for so many bytes. */
const MOST_BASE64 = Math.ceil(MOST_PICTURE_BYTES / 3) * 4;

const pictureField = z
  .base64("Give the picture in base64.")
  .min(1)
  .max(MOST_BASE64, `Give a picture of at most ${MOST_PICTURE_BYTES / 1_024} KiB.`)
  .transform((text): Uint8Array => Buffer.from(text, "base64"))
  .refine((bytes) => PICTURES.includes(mediaType(bytes)), "Give a PNG, JPEG or WebP.")
  .nullish()
  .openapi({
    type: "string",
    format: "byte",
    maxLength: MOST_BASE64,
    description: `base64 of a PNG, JPEG or WebP of at most ${MOST_PICTURE_BYTES / 1_024} KiB, shown as a circle of 48 px. Absent: as it is.`,
  });

const aboutField = linesField(MOST_ABOUT).superRefine((text, context) => {
  const message = aboutFault(text);
  if (message !== null) context.addIssue({ code: "custom", message });
});

/** PUT collection/{uuid}/page: absent fields stay, null clears; slug and enabled are required. */
export const collectionPageBody = z
  .strictObject({
    slug: z
      .string()
      .min(SLUG_LENGTH.min)
      .max(SLUG_LENGTH.max)
      .regex(SLUG, "Give lower-case letters and digits with single hyphens between them.")
      .openapi({ example: "night-herons", description: "The last part of the pages' addresses." }),
    cover_asset_uuid: uuidField.nullish().openapi({ description: "An asset of the collection's draft." }),
    theme: z
      .strictObject({
        accent: z
          .string()
          .regex(/^#[0-9a-fA-F]{6}$/, "Give a colour such as #1f6f54.")
          .transform((text) => text.toLowerCase())
          .openapi({
            description: "Colour of buttons; the text on them is black or white, whichever reads better.",
          }),
      })
      .nullish(),
    links: z
      .array(z.strictObject({ label: textField(60).min(1), url: httpsUrl }))
      .max(MOST_LINKS)
      .nullish(),
    creator: z
      .strictObject({
        name: textField(100).min(1).openapi({ example: "Ada Heron" }),
        url: httpsUrl.nullish().openapi({ description: "Absent: as it is." }),
        picture: pictureField,
      })
      .nullish()
      .openapi({ description: "Who has made it. Without one, pages name the contract." }),
    about: aboutField.nullish().openapi({
      description:
        "A text of the mint page in Markdown (CommonMark): paragraphs, headings, emphasis, lists, quotations, code, and links to https and mailto addresses. HTML and pictures are left out.",
    }),
    enabled: z.boolean(),
  })
  .openapi("CollectionPageInput");

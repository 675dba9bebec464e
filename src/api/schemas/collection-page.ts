import { z } from "@hono/zod-openapi";
import { SLUG, SLUG_LENGTH } from "../../domain/collector-pages.ts";
import { spellingFault } from "../../domain/media-url.ts";
import { textField, uuidField } from "./fields.ts";

/** Most links of a page. */
const MOST_LINKS = 8;

const httpsUrl = z
  .string()
  .max(2_048)
  .refine(
    (text) => spellingFault(text) === null,
    "Write the URL without spaces, control characters, backslashes and invisible characters.",
  )
  .refine((text) => isHttps(text), "Give a complete https address without user name and password.")
  .openapi({ format: "uri", example: "https://example.com" });

const isHttps = (text: string): boolean => {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.username === "" && url.password === "";
};

/** A slug: 3 to 64 lower-case letters and digits with single hyphens between them. */
const slugField = z
  .string()
  .min(SLUG_LENGTH.min)
  .max(SLUG_LENGTH.max)
  .regex(SLUG, "Give lower-case letters and digits with single hyphens between them.")
  .openapi({ example: "night-herons", description: "The last part of the pages' addresses." });

const theme = z
  .strictObject({
    accent: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, "Give a colour such as #1f6f54.")
      .transform((text) => text.toLowerCase())
      .openapi({
        description: "Colour of buttons; the text on them is black or white, whichever reads better.",
      }),
  })
  .nullish();

/** PUT collection/{uuid}/page: what is absent stays, null clears; slug and enabled are always needed. */
export const collectionPageBody = z
  .strictObject({
    slug: slugField,
    cover_asset_uuid: uuidField.nullish().openapi({ description: "An asset of the collection's draft." }),
    theme,
    links: z
      .array(z.strictObject({ label: textField(60).min(1), url: httpsUrl }))
      .max(MOST_LINKS)
      .nullish(),
    enabled: z.boolean(),
  })
  .openapi("CollectionPageInput");

import { z } from "@hono/zod-openapi";
import type { PageCreator } from "../../domain/collector-pages.ts";
import type { Shown } from "./samples.ts";

const creator = z
  .object({
    name: z.string().openapi({ example: "Ada Heron" }),
    url: z.url().nullable(),
    picture_url: z.url().nullable().openapi({ description: "It changes with the picture." }),
  })
  .openapi("Creator");

/** Who has made a collection. */
export const creatorView = z
  .union([creator, z.null()])
  .openapi({ description: "Who has made it; null: the page names nobody." });

/** A page's creator as it is shown. @param base the address of the service */
export const toCreator = (
  { slug, creator: row }: { readonly slug: string; readonly creator: PageCreator | null },
  base: string,
): Shown<typeof creator> | null =>
  row && {
    name: row.name,
    url: row.url ?? null,
    picture_url: row.picture === undefined ? null : `${base}/public/v1/creator/${slug}/${row.picture}`,
  };

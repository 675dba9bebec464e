import { z } from "@hono/zod-openapi";
import { EVENT_TYPES } from "../domain/events.ts";
import type { Shown } from "./shown.ts";

/** Something that happened to what an integration has. */
export const eventView = z
  .object({
    seq: z.int().openapi({ description: "Counts up for an integration, without gaps.", example: 42 }),
    event_uuid: z.uuid(),
    type: z.enum(EVENT_TYPES).openapi({ example: "nft.minted" }),
    timestamp: z.iso.datetime(),
    data: z.looseObject({}).openapi({
      description:
        "The resource as the API shows it; `nft.minted` says the `source` as well. Above 20 kB its small fields alone, " +
        "and in `see` the address where it can be read.",
    }),
  })
  .openapi("Event");

/** An event, as callers see it. */
export type Event = Shown<typeof eventView>;

import { z } from "@hono/zod-openapi";
import { EVENT_TYPES } from "../../domain/events.ts";
import { type Shown, whole } from "./samples.ts";

export const eventView = z
  .object({
    seq: whole("The event's number, counted for each integration without gaps.", 42),
    event_uuid: z.uuid(),
    type: z.enum(EVENT_TYPES).openapi({ example: "nft.minted" }),
    timestamp: z.iso.datetime(),
    data: z.looseObject({}).openapi({
      description:
        "The resource as the API shows it; `nft.minted` also has a `source`, `api` or `wallet`. `nft.*` and `collection.*` also " +
        "have `operation_uuid` and `reference` of the write whose effect they are; null where there was none. `claim.redeemed` has " +
        "`collection_uuid`, `collection_id`, `contract_address`, `drop_id`, `link`, and the `quantity` of its tokens. " +
        "Above 20 kB it has only the small fields, and `see` is the address of the whole resource.",
    }),
  })
  .openapi("Event");
export type Event = Shown<typeof eventView>;

import { z } from "@hono/zod-openapi";
import { proposeReveal } from "../../operations/kinds/collection-reveal.ts";
import { chainWrite } from "../chain-write.ts";
import { json, optionalBody } from "../endpoint.ts";
import { revealedView } from "../resources/collection.ts";
import { referenceField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

const MOST = 4_294_967_295;

const revealBody = z
  .strictObject({
    assets: z.int().min(1).max(MOST).nullish().openapi({
      description: "How many more assets are shown, rounded up to whole batches; default: all that are left.",
      example: 10,
    }),
    reference: referenceField,
  })
  .openapi("RevealInput");

export const collectionsReveal = chainWrite(
  {
    method: "post",
    path: "/collection/{collection_uuid}/reveal",
    operationId: "revealCollection",
    scope: "settings",
    tag: "Collections",
    summary: "Show the assets that a collection hides",
    description:
      "In the order that the collection is committed to since its finalization, which nobody can change. A collection is cut " +
      "into at most 100 batches of equal size, and a reveal shows whole ones. Minting continues meanwhile. This can't be undone.",
    request: { params: collectionParam, body: optionalBody(revealBody, { assets: 10 }) },
    success: { 200: json("What is shown now.", revealedView) },
  },
  (context, caller, { params, body }) =>
    proposeReveal(context, caller, params.collection_uuid, body.assets ?? undefined),
);

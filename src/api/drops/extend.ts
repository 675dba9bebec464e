import { z } from "@hono/zod-openapi";
import { proposeDropExtension } from "../../operations/kinds/drops.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { dropAnswerView } from "../resources/drop.ts";
import { referenceField } from "../schemas/fields.ts";
import { dropParam } from "../schemas/parameters.ts";
import { expiresAt, links, reserve } from "./create.ts";

const dropChangesBody = z
  .strictObject({
    links: links.optional(),
    expires_at: expiresAt.optional(),
    reserve: reserve.optional(),
    reference: referenceField,
  })
  .refine(({ reference: _, ...changes }) => Object.values(changes).some((value) => value !== undefined), {
    message: "Give links, expires_at or reserve.",
  })
  .openapi("DropChanges");

export const dropsExtend = chainWrite(
  {
    method: "put",
    path: "/collection/{collection_uuid}/drop/{drop_id}",
    operationId: "extendDrop",
    tag: "Claim links",
    summary: "Add links, time or reserve to a claim drop",
    description:
      "Absent fields stay. `links` is the new number of links, those before included; `reserve` is added.",
    request: { params: dropParam, body: jsonBody(dropChangesBody, { links: 200 }) },
    success: { 200: json("The drop as it is now.", dropAnswerView) },
    errors: ["sold_out"],
  },
  (context, caller, { params: { collection_uuid: collectionUuid, drop_id: dropId }, body }) =>
    proposeDropExtension(context, caller, { collectionUuid, dropId }, body),
);

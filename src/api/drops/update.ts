import { z } from "@hono/zod-openapi";
import { MOST_LINKS } from "../../domain/claim-proofs.ts";
import { proposeDropUpdate } from "../../operations/kinds/drops.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { dropAnswerView } from "../resources/drop.ts";
import { instantField, referenceField } from "../schemas/fields.ts";
import { dropParam } from "../schemas/parameters.ts";
import { issuerKey, links, reserve } from "./create.ts";

/** Links of one request: their numbers and the record that they change stay far below the call's gas. */
const MOST_REVOKED = 1_000;

const dropChangesBody = z
  .strictObject({
    links: links.optional(),
    expires_at: instantField
      .openapi({
        description:
          "First moment after the end, at most five years ahead. A time that is past ends the drop.",
      })
      .optional(),
    reserve: reserve.optional(),
    issuer_public_key: issuerKey
      .openapi({
        description:
          "Replaces the key that certifies the links' keys: links that the former key certified, and vouchers that it signed, are invalid from then on.",
      })
      .optional(),
    revoke: z
      .array(
        z
          .int()
          .min(0)
          .max(MOST_LINKS - 1),
      )
      .min(1)
      .max(MOST_REVOKED)
      .openapi({
        description: "Numbers of links, from 0, that can't be redeemed from then on.",
        example: [7],
      })
      .optional(),
    reference: referenceField,
  })
  .refine(({ reference: _, ...changes }) => Object.values(changes).some((value) => value !== undefined), {
    message: "Give links, expires_at, reserve, issuer_public_key or revoke.",
  })
  .openapi("DropChanges");

export const dropsUpdate = chainWrite(
  {
    method: "put",
    path: "/collection/{collection_uuid}/drop/{drop_id}",
    operationId: "updateDrop",
    scope: "mint",
    tag: "Claim links",
    summary: "Change a claim drop: more links or reserve, another end or issuer's key, revoked links",
    description:
      "Absent fields stay. `links` is the new number of links, those before included; `reserve` is added. Revoked links free what the " +
      "reserve holds for them.",
    request: { params: dropParam, body: jsonBody(dropChangesBody, { links: 200 }) },
    success: { 200: json("The drop as it is now.", dropAnswerView) },
    errors: ["sold_out"],
  },
  (context, caller, { params: { collection_uuid: collectionUuid, drop_id: dropId }, body }) =>
    proposeDropUpdate(context, caller, { collectionUuid, dropId }, body),
);

import { z } from "@hono/zod-openapi";
import { MOST_LINKS, MOST_PER_LINK } from "../../domain/claim-proofs.ts";
import { proposeDrop } from "../../operations/kinds/drops.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { dropAnswerView } from "../resources/drop.ts";
import { PUBLIC_KEY } from "../resources/samples.ts";
import { instantField, publicKeyField, referenceField, yoctoField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

export const links = z
  .int()
  .min(1)
  .max(MOST_LINKS)
  .openapi({ description: "Number of links; their numbers begin at 0. It can only grow.", example: 100 });

/** The issuer's key, whose private half the service never has. */
export const issuerKey = publicKeyField.openapi({
  description:
    "The issuer's public key, which certifies the links' keys and signs vouchers. Its private key never leaves the issuer.",
  example: PUBLIC_KEY,
});

export const reserve = yoctoField.openapi({
  description:
    "yoctoNEAR to set aside for the NFTs' storage, out of the contract's free balance, which the wallet tops up where it lacks them. Default: all that new links can need. 0 is enough for vouchers with a price, which pays for the storage.",
  example: "257000000000000000000000",
});

const dropBody = z
  .strictObject({
    issuer_public_key: issuerKey,
    links,
    quantity: z
      .int()
      .min(1)
      .max(MOST_PER_LINK)
      .nullish()
      .transform((quantity) => quantity ?? 1)
      .openapi({ description: "NFTs that each link gives." }),
    expires_at: instantField.openapi({
      description: "First moment after the end, at most five years ahead.",
    }),
    reserve: reserve.nullish().transform((amount) => amount ?? undefined),
    reference: referenceField,
  })
  .openapi("DropInput");

export const dropsCreate = chainWrite(
  {
    method: "post",
    path: "/collection/{collection_uuid}/drop",
    operationId: "createDrop",
    scope: "mint",
    tag: "Claim links",
    summary: "Open a claim drop: links that each give NFTs to their holder",
    description:
      "The caller makes the keys of issuer and links, and never sends them; `npm run claim` does all of it (docs/launching.md). docs/contract.md says what is signed, also for vouchers, with which the issuer sells NFTs of the drop at a price of its own.",
    request: {
      params: collectionParam,
      body: jsonBody(dropBody, {
        issuer_public_key: PUBLIC_KEY,
        links: 100,
        expires_at: "2030-01-01T00:00:00Z",
      }),
    },
    success: { 201: json("The drop.", dropAnswerView) },
    errors: ["sold_out"],
  },
  (context, caller, { params, body }) => proposeDrop(context, caller, params.collection_uuid, body),
);

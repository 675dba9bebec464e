import { z } from "@hono/zod-openapi";
import { MOST_LINKS, MOST_PER_LINK } from "../../domain/claim-proofs.ts";
import { PUBLIC_KEY } from "../../resources/samples.ts";
import { instantField, yoctoField } from "../schemas/fields.ts";
import { publicKeyField } from "../schemas/keys.ts";

const links = z
  .int()
  .min(1)
  .max(MOST_LINKS)
  .openapi({ description: "Number of links; their numbers begin at 0. It can only grow.", example: 100 });

const expiresAt = instantField.openapi({
  description: "First moment after the end, at most five years ahead. It can only become later.",
});

const reserve = yoctoField.openapi({
  description:
    "yoctoNEAR to set aside for the NFTs' storage, out of the contract's free balance, which the wallet tops up where it lacks them. Default: all that new links can need.",
  example: "257000000000000000000000",
});

/** POST of a drop. */
export const dropBody = z
  .strictObject({
    issuer_public_key: publicKeyField.openapi({
      description:
        "The issuer's public key, which certifies the links' keys. Its private key never leaves the issuer.",
      example: PUBLIC_KEY,
    }),
    links,
    quantity: z
      .int()
      .min(1)
      .max(MOST_PER_LINK)
      .nullish()
      .transform((quantity) => quantity ?? 1)
      .openapi({ description: "NFTs that each link gives." }),
    expires_at: expiresAt,
    reserve: reserve.nullish().transform((amount) => amount ?? undefined),
  })
  .openapi("DropInput");

/** PUT of a drop. */
export const dropChangesBody = z
  .strictObject({ links: links.optional(), expires_at: expiresAt.optional(), reserve: reserve.optional() })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    message: "Give links, expires_at or reserve.",
  })
  .openapi("DropChanges");

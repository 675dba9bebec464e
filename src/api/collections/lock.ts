import { z } from "@hono/zod-openapi";
import { LOCKS } from "../../domain/locks.ts";
import { proposeCollectionLock } from "../../operations/kinds/locks.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { lockedView } from "../resources/collection.ts";
import { referenceField, uuidField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

/** Most assets that one call of the contract locks. */
const MOST_ASSETS = 1_000;

const lockBody = z
  .strictObject({
    locks: z
      .array(z.enum(LOCKS))
      .max(LOCKS.length)
      .nullish()
      .transform((locks) => locks ?? [])
      .openapi({ description: "What is locked; a lock that is set already stays.", example: ["royalties"] }),
    asset_uuids: z
      .array(uuidField)
      .max(MOST_ASSETS)
      .nullish()
      .transform((assets) => assets ?? [])
      .openapi({
        description: "Assets whose NFTs keep their metadata, and from then on no mint brings its own.",
      }),
    reference: referenceField,
  })
  .refine(
    ({ locks, asset_uuids: assets }) => locks.length + assets.length > 0,
    "Name at least one of locks or asset_uuids.",
  )
  .openapi("LockInput");

export const collectionsLock = chainWrite(
  {
    method: "put",
    path: "/collection/{collection_uuid}/lock",
    operationId: "lockCollection",
    scope: "settings",
    tag: "Collections",
    summary: "Lock parts of a collection, for ever",
    description:
      "A promise to holders, kept by the contract. It can't be undone, by anyone. `metadata`: title, description and what NFTs " +
      "show stay. `supply`: nothing is minted any more. `royalties`: ongoing_royalties stay. `transfers`: transfers and " +
      "approvals that are possible stay possible. `code`: the contract's code never changes, for all of its collections. A " +
      "write that a known lock forbids, and its quote, are then refused with 409 `conflict` before anything is sent; `issues` " +
      "names the fields, unless no other fields would help, as of a mint under `supply`. These locks are refused: all while the " +
      "contract has a full-access key, `metadata` before all assets are revealed, `transfers` while they are forbidden, `code` " +
      "while an upgrade is announced, and where another account owns the contract.",
    request: { params: collectionParam, body: jsonBody(lockBody, { locks: ["royalties"] }) },
    success: { 200: json("What this write has locked.", lockedView) },
  },
  (context, caller, { params, body }) => proposeCollectionLock(context, caller, params.collection_uuid, body),
);

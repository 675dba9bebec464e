import { z } from "@hono/zod-openapi";
import { readableOf } from "../../collections/collection-target.ts";
import { dropOf, noDrop, toSummary } from "../../collections/drops.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import { MOST_LINKS, MOST_PER_LINK } from "../../domain/claim-proofs.ts";
import { cursorNumber, type Page, type PageOfList } from "../../domain/cursors.ts";
import type { Uuid } from "../../domain/ids.ts";
import { proposeDrop, proposeDropClosing, proposeDropExtension } from "../../operations/kinds/drops.ts";
import { chainWrite } from "../chain-write.ts";
import { endpoint, json, jsonBody, list, optionalBody } from "../endpoint.ts";
import {
  type DropSummary,
  dropAnswerView,
  dropClosedView,
  dropSummaryView,
  dropView,
} from "../resources/drop.ts";
import { PUBLIC_KEY } from "../resources/samples.ts";
import {
  instantField,
  publicKeyField,
  referenceBody,
  referenceField,
  yoctoField,
} from "../schemas/fields.ts";
import { collectionParam, dropParam } from "../schemas/parameters.ts";

const VIEW_PAGE = 100;
const MOST_VIEWS = 10;

/**
 * Drops of a collection by their ids. The contract lists those of all collections together: a page may have fewer than
 * the limit, or none, and a next one. @throws ServiceError not_found, invalid_request (cursor), conflict,
 * chain_unavailable
 */
const listDrops = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  { cursor, limit }: PageOfList,
): Promise<Page<DropSummary>> => {
  const collection = await readableOf(context, caller, collectionUuid);
  const { contract, collectionId, views } = collection;
  const items: DropSummary[] = [];
  const home = { collectionUuid, contract, shown: await views.collection(collectionId) };
  let position = cursorNumber(cursor);
  for (let calls = 0; calls < MOST_VIEWS; calls++) {
    const page = await views.drops(position, VIEW_PAGE);
    for (const [index, drop] of page.entries()) {
      if (items.length === limit) return { items, next: String(position + index) };
      if (drop?.collection_id === collectionId) items.push(toSummary(drop, home));
    }
    position += page.length;
    if (page.length < VIEW_PAGE) return { items, next: null };
  }
  return { items, next: String(position) };
};

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

const dropBody = z
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
    reference: referenceField,
  })
  .openapi("DropInput");

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

const PATH = "/collection/{collection_uuid}/drop";
const ONE = `${PATH}/{drop_id}` as const;
const TAG = "Claim links";

export const dropEndpoints = [
  chainWrite(
    {
      method: "post",
      path: PATH,
      operationId: "createDrop",
      tag: TAG,
      summary: "Open a claim drop: links that each give NFTs to their holder",
      description:
        "The caller makes the keys of issuer and links, and never sends them; `npm run claim` does all of it (docs/launching.md). docs/contract.md says what is signed.",
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
  ),
  endpoint(
    {
      method: "get",
      path: ONE,
      operationId: "getDrop",
      tag: TAG,
      summary: "Read a claim drop, with which of its links were claimed, from the chain",
      request: { params: dropParam },
      success: { 200: json("The drop.", dropView) },
      errors: ["conflict", "chain_unavailable"],
    },
    async ({ context, caller, params: { collection_uuid: uuid, drop_id: id } }) => {
      const drop = await dropOf(await readableOf(context, caller, uuid), uuid, id);
      if (drop === null) throw noDrop();
      return drop;
    },
  ),
  list(
    {
      path: PATH,
      operationId: "listDrops",
      tag: TAG,
      summary: "List a collection's claim drops, from the chain",
      description:
        "Those that were closed are gone. A page may have fewer entries than `limit`, or none, and still have a next one.",
      params: collectionParam,
      entries: ["The drops, oldest first.", dropSummaryView],
      errors: ["conflict", "chain_unavailable"],
    },
    ({ context, caller, params }, cursor, limit) =>
      listDrops(context, caller, params.collection_uuid, { cursor, limit }),
  ),
  chainWrite(
    {
      method: "put",
      path: ONE,
      operationId: "extendDrop",
      tag: TAG,
      summary: "Add links, time or reserve to a claim drop",
      description:
        "Absent fields stay. `links` is the new number of links, those before included; `reserve` is added.",
      request: { params: dropParam, body: jsonBody(dropChangesBody, { links: 200 }) },
      success: { 200: json("The drop as it is now.", dropAnswerView) },
      errors: ["sold_out"],
    },
    (context, caller, { params: { collection_uuid: collectionUuid, drop_id: dropId }, body }) =>
      proposeDropExtension(context, caller, { collectionUuid, dropId }, body),
  ),
  chainWrite(
    {
      method: "delete",
      path: ONE,
      operationId: "closeDrop",
      tag: TAG,
      summary: "Close a claim drop that is over, which frees the rest of its reserve",
      description:
        "After its end, when all its links are claimed, or when the collection has no copies left for one.",
      request: { params: dropParam, body: optionalBody(referenceBody, { reference: "order-1042" }) },
      success: { 200: json("What came back.", dropClosedView) },
    },
    (context, caller, { params: { collection_uuid: collectionUuid, drop_id: dropId } }) =>
      proposeDropClosing(context, caller, { collectionUuid, dropId }),
  ),
];

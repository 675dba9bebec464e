import { readCollection, toCollection } from "../../collections/collections.ts";
import { eligibility } from "../../collections/eligibility.ts";
import { listCollections } from "../../db/queries/collections.ts";
import { cursorUuid, pageOf } from "../../domain/cursors.ts";
import { runOperation } from "../../operations/engine/run.ts";
import { proposeCollectionUpdate } from "../../operations/kinds/collection-update.ts";
import { chainWrite } from "../chain-write.ts";
import { endpoint, json, jsonBody, list } from "../endpoint.ts";
import { collectionView, eligibilityView } from "../resources/collection.ts";
import { collectionChangesBody } from "../schemas/collection-settings.ts";
import { collectionParam, eligibilityParam } from "../schemas/parameters.ts";

const changesNothing = (body: object): boolean => Object.keys(body).length === 0;

export const collectionEndpoints = [
  endpoint(
    {
      method: "get",
      path: "/collection/{collection_uuid}",
      operationId: "getCollection",
      tag: "Collections",
      summary: "Read one collection",
      request: { params: collectionParam },
      success: { 200: json("The collection.", collectionView) },
    },
    ({ context, caller, params }) => readCollection(context, caller, params.collection_uuid),
  ),
  list(
    {
      path: "/collection",
      operationId: "listCollections",
      tag: "Collections",
      summary: "List all collections, newest first",
      entries: ["The collections.", collectionView],
    },
    async ({ context, caller }, cursor, size) => {
      const rows = await listCollections(context.db, caller.integrationId, cursorUuid(cursor), size + 1);
      const views = rows.map((row) => toCollection(row.collection, row.contractAccountId));
      return pageOf(views, size, (view) => view.collection_uuid, rows[0]?.candidates);
    },
  ),
  chainWrite(
    {
      method: "put",
      path: "/collection/{collection_uuid}",
      operationId: "updateCollection",
      tag: "Collections",
      summary: "Change a collection on-chain",
      description:
        "Absent fields stay; null clears. The same holds within public_mint_config and private_mint_config: to change a price, give " +
        "mint_fee alone. A config that isn't there yet needs mint_fee; null ends its phase. Royalties and lists of accounts are replaced as a whole.",
      request: {
        params: collectionParam,
        body: jsonBody(collectionChangesBody, {
          description: "Twelve herons, painted after dark. Sold out soon.",
          private_mint_config: { mint_fee: "0", ends_at: "2030-01-01T00:00:00Z", limit_per_account: 2 },
        }),
      },
      success: { 200: json("The collection as it is now.", collectionView) },
      errors: ["unknown_account"],
    },
    async (context, caller, { params, body }) =>
      changesNothing(body) ? null : proposeCollectionUpdate(context, caller, params.collection_uuid, body),
    // Nothing to change costs no transaction.
    async (context, caller, { params: { collection_uuid: id }, body }) =>
      changesNothing(body)
        ? { status: 200, body: await readCollection(context, caller, id) }
        : runOperation(context, caller, await proposeCollectionUpdate(context, caller, id, body)),
  ),
];

export const eligibilityRead = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}/eligibility/{account_id}",
    operationId: "getEligibility",
    tag: "Collections",
    summary: "Whether an account may mint from its wallet now, and its price",
    description:
      "The contract's answer is up to five seconds old, and shows all that writes of this API have changed.",
    request: { params: eligibilityParam },
    success: { 200: json("What the contract says.", eligibilityView) },
    errors: ["chain_unavailable"],
  },
  ({ context, caller, params }) => eligibility(context, caller, params.collection_uuid, params.account_id),
);

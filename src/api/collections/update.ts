import { readCollection } from "../../collections/collections.ts";
import { runOperation } from "../../operations/engine/run.ts";
import { proposeCollectionUpdate } from "../../operations/kinds/collection-update.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { collectionView } from "../resources/collection.ts";
import { collectionChangesBody } from "../schemas/collection-settings.ts";
import { collectionParam } from "../schemas/parameters.ts";

const changesNothing = (body: object): boolean => Object.keys(body).length === 0;

export const collectionsUpdate = chainWrite(
  {
    method: "put",
    path: "/collection/{collection_uuid}",
    operationId: "updateCollection",
    scope: "settings",
    tag: "Collections",
    summary: "Change a collection on-chain",
    description:
      "Absent fields stay; null clears. The same holds within public_mint_config and private_mint_config: to change a price, give " +
      "mint_fee alone. A config that isn't there yet needs mint_fee, also where the phase has a price in a currency, all of which it replaces, `supply` too; null ends its phase. `phases` replaces all phases: one that it doesn't name ends, unless its config is given beside it. A currency has to be the contract of a NEP-141 token that describes itself (NEP-148), with a symbol of ASCII letters and digits other than NEAR; the contract is registered there (NEP-145) first, once and for at most 0.0125 NEAR, and at most eight accounts of an integration in 24 hours: beyond it 402 `spending_limit_reached`. Royalties and lists of accounts are replaced as a whole.",
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
);

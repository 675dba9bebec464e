import { readCollection } from "../../collections/collections.ts";
import { show } from "../../http/answered.ts";
import { proposeCollectionUpdate } from "../../operations/kinds/collection-update.ts";
import { collectionView } from "../../resources/collection.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { run } from "../run.ts";
import { collectionChangesBody } from "../schemas/collection-settings.ts";
import { collectionParam } from "../schemas/parameters.ts";

export const collectionsUpdate = endpoint(
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
    operation: true,
  },
  async (c, { params, body }) => {
    const { collection_uuid: id } = params;
    const context = c.get("context");
    // Nothing to change costs no transaction.
    if (Object.keys(body).length === 0) return show(c, await readCollection(context, c.get("caller"), id));
    return run(c, await proposeCollectionUpdate(context, c.get("caller"), id, body));
  },
);

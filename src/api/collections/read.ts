import { readCollection } from "../../collections/collections.ts";
import { endpoint, json } from "../endpoint.ts";
import { collectionView } from "../resources/collection.ts";
import { collectionParam } from "../schemas/parameters.ts";

export const collectionsRead = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}",
    operationId: "getCollection",
    scope: "read",
    tag: "Collections",
    summary: "Read one collection",
    request: { params: collectionParam },
    success: { 200: json("The collection.", collectionView) },
  },
  ({ context, caller, params }) => readCollection(context, caller, params.collection_uuid),
);

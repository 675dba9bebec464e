import { exportOrder } from "../../operator/hidden-orders.ts";
import { endpoint, json } from "../endpoint.ts";
import { hiddenOrderView } from "../resources/reveal.ts";
import { collectionParam } from "../schemas/parameters.ts";

export const hiddenOrderRead = endpoint(
  {
    tag: "Operator: service",
    scope: "operator",
    method: "get",
    path: "/collection/{collection_uuid}/hidden-order",
    operationId: "adminGetHiddenOrder",
    summary: "Export the secret order of a collection's hidden assets",
    description:
      "Whoever has it knows which NFT shows what before the reveal, and can reveal the collection from the contract owner's account without the service. Keep it as you keep WALLET_SECRETS.",
    request: { params: collectionParam },
    success: { 200: json("The order.", hiddenOrderView) },
    errors: ["conflict"],
  },
  ({ context, params }) => exportOrder(context, params.collection_uuid),
);

import { proposeDropClosing } from "../../operations/kinds/drops.ts";
import { chainWrite } from "../chain-write.ts";
import { json, optionalBody } from "../endpoint.ts";
import { dropClosedView } from "../resources/drop.ts";
import { referenceBody } from "../schemas/fields.ts";
import { dropParam } from "../schemas/parameters.ts";

export const dropsClose = chainWrite(
  {
    method: "delete",
    path: "/collection/{collection_uuid}/drop/{drop_id}",
    operationId: "closeDrop",
    scope: "mint",
    tag: "Claim links",
    summary: "Close a claim drop that is over, which frees the rest of its reserve",
    description:
      "After its end, when all its links are claimed, or when the collection has no copies left for one.",
    request: { params: dropParam, body: optionalBody(referenceBody, { reference: "order-1042" }) },
    success: { 200: json("What came back.", dropClosedView) },
  },
  (context, caller, { params: { collection_uuid: collectionUuid, drop_id: dropId } }) =>
    proposeDropClosing(context, caller, { collectionUuid, dropId }),
);

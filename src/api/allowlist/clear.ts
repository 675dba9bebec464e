import { z } from "@hono/zod-openapi";
import { proposeAllowlistChange } from "../../operations/kinds/allowlist.ts";
import { chainWrite } from "../chain-write.ts";
import { json, optionalBody } from "../endpoint.ts";
import { messageView } from "../resources/operation.ts";
import { listedPhaseField, referenceField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

const clearBody = z
  .strictObject({ phase: listedPhaseField, reference: referenceField })
  .openapi("AllowlistClearInput");

export const allowlistClear = chainWrite(
  {
    method: "put",
    path: "/collection/{collection_uuid}/allowlist-clear",
    operationId: "allowlistClear",
    scope: "mint",
    tag: "Allowlist",
    summary: "Remove every account from the allowlist",
    request: { params: collectionParam, body: optionalBody(clearBody, { reference: "order-1042" }) },
    success: { 200: json("The transaction.", messageView) },
  },
  (context, caller, { params, body: { phase } }) =>
    proposeAllowlistChange(context, caller, params.collection_uuid, { change: "allowlist_clear", phase }),
);

import { readableOf } from "../../collections/collection-target.ts";
import { dropOf, noDrop } from "../../collections/drops.ts";
import { endpoint, json } from "../endpoint.ts";
import { dropView } from "../resources/drop.ts";
import { dropParam } from "../schemas/parameters.ts";

export const dropsRead = endpoint(
  {
    method: "get",
    path: "/collection/{collection_uuid}/drop/{drop_id}",
    operationId: "getDrop",
    scope: "read",
    tag: "Claim links",
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
);

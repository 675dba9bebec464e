import { z } from "@hono/zod-openapi";
import { proposeAllowlistChange } from "../../operations/kinds/allowlist.ts";
import { chainWrite } from "../chain-write.ts";
import { json, jsonBody } from "../endpoint.ts";
import { messageView } from "../resources/operation.ts";
import { accountIdField, listedPhaseField, referenceField } from "../schemas/fields.ts";
import { collectionParam } from "../schemas/parameters.ts";

const MAX_ALLOWLIST_ACCOUNTS = 500;

const accountsBody = z
  .strictObject({
    accounts: z.array(accountIdField).min(1).max(MAX_ALLOWLIST_ACCOUNTS),
    phase: listedPhaseField,
    reference: referenceField,
  })
  .openapi("AccountsInput");

const changeBy = (verb: "add" | "remove", operationId: string, summary: string) =>
  chainWrite(
    {
      method: "put",
      path: `/collection/{collection_uuid}/allowlist-${verb}`,
      operationId,
      scope: "mint",
      tag: "Allowlist",
      summary,
      request: {
        params: collectionParam,
        body: jsonBody(accountsBody, { accounts: ["alice.near", "bob.near"] }),
      },
      success: { 200: json("The transaction.", messageView) },
    },
    (context, caller, { params, body: { accounts, phase } }) => {
      const change = { change: `allowlist_${verb}`, accounts, phase } as const;
      return proposeAllowlistChange(context, caller, params.collection_uuid, change);
    },
  );

export const allowlistAdd = changeBy("add", "allowlistAdd", "Add accounts to the allowlist");
export const allowlistRemove = changeBy("remove", "allowlistRemove", "Remove accounts from the allowlist");

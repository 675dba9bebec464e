import { z } from "@hono/zod-openapi";
import { readableOf } from "../../collections/collection-target.ts";
import type { Caller, ServiceContext } from "../../context.ts";
import type { Uuid } from "../../domain/ids.ts";
import { show } from "../../http/typed-response.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { collectionParam } from "../schemas/parameters.ts";
import { accountBody } from "./change.ts";

/** Whether an account is on a collection's allowlist at the last final block. @throws ServiceError not_found, chain_unavailable */
const allowlistCheck = async (
  context: ServiceContext,
  caller: Caller,
  collectionUuid: Uuid,
  account: string,
): Promise<{ readonly is_allowlisted: boolean }> => {
  const { collectionId, views } = await readableOf(context, caller, collectionUuid);
  return { is_allowlisted: await views.isAllowlisted(collectionId, account) };
};

const checkedView = z.object({ is_allowlisted: z.boolean() }).openapi("AllowlistAnswer");

/** PUT /collection/{collection_uuid}/allowlist-checkaccount: a read, whatever its method. */
export const allowlistCheckAccount = endpoint(
  {
    method: "put",
    path: "/collection/{collection_uuid}/allowlist-checkaccount",
    operationId: "allowlistCheckAccount",
    tag: "Allowlist",
    summary: "Whether an account is on the allowlist",
    description: "Reads the chain and changes nothing; a key of role `read` may use it.",
    request: { params: collectionParam, body: jsonBody(accountBody, { account: "alice.near" }) },
    success: { 200: json("Whether the account is on the allowlist.", checkedView) },
    errors: ["chain_unavailable"],
    write: false,
  },
  async (c, { params, body }) =>
    show(c, await allowlistCheck(c.get("context"), c.get("caller"), params.collection_uuid, body.account)),
);

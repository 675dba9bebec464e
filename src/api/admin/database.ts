import { z } from "@hono/zod-openapi";
import { show } from "../../http/typed-response.ts";
import { recoverDatabase } from "../../operator/wallet-recovery.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { recoveryView } from "../resources/recovery.ts";

/** The cursor of a recovery of the database. */
const recoveryBody = z
  .strictObject({
    cursor: z.string().max(100).nullish().openapi({
      description: "`next` of the previous call; null or absent: from the beginning.",
      example: null,
    }),
  })
  .openapi("RecoveryInput");

export const databaseRecover = endpoint(
  {
    method: "post",
    path: "/database/recover",
    operationId: "adminRecoverDatabase",
    tag: "Operator: database",
    summary: "Restore what a rolled-back database has lost",
    description:
      "Restores operations with their responses and Idempotency-Keys, collections with their drafts, contracts and integrations, from the wallets' journals, the chain and R2. Each call does a part of it: call again with `cursor` set to `next` until that is null. You can repeat a call or begin again at any time; if nothing is lost, nothing changes.",
    request: { body: jsonBody(recoveryBody, { cursor: null }) },
    success: { 200: json("What was done.", recoveryView) },
    errors: ["chain_unavailable", "wallet_busy"],
    access: "admin",
  },
  async (c, { body }) => show(c, await recoverDatabase(c.get("context"), body.cursor ?? null)),
);

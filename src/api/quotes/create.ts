import { z } from "@hono/zod-openapi";
import { quoteWrite } from "../../operations/quotes.ts";
import { planWrite } from "../chain-write.ts";
import { endpoint, json, jsonBody, reply } from "../endpoint.ts";
import { quoteView } from "../resources/operation.ts";
import { NOBODY } from "../resources/samples.ts";

const PREFIX = /^\/api\/v1(?=\/)/;

const quoteBody = z
  .strictObject({
    method: z.enum(["POST", "PUT", "DELETE"]).openapi({ example: "POST" }),
    path: z
      .string()
      .max(2048)
      .regex(
        /^\/[\w./%-]*$/,
        "Give the path of the write without a query, such as /collection/{collection_uuid}/mint.",
      )
      .openapi({
        description: "As in the reference, with or without /api/v1.",
        example: "/collection/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11/mint",
      }),
    body: z
      .record(z.string(), z.unknown())
      .nullish()
      .openapi({
        description: "The write's body; absent or null where it has none.",
        example: { receiver_addresses: [NOBODY] },
      }),
    keep: z.boolean().nullish().openapi({
      default: false,
      description:
        "Whether the write is kept with the quote, so that the tool `execute` of POST /mcp can carry it out, once.",
    }),
  })
  .openapi("QuoteInput");

export const quotesCreate = endpoint(
  {
    method: "post",
    path: "/quote",
    operationId: "quote",
    scope: "any",
    limitsCollections: true,
    isOfLedger: true,
    tag: "Quotes",
    summary: "What a write to the chain would cost",
    description:
      "Plans the write with the code that carries it out, and sends nothing. The write itself then names the quote in " +
      "`Mintage-Quote`, and costs at most `cost.at_most`. A write that would be refused is refused here in the same way, except for missing money, which `wallet.missing` shows, and for `spending_limit_reached`. Several writes may name one quote; each of them may cost that much.",
    request: {
      body: jsonBody(quoteBody, {
        method: "POST",
        path: "/collection/0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11/mint",
        body: { receiver_addresses: [NOBODY] },
      }),
    },
    success: { 201: json("The quote.", quoteView) },
    errors: [
      "unknown_account",
      "mint_limit_exceeded",
      "asset_url_failed",
      "not_found",
      "sold_out",
      "conflict",
      "draft_empty",
      "draft_finalized",
      "draft_locked",
      "insufficient_funds",
      "contract_storage_unpaid",
      "payout_account_missing",
      "wallet_busy",
      "chain_unavailable",
    ],
  },
  async ({ context, caller, body }, c) => {
    const { method, keep } = body;
    const path = body.path.replace(PREFIX, "");
    const write = { method, path, body: body.body ?? undefined, keep: keep ?? false };
    const planned = await planWrite(context, { ...caller, requestKey: null }, write);
    return reply(c, await quoteWrite(context, caller, write, planned));
  },
);

import { z } from "@hono/zod-openapi";
import { listResponse } from "../../http/list-response.ts";
import { listTransactions } from "../../integrations/transactions.ts";
import { transactionView } from "../../resources/operation.ts";
import { endpoint, json } from "../endpoint.ts";
import { LINK, pageQuery } from "../schemas/pages.ts";

export const transactionsList = endpoint(
  {
    method: "get",
    path: "/transaction",
    operationId: "listTransactions",
    tag: "Operations",
    summary: "List the integration's final transactions, newest first",
    request: { query: pageQuery },
    success: { 200: json("The transactions.", z.array(transactionView), LINK) },
  },
  (c, { query }) =>
    listResponse(c, query, async (cursor, limit) => {
      const { transactions, next } = await listTransactions(c.get("context"), c.get("caller"), {
        cursor,
        limit,
      });
      return { items: transactions, next };
    }),
);

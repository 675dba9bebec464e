import { z } from "@hono/zod-openapi";
import { OPERATION_KINDS, OPERATION_STATES } from "../../domain/operations.ts";
import { CONTRACT, type Shown, WALLET } from "./samples.ts";

/** The chain's result of a transaction. */
export const transactionView = z
  .object({
    transaction_hash: z
      .string()
      .openapi({ description: "base58", example: "8RrE5tq3PbpYqZ7Z6HTRTkdWLrTq2xBbCk9JxdHQvL4m" }),
    signer_id: z.string().openapi({ example: WALLET }),
    receiver_id: z.string().openapi({ example: CONTRACT }),
    nonce: z.string().openapi({ example: "128000000000042" }),
    status: z.enum(["pending", "success", "failure"]).openapi({ example: "success" }),
    gas_burnt: z
      .string()
      .nullable()
      .openapi({ description: "Gas units over all receipts.", example: "3241087315432" }),
    tokens_burnt: z
      .string()
      .nullable()
      .openapi({ description: "yoctoNEAR", example: "324108731543200000000" }),
    block_hash: z.string().nullable().openapi({ example: "4xQmJtV6nR7cWb8Yp2sKf3LdHgUeTzAoXi9NqBvC5jPa" }),
    block_time: z.string().nullable().openapi({ example: "2026-12-24T18:00:02.000Z" }),
    logs: z.array(z.string()).openapi({ example: [] }),
    failure_message: z.string().nullable(),
    explorer_url: z.string().nullable(),
  })
  .openapi("ChainTransactionResult");

/** The response to a write that returns only its transactions. */
export const messageView = z
  .object({ message: z.literal("success"), tx_results: transactionView })
  .openapi("TransactionAnswer");

/** The response to a payout. */
export const payoutView = z
  .object({
    message: z.literal("success"),
    account_id: z.string().openapi({ description: "Who was paid.", example: "treasury.near" }),
    amount: z.string().openapi({ description: "yoctoNEAR", example: "5000000000000000000000000" }),
    tx_results: transactionView,
  })
  .openapi("PayoutAnswer");

const summaryFields = {
  operation_uuid: z.uuid(),
  kind: z.enum(OPERATION_KINDS).openapi({ example: "mint" }),
  state: z.enum(OPERATION_STATES),
  subject_uuid: z
    .uuid()
    .openapi({ description: "The draft, collection, contract or integration that it acts on." }),
  reference: z.string().nullable().openapi({
    description: "The `reference` of its write; null: it was sent without one.",
    example: "order-1042",
  }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
};

const amount = (description: string, example: string) =>
  z.string().nullable().openapi({ description, example });

const costView = z
  .object({
    quoted: amount("What the quote that it named expected.", "252000000000000000000"),
    at_most: amount("What it may cost: of its quote, or of `Mintage-Max-Cost`.", "3700000000000000000000"),
    actual: amount(
      "What it has cost: gas burnt, and what moved. Null until it is over.",
      "251000000000000000000",
    ),
  })
  .openapi("OperationCost", { description: "yoctoNEAR; null: not set, or not known." });

const operationFields = { ...summaryFields, cost: costView, transactions: z.array(transactionView) };

/** An operation in a list. */
export const operationSummaryView = z.object(summaryFields).openapi("OperationSummary");

/** The body of a 202: the operation so far. */
export const acceptedView = z.object(operationFields).openapi("AcceptedOperation");

/** An operation, which continues after a 202, and its outcome. */
export const operationView = z
  .object({
    ...operationFields,
    answer: z.object({ status: z.int(), body: z.unknown() }).nullable().openapi({
      description: "What the request would have been answered without 202; null until the operation is over.",
    }),
  })
  .openapi("Operation");

/** What a write was to cost, and has cost. */
export type OperationCost = Shown<typeof costView>;

/** An operation in a list, without what it sent and answered. */
export type OperationSummary = Shown<typeof operationSummaryView>;

/** An operation without the answer that it ends with. */
export type AcceptedOperation = Shown<typeof acceptedView>;

/** An operation with its outcome. */
export type OperationResource = Shown<typeof operationView>;

/** The response to a payout. */
export type PayoutAnswer = Shown<typeof payoutView>;

/** The response to a write that returns only its transaction. */
export type TransactionAnswer = Shown<typeof messageView>;

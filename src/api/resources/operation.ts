import { z } from "@hono/zod-openapi";
import { OPERATION_KINDS, OPERATION_STATES } from "../../domain/operations.ts";
import { currencyView } from "./currency.ts";
import { account, CONTRACT, digest, hash, type Shown, sentence, text, WALLET, whole } from "./samples.ts";

export const transactionView = z
  .object({
    transaction_hash: hash("8RrE5tq3PbpYqZ7Z6HTRTkdWLrTq2xBbCk9JxdHQvL4m", "base58"),
    signer_id: account(WALLET),
    receiver_id: account(CONTRACT),
    nonce: z.string().openapi({ example: "128000000000042" }),
    status: z.enum(["pending", "success", "failure"]).openapi({ example: "success" }),
    gas_burnt: text("Gas units over all receipts.", "3241087315432").nullable(),
    tokens_burnt: text("yoctoNEAR", "324108731543200000000").nullable(),
    block_hash: hash("4xQmJtV6nR7cWb8Yp2sKf3LdHgUeTzAoXi9NqBvC5jPa").nullable(),
    block_time: z.string().nullable().openapi({ example: "2026-12-24T18:00:02.000Z" }),
    logs: z.array(z.string()).openapi({ example: [] }),
    failure_message: z.string().nullable(),
    explorer_url: z.string().nullable(),
  })
  .openapi("ChainTransactionResult");

export const messageView = z
  .object({ message: z.literal("success"), tx_results: transactionView })
  .openapi("TransactionAnswer");

export const payoutView = z
  .object({
    message: z.literal("success"),
    account_id: account("treasury.near", "Who was paid."),
    amount: text("yoctoNEAR, or the smallest units of the currency.", "5000000000000000000000000"),
    currency: z.union([currencyView, z.null()]).openapi({ description: "null: NEAR." }),
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
  reference: text("The `reference` of its write; null: it was sent without one.", "order-1042").nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
};

const amount = (description: string, example: string) => text(description, example).nullable();

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
export const operationSummaryView = z.object(summaryFields).openapi("OperationSummary");
export const acceptedView = z.object(operationFields).openapi("AcceptedOperation");

export const operationView = z
  .object({
    ...operationFields,
    answer: z.object({ status: z.int(), body: z.unknown() }).nullable().openapi({
      description: "What the request would have been answered without 202; null until the operation is over.",
    }),
  })
  .openapi("Operation");
export type OperationCost = Shown<typeof costView>;
export type OperationSummary = Shown<typeof operationSummaryView>;
export type AcceptedOperation = Shown<typeof acceptedView>;
export type OperationResource = Shown<typeof operationView>;
export type PayoutAnswer = Shown<typeof payoutView>;
export type TransactionAnswer = Shown<typeof messageView>;

export const quoteView = z
  .object({
    quote_uuid: z.uuid(),
    transactions: whole("Transactions that are expected.", 1),
    gas: z.object({
      expected: text("Units of gas that are likely to be burnt.", "2520000000000"),
      at_most: text("Units that may be burnt.", "17320000000000"),
    }),
    storage_bytes: whole("Bytes that contracts store, at most.", 270),
    cost: z.object({
      expected: text("yoctoNEAR that are likely to leave the wallet.", "252000000000000000000"),
      at_most: text(
        "yoctoNEAR that leave it at most: gas, deposits and top-ups. Binding for a write that names the quote.",
        "3810400000000000000000",
      ),
    }),
    top_up: text(
      "yoctoNEAR of the cost that the contract is expected to be topped up with for storage.",
      "0",
    ),
    wallet: z.object({
      available: text("yoctoNEAR that a new write may spend.", "9731200000000000000000000"),
      missing: text("yoctoNEAR to be sent to the wallet first.", "0"),
    }),
    permanent: z.array(sentence()).readonly().openapi({
      description: "What the write changes for ever: nobody can undo it. Show it to the person who decides.",
      example: [],
    }),
    valid_until: z.iso.datetime(),
    body_digest: digest(
      "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
      "SHA-256 of the body's canonical JSON (RFC 8785), in hexadecimal; of `{}` without a body.",
    ),
  })
  .openapi("Quote");
export type Quote = Shown<typeof quoteView>;

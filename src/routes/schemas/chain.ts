import { z } from "@hono/zod-openapi";
import { OPERATION_KINDS } from "../../domain/operations.ts";

/** What the chain made of a transaction. */
export const transactionView = z
  .object({
    transaction_hash: z.string().openapi({ description: "base58" }),
    signer_id: z.string(),
    receiver_id: z.string(),
    nonce: z.string(),
    status: z.enum(["pending", "success", "failure"]),
    gas_burnt: z.string().nullable().openapi({ description: "Gas units over all receipts." }),
    tokens_burnt: z.string().nullable().openapi({ description: "yoctoNEAR" }),
    block_hash: z.string().nullable(),
    block_time: z.string().nullable(),
    logs: z.array(z.string()),
    failure_message: z.string().nullable(),
    explorer_url: z.string().nullable(),
  })
  .openapi("ChainTransactionResult");

/** The answer of a write that has nothing to show but its transactions. */
export const messageView = z
  .object({ message: z.literal("success"), tx_results: transactionView })
  .openapi("TransactionAnswer");

const operationFields = {
  operation_uuid: z.uuid(),
  kind: z.enum(OPERATION_KINDS),
  state: z.enum(["pending", "succeeded", "failed", "unknown"]),
  subject_uuid: z.uuid().openapi({ description: "The draft, collection or contract that it acts on." }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  transactions: z.array(transactionView),
};

/** The body of a 202: the operation so far. */
export const acceptedView = z.object(operationFields).openapi("AcceptedOperation");

/** Work that goes on after a 202, and what became of it. */
export const operationView = z
  .object({
    ...operationFields,
    answer: z
      .object({ status: z.int(), body: z.unknown() })
      .nullable()
      .openapi({ description: "When it is over: what the synchronous call would have answered." }),
  })
  .openapi("Operation");

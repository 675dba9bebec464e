import { answerOf, call, newDraft, type Shop, upload } from "../testing/bench-integration.ts";
import type { BenchService } from "../testing/service.ts";
import { formOf } from "../testing/upload-forms.ts";

const ASSETS = 10_000;
/** Forms that they come in, and bytes of a picture. */
const FORMS = 2;
const PICTURE = 10_240;
/** Number of the first picture; no other part of the bench comes so far. */
const SEED = 1_000_000;
const POLL_MS = 1000;

interface FinalizeAnswer {
  readonly ipfs_result: { readonly files: readonly unknown[] };
  readonly tx_results: readonly { readonly status: string }[];
}

/** What a collection of 10,000 assets takes. */
export interface FinalizeFigures {
  /** From the first byte of the upload to the finalized collection. */
  readonly seconds: number;
  /** Of them, from the finalize request on. */
  readonly finalize_seconds: number;
  readonly transactions: number;
  /** NEAR that left the wallet: gas, and the storage that the contract was funded with. */
  readonly near: number;
}

/** Uploads 10,000 pictures with a reference file each, and finalizes them. */
export async function finalizeMany(service: BenchService, shop: Shop): Promise<FinalizeFigures> {
  const draft = await newDraft(service, shop);
  const count = ASSETS / FORMS;
  const from = performance.now();
  for (let part = 0; part < FORMS; part++) {
    const form = formOf({ count, size: PICTURE, seed: SEED + part * count, references: true });
    await upload(service, shop, draft, form);
  }
  const before = await balance(service.rpcUrl, shop.walletAccountId);
  const uploaded = performance.now();
  const answer = await finalized(service, shop, draft);
  const done = performance.now();
  const spent = before - (await balance(service.rpcUrl, shop.walletAccountId));
  const files = answer.ipfs_result.files.length;
  if (files !== 2 * ASSETS) throw new Error(`ipfs_result has ${files} files instead of ${2 * ASSETS}`);
  if (answer.tx_results.some(({ status }) => status !== "success")) throw new Error("a transaction failed");
  return {
    seconds: Math.round((done - from) / 100) / 10,
    finalize_seconds: Math.round((done - uploaded) / 100) / 10,
    transactions: answer.tx_results.length,
    near: Number(spent / 10n ** 20n) / 10_000,
  };
}

/** Finalizes, and waits for the operation where the answer doesn't. */
async function finalized(service: BenchService, shop: Shop, draft: string): Promise<FinalizeAnswer> {
  const response = await call(service, shop, `/collection-draft/${draft}/finalize`, { method: "POST" });
  if (response.status !== 202) return answerOf<FinalizeAnswer>(response, 201);
  const { operation_uuid: id } = await answerOf<{ operation_uuid: string }>(response, 202);
  for (;;) {
    const operation = await answerOf<{ state: string; answer: { body: FinalizeAnswer } | null }>(
      await call(service, shop, `/operation/${id}`),
      200,
    );
    if (operation.state === "succeeded" && operation.answer) return operation.answer.body;
    if (operation.state !== "pending")
      throw new Error(`the finalization ended: ${JSON.stringify(operation)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** An account's balance in yoctoNEAR. */
async function balance(rpcUrl: string, accountId: string): Promise<bigint> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "bench",
      method: "query",
      params: { request_type: "view_account", finality: "final", account_id: accountId },
    }),
  });
  const { result } = await answerOf<{ result: { amount: string } }>(response, 200);
  return BigInt(result.amount);
}

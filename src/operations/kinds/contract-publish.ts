import { contractCode } from "../../chain/contract/code.ts";
import { connectFor } from "../../chain/rpc.ts";
import { isPublishedCode } from "../../chain/views.ts";
import { claimPublication, endPublication, publicationOf } from "../../db/queries/provisioning.ts";
import { type Publication, SPREAD_MS } from "../../domain/steps.ts";
import { type KindResults, kindOf } from "../kind.ts";
import { hasSucceeded } from "../records.ts";

/** A publication of the contract's code, as stored with its operation. */
export interface ContractPublishOperation {
  /** The account that signs and pays. */
  readonly platformId: string;
  /** Hexadecimal of the code's SHA-256. */
  readonly codeHash: string;
}

/** Facts that a publication depends on. */
interface PublishFacts {
  readonly publication: Publication;
  /** Whether the chain has the code. Not read once a step was submitted. */
  readonly isPublished: boolean;
}

/**
 * Publishes the code as a global contract, which upgrades use. Publishing burns tokens per byte, so published code
 * isn't published again, and of several concurrent operations only one publishes.
 */
export const contractPublishKind = kindOf<
  ContractPublishOperation,
  PublishFacts,
  KindResults["contract_publish"]
>({
  facts: async (context, { id, request }, records) => {
    const codeHash = Buffer.from(request.codeHash, "hex");
    const publication = await publicationOf(context.db, codeHash, id);
    const isPublished =
      records.length === 0 && publication !== "elsewhere_pending"
        ? await isPublishedCode(connectFor(context), codeHash)
        : false;
    return { publication, isPublished };
  },

  pause: (_request, { publication }) => (publication === "elsewhere_pending" ? SPREAD_MS : 0),

  steps: (_request, { isPublished }) => (isPublished ? [] : ["publish"]),
  storage: null,

  transaction: async (context, { id, request }) => {
    const code = await contractCode();
    if (!(await claimPublication(context.db, code.hash, id, context.now()))) return null;
    return {
      receiverId: request.platformId,
      actions: [{ kind: "deploy_global_contract", code: code.bytes }],
    };
  },

  effects: async (context, { id, request }, { records }) => ({
    status: 200,
    body: {
      code_hash: request.codeHash,
      tx_results: records.filter(hasSucceeded).map(({ result }) => result),
    },
    statements: [],
    indexed: [endPublication(context.db, id, true)],
  }),

  onFailure: ({ db }, { id }) => ({ indexed: [endPublication(db, id, false)] }),
});

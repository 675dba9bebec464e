import { initialise } from "../../chain/contract/calls.ts";
import { contractCode } from "../../chain/contract/code.ts";
import {
  claimPublication,
  insertContract,
  publicationOf,
  setContractState,
} from "../../db/queries/provisioning.ts";
import { deployRemedy, type Publication } from "../../domain/steps.ts";
import { type KindResults, kindOf } from "../kind.ts";
import { succeeded } from "../records.ts";

/** A deployment, as stored with its operation. */
export interface ContractDeployOperation {
  readonly accountId: string;
  readonly ownerId: string;
  readonly adminId: string | null;
  readonly platformId: string;
  /** Hexadecimal of the code's SHA-256. */
  readonly codeHash: string;
  /** Whether the chain supports global contracts (NEP-591); otherwise the code itself is deployed. */
  readonly global: boolean;
  /** yoctoNEAR initial balance of the contract. */
  readonly funding: string;
  readonly name: string;
  readonly symbol: string;
  /** Address of the gateway, the base of media paths. */
  readonly baseUri: string;
}

/**
 * Creates, funds, deploys and initializes the contract's account in one batch, without access keys. The code is
 * published once as a global contract, when the first deployment finds it missing, and used by its hash.
 */
export const contractDeployKind = kindOf<
  ContractDeployOperation,
  Publication,
  KindResults["contract_deploy"]
>({
  facts: (context, { id, request }) => publicationOf(context.db, Buffer.from(request.codeHash, "hex"), id),

  steps: () => ["deploy"],
  storage: null,

  remedy: (_request, publication) => deployRemedy(publication),

  transaction: async (context, { id, request }, step) => {
    const code = await contractCode();
    if (step === "publish") {
      if (!(await claimPublication(context.db, code.hash, id, context.now()))) return null;
      return {
        receiverId: request.platformId,
        actions: [{ kind: "deploy_global_contract", code: code.bytes }],
      };
    }
    return {
      receiverId: request.accountId,
      actions: [
        { kind: "create_account" },
        { kind: "transfer", deposit: request.funding },
        request.global
          ? { kind: "use_global_contract", codeHash: Buffer.from(request.codeHash, "hex") }
          : { kind: "deploy_contract", code: code.bytes },
        initialise({
          network_id: context.settings.NEAR_NETWORK,
          owner_id: request.ownerId,
          ...(request.adminId !== null && { admin_id: request.adminId }),
          platform_id: request.platformId,
          metadata: {
            spec: "nft-1.0.0",
            name: request.name,
            symbol: request.symbol,
            icon: null,
            base_uri: request.baseUri,
            reference: null,
            reference_hash: null,
          },
        }),
      ],
    };
  },

  effects: async (context, { id, request, subjectId }, { records }) => ({
    status: 201,
    body: {
      contract_uuid: subjectId,
      account_id: request.accountId,
      code_hash: request.codeHash,
      state: "ready",
      tx_results: [succeeded(records, "deploy").result],
    },
    statements: [setContractState(context.db, subjectId, "ready", { operationId: id, now: context.now() })],
  }),

  acceptedWith: async ({ db }, { request, subjectId, integrationId, createdAt }) => {
    await insertContract(db, {
      id: subjectId,
      integrationId,
      accountId: request.accountId,
      codeHash: Buffer.from(request.codeHash, "hex"),
      state: "deploying",
      createdAt,
      updatedAt: createdAt,
    });
  },

  onFailure: (context, { id, subjectId }) => [
    setContractState(context.db, subjectId, "failed", { operationId: id, now: context.now() }),
  ],
});

import { z } from "@hono/zod-openapi";
import { transactionView } from "./chain.ts";
import { accountIdField, instantField, textField } from "./fields.ts";

const NAME_LENGTH = 100;

const nameField = textField(NAME_LENGTH).min(1);

/** POST integration. */
export const integrationBody = z.strictObject({ name: nameField }).openapi("IntegrationInput");

/** POST key. */
export const keyBody = z
  .strictObject({
    name: nameField,
    role: z.enum(["full", "read"]).nullish(),
    expires_at: instantField.nullish().openapi({ description: "Absent or null: never." }),
  })
  .openapi("KeyInput")
  .transform(({ name, role, expires_at }) => ({
    name,
    role: role ?? ("full" as const),
    expires_at: expires_at ?? null,
  }));

/** POST contract. */
export const contractBody = z
  .strictObject({
    name: nameField.openapi({ description: "NEP-177 name of the contract." }),
    symbol: textField(20).min(1).openapi({ description: "NEP-177 symbol." }),
    admin_id: accountIdField.nullish().openapi({ description: "A further account that may administer it." }),
  })
  .openapi("ContractInput");

/** POST contract/adopt. */
export const adoptBody = z.strictObject({ account_id: accountIdField }).openapi("AdoptInput");

export const integrationView = z
  .object({
    integration_uuid: z.uuid(),
    name: z.string(),
    wallet_account_id: z.string().nullable(),
    wallet_public_key: z.string().nullable(),
    wallet_state: z.enum(["new", "creating", "ready"]),
    created_at: z.iso.datetime(),
  })
  .openapi("Integration");

/** What the operator gets when a wallet was made. */
export const walletCreatedView = z
  .object({
    integration_uuid: z.uuid(),
    wallet_account_id: z.string(),
    wallet_state: z.literal("ready"),
    tx_results: z.array(transactionView),
  })
  .openapi("WalletCreated");

const keyFields = {
  key_uuid: z.uuid(),
  name: z.string(),
  role: z.enum(["full", "read"]),
  prefix: z.string().openapi({ description: "The key's first characters, to tell keys apart." }),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
};

export const keyView = z.object(keyFields).openapi("Key");

export const issuedKeyView = z
  .object({ ...keyFields, api_key: z.string().openapi({ description: "Shown here and never again." }) })
  .openapi("IssuedKey");

export const contractView = z
  .object({
    contract_uuid: z.uuid(),
    account_id: z.string(),
    code_hash: z.string(),
    state: z.enum(["deploying", "ready", "failed"]),
    created_at: z.iso.datetime(),
  })
  .openapi("Contract");

/** What the operator gets when a contract was deployed. */
export const contractDeployedView = z
  .object({
    contract_uuid: z.uuid(),
    account_id: z.string(),
    code_hash: z.string(),
    state: z.literal("ready"),
    tx_results: z.array(transactionView),
  })
  .openapi("ContractDeployed");

const stuckFields = {
  operation_uuid: z.uuid(),
  step: z.string(),
  state: z.string(),
  transaction: z.union([transactionView, z.null()]),
};

export const stuckView = z
  .object({
    integration_uuid: z.uuid().nullable().openapi({ description: "null: the platform's own wallet." }),
    ...stuckFields,
  })
  .openapi("StuckTransaction");

export const walletView = z
  .object({
    state: z.enum(["empty", "prepared", "restored", "active"]).openapi({
      description: "empty: its object has no key and is to be restored; restored: it is to be activated.",
    }),
    account_id: z.string(),
    public_key: z.string(),
    balance: z.string().nullable().openapi({ description: "yoctoNEAR; null where no node answers." }),
    lanes: z.array(
      z.object({
        public_key: z.string(),
        kind: z.enum(["full_access", "function_call"]),
        open: z.int(),
      }),
    ),
    queued: z.int(),
    open: z.int(),
    stuck: z.array(z.object(stuckFields)).openapi({ description: "The first hundred." }),
  })
  .openapi("Wallet");

export const rotationView = z
  .object({
    version: z.int(),
    resealed: z.array(z.uuid()),
    failed: z.array(z.object({ integration_uuid: z.uuid(), message: z.string() })),
    remaining: z.int().openapi({ description: "Call again until it is 0, then drop the old secret." }),
  })
  .openapi("Rotation");

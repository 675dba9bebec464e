import { z } from "@hono/zod-openapi";
import { transactionView } from "../schemas/chain.ts";
import { accountIdField, instantField, textField } from "../schemas/fields.ts";
import { CODE_HASH, CONTRACT, PUBLIC_KEY, WALLET } from "../schemas/samples.ts";

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

/** POST operation/settle. */
export const settlementBody = z
  .strictObject({
    had_effect: z.boolean().openapi({
      description:
        "Whether the chain has what it was to do. Of a finalization that is looked up; a wallet or a contract is settled as false and made again.",
    }),
  })
  .openapi("SettlementInput");

export const integrationView = z
  .object({
    integration_uuid: z.uuid(),
    name: z.string().openapi({ example: "Heron shop" }),
    wallet_account_id: z.string().nullable().openapi({ example: WALLET }),
    wallet_public_key: z.string().nullable().openapi({ example: PUBLIC_KEY }),
    wallet_state: z.enum(["new", "creating", "ready"]).openapi({ example: "ready" }),
    created_at: z.iso.datetime(),
  })
  .openapi("Integration");

/** What the operator gets when a wallet was made. */
export const walletCreatedView = z
  .object({
    integration_uuid: z.uuid(),
    wallet_account_id: z.string().openapi({ example: WALLET }),
    wallet_state: z.literal("ready"),
    tx_results: z.array(transactionView),
  })
  .openapi("WalletCreated");

const keyFields = {
  key_uuid: z.uuid(),
  name: z.string().openapi({ example: "Shop server" }),
  role: z.enum(["full", "read"]),
  prefix: z.string().openapi({
    description: "The key's first characters, to tell keys apart.",
    example: "mk_live_4CQb",
  }),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
};

export const keyView = z.object(keyFields).openapi("Key");

export const issuedKeyView = z
  .object({
    ...keyFields,
    api_key: z.string().openapi({ description: "Shown here and never again.", example: "mk_live_…" }),
  })
  .openapi("IssuedKey");

const contractFields = {
  contract_uuid: z.uuid(),
  account_id: z.string().openapi({ example: CONTRACT }),
  code_hash: z.string().openapi({ example: CODE_HASH }),
  state: z.enum(["deploying", "ready", "failed"]).openapi({ example: "ready" }),
  created_at: z.iso.datetime(),
};

export const contractView = z.object(contractFields).openapi("Contract");

/** A contract among those of all integrations. */
export const ownedContractView = z
  .object({
    ...contractFields,
    integration_uuid: z.uuid(),
    is_current: z.boolean().openapi({
      description: "It runs the code of this release of the service; else it can be upgraded.",
    }),
  })
  .openapi("OwnedContract");

/** What the operator gets when a contract was deployed. */
export const contractDeployedView = z
  .object({
    contract_uuid: z.uuid(),
    account_id: z.string().openapi({ example: CONTRACT }),
    code_hash: z.string().openapi({ example: CODE_HASH }),
    state: z.literal("ready"),
    tx_results: z.array(transactionView),
  })
  .openapi("ContractDeployed");

const stuckFields = {
  operation_uuid: z.uuid(),
  step: z.string().openapi({ example: "mint" }),
  state: z.string().openapi({
    description:
      "`unknown`: it can't be proven; `queued`, `open`: for two minutes or longer; `wallet_inactive`: it waits for its wallet to be restored or activated; `behind`: the database lacks it and is to be recovered.",
    example: "unknown",
  }),
  transaction: z.union([transactionView, z.null()]),
};

export const stuckView = z
  .object({
    integration_uuid: z.uuid().nullable().openapi({ description: "null: the platform's own wallet." }),
    ...stuckFields,
  })
  .openapi("StuckTransaction");

/** What a wallet's object may be; it signs while it is active. */
export const WALLET_STATES = ["empty", "prepared", "restored", "behind", "locked_out", "active"] as const;

export const walletView = z
  .object({
    state: z.enum(WALLET_STATES).openapi({
      description:
        "empty: its object has no key and is to be restored; restored: it is to be activated; behind: the database is older than its journal and is to be recovered; locked_out: its key is not on its account and is to be added.",
      example: "active",
    }),
    account_id: z.string().openapi({ example: WALLET }),
    public_key: z.string().openapi({ example: PUBLIC_KEY }),
    balance: z.string().nullable().openapi({
      description: "yoctoNEAR; null where no node answers.",
      example: "4871520000000000000000000",
    }),
    lanes: z.array(
      z.object({
        public_key: z.string().openapi({ example: PUBLIC_KEY }),
        kind: z.enum(["full_access", "function_call"]),
        open: z.int().openapi({ example: 0 }),
      }),
    ),
    queued: z.int().openapi({ example: 0 }),
    open: z.int().openapi({ example: 0 }),
    stuck: z.array(z.object(stuckFields)).openapi({ description: "The first hundred.", example: [] }),
  })
  .openapi("Wallet");

export const rotationView = z
  .object({
    version: z.int().openapi({ example: 2 }),
    resealed: z.array(z.uuid()),
    failed: z.array(z.object({ integration_uuid: z.uuid(), message: z.string() })).openapi({ example: [] }),
    remaining: z.int().openapi({
      description: "Call again until it is 0, then drop the old secret.",
      example: 0,
    }),
  })
  .openapi("Rotation");

import { z } from "@hono/zod-openapi";
import { accountIdField, accountIdOrNull, instantField, textField } from "../schemas/fields.ts";
import { pageQuery } from "../schemas/pages.ts";

const NAME_LENGTH = 100;

const nameField = textField(NAME_LENGTH).min(1);

/** POST integration. */
export const integrationBody = z.strictObject({ name: nameField }).openapi("IntegrationInput");

/** PUT integration. */
export const integrationChanges = z
  .strictObject({
    name: nameField.optional(),
    suspended: z.boolean().optional().openapi({
      description:
        "true: its keys are refused everywhere within five seconds. false: they are accepted again.",
    }),
  })
  .openapi("IntegrationChanges");

const yes = z.literal("true", "Give true, or leave it out.");

/** Which integrations are listed. */
export const integrationsQuery = pageQuery.extend({
  name: nameField.optional().openapi({ description: "Only those with exactly this name." }),
  deleted: yes.optional().openapi({ description: "Deleted integrations instead of the others." }),
});

/** Which of an integration's contracts are listed, and with what. */
export const contractsQuery = pageQuery.extend({
  roles: yes.optional().openapi({
    description: "With each contract's roles, which are read from the chain. A page has at most 50 then.",
  }),
});

/** Which of all contracts are listed. */
export const everyContractQuery = pageQuery.extend({
  account_id: accountIdField.optional().openapi({ param: { description: "Only the one at this account." } }),
});

/** DELETE integration. */
export const deletionQuery = z.strictObject({
  leave_funds: yes.optional().openapi({ description: "Delete it even if its wallet has money left." }),
});

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

/** PUT payout-account. */
export const payoutAccountBody = z
  .strictObject({
    account_id: accountIdOrNull("null: no account; nothing is paid out."),
  })
  .openapi("PayoutAccountInput");

/** POST contract. */
export const contractBody = z
  .strictObject({
    name: nameField.openapi({ description: "NEP-177 name of the contract." }),
    symbol: textField(20).min(1).openapi({ description: "NEP-177 symbol." }),
    admin_id: accountIdField.nullish().openapi({ description: "Another account that may administer it." }),
  })
  .openapi("ContractInput");

/** POST contract/adopt. */
export const adoptBody = z.strictObject({ account_id: accountIdField }).openapi("AdoptInput");

/** POST contract/hand-over. */
export const handOverBody = z
  .strictObject({
    account_id: accountIdOrNull("The next owner; null withdraws a proposal."),
    keep_admin: z.boolean().optional().openapi({
      description:
        "Whether the integration's wallet stays an admin, so that the service can still mint. Absent: true. False removes the role at once.",
    }),
  })
  .openapi("HandOverInput");

/** POST operation/settle. */
export const settlementBody = z
  .strictObject({
    had_effect: z.boolean().openapi({
      description:
        "Whether the chain has the operation's effect. For a finalization the service checks it. For the creation of a wallet or contract, send false and repeat the creation.",
    }),
  })
  .openapi("SettlementInput");

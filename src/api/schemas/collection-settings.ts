import { z } from "@hono/zod-openapi";
import type { DraftRequest } from "../../domain/requests.ts";
import type { DraftSettings, SettingsChanges } from "../../domain/settings.ts";
import {
  accountListField,
  initialRoyaltiesField,
  linesField,
  mintConfigChangesField,
  mintConfigField,
  ongoingRoyaltiesField,
  parseInstant,
  referenceField,
  textField,
  uuidField,
} from "./fields.ts";

const title = textField(256).min(1);

/** An RFC 3339 time in UTC, or whether at all. */
const revealField = z
  .union([
    z.boolean(),
    z
      .string()
      .transform((text, context) => {
        const time = parseInstant(text);
        if (time !== null) return time.toISOString();
        context.addIssue({
          code: "custom",
          message: "Give true, false, or a time such as 2030-12-24T18:00:00Z.",
        });
        return z.NEVER;
      })
      .openapi({ format: "date-time" }),
  ])
  .openapi({
    description:
      "Whether the collection's assets are hidden until they are revealed; a time also has the schedule reveal them then. " +
      "NFTs show the draft's asset_placeholder meanwhile.",
    example: true,
  });

/** Every field but the title may be left out or null, which mean the same when something is created. */
const optionalFields = {
  description: linesField(1024).nullish(),
  public_mint_config: mintConfigField.nullish(),
  private_mint_config: mintConfigField.nullish(),
  bypass_mint_fee_accounts: accountListField.nullish(),
  initial_royalties: initialRoyaltiesField.nullish(),
  ongoing_royalties: ongoingRoyaltiesField.nullish(),
  allow_approvals: z.boolean().nullish(),
  approvals_allowed_accounts: accountListField.nullish(),
  approvals_denied_accounts: accountListField.nullish(),
  allow_transfers: z.boolean().nullish(),
  transfers_denied_accounts: accountListField.nullish(),
};

/** Fields that can be changed. Absent ones are unchanged, also within a mint config. */
const changedFields = {
  title: title.optional(),
  ...optionalFields,
  public_mint_config: mintConfigChangesField.nullish(),
  private_mint_config: mintConfigChangesField.nullish(),
};

/** The default of each field, which null restores. */
const EMPTY: Omit<DraftSettings, "title"> = {
  description: null,
  public_mint_config: null,
  private_mint_config: null,
  bypass_mint_fee_accounts: [],
  initial_royalties: {},
  ongoing_royalties: {},
  allow_approvals: true,
  approvals_allowed_accounts: null,
  approvals_denied_accounts: null,
  allow_transfers: true,
  transfers_denied_accounts: null,
  reveal: false,
};

/** The fields that are present, with null converted to its meaning. */
const present = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value ?? EMPTY[name as keyof typeof EMPTY]]),
  );

export const draftBody = z
  .strictObject({ contract_uuid: uuidField, title, ...optionalFields, reveal: revealField.nullish() })
  .openapi("CollectionDraftInput")
  .transform((body) => ({ ...EMPTY, ...present(body) }) as unknown as DraftRequest);

/** PUT collection: absent fields stay, null clears. */
export const collectionChangesBody = z
  .strictObject({ ...changedFields, reference: referenceField })
  .openapi("CollectionChanges")
  .transform(({ reference, ...body }) => ({ ...(present(body) as SettingsChanges), reference }));

/** PUT collection-draft: the same, and the contract may be another. */
export const draftChangesBody = z
  .strictObject({ contract_uuid: uuidField.optional(), ...changedFields, reveal: revealField.nullish() })
  .openapi("CollectionDraftChanges")
  .transform((body) => present(body) as SettingsChanges & { contract_uuid?: string });

import { z } from "@hono/zod-openapi";
import type { DraftRequest } from "../../domain/requests.ts";
import {
  changedSettings,
  type DraftSettings,
  phaseConflicts,
  type SettingsChanges,
} from "../../domain/settings.ts";
import {
  accountListField,
  initialRoyaltiesField,
  linesField,
  mintConfigChangesField,
  mintConfigField,
  ongoingRoyaltiesField,
  parseInstant,
  phasesField,
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
      "Whether the collection's assets are hidden until they are revealed; a time also has the schedule reveal them then. At finalization the time must be in the future. " +
      "NFTs show the draft's asset_placeholder meanwhile.",
    example: true,
  });

/** Every field but the title may be left out or null, which mean the same when something is created. */
const optionalFields = {
  description: linesField(1024).nullish(),
  public_mint_config: mintConfigField.nullish(),
  private_mint_config: mintConfigField.nullish(),
  phases: phasesField.nullish().openapi({
    description:
      "Phases of mints from wallets, each with its own allowlist, price, currency, window and limits. public_mint_config and private_mint_config are the phases 2 and 1 in NEAR: give each of these here or there.",
  }),
  bypass_mint_fee_accounts: accountListField.nullish(),
  initial_royalties: initialRoyaltiesField.nullish(),
  ongoing_royalties: ongoingRoyaltiesField.nullish(),
  allow_approvals: z.boolean().nullish(),
  approvals_allowed_accounts: accountListField.nullish(),
  approvals_denied_accounts: accountListField.nullish(),
  allow_transfers: z.boolean().nullish(),
  transfers_denied_accounts: accountListField.nullish(),
};

/** Refuses a phase that is given in two fields. @param nullCounts whether null is a change */
const givenOnce =
  (nullCounts: boolean) =>
  (body: object, context: z.RefinementCtx): void => {
    const given = Object.entries(body).filter(([, value]) => nullCounts || value !== null);
    for (const { path, message } of phaseConflicts(Object.fromEntries(given) as SettingsChanges)) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
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

const MEANING_OF_NULL = { ...EMPTY, phases: [] };

/** The fields that are present, with null converted to its meaning. */
const present = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value ?? MEANING_OF_NULL[name as keyof typeof MEANING_OF_NULL]]),
  );

export const draftBody = z
  .strictObject({ contract_uuid: uuidField, title, ...optionalFields, reveal: revealField.nullish() })
  .superRefine(givenOnce(false))
  .openapi("CollectionDraftInput")
  .transform(({ phases, ...body }) => {
    const settings = { ...EMPTY, ...present(body) } as unknown as DraftRequest;
    if (!phases) return settings;
    const { public_mint_config: open, private_mint_config: listed } = settings;
    const configs = {
      ...(open && { public_mint_config: open }),
      ...(listed && { private_mint_config: listed }),
    };
    return { ...settings, ...changedSettings(settings, { phases, ...configs }) };
  });

/** PUT collection: absent fields stay, null clears. */
export const collectionChangesBody = z
  .strictObject({ ...changedFields, reference: referenceField })
  .superRefine(givenOnce(true))
  .openapi("CollectionChanges")
  .transform(({ reference, ...body }) => ({ ...(present(body) as SettingsChanges), reference }));

/** PUT collection-draft: the same, and the contract may be another. */
export const draftChangesBody = z
  .strictObject({ contract_uuid: uuidField.optional(), ...changedFields, reveal: revealField.nullish() })
  .superRefine(givenOnce(true))
  .openapi("CollectionDraftChanges")
  .transform((body) => present(body) as SettingsChanges & { contract_uuid?: string });

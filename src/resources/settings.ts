import { z } from "@hono/zod-openapi";

const mintConfigView = z
  .object({
    mint_fee: z.string().openapi({ example: "1000000000000000000000000" }),
    starts_at: z.string().nullable().openapi({ example: "2026-12-24T18:00:00.000Z" }),
    ends_at: z.string().nullable(),
    limit_per_account: z.int().nullable().openapi({ example: 5 }),
  })
  .openapi("MintConfig");

const royaltiesView = z
  .record(z.string(), z.number())
  .openapi("Royalties", { example: { "alice.near": 12.5 } });

const ANY_ACCOUNTS = { example: [] };

/** The settings as drafts and collections show them: complete. */
export const settingsView = {
  title: z.string().openapi({ example: "Night Herons" }),
  description: z.string().nullable().openapi({ example: "Twelve herons, painted after dark." }),
  public_mint_config: z.union([mintConfigView, z.null()]),
  private_mint_config: z.union([mintConfigView, z.null()]),
  bypass_mint_fee_accounts: z.array(z.string()).openapi(ANY_ACCOUNTS),
  initial_royalties: royaltiesView,
  ongoing_royalties: royaltiesView,
  allow_approvals: z.boolean(),
  approvals_allowed_accounts: z.array(z.string()).nullable(),
  approvals_denied_accounts: z.array(z.string()).nullable(),
  allow_transfers: z.boolean(),
  transfers_denied_accounts: z.array(z.string()).nullable(),
};

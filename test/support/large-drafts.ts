import { env } from "cloudflare:workers";
import { isUuid, uuidToBytes } from "../../src/domain/ids.ts";
import { api, bodyOf, type TestIntegration } from "./api.ts";

/** A draft's assets in SQL. */
interface LargeDraft {
  readonly assets: number;
  /** Makes the files of each draft different. */
  readonly first: number;
  /** SQL with the asset's `position`. */
  readonly subtitle: string;
  readonly references: boolean;
  /** Copies of each. Default: 1. */
  readonly copies?: number;
}

/** Long subtitles of four bytes a character: 1,500 assets with them make two batches. */
export const LONG_SUBTITLES = {
  subtitle: "replace(printf('%0240d', position), '0', '🪶')",
  references: false,
} as const;

/** Writes a draft with many assets straight into the tables. Other tests cover the upload. */
export async function largeDraft(
  { key, contractUuid }: Pick<TestIntegration, "key" | "contractUuid">,
  { assets, first, subtitle, references, copies = 1 }: LargeDraft,
): Promise<string> {
  const { collection_draft_uuid: uuid } = await bodyOf<{ collection_draft_uuid: string }>(
    await api("/collection-draft", {
      key,
      json: { contract_uuid: contractUuid, title: "Ten thousand herons" },
    }),
    201,
  );
  if (!isUuid(uuid)) throw new Error("no UUID");
  const numbers = `WITH RECURSIVE numbers(position) AS (
    SELECT 0 UNION ALL SELECT position + 1 FROM numbers WHERE position + 1 < ?1)`;
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} INSERT INTO blobs (sha256, size, media_type, created_at)
       SELECT unhex(printf('%064x', ?2 + position)), 1000, 'image/png', 0 FROM numbers`,
    ).bind(assets * 2, first),
    env.DB.prepare(
      `${numbers} INSERT INTO draft_assets (id, draft_id, position, filename, sha256, reference_filename,
         reference_sha256, subtitle, copies, created_at)
       SELECT unhex('01900000000070008000' || printf('%012x', ?2 + position)), ?3, position, position || '.png', unhex(printf('%064x', ?2 + position)),
         ${references ? "position || '.json', unhex(printf('%064x', ?2 + ?1 + position))" : "NULL, NULL"}, ${subtitle}, ${copies}, 0 FROM numbers`,
    ).bind(assets, first, uuidToBytes(uuid)),
  ]);
  return uuid;
}

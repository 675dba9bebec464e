import type { MintageClient } from "../../client/src/index.ts";
import { cellProblem, type RowProblem } from "../csv.ts";

/** The uuids of a draft's assets by these names: file names or uuids. Those that it lacks are left out. */
export async function assetUuids(
  client: MintageClient,
  draftUuid: string,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const uuids = new Map<string, string>();
  if (wanted.size === 0) return uuids;
  for await (const { asset_uuid: uuid, asset_filename: filename } of client.drafts.assets(draftUuid)) {
    if (wanted.has(filename)) uuids.set(filename, uuid);
    if (wanted.has(uuid)) uuids.set(uuid, uuid);
  }
  return uuids;
}

/**
 * The assets that rows name by file name or uuid, with their uuids.
 * @param name of the file of rows, as problems name it
 */
export async function assetsOf(
  client: MintageClient,
  { draftUuid, name }: { readonly draftUuid: string; readonly name: string },
  rows: readonly { readonly line: number; readonly asset?: string }[],
): Promise<{ readonly uuids: ReadonlyMap<string, string>; readonly problems: readonly RowProblem[] }> {
  const uuids = await assetUuids(client, draftUuid, new Set(rows.flatMap(({ asset }) => asset ?? [])));
  const problems = rows.flatMap(({ line, asset }) =>
    asset === undefined || uuids.has(asset)
      ? []
      : [cellProblem(name, line, asset, "give the file name or the uuid of an asset of the collection")],
  );
  return { uuids, problems };
}

import type { MintageClient } from "../../client/src/index.ts";
import { cellProblem, type RowProblem } from "../csv.ts";
import type { Receiver } from "./receivers.ts";

/**
 * The assets that rows name by file name or uuid, with their uuids.
 * @param name of the receivers' file, as problems name it
 */
export async function assetsOf(
  client: MintageClient,
  { draftUuid, name }: { readonly draftUuid: string; readonly name: string },
  receivers: readonly Receiver[],
): Promise<{ readonly uuids: ReadonlyMap<string, string>; readonly problems: readonly RowProblem[] }> {
  const uuids = new Map<string, string>();
  const wanted = new Set(receivers.flatMap(({ asset }) => asset ?? []));
  if (wanted.size === 0) return { uuids, problems: [] };
  for await (const { asset_uuid: uuid, asset_filename: filename } of client.drafts.assets(draftUuid)) {
    if (wanted.has(filename)) uuids.set(filename, uuid);
    if (wanted.has(uuid)) uuids.set(uuid, uuid);
  }
  const problems = receivers.flatMap(({ line, asset }) =>
    asset === undefined || uuids.has(asset)
      ? []
      : [cellProblem(name, line, asset, "give the file name or the uuid of an asset of the collection")],
  );
  return { uuids, problems };
}

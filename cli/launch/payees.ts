import { ApiError, type MintageClient } from "../../client/src/index.ts";
import { accountAdvice, UsageError } from "../command.ts";
import type { CheckedFolder } from "./folder.ts";

/**
 * Makes sure, before anything is uploaded, that the accounts which get shares exist on the chain: asked what its
 * finalization would cost, the service looks at them first.
 * @throws UsageError that names each that doesn't, by its field
 */
export async function requirePayees(
  { client, checked }: { readonly client: MintageClient; readonly checked: CheckedFolder },
  draftUuid: string,
): Promise<void> {
  const { initial_royalties: sales, ongoing_royalties: resales } = checked.file.draft;
  const named = { sales: Object.keys(sales ?? {}), resales: Object.keys(resales ?? {}) };
  if (named.sales.length + named.resales.length === 0) return;
  try {
    await client.quote({ method: "POST", path: `/collection-draft/${draftUuid}/finalize` });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // What else there is to say about the draft, its finalization says: that it has no assets yet, for one.
    if (error.code !== "unknown_account") return;
    const unknown = new Set(error.issues.map(({ path }) => String(path.at(-1))));
    const problems = (["sales", "resales"] as const).flatMap((kind) =>
      named[kind]
        .filter((account) => unknown.has(account))
        .map(
          (account) =>
            `${checked.settingsName} royalties.${kind}.${account}: there is no such account on the chain.`,
        ),
    );
    throw new UsageError(
      `${problems.join("\n")}\nCreate it or correct its id, and run it again. Nothing was uploaded.${accountAdvice()}`,
    );
  }
}

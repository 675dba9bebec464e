import { join } from "node:path";
import type { DemoIntegration } from "./demo-integration.ts";
import { ROOT } from "./local-settings.ts";

/**
 * Three lines for a shell that make a first collection: draft, upload, finalize. The draft's uuid is kept in a
 * variable of the shell, so that each works as it is pasted. sh, bash and zsh read them alike.
 */
export function firstCollection(
  url: string,
  { apiKey, contractUuid }: DemoIntegration,
): [string, string, string] {
  const api = `${url}/api/v1/collection-draft`;
  const key = `-H 'Authorization: Api-Key ${apiKey}'`;
  const draft = JSON.stringify({ contract_uuid: contractUuid, title: "My first collection" });
  const details = JSON.stringify([
    { asset_filename: "0.png", reference_filename: "0.json", copies: 5, asset_subtitle: "#$TOKEN_NUM" },
    { asset_filename: "1.jpg", copies: 5, asset_subtitle: "#$TOKEN_NUM" },
  ]);
  const file = (part: string, name: string) => `-F '${part}=@${join(ROOT, "cli", "pictures", name)}'`;
  return [
    `ANSWER=$(curl -sS '${api}' ${key} -H 'Content-Type: application/json' -d '${draft}'); printf '%s\\n' "$ANSWER"; ` +
      `DRAFT=$(printf '%s' "$ANSWER" | sed -E 's/.*"collection_draft_uuid":"([^"]+)".*/\\1/')`,
    `curl -sSw '\\n' "${api}/$DRAFT/asset-bulk" ${key} ${file("asset_file", "0.png")} ${file("asset_file", "1.jpg")} ` +
      `${file("reference_file", "0.json")} -F 'assets_detail=${details}'`,
    `curl -sSw '\\n' -X POST "${api}/$DRAFT/finalize" ${key}`,
  ];
}

import { createDraft } from "../../collections/drafts.ts";
import { show } from "../../http/typed-response.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { draftView } from "../resources/draft.ts";
import { draftBody } from "../schemas/collection-settings.ts";

export const draftsCreate = endpoint(
  {
    method: "post",
    path: "/collection-draft",
    operationId: "createCollectionDraft",
    tag: "Collection drafts",
    summary: "Create a collection draft",
    description:
      "A draft is off-chain and free. Attach assets to it, then finalize it to create the collection.",
    request: {
      body: jsonBody(draftBody, {
        contract_uuid: "0198d3c1-6f3e-7c55-9d2b-3a1f0e6b7c11",
        title: "Night Herons",
        description: "Twelve herons, painted after dark.",
        public_mint_config: { mint_fee: "1000000000000000000000000", limit_per_account: 5 },
        initial_royalties: { "alice.near": 60, "bob.near": 12.5 },
        ongoing_royalties: { "alice.near": 5 },
      }),
    },
    success: { 201: json("The draft.", draftView) },
  },
  async (c, { body }) => show(c, await createDraft(c.get("context"), c.get("caller"), body), 201),
);

import { picture } from "../../testing/pictures.ts";
import { api, bodyOf, type TestIntegration, whenReachable } from "./api.ts";
import type { Finalized } from "./collections.ts";

/** An asset of a hidden collection: what a stranger must not learn before the reveal. */
export interface SecretAsset {
  readonly asset_uuid: string;
  readonly asset_filename: string;
  readonly asset_cid: string;
  readonly reference_filename: string;
  readonly reference_cid: string;
  readonly asset_subtitle: string;
}

interface HiddenDraft {
  readonly draft: string;
  readonly assets: readonly SecretAsset[];
  readonly placeholder: string;
}

let seed = 5_000;

const describing = (name: string) => ({ name, attributes: [{ trait_type: "Name", value: name }] });

/** A draft that hides its assets, each with a reference file and a subtitle, with its placeholder. */
export const createHiddenDraft = async (
  { key, contractUuid }: TestIntegration,
  {
    copies,
    reveal = true,
    settings = {},
    subtitles = [],
  }: {
    readonly copies: readonly number[];
    readonly reveal?: boolean | string;
    readonly settings?: object;
    /** Of the assets, instead of their names. */
    readonly subtitles?: readonly string[];
  },
): Promise<HiddenDraft> => {
  const json = { contract_uuid: contractUuid, title: "Hidden herons", reveal, ...settings };
  const { collection_draft_uuid: draft } = await bodyOf<{ collection_draft_uuid: string }>(
    await api("/collection-draft", { key, json }),
    201,
  );
  const form = new FormData();
  const details = copies.map((count, index) => {
    const name = `secret-${++seed}`;
    form.append("asset_file", new File([picture("png", seed)], `${name}.png`));
    form.append("reference_file", new File([JSON.stringify(describing(name))], `${name}.json`));
    return {
      asset_filename: `${name}.png`,
      reference_filename: `${name}.json`,
      copies: count,
      asset_subtitle: subtitles[index] ?? `named ${name}`,
    };
  });
  form.append("assets_detail", JSON.stringify(details));
  const path = `/collection-draft/${draft}`;
  const assets = await bodyOf<SecretAsset[]>(await api(`${path}/asset-bulk`, { key, form }), 201);
  return { draft, assets, placeholder: await setPlaceholder(key, draft) };
};

/** Gives a draft its placeholder. @returns its CID */
const setPlaceholder = async (key: string, draft: string): Promise<string> => {
  const form = new FormData();
  form.append("asset_placeholder", new File([picture("png", ++seed)], "egg.png"));
  await bodyOf(await api(`/collection-draft/${draft}/asset-bulk`, { key, form }), 201);
  const { asset_placeholder: shown } = await bodyOf<{ asset_placeholder: { asset_cid: string } }>(
    await api(`/collection-draft/${draft}`, { key }),
    200,
  );
  return shown.asset_cid;
};

export const finalizeDraft = (key: string, draft: string): Promise<Response> =>
  api(`/collection-draft/${draft}/finalize`, { key, method: "POST" });

/** A collection that hides its assets. */
export const createHidden = async (
  integration: TestIntegration,
  options: Parameters<typeof createHiddenDraft>[1],
): Promise<HiddenDraft & { readonly collection: Finalized }> => {
  const draft = await createHiddenDraft(integration, options);
  const finalized = await whenReachable(() => finalizeDraft(integration.key, draft.draft));
  return { ...draft, collection: await bodyOf(finalized, 201) };
};

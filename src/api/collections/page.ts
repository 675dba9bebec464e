import { show } from "../../http/answered.ts";
import { collectionPageView } from "../../resources/collection-page.ts";
import { changePage, readPage } from "../../showcase/settings.ts";
import { endpoint, json, jsonBody } from "../endpoint.ts";
import { collectionPageBody } from "../schemas/collection-page.ts";
import { collectionParam } from "../schemas/parameters.ts";

const PATH = "/collection/{collection_uuid}/page";

export const pageRead = endpoint(
  {
    method: "get",
    path: PATH,
    operationId: "getCollectionPage",
    tag: "Collections",
    summary: "Read how a collection is shown to collectors",
    request: { params: collectionParam },
    success: { 200: json("The page.", collectionPageView) },
  },
  async (c, { params }) => show(c, await readPage(c.get("context"), c.get("caller"), params.collection_uuid)),
);

export const pageUpdate = endpoint(
  {
    method: "put",
    path: PATH,
    operationId: "updateCollectionPage",
    tag: "Collections",
    summary: "Show a collection to collectors, with a mint page and a gallery",
    description:
      "`slug` and `enabled` are needed each time; of the others, absent ones stay and null clears. The pages are at `/m/{slug}` and `/g/{slug}` of this service as long as `enabled` is true, and need no key. docs/pages.md explains them.",
    request: {
      params: collectionParam,
      body: jsonBody(collectionPageBody, {
        slug: "night-herons",
        theme: { accent: "#1f6f54" },
        links: [{ label: "The artist", url: "https://example.com" }],
        enabled: true,
      }),
    },
    success: { 200: json("The page as it is now.", collectionPageView) },
    errors: ["conflict"],
  },
  async (c, { params, body }) =>
    show(c, await changePage(c.get("context"), c.get("caller"), params.collection_uuid, body)),
);

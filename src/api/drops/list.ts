import { readableOf } from "../../collections/collection-target.ts";
import { toSummary } from "../../collections/drops.ts";
import { cursorNumber } from "../../domain/cursors.ts";
import { list } from "../endpoint.ts";
import { type DropSummary, dropSummaryView } from "../resources/drop.ts";
import { collectionParam } from "../schemas/parameters.ts";

const VIEW_PAGE = 100;
const MOST_VIEWS = 10;

export const dropsList = list(
  {
    path: "/collection/{collection_uuid}/drop",
    operationId: "listDrops",
    scope: "read",
    tag: "Claim links",
    summary: "List a collection's claim drops, from the chain",
    description:
      "Those that were closed are gone. A page may have fewer entries than `limit`, or none, and still have a next one.",
    params: collectionParam,
    entries: ["The drops, oldest first.", dropSummaryView],
    errors: ["conflict", "chain_unavailable"],
  },
  // The contract lists the drops of all collections together: a page may have fewer than the limit, and a next one.
  async ({ context, caller, params: { collection_uuid: collectionUuid } }, cursor, limit) => {
    const collection = await readableOf(context, caller, collectionUuid);
    const { contract, collectionId, views } = collection;
    const items: DropSummary[] = [];
    const home = { collectionUuid, contract, shown: await views.collection(collectionId) };
    let position = cursorNumber(cursor);
    for (let calls = 0; calls < MOST_VIEWS; calls++) {
      const page = await views.drops(position, VIEW_PAGE);
      for (const [index, drop] of page.entries()) {
        if (items.length === limit) return { items, next: String(position + index) };
        if (drop?.collection_id === collectionId) items.push(toSummary(drop, home));
      }
      position += page.length;
      if (page.length < VIEW_PAGE) return { items, next: null };
    }
    return { items, next: String(position) };
  },
);

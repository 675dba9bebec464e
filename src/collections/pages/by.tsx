import type { PublicCollection } from "../../api/resources/public-collection.ts";

type Made = Pick<PublicCollection, "creator" | "contract_name">;

/** Who has made a collection: as its pages say, or the name of the contract. */
export const makerOf = ({ creator, contract_name: contract }: Made): string => creator?.name ?? contract;

/** Who has made it. */
export const By = (collection: Made) => {
  const { creator } = collection;
  const name = <bdi>{makerOf(collection)}</bdi>;
  return (
    <p class="by">
      {creator?.picture_url && <img src={creator.picture_url} alt="" width="48" height="48" />}
      <span>
        <span class="soft">By </span>
        {creator?.url ? (
          <a href={creator.url} rel="noopener nofollow">
            {name}
          </a>
        ) : (
          name
        )}
      </span>
    </p>
  );
};

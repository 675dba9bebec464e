import type { PublicCollection } from "../../api/resources/public-collection.ts";

/** Who has made it: as the page says, or the name of the contract. */
export const By = ({
  creator,
  contract_name: contract,
}: Pick<PublicCollection, "creator" | "contract_name">) => {
  const name = <bdi>{creator?.name ?? contract}</bdi>;
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

import type {
  PublicCollection,
  PublicToken,
  PublicTokenDetail,
} from "../../api/resources/public-collection.ts";
import { isolated } from "../../domain/texts.ts";
import { Frame, type Setting } from "./frame.tsx";
import { choice, nameOf } from "./gallery.tsx";
import { Media } from "./media.tsx";

interface TokenProps {
  readonly setting: Setting;
  readonly collection: PublicCollection;
  readonly token: PublicTokenDetail;
}

const Transaction = ({ hash, explorer }: { hash: string; explorer: string | null }) =>
  explorer === null ? (
    <code>{hash}</code>
  ) : (
    <a href={explorer} rel="noopener">
      <code>{hash}</code>
    </a>
  );

/** The chain's data of an NFT, with which anyone can verify its picture. */
const Proof = ({
  collection: { contract_address: contract, network },
  token,
}: Omit<TokenProps, "setting">) => (
  <dl class="proof">
    <dt>Contract and token, on {network}</dt>
    <dd>
      <code>{contract}</code>, <code>{token.token_id}</code>
    </dd>
    {token.media_hash && (
      <>
        <dt>SHA-256 of the file, as the contract keeps it</dt>
        <dd>
          <code>{token.media_hash}</code>
        </dd>
      </>
    )}
    {token.media_cid && (
      <>
        <dt>The file on IPFS</dt>
        <dd>
          <a href={token.media_url ?? ""}>
            <code>{token.media_cid}</code>
          </a>
        </dd>
      </>
    )}
    {token.reference_url && (
      <>
        <dt>Its metadata on IPFS</dt>
        <dd>
          <a href={token.reference_url}>
            <code>{token.reference_url.split("/").at(-1)}</code>
          </a>
        </dd>
      </>
    )}
    {token.transaction_hash && (
      <>
        <dt>Transaction that minted it</dt>
        <dd>
          <Transaction hash={token.transaction_hash} explorer={token.explorer_url} />
        </dd>
      </>
    )}
  </dl>
);

const Traits = ({ slug, traits }: { slug: string; traits: PublicToken["traits"] }) => (
  <>
    <h2>Traits</h2>
    <dl>
      {traits.map(({ type, value }) => (
        <>
          <dt>{type}</dt>
          <dd>
            <a href={`/g/${slug}?${new URLSearchParams({ trait: choice(type, value) })}`}>{value}</a>
          </dd>
        </>
      ))}
    </dl>
  </>
);

export const TokenDetail = ({ setting, collection, token }: TokenProps) => {
  const name = nameOf(token);
  const { slug, title } = collection;
  const path = `/g/${slug}/${token.number}`;
  return (
    <Frame
      setting={setting}
      title={`${name === title ? `No. ${token.number}` : isolated(name)} · ${isolated(title)}`}
      collection={collection}
      head={{ description: token.description, image: token.media_url, path }}
    >
      <div class="two">
        <Media
          base={setting.base}
          url={token.media_url}
          type={token.media_type}
          alt={`Picture of ${name}`}
          eager
        />
        <div>
          <h1>{name}</h1>
          {token.description && <p class="text">{token.description}</p>}
          <p>
            Owned by <a href={`/g/${slug}?owner=${encodeURIComponent(token.owner_id)}`}>{token.owner_id}</a>
          </p>
          {token.rarity_rank !== null && <p>Rarity rank {token.rarity_rank}</p>}
          {token.traits.length > 0 && <Traits slug={slug} traits={token.traits} />}
          <h2>Proof</h2>
          <Proof collection={collection} token={token} />
        </div>
      </div>
    </Frame>
  );
};

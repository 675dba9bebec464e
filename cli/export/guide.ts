import type { Collection } from "../../client/src/index.ts";
import { counted } from "../table.ts";

/** What the guide tells of. */
export interface Exported {
  readonly collection: Collection;
  readonly network: string;
  readonly tokens: number;
  /** CIDs of files that NFTs have of their own, which the collection's directory lacks. */
  readonly ownFiles: readonly string[];
  /** CIDs of files that NFTs name and that the service doesn't have. */
  readonly missing: readonly string[];
  readonly blockHeight: number;
  readonly blockHash: string;
}

/** The page that says what an export holds, and how to continue without the service. */
export const guideText = ({
  collection,
  network,
  tokens,
  ownFiles,
  missing,
  blockHeight,
  blockHash,
}: Exported): string => `# ${collection.title}

Collection ${collection.collection_id} of the contract ${collection.contract_address} on ${network}: ${counted(tokens, "token")} of ${counted(collection.total_copies, "copy", "copies")}.

| file | holds |
| --- | --- |
| \`files.car\` | all pictures and metadata, as IPFS blocks below ${collection.ipfs_root_cid}${ownFiles.length === 0 ? "" : `, and below the CIDs of files that NFTs have of their own (${ownFiles.length})`} |
| \`settings.json\` | the collection as the service shows it: prices, times, royalties, rules |
| \`tokens.jsonl\` | every token, a line of JSON each: id, owner, title, hashes and addresses of its files, and the \`reference\` of its mint's request; null: it had none, or came during the export |
| \`holders.json\` | who holds how many, at block ${blockHeight} (${blockHash}) |
| \`transactions.jsonl\` | every transaction that the service sent to the contract |

## Going on without this service

What people own is on the chain: tokens, owners, royalties and rules stay as they are, whoever runs what. Two things depend on
a service: the addresses of pictures, and who signs for the contract.

1. **Keep the pictures.** Import the CAR wherever IPFS content is kept, and pin it:
   \`ipfs dag import --pin-roots files.car\`. Every file has the same CID there.${missingText(missing)}
2. **Let the addresses lead there.** The contract's \`base_uri\` is the service's gateway, and each token's \`media\` is a path below
   it. Have that host serve the same paths, by any IPFS gateway, or by the redirect \`/ipfs/*\` to a public gateway such as
   \`https://ipfs.io/ipfs/*\`.
3. **Mint and change settings.** The contract's owner and its admins may do both from any NEAR wallet or CLI, without this service.
   The owner is the service's wallet for you. Ask its operator to hand the contract over to your account while it runs
   (\`npm run admin -- contract hand-over\`), and accept it by calling \`owner_accept\` with one yoctoNEAR.
   Public and allowlist mints from wallets (\`nft_mint\` with \`{"collection_id":${collection.collection_id}}\`) need nobody.
4. **Check any picture**: the SHA-256 of a file is its token's \`media_hash\` on the chain (base64), and its CID.
`;

const missingText = (missing: readonly string[]): string =>
  missing.length === 0
    ? ""
    : ` NFTs name these files too, which the service
   doesn't have, and the CAR neither: ${missing.join(", ")}.`;

import type { Mutant } from "../mutant.ts";

const directory = ["test/unit/ipfs-directory.test.ts"];
const tenancy = ["test/api/tenancy.test.ts"];

/** Use cases, the database, the chain's forms and IPFS. */
export const SERVICES: readonly Mutant[] = [
  {
    id: "tenancy: anybody's draft is read",
    file: "src/db/queries/drafts.ts",
    search: "and(eq(drafts.id, id), eq(drafts.integrationId, integrationId)) as SQL;",
    replacement: "and(eq(drafts.id, id), sql`${integrationId} IS NOT NULL`) as SQL;",
    tests: tenancy,
    named: "nobody reaches what is another's, by any operation",
  },
  {
    id: "tenancy: anybody's collection is read",
    file: "src/db/queries/collections.ts",
    search: 'eq(collections.integrationId, sql.placeholder("integrationId")),',
    replacement: 'sql`${sql.placeholder("integrationId")} IS NOT NULL`,',
    tests: tenancy,
    named: "nobody reaches what is another's, by any operation",
  },
  {
    id: "tenancy: the list of collections is everybody's",
    file: "src/db/queries/collections.ts",
    search: "WHERE integration_id = ${uuidToBytes(integrationId)} ${behind} ORDER BY id DESC",
    replacement: "WHERE ${uuidToBytes(integrationId)} IS NOT NULL ${behind} ORDER BY id DESC",
    tests: tenancy,
    named: "lists hold nothing of another's, whatever the cursor",
  },
  {
    id: "keys: the operator revokes a key under another integration",
    file: "src/db/queries/api-keys.ts",
    search: "const own = and(eq(apiKeys.integrationId, integrationId), eq(apiKeys.id, id));",
    replacement: "const own = eq(apiKeys.id, integrationId === id ? integrationId : id);",
    tests: ["test/api/authentication.test.ts"],
    named: "a key is revoked under its own integration alone",
  },
  {
    id: "lists: the item behind the page is shown on it",
    file: "src/domain/cursors.ts",
    search: "const shown = items.slice(0, size);",
    replacement: "const shown = items.slice(0, size + 1);",
    tests: ["test/api/lists.test.ts"],
    named: "is the same by pages of one, each of which leads to the next",
  },
  {
    id: "payees: an account that doesn't exist gets royalties",
    file: "src/collections/accounts.ts",
    search: "!known.get(accountId)",
    replacement: "known.get(accountId) === undefined",
    tests: ["test/api/finalize.test.ts"],
    named: "refuses royalties for accounts that don't exist, by name, and sends nothing",
  },
  {
    id: "uploads: a file that no detail mentions is taken",
    file: "src/domain/assets-detail.ts",
    search: "if (mentioned?.has(name) === false)",
    replacement: "if (mentioned === undefined)",
    tests: ["test/api/asset-bulk.test.ts"],
    named: "reports all problems of a form together as 400",
  },
  {
    id: "ipfs: a shard's links are not in the order of their slots",
    file: "src/ipfs/directory.ts",
    search: "leaves.sort((left, right) => Buffer.compare(left.hash, right.hash));",
    replacement: "leaves.sort((left, right) => Buffer.compare(right.hash, left.hash));",
    tests: directory,
  },
  {
    id: "ipfs: the size of a directory leaves out its files",
    file: "src/ipfs/directory.ts",
    search: "totalSize: links.reduce((sum, link) => sum + link.totalSize, bytes.length) };",
    replacement: "totalSize: links.reduce((sum) => sum, bytes.length) };",
    tests: directory,
  },
  {
    id: "ipfs: the last leaf of a file is a whole block",
    file: "src/ipfs/file.ts",
    search: "Math.min(BLOCK_SIZE, fileSize - index * BLOCK_SIZE)",
    replacement: "Math.min(BLOCK_SIZE, fileSize)",
    tests: ["test/unit/ipfs-file.test.ts"],
  },
  {
    id: "outcomes: gas of receipts is not counted",
    file: "src/chain/outcome.ts",
    search: "gas_burnt: all.reduce((sum, { gas_burnt }) => sum + BigInt(gas_burnt), 0n).toString(),",
    replacement: "gas_burnt: BigInt(all[0]!.gas_burnt).toString(),",
    tests: ["test/unit/chain-outcome.test.ts"],
  },
  {
    id: "outcomes: a failed transaction counts as a success",
    file: "src/chain/outcome.ts",
    search: 'status: failure ? "failure" : "success",',
    replacement: 'status: failure ? "success" : "success",',
    tests: ["test/unit/chain-outcome.test.ts"],
  },
  {
    id: "assets: a subtitle that comes back is stored again",
    file: "src/chain/contract/asset-batch.ts",
    search: "if (known !== undefined) return known;",
    replacement: "if (known === 0) return known;",
    tests: ["test/unit/contract-calls.test.ts"],
  },
  {
    id: "sealing: the sealed key is not bound to its account",
    file: "src/wallet/signing/sealing.ts",
    search: "`mintage wallet ${accountId}`",
    replacement: "`mintage wallet ${accountId.length > 0}`",
    tests: ["test/unit/wallet-sealing.test.ts"],
  },
];

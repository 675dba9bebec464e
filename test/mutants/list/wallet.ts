import type { Mutant } from "../mutant.ts";

const lanes = ["test/unit/wallet-lanes.test.ts"];
const rules = ["test/unit/wallet-rules.test.ts"];
const proof = ["test/unit/wallet-proof.test.ts"];

/** The wallet object: what is signed, sent, asked and proven. */
export const WALLET: readonly Mutant[] = [
  {
    id: "lanes: a function-call key signs for another contract",
    file: "src/wallet/lanes.ts",
    search: "lane.receiverId === intent.receiverId && lane.methods",
    replacement: "lane.methods",
    tests: lanes,
  },
  {
    id: "lanes: a lane that is being added signs",
    file: "src/wallet/lanes.ts",
    search: 'lanes.filter((lane) => lane.state === "ready")',
    replacement: "lanes.filter((lane) => lane.id !== undefined)",
    tests: lanes,
  },
  {
    id: "lanes: a lane with an open row is retired",
    file: "src/wallet/lanes.ts",
    search: 'state === "ready" && open === 0 &&',
    replacement: 'state === "ready" &&',
    tests: lanes,
  },
  {
    id: "lanes: a caller's next turn is before the one being served",
    file: "src/wallet/lanes.ts",
    search: "Math.max(serving, lastOfCaller ?? 0) + 1;",
    replacement: "(lastOfCaller ?? serving) + 1;",
    tests: lanes,
  },
  {
    id: "rules: a row is dead at the end of its validity, not after it",
    file: "src/wallet/rules.ts",
    search: "finalHeight > baseHeight + validityPeriod",
    replacement: "finalHeight >= baseHeight + validityPeriod",
    tests: rules,
  },
  {
    id: "rules: INCLUDED is believed for good",
    file: "src/wallet/rules.ts",
    search: 'if (seen.status === "included" && !isDropped(row, key)) return "wait";',
    replacement: 'if (seen.status === "included") return "wait";',
    tests: rules,
  },
  {
    id: "machine: what was given up is signed anew",
    file: "src/wallet/machine.ts",
    search: 'lose: { from: ["open"],',
    replacement: 'lose: { from: ["open", "unknown"],',
    tests: ["test/unit/wallet-machine.test.ts"],
  },
  {
    id: "proof: another use of the key proves a row dead though its own is there",
    file: "src/wallet/proof.ts",
    search: `if (changes.uses.some(({ hash }) => hash === row.hash)) return "landed";
  return changes.uses`,
    replacement: `if (changes.uses.every(({ hash }) => hash === row.hash)) return "landed";
  return changes.uses`,
    tests: proof,
  },
  {
    id: "proof: the block before may have the row's nonce already",
    file: "src/wallet/proof.ts",
    search: "before === undefined || isReached(before)",
    replacement: "before === undefined || (before !== null && before > row.nonce)",
    tests: proof,
  },
  {
    id: "proof: a key that is gone is dead without a look at its uses",
    file: "src/wallet/proof.ts",
    search: `if (changes.uses.some(({ hash }) => hash === row.hash)) return "landed";
  return changes.isDeleted`,
    replacement: "return changes.isDeleted",
    tests: proof,
  },
  {
    id: "custody: a restored wallet goes on with the next nonce",
    file: "src/wallet/custody.ts",
    search: "restoredAt === null ? 0 : RESTORED_NONCE_GAP",
    replacement: "0",
    tests: ["test/api/wallet.test.ts"],
  },
  {
    id: "wallet: who doesn't know of all rows gives an operation up",
    file: "src/wallet/object.ts",
    search: "if (rows !== journaled || !intents.isOver(operationUuid)) return false;",
    replacement: "if (!intents.isOver(operationUuid)) return false;",
    tests: ["test/api/wallet.test.ts"],
  },
  {
    id: "endings: the height is that of the block that includes the transaction",
    file: "src/wallet/endings.ts",
    search: "Math.max(0, ...blocks.map((block) => block?.height ?? 0)) || null",
    replacement: "included?.height ?? null",
    tests: ["test/api/wallet.test.ts"],
  },
  {
    id: "look: a nonce that the chain is past is used again",
    file: "src/wallet/look.ts",
    search: "if (key?.nonce) journal.lanes.raiseNonce(row.laneId, key.nonce);",
    replacement: "",
    tests: ["test/api/wallet-proofs.test.ts"],
  },
  {
    id: "look: what landed is asked for at its lane's endpoint alone",
    file: "src/wallet/look.ts",
    search: "if (row.landed || row.unproven > 0) return this.#elsewhere(row);",
    replacement: "",
    tests: ["test/api/wallet.test.ts"],
  },
  {
    id: "race: the no-op has another nonce",
    file: "src/wallet/dispatch.ts",
    search: "nonce: BigInt(row.nonce),",
    replacement: "nonce: BigInt(row.nonce) + 1n,",
    tests: ["test/api/wallet.test.ts"],
  },
  {
    id: "journal: what is still open is forgotten",
    file: "src/wallet/journal/operations.ts",
    search: "operation = ? AND state IN ('queued', 'open') LIMIT 1",
    replacement: "operation = ? AND state = 'queued' AND 0 LIMIT 1",
    tests: ["test/api/wallet-journal.test.ts"],
  },
];

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
    search: "seen.key.height > row.baseHeight + seen.validityPeriod",
    replacement: "seen.key.height >= row.baseHeight + seen.validityPeriod",
    tests: rules,
  },
  {
    id: "proof: another use of the key proves a row dead though its own is there",
    file: "src/wallet/proof.ts",
    search: 'if (uses.some(({ hash }) => hash === row.hash)) return "landed";',
    replacement: 'if (uses.every(({ hash }) => hash === row.hash)) return "landed";',
    tests: proof,
  },
];

import type { Mutant } from "../mutant.ts";

const hidden = ["test/api/hidden-collections.test.ts"];
const command = ["cli/test/collection-run.test.ts"];

/** Rules of keys, hidden assets and changes of many NFTs. */
export const STOCK: readonly Mutant[] = [
  {
    id: "keys: a key that was just deleted elsewhere gets itself another one",
    file: "src/http/authentication.ts",
    search: "changesKeys(endpoint) ? undefined : known.get(digest)",
    replacement: "known.get(digest)",
    tests: ["test/api/keys.test.ts"],
    named: "even where it is still in the cache",
  },
  {
    id: "audit: entries pass the integration's share of the database",
    file: "src/db/queries/audit.ts",
    search: 'const isLimited = actor.type === "key" && !isEnding(action);',
    replacement: "const isLimited = actor.type === undefined;",
    tests: ["test/api/audit.test.ts"],
    named: "fills no more of the database",
  },
  {
    id: "audit: what ends something is refused beyond the share",
    file: "src/db/queries/audit.ts",
    search: 'const isLimited = actor.type === "key" && !isEnding(action);',
    replacement: 'const isLimited = actor.type === "key";',
    tests: ["test/api/audit.test.ts"],
    named: "fills no more of the database",
  },
  {
    id: "rotation: an order of a finalization under way isn't counted",
    file: "src/operator/hidden-orders.ts",
    search: "const remaining = finalized + pending;",
    replacement: "const remaining = finalized;",
    tests: hidden,
    named: "after which the old secret isn't needed",
  },
  {
    id: "finalize: assets are hidden that no transaction can reveal",
    file: "src/collections/hidden-assets.ts",
    search: "if (bytes > TRANSACTION_LIMITS.bytes ||",
    replacement: "if (bytes > 2 * TRANSACTION_LIMITS.bytes ||",
    tests: ["test/unit/hidden-assets.test.ts"],
    named: "refused, with the most that a transaction holds",
  },
  {
    id: "reveal: what an owner has revealed alone isn't noted",
    file: "src/operations/kinds/collection-reveal.ts",
    search: "if (shown && shown.shown > row.reveal.shown) {",
    replacement: "if (shown && shown.shown < row.reveal.shown) {",
    tests: hidden,
    named: "what an owner reveals without the service",
  },
  {
    id: "reveal: each round of the schedule begins with the same collections",
    file: "src/operator/jobs/reveals.ts",
    search: "const last = rows.length < AT_ONCE ? undefined : rows.at(-1);",
    replacement: "const last = rows.length <= AT_ONCE ? undefined : rows.at(-1);",
    tests: hidden,
    named: "keep none behind them hidden",
  },
  {
    id: "collection: an update is sent again under another key",
    file: "cli/collection/update.ts",
    search: "    idempotencyKey: reference,\n",
    replacement: "",
    tests: command,
    named: "goes on there under its first key",
  },
  {
    id: "collection: what can't be undone is sent without a question",
    file: "cli/collection.ts",
    search: "if (!yes && !(await agreed(question))) {",
    replacement: "if (yes && !(await agreed(question))) {",
    tests: command,
    named: "shown with what can't be undone",
  },
  {
    id: "launch: a time of the reveal that is over is taken",
    file: "cli/launch/phases.ts",
    search: 'typeof reveal === "string" && Date.parse(reveal) <= now',
    replacement: 'typeof reveal === "string" && Date.parse(reveal) <= now - now',
    tests: ["cli/test/launch-run.test.ts"],
    named: "a reveal a time to come",
  },
];

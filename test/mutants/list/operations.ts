import type { Mutant } from "../mutant.ts";

const givenUp = ["test/api/given-up.test.ts"];
const idempotency = ["test/api/idempotency.test.ts"];
const operations = ["test/api/operations.test.ts"];
const large = ["test/api/finalize-large.test.ts"];
const upgrade = ["test/api/contract-upgrade.test.ts"];
const recovery = ["test/api/wallet-recovery.test.ts"];
const drive = "src/operations/engine/drive.ts";

/** Operations: acceptance, steps, effects and answers. */
export const OPERATIONS: readonly Mutant[] = [
  {
    id: "operations: what is given up is not withdrawn at its wallet",
    file: drive,
    search: "if (await this.#wallet.withdraw(id, this.#records.length, this.#fresh)) {",
    replacement: "if (id !== undefined) {",
    tests: givenUp,
    named: "is not carried out by its wallet from then on",
  },
  {
    id: "operations: whoever drives one gives it up while no node answers",
    file: drive,
    search: "return !(this.#fresh && (await commitTo(",
    replacement: "return !(true && (await commitTo(",
    tests: givenUp,
    named:
      "waits for the chain, also where its request was killed before it was told: nobody else gives it up",
  },
  {
    id: "operations: one that a lost object may have had is given up as never sent",
    file: drive,
    search: "if (answer.repeated) this.#fresh = false;",
    replacement: "",
    tests: recovery,
    named: "while a request waits for it is not told as if nothing had been sent",
  },
  {
    id: "operations: given up although a caller was promised it",
    file: drive,
    search: 'return !(this.#fresh && (await commitTo(this.#context.db, this.#row.id, "given_up")));',
    replacement: "return !this.#fresh;",
    tests: givenUp,
    named: "is carried out, though its first step is refused for want of a node afterwards",
  },
  {
    id: "operations: a collection that is begun is given up for want of means",
    file: drive,
    search: "if (this.#kind.isCommitted(this.#records)) return true;",
    replacement: "",
    tests: large,
    named: "a wallet without means halfway leaves the finalization pending, until it is paid",
  },
  {
    id: "operations: several build one directory",
    file: drive,
    search: "if (this.#leased) return null;",
    replacement: "if (time !== null) return null;",
    tests: large,
    named: "the directory of a large draft is put once, though several finish it at once",
  },
  {
    id: "operations: a 202 is told without a promise",
    file: "src/operations/engine/run.ts",
    search: "return reached?.isBegun ? current : promised(context, current);",
    replacement: "return reached?.isBegun ? current : (promised(context, current), current);",
    tests: givenUp,
    named: "before that was done is given up by the next request, while no node answers",
  },
  {
    id: "operations: an acceptance in doubt is told as a fault",
    file: "src/operations/engine/accept.ts",
    search: "if (!row) throw perhapsAccepted(id, error);",
    replacement: "if (!row) throw error;",
    tests: operations,
    named: "though it stands is told as unknown, with the operation, which its key leads to",
  },
  {
    id: "operations: a draft is released though its create took effect",
    file: "src/operations/kinds/finalize.ts",
    search: "mayHaveBegun(records) || request.begun !== null\n      ? []",
    replacement: "request.begun !== null\n      ? []",
    tests: large,
    named:
      "a batch that fails on the chain keeps the draft, and the next call goes on there, whatever node answers",
  },
  {
    id: "operations: a finalization is cut again",
    file: "src/operations/kinds/finalize.ts",
    search: "if (request.plan) return request.plan;",
    replacement:
      "if (request.plan) return planBatches(db, subjectId, { skip: 0, head: settingsLength(request) });",
    tests: large,
    named: "a finalization goes on by the plan that it began with",
  },
  {
    id: "operations: a finalization goes on by a node that lags",
    file: "src/operations/finalize-draft.ts",
    search: "brokenOff?.height ?? 0",
    replacement: "0",
    tests: large,
    named:
      "a batch that fails on the chain keeps the draft, and the next call goes on there, whatever node answers",
  },
  {
    id: "operations: settled as without effect while it may land",
    file: "src/operations/engine/settle.ts",
    search: "if (!landing.isOver) throw mayLand(landing.waitMs);",
    replacement: "if (!landing.isOver) return 0;",
    tests: recovery,
    named: "as without effect: its caller may send it again, and it is stuck no more",
  },
  {
    id: "operations: what the contract misses is guessed",
    file: "src/domain/steps.ts",
    search: "return amount === undefined ? null : BigInt(amount);",
    replacement: "return BigInt(amount ?? 0);",
    tests: ["test/unit/steps.test.ts"],
  },
  {
    id: "operations: a later update overtakes an earlier one",
    file: "src/operations/kinds/collection-update.ts",
    search: "follows: ({ earlier }) => earlier,",
    replacement: "follows: () => null,",
    tests: ["test/api/collection-update.test.ts"],
    named: "an update that is accepted later has the last word",
  },
  {
    id: "operations: an update answers with a collection that has changed since it was read",
    file: "src/operations/kinds/collection-update.ts",
    search: "...(facts.row && { asRead: requireAsRead(db, collection, id) }),",
    replacement: "...(facts.row && id === null && { asRead: requireAsRead(db, collection, id) }),",
    tests: ["test/api/collection-update.test.ts"],
    named: "answers with what changed while it was on its way",
  },
  {
    id: "operations: an update that waits has only the clock to go by",
    file: "src/wallet/acknowledgements.ts",
    search: "this.#waiters.notify(operationUuid);",
    replacement: "void operationUuid;",
    tests: ["test/api/collection-update.test.ts"],
    named: "a wallet tells who waits that an operation is acknowledged",
  },
  {
    id: "operations: one that waits for its turn asks the database all the time",
    file: "src/operations/engine/turn.ts",
    search: "await this.#wallet.acknowledged(operation, patience)",
    replacement: "await this.#wallet.acknowledged(operation, 100)",
    tests: ["test/api/collection-update.test.ts"],
    named: "an update that waits asks when the one before has ended",
  },
  {
    id: "operations: a draft that was changed meanwhile is finalized as it was",
    file: "src/db/queries/collection-effects.ts",
    search: " AND updated_at = ${draft.updatedAt.getTime()}",
    replacement: "",
    tests: ["test/api/finalize.test.ts"],
    named: "a draft that is changed while it is being accepted",
  },
  {
    id: "keys: a claim is anybody's",
    file: "src/db/queries/idempotency.ts",
    search: "  AND owner = ${owner} AND operation_id IS NULL",
    replacement: "  AND operation_id IS NULL",
    tests: idempotency,
    named: "leaves a mint of the first without effect, and the key to the second",
  },
  {
    id: "drive: the wallet isn't told that effects are written",
    file: "src/operations/engine/drive.ts",
    search: 'if (ended.state === "succeeded" || ended.state === "failed") {',
    replacement: 'if (ended.state === "failed") {',
    tests: ["test/api/operations.test.ts"],
    named: "an answer is acknowledged to the wallet",
  },
  {
    id: "effects: an operation that is over changes settings again",
    file: "src/db/queries/collection-effects.ts",
    search: ".where(and(eq(collections.id, collectionId), isOpen(operationId)));",
    replacement: ".where(eq(collections.id, operationId === collectionId ? operationId : collectionId));",
    tests: ["test/api/collection-update.test.ts"],
    named: "whoever is late to write an update that is over changes nothing",
  },
  {
    id: "operations: an upgrade leaves collections on their old pages",
    file: "src/operations/kinds/contract-upgrade.ts",
    search: "...migrations.map(({ name }) => name),",
    replacement: "",
    tests: upgrade,
  },
  {
    id: "operations: an upgrade leaves what a call could not carry of a page",
    file: "src/operations/kinds/contract-upgrade.ts",
    search: "withContinuations(migrationSteps(assets), leftBehind(records))",
    replacement: "migrationSteps(assets)",
    tests: upgrade,
    named: "a page whose subtitles are more than a call carries is taken over in several, through kills",
  },
  {
    id: "operations: an upgrade switches a contract before it has what it needs",
    file: "src/provisioning/contract-survey.ts",
    search: "const topUp = isCurrent ? 0n : chain.missing;",
    replacement: "const topUp = 0n;",
    tests: upgrade,
  },
  {
    id: "operations: a finalization fails although the contract has its collection",
    file: "src/domain/steps.ts",
    search: 'state === "unknown" || contractCode === "E_EXTERNAL_ID_TAKEN";',
    replacement: 'state === "unknown";',
    tests: ["test/unit/steps.test.ts"],
  },
];

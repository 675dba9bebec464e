import { env } from "cloudflare:workers";
import { operations } from "../../src/db/schema/ledger.ts";
import { newUuid, type Uuid, uuidFromBytes } from "../../src/domain/ids.ts";
import type { OperationKind } from "../../src/domain/operations.ts";
import { archivePage } from "../../src/operations/engine/archive-pages.ts";
import { archiveOldOperations } from "../../src/operator/jobs/archiving.ts";
import { testLedger } from "./ledgers.ts";
import { serviceContext } from "./operations.ts";
import { shipAll } from "./wallets.ts";

export const DAY = 24 * 3_600_000;
/** By when what a test does now ended more than a month ago. Milliseconds from now. */
const LATER = 40 * DAY;
/** As many of a wallet stay in the database, however old they are. */
export const NEWEST = 100;

/** Runs the part of the schedule that archives operations, once R2 has records of them. */
export const archive = async (later = LATER): Promise<void> => {
  const { results } = await env.DB.prepare("SELECT lower(hex(id)) AS id FROM ledgers").all<{ id: string }>();
  for (const { id } of results) await shipAll(uuidFromBytes(Buffer.from(id, "hex")));
  await archiveOldOperations(serviceContext(later));
};

/** Archives what has ended by now, as a ledger of many gigabytes does with what ended an hour ago. */
export const archiveEarly = async (integration: string): Promise<void> => {
  const page = { after: null, before: new Date(Date.now() + 1_000) };
  await archivePage(serviceContext(), integration as Uuid, page);
};

/** Adds operations that are over; without a kind of one that stays, so that the ones before aren't among the newest. */
export const addOperations = async (
  integration: string,
  subject: string,
  count: number,
  kind: OperationKind = "finalize",
): Promise<void> => {
  const db = testLedger(integration);
  for (let at = 0; at < count; at += 1) {
    const time = new Date();
    await db.insert(operations).values({
      id: newUuid(),
      integrationId: integration as Uuid,
      kind,
      state: "succeeded",
      subjectId: subject as Uuid,
      request: {},
      answerStatus: 201,
      answerBody: "{}",
      finishedAt: time,
      createdAt: time,
      updatedAt: time,
    });
  }
};

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ApiError, type MintageClient, type Quote } from "../../client/src/index.ts";
import { beginFile } from "../begun-file.ts";
import { keyAccess, readJson, stateOf, UsageError } from "../command.ts";
import { hadNoEffect, isRefusal } from "../no-effect.ts";

/** A transfer or a burn, which can't be sent twice. */
export interface Move {
  /** Below the collection's. */
  readonly path: string;
  readonly body: object;
}

/** A move that was agreed to, kept until it is known what became of it. */
interface SentMove extends Move {
  /** Its Idempotency-Key and its `reference`. */
  readonly move: string;
  /** yoctoNEAR that it may cost. */
  readonly at_most: string;
}

/** Sends a move at no more than a quote or an amount says. */
type Send<Answer> = (
  options: ({ readonly quote: string } | { readonly maxCost: string }) & {
    readonly idempotencyKey: string;
    readonly reference: string;
  },
) => Promise<Answer>;

const folder = (): string => join(stateOf(), "moves");

/** The file of a collection's move, one for each service. */
const fileOf = (collectionUuid: string): string =>
  join(
    folder(),
    `${new URL(keyAccess().baseUrl).host.replaceAll(/[^a-z0-9.-]/gi, "_")}.${collectionUuid}.json`,
  );

/** The name of a move to be, part of its quote and of its request. */
export const newMove = (): string => `move-${randomUUID()}`;

/**
 * What became of a move that an earlier run sent without learning it; null if there is none. The service knows it by its
 * reference. One that it doesn't know is sent under the same Idempotency-Key.
 * @throws UsageError if another move was sent then
 */
export async function earlierMove<Answer>(
  { operations }: Pick<MintageClient, "operations">,
  collectionUuid: string,
  { path, body }: Move,
  send: Send<Answer>,
): Promise<Answer | null> {
  const file = fileOf(collectionUuid);
  if (!existsSync(file)) return null;
  const sent = readJson<SentMove>(file);
  if (sent.path !== path || !isDeepStrictEqual(sent.body, body))
    throw new UsageError(
      `An earlier run sent ${sent.path} ${JSON.stringify(sent.body)} and didn't learn what became of it. Give that command again first: it is carried out once. Nothing was sent.`,
    );
  return untilKnown(file, async () => {
    for await (const { operation_uuid: uuid } of operations.list({ reference: sent.move }))
      return operations.wait<Answer>(uuid);
    return send({ maxCost: sent.at_most, idempotencyKey: sent.move, reference: sent.move });
  });
}

/** Sends a move that was agreed to. @throws UsageError if another run has begun one meanwhile */
export async function sendMove<Answer>(
  collectionUuid: string,
  { move, ...wanted }: Move & { readonly move: string },
  { quote_uuid: quote, cost }: Quote,
  send: Send<Answer>,
): Promise<Answer> {
  const file = fileOf(collectionUuid);
  const sent: SentMove = { move, ...wanted, at_most: cost.at_most };
  mkdirSync(folder(), { recursive: true });
  if (!beginFile(file, `${JSON.stringify(sent)}\n`))
    throw new UsageError("Another run moves NFTs of this collection. Run it again once that has ended.");
  return untilKnown(file, () => send({ quote, idempotencyKey: move, reference: move }));
}

/** Forgets a move once its answer says what became of it. */
async function untilKnown<Answer>(file: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    const answer = await ask();
    rmSync(file, { force: true });
    return answer;
  } catch (error) {
    // `final`: the operator has settled it as done.
    const isSettled = error instanceof ApiError && error.outcome === "final";
    if (hadNoEffect(error) || isRefusal(error) || isSettled) rmSync(file, { force: true });
    throw error;
  }
}

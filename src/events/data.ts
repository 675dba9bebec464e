import { readCollection, toCollection } from "../collections/collections.ts";
import type { Caller, ServiceContext } from "../context.ts";
import type { KnownOperation, PageRow } from "../db/queries/event-pages.ts";
import type { EventRow } from "../db/queries/events.ts";
import { withResults } from "../domain/answer-results.ts";
import type { EventType } from "../domain/events.ts";
import type { Uuid } from "../domain/ids.ts";
import { openText, textKey } from "../storage/large-texts.ts";

/** A resource, and the address at which the API shows it. */
interface Shown {
  readonly resource: object;
  readonly see: string;
}

const API = "/api/v1";

/** Reads what events show. An answer is kept for the events of one operation, which follow each other. */
export class EventData {
  readonly #context: ServiceContext;
  readonly #caller: Pick<Caller, "integrationId">;
  readonly #operations: ReadonlyMap<Uuid, KnownOperation>;
  #answer: { readonly of: Uuid; readonly body: unknown } | null = null;

  constructor(context: ServiceContext, integrationId: Uuid, operations: ReadonlyMap<Uuid, KnownOperation>) {
    this.#context = context;
    this.#caller = { integrationId };
    this.#operations = operations;
  }

  /** @param index among the events of its type in the row, from 0 */
  async of(
    { event: row, soldOut }: Pick<PageRow, "event" | "soldOut">,
    type: EventType,
    index: number,
  ): Promise<Shown> {
    switch (type) {
      case "operation.succeeded":
      case "operation.failed":
      case "operation.unknown":
        return row.operationId === null ? this.#unknown(row) : this.#operation(this.#known(row), type);
      case "nft.minted": {
        if (row.operationId === null) return this.#walletMint(row, index);
        const { tokens } = await this.#body<{ tokens: readonly object[] }>(row);
        return this.#token(row, { ...tokens[index], source: "api" });
      }
      case "nft.updated":
        return this.#token(row, (await this.#body<{ token: object }>(row)).token);
      case "collection.updated":
        return this.#collection(await this.#body<{ collection_uuid: string }>(row));
      case "collection.sold_out": {
        const id = row.collectionId ?? this.#known(row).row.subjectId;
        return this.#collection(
          soldOut
            ? toCollection(soldOut.collection, soldOut.contractAccountId)
            : await readCollection(this.#context, this.#caller, id),
        );
      }
      case "collection.finalized":
        return this.#collection(row.data as { collection_uuid: string });
      case "claim.redeemed": {
        const claims = row.data as readonly { readonly collection_uuid: string }[];
        return this.#collection(claims[index]!);
      }
      case "wallet.low":
      case "wallet.topped_up":
        return { resource: row.data as object, see: `${API}/me` };
      case "database.filling":
        return { resource: row.data as object, see: "/ready" };
      case "webhook.disabled": {
        const webhook = row.data as { webhook_uuid: string };
        return { resource: webhook, see: `${API}/webhook/${webhook.webhook_uuid}` };
      }
    }
  }

  #known({ operationId, seq }: EventRow): KnownOperation {
    const known = operationId === null ? undefined : this.#operations.get(operationId);
    if (!known) throw new Error(`the operation of event ${seq} has no row`);
    return known;
  }

  /** An operation of any integration, as the operator is told of it. */
  #unknown({ data }: EventRow): Shown {
    const operation = data as { readonly operation_uuid: string };
    return { resource: operation, see: `/admin/v1/operation/${operation.operation_uuid}` };
  }

  #collection(resource: { readonly collection_uuid: string }): Shown {
    return { resource, see: `${API}/collection/${resource.collection_uuid}` };
  }

  #token(row: EventRow, resource: object): Shown {
    return { resource, see: `${API}/collection/${this.#known(row).row.subjectId}/token` };
  }

  /** A token that was minted without the service, as it was when the event was told. */
  #walletMint({ data, collectionId }: EventRow, index: number): Shown {
    const token = (data as readonly object[])[index];
    return { resource: { ...token, source: "wallet" }, see: `${API}/collection/${collectionId}/token` };
  }

  /** An operation as it was when the event was told: what was unknown may be settled by now. */
  async #operation({ row, results }: KnownOperation, type: EventType): Promise<Shown> {
    const state = type.slice("operation.".length);
    const resource = {
      operation_uuid: row.id,
      kind: row.kind,
      state,
      subject_uuid: row.subjectId,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
      finished_at: state === "unknown" ? null : (row.finishedAt?.toISOString() ?? null),
      cost: {
        quoted: row.quotedCost,
        at_most: row.mostCost,
        actual: state === "unknown" ? null : row.actualCost,
      },
      transactions: results,
    };
    const see = `${API}/operation/${row.id}`;
    const { answerStatus: status, answerBody } = row;
    if (state === "unknown" || answerBody === null) return { resource: { ...resource, answer: null }, see };
    // What R2 holds is larger than any event.
    if (textKey(answerBody) !== null) return { resource: { ...resource, see }, see };
    const body = withResults(JSON.parse(answerBody), results);
    return { resource: { ...resource, answer: { status, body } }, see };
  }

  /** The answer of the operation that an event tells of. */
  async #body<T>(row: EventRow): Promise<T> {
    const { id, answerBody } = this.#known(row).row;
    if (answerBody === null) throw new Error(`operation ${id} succeeded without an answer`);
    if (this.#answer?.of !== id) {
      const text = await openText(this.#context.env.BUCKET, answerBody);
      const json = typeof text === "string" ? text : await new Response(text).text();
      this.#answer = { of: id, body: JSON.parse(json) as unknown };
    }
    return this.#answer.body as T;
  }
}

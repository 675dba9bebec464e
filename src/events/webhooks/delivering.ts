import { and, eq, lte, sql } from "drizzle-orm";
import type { Event } from "../../api/resources/event.ts";
import type { ServiceContext } from "../../context.ts";
import { runBatch } from "../../db/client.ts";
import { noteEvent } from "../../db/queries/events.ts";
import { type WebhookRow, webhooks } from "../../db/schema/events.ts";
import { checkpoint } from "../../domain/checkpoints.ts";
import { newUuid } from "../../domain/ids.ts";
import { DISABLED_AFTER_MS, isDelivered, isGone, pauseAfter } from "../../domain/webhooks.ts";
import { type EventsRead, readEvents } from "../read.ts";
import { type Attempt, attempt, type Target } from "./attempt.ts";
import { tellEvent } from "./interface.ts";
import type { DeliveryJournal } from "./journal.ts";
import { toWebhook } from "./webhooks.ts";

const AT_ONCE = 20;

interface DeliveringParts {
  readonly context: ServiceContext;
  readonly journal: DeliveryJournal;
  readonly webhook: WebhookRow;
  readonly target: Target;
  readonly die: () => void;
}

interface Replayed extends Pick<EventsRead, "seen" | "hasMore"> {
  readonly round: number;
  readonly events: readonly Event[];
}

/**
 * Sends what is due to an endpoint, one event at a time: first attempts in the order of their numbers, retries and replays
 * between them. An attempt's result is stored before the next, so an interruption repeats at most one.
 */
export class DeliveryRun {
  readonly #parts: DeliveringParts;
  #read: Event[] = [];
  /** The number up to which `#read` was examined. */
  #seen = 0;
  #replayed: Replayed | null = null;

  constructor(parts: DeliveringParts) {
    this.#parts = parts;
  }

  /** Whether the results of attempts disable the endpoint. */
  get isOver(): boolean {
    return this.#parts.journal.get("disabling") !== null;
  }

  /** Makes the attempts that are due, one of each kind. False: nothing is due. */
  async step(): Promise<boolean> {
    const retried = await this.#retry();
    if (this.isOver) return false;
    const sent = await this.#first();
    if (this.isOver) return false;
    const replayed = await this.#replay();
    return (retried || sent || replayed) && !this.isOver;
  }

  /** The first attempt at the next event. */
  async #first(): Promise<boolean> {
    const { context, journal, webhook } = this.#parts;
    const cursor = journal.get("cursor") ?? webhook.fromSeq;
    if (this.#read.length === 0) {
      const { events, seen, hasMore } = await this.#events(cursor, AT_ONCE);
      this.#read = [...events];
      this.#seen = seen;
      if (events.length === 0) {
        if (seen > cursor) journal.set("cursor", seen);
        return hasMore || (journal.nextDue() ?? Infinity) <= context.now().getTime();
      }
    }
    const event = this.#read.shift();
    if (!event) return false;
    await this.#attempt(event, 1, () => {
      journal.set("cursor", this.#read.length === 0 ? Math.max(this.#seen, event.seq) : event.seq);
    });
    return true;
  }

  async #retry(): Promise<boolean> {
    const { journal, context } = this.#parts;
    const due = journal.dueRetry(context.now().getTime());
    if (due === null) return false;
    const { events } = await this.#events(due.seq - 1, 1);
    const [event] = events;
    // Deleted, or no longer of a type that the endpoint subscribes to.
    if (event?.seq !== due.seq) journal.drop(due.seq);
    else await this.#attempt(event, due.attempts + 1);
    return true;
  }

  async #replay(): Promise<boolean> {
    const { journal } = this.#parts;
    const round = journal.round();
    if (round === null) return false;
    if (this.#replayed?.round !== round.id) {
      this.#replayed = { round: round.id, ...(await this.#events(round.place, AT_ONCE)) };
    }
    const { events, seen, hasMore } = this.#replayed;
    const [event, ...rest] = events;
    if (event === undefined || (round.before !== null && event.seq >= round.before)) {
      if (event === undefined && hasMore) journal.moveRound(round.id, seen);
      else journal.endRound(round.id);
      this.#replayed = null;
    } else {
      await this.#attempt(event, 1, () => journal.moveRound(round.id, event.seq));
      this.#replayed = { round: round.id, events: rest, seen, hasMore };
    }
    return true;
  }

  #events(after: number, limit: number) {
    const { context, webhook } = this.#parts;
    const types = webhook.types ?? undefined;
    return readEvents(context, webhook.integrationId, { after, limit, types });
  }

  /** @param moved moves the cursor, in one step with storing the result */
  async #attempt(event: Event, number: number, moved: () => void = () => undefined): Promise<void> {
    const { context, journal, webhook, target, die } = this.#parts;
    checkpoint("webhook.before_attempt", die);
    const made = await attempt(target, { id: event.event_uuid, body: JSON.stringify(event) });
    checkpoint("webhook.after_attempt", die);
    const isFailure = !isDelivered(made);
    const pause = isFailure && !isGone(made) ? pauseAfter(number, made, Math.random()) : null;
    const nextAt = pause === null ? null : Math.round(context.now().getTime() + pause);
    const { seq, event_uuid: eventUuid, type } = event;
    // No await in between: the object commits these writes together.
    journal.note({ seq, eventUuid, type, number, attempt: made, nextAt }, isFailure);
    moved();
    // What failed before the endpoint was last changed, as by another URL or a pause, doesn't count.
    const since = Math.max(journal.get("failingSince") ?? made.at, webhook.updatedAt.getTime());
    journal.set("failingSince", isFailure ? since : null);
    const reason = isFailure ? reasonToDisable(made, made.at - since) : null;
    if (reason !== null) journal.set("disabling", { reason, at: context.now().getTime() });
  }

  /** Disables the endpoint, unless it was changed or deleted since the attempt. An interruption repeats it. */
  async disable(): Promise<void> {
    const { context, journal, webhook } = this.#parts;
    const disabling = journal.get("disabling");
    if (disabling === null) return;
    const { id, integrationId } = webhook;
    const updatedAt = new Date(disabling.at);
    const changes = { state: "disabled", disabledReason: disabling.reason, updatedAt } as const;
    const data = toWebhook({ ...webhook, ...changes }, updatedAt);
    const event = { id: newUuid(), integrationId, type: "webhook.disabled", data, at: updatedAt } as const;
    const which = and(eq(webhooks.id, id), eq(webhooks.state, "enabled"), lte(webhooks.updatedAt, updatedAt));
    const [noted] = await runBatch(context.db, [
      noteEvent(context.db, event, sql`EXISTS (SELECT 1 FROM webhooks WHERE ${which})`),
      context.db.update(webhooks).set(changes).where(which),
    ]);
    journal.set("disabling", null);
    journal.set("failingSince", null);
    if ((noted as readonly object[]).length === 0) return;
    context.log("webhook.disabled", { webhook_uuid: id, reason: disabling.reason });
    await tellEvent(context, event);
  }
}

const reasonToDisable = (made: Attempt, failingMs: number): string | null => {
  if (isGone(made)) return "The endpoint answered 410 Gone.";
  return failingMs >= DISABLED_AFTER_MS ? "No delivery has succeeded for 5 days." : null;
};

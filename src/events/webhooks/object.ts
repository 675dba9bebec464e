import { DurableObject } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import type { Delivery } from "../../api/resources/event.ts";
import { openContext, type ServiceContext } from "../../context.ts";
import { type WebhookRow, webhooks } from "../../db/schema/events.ts";
import { alarmToSet } from "../../domain/alarms.ts";
import type { Page } from "../../domain/cursors.ts";
import { newUuid, type Uuid } from "../../domain/ids.ts";
import { logLine } from "../../domain/log-line.ts";
import { isDelivered } from "../../domain/webhooks.ts";
import type { Bindings } from "../../env.ts";
import { attempt, type Target } from "./attempt.ts";
import { DeliveryRun } from "./delivering.ts";
import type { Endpoint, KeyedRequest, Progress, Replay } from "./interface.ts";
import { DeliveryJournal } from "./journal.ts";
import { secretsOf } from "./secrets.ts";
import { urlFault } from "./webhooks.ts";

/** How long one alarm works; the next one reads the endpoint's settings again. Milliseconds. */
const STAY_MS = 10_000;
/** Pause after an internal error. Milliseconds. */
const AGAIN_MS = 5_000;

/** Sends events of the integration's ledger to one endpoint; its journal has cursor and retries. The alarm does all the work. */
export class WebhookEndpoint extends DurableObject<Bindings> implements Endpoint {
  readonly #journal: DeliveryJournal;
  readonly #context: ServiceContext;
  #isTesting = false;

  constructor(state: DurableObjectState, env: Bindings) {
    super(state, env);
    this.#journal = new DeliveryJournal(state.storage);
    const log: ServiceContext["log"] = (event, fields = {}) => {
      console.log(logLine(new Date(), event, { webhook_uuid: this.#journal.get("webhook"), ...fields }));
    };
    this.#context = openContext(env, log, (work) => state.waitUntil(work));
  }

  async wake(webhook: Uuid): Promise<Progress> {
    this.#journal.set("webhook", webhook);
    await this.#ringAt(Date.now());
    const isWaiting = this.#journal.nextDue() !== null || this.#journal.round() !== null;
    return { cursor: this.#journal.get("cursor"), isWaiting };
  }

  async sendTest(webhook: Uuid): Promise<Delivery | null> {
    if (this.#isTesting) return null;
    this.#isTesting = true;
    try {
      return await this.#test(webhook);
    } finally {
      this.#isTesting = false;
    }
  }

  async #test(webhook: Uuid): Promise<Delivery> {
    this.#journal.set("webhook", webhook);
    const row = await this.#row(webhook);
    if (!row) throw new Error(`webhook ${webhook} has no row`);
    const eventUuid = newUuid();
    const timestamp = this.#context.now().toISOString();
    const event = {
      seq: 0,
      event_uuid: eventUuid,
      type: "webhook.test",
      timestamp,
      data: { webhook_uuid: webhook },
    };
    const target = await this.#target(row);
    const made = await attempt(target, { id: eventUuid, body: JSON.stringify(event) });
    this.#journal.record({ seq: 0, eventUuid, type: event.type, number: 1, attempt: made, nextAt: null });
    if (isDelivered(made)) this.#journal.set("failingSince", null);
    return this.#journal.deliveries(null, 1).items[0]!;
  }

  async replay(webhook: Uuid, replay: Replay, request: KeyedRequest | null): Promise<boolean> {
    const isBegun = request !== null && this.#journal.hasRequest(request, Date.now());
    if (!isBegun && !this.#journal.replay(replay, Date.now())) return false;
    if (request !== null) this.#journal.noteRequest(request);
    await this.wake(webhook);
    return true;
  }

  async deliveries(before: number | null, limit: number): Promise<Page<Delivery>> {
    return this.#journal.deliveries(before, limit);
  }

  async forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    // A running alarm needs its tables; they are empty.
    this.#journal.begin();
  }

  override async alarm(): Promise<void> {
    try {
      const next = await this.#deliver();
      if (next !== null) await this.#ringAt(next);
    } catch (error) {
      this.#context.log("webhook.interrupted", { error });
      await this.#ringAt(Date.now() + AGAIN_MS);
    }
  }

  /** Sends what is due. @returns when further work is due; null: when it is woken */
  async #deliver(): Promise<number | null> {
    const id = this.#journal.get("webhook");
    const webhook = id && (await this.#row(id));
    if (!webhook) {
      // It was deleted, and the call to forget was lost, or this was woken after it.
      await this.forget();
      return null;
    }
    const target = await this.#target(webhook);
    const die = () => this.ctx.abort("ended by a test");
    const parts = { context: this.#context, journal: this.#journal, webhook, target, die };
    const delivering = new DeliveryRun(parts);
    if (!delivering.isOver) {
      if (webhook.state === "disabled") return null;
      const until = Date.now() + STAY_MS;
      while (await delivering.step()) if (Date.now() >= until) return Date.now();
      if (!delivering.isOver) return this.#journal.nextDue();
    }
    await delivering.disable();
    // The endpoint may be as its owner has changed it meanwhile.
    return Date.now();
  }

  #row(id: Uuid): Promise<WebhookRow | undefined> {
    return this.#context.db.select().from(webhooks).where(eq(webhooks.id, id)).get();
  }

  async #target(webhook: WebhookRow): Promise<Target> {
    return {
      url: webhook.url,
      fault: urlFault(this.#context.settings, webhook.url, []),
      secrets: await secretsOf(this.#context, webhook),
    };
  }

  /** Sets the alarm to a time, unless it is set to an earlier one. */
  async #ringAt(time: number): Promise<void> {
    const at = alarmToSet(Date.now(), await this.ctx.storage.getAlarm(), time);
    if (at !== null) await this.ctx.storage.setAlarm(at);
  }
}

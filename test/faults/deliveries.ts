/** What a shop was told by its webhook is held against the events that the service lists. */
import type { Finding } from "./audit.ts";
import { pause } from "./client.ts";
import { Receiver, type Sent } from "./receiver.ts";
import type { FaultyService } from "./service.ts";
import type { Shop } from "./workload.ts";

interface Hook {
  readonly webhook_uuid: string;
  readonly enabled: boolean;
}

/** An attempt as the service lists it. */
interface Attempted {
  readonly seq: number;
  readonly event_uuid: string;
}

/** Retries that are due within this time come while it passes over. By the run's clock, milliseconds. */
const RETRIES_MS = 30 * 3_600_000;
const BLOCK_MS = 600;
/** How long events may take to arrive once nothing fails, milliseconds of the machine. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 300;
const PAGE = 1_000;
/** Attempts that are read to describe what wasn't delivered. */
const ATTEMPTS = 100;
/** Numbers that a ledger which was lost or set back passes over, about. */
const JUMP = 1_000_000_000;

interface Opened {
  readonly receiver: Receiver;
  readonly hook: string;
  /** The last event before. */
  readonly from: number;
  readonly restorations: () => number;
}

/** A shop with an endpoint, which it enables again whenever that was disabled. */
export class Deliveries {
  readonly receiver: Receiver;
  readonly #service: FaultyService;
  readonly #shop: Shop;
  readonly #hook: string;
  readonly #from: number;
  /** How often the shop's ledger was lost or set back. */
  readonly #restorations: () => number;

  private constructor(service: FaultyService, shop: Shop, { receiver, hook, from, restorations }: Opened) {
    this.#service = service;
    this.#shop = shop;
    this.receiver = receiver;
    this.#hook = hook;
    this.#from = from;
    this.#restorations = restorations;
  }

  /** Makes the endpoint, with nothing failing yet. */
  static async open(service: FaultyService, shop: Shop, restorations: () => number): Promise<Deliveries> {
    const receiver = await Receiver.open();
    const write = { method: "POST", path: "/webhook", body: { url: receiver.url }, key: null } as const;
    const made = await shop.caller.write({ ...write, patience: PATIENCE_MS });
    if (made.kind !== "success") throw new Error(`webhook: ${JSON.stringify(made)}`);
    const from = (await eventsOf(shop, 0)).at(-1)?.seq ?? 0;
    return new Deliveries(service, shop, {
      receiver,
      hook: (made.body as Hook).webhook_uuid,
      from,
      restorations,
    });
  }

  #attempts(): Promise<readonly Attempted[]> {
    return this.#shop.caller.read(`/webhook/${this.#hook}/delivery?limit=${ATTEMPTS}`);
  }

  /** What the owner does now and then: enables the endpoint where it answered 410. */
  async enable(): Promise<void> {
    const path = `/webhook/${this.#hook}`;
    const hook = await this.#shop.caller.read<Hook>(path, PAUSE_MS).catch(() => null);
    if (hook?.enabled !== false) return;
    await this.#shop.caller.once({ method: "PUT", path, body: { enabled: true }, key: null, patience: 0 }, 0);
  }

  /** Nothing fails any more: the time of the retries passes, and what was given up is asked for again. */
  async settle(): Promise<Finding[]> {
    this.receiver.isCalm = true;
    await this.#service.jump(RETRIES_MS, RETRIES_MS / BLOCK_MS);
    await this.#replayGivenUp();
    const told = await eventsOf(this.#shop, this.#from);
    const left = () => told.filter(({ event_uuid: uuid }) => !this.receiver.taken.has(uuid));
    for (const until = Date.now() + PATIENCE_MS; left().length > 0 && Date.now() < until; ) {
      await this.enable();
      await this.#service.schedule();
      await pause(PAUSE_MS);
    }
    const lost = await this.#described(left());
    return [
      ...lost.map((text) => ({ figure: "lost" as const, text, entry: null })),
      ...this.#disorder(told).map((text) => ({ figure: "wrong" as const, text, entry: null })),
    ];
  }

  /** Until it is taken: an endpoint that is disabled refuses it, and the last 410 may have just been noted. */
  async #replayGivenUp(): Promise<void> {
    const path = `/webhook/${this.#hook}/replay`;
    const body = { after: this.#from, only_failed: true };
    const write = { method: "POST", path, body, key: null, patience: 0 } as const;
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(PAUSE_MS)) {
      await this.enable();
      if ((await this.#shop.caller.once(write, 0))?.kind === "success") return;
    }
    throw new Error("webhook: what was given up could not be asked for again");
  }

  /** Events that were not delivered, with what was attempted of each: none, or when the next attempt is due. */
  async #described(events: readonly Sent[]): Promise<string[]> {
    if (events.length === 0) return [];
    const page = await this.#attempts();
    return events.map(({ seq, type, event_uuid: uuid }) => {
      const attempts = page.filter((attempted) => attempted.event_uuid === uuid);
      return `event ${seq}, ${type}, was not delivered; latest attempts: ${JSON.stringify(attempts)}`;
    });
  }

  /**
   * Gaps of the numbers, and first attempts that came before one of an earlier event. A ledger that was lost or set back has
   * lost some of its last events, and numbers go on behind a jump.
   */
  #disorder(told: readonly Sent[]): string[] {
    const there = new Set(told.map(({ event_uuid: uuid }) => uuid));
    const inOrder = this.receiver.firsts.filter(({ event_uuid: uuid }) => there.has(uuid));
    const jumps = steps(told).filter(([before, { seq }]) => seq - before.seq > JUMP / 2);
    const from = jumps.at(-1)?.[1].seq ?? 0;
    const gaps = steps(told).filter(([before, { seq }]) => before.seq >= from && seq !== before.seq + 1);
    const wrong = jumps.length > this.#restorations() ? [...jumps, ...gaps] : gaps;
    return [
      ...wrong.map(([before, { seq }]) => `event ${seq} follows ${before.seq}`),
      ...steps(inOrder).flatMap(([before, { seq }]) =>
        seq > before.seq ? [] : [`event ${seq} was first sent after ${before.seq}`],
      ),
    ];
  }
}

/** Each with the one before it. */
const steps = (events: readonly Sent[]): (readonly [Sent, Sent])[] =>
  events.slice(1).map((event, index) => [events[index]!, event] as const);

/** All events of a shop behind a number. */
const eventsOf = async (shop: Shop, after: number): Promise<Sent[]> => {
  const events: Sent[] = [];
  for (let place = after; ; ) {
    const page = await shop.caller.read<Sent[]>(`/event?after=${place}&limit=${PAGE}`);
    events.push(...page);
    const last = page.at(-1);
    // A page may be shorter than it could be.
    if (last === undefined) return events;
    place = last.seq;
  }
};

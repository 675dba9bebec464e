import type { Uuid } from "../domain/ids.ts";
import type { Delivery } from "../resources/webhook.ts";

/** Which events are sent again. */
export interface Replay {
  /** Numbers, both excluded; `before` null: to the last. */
  readonly after: number;
  readonly before: number | null;
  /** Only those that were given up. */
  readonly onlyFailed: boolean;
}

/** Attempts from a place on, newest first. */
export interface DeliveryPage {
  readonly items: readonly Delivery[];
  /** The place of the last, where there are more. */
  readonly next: number | null;
}

/** How far an endpoint has come before it is woken. */
export interface Stand {
  /** The number of the last event that was attempted or passed over; null: none yet. */
  readonly cursor: number | null;
  /** An event is to be tried again, or a replay is under way. */
  readonly isWaiting: boolean;
}

/** The object of an endpoint. Each method is safe to repeat. */
export interface Endpoint {
  /** There may be something to send. An object of the release before answers nothing. */
  wake(webhook: Uuid): Promise<Stand | undefined>;
  /** Sends an event of the type `webhook.test` now; null while another is on its way. */
  sendTest(webhook: Uuid): Promise<Delivery | null>;
  /** Has events sent again; false while as many replays are under way as may be. */
  replay(webhook: Uuid, replay: Replay): Promise<boolean>;
  /** @param before the place of the last of the page before; null: from the newest on */
  deliveries(before: number | null, limit: number): Promise<DeliveryPage>;
  /** Forgets everything: the endpoint was deleted. */
  forget(): Promise<void>;
}

/** Misfortunes beside the storms: each comes once so many operations were begun. */
import type { Operator } from "./operator.ts";
import type { FaultyService } from "./service.ts";
import { type Event, NODES } from "./weather.ts";
import type { Shop } from "./workload.ts";

interface KeyList {
  readonly keys: readonly {
    readonly public_key: string;
    readonly access_key: { readonly permission: unknown };
  }[];
}

interface MisfortuneOptions {
  /** How long D1 stands still, by the run's clock. Milliseconds. */
  readonly hangMs: number;
  readonly say: (line: string) => void;
}

export class Misfortunes {
  readonly #service: FaultyService;
  readonly #operator: Operator;
  readonly #shops: readonly Shop[];
  readonly events: readonly Event[];
  /** Operations begun before the database was copied; null if it wasn't. */
  snapshotAt: number | null = null;
  readonly #hangMs: number;
  readonly #say: (line: string) => void;
  #next = 0;
  readonly #underWay: Promise<void>[] = [];
  /** What a ledger loses comes one after another. */
  readonly #last = new Map<Shop, Promise<unknown>>();
  /** Nothing begins while a ledger is copied: what begins behind it is what the ledger forgets. */
  #copying: Promise<unknown> = Promise.resolve();

  constructor(
    service: FaultyService,
    operator: Operator,
    shops: readonly Shop[],
    events: readonly Event[],
    { hangMs, say }: MisfortuneOptions,
  ) {
    this.#service = service;
    this.#operator = operator;
    this.#shops = shops;
    this.events = events;
    this.#hangMs = hangMs;
    this.#say = say;
  }

  /** So many operations are begun: what is due comes. Nobody waits for it, but for a copy. */
  async begin(begun: number): Promise<void> {
    for (let event = this.events[this.#next]; event && event.at <= begun; event = this.events[this.#next]) {
      this.#next += 1;
      const befallen = this.#befall(event);
      const name = `${event.kind} at ${event.at}`;
      this.#say(name);
      befallen.then(
        () => this.#say(`${name} is over`),
        (error: unknown) => this.#say(`${name} failed: ${error}`),
      );
      // What could not be done is told by `over`.
      befallen.catch(() => undefined);
      this.#underWay.push(befallen);
      if (event.kind === "object_copied") this.#copying = befallen.catch(() => undefined);
    }
    await this.#copying;
  }

  /** All that came is over. @throws Error of the first that could not be done */
  async over(): Promise<void> {
    await Promise.all(this.#underWay.splice(0));
  }

  async #befall({ kind, choice, at }: Event): Promise<void> {
    const shop = this.#shops[Math.floor(choice * this.#shops.length)]!;
    const node = NODES[Math.floor(choice * NODES.length)]!;
    switch (kind) {
      case "runtime_killed":
        return this.#service.killRuntime();
      case "snapshot":
        this.snapshotAt = at;
        // On a busy machine a ledger may not have been set back yet.
        await this.#operator.losses();
        return this.#service.snapshot();
      case "d1_hang":
        return this.#service.hangDatabase(this.#hangMs);
      case "freeze":
        return void (await this.#service.rpc("devchain_faults", { set: [{ kind, node }] }));
      case "thaw":
        return void (await this.#service.rpc("devchain_faults", { clear: true }));
      case "orphan":
        return void (await this.#service.rpc("devchain_orphan", {
          blocks: 1 + Math.round(choice),
          ...(choice < 0.5 && { heights: "next" }),
        }));
      case "key_deleted":
        return this.#deleteKey(shop, choice);
      case "object_lost":
        return this.#inTurn(shop, () => this.#operator.loseLedger(shop));
      case "object_copied":
        return this.#inTurn(shop, () => this.#operator.copyLedger(shop));
      case "object_rollback":
        return this.#inTurn(shop, () => this.#operator.setLedgerBack(shop, async () => undefined));
      case "platform_rollback":
        return this.#operator.setPlatformBack(shop);
      case "object_rollback_in_hang":
        return this.#inTurn(shop, () =>
          this.#operator.setLedgerBack(shop, () => this.#service.hangDatabase(this.#hangMs)),
        );
    }
  }

  #inTurn(shop: Shop, befall: () => Promise<void>): Promise<void> {
    const befallen = (this.#last.get(shop) ?? Promise.resolve()).then(befall);
    this.#last.set(
      shop,
      befallen.catch(() => undefined),
    );
    return befallen;
  }

  /** One of the keys that a wallet has added for a contract; its own stays. */
  async #deleteKey(shop: Shop, choice: number): Promise<void> {
    const query = { request_type: "view_access_key_list", finality: "final", account_id: shop.walletId };
    const { keys } = await this.#service.rpc<KeyList>("query", query);
    const added = keys.filter(({ access_key }) => access_key.permission !== "FullAccess");
    const key = added[Math.floor(choice * added.length)];
    if (!key) return;
    const deletion = { account_id: shop.walletId, public_key: key.public_key };
    await this.#service.rpc("devchain_delete_key", deletion);
  }
}

import type { Action } from "../../chain/actions.ts";
import { costOf } from "../../chain/cost.ts";
import { newUuid } from "../../domain/ids.ts";
import { MAX_MINTS } from "../../domain/mint-notes.ts";
import type { Settings } from "../../env.ts";
import { pause } from "../../waiting.ts";
import type { Funds } from "../chain-state/funds.ts";
import type { Head } from "../chain-state/head.ts";
import { encodeActions } from "../journal/encoding.ts";
import type { Journal } from "../journal/journal.ts";
import { together } from "../journal/queue.ts";
import type { Runtime } from "../runtime.ts";
import { newLaneId, type Signing } from "./lane-keys.ts";
import { type Growth, growth, LANE_METHODS } from "./lanes.ts";

/** Back-off after failing to add keys. Milliseconds. */
const GROWTH_PAUSE_MS = 60_000;
/** Delay for a burst of requests to arrive before its lanes are counted. Milliseconds. */
const BURST_MS = 80;
/** yoctoNEAR that must remain after keys are added: 0.1 NEAR. */
const GROWTH_RESERVE = 10n ** 23n;

interface LaneGrowthParts extends Runtime {
  readonly journal: Journal;
  readonly settings: Pick<Settings, "MAX_LANES">;
  readonly head: Head;
  readonly funds: Funds;
  /** The open keys of an active wallet; null while it may not sign. */
  readonly signing: () => Signing | null;
}

/** Adds lanes when more is queued than the lanes can take, and retires unused ones. */
export class LaneGrowth {
  readonly #parts: LaneGrowthParts;
  #growsAgainAt = 0;
  #growing = false;

  constructor(parts: LaneGrowthParts) {
    this.#parts = parts;
  }

  /** Plans lanes after a short delay, so that a burst needs few transactions for its lanes. */
  soon(dispatch: () => Promise<void>): void {
    if (this.#growing || this.#parts.now() < this.#growsAgainAt) return;
    this.#growing = true;
    const look = async () => {
      await pause(BURST_MS);
      this.#growing = false;
      const { journal, settings, now } = this.#parts;
      const isGrown = await this.#grow(
        growth(together(journal.intents.waiting(now()), MAX_MINTS), journal.lanes.all(), settings.MAX_LANES),
      );
      if (isGrown) await dispatch();
    };
    look().catch((error: unknown) => this.#parts.log("wallet.growth_failed", { error }));
  }

  /** Journals the addition of lanes, all keys in one transaction, if the wallet can pay for them. */
  async #grow({ add, retire }: Growth): Promise<boolean> {
    const { journal, now, head, funds, log } = this.#parts;
    const signing = this.#parts.signing();
    if (add.length === 0 || signing === null || head.block === null) return false;
    this.#growsAgainAt = now() + GROWTH_PAUSE_MS;
    const { accountId, keyring } = signing;
    const lanes = add.flatMap((plan) =>
      Array.from({ length: plan.count }, () => ({ ...plan, id: newLaneId() })),
    );
    const methods = [...LANE_METHODS];
    const added = lanes.map(({ id, kind, receiverId }): Action => {
      const { publicKey } = keyring.of(id);
      return kind === "full_access"
        ? { kind: "add_full_access_key", publicKey }
        : { kind: "add_function_call_key", publicKey, receiverId: receiverId!, methods };
    });
    const deleted = retire.map((id): Action => ({ kind: "delete_key", publicKey: keyring.of(id).publicKey }));
    const actions = [...deleted, ...added];
    const cost = costOf({ receiverId: accountId, actions }, head.prices);
    const withReserve = { ...cost, certain: cost.certain + GROWTH_RESERVE };
    const cover = await funds.ask(accountId, () => journal.intents.reserved(), withReserve);
    if (cover !== "enough") {
      log("wallet.no_growth", { cover });
      return false;
    }
    const operation = newUuid();
    const isAdded = journal.atomically(() => {
      // A lane may have been assigned a row while the balance was read.
      const busy = new Set(journal.lanes.all().flatMap(({ id, open }) => (open > 0 ? [id] : [])));
      if (retire.some((id) => busy.has(id))) return false;
      for (const id of retire) journal.lanes.retire(id);
      const addedBy = journal.intents.add({
        operation,
        step: "lanes",
        fairness: "wallet",
        receiverId: accountId,
        method: null,
        actions: encodeActions(actions),
        cost,
        state: "queued",
        internal: true,
        now: now(),
      });
      journal.operations.begin(operation, true);
      for (const { id, kind, receiverId } of lanes) {
        const publicKey = keyring.textOf(id);
        const allowed = kind === "full_access" ? [] : methods;
        journal.lanes.add({ id, publicKey, kind, receiverId, methods: allowed, addedBy, nonceGap: 0 });
      }
      return true;
    });
    if (!isAdded) {
      // The next burst is planned with the lanes as they are by then.
      this.#growsAgainAt = 0;
      return false;
    }
    this.#parts.at("wallet.lanes_journaled");
    log("wallet.grow", { lanes: lanes.length, retired: retire.length });
    return true;
  }

  /** Keys were added: more may follow at once. */
  grown(): void {
    this.#growsAgainAt = 0;
  }
}

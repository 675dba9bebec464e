/** The operator of a fault run: does by the operator's surface what docs/running.md says. */
import { pause } from "./client.ts";
import type { Effects } from "./effects.ts";
import { MARKER } from "./marker.ts";
import { type FaultyService, VALIDITY_BLOCKS } from "./service.ts";
import { type Entry, METHODS, type Shop } from "./workload.ts";

/** Blocks after which what a lost object had sent is final or stays away ("a minute or two"). */
const QUIET_BLOCKS = 60;
const PATIENCE_MS = 180_000;
const PAUSE_MS = 500;
/** Calls that recovering a database may take. */
const RECOVERY_CALLS = 500;

interface OpenRow {
  readonly id: string;
  readonly kind: string;
  readonly request: string;
  readonly reference: string | null;
  readonly subject: string;
  readonly created_at: number;
}

export class Operator {
  readonly #service: FaultyService;
  readonly #effects: Effects;
  readonly #ledger: readonly Entry[];
  readonly #blockMs: number;
  /** What was said of operations that nobody could prove, by marker. */
  readonly settled = new Map<string, boolean>();
  /** Wallets that were lost and brought back. */
  restored = 0;
  /** When a wallet was last lost, by the run's clock. */
  #lostAt = 0;

  /** @param blockMs time between blocks, milliseconds of the machine */
  constructor(service: FaultyService, effects: Effects, ledger: readonly Entry[], blockMs: number) {
    this.#service = service;
    this.#effects = effects;
    this.#ledger = ledger;
    this.#blockMs = blockMs;
  }

  async #post(path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${this.#service.url}/admin/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#service.adminToken}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => null);
    const text = (await response?.text().catch(() => "")) ?? "";
    return { status: response?.status ?? 0, body: text === "" ? null : JSON.parse(text) };
  }

  /** Repeats a request until it succeeds. @throws Error if it doesn't in time */
  async #insist(path: string): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const { status, body } = await this.#post(path);
      if (status === 200) return;
      if (Date.now() > until) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
      await pause(PAUSE_MS);
    }
  }

  /** A wallet's object is lost; it is restored, and activated once what it had sent is final. */
  async loseWallet({ integrationUuid: uuid }: Shop): Promise<void> {
    await this.#service.suffer({ do: "lose", wallet: uuid });
    this.#lostAt = this.#service.now();
    await this.#insist(`/integration/${uuid}/wallet/restore`);
    await pause(QUIET_BLOCKS * this.#blockMs);
    await this.#insist(`/integration/${uuid}/wallet/activate`);
    this.restored += 1;
  }

  /**
   * Settles operations that are `unknown`, as the chain shows: `yes` as soon as the effect is final, `no` once nothing
   * that was signed before can land any more.
   */
  async settle(): Promise<void> {
    this.#effects.read();
    const { clock } = this.#service;
    const validityMs = VALIDITY_BLOCKS * 1.1 * this.#blockMs * clock.rate;
    const database = await this.#service.database();
    const { results } = await database
      .prepare(
        `SELECT lower(hex(id)) AS id, kind, request, reference, lower(hex(subject_id)) AS subject, created_at
         FROM operations WHERE state = 'unknown' LIMIT 200`,
      )
      .all<OpenRow>();
    for (const row of results) {
      const entry = this.#entryOf(row);
      if (!entry) continue;
      const hadEffect = this.#effects.of(entry.evidence, METHODS[entry.kind]).length > 0;
      // What a wallet that still has its journal may have sent later than that, it knows: it refuses to be told `no`.
      const since = Math.max(row.created_at, this.#lostAt);
      if (!hadEffect && this.#service.now() < since + validityMs) continue;
      await this.#say(row.id, entry.marker, hadEffect);
    }
  }

  /** Says what the chain shows. Where that is refused for now, the next look says it again. */
  async #say(id: string, marker: string, hadEffect: boolean): Promise<void> {
    const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    const { status } = await this.#post(`/operation/${uuid}/settle`, { had_effect: hadEffect });
    if (status === 200) this.settled.set(marker, hadEffect);
  }

  #entryOf({ request, reference, subject }: OpenRow): Entry | undefined {
    const marker = reference ?? MARKER.exec(request)?.[0];
    if (marker) return this.#ledger.find((entry) => entry.marker === marker);
    const uuid = subject.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    return this.#ledger.find(({ kind, path }) => kind === "finalize" && path.includes(uuid));
  }

  /** Puts back what an older database lacks. False if the service has no such procedure. @throws Error if it fails */
  async recover(): Promise<boolean> {
    let cursor: string | null = null;
    for (let call = 0; call < RECOVERY_CALLS; call++) {
      const { status, body } = await this.#post("/database/recover", { cursor });
      if (status === 404) return false;
      if (status === 200) {
        cursor = (body as { next: string | null }).next;
        if (cursor === null) return true;
      }
      await pause(PAUSE_MS / 5);
    }
    throw new Error("the database was not recovered");
  }
}
